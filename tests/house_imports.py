"""What the sources of the house import, read from their syntax: each source is parsed once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import doxeval

ROOT = Path(doxeval.__file__).parent
PROJECT = Path(__file__).resolve().parents[1]


class Imported(NamedTuple):
    """An import statement: `from MODULE import NAMES`, or `import MODULE` without names.

    module has the dots of a relative import. at_load: it happens while the module is loaded, not
    inside a function or for type checking.
    """

    module: str
    names: tuple[str, ...]
    at_load: bool

    @property
    def targets(self) -> list[str]:
        """The dotted names that are imported."""
        return [f"{self.module}.{name}" for name in self.names] or [self.module]


def imports_of(path: Path) -> tuple[Imported, ...]:
    """Return every import statement of a file."""
    return imports_in(path.read_text(encoding="utf-8"))


@cache
def imports_in(source: str) -> tuple[Imported, ...]:
    """Return every import statement of a source."""
    return tuple(_imports(ast.parse(source).body, at_load=True))


def _imports(body: list[ast.stmt], at_load: bool) -> Iterator[Imported]:
    for node in body:
        if isinstance(node, ast.Import):
            yield from (Imported(alias.name, (), at_load) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            yield Imported("." * node.level + (node.module or ""), names, at_load)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from _imports(node.body, at_load=False)
            yield from _imports(node.orelse, at_load)
        else:
            is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from _imports(_inside(node), at_load and not is_function)


def _inside(node: ast.stmt) -> list[ast.stmt]:
    """Return the statements directly inside another one."""
    statements: list[ast.stmt] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            statements.append(child)
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            statements += child.body
    return statements
