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

Whether each relevant unit is a hit, a near-miss or a miss, as the ESR measures define it.

A unit is a hit if a result is that very unit. A passage counts as the tree of its cover; passages
and trees also hit units that they surely show. A unit that is not hit is a near-miss if, by the
model of navigation, readers may reach it from a result, and a miss otherwise.

What a ranking must be asked for is cheap and is taken from it first, for all documents. Outcomes
take longer, and are worked out later, for a few documents.

The relevance of results inferred from their elements, less what readers have seen before.

    gain(t_i) = rel(t_i)·(1 − p(t_i; R before it)), rel the mean relevance of the result's elements

(Ali, Consens and Lalmas 2012, eq 12.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints, positions_in
from doxeval.documents import Trees
from doxeval.measures.families.esr.reach import MOST_PAIRS, Between, Lists, Reach, overviews
from doxeval.measures.families.esr.trees import AssessedTrees
from doxeval.measures.ground_truth import GroundTruth, pair_keys, rows_by_key
from doxeval.measures.ranking import Ranking, ratio
from doxeval.navigation import Navigation

if TYPE_CHECKING:
    from doxeval.measures.families.esr.model import Esr


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
        ranking.by_topic(ranking.cumulated(sums.hits)),
        # A near-miss that becomes a hit is subtracted again; rounding may leave less than 0.
        ranking.by_topic(np.maximum(ranking.cumulated(sums.near), 0.0)),
        ranking.by_topic(ranking.cumulated(sums.retrieved)),
    )


def together(ranking: Ranking, assessed: AssessedTrees) -> Iterator[tuple[Ints, Ints]]:
    """The rows of assessed trees and of results that share a topic and a document."""
    own = assessed.rows_by_pair
    keys = pair_keys(ranking.topic, ranking.tree_documents)
    # A result without a tree has the document -1, and a key below those of all others.
    shared = np.flatnonzero(positions_in(assessed.pairs, keys) >= 0)
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


class Outcome(NamedTuple):
    """The rank at which a unit is hit; if it is not, how likely readers reach it, and from where.

    reached_from: the first rank from which they may reach it.
    """

    hit_at: int | None = None
    reached: float = 0.0
    reached_from: int | None = None


class SeenTrees(NamedTuple):
    """The results of a ranking in documents with relevant units, as trees, best first.

    key: topic and document as one number. shared, certain: what readers see with each result.
    """

    key: Ints
    rank: Ints
    trees: Trees
    shared: Bools
    certain: Bools


def seen_trees(ranking: Ranking, measure: Esr) -> SeenTrees:
    """What outcomes follow from; the parameters of the measure are settled."""
    sight, units = measure.sight(ranking), measure.units(ranking.truth)
    key = pair_keys(ranking.topic, ranking.tree_documents)
    rows = np.flatnonzero(positions_in(units.pairs, key) >= 0)
    trees = ranking.trees.rows(rows)
    return SeenTrees(key[rows], ranking.rank[rows], trees, sight.shared[rows], sight.certain[rows])


def hit_outcomes(truth: GroundTruth, measure: Esr, seen: SeenTrees, wanted: Ints) -> list[Outcome]:
    """The outcomes of some units of a measure, given by their rows."""
    units = measure.units(truth)
    between = Between(truth, seen.trees, units.trees, measure.navigation(truth), seen.shared)
    results = rows_by_key(seen.key)
    found = [Outcome()] * len(wanted)
    for key, places in rows_by_key(pair_keys(units.topic, units.document)[wanted]).items():
        rows = results.get(key)
        if rows is None:
            continue
        ranks = seen.rank[rows].tolist()
        for view in overviews(Lists(between, rows, wanted[places], seen.certain[rows])):
            hit_by, first = view.hit_by(), view.first_reaching()
            reached = 1 - view.unseen_before(hit_by)
            columns = (places[view.targets], hit_by, first, reached)
            for place, hit, begin, chance in zip(*(one.tolist() for one in columns), strict=True):
                if hit < view.results:
                    found[place] = Outcome(hit_at=ranks[hit])
                elif begin < view.results:
                    found[place] = Outcome(None, chance, ranks[begin])
    return found


def inferred_gains(measure: Esr, ranking: Ranking) -> list[Floats]:
    """The gain of each result, by topic; made once for each model."""
    key = ("inferred gains", *measure.model_key)
    return ranking.remembered(key, lambda: ranking.by_topic(_inferred_gains(measure, ranking)))


def _inferred_gains(measure: Esr, ranking: Ranking) -> Floats:
    inferred = _inferred_relevance(measure, ranking)
    gains = np.zeros(len(ranking))
    keys = pair_keys(ranking.topic, ranking.tree_documents)
    relevant = np.flatnonzero(np.isin(keys, keys[inferred > 0]))
    truth, trees, shared = ranking.truth, ranking.trees, measure.sight(ranking).shared
    between = Between(truth, trees, trees, measure.navigation(truth), shared)
    for at in rows_by_key(keys[relevant]).values():
        rows = relevant[at]
        wanted = np.flatnonzero(inferred[rows] > 0)
        lists = Lists(between, rows, rows[wanted], np.zeros(len(rows), dtype=np.bool_), wanted)
        if lists.are_long:
            for view in overviews(lists):
                place = wanted[view.targets]
                gains[rows[place]] = inferred[rows[place]] * view.unseen_before(place)
            continue
        earlier = np.triu(between.reach(rows, rows).chance, 1)  # from results to later ones only
        gains[rows] = inferred[rows] * np.prod(1 - earlier, axis=0)
    return gains


def _inferred_relevance(measure: Esr, ranking: Ranking) -> Floats:
    """The mean relevance of the elements of each result."""
    keys, relevance = ranking.truth.remembered(
        ("relevance of elements", measure.chosen),
        lambda: _relevance_of_elements(measure.units(ranking.truth)),
    )
    owner = np.repeat(np.arange(len(ranking)), ranking.trees.counts)
    at = positions_in(keys, pair_keys(ranking.topic[owner], ranking.trees.nodes))
    values = np.where(at < 0, 0.0, relevance[at] if len(relevance) else 0.0)
    return ratio(np.bincount(owner, values, len(ranking)), ranking.trees.counts)


def _relevance_of_elements(units: AssessedTrees) -> tuple[Ints, Floats]:
    """Topic and node of the units that are single elements, ascending, and their relevance."""
    single = np.flatnonzero(units.trees.counts == 1)
    keys = pair_keys(units.topic[single], units.trees.nodes[units.trees.begin[single]])
    order = np.argsort(keys, kind="stable")
    return keys[order], units.relevance[single][order]
