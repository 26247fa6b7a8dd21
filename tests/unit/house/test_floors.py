"""The rooms and floors of the house, and its doors.

A room imports only from floors below it. Imports inside functions and imports for type checking
count: they tie rooms together too. Tests, benchmarks and scripts import rooms by their doors, so
that files can move behind them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import doxeval

FLOORS = [
    {"errors", "arrays", "wording", "unfinished", "doors"},
    {"spans", "scores", "columns", "files", "processes", "engines", "markup", "sealed", "named"},
    {"documents", "topics"},
    {"runs", "assessments", "locating", "navigation"},
    {"measures", "tasks", "pooling", "stereotypes", "retrieve", "comparison", "compat"},
    {"evaluation", "reports", "assess"},
    {"chunks"},
    {"cli"},
]
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
ROOT = Path(doxeval.__file__).parent
# The front door, the way in from `python -m` and the plugin of pytest stand outside the house.
OUTSIDE = {"__init__", "__main__", "pytest_plugin"}


def imports(path: Path) -> Iterator[str]:
    """Yield every module of doxeval that a file imports, with the names of `from … import`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("doxeval"))
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            if module.startswith(("doxeval", ".")):
                yield from (f"{module}.{alias.name}" for alias in node.names)


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py").removesuffix(".pyi")


def test_a_room_imports_only_from_floors_below() -> None:
    wrong = []
    for path in sorted([*ROOT.rglob("*.py"), *ROOT.rglob("*.pyi")]):
        room = room_of(path)
        if room in OUTSIDE:
            continue
        for name in imports(path):
            other = name.split(".")[1] if name.startswith("doxeval.") else ""
            if other == room or (room == "cli" and name == "doxeval.__version__"):
                continue
            if other not in FLOOR_OF or FLOOR_OF[other] >= FLOOR_OF[room]:
                wrong.append(f"{path.relative_to(ROOT)} may not import {name}")
    assert not wrong


def test_every_room_has_a_floor() -> None:
    assert {room_of(path) for path in ROOT.rglob("*.py")} - OUTSIDE <= set(FLOOR_OF)


def package_of(stub: Path) -> str:
    return ".".join(("doxeval", *stub.parent.relative_to(ROOT).parts))


# What each door lists, by the name that users of the door import.
DOORS = {
    package_of(stub): {name.rpartition(".")[2] for name in imports(stub)}
    for stub in sorted(ROOT.rglob("__init__.pyi"))
}


def test_doors_open() -> None:
    """Every name that a door lists is there, and no file has taken its place."""
    for package, names in DOORS.items():
        for name in names - {"chunks"}:
            assert not isinstance(getattr(import_module(package), name), ModuleType), name
