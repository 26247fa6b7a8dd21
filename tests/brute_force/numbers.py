"""Arithmetic of the twins: exact fractions where there are no roots or powers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

Number = Fraction | float
Score = Number | None  # None where a measure is undefined
ZERO, ONE = Fraction(0), Fraction(1)
TOLERANCE = 1e-9


def quotient(part: int | Fraction, whole: int | Fraction) -> Fraction:
    """A ratio, and 0/0 = 0."""
    return Fraction(part) / whole if whole else ZERO


def total(values: Iterable[Fraction | int]) -> Fraction:
    """The sum of some numbers."""
    return sum((Fraction(value) for value in values), ZERO)


def mean(values: Sequence[Number]) -> Number:
    """The mean of some numbers."""
    return math.fsum(values) / len(values)


def hundredths(first: int) -> list[Fraction]:
    """The points first/100 … 1."""
    return [Fraction(number, 100) for number in range(first, 101)]


def ceiling(value: Fraction) -> int:
    """Rounded up, but not for a trifle."""
    return math.ceil(value - Fraction(TOLERANCE))


def best_precision(points: Iterable[tuple[Number, Number]], x: Number) -> Number:
    """Interpolated precision: the best at any recall that reaches x; points of recall first."""
    return max((p for recall, p in points if recall >= x - TOLERANCE), default=ZERO)
