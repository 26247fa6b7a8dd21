"""Errors that only a damaged file can cause, told as such.

A collection that is too large to be verified at opening may hold numbers that point nowhere. The
readers of a collection are guarded: where NumPy or Python stumble over such a number, the files
are compared with their hashes, and the error names the file. If all files are as they were built,
the mistake is the caller's, and the original error is raised.
"""

from __future__ import annotations

from collections.abc import Callable
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
    """A method of a collection that tells damaged files from mistakes of its caller."""

    @wraps(method)
    def reading(self: Self, /, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        try:
            return method(self, *arguments, **named)
        except SIGNS_OF_DAMAGE:
            self.refuse_damage()
            raise

    return reading
