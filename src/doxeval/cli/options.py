"""Options that several verbs share."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click

# Where a collection is. It stays a string: as a Path, a URL would lose a slash.
WHERE: dict[str, Any] = {"type": click.Path(), "metavar": "DIR|URL"}

columns_option = click.option(
    "--columns",
    type=click.Choice(["start-length", "start-end"]),
    default="start-length",
    show_default=True,
    help="What the last two columns of a text run with passages are.",
)
offsets_option = click.option(
    "--offsets",
    type=click.Choice(["characters", "bytes"]),
    default="characters",
    show_default=True,
    help="The unit of offsets in the files.",
)


def collection_argument(command: Any) -> Any:
    """The directory or the URL of a collection, as `directory`."""
    return click.argument("directory", **WHERE)(command)


def collection_option(help_text: str) -> Callable[[Any], Any]:
    """`--collection DIR|URL`, as `directory`."""
    return click.option(
        "--collection",
        "directory",
        help=help_text,
        **WHERE,
    )


def chunks_option(use: str) -> Callable[[Any], Any]:
    """`--chunks FILE`, for some use."""
    return click.option("--chunks", metavar="FILE", help=f"All chunks (JSONL), {use}.")


def jobs_of_all_cores(command: Any) -> Any:
    """`--jobs N`: by default one for each core."""
    return click.option(
        "--jobs",
        type=click.IntRange(1),
        default=os.cpu_count() or 1,
        show_default="all cores",
        help="Number of processes.",
    )(command)


def table_or_json(help_text: str) -> Callable[[Any], Any]:
    """`--format table|json`, as `format_`."""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(["table", "json"]),
        default="table",
        show_default=True,
        help=help_text,
    )


def merging_options(command: Any) -> Any:
    """`--pool`, `--merge` and `--whitespace`: which judgments to use, and how to read points."""
    for option in (
        click.option(
            "--whitespace",
            type=click.Choice(["keep", "strip"]),
            help="Whether text points count text nodes that are only white space, where the file "
            "does not say.  [default: as the collection does]",
        ),
        click.option(
            "--merge",
            type=click.Choice(["union", "intersection", "majority"]),
            help="How to merge several judgments of the same document into one; a majority needs "
            "three of them, or two that agree.",
        ),
        click.option("--pool", metavar="ID", help="Use only the judgments of this pool."),
    ):
        command = option(command)
    return command


tokens_option = click.option(
    "--tokens",
    metavar="NAME",
    help="What counts as a token: words, an encoding of tiktoken (cl100k_base), a file of "
    "tokenizers (tokenizer.json) or a model that it knows.",
)
