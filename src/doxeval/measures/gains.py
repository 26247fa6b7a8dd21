"""Gains of retrieved elements: plain, normalised by the ideal base, or lessened by overlap."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints, positions_in
from doxeval.assessments.assessed_elements import AssessedElements
from doxeval.assessments.quantisations import quantisation_named
from doxeval.assessments.recall_bases import RecallBase
from doxeval.measures.base import TOLERANCE, Floats
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking


class Gains(NamedTuple):
    """The gains of a run in ranking order, and those of the base, best first, by topic."""

    run: list[Floats]
    ideal: list[Floats]


def gains_of(
    ranking: Ranking,
    base: str,
    quant: str,
    ignore: str,
    penalty: float | None = None,
) -> Gains:
    """The gains of a run against a base; with a penalty, text that was seen gains less."""
    full = ranking.truth.base("full", quant, ignore)
    chosen = ranking.truth.base(base, quant, ignore)
    elements = ranking.truth.elements(quantisation_named(quant))
    row = ranking.rows_in(elements)
    place = np.where(row < 0, -1, positions_in(full.row, row))  # where each result is in the base
    gain = np.where(place < 0, 0.0, full.value[place] if len(full) else 0.0)
    if base == "ideal":
        gain = _normalised(gain, place, full, chosen)
    elif penalty is not None:
        gain = OverlapGains(ranking.truth, elements, full, penalty).of(ranking, gain, row)
    return Gains(ranking.by_topic(gain), _best_first(chosen, len(ranking.truth.topics)))


def _best_first(base: RecallBase, topics: int) -> list[Floats]:
    edges = np.searchsorted(base.topic, np.arange(topics + 1)).tolist()
    value = base.value
    return [np.sort(value[edges[topic] : edges[topic + 1]])[::-1] for topic in range(topics)]


def _normalised(gain: Floats, place: Ints, full: RecallBase, ideal: RecallBase) -> Floats:
    """What each result gains of the ideal element that it lies in or contains.

    An ideal element gives its value once: each result takes at most what is left. A result that
    contains several ideal elements takes from the one with the most left.
    """
    found = np.zeros(len(gain))
    left = ideal.value.copy()
    rows = np.flatnonzero(place >= 0)
    begin, after = full.begin[place[rows]], full.after[place[rows]]
    # Ideal elements do not overlap, so those inside a result are neighbours.
    first = np.searchsorted(ideal.begin, begin).tolist()
    last = np.searchsorted(ideal.begin, after).tolist()
    # Ideal elements that lie around a result: the last that begins before it, if it ends after.
    around = np.searchsorted(ideal.begin, begin, side="right") - 1
    is_around = (around >= 0) & (ideal.after[np.maximum(around, 0)] >= after)
    for at, row in enumerate(rows.tolist()):
        if is_around[at]:
            target = int(around[at])
        else:
            inside = left[first[at] : last[at]]
            target = first[at] + int(np.argmax(inside >= inside.max() - TOLERANCE))
        remaining = float(left[target])
        taken = min(float(gain[row]), remaining if remaining > TOLERANCE else 0.0)
        left[target] -= taken
        found[row] = taken
    return found


class OverlapGains:
    """Gains of the thorough task where text that was seen before counts less.

    "Seen" is the text of earlier results. What is wholly seen gains (1 − penalty) of its value;
    what is partly seen gains, besides that, the penalty's part of what its relevant children
    would gain now, weighted by their sizes. (Kazai and Lalmas 2006)
    """

    def __init__(
        self, truth: GroundTruth, elements: AssessedElements, full: RecallBase, penalty: float
    ) -> None:
        self._collection = truth.known_collection
        self._elements = elements
        self._penalty = penalty
        value = full.value
        self._value = {
            (int(topic), int(elements.node[row])): float(value[at])
            for at, (topic, row) in enumerate(zip(full.topic, full.row, strict=True))
        }

    def of(self, ranking: Ranking, gain: Floats, row: Ints) -> Floats:
        """The gains of all results, in their order."""
        found = np.zeros(len(gain))
        seen: dict[tuple[int, int], _Seen] = {}
        columns = zip(
            ranking.topic.tolist(),
            ranking.document.tolist(),
            ranking.start.tolist(),
            ranking.end.tolist(),
            row.tolist(),
            strict=True,
        )
        for place, (topic, document, start, end, own) in enumerate(columns):
            before = seen.setdefault((topic, document), _Seen())
            if own >= 0 and gain[place] > 0:
                found[place] = self._now(topic, int(self._elements.node[own]), before)
            before.add(start, end)
        return found

    def _now(self, topic: int, node: int, before: _Seen) -> float:
        """What an element gains, given what has been seen of its document.

        Elements are opened down to those that are seen as a whole or not at all; then, from the
        innermost out, each gets its gain and hands it to its parent.
        """
        columns = self._collection.nodes
        opened: list[tuple[int, int, float, int]] = []  # parent's place, size, value, covered
        pending = [(node, -1)]
        while pending:
            own, parent = pending.pop()
            value = self._value.get((topic, own), 0.0)
            start, end = int(columns.start[own]), int(columns.end[own])
            covered = before.covered(start, end) if value else 0
            opened.append((parent, end - start, value, covered))
            if 0 < covered < end - start:
                place = len(opened) - 1
                pending += [(child, place) for child in self._collection.children_of(own).tolist()]
        inner = [0.0] * len(opened)
        for place in range(len(opened) - 1, -1, -1):
            parent, size, value, covered = opened[place]
            gain = value
            if covered:
                gain = (1 - self._penalty) * value
                if covered < size:
                    gain += self._penalty * inner[place] / size
            if parent < 0:
                return gain
            inner[parent] += gain * size
        return 0.0


class _Seen:
    """The text of one document that was seen: sorted ranges that are apart from each other."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def covered(self, start: int, end: int) -> int:
        """How many characters of a range were seen."""
        first = bisect_right(self._ends, start)
        last = bisect_left(self._starts, end)
        return sum(
            min(end, self._ends[at]) - max(start, self._starts[at]) for at in range(first, last)
        )

    def add(self, start: int, end: int) -> None:
        """See a range."""
        if end <= start:
            return
        first = bisect_left(self._ends, start)
        last = bisect_right(self._starts, end)
        if first < last:
            start = min(start, self._starts[first])
            end = max(end, self._ends[last - 1])
        self._starts[first:last] = [start]
        self._ends[first:last] = [end]
