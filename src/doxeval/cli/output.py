"""Printing, in one place: lines for people, data for programs, progress bars, warnings and errors.

Names of runs, topics, documents and files, queries and parameters come from anywhere, and may
contain characters that steer a terminal or deceive its reader. Tables, messages and other lines for
people show such characters as escapes like `\\u001b`, on stdout and on stderr, and messages
truncate what they quote to about 80 characters. Data for other programs (JSON, CSV, TREC's format,
the text of documents) are exact in a file or a pipe; on a terminal, they are shown with escapes,
too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from doxeval.cli.exit_codes import flush_stdout
from doxeval.cli.verb import in_options
from doxeval.messages import (
    escape,
    json_text,
    plural,
    terminal_width,
    truncate,
    utf8,
    wrapped,
    wrapped_command,
)
from doxeval.progress import LogLines, progress_bar

if TYPE_CHECKING:
    from doxeval.scores import TextTable

_WORTH_A_BAR = 4
# Messages truncate what they quote; this bounds a line in which nothing was truncated.
LONGEST_MESSAGE = 4000
# Errors list a few places; this bounds one that lists what is not ours.
_MAX_LISTED = 100
_NEXT_LINE = "\n  "  # of such a list; other line feeds are part of names


# For people


def line(text: str = "", head: str = "") -> None:
    """Print a line on stdout, the beginning of it in bold; on a terminal, broken between words."""
    left = len(escape(head))
    for shown in wrapped(f"{escape(head)}{escape(text)}", page_width()):
        bold = click.style(shown[:left], bold=True) if left > 0 else ""
        _print(f"{bold}{shown[max(left, 0) :]}\n")
        left -= len(shown)


def heading(text: str) -> None:
    """Print a line in bold on stdout."""
    line(head=text)


def command(text: str, indent: str = "") -> None:
    """Print a command in bold; where it does not fit, it goes on after a backslash."""
    for shown in wrapped_command(f"{indent}{escape(text)}", page_width()):
        _print(f"{click.style(shown, bold=True)}\n")


def coloured_line(text: str, colour: str) -> None:
    """Print a line in colour on stdout."""
    for shown in wrapped(escape(text), page_width(), "  "):
        _print(f"{click.style(shown, fg=colour)}\n")


def marked_line(text: str, ranges: Iterable[tuple[int, int]]) -> None:
    """Print a line on stdout, with some ranges of it, one after another, in bold."""
    marked, after = list(ranges), 0
    indent = text[: len(text) - len(text.lstrip(" "))]
    for number, part in enumerate(wrapped(text, page_width())):
        body = part[len(indent) :] if number else part
        start = text.index(body, after)
        after = start + len(body)
        shown, at = indent if number else "", start
        for low, high in marked:
            begin, end = max(low, start), min(high, after)
            if begin < end:
                shown += escape(text[at:begin]) + click.style(escape(text[begin:end]), bold=True)
                at = end
        _print(f"{shown}{escape(text[at:after])}\n")


def block(text: str) -> None:
    """Print the lines of a text on stdout. What is not ours has no line feeds any more."""
    _print(escape(text, lines=True) + ("" if text.endswith("\n") else "\n"))


def page_width() -> int | None:
    """Return how many columns a line on stdout has; None in a file or a pipe."""
    return terminal_width(sys.stdout)


def table_width() -> int | None:
    """Return how many columns a table may have: those of the terminal; None with --wide."""
    context = click.get_current_context(silent=True)
    return None if context is not None and context.params.get("wide") else page_width()


def as_page(*parts: TextTable | str, for_file: bool = False) -> str:
    """Return tables and lines of text below each other, as they fit on a terminal.

    How many columns do not fit is said once, below the last table. In a file or a pipe, and with
    --wide, tables have all their columns.

    >>> from doxeval.scores import TextTable
    >>> print(as_page(TextTable(["run", "P"], [["mine", "0.5"]]), "", "best: mine"), end="")
    run     P
    mine  0.5
    <BLANKLINE>
    best: mine
    """
    width, of_tables = (None, None) if for_file else (page_width(), table_width())
    lines: list[str] = []
    left_out, end_of_tables = 0, 0
    for part in parts:
        if isinstance(part, str):
            lines += wrapped(escape(part, lines=True), width)
            continue
        lines += wrapped(part.title, width) if part.title else []
        shown, missing = part.fitted(of_tables)
        lines += shown
        left_out, end_of_tables = max(left_out, missing), len(lines)
        for sentence in part.notes:
            lines += wrapped(sentence, width)
    if left_out:
        context = click.get_current_context(silent=True)
        has_wide = context is not None and "wide" in context.params
        how = "with --wide" if has_wide else "in a wider terminal"
        lines.insert(end_of_tables, f"{plural(left_out, 'more column')} {how}")
    return "".join(f"{shown}\n" for shown in lines)


def print_page(*parts: TextTable | str) -> None:
    """Print tables and lines of text on stdout; see `as_page`."""
    block(as_page(*parts))


def print_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[int] = (0,)
) -> None:
    """Print a table on stdout, with all cells in full and safe to print."""
    from doxeval.scores import TextTable

    print_page(TextTable(header, rows, longest=None, left=left))


def print_figures(figures: Iterable[tuple[str, str]], width: int = 0) -> None:
    """Print names and values below each other, indented; a long value goes on below itself.

    width: that of the names at least, so that several lists are aligned.
    """
    from doxeval.scores import TextTable

    rows = [(f"  {name:<{width}}", value) for name, value in figures]
    if rows:
        print_page(TextTable((), rows, longest=None, left=(0, 1), prose="wrap"))


def markdown(text: str) -> None:
    """Print Markdown on stdout: on a terminal with bold headings, in a pipe as it is."""
    if not is_terminal():
        block(text)
        return
    for row in text.split("\n"):
        if row.startswith("### "):
            heading(row.removeprefix("### "))
        elif row.startswith("**"):
            head, _, rest = row[2:].partition("**")
            line(rest.replace("`", ""), head=head)
        else:
            line(row.replace("`", "") if row.startswith("- ") else row)


def note(text: str, colour: str | None = None) -> None:
    """Print a line on stderr. If nobody reads stderr, the work goes on."""
    with suppress(BrokenPipeError):
        for shown in wrapped(one_line(text), terminal_width(sys.stderr), "  "):
            click.secho(shown, fg=colour, err=True)


def open_in_browser(page: Path | str) -> None:
    """Open a file or an address in a browser, if there is one."""
    import webbrowser

    address = page if isinstance(page, str) else page.absolute().as_uri()
    if not webbrowser.open(address):
        note(f"there is no browser here to open {page} with")


def warn(warnings: Iterable[str]) -> None:
    """Print warnings on stderr."""
    for warning in warnings:
        note(f"warning: {in_options(warning)}", "yellow")


def fail(message: object) -> None:
    """Print an error on stderr: what is wrong, and below it the lines that list where."""
    first, *listed = in_options(message).split(_NEXT_LINE)
    note(f"Error: {first}", "red")
    for text in listed[:_MAX_LISTED]:
        note(f"  {text}")


def one_line(message: str) -> str:
    """Return a message on one line, safe to print, and truncated if it is very long.

    >>> print(one_line("no run 'a\\x1b'\\n"), len(one_line("x" * 10**6)))
    no run 'a\\u001b'\\n 4000
    """
    return truncate(message, LONGEST_MESSAGE)


def print_traceback(error: BaseException) -> None:
    """Print where an error comes from."""
    import traceback

    for part in traceback.format_exception(error):
        for text in part.splitlines():
            note(text)


def shares(counts: Mapping[Any, int], most: int | None = None) -> str:
    """Return counts with their shares of the whole; of many the first, and how many more there are.

    >>> shares({"sec": 3, "p": 1})
    'sec: 3 (75.0%), p: 1 (25.0%)'
    >>> shares({"sec": 3, "p": 1, "b": 1}, 1)
    'sec: 3 (60.0%) and 2 more'
    """
    total = sum(counts.values())
    shown = list(counts.items())[:most]
    text = ", ".join(f"{truncate(str(name))}: {n:,} ({n / total:.1%})" for name, n in shown)
    more = len(counts) - len(shown)
    return f"{text} and {more:,} more" if more else text


def _print(text: str) -> None:
    """Print on stdout; the only control characters are ours."""
    try:
        click.echo(text, nl=False)
    except OSError as error:
        error.filename = "stdout"
        raise


# For programs


def data(text: str | bytes) -> None:
    """Write data to stdout: exactly, unless it is a terminal."""
    if sys.stdout is None:
        return
    if is_terminal():
        shown = text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")
        _print(escape(shown, lines=True))
        return
    flush_stdout()
    sys.stdout.buffer.write(utf8(text) if isinstance(text, str) else text)
    flush_stdout()


def json_data(value: Any, indent: int | None = None) -> None:
    """Write a value to stdout as JSON, whose own escapes are safe everywhere."""
    data(f"{json_text(value, indent)}\n")


def is_terminal() -> bool:
    """Whether stdout is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def is_watched() -> bool:
    """Whether stderr is a terminal, where somebody may watch the progress."""
    return sys.stderr is not None and sys.stderr.isatty()


