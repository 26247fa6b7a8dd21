"""The greedy oracle: which chunks to read, if somebody knew what is wanted.

At each step the chunk is read that adds the most for its cost; among equal ones the one that adds
more, then the first. For chunks that do not overlap this is the best order at every budget, up to
the last chunk that is read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.chunks.touching import pieces_of_chunks, touching
from doxeval.measures.ground_truth import GroundTruth
from doxeval.runs.chunk_table import ChunkTable
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
    shown = _shown_by_chunk(table)
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
    wanted, needs = truth.wanted, truth.needs
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


def _shown_by_chunk(table: ChunkTable) -> list[tuple[tuple[int, int], ...]]:
    return table.spans.as_tuples()


class _Topic:
    """What has been read for a topic, and what reading a chunk would add.

    The wanted text of the topic is cut at all edges of chunks and of wanted text into segments,
    each of which a chunk shows whole or not at all.
    """

    def __init__(
        self,
        wanted: Sequence[_Piece],
        touched: dict[int, list[int]],
        shown: Sequence[tuple[tuple[int, int], ...]],
    ) -> None:
        self._pieces = {row: wanted[row] for rows in touched.values() for row in rows}
        self.parts = {
            chunk: [(row, *part) for row in rows for part in _common(wanted[row], shown[chunk])]
            for chunk, rows in touched.items()
        }
        segments = self._segments()
        self._size = [end - start for _, start, end in segments]
        self._covered = {
            chunk: self._covering(parts, segments) for chunk, parts in self.parts.items()
        }
        self._read = [False] * len(segments)
        self._seen: dict[int, int] = defaultdict(int)  # characters shown of an alternative
        self._most: dict[int, float] = defaultdict(float)  # the largest share of a need's worth

    def _segments(self) -> list[tuple[int, int, int]]:
        edges: dict[int, set[int]] = defaultdict(set)
        for parts in self.parts.values():
            for row, start, end in parts:
                edges[row].update((start, end))
        return [(row, *pair) for row, own in edges.items() for pair in pairwise(sorted(own))]

    @staticmethod
    def _covering(
        parts: Iterable[tuple[int, int, int]], segments: Sequence[tuple[int, int, int]]
    ) -> list[tuple[int, int]]:
        """The segments that a chunk shows: the wanted piece of each, and its number."""
        own = list(parts)
        rows = {row for row, _, _ in own}
        return [
            (row, number)
            for number, (row, start, end) in enumerate(segments)
            if row in rows and any(one == row and s <= start and end <= e for one, s, e in own)
        ]

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
        changed = set()
        for row, segment in self._covered[chunk]:
            changed.add(row)
            if not self._read[segment]:
                self._read[segment] = True
                self._seen[row] += self._size[segment]
        for row in changed:
            piece = self._pieces[row]
            if piece.need >= 0:
                now = self._seen[row] * piece.worth
                self._most[piece.need] = max(now, self._most[piece.need])
        needs = {self._pieces[row].need for row in changed} - {-1}
        return {
            other
            for other, covered in self._covered.items()
            if any(row in changed or self._pieces[row].need in needs for row, _ in covered)
        }


def _common(piece: _Piece, ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    return [
        (max(start, piece.start), min(end, piece.end))
        for start, end in ranges
        if start < piece.end and end > piece.start
    ]


def _greedy(topic: _Topic, cost: Ints) -> list[Step]:
    steps: list[Step] = []
    left = {chunk: topic.gain(chunk) for chunk in sorted(topic.parts)}
    price = {chunk: int(cost[chunk]) for chunk in left}
    while left:
        best = max(left, key=lambda chunk: (*_worth(left[chunk], price[chunk]), -chunk))
        gain = left.pop(best)
        if round(gain, _DIGITS) <= 0:
            break
        steps.append(Step(best, gain, price[best]))
        for chunk in topic.read(best) & left.keys():
            left[chunk] = topic.gain(chunk)
    return steps


def _worth(gain: float, cost: int) -> tuple[float, float]:
    """What a chunk adds for its cost, and what it adds; a chunk that costs nothing comes first."""
    ratio = gain / cost if cost else (np.inf if gain > 0 else 0.0)
    return round(ratio, _DIGITS), round(gain, _DIGITS)


def best_ious(table: ChunkTable, truth: GroundTruth) -> list[float]:
    """The best IoU that the first chunks of the oracle's order reach, by topic; nan without gold.

    >>> from doxeval.assessments import Assessments, Judgment
    >>> truth = GroundTruth.of(Assessments([Judgment("7", "a", ((2, 8),))]))
    >>> table = ChunkTable.of(["1", "2"], ["a", "a"], [[(0, 5)], [(5, 15)]])
    >>> best_ious(table, truth)
    [0.4]
    """
    size = table.spans.sizes()
    total = truth.wanted.total.tolist()
    return [
        _best_iou(steps, float(wanted))
        for steps, wanted in zip(oracle_steps(table, truth, size), total, strict=True)
    ]


def _best_iou(steps: Iterable[Step], total: float) -> float:
    if total <= 0:
        return float("nan")
    shown = read = best = 0.0
    for step in steps:
        shown, read = shown + step.gain, read + step.cost
        best = max(best, shown / (read + total - shown))
    return best
