"""The rooms and floors of the house, and its doors.

A room imports only from floors below it. Imports inside functions and imports for type checking
count: they tie rooms together too. Tests, benchmarks and scripts import rooms by their doors, so
that files can move behind them.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

from house_imports import PROJECT, ROOT

FLOORS = [
    {"errors", "arrays", "messages", "output", "doors", "version", "progress"},
    {"spans", "files", "columns", "markup", "storage", "named", "parallel", "scores", "datasets"},
    {"documents", "topics"},
    {"runs", "assessments", "locating", "navigation"},
    {"measures", "tasks", "pooling", "stereotypes", "retrieve", "comparison"},
    {"evaluation", "reports", "assess", "compat"},
    {"chunks", "ir_measures"},
    {"cli", "pyterrier"},
]
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
# The front door, the way in from `python -m` and the plugin of pytest stand outside the house.
OUTSIDE = {"__init__", "__main__", "pytest_plugin"}


# Of all files a pattern reads imports twenty times as fast as a parser.
_IMPORT = re.compile(r"^ *(?:from ([.\w]+) import (\([^)]*\)|[^\n#]+)|import ([.\w]+))", re.M)


def imports(path: Path) -> list[str]:
    """Return every module of doxeval that a file imports, with the names of `from … import`."""
    imported = []
    for module, names, alone in _IMPORT.findall(path.read_text(encoding="utf-8")):
        if (module or alone).startswith(("doxeval", ".")):
            listed = re.findall(r"(\w+)(?: as \w+)?", re.sub(r"#[^\n]*", "", names))
            imported += [f"{module}.{name}" for name in listed] or [alone]
    return imported


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
            if other == room:
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
        room = import_module(package)
        for name in names - {"chunks"}:
            assert not isinstance(getattr(room, name), ModuleType), name
        assert all(hasattr(room, name) for name in getattr(room, "__all__", ())), package


def inner_module(name: str) -> str | None:
    """Return the file inside a room that an import reaches, or None if it stays at the door."""
    package, _, last = name.rpartition(".")
    if last in DOORS.get(package, ()):
        return None
    parts = name.split(".")[1:]
    for end in range(len(parts), 1, -1):
        place = ROOT.joinpath(*parts[:end])
        module = ".".join(("doxeval", *parts[:end]))
        if place.with_suffix(".py").exists() or (place.is_dir() and module not in DOORS):
            return module
    return None


def test_rooms_meet_at_their_doors() -> None:
    inside = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted(ROOT.rglob("*.py"))
        for name in imports(path)
        if name.split(".")[1] != room_of(path) and inner_module(name)
    ]
    assert not inside


def test_tests_come_in_by_the_doors() -> None:
    inside = [
        f"{path.relative_to(PROJECT)} imports {name}"
        for directory in ("tests", "benchmarks", "scripts")
        for path in sorted((PROJECT / directory).rglob("*.py"))
        for name in imports(path)
        if inner_module(name)
    ]
    assert not inside
