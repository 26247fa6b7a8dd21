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
