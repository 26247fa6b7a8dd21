"""The greedy oracle: which chunks to read, if somebody knew the gold.

At each step the chunk is read that adds the most for its cost; among equal ones the one that adds
more, then the first. For chunks that do not overlap this is the best order at every budget, up to
the last chunk that is read.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Ints, concatenated_ranges
from doxeval.chunks.chunks import Chunks, run_of_chunks
from doxeval.chunks.dataset import Dataset
from doxeval.chunks.transforms import ChunkRun
from doxeval.errors import warn
from doxeval.evaluation import RunOptions, build_ranking
from doxeval.measures import GroundTruth, best_shown, ratio
from doxeval.named import checked
from doxeval.runs import ChunkTable, Run
from doxeval.spans import Spans

_DIGITS = 9  # sums of shares that differ by less are equal
_GROUP = 1 << 32


@checked
def oracle(
    chunks: Chunks,
    gold: Any,
    *,
    unit: str = "words",
    tokens: Any = None,
    max_missing: int | str = 0,
    run_id: str = "oracle",
) -> ChunkRun:
    """Return the run of somebody who knows the gold: the chunks in the best order.

    It is greedy: each result is the chunk that adds the most gold for what it costs in `unit`,
    of equal ones the one that adds more, then the first. For chunks that do not overlap, no order
    has a higher bR, up to the last chunk that is read. `max_missing` says how much of the gold may
    be missing, as `questions` does.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "One two three. Four five."})
    >>> need = {"spans": [{"doc": "a", "quote": "three. Four"}]}
    >>> gold = chunks.questions([{"id": "1", "question": "What?", "needs": [need]}], docs)
    >>> run = chunks.oracle(chunks.split(docs, "sentences:1:0"), gold)
    >>> [(result.start, result.end) for result in run]
    [(0, 14), (15, 25)]
    """
    dataset = Dataset(chunks.known_docs, gold, unit, tokens, max_missing)
    run = Oracle(chunks.table, dataset.truth).run(dataset.sizes(chunks), run_id)
    run = replace(run, warnings=(*dataset.warnings, *run.warnings))
    warn(run.warnings)
    return ChunkRun.of(run, chunks)


class OracleStep(NamedTuple):
    """A chunk that is read: the gold that it adds, in characters, and its cost."""

    chunk: int
    gain: float
    cost: int


class Oracle:
    """The oracle over all chunks of a chunking, whatever they cost."""

    def __init__(self, table: ChunkTable, truth: GroundTruth) -> None:
        self.table = table
        self.truth = truth
        gold = list(_gold_of_topics(truth, table.documents))
        spans = Spans.of([(text.document, text.start, text.end) for _, text in gold])
        shared = overlaps(spans, spans_of_chunks(table))
        by_topic: dict[int, dict[int, list[int]]] = defaultdict(dict)
        for row, chunk in zip(shared.gold.tolist(), shared.chunk.tolist(), strict=True):
            by_topic[gold[row][0]].setdefault(chunk, []).append(row)
        texts, shown = [text for _, text in gold], table.spans.as_tuples()
        self._steps: dict[bytes, list[list[OracleStep]]] = {}
        self._topics = [
            _TopicGold(texts, by_topic.get(topic, {}), shown) for topic in range(len(truth.topics))
        ]

    def steps(self, cost: Ints) -> list[list[OracleStep]]:
        """Return the chunks that the oracle reads, by topic, given what each chunk costs."""
        key = cost.tobytes()
        if key not in self._steps:
            self._steps[key] = [_greedy(topic, cost) for topic in self._topics]
        return self._steps[key]

    def run(self, cost: Ints, run_id: str = "oracle") -> Run:
        """Return the chunks that the oracle reads as a run."""
        steps = self.steps(cost)
        counts = list(map(len, steps))
        topics = np.repeat(np.array(self.truth.topics, dtype=object), counts).tolist()
        rows = np.array([step.chunk for of_topic in steps for step in of_topic], dtype=np.int64)
        return run_of_chunks(self.table, topics, rows, None, run_id)

    def best_ious(self) -> list[float]:
        """Return the best IoU that the first chunks of the order reach, by topic.

        The order is the one in which characters are paid for. Without gold it is nan.

        >>> from doxeval.assessments import Assessments, Judgment
        >>> truth = GroundTruth.of(Assessments([Judgment("7", "a", ((2, 8),))]))
        >>> table = ChunkTable.of(["1", "2"], ["a", "a"], [[(0, 5)], [(5, 15)]])
        >>> Oracle(table, truth).best_ious()
        [0.4]
        """
        run = self.run(self.table.spans.sizes())
        ranking = build_ranking(run, self.truth, RunOptions()).ranking
        shown, total = best_shown(ranking)
        ious = ratio(shown, ranking.cumulated(ranking.size) + total - shown)
        return [
            float(of_topic.max(initial=0.0)) if gold > 0 else float("nan")
            for of_topic, gold in zip(
                ranking.by_topic(ious), self.truth.relevance_weights.total, strict=True
            )
        ]


class _GoldText(NamedTuple):
    """A span of gold, and what a character of it is worth.

    need: the need with alternatives that it answers; -1 if it counts by itself. alternative: the
    one of that need that it is, or is part of.
    """

    document: int
    start: int
    end: int
    worth: float
    need: int
    alternative: int = -1


def _gold_of_topics(
    truth: GroundTruth, documents: Sequence[str]
) -> Iterable[tuple[int, _GoldText]]:
    """Yield all gold in some documents, each span with its topic."""
    numbers = {name: number for number, name in enumerate(documents)}
    document = [numbers.get(truth.documents[number], -1) for number in truth.document.tolist()]
    topic = truth.topic.tolist()
    weights, needs = truth.relevance_weights, truth.needs
    columns = (*(column.tolist() for column in weights.text), weights.worth.tolist())
    for pair, start, end, worth in zip(*columns, strict=True):
        if document[pair] >= 0:
            yield topic[pair], _GoldText(document[pair], start, end, worth, -1)
    for need, weight in zip(weights.several.tolist(), weights.weight.tolist(), strict=True):
        for at in range(int(needs.begin[need]), int(needs.begin[need + 1])):
            worth = weight / int(needs.size[at]) if needs.size[at] else 0.0
            rows = slice(*needs.first[at : at + 2])
            spans = (column[rows].tolist() for column in (needs.pair, needs.start, needs.end))
            for pair, start, end in zip(*spans, strict=True):
                if document[pair] >= 0:
                    yield topic[pair], _GoldText(document[pair], start, end, worth, need, at)


class _TopicGold:
    """The gold of a topic, and the parts of it that each chunk shows.

    Each span of gold is divided into segments where chunks begin or end in it, so that a chunk
    shows a segment whole or not at all.

    covered: the segments of each chunk, with the row of their gold. showing: the chunks of each
    segment. answering: the chunks of each need.
    """

    def __init__(
        self,
        gold: Sequence[_GoldText],
        rows_of_chunk: dict[int, list[int]],
        shown: Sequence[tuple[tuple[int, int], ...]],
    ) -> None:
        self.gold = {row: gold[row] for rows in rows_of_chunk.values() for row in rows}
        parts = {
            chunk: [
                (row, max(start, gold[row].start), min(end, gold[row].end))
                for row in rows
                for start, end in shown[chunk]
                if start < gold[row].end and end > gold[row].start
            ]
            for chunk, rows in rows_of_chunk.items()
        }
        edges: dict[int, set[int]] = defaultdict(set)
        for some in parts.values():
            for row, start, end in some:
                edges[row].update((start, end))
        in_order = {row: sorted(of_gold) for row, of_gold in edges.items()}
        self.sizes: list[int] = []
        first: dict[int, int] = {}
        for row, of_gold in in_order.items():
            first[row] = len(self.sizes)
            self.sizes += [after - before for before, after in pairwise(of_gold)]
        self.covered: dict[int, list[tuple[int, int]]] = {}
        self.showing: dict[int, list[int]] = defaultdict(list)
        self.answering: dict[int, set[int]] = defaultdict(set)
        for chunk, some in parts.items():
            self.covered[chunk] = [
                (row, first[row] + at)
                for row, start, end in some
                for at in range(bisect_left(in_order[row], start), bisect_left(in_order[row], end))
            ]
            for row, segment in self.covered[chunk]:
                self.showing[segment].append(chunk)
                self.answering[self.gold[row].need].add(chunk)


class _ReadSoFar:
    """What has been read for a topic, and what reading a chunk would add."""

    def __init__(self, topic: _TopicGold) -> None:
        self._topic = topic
        self._read = [False] * len(topic.sizes)
        self._seen: dict[int, int] = defaultdict(int)  # characters shown of an alternative
        self._most: dict[int, float] = defaultdict(float)  # the largest share of a need's worth

    def gain(self, chunk: int) -> float:
        """Return what reading a chunk would add."""
        gain = 0.0
        new: dict[int, int] = defaultdict(int)
        for row, segment in self._topic.covered[chunk]:
            if not self._read[segment]:
                new[row] += self._topic.sizes[segment]
        grown: dict[int, int] = defaultdict(int)
        most: dict[int, float] = {}
        for row, size in new.items():
            text = self._topic.gold[row]
            if text.need < 0:
                gain += text.worth * size
            else:
                grown[text.alternative] += size
                now = (self._seen[text.alternative] + grown[text.alternative]) * text.worth
                most[text.need] = max(now, most.get(text.need, 0.0))
        return gain + sum(max(now - self._most[need], 0.0) for need, now in most.items())

    def read(self, chunk: int) -> set[int]:
        """Read a chunk, and return the chunks whose gain may have changed."""
        topic = self._topic
        changed: set[int] = set()
        for row, segment in topic.covered[chunk]:
            if self._read[segment]:
                continue
            self._read[segment] = True
            changed.update(topic.showing[segment])
            text = topic.gold[row]
            if text.need >= 0:
                self._seen[text.alternative] += topic.sizes[segment]
                now = self._seen[text.alternative] * text.worth
                self._most[text.need] = max(now, self._most[text.need])
                changed |= topic.answering[text.need]
        return changed


def _greedy(topic: _TopicGold, cost: Ints) -> list[OracleStep]:
    reader = _ReadSoFar(topic)
    steps: list[OracleStep] = []
    gains = {chunk: reader.gain(chunk) for chunk in sorted(topic.covered)}
    queue = [_priority(gain, int(cost[chunk]), chunk) for chunk, gain in gains.items()]
    heapify(queue)
    while queue:
        first = heappop(queue)
        gain, price = gains.get(first.chunk), int(cost[first.chunk])
        if gain is None or _priority(gain, price, first.chunk) != first:
            continue  # it has been read, or its gain has changed and it waits elsewhere
        if round(gain, _DIGITS) <= 0:
            break
        del gains[first.chunk]
        steps.append(OracleStep(first.chunk, gain, price))
        for chunk in reader.read(first.chunk) & gains.keys():
            gains[chunk] = reader.gain(chunk)
            heappush(queue, _priority(gains[chunk], int(cost[chunk]), chunk))
    return steps


class _Priority(NamedTuple):
    """The place of a chunk in the queue: the one that adds most for its cost is the least."""

    ratio: float
    gain: float
    chunk: int


def _priority(gain: float, cost: int, chunk: int) -> _Priority:
    """Return the priority of a chunk; one that costs nothing comes first."""
    per_unit = gain / cost if cost else (math.inf if gain > 0 else 0.0)
    return _Priority(-round(per_unit, _DIGITS), -round(gain, _DIGITS), chunk)


# Overlaps of gold and chunks


class OwnedSpans(NamedTuple):
    """Spans of chunks: the chunk of each, and the span in its document (the group)."""

    owner: Ints
    text: Spans


class Overlaps(NamedTuple):
    """Spans of gold and chunks that share characters: which span, which chunk, how many."""

    gold: Ints
    chunk: Ints
    shared: Ints


def spans_of_chunks(table: ChunkTable) -> OwnedSpans:
    """Return the spans of all chunks."""
    owner = table.spans.owner
    return OwnedSpans(owner, Spans(table.document[owner], table.spans.start, table.spans.end))


def overlaps(gold: Spans, chunks: OwnedSpans) -> Overlaps:
    """Return the chunks that share at least a character with each span of gold.

    >>> chunks = OwnedSpans(np.array([0, 1]), Spans.of([(0, 0, 5), (0, 5, 9)]))
    >>> [column.tolist() for column in overlaps(Spans.of([(0, 4, 7), (0, 5, 6)]), chunks)]
    [[0, 0, 1], [0, 1, 1], [1, 2, 1]]
    """
    order = np.lexsort((chunks.text.start, chunks.text.group))
    text = Spans(*(column[order] for column in chunks.text))
    start = text.group * _GROUP + text.start
    reach = np.maximum.accumulate(text.group * _GROUP + text.end) if len(start) else start
    low = np.searchsorted(reach, gold.group * _GROUP + gold.start, "right")
    high = np.searchsorted(start, gold.group * _GROUP + gold.end, "left")
    counts = np.maximum(high - low, 0)
    row = np.repeat(np.arange(len(low)), counts)
    near = concatenated_ranges(low, counts)
    shared = np.minimum(gold.end[row], text.end[near]) - np.maximum(
        gold.start[row], text.start[near]
    )
    kept = shared > 0
    row, chunk = row[kept], chunks.owner[order[near[kept]]]
    # One row for each span of gold and chunk, though a chunk may have several spans.
    width = int(chunk.max(initial=0)) + 1
    keys, which = np.unique(row * width + chunk, return_inverse=True)
    total = np.zeros(len(keys), dtype=np.int64)
    np.add.at(total, which, shared[kept])
    return Overlaps(keys // width, keys % width, total)
