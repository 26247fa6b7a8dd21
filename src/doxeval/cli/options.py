"""Options that several verbs have."""

from __future__ import annotations

import click

columns_option = click.option(
    "--columns",
    type=click.Choice(["start-length", "start-end"]),
    default="start-length",
    show_default=True,
    help="What the last two columns of a text run are.",
)
