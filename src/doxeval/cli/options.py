"""Options that several verbs have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

columns_option = click.option(
    "--columns",
    type=click.Choice(["start-length", "start-end"]),
    default="start-length",
    show_default=True,
    help="What the last two columns of a text run are.",
)
offsets_option = click.option(
    "--offsets",
    type=click.Choice(["characters", "bytes"]),
    default="characters",
    show_default=True,
    help="What offsets count.",
)


def collection_option(help_text: str) -> Callable[[Any], Any]:
    """`--collection DIR`, as `directory`."""
    return click.option(
        "--collection",
        "directory",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help=help_text,
    )


def merging_options(command: Any) -> Any:
    """`--pool`, `--merge` and `--whitespace`: which judgments count, and how points are read."""
    for option in (
        click.option(
            "--whitespace",
            type=click.Choice(["keep", "strip"]),
            help="How text nodes of text points are numbered where the file does not say.",
        ),
        click.option(
            "--merge",
            type=click.Choice(["union", "intersection", "majority"]),
            help="Make one judgment of several of the same document.",
        ),
        click.option("--pool", metavar="ID", help="Only the judgments of this pool."),
    ):
        command = option(command)
    return command
