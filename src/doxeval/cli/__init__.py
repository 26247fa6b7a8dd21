"""The command line: one file per verb.

Verbs import what they need when they are called, so that `doxeval --help` is quick.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import click

from doxeval import __version__
from doxeval.cli.assessments import assessments
from doxeval.cli.collection import collection
from doxeval.cli.convert import convert
from doxeval.cli.demo import demo
from doxeval.cli.evaluate import evaluate
from doxeval.cli.measures import measures
from doxeval.cli.navigation import navigation
from doxeval.cli.nexi import nexi
from doxeval.cli.topics import topics
from doxeval.cli.validate import validate
from doxeval.errors import DoxevalError

# Nothing here is linear algebra, and the threads that numpy starts for it would cost every
# command, and every process that it starts, a tenth of a second.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


class _Doxeval(click.Group):
    """Turns errors meant for the user into one line on stderr and exit code 1."""

    def invoke(self, ctx: click.Context) -> Any:
        # A polite request to end cleans up like Ctrl-C does.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        try:
            return super().invoke(ctx)
        except DoxevalError as error:
            click.secho(f"Error: {error}", fg="red", err=True)
            sys.exit(1)
        except BrokenPipeError:
            raise  # click ends quietly when nobody reads the output any more
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            click.secho(f"Error: {place}{error.strerror or error}", fg="red", err=True)
            sys.exit(1)


@click.group(cls=_Doxeval, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="doxeval")
def main() -> None:
    """Evaluate the retrieval of parts of documents: elements, passages, chunks.

    \b
    Start here:
      doxeval demo                                    the whole job on a small collection
      doxeval collection build FOLDER --out DIR       read your own documents
      doxeval collection show DIR DOC                 look at one of them
    """


main.add_command(collection)
main.add_command(demo)
main.add_command(topics)
main.add_command(nexi)
main.add_command(assessments)
main.add_command(validate)
main.add_command(evaluate)
main.add_command(measures)
main.add_command(navigation)
main.add_command(convert)