# Progress


class BuildProgress(Protocol):
    """Called with the bytes read and the documents written since the last call."""

    def __call__(self, done: int, documents: int) -> object:
        """Move the bar."""


@contextmanager
def growing_bar(title: str) -> Iterator[tuple[BuildProgress, Callable[[int], object] | None]]:
    """Show a bar on stderr, with the speed and the time left.

    The second function sets the number of bytes, once it is known.

    Where stderr is no terminal, a line every ten seconds says how far the work is; nobody needs to
    know its end then.
    """
    if not is_watched():
        lines, written = LogLines(title, None, "bytes"), 0

        def log(done: int, documents: int) -> None:
            nonlocal written
            written += documents
            lines.advance(done, plural(written, "document"))

        yield log, None
        return
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
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TextColumn("{task.fields[documents]:,} documents"),
        TimeRemainingColumn(),
    )
    seen = 0
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(escape(title), total=None, documents=0)

        def advance(done: int, documents: int) -> None:
            nonlocal seen
            seen += documents
            bar.update(task, advance=done, documents=seen)

        yield advance, lambda total: bar.update(task, total=total)


@contextmanager
def staged_bar(stages: Mapping[str, str]) -> Iterator[Callable[[str, int, int], object]]:
    """Show a bar on stderr for work in stages, each with a title; in a log, lines."""
    if not is_watched():
        logs: dict[str, LogLines] = {}

        def log(stage: str, done: int, total: int) -> None:
            if stage not in logs:
                logs[stage] = LogLines(stages[stage], total)
            logs[stage].advance(done)

        yield log
        return
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    with Bar(console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def advance(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stages[stage], total=total)
            bar.advance(tasks[stage], done)

        yield advance


def counting_bar(title: str, total: int) -> AbstractContextManager[Callable[[int], object]]:
    """Show how many of some large items are done, with a bar unless they are few."""
    return progress_bar(title, total, fewest=_WORTH_A_BAR)
