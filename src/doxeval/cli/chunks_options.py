"""Options that verbs of `doxeval chunks` share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from doxeval.errors import OutputError


def docs_option(command: Any) -> Any:
    """The option that names the documents."""
    return click.option(
        "--docs",
        required=True,
        metavar="DOCS",
        help="The documents: a folder of text, Markdown, HTML or XML, a file of JSONL, JSON, CSV "
        "or Parquet with ids and texts, a folder of BEIR, or a collection (its URL, too).",
    )(command)


def max_lost_option(what: str, default: str = "0") -> Callable[[Any], Any]:
    """Return the option that says how much may be missing from the documents."""
    return click.option(
        "--max-lost",
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
