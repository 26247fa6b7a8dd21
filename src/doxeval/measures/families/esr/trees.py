"""What was assessed, as the ESR measures see it: trees of elements, each with its relevance.

    units   trees that were assessed one by one
    cover   the coarsest disjoint elements that hold the highlighted text
    ideal   the ideal recall base, one element on each relevant path
    full    the full recall base, in which relevant elements lie inside each other

A tree is worth 1 (binary), its highlighted characters (length) or its specificity (spec): for a
unit its stated relevance, for an element of a recall base its quantised grade.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints, rows_by_key, sum_by_group
from doxeval.assessments import AssessedUnit, Judgment
from doxeval.documents import PathPatterns, Trees, covers_of_groups
from doxeval.errors import MissingInput, MissingText
from doxeval.measures.caching import once
from doxeval.measures.ground_truth import GroundTruth, ignored_tags, pair_keys
from doxeval.measures.ranking import tree_documents
from doxeval.messages import short_path
from doxeval.spans import Spans, merge_spans, shared_lengths

Which = Literal["auto", "cover", "ideal", "full", "units"]
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

    def total_by_topic(self, topics: int) -> Floats:
        """Return what all trees of each topic are worth; topics: how many there are."""
        return sum_by_group(self.topic, self.relevance, topics)

    @cached_property
    def rows_by_pair(self) -> dict[int, Ints]:
        """The rows of each topic and document, by `pair_keys`, ascending."""
        return rows_by_key(pair_keys(self.topic, self.document))

    @cached_property
    def pairs(self) -> Ints:
        """Topics and documents that have trees, by `pair_keys`, ascending."""
        return np.array(list(self.rows_by_pair), dtype=np.int64)


class RelevanceChoice(NamedTuple):
    """Which trees count as assessed, and what they are worth.

    assessed: not `auto`, which `which_assessed` replaces. ignore: tags whose elements are left out.
    """

    assessed: Which
    rel: Relevance
    quant: str = "spec"
    ignore: str = "none"


def which_assessed(truth: GroundTruth) -> Which:
    """Return what `auto` stands for: units if there are any, else the cover, else the ideal base.

    >>> from doxeval.assessments import Assessments
    >>> truth = GroundTruth.of(Assessments([Judgment("7", "a", ((0, 5),))]))
    >>> which_assessed(truth)
    'cover'
    """
    if truth.relevant.has_units:
        return "units"
    has_elements = truth.has_grades or truth.relevant.has_lists
    return "ideal" if has_elements and not truth.has_highlights else "cover"


@once
def trees_of_assessments(truth: GroundTruth, chosen: RelevanceChoice) -> AssessedTrees:
    """Return the assessed trees of all topics."""
    if chosen.assessed == "units":
        return _units(truth, chosen)
    return _cover(truth, chosen) if chosen.assessed == "cover" else _recall_base(truth, chosen)


@once
def relevant_text(truth: GroundTruth, chosen: RelevanceChoice) -> Floats:
    """Return Trel by topic: the highlighted characters.

    Of a cover, it is those in its members: highlighted white space between members is nobody's to
    return. So it is, too, if topics have targets. If nothing is highlighted, or relevant text is in
    several trees (in a full base) or not in all of them (in units), it is what all trees are worth
    together.

    >>> from doxeval.assessments import Assessments
    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<a>x<p>aa</p> <p>bb</p></a>"})
    >>> truth = GroundTruth.of(Assessments([Judgment("7", "a", ((1, 6),))]), collection)
    >>> relevant_text(truth, RelevanceChoice("cover", "length")).tolist()
    [4.0]
    """
    if truth.has_highlights and chosen.assessed in ("cover", "ideal"):
        if chosen.assessed == "ideal" and not truth.targets:
            return truth.relevant_characters.astype(np.float64)
        chosen = chosen._replace(rel="length")
    return trees_of_assessments(truth, chosen).total_by_topic(len(truth.topics))


# A cover


class _Covers(NamedTuple):
    """The members of the covers of all topics, with their characters and highlighted ones."""

    topic: Ints
    document: Ints
    node: Ints
    size: Ints
    rsize: Ints


def _cover(truth: GroundTruth, chosen: RelevanceChoice) -> AssessedTrees:
    if truth.is_relevant.any() and not truth.has_highlights:
        raise MissingInput("assessed=cover needs highlighted text")
    cover = _covers(truth, chosen.ignore)
    values = np.ones(len(cover.node))
    if chosen.rel == "length":
        values = cover.rsize.astype(np.float64)
    elif chosen.rel == "spec":
        values = cover.rsize / cover.size
    trees = Trees.of_singletons(cover.node)
    return AssessedTrees(cover.topic, cover.document, trees, values)


@once
def _covers(truth: GroundTruth, ignore: str) -> _Covers:
    """Return the covers of all topics; that of a topic with a target has only elements on it."""
    alike: dict[PathPatterns | None, list[int]] = {None: []}
    for number, name in enumerate(truth.topics):
        alike.setdefault(truth.targets.get(name), []).append(number)
    try:
        parts = [
            _covers_for_target(truth, topics, target, ignore) for target, topics in alike.items()
        ]
    except MissingText as error:
        raise MissingInput(
            f"assessed=cover needs the text of documents, and {error}; assessed=ideal does not"
        ) from None
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    order = np.argsort(columns[0], kind="stable")
    return _Covers(*(column[order] for column in columns))


def _covers_for_target(
    truth: GroundTruth, topics: Sequence[int], target: PathPatterns | None, ignore: str
) -> _Covers:
    """Return the covers of topics that have the same target, or none."""
    collection = truth.known_collection
    members = None if target is None else target.matches(collection.summary)
    kept = np.isin(truth.topic[truth.highlights.group], topics)
    spans = Spans(*(column[kept] for column in truth.highlights))
    pairs, group = np.unique(spans.group, return_inverse=True)
    numbers = collection.find_documents(truth.documents).astype(np.int64)
    document = numbers[truth.document[pairs]]
    ranges = Spans(group, spans.start, spans.end)
    trees = covers_of_groups(collection, document, ranges, ignored_tags(ignore), members)
    owner = np.repeat(np.arange(len(pairs)), trees.counts)
    columns = collection.nodes
    start, end = (edge[trees.nodes].astype(np.int64) for edge in (columns.start, columns.end))
    rsize = shared_lengths(Spans(pairs[owner], start, end), truth.highlights)
    return _Covers(truth.topic[pairs][owner], document[owner], trees.nodes, end - start, rsize)


# A recall base


def _recall_base(truth: GroundTruth, chosen: RelevanceChoice) -> AssessedTrees:
    base = truth.base(chosen.assessed, chosen.quant, chosen.ignore)
    elements = truth.elements(chosen.quant)
    values = np.ones(len(base))
    if chosen.rel == "spec":
        values = base.value
    elif chosen.rel == "length":
        rsize = elements.rsize[base.row]
        if (rsize < 0).any():
            raise MissingInput("rel=length needs highlighted text")
        values = rsize.astype(np.float64)
    trees = Trees.of_singletons(elements.node[base.row])
    return AssessedTrees(base.topic, base.document, trees, values)


# Units that were assessed one by one


def _units(truth: GroundTruth, chosen: RelevanceChoice) -> AssessedTrees:
    judgments = truth.assessments.detailed()
    given = [(judgment, unit) for judgment in judgments for unit in judgment.units]
    if not given:
        raise MissingInput("assessed=units needs assessed units: lines with nodes and rel")
    topic = np.array([truth.topic_numbers[judgment.topic] for judgment, _ in given], dtype=np.int64)
    document = truth.known_collection.find_documents([judgment.document for judgment, _ in given])
    trees = _trees_of_units(truth, document, given)
    if truth.targets:
        of_nodes = np.repeat(topic, trees.counts)
        trees = _only(trees, truth.relevant.on_target(of_nodes, trees.nodes))
    ignored = ignored_tags(chosen.ignore)
    if ignored:
        collection = truth.known_collection
        is_ignored = np.array([tag in ignored for tag in collection.summary.tags])
        tag = collection.summary.tag_of[collection.nodes.path[trees.nodes]]
        trees = _only(trees, ~is_ignored[tag])
    stated = np.array([unit.relevance for _, unit in given], dtype=np.float64)
    values = (stated > 0).astype(np.float64)
    if chosen.rel == "spec":
        values = stated
    elif chosen.rel == "length":
        values = values * union_lengths(truth, topic, trees, relevant=truth.has_highlights)
    kept: Ints = np.flatnonzero((values > 0) & (trees.counts > 0))
    if ignored or truth.targets:
        kept = _best_of_equals(topic, trees, values, kept)
    return AssessedTrees(topic[kept], document[kept], trees.rows(kept), values[kept])


def _trees_of_units(
    truth: GroundTruth, document: Ints, given: list[tuple[Judgment, AssessedUnit]]
) -> Trees:
    """Return the nodes of each unit, ascending; all of them must be in the collection."""
    counts = [len(unit.nodes) for _, unit in given]
    paths = [path for _, unit in given for path in unit.nodes]
    nodes = truth.known_collection.find_nodes(np.repeat(document, counts), paths)
    if (nodes < 0).any():
        path = paths[int(np.argmax(nodes < 0))]
        raise MissingInput(
            f"an assessed unit names {short_path(path)}, which is not in the collection"
        )
    owner = np.repeat(np.arange(len(given)), counts)
    return Trees(nodes[np.lexsort((nodes, owner))], np.append(0, np.cumsum(counts)))


def _only(trees: Trees, kept: Bools) -> Trees:
    """Return the trees with only some of their nodes."""
    owner = np.repeat(np.arange(len(trees)), trees.counts)
    counts = np.bincount(owner[kept], minlength=len(trees))
    return Trees(trees.nodes[kept], np.append(0, np.cumsum(counts)))


def _best_of_equals(topic: Ints, trees: Trees, values: Floats, rows: Ints) -> Ints:
    """Return, of trees that have become the same, the one that is worth most."""
    best: dict[tuple[int, tuple[int, ...]], int] = {}
    sets = trees.as_sets()
    for row in rows.tolist():
        key = (int(topic[row]), sets[row])
        if key not in best or values[row] > values[best[key]]:
            best[key] = row
    return np.array(sorted(best.values()), dtype=np.int64)


# Text of trees


def union_lengths(truth: GroundTruth, topic: Ints, trees: Trees, *, relevant: bool) -> Floats:
    """Count the characters (or only highlighted ones) of each tree."""
    columns = truth.known_collection.nodes
    owner = np.repeat(np.arange(len(trees)), trees.counts)
    start, end = (edge[trees.nodes].astype(np.int64) for edge in (columns.start, columns.end))
    spans = Spans(owner, start, end)
    if (trees.counts > 1).any():
        spans = merge_spans(spans)
    lengths = spans.lengths()
    if relevant:
        document = tree_documents(truth.known_collection, trees)
        pair = truth.pairs_of(topic, document)[spans.group]
        highlighted = shared_lengths(Spans(pair, spans.start, spans.end), truth.highlights)
        lengths = np.where(pair < 0, 0, highlighted)
    return sum_by_group(spans.group, lengths, len(trees)).astype(np.float64)
