"""What the verbs share when they write to a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

import click

from doxeval.cli.flags import in_options

_WORTH_A_BAR = 4


class Progress(Protocol):
    """Called with the bytes and the documents that are done since the last call."""

    def __call__(self, done: int, documents: int) -> object:
        """Move on."""


@contextmanager
def progress_bar(title: str, total: int) -> Iterator[Progress]:
    """A bar with rate and time left on stderr."""
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
    """A bar on stderr for a few large things; nothing where nobody watches, or there are few."""
    if not sys.stderr.isatty() or total < _WORTH_A_BAR:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    # It moves only when told to: a thread that moves it would keep the process from forking.
    with Bar(console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task(title, total=total)

        def advance(done: int) -> None:
            bar.advance(task, done)
            bar.refresh()

        yield advance


def safe(text: str) -> str:
    """Text from a document, without anything that would steer the reader's terminal.

    Piped output is left exactly as it is.
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
    """Warnings on stderr."""
    for warning in warnings:
        click.secho(f"warning: {safe(in_options(warning))}", fg="yellow", err=True)


def heading(text: str) -> None:
    """A heading on stdout."""
    click.secho(text, bold=True)
