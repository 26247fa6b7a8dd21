"""How a command ends: with an exit code, and if it failed, with one line on stderr that says why.

    0    done
    1    the input has problems, or the output cannot be written
    2    wrong usage
    70   an error in doxeval itself; `doxeval --debug …` shows its traceback
    129  the terminal was closed (SIGHUP)
    130  interrupted (Ctrl-C)
    141  nobody reads the output any more, as in `doxeval … | head`
    143  terminated (SIGTERM)

A command that is interrupted or terminated removes what it has begun to write. An error in doxeval
itself is worth a report: with the command, its input and the version.
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
NOBODY_READS = 128 + 13
# How the line about an error in doxeval itself begins.
UNEXPECTED = "doxeval met an unexpected error"
# What click quotes of the user's words in a message about wrong usage.
_LONG_QUOTE = "'([^']{80})[^']+'"
_LONGEST_USAGE = 800
_STOPPED = {"SIGINT": "Interrupted", "SIGTERM": "Terminated", "SIGHUP": "The terminal was closed"}


def exit_code(work: Callable[[], object], debug: bool = False) -> int:
    """Do the work of a command: whatever happens, at most a line is printed about it.

    Returns the exit code. With `debug`, errors are printed with their traceback.

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
    """What the work returns if it is an exit code, or what it says when it exits; else 0."""
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
    """Say what went wrong; returns the exit code."""
    if isinstance(error, BrokenPipeError) and _nobody_reads():
        _discard_output()
        return NOBODY_READS
    try:
        code = _told(error, debug)
    except (MemoryError, RecursionError):
        error.__traceback__ = None  # which keeps alive whatever takes the memory
        _last_line(f"{UNEXPECTED}: {type(error).__name__}")
        code = DEFECT
    _discard_output()
    return code


def _told(error: BaseException, debug: bool) -> int:
    from doxeval.cli.output import fail, print_traceback
    from doxeval.errors import DoxevalError

    known = _told_by_click(error)
    if known is not None:
        return known
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
    _last_line(_unexpected(error))
    return DEFECT


def _damage_in_open_files(error: BaseException) -> Exception | None:
    """Damage that explains an error nobody expected: opening does not hash very large files."""
    files = sys.modules.get("doxeval.storage.files")
    if files is None or not files.may_be_damage(error):
        return None
    damage: Exception | None = files.damage_in_open_files()
    return damage


def _told_by_click(error: BaseException) -> int | None:
    """The exit code of exceptions that belong to the parser of the command line."""
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
    """Wrong usage as click shows it, with what the user wrote made safe to print."""
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


def _unexpected(error: BaseException) -> str:
    from doxeval.cli.output import one_line

    told = ": ".join(filter(None, (type(error).__name__, str(error))))
    return one_line(
        f"{UNEXPECTED}: {told}{_place(error)}; please report it with the command, its input and "
        "the version (doxeval --version); doxeval --debug shows the traceback"
    )


def _place(error: BaseException) -> str:
    """The last place of ours that the error went through."""
    place = ""
    trace: Any = error.__traceback__
    while trace is not None:
        _, inside, file = trace.tb_frame.f_code.co_filename.rpartition("doxeval" + os.sep)
        if inside:
            place = f" ({file}:{trace.tb_lineno})"
        trace = trace.tb_next
    return place


def _nobody_reads() -> bool:
    """Whether the pipe behind stdout is broken, and not one to some other process."""
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
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        own = sys.__stdout__
        if own is not None and sys.stdout is own:
            os.dup2(os.open(os.devnull, os.O_WRONLY), own.fileno())


def _last_line(text: str) -> None:
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except (AttributeError, OSError, ValueError):
        return  # stderr is closed: nobody could read it


# Signals


TYPE_CHECKING = False  # as in `typing`, which takes longer to import
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

_STOPPING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
# While a command cleans up, further signals are ignored, up to this one: it ends the process.
_PATIENCE = 4
_AGAIN_AFTER = 0.02  # seconds

_received: list[int] = []
_owner: int | None = None


class Stopped(KeyboardInterrupt):
    """A signal asked the command to stop.

    It is not KeyboardInterrupt itself: after one in some odd places, such as code made from text,
    Python would end by a signal of its own, whatever exit code the command has.
    """


def received() -> int | None:
    """The first signal that asked to stop, if one did."""
    return _received[0] if _received else None


def are_handled() -> bool:
    """Whether signals are handled here already."""
    return _owner is not None


def handle_signals() -> dict[int, Any]:
    """Let signals raise Stopped from now on; returns how they were handled before.

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
    """All is done: signals can no longer change how the command ends.

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
        raise Stopped
    if len(_received) >= _PATIENCE:
        _end_by(number)


def _end_by(number: int) -> None:
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _unraisable(found: Any) -> None:
    """An interrupt in a destructor cannot be raised there, so it is raised again a little later."""
    if not isinstance(found.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(found)
    elif hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _raise_again)
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_AFTER)


def _raise_again(*_: object) -> None:
    raise Stopped


def _uncaught(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """Parts written in C may print an interrupt and go on with an error of their own."""
    if received() is None:
        sys.__excepthook__(kind, error, trace)
