"""Expected hits, near-misses and misses, rank by rank: what the ESR measures are made of.

    p̃(t; u) = Σ_{f ∈ u∖t} Σ_{e ∈ t∖u} p̃(e; f) / (|t|·|u|)      from tree u to tree t
    p(a; R)  = 1 − Π (1 − p̃(a; t_j))                            from the list R to tree a

    Hits(k)       = Σ rel(a)·(1 − p(a; R before a))   over the assessed trees among the first k
    NearMisses(k) = Σ rel(a)·p(a; R_k)                over those that are not among them
    Misses(k)     = Σ rel(a)·(1 − p(a; R_k))          over those that are not among them

(Ali, Consens and Lalmas 2012, eq 4, 5, 8–11.) Probabilities are computed only between retrieved
and assessed trees of the same document, and summed up rank by rank in one pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents.trees import Trees
from doxeval.measures.assessed_trees import AssessedTrees, pair_keys, rows_by_key
from doxeval.measures.base import Floats
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking, ratio
from doxeval.navigation import Navigation

# How many pairs of retrieved and assessed trees are worked on at once, at most.
_MOST_PAIRS = 2_000_000


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

    def misses(self, topic: int) -> Floats:
        """Σ rel·(1 − p) over the assessed trees that are not retrieved."""
        misses: Floats = self.total[topic] - self.retrieved_relevance[topic] - self.near[topic]
        return misses

    def recall_base(self, topic: int) -> Floats:
        """Hits, near-misses and misses together."""
        base: Floats = self.hits[topic] + self.total[topic] - self.retrieved_relevance[topic]
        return base


def expectations(
    ranking: Ranking, assessed: AssessedTrees, navigation: Navigation, shared: bool
) -> Expectations:
    """What readers of a run can expect, rank by rank.

    shared: whether elements that two trees have in common were seen with the first.
    """
    truth = ranking.truth
    size = len(ranking)
    hits, near, retrieved = np.zeros(size), np.zeros(size), np.zeros(size)
    trees = ranking.trees
    for own, rows in together(ranking, assessed):
        document = int(assessed.document[own[0]])
        sources = trees.rows(rows)
        for some in _portions(own, len(rows)):
            targets, relevance = assessed.trees.rows(some), assessed.relevance[some]
            reach, hit_by = reaching(truth, document, sources, targets, navigation, shared)
            _add(hits, near, retrieved, rows, reach, hit_by, relevance)
    total = np.bincount(assessed.topic, assessed.relevance, len(truth.topics))
    return Expectations(
        total.astype(np.float64),
        [np.cumsum(values) for values in ranking.by_topic(hits)],
        # A near-miss that becomes a hit is subtracted again; rounding may leave less than 0.
        [np.maximum(np.cumsum(values), 0.0) for values in ranking.by_topic(near)],
        [np.cumsum(values) for values in ranking.by_topic(retrieved)],
    )


def together(ranking: Ranking, assessed: AssessedTrees) -> Iterator[tuple[Ints, Ints]]:
    """The rows of assessed trees and of results that share a topic and a document."""
    own = assessed.rows_by_pair
    keys = pair_keys(ranking.topic, ranking.tree_documents)
    # A result without a tree has the document -1, and a key below those of all others.
    shared = np.flatnonzero(np.isin(keys, np.array(list(own), dtype=np.int64)))
    for key, rows in rows_by_key(keys[shared]).items():
        yield own[key], shared[rows]


def _portions(own: Ints, results: int) -> Iterator[Ints]:
    step = max(_MOST_PAIRS // max(results, 1), 1)
    for begin in range(0, len(own), step):
        yield own[begin : begin + step]


def _add(
    hits: Floats,
    near: Floats,
    retrieved: Floats,
    rows: Ints,
    reach: Floats,
    hit_by: Ints,
    relevance: Floats,
) -> None:
    """Add what each result of one document contributes; `reach` is results × assessed trees."""
    unseen = np.cumprod(1 - reach, axis=0)
    hit = np.flatnonzero(hit_by < len(rows))
    at = hit_by[hit]
    before = np.where(at == 0, 1.0, unseen[np.maximum(at - 1, 0), hit])
    np.add.at(hits, rows[at], relevance[hit] * before)
    np.add.at(retrieved, rows[at], relevance[hit])
    not_yet_hit = np.arange(len(rows))[:, None] < hit_by[None, :]
    near_by_now = (relevance * (1 - unseen) * not_yet_hit).sum(axis=1)
    near[rows] += np.diff(near_by_now, prepend=0.0)


def reaching(
    truth: GroundTruth,
    document: int,
    sources: Trees,
    targets: Trees,
    navigation: Navigation,
    shared: bool,
) -> tuple[Floats, Ints]:
    """p̃(target; source), sources × targets; and for each target the first source equal to it.

    Where no source equals the target, its index is the number of sources. A tree is never reached
    from itself.
    """
    collection = truth.known_collection
    if len(sources.nodes) == len(sources) and len(targets.nodes) == len(targets):
        reach = navigation.between(collection, document, sources.nodes, targets.nodes)
        same = sources.nodes[:, None] == targets.nodes[None, :]
        reach = np.where(same, 0.0, reach)
        return reach, np.where(same.any(axis=0), same.argmax(axis=0), len(sources))
    return _between_trees(truth, document, sources, targets, navigation, shared)


def _between_trees(
    truth: GroundTruth,
    document: int,
    sources: Trees,
    targets: Trees,
    navigation: Navigation,
    shared: bool,
) -> tuple[Floats, Ints]:
    collection = truth.known_collection
    from_nodes, from_column = np.unique(sources.nodes, return_inverse=True)
    to_nodes, to_column = np.unique(targets.nodes, return_inverse=True)
    steps = navigation.between(collection, document, from_nodes, to_nodes)
    member_from = _membership(sources, from_column, len(from_nodes))
    member_to = _membership(targets, to_column, len(to_nodes))
    sums = member_from @ steps @ member_to.T
    # Elements that two trees have in common are neither left nor reached.
    _, at_from, at_to = np.intersect1d(from_nodes, to_nodes, return_indices=True)
    common = member_from[:, at_from] @ member_to[:, at_to].T
    for source, target in zip(*np.nonzero(common), strict=True):
        both = (member_from[source, at_from] > 0) & (member_to[target, at_to] > 0)
        left = member_from[source].copy()
        left[at_from[both]] = 0
        wanted = member_to[target].copy()
        wanted[at_to[both]] = 0
        sums[source, target] = left @ steps @ wanted
    sizes = np.outer(sources.counts, targets.counts).astype(np.float64)
    reach = ratio(sums, sizes)
    if shared:
        reach = np.minimum(
            reach + ratio(common, np.broadcast_to(targets.counts, common.shape)), 1.0
        )
    same = (common == targets.counts[None, :]) & (common == sources.counts[:, None])
    return np.where(same, 0.0, reach), np.where(same.any(axis=0), same.argmax(axis=0), len(sources))


def _membership(trees: Trees, column: Ints, nodes: int) -> Floats:
    """1 where a tree has a node, trees × nodes; `column` is that of each tree's nodes."""
    has = np.zeros((len(trees), nodes))
    has[np.repeat(np.arange(len(trees)), trees.counts), column] = 1.0
    return has
