"""The scores that inex_eval computes for a topic, and the arithmetic they share.

Quotients and sums give what they give in Java, so nothing here raises.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple


class Counts(NamedTuple):
    """How many articles were returned, are relevant, and are both; the same for characters."""

    num_ret: int
    num_rel: int
    num_rel_ret: int
    ret_size: int
    rel_size: int
    rel_ret_size: int


class TopicScores(NamedTuple):
    """The scores of a topic: counts, measures by label, precision at the points of recall.

    `impossible` are recall points beyond 100, which the tool reports and leaves out. They occur if
    rsize is less than the passages contain.
    """

    counts: Counts
    measures: dict[str, float]
    curve: list[float]
    impossible: list[int]


class Layout(NamedTuple):
    """What is printed for all topics together: the measures, and the number of recall points."""

    measures: tuple[str, ...]
    points: int


def quotient(a: float, b: float) -> float:
    """A quotient as in Java, where 0/0 is not a number. (Nothing else is divided by 0 here.)

    >>> quotient(1, 4), quotient(0, 0)
    (0.25, nan)
    """
    return a / b if b else math.nan


def quotient_or_zero(a: float, b: float) -> float:
    """A quotient, or 0 where there is nothing to divide by.

    >>> quotient_or_zero(1, 4), quotient_or_zero(0, 0)
    (0.25, 0.0)
    """
    return a / b if b else 0.0


def left_to_right_sum(values: Iterable[float]) -> float:
    """A sum rounded after each addition, as in Java; Python's own sum may be more exact.

    >>> left_to_right_sum([1.0, 1e100, 1.0, -1e100])
    0.0
    """
    total = 0.0
    for value in values:
        total += value
    return total


def harmonic_mean(precision: float, recall: float) -> float:
    """F1, and 0 where recall is not a number.

    >>> harmonic_mean(0.5, 0.5), harmonic_mean(0.0, float("nan"))
    (0.5, 0.0)
    """
    both = precision + recall
    return 2 * precision * recall / both if both > 0 else 0.0


def interpolated(best: list[float]) -> list[float]:
    """The highest precision at each recall point or beyond it.

    >>> interpolated([0.1, 0.5, 0.2])
    [0.5, 0.5, 0.2]
    """
    curve: list[float] = []
    highest = 0.0
    for precision in reversed(best):
        highest = max(highest, precision)
        curve.append(highest)
    return curve[::-1]
