"""No message of the package writes a parameter as plain text: all sources are read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click

import doxeval as package
from doxeval.cli import main

ROOT = Path(package.__file__).parent


def test_no_message_writes_a_parameter_as_plain_text() -> None:
    """Text such as `depth= sets the limit` in an error would reach the command line as it is."""
    options = {str(parameter.name) for verb in _verbs(main) for parameter in verb.params}
    options -= {"quant", "words"}  # parameters of measures and retrieval units, too
    written = re.compile(rf"\b({'|'.join(sorted(options))})=('|True| |$)")
    assert not [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in ROOT.rglob("*.py")
        if "web" not in path.parts  # where parameters are those of addresses
        for line, text in _texts_of_errors(ast.parse(path.read_text(encoding="utf-8")))
        if written.search(text)
    ]


def _verbs(group: click.Group) -> Iterator[click.Command]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _verbs(command)
        elif command is not None:
            yield command


def _texts_of_errors(tree: ast.AST) -> list[tuple[int, str]]:
    """The texts of errors that are raised, each with its line."""
    raised = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc]
    return [
        (node.lineno, node.value)
        for error in raised
        for node in ast.walk(error)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
