"""Expected hits, near-misses and misses, rank by rank: what the ESR measures are made of.

    p̃(t; u) = Σ_{f ∈ u∖t} Σ_{e ∈ t∖u} p̃(e; f) / (|t|·|u|)      from tree u to tree t
    p(a; R)  = 1 − Π (1 − p̃(a; t_j))                            from the list R to tree a

    Hits(k)       = Σ rel(a)·(1 − p(a; R before a))   over the assessed trees among the first k
    NearMisses(k) = Σ rel(a)·p(a; R_k)                over those that are not among them
    Misses(k)     = Σ rel(a)·(1 − p(a; R_k))          over those that are not among them

(Ali, Consens and Lalmas 2012, eq 4, 5, 8–11.) A result hits a tree if it is that tree (eq 6). Where
`Sight` says so, it also hits a tree that is surely reached from it (footnote 6 of the paper), and
elements that a tree has in common with it were seen with it, which eq 4 forgets.

Probabilities are computed only between retrieved and assessed trees of the same document, and
summed up rank by rank in one pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.documents.trees import Trees
from doxeval.measures.assessed_trees import AssessedTrees, pair_keys, rows_by_key
from doxeval.measures.base import TOLERANCE, Floats
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Numbers, Ranking, ratio
from doxeval.navigation import Navigation

# How many pairs of retrieved and assessed trees are worked on at once, at most.
_MOST_PAIRS = 2_000_000


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


class Reach(NamedTuple):
    """From results to trees of the same document: how likely readers go, and which are the same.

    chance: p̃(tree; result), results × trees; 0 from a tree to itself. is_same: whether a result is
    the tree.
    """

    chance: Floats
    is_same: Bools

    def hit_by(self, certain: Bools) -> Ints:
        """The first result that hits each tree, or the number of results if none does.

        `certain` says which results (or which, tree by tree) hit what is surely reached from them.
        """
        is_hit = self.is_same
        if certain.any():
            # Several steps that are not sure never make one that is: each is looked at by itself.
            is_hit = is_hit | (certain & (self.chance >= 1 - TOLERANCE))
        return np.where(is_hit.any(axis=0), is_hit.argmax(axis=0), len(is_hit))


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
    for block in _blocks(ranking, assessed):
        _add(sums, block, between, assessed, sight.certain)
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


def _blocks(ranking: Ranking, assessed: AssessedTrees) -> Iterator[_Block]:
    """Pairs of rows as `together` gives them, in blocks whose pairs have equally many results.

    So all pairs of a block can be worked on as one matrix, results × assessed trees.
    """
    by_count: dict[int, _Block] = {}
    for own, rows in together(ranking, assessed):
        by_count.setdefault(len(rows), []).append((own, rows))
    for results, pairs in by_count.items():
        step = max(_MOST_PAIRS // results, 1)
        block: _Block = []
        room = step
        for own, rows in pairs:
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


class Between:
    """How likely readers go from results to other trees of the same document."""

    def __init__(
        self,
        truth: GroundTruth,
        sources: Trees,
        targets: Trees,
        navigation: Navigation,
        shared: Bools,
    ) -> None:
        self._collection = truth.known_collection
        self._sources, self._targets = sources, targets
        self._navigation, self._shared = navigation, shared
        self._source, self._target = _only_nodes(sources), _only_nodes(targets)

    def reach(self, sources: Ints, targets: Ints) -> Reach:
        """From some results to some trees, given by their rows; all in one document."""
        source, target = self._source[sources], self._target[targets]
        if (source >= 0).all() and (target >= 0).all():
            chance = self._steps(source, target)
            is_same = source[:, None] == target[None, :]
        else:
            chance, is_same = self._in_portions(sources, targets)
        return Reach(np.where(is_same, 0.0, chance), is_same)

    def _steps(self, sources: Ints, targets: Ints) -> Floats:
        document = int(self._collection.documents_of(sources[:1])[0])
        return self._navigation.between(self._collection, document, sources, targets)

    def _in_portions(self, sources: Ints, targets: Ints) -> tuple[Floats, Bools]:
        """Between trees, for a few targets at a time if sources have many nodes."""
        from_trees, shared = self._sources.rows(sources), self._shared[sources]
        step = max(_MOST_PAIRS // len(from_trees.nodes), 1)
        if len(targets) <= step:
            return self._between_trees(from_trees, self._to_trees(targets), shared)
        parts = [
            self._between_trees(from_trees, self._to_trees(targets[at : at + step]), shared)
            for at in range(0, len(targets), step)
        ]
        chance, is_same = zip(*parts, strict=True)
        return np.concatenate(chance, axis=1), np.concatenate(is_same, axis=1)

    def _to_trees(self, targets: Ints) -> Trees:
        nodes = self._target[targets]
        return Trees.of_singletons(nodes) if (nodes >= 0).all() else self._targets.rows(targets)

    def _between_trees(self, sources: Trees, targets: Trees, shared: Bools) -> tuple[Floats, Bools]:
        """p̃(target; source) between trees, and which are the same tree."""
        steps = self._steps(sources.nodes, targets.nodes)
        is_common = sources.nodes[:, None] == targets.nodes[None, :]
        sums = _summed(steps, sources, targets)
        common = _summed(is_common.astype(np.int64), sources, targets)
        from_size, to_size = sources.counts[:, None], targets.counts[None, :]
        # Elements that two trees have in common are neither left nor reached.
        sums[(common > 0) & ((common == from_size) | (common == to_size))] = 0.0
        partly = (common > 0) & (common < from_size) & (common < to_size)
        for source, target in zip(*np.nonzero(partly), strict=True):
            block = np.s_[
                sources.begin[source] : sources.begin[source + 1],
                targets.begin[target] : targets.begin[target + 1],
            ]
            left, wanted = (~is_common[block].any(axis=axis) for axis in (1, 0))
            sums[source, target] = steps[block][np.ix_(left, wanted)].sum()
        chance = sums / (from_size * to_size)
        seen = np.where(shared[:, None], common / to_size, 0.0)
        return np.minimum(chance + seen, 1.0), (common == from_size) & (common == to_size)


def _only_nodes(trees: Trees) -> Ints:
    """The node of each tree that has just one, -1 for the others."""
    single = trees.counts == 1
    found = np.full(len(trees), -1, dtype=np.int64)
    found[single] = trees.nodes[trees.begin[:-1][single]]
    return found


def _summed(values: Numbers, sources: Trees, targets: Trees) -> Numbers:
    """Values between nodes, summed up between the trees that have them."""
    if len(sources.nodes) > len(sources):
        values = np.add.reduceat(values, sources.begin[:-1], axis=0)
    if len(targets.nodes) > len(targets):
        values = np.add.reduceat(values, targets.begin[:-1], axis=1)
    return values
