"""What becomes of a task in a worker: its result, or its error, as bytes on their way back.

Errors are results like others. No engine sees them as a failure of its own, and none repeats a task
whose input is wrong.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from doxeval.errors import DoxevalError, EngineError
from doxeval.parallel.shared import Shared

# A function of the shared value and an item.
Task = Callable[[Any, Any], Any]
# What is wrong with the process that it is called in, in words.
Check = Callable[[], Sequence[str]]


class Outcome(NamedTuple):
    """The result of a task, or its error with the traceback in words.

    >>> Outcome(3).result()
    3
    """

    value: Any = None
    error: Exception | None = None
    trace: str = ""

    def result(self) -> Any:
        """The result; an error is raised."""
        if self.error is None:
            return self.value
        if self.trace and not isinstance(self.error, DoxevalError):
            self.error.add_note(self.trace)
        raise self.error

    def packed(self) -> bytes:
        """As bytes; what cannot be pickled becomes an error."""
        try:
            data = pickle.dumps(self, pickle.HIGHEST_PROTOCOL)
            if self.error is not None:
                pickle.loads(data)  # noqa: S301  # ours; exceptions may refuse only here
            return data
        except Exception as error:  # objects of others raise anything when they are pickled
            what = type(self.value if self.error is None else self.error).__name__
            problem = f"the answer of a worker cannot be sent back ({what}): {error}"
            return pickle.dumps(Outcome(None, EngineError(problem), self.trace))


def unpacked(data: bytes) -> Outcome:
    """An outcome from its bytes.

    >>> unpacked(Outcome(3).packed())
    Outcome(value=3, error=None, trace='')
    """
    try:
        found: Outcome = pickle.loads(data)  # noqa: S301  # made by Outcome.packed
    except Exception as error:  # and when they are unpickled
        return Outcome(None, EngineError(f"the answer of a worker cannot be read: {error}"))
    return found


def outcome_of(task: Task, value: Any, item: Any) -> Outcome:
    """Carry out a task in this process.

    >>> outcome_of(divmod, 7, 2).value
    (3, 1)
    >>> outcome_of(divmod, 7, 0).error
    ZeroDivisionError('integer division or modulo by zero')
    """
    try:
        return Outcome(task(value, item))
    except Exception as error:  # errors are results like others
        trace = "".join(traceback.format_exception(error))
        return Outcome(None, error, f"In a worker process: {trace}")


# In a worker

# The checks that this process has passed, by their digests.
_PASSED: set[str] = set()


def carry_out(
    task: Task, shared: Shared, check: Shared | None, place: Callable[[], str], item: Any
) -> bytes:
    """Carry out a task in a worker, which must pass a check before its first one.

    `place` names the worker, for messages.
    """
    try:
        refuse_unfit(check, place)
        value = shared.value
    except EngineError as error:
        told = str(error) if str(error).startswith(place()) else f"{place()}: {error}"
        return Outcome(None, EngineError(told)).packed()
    except Exception as error:  # the value is refused, such as a collection that is another one
        return Outcome(None, _at(place(), error)).packed()
    return outcome_of(task, value, item).packed()


def refuse_unfit(check: Shared | None, place: Callable[[], str]) -> None:
    """Raise an EngineError if this process does not pass a check."""
    if check is None or check.digest in _PASSED:
        return
    problems = check.value()
    if problems:
        raise EngineError(f"{place()}: {'; '.join(problems)}")
    _PASSED.add(check.digest)


def _at(place: str, error: Exception) -> Exception:
    if isinstance(error, DoxevalError):
        return EngineError(f"{place}: {error}")
    error.add_note(f"on {place}")
    return error
