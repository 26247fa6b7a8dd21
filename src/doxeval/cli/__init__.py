"""The command line: one file per verb.

A verb is imported when it is called, and then imports what it needs, so that every command starts
quickly.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from typing import Any

import click

from doxeval import __version__
from doxeval.cli.flags import in_options
from doxeval.errors import DoxevalError

# NumPy would start threads for linear algebra, which no command does. They would cost every
# command, and every process that it starts, a tenth of a second.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

VERBS = (
    "demo",
    "collection",
    "topics",
    "nexi",
    "assessments",
    "validate",
    "evaluate",
    "compare",
    "correlate",
    "measures",
    "navigation",
    "convert",
    "report",
    "simulate",
)


class _Doxeval(click.Group):
    """Imports verbs by name; prints errors written for users on one line and exits with 1."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = getattr(import_module(f"doxeval.cli.{cmd_name}"), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        # SIGTERM cleans up the way Ctrl-C does.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        try:
            return super().invoke(ctx)
        except DoxevalError as error:
            click.secho(f"Error: {in_options(str(error))}", fg="red", err=True)
            sys.exit(1)
        except BrokenPipeError:
            raise  # click ends quietly when nobody reads the output any more
        except OSError as error:
            file = f"{error.filename}: " if error.filename else ""
            click.secho(f"Error: {file}{error.strerror or error}", fg="red", err=True)
            sys.exit(1)


@click.group(cls=_Doxeval, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="doxeval")
def main() -> None:
    """Evaluate the retrieval of parts of documents: elements, passages, chunks.

    \b
    Start here:
      doxeval demo                                    the whole job on a small collection
      doxeval collection build FOLDER --out DIR       read your own documents
      doxeval evaluate RUN -a QRELS -m 'iP[.01]'      score what a system returned
      doxeval measures                                list and explain the measures
    """
