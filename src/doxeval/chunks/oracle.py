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
from doxeval.assessments import Needs
from doxeval.chunks.chunks import Chunks, run_of_chunks
from doxeval.chunks.dataset import Bench
from doxeval.chunks.transforms import ChunkRun
from doxeval.errors import warn
from doxeval.evaluation import RunOptions, build_ranking
from doxeval.measures import GroundTruth, best_shown, ratio
from doxeval.named import checked
from doxeval.runs import ChunkTable, Run, SpanLists
from doxeval.spans import Spans

_DIGITS = 9  # sums of shares that differ by less are equal


class Step(NamedTuple):
    """A chunk that is read: what it adds to what is wanted, in characters, and its cost."""

    chunk: int
    gain: float
    cost: int


class _Piece(NamedTuple):
    """Text that is wanted. A need of -1 wants it by itself; else it is an alternative of a need."""

    document: int
    start: int
    end: int
    worth: float
    need: int


def oracle_steps(table: ChunkTable, truth: GroundTruth, cost: Ints) -> list[list[Step]]:
    """The chunks that the oracle reads, by topic."""
    wanted = _wanted(truth, table.documents)
    pieces = pieces_of_chunks(table)
    spans = Spans.of([(one.document, one.start, one.end) for _, one in wanted])
    found = touching(spans, pieces)
    shown = table.spans.as_tuples()
    by_topic: dict[int, dict[int, list[int]]] = defaultdict(dict)
    for row, chunk in zip(found.gold.tolist(), found.chunk.tolist(), strict=True):
        by_topic[wanted[row][0]].setdefault(chunk, []).append(row)
    values = [one for _, one in wanted]
    return [
        _greedy(_Topic(values, by_topic.get(topic, {}), shown), cost)
        for topic in range(len(truth.topics))
    ]


def _wanted(truth: GroundTruth, documents: Sequence[str]) -> list[tuple[int, _Piece]]:
    """All text that is wanted, each with its topic."""
    numbers = {name: number for number, name in enumerate(documents)}
    document = [numbers.get(name, -1) for name in truth.documents]
    of_pair = [document[one] for one in truth.document.tolist()]
    topic_of_pair = truth.topic.tolist()
    wanted, needs = truth.relevance_weights, truth.needs
    columns = (*(one.tolist() for one in wanted.text), wanted.worth.tolist())
    found = [
        (topic_of_pair[pair], _Piece(of_pair[pair], start, end, worth, -1))
        for pair, start, end, worth in zip(*columns, strict=True)
    ]
    for need, weight in zip(wanted.several.tolist(), wanted.weight.tolist(), strict=True):
        for at in range(int(needs.begin[need]), int(needs.begin[need + 1])):
            pair, start, end = (int(one[at]) for one in (needs.pair, needs.start, needs.end))
            worth = weight / (end - start) if end > start else 0.0
            found.append((topic_of_pair[pair], _Piece(of_pair[pair], start, end, worth, need)))
    return [(topic, one) for topic, one in found if one.document >= 0]


class _Topic:
    """What has been read for a topic, and what reading a chunk would add.

    Each wanted piece of text is cut into segments where ranges of chunks begin or end in it, so
    that a chunk shows a segment whole or not at all.
    """

    def __init__(
        self,
        wanted: Sequence[_Piece],
        touched: dict[int, list[int]],
        shown: Sequence[tuple[tuple[int, int], ...]],
    ) -> None:
        self._pieces = {row: wanted[row] for rows in touched.values() for row in rows}
        parts = {
            chunk: [(row, *part) for row in rows for part in _common(wanted[row], shown[chunk])]
            for chunk, rows in touched.items()
        }
        self._cut(parts)
        self._read = [False] * len(self._size)
        self._seen: dict[int, int] = defaultdict(int)  # characters shown of an alternative
        self._most: dict[int, float] = defaultdict(float)  # the largest share of a need's worth

    @property
    def chunks(self) -> list[int]:
        """The chunks that show something, ascending."""
        return sorted(self._covered)

    def _cut(self, parts: dict[int, list[tuple[int, int, int]]]) -> None:
        """The size of each segment, the segments of each chunk, and the chunks of each segment."""
        edges: dict[int, set[int]] = defaultdict(set)
        for own in parts.values():
            for row, start, end in own:
                edges[row].update((start, end))
        in_order = {row: sorted(own) for row, own in edges.items()}
        self._size: list[int] = []
        first: dict[int, int] = {}
        for row, own_edges in in_order.items():
            first[row] = len(self._size)
            self._size += [after - before for before, after in pairwise(own_edges)]
        self._covered: dict[int, list[tuple[int, int]]] = {}
        self._showing: dict[int, list[int]] = defaultdict(list)
        self._answering: dict[int, set[int]] = defaultdict(set)  # chunks by need
        for chunk, own in parts.items():
            self._covered[chunk] = [
                (row, first[row] + at)
                for row, start, end in own
                for at in range(bisect_left(in_order[row], start), bisect_left(in_order[row], end))
            ]
            for row, segment in self._covered[chunk]:
                self._showing[segment].append(chunk)
                self._answering[self._pieces[row].need].add(chunk)

    def gain(self, chunk: int) -> float:
        """What reading a chunk would add."""
        gained = 0.0
        new: dict[int, int] = defaultdict(int)
        for row, segment in self._covered[chunk]:
            if not self._read[segment]:
                new[row] += self._size[segment]
        most: dict[int, float] = {}
        for row, size in new.items():
            piece = self._pieces[row]
            if piece.need < 0:
                gained += piece.worth * size
            else:
                now = (self._seen[row] + size) * piece.worth
                most[piece.need] = max(now, most.get(piece.need, 0.0))
        return gained + sum(max(now - self._most[need], 0.0) for need, now in most.items())

    def read(self, chunk: int) -> set[int]:
        """Read a chunk; the chunks whose gain may have changed."""
        changed: set[int] = set()
        for row, segment in self._covered[chunk]:
            if self._read[segment]:
                continue
            self._read[segment] = True
            changed.update(self._showing[segment])
            piece = self._pieces[row]
            if piece.need >= 0:
                self._seen[row] += self._size[segment]
                now = self._seen[row] * piece.worth
                self._most[piece.need] = max(now, self._most[piece.need])
                changed |= self._answering[piece.need]
        return changed


