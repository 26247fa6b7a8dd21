"""Errors that only a damaged file can cause, told as such.

A collection or an index that is too large to be verified at opening may hold numbers that point
nowhere. Where NumPy or Python stumble over such a number, the files are compared with their hashes,
and the error names the file. If all files are as they were built, the mistake is the caller's, and
the original error is raised.

Nearly all reading goes through methods of the collection or the index, which are `guarded`; whoever
reads the columns in other ways does so `on_guard`. Code that is not doxeval's, such as a measure of
the user's, is called `off_guard`: its errors are its own, and nothing is hashed because of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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


# An attribute of errors that were raised in code that is not doxeval's.
_FOREIGN = "_doxeval_foreign"


@contextmanager
def off_guard(value: object) -> Iterator[None]:
    """A stretch of work by methods of a value; errors of a class outside doxeval are its own.

    >>> def about(value):
    ...     try:
    ...         with off_guard(value):
    ...             raise ValueError("no such topic")
    ...     except ValueError as error:
    ...         return may_be_damage(error)
    >>> from fractions import Fraction  # stands for a class of the user's own
    >>> about(Fraction(1, 2)), about(None)
    (False, True)
    """
    try:
        yield
    except Exception as error:
        if type(value).__module__.partition(".")[0] not in ("doxeval", "builtins"):
            with suppress(AttributeError):
                setattr(error, _FOREIGN, True)
        raise


def may_be_damage(error: BaseException) -> bool:
    """Whether an error that nobody expected may come from a damaged file.

    >>> may_be_damage(IndexError())
    True
    """
    return not getattr(error, _FOREIGN, False)


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
    except SIGNS_OF_DAMAGE as error:
        if sealed is not None and may_be_damage(error):
            sealed.refuse_damage()
        raise
