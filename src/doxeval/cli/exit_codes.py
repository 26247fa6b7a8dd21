"""How a command ends: with an exit code, and if it failed, with one line on stderr that says why.

    0    done
    1    the input has problems, or the output cannot be written
    2    wrong usage
    70   an internal error; `doxeval --debug …` shows its traceback
    129  the terminal was closed (SIGHUP)
    130  interrupted (Ctrl-C)
    141  the output pipe was closed, as in `doxeval … | head`
    143  terminated (SIGTERM)

A command that is interrupted or terminated removes what it has begun to write. Please report an
internal error, with the command, its input and the version.
"""

# Nothing of size is imported here: a command may be interrupted while it imports the rest.

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False  # as in `typing`, which takes longer to import
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

    import click

PROBLEMS = 1
DEFECT = 70
PIPE_CLOSED = 128 + 13
# How the line about an error in doxeval itself begins.
INTERNAL_ERROR = "Internal error"
# What click quotes of the command line in a message about wrong usage.
_LONG_QUOTE = "'([^']{80})[^']+'"
_LONGEST_USAGE = 800
_STOPPED = {"SIGINT": "Interrupted", "SIGTERM": "Terminated", "SIGHUP": "The terminal was closed"}


def exit_code(work: Callable[[], object], debug: bool = False) -> int:
    """Do the work of a command and return its exit code.

    Whatever happens, at most a line is printed about it. With `debug`, errors are printed with
    their traceback.

    >>> exit_code(lambda: None)
    0
    """
    try:
        code = _code_returned(work)
        flush_stdout()
        number = received()
        return code if number is None or code == 128 + number else _stopped()
    except KeyboardInterrupt:
        return _stopped()
    except BaseException as error:
        if received() is not None:  # the error is what the interrupt became on its way
            return _stopped()
        return _failed(error, debug or bool(os.environ.get("DOXEVAL_DEBUG")))


