"""What a run returns in documents with highlighted text, and which relevant units it hits there.

This is taken from the ranking at the time it is scored, so that no run is read or resolved again
for the report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.errors import MissingInput, MissingText
from doxeval.measures.assessed_trees import AssessedTrees
from doxeval.measures.families.esr.sums import Hits
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.outcomes import Outcome, outcomes
from doxeval.measures.ranking import Ranking
from doxeval.runs import Kind

Pair = tuple[str, str]  # a topic and a document
# How many of a run's results in one document are shown, at most.
_MOST_UNITS = 200


class Unit(NamedTuple):
    """A returned range of text and its rank."""

    start: int
    end: int
    rank: int


@dataclass(frozen=True)
class Returned:
    """By topic and document: what a run returns there, and the outcome of each relevant unit."""

    units: dict[Pair, tuple[Unit, ...]]
    outcomes: dict[Pair, tuple[Outcome, ...]]


def returned(ranking: Ranking) -> Returned:
    """What a report shows of a run in documents; an evaluation keeps it with the run's scores."""
    truth = ranking.truth
    if not truth.has_highlights:
        return Returned({}, {})
    try:
        found = outcomes(ranking, _hits(truth))
    except (MissingInput, MissingText):  # without texts a report shows no documents
        return Returned(_units(ranking), {})
    units = relevant_units(truth)
    by_pair: dict[Pair, list[Outcome]] = {}
    pairs = pairs_of(truth, units.topic, units.document)
    for pair, outcome in zip(pairs, found, strict=True):
        by_pair.setdefault(pair, []).append(outcome)
    return Returned(_units(ranking), {pair: tuple(found) for pair, found in by_pair.items()})


def _hits(truth: GroundTruth) -> Hits:
    """What is relevant, and how readers reach it, as in the profile."""
    return Hits().settled(truth)


def relevant_units(truth: GroundTruth) -> AssessedTrees:
    """The units that a report tells to be hit, near or missed."""
    return _hits(truth).units(truth)


def pairs_of(truth: GroundTruth, topic: Ints, document: Ints) -> list[Pair]:
    """The names of topics and judged documents, given their numbers.

    Documents are numbered as in the collection.
    """
    judged = truth.places_of(document)
    return [
        (truth.topics[one], truth.documents[other])
        for one, other in zip(topic.tolist(), judged.tolist(), strict=True)
    ]


def _units(ranking: Ranking) -> dict[Pair, tuple[Unit, ...]]:
    """The ranges that are returned in documents with highlighted text, best first."""
    truth = ranking.truth
    found: dict[Pair, list[Unit]] = {}
    for row in ranking.in_relevant_text.tolist():
        document = truth.documents[int(truth.document[ranking.pair[row]])]
        units = found.setdefault((truth.topics[int(ranking.topic[row])], document), [])
        if len(units) < _MOST_UNITS:
            units += _ranges(ranking, row)
    return {pair: tuple(units) for pair, units in found.items()}


def _ranges(ranking: Ranking, row: int) -> list[Unit]:
    """A result's text; for a tree that of its innermost nodes, for a point one character."""
    kind, rank = Kind(int(ranking.resolved.run.kind[row])), int(ranking.rank[row])
    start, end = int(ranking.start[row]), int(ranking.end[row])
    if kind is not Kind.TREE:
        return [Unit(start, max(end, start + (kind is Kind.POINT)), rank)]
    nodes = ranking.resolved.trees.rows(np.array([row])).nodes.tolist()
    columns = ranking.truth.known_collection.nodes
    innermost = [
        node
        for at, node in enumerate(nodes)
        if at + 1 == len(nodes) or nodes[at + 1] >= node + int(columns.size[node])
    ]
    return [Unit(int(columns.start[n]), int(columns.end[n]), rank) for n in innermost]
