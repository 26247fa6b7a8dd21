"""Which documents a report shows: those in which the runs differ most.

Runs differ in a document by how much of its highlighted text they return (where nothing is
highlighted, of its whole text): the mean difference between two runs. First count only the first
results of each list, then, among equals, all results. Each topic shows one document before any
topic shows a second one. Texts cost space, so the list ends where the page would become large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.measures import GroundTruth, RetainedResults
from doxeval.reports.documents.outline import MAX_ROWS
from doxeval.spans import Spans, merge_spans, shared_lengths

FIRST_RESULTS = 10
MAX_DOCUMENTS = 24
# How many of a run's results in one document are shown, at most.
MAX_UNITS = 200
# How many chunks of one document, at most.
MAX_CHUNKS = 5000
# Longer texts are shortened.
LONGEST_TEXT = 200_000
# What all documents together may cost: their characters, and those that the spans returned in
# them and the rows of their outlines take.
_MAX_COST = 900_000
_COST_OF_SPAN = 15
_COST_OF_ROW = 120


class SelectedDocuments(NamedTuple):
    """The documents that are shown, best first, and how many there were to choose from.

    pairs: as the ground truth numbers them. least, most: the shares of text that the runs return.
    """

    pairs: tuple[int, ...]
    least: tuple[float, ...]
    most: tuple[float, ...]
    of: int


@dataclass(frozen=True)
class _CandidateDocuments:
    """Documents that could be shown, with their sizes, and the text that counts in each."""

    pairs: Ints
    topic: Ints
    document: Ints
    length: Ints
    elements: Ints
    spans: Spans  # grouped by the place of the pair among the candidates


def select_documents(
    truth: GroundTruth,
    runs: Sequence[RetainedResults],
    most: int = MAX_DOCUMENTS,
    first: int = FIRST_RESULTS,
) -> SelectedDocuments:
    """Return the documents in which the runs differ most, one of each topic before a second.

    `first` is how many results of each list count before the others do.
    """
    candidates = _candidates(truth)
    if not len(candidates.pairs):
        return SelectedDocuments((), (), (), 0)
    shares = _shares(candidates, runs, None)
    among_first = _differences(_shares(candidates, runs, first))
    returning = (shares > 0).sum(axis=1)
    order = np.lexsort((-returning, -_differences(shares), -among_first))
    rounds = _rounds(candidates.topic[order])
    in_rounds = order[np.argsort(rounds, kind="stable")]
    shown = _affordable(candidates, runs, in_rounds[:most])
    least, highest = shares[shown].min(axis=1), shares[shown].max(axis=1)
    pairs = tuple(candidates.pairs[shown].tolist())
    return SelectedDocuments(
        pairs, tuple(least.tolist()), tuple(highest.tolist()), len(candidates.pairs)
    )


def _candidates(truth: GroundTruth) -> _CandidateDocuments:
    """Return the relevant documents with known texts in which text or elements were assessed."""
    is_shown = (truth.highlighted > 0) | _graded(truth)
    every, count = _sizes(truth)
    pairs = np.flatnonzero(is_shown & (every[truth.document] > 0))
    length, elements = every[truth.document[pairs]], count[truth.document[pairs]]
    place = np.full(len(truth.topic), -1, dtype=np.int64)
    place[pairs] = np.arange(len(pairs))
    highlighted = np.flatnonzero(place[truth.highlights.group] >= 0)
    bare = np.flatnonzero(truth.highlighted[pairs] == 0)
    spans = Spans(
        np.concatenate([place[truth.highlights.group[highlighted]], bare]),
        np.concatenate([truth.highlights.start[highlighted], np.zeros_like(bare)]),
        np.concatenate([truth.highlights.end[highlighted], length[bare]]),
    )
    topic, document = truth.topic[pairs], truth.document[pairs]
    return _CandidateDocuments(pairs, topic, document, length, elements, merge_spans(spans))


def _sizes(truth: GroundTruth) -> tuple[Ints, Ints]:
    """Return the characters and elements of each judged document; 0 if its text is not known."""
    collection = truth.collection
    if collection is None:
        texts = [truth.known_texts.find(document) or "" for document in truth.documents]
        lengths = np.array([len(text) for text in texts], dtype=np.int64)
        return lengths, np.zeros_like(lengths)
    numbers = collection.find_documents(truth.documents)
    is_known = numbers >= 0
    first = collection.rows[np.maximum(numbers, 0)]
    elements = np.where(is_known, collection.rows[np.maximum(numbers, 0) + 1] - first, 0)
    return np.where(is_known, collection.nodes.end[first], 0).astype(np.int64), elements


def _graded(truth: GroundTruth) -> Bools:
    """Return which judged pairs have graded elements that are relevant."""
    is_graded = np.zeros(len(truth.topic), dtype=np.bool_)
    if not (truth.has_grades or truth.relevant.has_lists):
        return is_graded
    detailed = truth.assessments.detailed()
    names = {judgment.pair for judgment in detailed if judgment.grades or judgment.elements}
    for pair in np.flatnonzero(truth.is_relevant).tolist():
        name = (truth.topics[truth.topic[pair]], truth.documents[truth.document[pair]])
        is_graded[pair] = name in names
    return is_graded


def _shares(
    candidates: _CandidateDocuments, runs: Sequence[RetainedResults], first: int | None
) -> Floats:
    """Return the share of the text that counts which each run returns, documents × runs."""
    shape = (len(candidates.pairs), len(runs))
    returned = np.zeros(shape)
    whole = np.bincount(candidates.spans.group, candidates.spans.lengths(), shape[0])
    for number, run in enumerate(runs):
        place = _positions(candidates, run)
        kept = np.flatnonzero((place >= 0) & (True if first is None else run.rank <= first))
        union = merge_spans(Spans(place[kept], run.start[kept], run.end[kept]))
        shared = shared_lengths(union, candidates.spans)
        returned[:, number] = np.bincount(union.group, shared, shape[0])
    return np.divide(returned, whole[:, None], out=np.zeros(shape), where=whole[:, None] > 0)


def _positions(candidates: _CandidateDocuments, run: RetainedResults) -> Ints:
    """Return the position of each span's document among the candidates; -1 if it is not there."""
    at = np.searchsorted(candidates.pairs, run.pair)
    at = np.minimum(at, len(candidates.pairs) - 1)
    return np.where(candidates.pairs[at] == run.pair, at, -1)


