"""The best that a reader of relevant text alone can do: U-measure's ideal.

How much each result adds to the needs that are shown, and how much the best chunks would add.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.errors import MissingInput
from doxeval.measures.base import TOLERANCE
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.new_text import shown_alternatives
from doxeval.measures.ranking import Ranking
from doxeval.measures.whitespace import Solid
from doxeval.messages import Parameter
from doxeval.spans import Spans


def ideal_utility(truth: GroundTruth, unit: str, budget: int) -> Floats:
    """Σ gain · (1 − pos/B) of a list of the relevant text alone, by topic.

    Pieces of relevant text come in the order of falling gain by unit; of a need with alternatives,
    the one with the highest gain by unit. The gain of a piece is spread evenly over its units.
    """
    return truth.remembered(("ideal", unit, budget), lambda: _ideal(truth, unit, budget))


def _ideal(truth: GroundTruth, unit: str, budget: int) -> Floats:
    wanted, needs = truth.wanted, truth.needs
    single = _units(truth, unit, wanted.text)
    columns = [
        (
            truth.topic[wanted.text.group],
            np.maximum(single, 1),
            wanted.worth * wanted.text.lengths(),
        )
    ]
    if len(wanted.several):
        every = np.maximum(_units(truth, unit, Spans(needs.pair, needs.start, needs.end)), 1)
        fewest = np.minimum.reduceat(every, needs.begin[:-1])
        several = wanted.several
        columns.append((needs.topic[several], fewest[several], wanted.weight))
    topic, units, gain = (np.concatenate(one) for one in zip(*columns, strict=True))
    found = np.zeros(len(truth.topics))
    for number in np.unique(topic).tolist():
        own = np.flatnonzero(topic == number)
        own = own[np.argsort(-gain[own] / units[own], kind="stable")]
        found[number] = _utility(units[own], gain[own], budget)
    return found


def _utility(units: Ints, gain: Floats, budget: int) -> float:
    before = np.cumsum(units) - units
    read = np.clip(budget - before, 0, units)
    weight = read - (read * before + read * (read - 1) / 2) / budget
    return float((gain / units * weight).sum())


def _units(truth: GroundTruth, unit: str, text: Spans) -> Ints:
    """How many units begin in ranges of judged documents."""
    if unit == "characters":
        return text.lengths()
    texts = truth.known_texts
    found = np.zeros(len(text.group), dtype=np.int64)
    for row, (pair, start, end) in enumerate(zip(*(one.tolist() for one in text), strict=True)):
        name = truth.documents[int(truth.document[pair])]
        starts = texts.starts(name, unit)
        if truth.solid:
            starts = starts - np.searchsorted(texts.blanks(name), starts)
        found[row] = np.searchsorted(starts, end) - np.searchsorted(starts, start)
    return found


Part = tuple[int, int, int]  # an alternative, and start and end of what is shown of it


class _Answering:
    """What has been shown of the needs of a topic, and what is gained by showing more."""

    def __init__(self, truth: GroundTruth, topic: int) -> None:
        self._needs = truth.needs
        grades = self._needs.grade[truth.need_begin[topic] : truth.need_begin[topic + 1]]
        self._total = max(float(grades.sum()), TOLERANCE)
        self._seen: dict[int, set[int]] = {}
        self._best: dict[int, float] = {}

    def gain(self, parts: Iterable[Part]) -> float:
        """What showing some text adds to the mean share of needs, without showing it."""
        return self._shown(parts)[0]

    def show(self, parts: Iterable[Part]) -> float:
        """Show some text; what it adds."""
        gain, seen, best = self._shown(parts)
        self._seen.update(seen)
        self._best.update(best)
        return gain

    def _shown(self, parts: Iterable[Part]) -> tuple[float, dict[int, set[int]], dict[int, float]]:
        needs = self._needs
        seen: dict[int, set[int]] = {}
        best: dict[int, float] = {}
        for alternative, start, end in parts:
            text = seen.setdefault(alternative, set(self._seen.get(alternative, ())))
            text.update(range(start, end))
            size = int(needs.end[alternative] - needs.start[alternative])
            need = int(self._owner(alternative))
            now = len(text) / size if size else 0.0
            best[need] = max(now, best.get(need, 0.0), self._best.get(need, 0.0))
        gain = sum(
            float(needs.grade[need]) / self._total * (share - self._best.get(need, 0.0))
            for need, share in best.items()
        )
        return gain, seen, best

    def _owner(self, alternative: int) -> int:
        return int(np.searchsorted(self._needs.begin, alternative, "right")) - 1


def linear_gains(ranking: Ranking) -> list[list[float]]:
    """How much each result of each topic adds to the mean share of needs shown."""
    return ranking.remembered("linear gains", lambda: _linear_gains(ranking.in_solid))


def _linear_gains(ranking: Ranking) -> list[list[float]]:
    shared = shown_alternatives(ranking)
    row = ranking.new_text.row[shared.other]
    found = [[0.0] * count for count in ranking.counts.tolist()]
    parts: dict[int, list[Part]] = {}
    columns = (row, shared.row, shared.start, shared.end)
    for at, alternative, start, end in zip(*(one.tolist() for one in columns), strict=True):
        parts.setdefault(at, []).append((alternative, start, end))
    showing: dict[int, _Answering] = {}
    for at in sorted(parts):
        topic = int(ranking.topic[at])
        if topic not in showing:
            showing[topic] = _Answering(ranking.truth, topic)
        found[topic][int(ranking.rank[at]) - 1] = showing[topic].show(parts[at])
    return found


def best_gains(truth: GroundTruth) -> list[list[float]]:
    """What the best chunks add, each the one that adds most after those before it, by topic."""
    return truth.remembered("best gains", lambda: _best_gains(truth.in_solid()))


def _best_gains(truth: GroundTruth) -> list[list[float]]:
    if truth.chunks is None:
        raise MissingInput(
            "sDCG needs the chunks that systems could return: " + Parameter("chunks")
        )
    chunks, needs = truth.chunks, truth.needs
    owner, start, end = chunks.spans.owner, chunks.spans.start, chunks.spans.end
    document = chunks.document[owner]
    if truth.solid:
        solid = Solid(truth.known_texts, strict=False)
        start = solid.before(chunks.documents, document, start)
        end = solid.before(chunks.documents, document, end)
    numbers = {name: number for number, name in enumerate(chunks.documents)}
    by_topic: list[dict[int, list[Part]]] = [{} for _ in truth.topics]
    topics = needs.topic[needs.owner].tolist()
    columns = (needs.pair, needs.start, needs.end)
    for alternative, (pair, first, last) in enumerate(
        zip(*(one.tolist() for one in columns), strict=True)
    ):
        name = truth.documents[int(truth.document[pair])]
        here = (document == numbers.get(name, -1)) & (start < last) & (end > first)
        for at in np.flatnonzero(here).tolist():
            part = (alternative, max(int(start[at]), first), min(int(end[at]), last))
            by_topic[topics[alternative]].setdefault(int(owner[at]), []).append(part)
    return [
        _greedy(_Answering(truth, topic), candidates) for topic, candidates in enumerate(by_topic)
    ]


def _greedy(showing: _Answering, candidates: dict[int, list[Part]]) -> list[float]:
    found: list[float] = []
    left = dict(sorted(candidates.items()))
    while left:
        gains = {chunk: showing.gain(parts) for chunk, parts in left.items()}
        most = max(gains.values())
        if most <= TOLERANCE:
            break
        best = next(chunk for chunk, gain in gains.items() if gain >= most - TOLERANCE)
        found.append(showing.show(left.pop(best)))
    return found
