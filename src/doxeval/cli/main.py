"""The command `doxeval` with all its verbs, one file each.

A verb is imported when it is called, and then imports what it needs, so that every command starts
quickly.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

import click

from doxeval.cli.exit_codes import are_handled, exit_code, handle_signals, release_signals
from doxeval.cli.verb import VerbGroup
from doxeval.version import __version__, commit

# NumPy would start threads for linear algebra, which no command does. They would cost every
# command, and every process that it starts, a tenth of a second.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

_HEADINGS = {
    "Start": ("demo",),
    "Build and search": ("collection", "index", "search", "models"),
    "Topics and judgments": ("topics", "nexi", "pool", "assess", "assessments"),
    "Check and score runs": ("validate", "evaluate", "compare", "correlate", "report"),
    "Chunks": ("chunks",),
    "Explain": ("measures", "navigation"),
    "Convert, fuse and simulate": ("convert", "fuse", "simulate"),
}
VERBS = tuple(name for names in _HEADINGS.values() for name in names)

# What a terminal without Unicode shows instead.
_PLAIN = {
    **dict(zip("✓✗●○█▏▎▍▌▋▊▉░▒▓│─┼•·×−–—’‘“”", "+x*o###########|-+**x---''\"\"", strict=True)),
    "…": "...",
    "≥": ">=",
    "≤": "<=",
    "≈": "~",
    "±": "+-",
    "→": "->",
    "←": "<-",
    "△": "^",
    "τ": "tau",
    "α": "alpha",
    "β": "beta",
    "κ": "kappa",
    "Δ": "delta ",
    "½": "1/2",
    "\N{NO-BREAK SPACE}": " ",
    "\N{NARROW NO-BREAK SPACE}": " ",
}


class _Doxeval(VerbGroup):
    """Imports verbs by name. However a verb ends, `exit_code` has the last word."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = getattr(import_module(f"doxeval.cli.{cmd_name}"), cmd_name)
        return command

    def main(self, *args: Any, **settings: Any) -> Any:
        settings["standalone_mode"] = False  # errors are printed by exit_code, not by click
        _print_any_character()
        with stopped_by_signals():
            sys.exit(exit_code(lambda: super(_Doxeval, self).main(*args, **settings)))

    def invoke(self, ctx: click.Context) -> Any:
        # Errors end here: click would turn some of them into others on their way out.
        debug = bool(ctx.params.get("debug"))
        sys.exit(exit_code(lambda: super(_Doxeval, self).invoke(ctx), debug))


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Let signals stop a command; afterwards they do what they did before.

    Nothing changes if they are handled already, or outside the main thread, which alone may do so.
    """
    if are_handled() or threading.current_thread() is not threading.main_thread():
        yield
        return
    hooks = sys.unraisablehook, sys.excepthook
    before = handle_signals()
    try:
        yield
    finally:
        release_signals(before)
        sys.unraisablehook, sys.excepthook = hooks


def _print_any_character() -> None:
    """Show characters that the encoding of the terminal lacks in plain ones, or as escapes."""
    codecs.register_error("doxeval-plain", _plain)
    for stream, first in ((sys.stdout, sys.__stdout__), (sys.stderr, sys.__stderr__)):
        if stream is first and isinstance(stream, io.TextIOWrapper):
            with suppress(OSError):
                stream.reconfigure(errors="doxeval-plain")


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    character = error.object[error.start]
    escaped = character.encode("ascii", "backslashreplace").decode()
    return _PLAIN.get(character, escaped), error.start + 1


def _print_version(ctx: click.Context, _: click.Parameter, is_requested: bool) -> None:
    if is_requested:
        built_from = commit()
        click.echo(f"doxeval {__version__}" + (f" (commit {built_from})" if built_from else ""))
        ctx.exit()


@click.group(
    cls=_Doxeval, headings=_HEADINGS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version, with its commit, and exit.",
)
@click.option("--debug", is_flag=True, help="Show where an error comes from (its traceback).")
def main(debug: bool) -> None:
    """Evaluate the retrieval of parts of documents: elements, passages, chunks.

    \b
    Start here:
      doxeval demo                                 a whole evaluation, small
      doxeval collection build FOLDER --out DIR    read your documents
      doxeval evaluate RUN -a QRELS -m 'iP[.01]'   score what was returned
      doxeval measures                             list the measures
      doxeval assess demo --open                   judge in the browser
    """