def flush_stdout() -> None:
    """Write what is waiting to be written; an error names stdout as its file."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        error.filename = "stdout"
        raise


def _code_returned(work: Callable[[], object]) -> int:
    """Return the exit code that the work returns or exits with; 0 if it is no number."""
    try:
        code = work()
    except SystemExit as error:
        code = error.code
    return code if isinstance(code, int) else 0


def _stopped() -> int:
    number = received() or signal.SIGINT
    _discard_output()
    _last_line(_STOPPED.get(signal.Signals(number).name, "Stopped"))
    return 128 + number


def _failed(error: BaseException, debug: bool) -> int:
    """Print what went wrong, and return the exit code."""
    if isinstance(error, BrokenPipeError) and _is_pipe_closed():
        _discard_output()
        return PIPE_CLOSED
    try:
        code = _print_error(error, debug)
    except (MemoryError, RecursionError):
        error.__traceback__ = None  # which keeps alive whatever takes the memory
        _last_line(f"{INTERNAL_ERROR}: {type(error).__name__}")
        code = DEFECT
    _discard_output()
    return code


def _print_error(error: BaseException, debug: bool) -> int:
    from doxeval.cli.output import fail, print_traceback
    from doxeval.errors import DoxevalError

    of_click = _end_of_click(error)
    if of_click is not None:
        return of_click
    if debug:
        print_traceback(error)
    if isinstance(error, DoxevalError):
        fail(error)
        return PROBLEMS
    if isinstance(error, OSError):
        file = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        fail(f"{file}{error.strerror or error}")
        return PROBLEMS
    damage = _damage_in_open_files(error)
    if damage is not None:
        fail(damage)
        return PROBLEMS
    _last_line(_internal_error(error))
    return DEFECT


def _damage_in_open_files(error: BaseException) -> Exception | None:
    """Return damage that explains an internal error: opening does not hash very large files."""
    files = sys.modules.get("doxeval.storage.files")
    if files is None or not files.may_be_damage(error):
        return None
    damage: Exception | None = files.damage_in_open_files()
    return damage


def _end_of_click(error: BaseException) -> int | None:
    """Return the exit code of exceptions of the parser of the command line, with a line printed."""
    from click import Abort, ClickException
    from click.exceptions import Exit

    if isinstance(error, Exit):
        return error.exit_code
    if isinstance(error, Abort):
        return _stopped()
    if isinstance(error, ClickException):
        _show_usage(error)
        return error.exit_code
    return None


def _show_usage(error: click.ClickException) -> None:
    """Print wrong usage as click does, with what the user typed made safe to print."""
    import re

    from click import MissingParameter, UsageError

    from doxeval.messages import escape, short_path

    # Messages of several lines, such as a list of choices or a page of help, are not the user's.
    of_several_lines = type(error).__name__ == "NoArgsIsHelpError"
    if not of_several_lines and not isinstance(error, MissingParameter):
        context = error.ctx if isinstance(error, UsageError) else None
        message = re.sub(_LONG_QUOTE, r"'\1…'", escape(error.format_message()))
        error = UsageError(short_path(message, _LONGEST_USAGE), context)
    error.show()


def _internal_error(error: BaseException) -> str:
    from doxeval.cli.output import one_line

    message = ": ".join(filter(None, (type(error).__name__, str(error))))
    return one_line(
        f"{INTERNAL_ERROR}: {message}{_last_line_of_ours(error)}; please report it with the "
        "command, its input and the version (doxeval --version); doxeval --debug shows the "
        "traceback"
    )


def _last_line_of_ours(error: BaseException) -> str:
    """Return the last line of doxeval in a traceback, as " (file:line)"."""
    shown = ""
    trace: Any = error.__traceback__
    while trace is not None:
        _, inside, file = trace.tb_frame.f_code.co_filename.rpartition("doxeval" + os.sep)
        if inside:
            shown = f" ({file}:{trace.tb_lineno})"
        trace = trace.tb_next
    return shown


def _is_pipe_closed() -> bool:
    """Whether stdout is a pipe that was closed; the error may be about another pipe."""
    import select

    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        return bool(poll.poll(0))
    except (OSError, ValueError):  # a stdout that is no file
        return False
    except AttributeError:  # a system without poll
        return True


def _discard_output() -> None:
    """Drop what cannot be written to stdout, so that Python does not try again when it ends."""
    try:
        flush_stdout()
    except OSError:
        stdout = sys.__stdout__
        if stdout is not None and sys.stdout is stdout:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())


def _last_line(text: str) -> None:
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except (AttributeError, OSError, ValueError):
        return  # stderr is closed: nobody could read it


# Signals


_STOPPING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
# While a command cleans up, further signals are ignored, up to this one: it ends the process.
_PATIENCE = 4
_AGAIN_AFTER = 0.02  # seconds

_received: list[int] = []
_owner: int | None = None


class StoppedBySignal(KeyboardInterrupt):
    """The command is to stop, because of a signal.

    It is not KeyboardInterrupt itself: after one in some odd places, such as code made from text,
    Python would end by a signal of its own, whatever exit code the command has.
    """


def received() -> int | None:
    """Return the first signal to stop, if there was one."""
    return _received[0] if _received else None


def are_handled() -> bool:
    """Whether signals are handled here already."""
    return _owner is not None


def handle_signals() -> dict[int, Any]:
    """Let signals raise StoppedBySignal from now on; return how they were handled before.

    Signals that are ignored, as under `nohup`, stay ignored.
    """
    global _owner
    _owner = os.getpid()
    _received.clear()
    before = {number: signal.getsignal(number) for number in _STOPPING}
    before = {number: how for number, how in before.items() if how not in (signal.SIG_IGN, None)}
    for number in before:
        signal.signal(number, _stop)
    sys.unraisablehook = _unraisable
    sys.excepthook = _uncaught
    return before


def release_signals(before: dict[int, Any]) -> None:
    """Handle signals as before."""
    global _owner
    _owner = None
    for number, how in before.items():
        signal.signal(number, how)


def let_signals_pass() -> None:
    """Ignore signals from now on: all is done, and the exit code is known.

    After an interrupted command they end the process at once, should anything still hold it up.
    """
    how = signal.SIG_IGN if received() is None else signal.SIG_DFL
    for number in _STOPPING:
        if signal.getsignal(number) is _stop:
            signal.signal(number, how)


def _stop(number: int, _: FrameType | None) -> None:
    if os.getpid() != _owner:  # a forked worker, which inherited this function
        _end_by(number)
        return
    _received.append(number)
    if len(_received) == 1:
        raise StoppedBySignal
    if len(_received) >= _PATIENCE:
        _end_by(number)


def _end_by(number: int) -> None:
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _unraisable(unraisable: Any) -> None:
    """Raise an interrupt in a destructor, which cannot be raised there, a little later."""
    if not isinstance(unraisable.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
    elif hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _raise_again)
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_AFTER)


def _raise_again(*_: object) -> None:
    raise StoppedBySignal


def _uncaught(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """Print an error, unless parts written in C made it of an interrupt."""
    if received() is None:
        sys.__excepthook__(kind, error, trace)
