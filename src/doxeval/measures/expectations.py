"""Expected hits, near-misses and misses, rank by rank: what the ESR measures are made of.

    p̃(t; u) = Σ_{f ∈ u∖t} Σ_{e ∈ t∖u} p̃(e; f) / (|t|·|u|)      from tree u to tree t
    p(a; R)  = 1 − Π (1 − p̃(a; t_j))                            from the list R to tree a

    Hits(k)       = Σ rel(a)·(1 − p(a; R before a))   over the assessed trees among the first k
    NearMisses(k) = Σ rel(a)·p(a; R_k)                over those that are not among them
    Misses(k)     = Σ rel(a)·(1 − p(a; R_k))          over those that are not among them

(Ali, Consens and Lalmas 2012, eq 4, 5, 8–11.) A result hits a tree if it is that tree (eq 6). Where
`Sight` says so, it also hits a tree that is surely reached from it (footnote 6 of the paper), and
elements that a tree has in common with it were seen with it, which eq 4 forgets.

Probabilities are computed only between retrieved and assessed trees of the same document
(`between`), and summed up rank by rank in one pass. Where these are very many, `overviews` says
the same of them without going through all pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.measures.assessed_trees import AssessedTrees, pair_keys, rows_by_key
from doxeval.measures.between import MOST_PAIRS, Between, Reach
from doxeval.measures.overviews import Lists, overviews
from doxeval.measures.ranking import Ranking, ratio
from doxeval.navigation import Navigation


class Sight(NamedTuple):
    """What readers see with each result.

    shared: whether the elements that another tree has in common with it were seen with it.
    certain: whether it hits trees that readers surely reach from it.
    """

    shared: Bools
    certain: Bools

    def rows(self, rows: Ints) -> Sight:
        """Only these results."""
        return Sight(self.shared[rows], self.certain[rows])


@dataclass(frozen=True)
class Expectations:
    """By topic: the total relevance, and sums up to each rank.

    hits, near: the expected gain from hits and from near-misses. retrieved_relevance: the
    relevance of the assessed trees that are retrieved, however likely they were seen before.
    """

    total: Floats
    hits: list[Floats]
    near: list[Floats]
    retrieved_relevance: list[Floats]

    def seen(self, topic: int) -> Floats:
        """Hits and near-misses together."""
        return self.hits[topic] + self.near[topic]

    def misses(self, topic: int) -> Floats:
        """Σ rel·(1 − p) over the assessed trees that are not retrieved."""
        misses: Floats = self.total[topic] - self.retrieved_relevance[topic] - self.near[topic]
        return misses

    def recall_base(self, topic: int) -> Floats:
        """Hits, near-misses and misses together."""
        base: Floats = self.hits[topic] + self.total[topic] - self.retrieved_relevance[topic]
        return base

    def recall(self, topic: int) -> Floats:
        """The share of the recall base that is seen."""
        return ratio(self.seen(topic), self.recall_base(topic))


class _Sums(NamedTuple):
    """What each result adds to hits, near-misses, and the relevance of what is retrieved."""

    hits: Floats
    near: Floats
    retrieved: Floats


def expectations(
    ranking: Ranking, assessed: AssessedTrees, navigation: Navigation, sight: Sight
) -> Expectations:
    """What readers of a run can expect, rank by rank."""
    sums = _Sums(*(np.zeros(len(ranking)) for _ in _Sums._fields))
    between = Between(ranking.truth, ranking.trees, assessed.trees, navigation, sight.shared)
    pairs = [
        (own, Lists(between, rows, own, sight.certain[rows]))
        for own, rows in together(ranking, assessed)
    ]
    for block in _blocks((own, lists.sources) for own, lists in pairs if not lists.are_long):
        _add(sums, block, between, assessed, sight.certain)
    for own, lists in pairs:
        if lists.are_long:
            _add_long(sums, lists, assessed.relevance[own])
    return Expectations(
        assessed.total_by_topic(len(ranking.truth.topics)),
        [np.cumsum(values) for values in ranking.by_topic(sums.hits)],
        # A near-miss that becomes a hit is subtracted again; rounding may leave less than 0.
        [np.maximum(np.cumsum(values), 0.0) for values in ranking.by_topic(sums.near)],
        [np.cumsum(values) for values in ranking.by_topic(sums.retrieved)],
    )


def together(ranking: Ranking, assessed: AssessedTrees) -> Iterator[tuple[Ints, Ints]]:
    """The rows of assessed trees and of results that share a topic and a document."""
    own = assessed.rows_by_pair
    keys = pair_keys(ranking.topic, ranking.tree_documents)
    # A result without a tree has the document -1, and a key below those of all others.
    shared = np.flatnonzero(np.isin(keys, np.array(list(own), dtype=np.int64)))
    for key, rows in rows_by_key(keys[shared]).items():
        yield own[key], shared[rows]


_Block = list[tuple[Ints, Ints]]


def _blocks(pairs: Iterable[tuple[Ints, Ints]]) -> Iterator[_Block]:
    """Pairs of rows as `together` gives them, in blocks whose pairs have equally many results.

    So all pairs of a block can be worked on as one matrix, results × assessed trees.
    """
    by_count: dict[int, _Block] = {}
    for own, rows in pairs:
        by_count.setdefault(len(rows), []).append((own, rows))
    for results, alike in by_count.items():
        step = max(MOST_PAIRS // results, 1)
        block: _Block = []
        room = step
        for own, rows in alike:
            for begin in range(0, len(own), step):
                some = own[begin : begin + step]
                if len(some) > room:
                    yield block
                    block, room = [], step
                block.append((some, rows))
                room -= len(some)
        yield block


def _add(
    sums: _Sums, block: _Block, between: Between, assessed: AssessedTrees, certain: Bools
) -> None:
    """Add what the results of a block contribute."""
    parts = [between.reach(rows, own) for own, rows in block]
    reach = Reach(*(np.concatenate(matrices, axis=1) for matrices in zip(*parts, strict=True)))
    # The result of each place in the matrix, and the relevance of each column.
    row = np.repeat(
        np.stack([rows for _, rows in block], axis=1), [len(own) for own, _ in block], axis=1
    )
    relevance = assessed.relevance[np.concatenate([own for own, _ in block])]
    hit_by = reach.hit_by(certain[row])
    unseen = np.cumprod(1 - reach.chance, axis=0)
    hit = np.flatnonzero(hit_by < len(row))
    at = hit_by[hit]
    before = np.where(at == 0, 1.0, unseen[np.maximum(at - 1, 0), hit])
    np.add.at(sums.hits, row[at, hit], relevance[hit] * before)
    np.add.at(sums.retrieved, row[at, hit], relevance[hit])
    not_yet_hit = np.arange(len(row))[:, None] < hit_by[None, :]
    near_by_now = relevance * (1 - unseen) * not_yet_hit
    np.add.at(sums.near, row, np.diff(near_by_now, axis=0, prepend=0.0))


def _add_long(sums: _Sums, lists: Lists, relevance: Floats) -> None:
    """Add what many results contribute to many trees of one document."""
    for view in overviews(lists):
        own, hit_by = relevance[view.targets], view.hit_by()
        hit = np.flatnonzero(hit_by < view.results)
        at = lists.sources[hit_by[hit]]
        np.add.at(sums.hits, at, own[hit] * view.unseen_before(hit_by)[hit])
        np.add.at(sums.retrieved, at, own[hit])
        sums.near[lists.sources] += np.diff(view.near(own, hit_by), prepend=0.0)
