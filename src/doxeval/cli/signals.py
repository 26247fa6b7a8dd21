"""Signals that ask a command to stop: Ctrl-C, SIGTERM, and a terminal that was closed.

Each raises an exception, so that whatever was begun is removed on the way out. Only the process of
the command handles signals so; the library never touches them. This module imports next to nothing,
because signals are handled before anything else is imported.
"""

from __future__ import annotations

import os
import signal
import sys

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