def _common(piece: _Piece, ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    return [
        (max(start, piece.start), min(end, piece.end))
        for start, end in ranges
        if start < piece.end and end > piece.start
    ]


def _greedy(topic: _Topic, cost: Ints) -> list[Step]:
    steps: list[Step] = []
    gains = {chunk: topic.gain(chunk) for chunk in topic.chunks}
    queue = [_Waiting(*_worth(gain, int(cost[chunk])), chunk) for chunk, gain in gains.items()]
    heapify(queue)
    while queue:
        first = heappop(queue)
        gain = gains.get(first.chunk)
        if gain is None:
            continue
        price = int(cost[first.chunk])
        if _worth(gain, price) != first[:2]:
            continue  # its gain has changed since, and it waits elsewhere
        if round(gain, _DIGITS) <= 0:
            break
        del gains[first.chunk]
        steps.append(Step(first.chunk, gain, price))
        for chunk in topic.read(first.chunk) & gains.keys():
            gains[chunk] = topic.gain(chunk)
            heappush(queue, _Waiting(*_worth(gains[chunk], int(cost[chunk])), chunk))
    return steps


class _Waiting(NamedTuple):
    """A chunk in the queue: the one that adds most for its cost is the least of all."""

    ratio: float
    gain: float
    chunk: int


def _worth(gain: float, cost: int) -> tuple[float, float]:
    """What a chunk adds for its cost, and what it adds, both negative.

    A chunk that costs nothing comes first.
    """
    ratio = gain / cost if cost else (math.inf if gain > 0 else 0.0)
    return -round(ratio, _DIGITS), -round(gain, _DIGITS)


def best_ious(table: ChunkTable, truth: GroundTruth) -> list[float]:
    """The best IoU that the first chunks of the oracle's order reach, by topic; nan without gold.

    >>> from doxeval.assessments import Assessments, Judgment
    >>> truth = GroundTruth.of(Assessments([Judgment("7", "a", ((2, 8),))]))
    >>> table = ChunkTable.of(["1", "2"], ["a", "a"], [[(0, 5)], [(5, 15)]])
    >>> best_ious(table, truth)
    [0.4]
    """
    steps = oracle_steps(table, truth, table.spans.sizes())
    ranking = build_ranking(oracle_run(table, truth, steps, "oracle"), truth, RunOptions()).ranking
    shown, total = best_shown(ranking)
    found = ratio(shown, ranking.cumulated(ranking.size) + total - shown)
    return [
        float(own.max(initial=0.0)) if wanted > 0 else float("nan")
        for own, wanted in zip(ranking.by_topic(found), truth.relevance_weights.total, strict=True)
    ]


def oracle_run(
    table: ChunkTable, truth: GroundTruth, steps: Sequence[Sequence[Step]], run_id: str
) -> Run:
    """Return the chunks that the oracle reads as a run."""
    topics = [name for name, own in zip(truth.topics, steps, strict=True) for _ in own]
    rows = np.array([step.chunk for own in steps for step in own], dtype=np.int64)
    return run_of_chunks(table, topics, rows, None, run_id)


_GROUP = 1 << 32


class Pieces(NamedTuple):
    """Ranges of chunks: the chunk of each, and the range in its document (the group)."""

    owner: Ints
    text: Spans


class Gold(NamedTuple):
    """Ranges that answer needs: the need of each, its topic, and the range in its document.

    Documents are numbered as those of the chunks are; documents without chunks follow.
    """

    need: Ints
    topic: Ints
    text: Spans


class Touching(NamedTuple):
    """Ranges of gold and chunks that share characters: which range, which chunk, how many."""

    gold: Ints
    chunk: Ints
    shared: Ints


def pieces_of_chunks(table: ChunkTable) -> Pieces:
    """The ranges of all chunks."""
    owner = table.spans.owner
    return Pieces(owner, Spans(table.document[owner], table.spans.start, table.spans.end))


def gold_of(truth: GroundTruth, needs: Needs, documents: tuple[str, ...]) -> Gold:
    """The ranges of needs, with documents numbered as those of chunks."""
    numbers = {name: number for number, name in enumerate(documents)}
    for name in truth.documents:
        numbers.setdefault(name, len(numbers))
    of_judged = np.array([numbers[name] for name in truth.documents], dtype=np.int64)
    document = of_judged[truth.document[needs.pair]] if len(of_judged) else needs.pair
    owner = needs.owner
    return Gold(owner, needs.topic[owner], Spans(document, needs.start, needs.end))


def joined_pieces(pieces: Pieces, chunks: int) -> Pieces:
    """The ranges of each chunk, put together where they touch."""
    document = np.zeros(chunks, dtype=np.int64)
    document[pieces.owner] = pieces.text.group
    lists = SpanLists.merged(Spans(pieces.owner, pieces.text.start, pieces.text.end), chunks)
    return Pieces(lists.owner, Spans(document[lists.owner], lists.start, lists.end))


def touching(gold: Spans, pieces: Pieces) -> Touching:
    """The chunks that share at least a character with each range.

    >>> pieces = Pieces(np.array([0, 1]), Spans.of([(0, 0, 5), (0, 5, 9)]))
    >>> [one.tolist() for one in touching(Spans.of([(0, 4, 7), (0, 5, 6)]), pieces)]
    [[0, 0, 1], [0, 1, 1], [1, 2, 1]]
    """
    order = np.lexsort((pieces.text.start, pieces.text.group))
    text = Spans(*(column[order] for column in pieces.text))
    start = text.group * _GROUP + text.start
    reach = np.maximum.accumulate(text.group * _GROUP + text.end) if len(start) else start
    low = np.searchsorted(reach, gold.group * _GROUP + gold.start, "right")
    high = np.searchsorted(start, gold.group * _GROUP + gold.end, "left")
    counts = np.maximum(high - low, 0)
    row = np.repeat(np.arange(len(low)), counts)
    piece = concatenated_ranges(low, counts)
    shared = np.minimum(gold.end[row], text.end[piece]) - np.maximum(
        gold.start[row], text.start[piece]
    )
    kept = shared > 0
    return _together(row[kept], pieces.owner[order[piece[kept]]], shared[kept])


def _together(gold: Ints, chunk: Ints, shared: Ints) -> Touching:
    """One row for each range and chunk."""
    width = int(chunk.max(initial=0)) + 1
    keys, which = np.unique(gold * width + chunk, return_inverse=True)
    total = np.zeros(len(keys), dtype=np.int64)
    np.add.at(total, which, shared)
    return Touching(keys // width, keys % width, total)


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
    """Return the run of somebody who knows the gold: the chunks of a cut in the best order.

    It is greedy: each result is the chunk that adds the most gold for what it costs in `unit`, of
    equal ones the one that adds more, then the first. For chunks that do not overlap, no order has
    a higher bR, up to the last chunk that is read. `max_missing` says how much of the gold may be
    missing, as `questions` does.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "One two three. Four five."})
    >>> need = {"spans": [{"doc": "a", "quote": "three. Four"}]}
    >>> gold = chunks.questions([{"id": "1", "question": "What?", "needs": [need]}], docs)
    >>> run = chunks.oracle(chunks.cut(docs, "sentences:1:0"), gold)
    >>> [(result.start, result.end) for result in run]
    [(0, 14), (15, 25)]
    """
    bench = Bench(chunks.known_docs, gold, unit, tokens, max_missing)
    run = oracle_on(bench, chunks, run_id)
    run = replace(run, warnings=(*bench.warnings, *run.warnings))
    warn(run.warnings)
    return ChunkRun.of(run, chunks)


def oracle_on(bench: Bench, chunks: Chunks, run_id: str = "oracle") -> Run:
    """The oracle's run."""
    steps = oracle_steps(chunks.table, bench.truth, bench.costs(chunks))
    return oracle_run(chunks.table, bench.truth, steps, run_id)
