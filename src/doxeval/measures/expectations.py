"""Expected hits, near-misses and misses, rank by rank: what the ESR measures are made of.

    p̃(t; u) = Σ_{f ∈ u∖t} Σ_{e ∈ t∖u} p̃(e; f) / (|t|·|u|)      from tree u to tree t
    p(a; R)  = 1 − Π (1 − p̃(a; t_j))                            from the list R to tree a

    Hits(k)       = Σ rel(a)·(1 − p(a; R before a))   over the assessed trees among the first k
    NearMisses(k) = Σ rel(a)·p(a; R_k)                over those that are not among them
    Misses(k)     = Σ rel(a)·(1 − p(a; R_k))          over those that are not among them

(Ali, Consens and Lalmas 2012, eq 4, 5, 8–11.) Probabilities are computed only between what was
retrieved and what was assessed in one document, and summed up rank by rank in one pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments.quantisations import quantisation_named
from doxeval.documents.trees import Trees
from doxeval.errors import MissingInput
from doxeval.measures.base import Floats
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking, ratio
from doxeval.navigation import Navigation
from doxeval.spans import Spans, merged, shared_lengths

# At most so many pairs of retrieved and assessed trees are worked on at once.
_MOST_PAIRS = 2_000_000


@dataclass(frozen=True)
class Assessed:
    """The assessed trees of all topics, with their relevance."""

    topic: Ints
    document: Ints
    trees: Trees
    relevance: Floats


@dataclass(frozen=True)
class Expectations:
    """By topic: total relevance, and cumulated by rank: hits, near-misses, what they leave over."""

    total: Floats
    hits: list[Floats]
    near: list[Floats]
    retrieved_relevance: list[Floats]

    def misses(self, topic: int) -> Floats:
        """Σ rel·(1 − p) over what is not retrieved."""
        found: Floats = self.total[topic] - self.retrieved_relevance[topic] - self.near[topic]
        return found

    def recall_base(self, topic: int) -> Floats:
        """Hits, near-misses and misses together."""
        found: Floats = self.hits[topic] + self.total[topic] - self.retrieved_relevance[topic]
        return found


def expectations(
    ranking: Ranking, assessed: Assessed, navigation: Navigation, shared: bool
) -> Expectations:
    """What readers of a run can expect, rank by rank."""
    truth = ranking.truth
    size = len(ranking)
    hits, near, gone = np.zeros(size), np.zeros(size), np.zeros(size)
    trees = ranking.trees
    for own, rows in together(ranking, assessed):
        document = int(assessed.document[own[0]])
        sources = trees.rows(rows)
        for some in _portions(own, len(rows)):
            targets, relevance = assessed.trees.rows(some), assessed.relevance[some]
            reach, found_at = reaching(truth, document, sources, targets, navigation, shared)
            _add(hits, near, gone, rows, reach, found_at, relevance)
    total = np.bincount(assessed.topic, assessed.relevance, len(truth.topics))
    return Expectations(
        total.astype(np.float64),
        [np.cumsum(values) for values in ranking.by_topic(hits)],
        # What comes and goes again may leave a trace of rounding below 0.
        [np.maximum(np.cumsum(values), 0.0) for values in ranking.by_topic(near)],
        [np.cumsum(values) for values in ranking.by_topic(gone)],
    )


def together(ranking: Ranking, assessed: Assessed) -> Iterator[tuple[Ints, Ints]]:
    """Assessed trees and results of the same topic and document."""
    documents = len(ranking.truth.known_collection)
    known = np.flatnonzero(ranking.tree_documents >= 0)
    keys = ranking.topic[known] * documents + ranking.tree_documents[known]
    results = {key: known[rows] for key, rows in _by_key(keys).items()}
    for key, own in _by_key(assessed.topic * documents + assessed.document).items():
        rows = results.get(key)
        if rows is not None:
            yield own, rows


def _by_key(keys: Ints) -> dict[int, Ints]:
    """The rows of each key, ascending."""
    if not len(keys):
        return {}
    order = np.argsort(keys, kind="stable")
    in_order = keys[order]
    first = np.flatnonzero(np.append(True, np.diff(in_order) != 0))
    return dict(zip(in_order[first].tolist(), np.split(order, first[1:]), strict=True))


def _portions(own: Ints, results: int) -> Iterator[Ints]:
    step = max(_MOST_PAIRS // max(results, 1), 1)
    for begin in range(0, len(own), step):
        yield own[begin : begin + step]


def _add(
    hits: Floats,
    near: Floats,
    gone: Floats,
    rows: Ints,
    reach: Floats,
    found_at: Ints,
    relevance: Floats,
) -> None:
    """What each result of a document adds to hits and near-misses (results × assessed trees)."""
    unseen = np.cumprod(1 - reach, axis=0)
    is_found = np.flatnonzero(found_at < len(rows))
    at = found_at[is_found]
    before = np.where(at == 0, 1.0, unseen[np.maximum(at - 1, 0), is_found])
    np.add.at(hits, rows[at], relevance[is_found] * before)
    np.add.at(gone, rows[at], relevance[is_found])
    missing = np.arange(len(rows))[:, None] < found_at[None, :]
    by_now = (relevance * (1 - unseen) * missing).sum(axis=1)
    near[rows] += np.diff(by_now, prepend=0.0)


def reaching(
    truth: GroundTruth,
    document: int,
    sources: Trees,
    targets: Trees,
    navigation: Navigation,
    shared: bool,
) -> tuple[Floats, Ints]:
    """p̃(target; source), sources × targets; and which source is each target itself.

    Where no source is, the number is that of the sources. From a tree to itself there is no way.
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
    from_nodes, from_place = np.unique(sources.nodes, return_inverse=True)
    to_nodes, to_place = np.unique(targets.nodes, return_inverse=True)
    steps = navigation.between(collection, document, from_nodes, to_nodes)
    member_from = _membership(sources, from_place, len(from_nodes))
    member_to = _membership(targets, to_place, len(to_nodes))
    sums = member_from @ steps @ member_to.T
    # Trees with common elements: what is in both is neither left nor reached.
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


