"""Messages name the options of the running verb; words of the user are shown as they are."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import doxeval as package
from doxeval.cli import main
from doxeval.errors import InputError
from doxeval.wording import Message, Parameter
from helpers import doxeval

ROOT = Path(package.__file__).parent


def test_words_of_users_are_never_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert (
        doxeval("topics", "order=3.xml").stderr == "Error: order=3.xml: No such file or directory\n"
    )
    assert "cP@10(solid=on)" in doxeval("measures", "cP@10(solid=on)").stderr


def test_errors_name_options_of_the_verb(tmp_path: Path) -> None:
    deep = tmp_path / "depth=9.xml"
    deep.write_text("<a>" * 5 + "</a>" * 5)
    out = tmp_path / "out"
    result = doxeval("collection", "build", deep, "--out", out, "--max-depth", 3)
    assert result.exit_code == 1
    assert "depth=9.xml:1:10: elements nested more than 3 deep; --max-depth sets" in result.stderr


def test_parameters_survive_processes_and_prefixes() -> None:
    error = InputError("too deep; " + Parameter("depth", 3) + " is the limit", "a.xml", 7)
    again = Message("b: ", pickle.loads(pickle.dumps(error)))
    assert str(again) == "b: a.xml:7: too deep; depth=3 is the limit"
    assert [part.value for part in again.parts if isinstance(part, Parameter)] == [3]


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
