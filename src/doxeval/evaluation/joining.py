"""Curves and scores of documents, put together from blocks of topics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from doxeval.arrays import Ints
from doxeval.scores import Curve, DocumentScores


class AtOnce(Exception):
    """A run cannot be scored in blocks, and why; it has to be taken as a whole."""


def all_points(parts: Sequence[tuple[Ints, Curve | None]], topics: int) -> Curve | None:
    """The curve of all topics, from those of some topics each, given by their numbers.

    Curves by rank are as long as the longest list is, and beyond a list they stay. So a part with
    shorter lists is continued with its last points.

    >>> short = Curve("Hits", "rank", "share", np.array([1.0]), np.array([[0.5]]))
    >>> long = Curve("Hits", "rank", "share", np.array([1.0, 2.0]), np.array([[0.1, 0.2]]))
    >>> all_points([(np.array([1]), short), (np.array([0]), long)], 2).y.tolist()
    [[0.1, 0.2], [0.5, 0.5]]
    """
    curves = [curve for _, curve in parts if curve is not None]
    if not curves:
        return None
    longest = max(curves, key=lambda curve: len(curve.x))
    y = np.full((topics, len(longest.x)), np.nan)
    for numbers, curve in parts:
        if curve is None or not np.array_equal(curve.x, longest.x[: len(curve.x)]):
            raise AtOnce(f"the curves of {longest.label} do not fit together")
        points = len(curve.x)
        y[numbers, :points] = curve.y
        y[numbers, points:] = curve.y[:, -1:]
    return longest._replace(y=y)


def all_documents(
    parts: Sequence[tuple[DocumentScores, ...]],
) -> tuple[DocumentScores, ...]:
    """The scores of documents of all topics, from those of some topics each, by topic."""
    if len(parts) == 1:
        return parts[0]
    by_way: dict[str, list[DocumentScores]] = {}
    for one in (one for part in parts for one in part):
        by_way.setdefault(one.scored_by, []).append(one)
    return tuple(_joined(several) for several in by_way.values())


def _joined(several: Sequence[DocumentScores]) -> DocumentScores:
    names = [name for one in several for name in one.document]
    topic, *numbers = (
        np.concatenate(list(columns))
        for columns in zip(*((one.topic, *one[3:]) for one in several), strict=True)
    )
    order = np.argsort(topic, kind="stable")
    return DocumentScores(
        several[0].scored_by,
        topic[order],
        tuple(names[row] for row in order.tolist()),
        *(column[order] for column in numbers),
    )
