"""A progress bar for work in notebooks and on terminals; nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(
    title: str, total: int, wanted: bool | None = None
) -> Iterator[Callable[[int], object]]:
    """A bar on stderr if that is a terminal, or if it is `wanted`; tell it how much more is done.

    >>> with progress_bar("Working", 3, wanted=False) as done:
    ...     _ = done(1)
    """
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda more: bar.advance(task, more)
