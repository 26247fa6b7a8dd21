"""What is said about a download: one line on stderr, and on a terminal a bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from doxeval.messages import escape, plural, truncate

_LONGEST_URL = 400


@contextmanager
def told(url: str, directory: Path, total: int) -> Iterator[Callable[[int], object]]:
    """Say what is downloaded and where it goes; the result is called with the bytes that came.

    >>> with told("s3://bucket/wiki", Path("/cache/1f3a"), 79_000_000) as progress:
    ...     progress(79_000_000)
    """
    if sys.stderr is None:
        yield lambda _: None
        return
    size = f"{total / 1e6:,.1f} MB" if total > 100_000 else plural(total, "byte")
    line = f"downloading {truncate(url, _LONGEST_URL)} ({size}) to {escape(str(directory))}"
    with suppress(OSError):  # nobody reads stderr
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with _bar(total) as progress:
        yield progress


@contextmanager
def _bar(total: int) -> Iterator[Callable[[int], object]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    # Without a thread that refreshes it: a process with threads cannot safely fork.
    with Progress(
        *columns, console=Console(stderr=True), transient=True, auto_refresh=False
    ) as bar:
        task = bar.add_task("", total=total)

        def advance(done: int) -> None:
            bar.advance(task, done)
            bar.refresh()

        yield advance