def _differences(shares: Floats) -> Floats:
    """Return the mean difference between two runs in each document; of one run, what it returns.

    Rounded, so that documents are equals if they differ only by how sums are rounded.
    """
    runs = shares.shape[1]
    if runs < 2:
        return np.asarray(shares.sum(axis=1))
    weights = 2 * np.arange(runs) - runs + 1
    total = (np.sort(shares, axis=1) * weights).sum(axis=1)
    return np.asarray(np.round(total / (runs * (runs - 1) / 2), 9))


def _rounds(topics: Ints) -> Ints:
    """Return how many documents of the same topic come before each."""
    order = np.argsort(topics, kind="stable")
    in_order = topics[order]
    first = np.searchsorted(in_order, in_order)
    rounds = np.empty(len(topics), dtype=np.int64)
    rounds[order] = np.arange(len(topics)) - first
    return rounds


def _affordable(
    candidates: _CandidateDocuments, runs: Sequence[RetainedResults], chosen: Ints
) -> Ints:
    """Return the documents that fit into the page, in order; the first always does."""
    ranges = np.zeros(len(candidates.pairs), dtype=np.int64)
    for run in runs:
        place = _positions(candidates, run)
        counts = np.bincount(place[place >= 0], minlength=len(ranges))
        ranges += np.minimum(counts, MAX_UNITS)
    length = np.minimum(candidates.length, LONGEST_TEXT)
    cost = _COST_OF_SPAN * ranges + _COST_OF_ROW * np.minimum(candidates.elements, MAX_ROWS)
    shown: list[int] = []
    texts: set[int] = set()  # which the page carries once, for whatever number of topics
    spent = 0
    for at in chosen.tolist():
        document = int(candidates.document[at])
        added = int(cost[at]) + (0 if document in texts else int(length[at]))
        if shown and spent + added > _MAX_COST:
            continue
        shown.append(at)
        texts.add(document)
        spent += added
    return np.array(shown, dtype=np.int64)