def _membership(trees: Trees, place: Ints, nodes: int) -> Floats:
    found = np.zeros((len(trees), nodes))
    found[np.repeat(np.arange(len(trees)), trees.counts), place] = 1.0
    return found


# What was assessed


def assessed_trees(truth: GroundTruth, assessed: str, relevance: str, quant: str) -> Assessed:
    """The assessed trees: the full or ideal recall base, or the units that were given."""
    if assessed == "units":
        return _units(truth, relevance)
    base = truth.base(assessed, quant)
    elements = truth.elements(quantisation_named(quant))
    values = np.ones(len(base))
    if relevance == "spec":
        values = base.value
    elif relevance == "length":
        rsize = elements.rsize[base.row]
        if (rsize < 0).any():
            raise MissingInput("rel=length needs highlighted text")
        values = rsize.astype(np.float64)
    trees = Trees.of_singletons(elements.node[base.row])
    return Assessed(base.topic, base.document, trees, values)


def _units(truth: GroundTruth, relevance: str) -> Assessed:
    collection = truth.known_collection
    topics = {topic: place for place, topic in enumerate(truth.topics)}
    given = [(judgment, unit) for judgment in truth.assessments for unit in judgment.units]
    if not given:
        raise MissingInput("assessed=units needs assessed units: lines with nodes and rel")
    documents = collection.find_documents([judgment.document for judgment, _ in given])
    counts = [len(unit.nodes) for _, unit in given]
    paths = [path for _, unit in given for path in unit.nodes]
    nodes = collection.find_nodes(np.repeat(documents, counts), paths)
    if (nodes < 0).any():
        path = paths[int(np.argmax(nodes < 0))]
        raise MissingInput(f"an assessed unit names {path}, which is not in the collection")
    topic = np.array([topics[judgment.topic] for judgment, _ in given], dtype=np.int64)
    begin = np.append(0, np.cumsum(counts))
    trees = _sorted_within(Trees(nodes, begin))
    stated = np.array([unit.relevance for _, unit in given], dtype=np.float64)
    values = (stated > 0).astype(np.float64)
    if relevance == "spec":
        values = stated
    elif relevance == "length":
        values = values * union_lengths(truth, topic, trees, relevant=truth.has_highlights)
    kept = np.flatnonzero(values > 0)
    return Assessed(topic[kept], documents[kept], trees.rows(kept), values[kept])


def _sorted_within(trees: Trees) -> Trees:
    owner = np.repeat(np.arange(len(trees)), trees.counts)
    return Trees(trees.nodes[np.lexsort((trees.nodes, owner))], trees.begin)


def union_lengths(truth: GroundTruth, topic: Ints, trees: Trees, *, relevant: bool) -> Floats:
    """How many characters (or only highlighted ones) the nodes of each tree have together."""
    columns = truth.known_collection.nodes
    owner = np.repeat(np.arange(len(trees)), trees.counts)
    spans = merged(
        Spans(
            owner,
            columns.start[trees.nodes].astype(np.int64),
            columns.end[trees.nodes].astype(np.int64),
        )
    )
    lengths = spans.lengths()
    if relevant:
        document = truth.known_collection.documents_of(trees.nodes[trees.begin[:-1]])
        pair = truth.pairs_of(topic, document)
        group = pair[spans.group]
        lengths = np.where(
            group < 0,
            0,
            shared_lengths(Spans(group, spans.start, spans.end), truth.highlights),
        )
    return np.bincount(spans.group, lengths, len(trees)).astype(np.float64)
