"""The way in from `python -m doxeval`, and from the command `doxeval`.

Signals are handled before anything is imported that takes time.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys

try:
    from doxeval.cli import exit_code, handle_signals, let_signals_pass, received
except KeyboardInterrupt:
    sys.stderr.write("Interrupted\n")
    sys.exit(130)


def run() -> None:
    """Run the command line, and exit."""
    # Almost all that a command makes is used to its end, so little is gained by looking for garbage
    # as often as Python does: every seventh millisecond of a short command was spent on it, and
    # every fifth at the end, where `freeze` keeps Python from looking once more.
    gc.set_threshold(1_000_000)
    atexit.register(gc.freeze)
    try:
        handle_signals()
        code = exit_code(_command)
    except KeyboardInterrupt:  # in the middle of the last line about something else
        code = exit_code(_interrupted)
    let_signals_pass()
    if received() is not None:
        # All is said and removed. Python itself would now end by SIGINT, whichever signal it was,
        # if the signal came while code from a string was running, as in the making of dataclasses.
        os._exit(code)
    sys.exit(code)


def _command() -> None:
    from doxeval.cli import main

    main(prog_name="doxeval")


def _interrupted() -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    run()
