"""Elements with scores, and what `and` and `or` make of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints, positions_in


class Scored(NamedTuple):
    """Elements, as ascending and distinct rows of the node table, and the score of each.

    then: what decides among elements with equal scores, higher first; None if nothing does.
    warnings: what of a query was not taken into account.
    """

    rows: Ints
    scores: Floats
    then: Floats | None = None
    warnings: tuple[str, ...] = ()

    @classmethod
    def none(cls) -> Scored:
        """No elements."""
        return cls(np.empty(0, dtype=np.int64), np.empty(0))

    @classmethod
    def zero(cls, rows: Ints) -> Scored:
        """Elements that all have the score 0."""
        return cls(rows, np.zeros(len(rows)))


def best(rows: Ints, scores: Floats) -> Scored:
    """Each element once, with its best score; rows may come in any order, and repeatedly.

    >>> best(np.array([7, 3, 7]), np.array([1.0, 2.0, 4.0]))[:2]
    (array([3, 7]), array([2., 4.]))
    """
    if not len(rows):
        return Scored.none()
    order = np.argsort(rows, kind="stable")  # ascending stretches are merged in linear time
    return best_of_ascending(rows[order], scores[order])


def best_of_ascending(rows: Ints, scores: Floats) -> Scored:
    """The same for rows that ascend; there must be at least one.

    >>> best_of_ascending(np.array([3, 7, 7]), np.array([2.0, 1.0, 4.0]))[:2]
    (array([3, 7]), array([2., 4.]))
    """
    begins = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
    return Scored(rows[begins], np.maximum.reduceat(scores, begins))


def both(one: Scored, other: Scored) -> Scored:
    """The elements that are in both, their scores added.

    >>> one = Scored(np.array([3, 7]), np.array([2.0, 4.0]))
    >>> both(one, Scored(np.array([7]), np.array([0.5])))[:2]
    (array([7]), array([4.5]))
    """
    if len(one.rows) > len(other.rows):
        place = positions_in(one.rows, other.rows)
        is_found = place >= 0
        own = place[is_found]
        return Scored(one.rows[own], one.scores[own] + other.scores[is_found])
    place = positions_in(other.rows, one.rows)
    is_found = place >= 0
    return Scored(one.rows[is_found], one.scores[is_found] + other.scores[place[is_found]])


def any_of(parts: Iterable[Scored]) -> Scored:
    """The elements that are in any part, each with its best score.

    Parts are joined when they are of similar size, so that thousands of small ones do not take
    the square of their number.

    >>> one = Scored(np.array([3, 7]), np.array([2.0, 4.0]))
    >>> any_of([one, Scored(np.array([5, 7]), np.array([9.0, 6.0]))])[:2]
    (array([3, 5, 7]), array([2., 9., 6.]))
    """
    waiting = [Scored.none()]
    for part in parts:
        waiting.append(part)
        while len(waiting) > 1 and len(waiting[-2].rows) <= 2 * len(waiting[-1].rows):
            waiting.append(_either(waiting.pop(), waiting.pop()))
    while len(waiting) > 1:
        waiting.append(_either(waiting.pop(), waiting.pop()))
    return waiting[0]


def _either(one: Scored, other: Scored) -> Scored:
    if not len(one.rows) or not len(other.rows):
        return other if len(other.rows) else one
    return best(np.append(other.rows, one.rows), np.append(other.scores, one.scores))
