"""Options that several verbs of `doxeval chunks` have, and what they read: documents and gold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.output import note, warn
from doxeval.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from doxeval.assessments import Assessments
    from doxeval.chunks import Questions


_MOST_WARNINGS = 3

some_docs_option = click.option(
    "--docs",
    metavar="DOCS",
    help="The documents.  [default: put together from the texts of the chunk file]",
)
unit_option = click.option(
    "--unit",
    type=click.Choice(["characters", "words", "tokens"]),
    help="What sizes and budgets count.  [default: words, or tokens with --tokens]",
)


def known_tokens(name: str | None) -> str | None:
    """The name of a tokeniser, which is looked up before anything else is done."""
    if name is not None:
        from doxeval.measures import tokeniser_of

        tokeniser_of(name)
    return name


def chosen_unit(unit: str | None, tokens: str | None) -> str:
    """The unit that is asked for, or else the one that a tokeniser counts.

    >>> chosen_unit(None, "cl100k_base"), chosen_unit(None, None), chosen_unit("words", "x")
    ('tokens', 'words', 'words')
    """
    return unit or ("words" if tokens is None else "tokens")


def docs_in(source: str | None) -> Any:
    """Return the documents of a source, if there is one; what was not read is printed."""
    from doxeval.chunks import documents

    if source is None:
        return None
    found = documents(source)
    warn(found.warnings)
    return found


def gold_in_file(path: str, docs: Any, max_missing: str = "0") -> Questions | Assessments:
    """Return gold from a file: judgments, or questions with their needs.

    Judgments are taken as they stand where the documents are not known, or only what chunks show of
    them.
    """
    from doxeval.assessments import read_assessments
    from doxeval.chunks import RebuiltDocuments, questions
    from doxeval.errors import InputError
    from doxeval.files import json_lines, open_input
    from doxeval.locating import allowed_missing
    from doxeval.messages import Parameter

    allowed_missing(max_missing, 0)
    is_rebuilt = isinstance(docs, RebuiltDocuments)
    if path.endswith((".jsonl", ".jsonl.gz")) and (docs is None or is_rebuilt):
        with open_input(path) as file:
            first = next(iter(json_lines(file, path)), (0, None))[1]
        if isinstance(first, dict) and "topic" in first and "doc" in first:
            return read_assessments(path)
    try:
        found = questions(path, docs, max_missing=max_missing)
    except InputError as error:
        if not is_rebuilt or type(error) is not InputError:  # but for what is wrong in the file
            raise
        where = "\n  gold is looked for in the texts of the chunks, unless documents are given: "
        raise InputError(error.message + where + Parameter("docs"), path) from None
    tell_gold(found)
    return found


def tell_gold(gold: Questions) -> None:
    """Say how gold was found; of many warnings the first."""
    warn(gold.warnings[:_MOST_WARNINGS])
    if len(gold.warnings) > _MOST_WARNINGS:
        more = len(gold.warnings) - _MOST_WARNINGS
        warn([f"{more:,} more warnings about gold; `doxeval chunks gold` lists them"])
    note(gold.report())


def question_texts(path: str, docs: Any) -> Mapping[str, str]:
    """The texts of questions: a file of questions with gold, or of topics."""
    from doxeval.chunks import questions
    from doxeval.errors import FormatError
    from doxeval.topics import read_topics

    if path.endswith((".tsv", ".xml", ".txt")):
        return {topic.id: topic.title or "" for topic in read_topics(path)}
    found = questions(path, docs, max_missing="100%")  # their gold is not asked for
    if not found.texts:
        raise FormatError("no questions in the file", path)
    return found.texts


def docs_option(command: Any) -> Any:
    """The option that names the documents."""
    return click.option(
        "--docs",
        required=True,
        metavar="DOCS",
        help="The documents: a folder of text, Markdown, HTML or XML, a file of JSONL, JSON, CSV "
        "or Parquet with ids and texts, a folder of BEIR, or a collection (its URL, too).",
    )(command)


def max_missing_option(what: str, default: str = "0") -> Callable[[Any], Any]:
    """Return the option that says how much may be missing from the documents."""
    return click.option(
        "--max-missing",
        default=default,
        show_default=True,
        metavar="N|P%",
        help=f"How many {what} may be missing from the documents: a number, or a share of all.",
    )


def force_option(command: Any) -> Any:
    """The option that lets a verb replace its output."""
    return click.option("--force", is_flag=True, help="Replace existing files.")(command)


def refuse_existing(files: Iterable[Path | None], force: bool) -> None:
    """Refuse to replace files unasked."""
    for file in files:
        if file is not None and file.is_dir():
            raise OutputError(f"{file} is a directory")
        if file is not None and file.is_file() and not force:
            raise OutputError(f"{file} exists; --force replaces it")
