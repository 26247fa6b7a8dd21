"""The rooms and floors of the house: a room imports only from floors below it.

Imports inside functions and imports for type checking count: they tie rooms together too.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import doxeval

FLOORS = [
    {"errors", "arrays", "wording", "unfinished"},
    {"spans", "scores", "columns", "files", "processes", "engines", "markup", "sealed", "named"},
    {"documents", "topics"},
    {"runs", "assessments", "locating", "navigation"},
    {"measures", "tasks", "pooling", "stereotypes", "retrieve", "comparison", "compat"},
    {"evaluation", "reports", "assess"},
    {"chunks"},
    {"cli"},
]
ROOT = Path(doxeval.__file__).parent
# The front door, the way in from `python -m` and the plugin of pytest stand outside the house.
OUTSIDE = {"__init__", "__main__", "pytest_plugin"}
FILES = sorted(path for path in ROOT.rglob("*.py"))


def room(dotted: str) -> str:
    """The room of a dotted name below doxeval; the root package itself has none."""
    return dotted.removeprefix("doxeval").lstrip(".").split(".")[0]


def floor(name: str) -> int:
    return next(level for level, rooms in enumerate(FLOORS) if name in rooms)


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." * node.level + (node.module or ""))
    return {name for name in found if name.startswith(("doxeval", "."))}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_room_imports_only_from_floors_below(path: Path) -> None:
    own = path.relative_to(ROOT).parts[0].removesuffix(".py")
    if own in OUTSIDE:
        return
    for name in imports(path):
        assert not name.startswith("."), f"relative import of {name}"
        other = room(name)
        if other == own or (own == "cli" and not other):
            continue  # the command line alone may ask the root package, for the version
        assert other, f"imports the root package: {name}"
        assert floor(other) < floor(own), f"{own} may not import {name}"


def test_every_room_has_a_floor() -> None:
    rooms = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in FILES}
    assert rooms - OUTSIDE <= set().union(*FLOORS)
