"""The tree of exceptions, as the documentation of errors.py draws it."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module

import doxeval
from doxeval import errors


def subclasses(kind: type[Exception]) -> Iterator[type[Exception]]:
    for child in kind.__subclasses__():
        yield child
        yield from subclasses(child)


def test_the_drawn_tree_names_every_error_below_its_parent() -> None:
    for module in pkgutil.walk_packages(doxeval.__path__, "doxeval."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    drawn: dict[str, str] = {}
    above: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        before, rest = line[:4], line[4:]
        if before.strip() or not rest:
            continue
        depth = (len(rest) - len(rest.lstrip("│├└─ "))) // 4
        name = rest.lstrip("│├└─ ").split()[0]
        above[depth:] = [name]
        drawn[name] = above[depth - 1] if depth else ""
    own = [kind for kind in subclasses(errors.DoxevalError) if kind.__module__[:7] == "doxeval"]
    assert drawn == {
        "DoxevalError": "",
        **{kind.__name__: kind.__bases__[0].__name__ for kind in own},
    }
