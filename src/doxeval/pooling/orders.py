"""In which order results come into the pool: by rank, in turns, or by fused rank.

Each function returns rows of the candidates in the order in which they are pooled, topic by topic.
"""

from __future__ import annotations

import numpy as np

from doxeval.arrays import Ints, last_true
from doxeval.pooling.candidates import Candidates, is_first


def by_rank(candidates: Candidates) -> Ints:
    """All candidates: documents by their best rank; tied ones by their priority, then by id.

    Nothing depends on the order of the runs.
    """
    c = candidates
    order = np.lexsort((c.rank, c.pair))
    best = np.empty(len(c), dtype=np.int64)
    best[order] = c.rank[order][last_true(is_first(c.pair[order]))] if len(c) else 0
    return np.lexsort((c.unit, c.rank, c.document, -c.priority, best, c.topic))


def in_turns(candidates: Candidates, documents: int) -> Ints:
    """Down the ranks, the runs taking turns, until a topic has so many distinct documents.

    The runs take turns in the order in which they are named, which decides which documents of the
    last rank come in.
    """
    return _cut(candidates, np.arange(len(candidates)), documents)


def fused(candidates: Candidates, documents: int | None) -> Ints:
    """By the sum of 1 / (60 + rank) over runs, until a topic has so many distinct documents.

    Tied results come in the order of their best ranks, then of their documents' ids. Nothing
    depends on the order of the runs.
    """
    c = candidates
    place = c.topic * (int(c.unit.max(initial=0)) + 1) + c.unit
    score = c.sums_by(place, np.arange(len(c)))
    order = np.lexsort((c.rank, place))
    best = np.empty(len(c), dtype=np.int64)
    best[order] = c.rank[order][last_true(is_first(place[order]))] if len(c) else 0
    return _cut(c, np.lexsort((c.rank, c.unit, best, -score, c.topic)), documents)


def _cut(candidates: Candidates, rows: Ints, documents: int | None) -> Ints:
    """The rows until a topic has so many distinct documents; the same result stays together."""
    if documents is None or not len(rows):
        return rows
    pair, topic, unit = (
        column[rows] for column in (candidates.pair, candidates.topic, candidates.unit)
    )
    is_new = np.zeros(len(rows), dtype=np.bool_)
    is_new[np.unique(pair, return_index=True)[1]] = True
    before: Ints = np.cumsum(is_new) - is_new
    so_far: Ints = before - before[last_true(is_first(topic))]
    in_time = so_far[last_true(is_first(topic, unit))] < documents
    return rows[np.flatnonzero(in_time)]
