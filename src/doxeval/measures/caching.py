"""What is computed once and kept: several measures ask for the same sums of the same run.

A function of the ranking or of the ground truth that is marked `once` is computed when it is first
called with some arguments. What it returns is kept as long as that ranking or ground truth is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar


class Memory:
    """A value with which results are kept that follow from it; see `once`."""

    @cached_property
    def memory(self) -> dict[Hashable, Any]:
        """What was computed, by the function and its other arguments."""
        return {}


M = TypeVar("M", bound=Memory)
P = ParamSpec("P")
T = TypeVar("T")


def once(function: Callable[Concatenate[M, P], T]) -> Callable[Concatenate[M, P], T]:
    """Compute a function once for each set of arguments, and keep the result with the first one.

    >>> @once
    ... def doubled(memory: Memory, number: int) -> int:
    ...     print(f"computing {number}")
    ...     return 2 * number
    >>> memory = Memory()
    >>> doubled(memory, 4), doubled(memory, 4)
    computing 4
    (8, 8)
    """

    @wraps(function)
    def remembered(memory: M, /, *arguments: P.args, **named: P.kwargs) -> T:
        # The function by its public name: a memory can be pickled.
        key = (remembered, *arguments, *named.items())
        kept = memory.memory
        if key not in kept:
            kept[key] = function(memory, *arguments, **named)
        value: T = kept[key]
        return value

    return remembered
