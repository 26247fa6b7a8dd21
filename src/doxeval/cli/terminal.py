"""Writing to a terminal: progress bars, warnings, headings, and text that is safe to print."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import click

from doxeval.cli.flags import in_options

_WORTH_A_BAR = 4


class Progress(Protocol):
    """Called with the bytes read and the documents written since the last call."""

    def __call__(self, done: int, documents: int) -> object:
        """Move the bar."""


@contextmanager
def progress_bar(title: str, total: int) -> Iterator[Progress]:
    """A bar on stderr, with the speed and the time left."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )
    from rich.progress import (
        Progress as Bar,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TextColumn("{task.fields[documents]:,} documents"),
        TimeRemainingColumn(),
    )
    seen = 0
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total, documents=0)

        def advance(done: int, documents: int) -> None:
            nonlocal seen
            seen += documents
            bar.update(task, advance=done, documents=seen)

        yield advance


@contextmanager
def counting_bar(title: str, total: int) -> Iterator[Callable[[int], object]]:
    """A bar on stderr for some large items, unless they are few or stderr is not a terminal."""
    if not sys.stderr.isatty() or total < _WORTH_A_BAR:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    # No automatic refresh: it would run in a thread, and a process with threads cannot safely fork.
    with Bar(console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task(title, total=total)

        def advance(done: int) -> None:
            bar.advance(task, done)
            bar.refresh()

        yield advance


def safe(text: str) -> str:
    """Text from a document, with control characters made visible on a terminal.

    If the output goes to a file or a pipe, the text is left exactly as it is.
    """
    if not sys.stdout.isatty():
        return text
    return "".join(
        character if character.isprintable() or character in "\n\t" else _visible(character)
        for character in text
    )


def _visible(character: str) -> str:
    return f"\\u{ord(character):04x}"


def warn(warnings: Iterable[str]) -> None:
    """Print warnings on stderr."""
    for warning in warnings:
        click.secho(f"warning: {safe(in_options(warning))}", fg="yellow", err=True)


def heading(text: str) -> None:
    """Print a heading on stdout."""
    click.secho(text, bold=True)


def shares(counts: Mapping[Any, int], most: int | None = None) -> str:
    """Counts with their shares of the whole; of many the first, and how many more there are.

    >>> shares({"sec": 3, "p": 1})
    'sec: 3 (75.0%), p: 1 (25.0%)'
    >>> shares({"sec": 3, "p": 1, "b": 1}, 1)
    'sec: 3 (60.0%) and 2 more'
    """
    total = sum(counts.values())
    shown = list(counts.items())[:most]
    text = ", ".join(f"{safe(str(name))}: {own:,} ({own / total:.1%})" for name, own in shown)
    more = len(counts) - len(shown)
    return f"{text} and {more:,} more" if more else text
