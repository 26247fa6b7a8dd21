"""How the time of some work grows with the size of its input."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Input = TypeVar("Input")


def growth(make: Callable[[int], Input], work: Callable[[Input], object], size: int) -> float:
    """How many times longer the work takes for four times the size, in time of the processor.

    Linear work gives about 4, quadratic work about 16. The best of three runs counts, and the best
    of three comparisons, so that other programs on the machine hardly matter.
    """
    return min(_compared(make, work, size) for _ in range(3))


def _compared(make: Callable[[int], Input], work: Callable[[Input], object], size: int) -> float:
    small, large = (_best(make(each), work) for each in (size, 4 * size))
    return large / max(small, 0.005)  # below this, clocks are too coarse


def _best(given: Input, work: Callable[[Input], object]) -> float:
    times = []
    for _ in range(3):
        begin = time.process_time()
        work(given)
        times.append(time.process_time() - begin)
    return min(times)
