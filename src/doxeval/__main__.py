"""The way in from `python -m doxeval`, and from the command `doxeval`.

Signals are handled before anything is imported that takes time.
"""

from __future__ import annotations

import sys

from doxeval.cli.ending import exit_code
from doxeval.cli.signals import handle_signals, let_signals_pass


def run() -> None:
    """Run the command line, and exit."""
    handle_signals()
    try:
        code = exit_code(_command)
    except KeyboardInterrupt:  # in the middle of the last line about something else
        code = exit_code(lambda: None)
    let_signals_pass()
    sys.exit(code)


def _command() -> None:
    from doxeval.cli.verbs import main

    main(prog_name="doxeval")


if __name__ == "__main__":
    run()
