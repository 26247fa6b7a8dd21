"""Hits, near-misses and misses: what readers of a list can expect, rank by rank and unit by unit.

    p(a; R)       = 1 − Π (1 − p̃(a; t_j))             from the list R to tree a

    Hits(k)       = Σ rel(a)·(1 − p(a; R before a))   over the assessed trees among the first k
    NearMisses(k) = Σ rel(a)·p(a; R_k)                over those that are not among them
    Misses(k)     = Σ rel(a)·(1 − p(a; R_k))          over those that are not among them

(Ali, Consens and Lalmas 2012, eq 5, 8–11; p̃ is in `reach`.) A result hits a tree if it is that tree
(eq 6). Where `Sight` says so, it also hits a tree that is surely reached from it (footnote 6 of the
paper), and elements that a tree has in common with it were seen with it, which eq 4 ignores.

Probabilities are computed only between retrieved and assessed trees of the same document, and
summed up rank by rank in one pass. For reports, `hit_outcomes` tells of single units whether each
is a hit, a near-miss or a miss.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from doxeval.arrays import (
    Bools,
    Floats,
    Ints,
    positions_in,
    rows_by_key,
    sum_by_group,
    values_at,
)
from doxeval.documents import Trees
from doxeval.measures.caching import once
from doxeval.measures.families.esr.reach import (
    MOST_PAIRS,
    Chances,
    DocumentLists,
    NavigationReach,
    are_many,
)
from doxeval.measures.families.esr.trees import (
    AssessedTrees,
    RelevanceChoice,
    trees_of_assessments,
    union_lengths,
)
from doxeval.measures.ground_truth import GroundTruth, pair_keys
from doxeval.measures.ranking import Ranking, ratio
from doxeval.runs import Kind

Hitting = Literal["auto", "exact", "certain"]
Shared = Literal["auto", "none", "seen"]


class Readers(NamedTuple):
    """What readers can expect depends on this: the parameters that all ESR measures share.

    nav: how they navigate. relevance: which trees are relevant to them. hits, shared: what they see
    with a result; see `Sight`.
    """

    nav: str
    relevance: RelevanceChoice
    hits: Hitting
    shared: Shared


class Sight(NamedTuple):
    """What readers see with each result.

    shared: whether the elements that another tree has in common with it were seen with it.
    certain: whether it hits trees that readers surely reach from it.
    """

    shared: Bools
    certain: Bools

    @classmethod
    def of(cls, ranking: Ranking, readers: Readers) -> Sight:
        """Return what readers see; auto depends on the kind of each result."""
        kind = ranking.resolved.run.kind
        by_kind = (kind == Kind.PASSAGE) | (kind == Kind.TREE) | (kind == Kind.SPANS)

        def each(given: str, wide: str) -> Bools:
            return by_kind if given == "auto" else np.full(len(kind), given == wide)

        return cls(each(readers.shared, "seen"), each(readers.hits, "certain"))


# Expected hits, near-misses and misses, rank by rank


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
        """Return hits and near-misses together."""
        return self.hits[topic] + self.near[topic]

    def misses(self, topic: int) -> Floats:
        """Return Σ rel·(1 − p) over the assessed trees that are not retrieved."""
        misses: Floats = self.total[topic] - self.retrieved_relevance[topic] - self.near[topic]
        return misses

    def recall_base(self, topic: int) -> Floats:
        """Return hits, near-misses and misses together."""
        base: Floats = self.hits[topic] + self.total[topic] - self.retrieved_relevance[topic]
        return base

    def recall(self, topic: int) -> Floats:
        """Return the share of the recall base that is seen."""
        return ratio(self.seen(topic), self.recall_base(topic))


class _HitSums(NamedTuple):
    """What each result adds to hits, near-misses, and the relevance of what is retrieved."""

    hits: Floats
    near: Floats
    retrieved: Floats


@once
def expectations(ranking: Ranking, readers: Readers) -> Expectations:
    """Return what readers of a run can expect, rank by rank."""
    assessed = trees_of_assessments(ranking.truth, readers.relevance)
    return _expectations(ranking, readers, assessed)


@once
def read_on_the_way(ranking: Ranking, readers: Readers) -> list[Floats]:
    """Return Σ p(a; R)·size(a) of near-misses, rank by rank: what is read besides results."""
    assessed = trees_of_assessments(ranking.truth, readers.relevance)
    sizes = _tree_sizes(ranking.truth, readers.relevance)
    return _expectations(ranking, readers, replace(assessed, relevance=sizes)).near


@once
def _tree_sizes(truth: GroundTruth, relevance: RelevanceChoice) -> Floats:
    assessed = trees_of_assessments(truth, relevance)
    return union_lengths(truth, assessed.topic, assessed.trees, relevant=False)


def _expectations(ranking: Ranking, readers: Readers, assessed: AssessedTrees) -> Expectations:
    truth, sight = ranking.truth, Sight.of(ranking, readers)
    sums = _HitSums(*(np.zeros(len(ranking)) for _ in _HitSums._fields))
    reach = NavigationReach(
        truth, ranking.trees, assessed.trees, truth.model(readers.nav), sight.shared
    )
    short: _Batch = []
    for trees, results in _same_documents(ranking, assessed):
        if are_many(results, trees):
            lists = DocumentLists(reach, results, trees, sight.certain[results])
            _add_long(sums, lists, assessed.relevance[trees])
        else:
            short.append((trees, results))
    for batch in _batches(short):
        _add_batch(sums, batch, reach, assessed, sight.certain)
    return Expectations(
        assessed.total_by_topic(len(truth.topics)),
        ranking.by_topic(ranking.cumulated(sums.hits)),
        # A near-miss that becomes a hit is subtracted again; rounding may leave less than 0.
        ranking.by_topic(np.maximum(ranking.cumulated(sums.near), 0.0)),
        ranking.by_topic(ranking.cumulated(sums.retrieved)),
    )


def _same_documents(ranking: Ranking, assessed: AssessedTrees) -> Iterator[tuple[Ints, Ints]]:
    """Yield the rows of assessed trees and of results that share a topic and a document."""
    keys = pair_keys(ranking.topic, ranking.tree_documents)
    # A result without a tree has the document -1, and a key below those of all others.
    shared = np.flatnonzero(positions_in(assessed.pairs, keys) >= 0)
    for key, rows in rows_by_key(keys[shared]).items():
        yield assessed.rows_by_pair[key], shared[rows]


_Batch = list[tuple[Ints, Ints]]


def _batches(pairs: Sequence[tuple[Ints, Ints]]) -> Iterator[_Batch]:
    """Group rows of assessed trees and of results into batches with equally many results.

    So all pairs of a batch can be worked on as one matrix, results × assessed trees.
    """
    by_count: dict[int, _Batch] = {}
    for trees, results in pairs:
        by_count.setdefault(len(results), []).append((trees, results))
    for count, alike in by_count.items():
        step = max(MOST_PAIRS // count, 1)
        batch: _Batch = []
        room = step
        for trees, results in alike:
            for begin in range(0, len(trees), step):
                some = trees[begin : begin + step]
                if len(some) > room:
                    yield batch
                    batch, room = [], step
                batch.append((some, results))
                room -= len(some)
        yield batch


def _add_batch(
    sums: _HitSums, batch: _Batch, reach: NavigationReach, assessed: AssessedTrees, certain: Bools
) -> None:
    """Add what the results of a batch contribute."""
    parts = [reach.chances(results, trees) for trees, results in batch]
    chances = Chances(*(np.concatenate(matrices, axis=1) for matrices in zip(*parts, strict=True)))
    # The result of each place in the matrix, and the relevance of each column.
    columns = [len(trees) for trees, _ in batch]
    row = np.repeat(np.stack([results for _, results in batch], axis=1), columns, axis=1)
    relevance = assessed.relevance[np.concatenate([trees for trees, _ in batch])]
    hit_by = chances.hit_by(certain[row])
    unseen = np.cumprod(1 - chances.chance, axis=0)
    hit = np.flatnonzero(hit_by < len(row))
    at = hit_by[hit]
    before = np.where(at == 0, 1.0, unseen[np.maximum(at - 1, 0), hit])
    np.add.at(sums.hits, row[at, hit], relevance[hit] * before)
    np.add.at(sums.retrieved, row[at, hit], relevance[hit])
    not_yet_hit = np.arange(len(row))[:, None] < hit_by[None, :]
    near_by_now = relevance * (1 - unseen) * not_yet_hit
    np.add.at(sums.near, row, np.diff(near_by_now, axis=0, prepend=0.0))


def _add_long(sums: _HitSums, lists: DocumentLists, relevance: Floats) -> None:
    """Add what many results contribute to many trees of one document."""
    for view in lists.reachability():
        of_targets, hit_by = relevance[view.targets], view.hit_by()
        hit = np.flatnonzero(hit_by < len(lists.sources))
        at = lists.sources[hit_by[hit]]
        np.add.at(sums.hits, at, of_targets[hit] * view.unseen_before(hit_by)[hit])
        np.add.at(sums.retrieved, at, of_targets[hit])
        sums.near[lists.sources] += np.diff(view.near(of_targets, hit_by), prepend=0.0)


# The relevance of results, inferred from their elements


@once
def inferred_gains(ranking: Ranking, readers: Readers) -> list[Floats]:
    """Return the gain of each result, by topic, less what readers have seen before.

    gain(t_i) = rel(t_i)·(1 − p(t_i; R before it)), rel the mean relevance of the result's elements
    (eq 12).
    """
    truth, trees = ranking.truth, ranking.trees
    inferred = _inferred_relevance(ranking, readers.relevance)
    gains = np.zeros(len(ranking))
    shared = Sight.of(ranking, readers).shared
    reach = NavigationReach(truth, trees, trees, truth.model(readers.nav), shared)
    keys = pair_keys(ranking.topic, ranking.tree_documents)
    relevant = np.flatnonzero(np.isin(keys, keys[inferred > 0]))
    for at in rows_by_key(keys[relevant]).values():
        rows = relevant[at]
        places = np.flatnonzero(inferred[rows] > 0)
        if are_many(rows, places):
            nothing = np.zeros(len(rows), dtype=np.bool_)
            for view in DocumentLists(reach, rows, rows[places], nothing, places).reachability():
                place = places[view.targets]
                gains[rows[place]] = inferred[rows[place]] * view.unseen_before(place)
            continue
        earlier = np.triu(reach.chances(rows, rows).chance, 1)  # from results to later ones only
        gains[rows] = inferred[rows] * np.prod(1 - earlier, axis=0)
    return ranking.by_topic(gains)


def _inferred_relevance(ranking: Ranking, relevance: RelevanceChoice) -> Floats:
    """Return the mean relevance of the elements of each result."""
    keys, worth = _relevance_of_elements(ranking.truth, relevance)
    owner = np.repeat(np.arange(len(ranking)), ranking.trees.counts)
    at = positions_in(keys, pair_keys(ranking.topic[owner], ranking.trees.nodes))
    sums = sum_by_group(owner, values_at(at, worth), len(ranking))
    return ratio(sums, ranking.trees.counts)


@once
def _relevance_of_elements(truth: GroundTruth, relevance: RelevanceChoice) -> tuple[Ints, Floats]:
    """Return topic and node of units that are single elements, ascending, and their relevance."""
    units = trees_of_assessments(truth, relevance)
    single = np.flatnonzero(units.trees.counts == 1)
    keys = pair_keys(units.topic[single], units.trees.nodes[units.trees.begin[single]])
    order = np.argsort(keys, kind="stable")
    return keys[order], units.relevance[single][order]


# Hit, near-miss or miss, for reports


class UnitOutcome(NamedTuple):
    """The rank at which a unit is hit; if it is not, how likely readers reach it, and from where.

    reached_from: the first rank from which they may reach it. A unit that is neither hit nor
    reached is a miss.
    """

    hit_at: int | None = None
    reached: float = 0.0
    reached_from: int | None = None


class SeenTrees(NamedTuple):
    """The results of a ranking in documents with relevant units, as trees, best first.

    This is what outcomes follow from; it takes little time for all documents, while outcomes are
    worked out later, for a few documents. key: topic and document as one number. shared, certain:
    what readers see with each result.
    """

    key: Ints
    rank: Ints
    trees: Trees
    shared: Bools
    certain: Bools


def seen_trees(ranking: Ranking, readers: Readers) -> SeenTrees:
    """Return what outcomes follow from."""
    units = trees_of_assessments(ranking.truth, readers.relevance)
    sight = Sight.of(ranking, readers)
    key = pair_keys(ranking.topic, ranking.tree_documents)
    rows = np.flatnonzero(positions_in(units.pairs, key) >= 0)
    trees = ranking.trees.rows(rows)
    return SeenTrees(key[rows], ranking.rank[rows], trees, sight.shared[rows], sight.certain[rows])


def hit_outcomes(
    truth: GroundTruth, readers: Readers, seen: SeenTrees, rows: Ints
) -> list[UnitOutcome]:
    """Return the outcomes of some relevant units, given by their rows."""
    units = trees_of_assessments(truth, readers.relevance)
    reach = NavigationReach(truth, seen.trees, units.trees, truth.model(readers.nav), seen.shared)
    results_by_key = rows_by_key(seen.key)
    outcomes = [UnitOutcome()] * len(rows)
    for key, places in rows_by_key(pair_keys(units.topic, units.document)[rows]).items():
        results = results_by_key.get(key)
        if results is None:
            continue
        ranks = seen.rank[results].tolist()
        lists = DocumentLists(reach, results, rows[places], seen.certain[results])
        for view in lists.reachability():
            hit_by, first = view.hit_by(), view.first_reaching()
            reached = 1 - view.unseen_before(hit_by)
            columns = (places[view.targets], hit_by, first, reached)
            for place, hit, begin, chance in zip(*(c.tolist() for c in columns), strict=True):
                if hit < len(ranks):
                    outcomes[place] = UnitOutcome(hit_at=ranks[hit])
                elif begin < len(ranks):
                    outcomes[place] = UnitOutcome(None, chance, ranks[begin])
    return outcomes
