"""Options of the command line beside each other: none is ignored in silence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import doxeval as doxeval_package
from doxeval.cli import VERBS, main
from helpers import doxeval

DEMO = Path(doxeval_package.__file__).parent / "demo_data"
RUN = DEMO / "runs" / "careful.run"
ASSESSED = DEMO / "assessments.jsonl"


def single_valued_options(
    command: click.Command = main, name: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str, int]]:
    """Each option that may be given once: the words of its verb, its flag, how many values."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for verb in command.list_commands(context):
            child = command.get_command(context, verb)
            assert child is not None
            yield from single_valued_options(child, (*name, verb))
    for option in command.params:
        if isinstance(option, click.Option) and not option.is_flag and not option.multiple:
            yield from ((name, flag, option.nargs) for flag in option.opts)


def test_an_option_given_twice_is_refused() -> None:
    accepted = []
    for verb, flag, values in single_valued_options():
        once = (flag, *["1"] * values)
        result = doxeval(*verb, *once, *once)
        if result.exit_code != 2 or " is given twice" not in result.stderr:
            accepted.append((*verb, flag))
    assert accepted == []


SIMULATE = ("simulate", "-a", ASSESSED, "--out", "out", "--collection", "DIR", "--system")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("collection", "build", "x", "--out", "y", "--format", "html", "--record", "page"),
         "--record is for XML, and --format is html"),
        (("collection", "build", "x", "--out", "y", "--format", "jsonl", "--id", "path"),
         "--id has no effect on JSONL"),
        (("collection", "build", "x", "--out", "y", "--format", "jsonl", "--encoding", "latin-1"),
         "--encoding has no effect on JSONL"),
        (("collection", "build", "x", "--out", "y", "--format", "text", "--root", "main"),
         "--root is for HTML and XML, and --format is text"),
        (("collection", "build", "x", "--out", "y", "--format", "markdown", "--drop", "nav"),
         "--drop is for HTML and XML, and --format is markdown"),
        (("collection", "build", "x", "--out", "y", "--format", "text", "--sections", "none"),
         "--sections is for HTML and Markdown, and --format is text"),
        (("collection", "list", "DIR", "--format", "json", "--long"),
         "--long is for text; json always has the numbers"),
        (("collection", "info", "DIR", "--format", "json", "--tags", "3"),
         "--tags is for the table; JSON has all tags"),
        (("collection", "show", "DIR", "tides", "--format", "json", "--all"),
         "--all is for an outline"),
        (("collection", "show", "DIR", "tides", "/article[1]", "--depth", "2"),
         "--depth is for an outline; for the outline of PATH add --outline"),
        (("nexi", "tide -moon", "--precedence", "flat"),
         "--precedence is about conditions, and this query has none"),
        (("nexi", "tide -moon", "--strictness", "vvcas"),
         "--strictness is about paths, and this query has none"),
        (("assessments", ASSESSED, "--offsets", "bytes"),
         "--offsets has no effect without --collection"),
        (("assessments", ASSESSED, "--whitespace-nodes", "strip"),
         "--whitespace-nodes has no effect without --collection"),
        (("validate", RUN, "--task", "focused", "--offsets", "bytes"),
         "--offsets has no effect without --collection"),
        (("validate", RUN, "--task", "focused", "--format", "json", "--all"),
         "--all is for the table; JSON always has all problems"),
        (("validate", RUN, "--task", "focused", "--force"), "--force is for --fix"),
        (("navigation", "depth", "--doc", "tides"),
         "--doc names a document of a collection: add --collection DIR"),
        ((*SIMULATE, "perfect", "--system", "parent", "--seed", "1"),
         "--seed has no effect on perfect, parent"),
        ((*SIMULATE, "leaves", "--unit", "words"), "--unit has no effect on leaves"),
        ((*SIMULATE, "random", "--quant", "strict"), "--quant has no effect on random"),
    ],
    ids=lambda value: value.split()[0] if isinstance(value, str) else value[0],
)  # fmt: skip
def test_an_option_without_effect_is_refused(arguments: tuple[object, ...], message: str) -> None:
    result = doxeval(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("evalute",), "evaluate"),
        (("Evaluate",), "evaluate"),
        (("chunks", "evalute"), "evaluate"),
        (("collection", "biuld"), "build"),
        (("index", "bild"), "build"),
        (("assess", "srve"), "serve"),
        (("assess", "user", "ad"), "add"),
    ],
)
def test_a_misspelt_verb_is_answered_with_the_one_that_was_meant(
    words: tuple[str, ...], meant: str
) -> None:
    told = doxeval(*words, "--whatever")
    assert told.exit_code == 2
    assert f"No such command '{words[-1]}'. Did you mean '{meant}'?" in told.stderr


def test_a_verb_like_none_there_is_has_no_suggestion() -> None:
    told = doxeval("qqqq" * 1000)
    assert told.exit_code == 2
    assert "No such command" in told.stderr
    assert "Did you mean" not in told.stderr
    assert len(told.stderr) < 1000


def test_a_misspelt_option_is_answered_with_the_one_that_was_meant() -> None:
    told = doxeval("evaluate", RUN, "--assesments", ASSESSED)
    assert told.exit_code == 2
    assert "--assessments" in told.stderr


def every_help(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    """The help of a command and of all verbs below it, each with its name."""
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from every_help(inner, click.Context(inner, context, name))


def test_help_fits_80_columns_with_whole_summaries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name, text in every_help(main, click.Context(main, info_name="doxeval")):
        lines = text.splitlines()
        assert max(map(len, lines)) <= 80, (name, max(lines, key=len))
        assert not [line for line in lines if re.search(r"[a-z,]\.\.\.$", line)], name
        assert not re.search(r"^  \[?[A-Z][A-Z=\[\]]*…?\]?$", text, re.MULTILINE), (
            name
        )  # arguments without words


def test_help_lists_all_verbs_and_options_under_headings() -> None:
    context = click.Context(main, info_name="doxeval")
    listed = [line.split()[0] for line in main.get_help(context).splitlines() if line[:2] == "  "]
    assert set(VERBS) <= set(listed)
    evaluate = main.get_command(context, "evaluate")
    assert evaluate is not None
    text = evaluate.get_help(click.Context(evaluate, context, "evaluate"))
    headings = re.findall(r"^(\w[\w ]+):$", text, re.MULTILINE)
    assert headings[:2] == ["What is scored", "Output"] and headings[-1] == "Other options"
    options = re.findall(r"^  (-\S+)", text, re.MULTILINE)
    assert options[0] == "-m," and options[-1] == "-h,"
    assert len(options) == len(evaluate.get_params(context)) - 1  # all but the runs
