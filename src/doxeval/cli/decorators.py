"""Options of several verbs as click's decorators, until all verbs have values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

# Where a collection is. It stays a string: as a Path, a URL would lose a slash.
WHERE: dict[str, Any] = {"type": click.Path(), "metavar": "DIR|URL"}


def table_or_json(help_text: str) -> Callable[[Any], Any]:
    """Return a decorator that declares `--format table|json`, as `format_`."""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(["table", "json"]),
        default="table",
        show_default=True,
        help=help_text,
    )
