"""Doors: the names that a room offers, each loaded from its file when it is first used.

A room lists its names once, in `__init__.pyi` beside its `__init__.py`, as imports of the form
`from doxeval.runs.run import Run as Run`. Type checkers and editors read the list as it is. At run
time `door` reads it, so that importing a room loads none of its files. Of these names, `__all__`
holds those that users may rely on; the others are for other rooms and for tests. A name of
the list may also be the name of a file of the room: importing the file does not take its place.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

TYPE_CHECKING = False  # as in `typing`, which takes longer to import
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


_BRACKETS = str.maketrans("(),", "   ")  # around names that need several lines


def door(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package, given its name and file."""
    module_of: dict[str, str] = {}
    with open(file.removesuffix(".py") + ".pyi", encoding="utf-8") as listed:
        for statement in listed.read().split("from ")[1:]:
            module, _, names = statement.partition(" import ")
            words = names.translate(_BRACKETS).split()
            module_of |= {
                name: module
                for name, link in zip(words[::3], words[1::3], strict=False)
                if link == "as"
            }
    offered = sorted(module_of)

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if module_of[name] == package:  # `from doxeval import chunks as chunks`
            return import_module(f"{package}.{name}")
        return getattr(import_module(module_of[name]), name)

    class Room(ModuleType):
        """A package in which a file does not hide what is offered by the same name."""

        def __setattr__(self, name: str, value: object) -> None:
            is_file = isinstance(value, ModuleType) and module_of.get(name, package) != package
            if not is_file:
                super().__setattr__(name, value)

    sys.modules[package].__class__ = Room
    return load, lambda: offered
