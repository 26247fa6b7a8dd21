"""Errors that only a damaged file can cause, told as such.

A collection or an index that is too large to be verified at opening may hold numbers that point
nowhere. Where NumPy or Python stumble over such a number, the files are compared with their hashes,
and the error names the file. If all files are as they were built, the mistake is the caller's, and
the original error is raised.

Nearly all reading goes through methods of the collection or the index, which are `guarded`; whoever
reads the columns in other ways does so `on_guard`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar


class _HasFiles(Protocol):
    def refuse_damage(self) -> None:
        """Raise an error about the first damaged file, if there is one."""


Self = TypeVar("Self", bound=_HasFiles)
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

SIGNS_OF_DAMAGE = (ArithmeticError, LookupError, MemoryError, ValueError)


def guarded(
    method: Callable[Concatenate[Self, Parameters], Result],
) -> Callable[Concatenate[Self, Parameters], Result]:
    """A method of a collection or an index that tells damaged files from mistakes of its caller."""

    @wraps(method)
    def reading(self: Self, /, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        try:
            return method(self, *arguments, **named)
        except SIGNS_OF_DAMAGE:
            self.refuse_damage()
            raise

    return reading


@contextmanager
def on_guard(sealed: _HasFiles | None) -> Iterator[None]:
    """A stretch of work in which an error may come from a damaged file.

    >>> with on_guard(None):
    ...     _ = [1, 2][5]
    Traceback (most recent call last):
    IndexError: list index out of range
    """
    try:
        yield
    except SIGNS_OF_DAMAGE:
        if sealed is not None:
            sealed.refuse_damage()
        raise
