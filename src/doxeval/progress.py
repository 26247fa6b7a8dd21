"""Progress of long work on stderr: a bar on a terminal, elsewhere a line every ten seconds.

Lines are for logs: they have no control characters, for titles are ours, and work that is done
within ten seconds prints none. Nothing runs in a thread, because a process with threads cannot
safely fork; so a line comes with the first step after ten seconds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Literal

_SECONDS = 10  # between two lines
clock = monotonic

Unit = Literal["", "bytes"]


class LogLines:
    """Lines about work that goes on, each at least ten seconds after the last.

    >>> times = iter([0.0, 5.0, 20.0, 21.0])
    >>> lines = LogLines("scoring runs", 160, now=lambda: next(times), write=print)
    >>> lines.advance(10)
    >>> lines.advance(30)
    scoring runs: 40 of 160, 25%, about 1 min left
    >>> lines.advance(10)
    """

    def __init__(
        self,
        title: str,
        total: int | None,
        unit: Unit = "",
        now: Callable[[], float] | None = None,
        write: Callable[[str], object] | None = None,
    ) -> None:
        self.title, self.total, self.unit = title, total, unit
        self.done = 0
        self._now, self._write = now or (lambda: clock()), write or _write
        self._began = self._last = self._now()

    def advance(self, more: int, extra: str = "") -> None:
        """Count what was done, and print a line if it is time for one."""
        self.done += more
        now = self._now()
        if now - self._last < _SECONDS:
            return
        self._last = now
        self._write(f"{self.title}: {', '.join(self._parts(now - self._began, extra))}")

    def _parts(self, seconds: float, extra: str) -> Iterator[str]:
        total = self.total
        if not total:
            yield _amount(self.done, self.unit)
        else:
            done = min(self.done, total)
            yield f"{_amount(done, self.unit)} of {_amount(total, self.unit)}"
            yield f"{100 * done // total}%"
        if extra:
            yield extra
        if total and self.done and self.done < total:
            yield f"about {_duration(seconds * (total - self.done) / self.done)} left"


def _amount(count: int, unit: Unit) -> str:
    return f"{count / 1e6:,.1f} MB" if unit == "bytes" else f"{count:,}"


def _duration(seconds: float) -> str:
    """Return a time in words, in whole minutes or hours from 45 seconds on."""
    if seconds < 45:
        return f"{max(round(seconds / 5) * 5, 5)} s"
    minutes = max(round(seconds / 60), 1)
    return f"{minutes} min" if minutes < 90 else f"{round(minutes / 60)} hours"


def _write(line: str) -> None:
    if sys.stderr is not None:
        with suppress(OSError, ValueError):  # nobody reads stderr
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()


@contextmanager
def progress_bar(
    title: str, total: int, is_shown: bool | None = None, fewest: int = 1
) -> Iterator[Callable[[int], object]]:
    """Show how far work is; call it with what was done.

    is_shown: False for nothing at all, True for a bar even if stderr is no terminal. fewest: of
    fewer items there is no bar.

    >>> with progress_bar("Working", 3, is_shown=False) as done:
    ...     _ = done(1)
    """
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    if is_shown is False or (is_terminal and total < fewest):
        yield lambda _: None
        return
    if not is_terminal and not is_shown:
        yield LogLines(title, total).advance
        return
    from rich.console import Console
    from rich.markup import escape as escape_markup
    from rich.progress import Progress

    console = Console(file=sys.stderr)
    with Progress(console=console, transient=True, auto_refresh=False) as bar:
        task = bar.add_task(escape_markup(title), total=total)

        def advance(done: int) -> None:
            bar.advance(task, done)
            bar.refresh()

        yield advance
