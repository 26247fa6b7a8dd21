"""Names in the sources: the words that are no identifiers, and one meaning for each class name."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from house_imports import ROOT

# Words that say too little as names of files, classes, functions and parameters.
NOT_NAMES = frozenset("found told said asked wanted settled homes beside island turns".split())
NOT_LOOP_VARIABLES = frozenset({"one", "own"})


def sources() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(ROOT.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def words(name: str) -> set[str]:
    """Return the words of a name, in lower case; "not found" is one word.

    >>> sorted(words("_told_apart")), sorted(words("FoundTexts"))
    (['apart', 'told'], ['found', 'texts'])
    """
    name = name.replace("not_found", "notfound")
    return {word.lower() for word in re.findall(r"[A-Z]*[a-z0-9]+|[A-Z]+", name)}


def names_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the names of classes, functions and parameters, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg


def loop_variables(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension):
            for name in ast.walk(node.target):
                if isinstance(name, ast.Name):
                    yield name.lineno, name.id


def test_names_say_what_they_are() -> None:
    wrong = []
    for path, tree in sources():
        place = path.relative_to(ROOT).as_posix()
        wrong += [place] * bool(words(path.stem) & NOT_NAMES)
        wrong += [
            f"{place}:{line} {name}" for line, name in names_in(tree) if words(name) & NOT_NAMES
        ]
        wrong += [
            f"{place}:{line} {name} as a loop variable"
            for line, name in loop_variables(tree)
            if name in NOT_LOOP_VARIABLES
        ]
    assert not wrong


def test_a_class_name_has_one_meaning() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name.lstrip("_")].append(path.relative_to(ROOT).as_posix())
    assert not {name: files for name, files in places.items() if len(files) > 1}
