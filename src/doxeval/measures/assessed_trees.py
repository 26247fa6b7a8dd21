"""What was assessed, as the ESR measures see it: trees of elements, each with its relevance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments.judgment import AssessedUnit, Judgment
from doxeval.assessments.quantisations import quantisation_named
from doxeval.documents.trees import Trees
from doxeval.errors import MissingInput
from doxeval.measures.base import Floats
from doxeval.measures.ground_truth import GroundTruth
from doxeval.spans import Spans, merged, shared_lengths

Which = Literal["full", "ideal", "units"]
Relevance = Literal["binary", "length", "spec"]


@dataclass(frozen=True, eq=False)
class AssessedTrees:
    """The assessed trees of all topics, with their relevance; documents as the collection has them.

    >>> pair = np.array([0, 0])
    >>> trees = Trees.of_singletons(np.array([3, 5]))
    >>> AssessedTrees(pair, pair, trees, np.ones(2)).rows_by_pair
    {0: array([0, 1])}
    """

    topic: Ints
    document: Ints
    trees: Trees
    relevance: Floats

    @cached_property
    def rows_by_pair(self) -> dict[int, Ints]:
        """The rows of each topic and document, by `pair_keys`."""
        return rows_by_key(pair_keys(self.topic, self.document))


def pair_keys(topic: Ints, other: Ints) -> Ints:
    """Topic and document (or node) as one number.

    >>> pair_keys(np.array([0, 1]), np.array([7, 7])).tolist()
    [7, 4294967303]
    """
    keys: Ints = (topic.astype(np.int64) << 32) | other.astype(np.int64)
    return keys


def rows_by_key(keys: Ints) -> dict[int, Ints]:
    """The rows that have each key, ascending.

    >>> rows_by_key(np.array([9, 4, 9]))
    {4: array([1]), 9: array([0, 2])}
    """
    if not len(keys):
        return {}
    order = np.argsort(keys, kind="stable")
    in_order = keys[order]
    first = np.flatnonzero(np.append(True, in_order[1:] != in_order[:-1]))
    return dict(zip(in_order[first].tolist(), np.split(order, first[1:]), strict=True))


def assessed_trees(
    truth: GroundTruth, which: Which, relevance: Relevance, quant: str
) -> AssessedTrees:
    """The full or ideal recall base, or the assessed units as they were given; made once."""
    make = _given_units if which == "units" else _recall_base
    key = ("assessed trees", which, relevance, quant)
    return truth.remembered(key, lambda: make(truth, which, relevance, quant))


def _recall_base(
    truth: GroundTruth, which: Which, relevance: Relevance, quant: str
) -> AssessedTrees:
    base = truth.base(which, quant)
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
    return AssessedTrees(base.topic, base.document, trees, values)


def _given_units(
    truth: GroundTruth, which: Which, relevance: Relevance, quant: str
) -> AssessedTrees:
    given = [(judgment, unit) for judgment in truth.assessments for unit in judgment.units]
    if not given:
        raise MissingInput("assessed=units needs assessed units: lines with nodes and rel")
    numbers = {topic: number for number, topic in enumerate(truth.topics)}
    topic = np.array([numbers[judgment.topic] for judgment, _ in given], dtype=np.int64)
    document = truth.known_collection.find_documents([judgment.document for judgment, _ in given])
    trees = _trees_of_units(truth, document, given)
    stated = np.array([unit.relevance for _, unit in given], dtype=np.float64)
    values = (stated > 0).astype(np.float64)
    if relevance == "spec":
        values = stated
    elif relevance == "length":
        values = values * union_lengths(truth, topic, trees, relevant=truth.has_highlights)
    kept = np.flatnonzero(values > 0)
    return AssessedTrees(topic[kept], document[kept], trees.rows(kept), values[kept])


def _trees_of_units(
    truth: GroundTruth, document: Ints, given: list[tuple[Judgment, AssessedUnit]]
) -> Trees:
    """The nodes of each unit, ascending; all of them must be in the collection."""
    counts = [len(unit.nodes) for _, unit in given]
    paths = [path for _, unit in given for path in unit.nodes]
    nodes = truth.known_collection.find_nodes(np.repeat(document, counts), paths)
    if (nodes < 0).any():
        path = paths[int(np.argmax(nodes < 0))]
        raise MissingInput(f"an assessed unit names {path}, which is not in the collection")
    owner = np.repeat(np.arange(len(given)), counts)
    return Trees(nodes[np.lexsort((nodes, owner))], np.append(0, np.cumsum(counts)))


def union_lengths(truth: GroundTruth, topic: Ints, trees: Trees, *, relevant: bool) -> Floats:
    """How many characters (or only highlighted ones) the nodes of each tree have together."""
    columns = truth.known_collection.nodes
    owner = np.repeat(np.arange(len(trees)), trees.counts)
    start, end = (edge[trees.nodes].astype(np.int64) for edge in (columns.start, columns.end))
    spans = merged(Spans(owner, start, end))
    lengths = spans.lengths()
    if relevant:
        document = truth.known_collection.documents_of(trees.nodes[trees.begin[:-1]])
        pair = truth.pairs_of(topic, document)[spans.group]
        highlighted = shared_lengths(Spans(pair, spans.start, spans.end), truth.highlights)
        lengths = np.where(pair < 0, 0, highlighted)
    return np.bincount(spans.group, lengths, len(trees)).astype(np.float64)
