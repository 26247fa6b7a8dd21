"""No module imports itself by way of others.

Only imports that happen while a module is loaded count. Those inside functions happen later, those
under TYPE_CHECKING never.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from house_imports import ROOT, Imported, imports_of

Graph = dict[str, set[str]]


def module_of(path: Path, root: Path) -> str:
    """The dotted name of a file; a package's is that of its directory."""
    parts = ("doxeval", *path.relative_to(root).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def loaded(
    module: str, imports: Iterable[Imported], known: set[str], homes: dict[str, str]
) -> set[str]:
    """Return the modules that are loaded before a module is: those it names, and their packages.

    A name that is imported from a door is loaded from its home.
    """
    named = []
    for statement in imports:
        if statement.at_load:
            inside = statement.targets
            named += [name if name in known else statement.module for name in inside]
            named += [homes[name] for name in inside if name in homes]
    modules = set()
    for name in named:
        parts = name.split(".")
        modules |= {".".join(parts[:end]) for end in range(1, len(parts))} - around(module)
        modules.add(name)
    return modules & known


def around(module: str) -> set[str]:
    """The packages that a module is in, which have begun to load before it does."""
    parts = module.split(".")
    return {".".join(parts[:end]) for end in range(1, len(parts) + 1)}


def import_graph(root: Path) -> Graph:
    """Every module, with what it loads."""
    files = {module_of(path, root): path for path in sorted(root.rglob("*.py"))}
    homes = {
        f"{module_of(stub, root)}.{name}": statement.module
        for stub in root.rglob("__init__.pyi")
        for statement in imports_of(stub)
        for name in statement.names
    }
    return {name: loaded(name, imports_of(path), set(files), homes) for name, path in files.items()}


def circle(graph: Graph) -> list[str]:
    """A chain of imports that comes back to its beginning; empty if there is none."""
    done: set[str] = set()

    def search(module: str, chain: list[str]) -> list[str]:
        if module in chain:
            return [*chain[chain.index(module) :], module]
        if module in done:
            return []
        for other in sorted(graph[module]):
            found = search(other, [*chain, module])
            if found:
                return found
        done.add(module)
        return []

    return next((found for module in graph if (found := search(module, []))), [])


def test_nothing_is_imported_in_circles() -> None:
    graph = import_graph(ROOT)
    assert sum(map(len, graph.values())) > 500  # there is something to go round in
    assert not circle(graph), " imports ".join(circle(graph))


@pytest.mark.parametrize(
    ("one", "other", "is_circle"),
    [
        ("from doxeval.b import y", "from doxeval.a import x", True),
        ("import doxeval.b", "from doxeval import a", True),
        ("try:\n    import doxeval.b\nexcept ImportError:\n    pass", "import doxeval.a", True),
        ("class X:\n    import doxeval.b", "import doxeval.a", True),
        ("from doxeval.b import y", "def f():\n    from doxeval.a import x", False),
        ("from doxeval.b import y", "if TYPE_CHECKING:\n    from doxeval.a import x", False),
        ("from doxeval.b import y", "import os", False),
    ],
)
def test_circles_are_found(tmp_path: Path, one: str, other: str, is_circle: bool) -> None:
    for name, text in (("__init__", ""), ("a", one), ("b", other)):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    assert bool(circle(import_graph(tmp_path))) is is_circle


def test_a_package_and_its_parts_may_be_a_circle(tmp_path: Path) -> None:
    package = tmp_path / "p"
    package.mkdir()
    (package / "__init__.py").write_text("from doxeval.p.part import x", encoding="utf-8")
    (package / "part.py").write_text("from doxeval.p.other import y", encoding="utf-8")
    (package / "other.py").write_text("", encoding="utf-8")
    assert not circle(import_graph(tmp_path))
    (package / "other.py").write_text("from doxeval.p import x", encoding="utf-8")
    assert circle(import_graph(tmp_path))


def test_names_from_a_door_may_be_a_circle(tmp_path: Path) -> None:
    package = tmp_path / "p"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "__init__.pyi").write_text("from doxeval.p.part import x as x", encoding="utf-8")
    (package / "part.py").write_text("from doxeval.a import y", encoding="utf-8")
    (tmp_path / "a.py").write_text("", encoding="utf-8")
    assert not circle(import_graph(tmp_path))
    (tmp_path / "a.py").write_text("from doxeval.p import x", encoding="utf-8")
    assert circle(import_graph(tmp_path))
