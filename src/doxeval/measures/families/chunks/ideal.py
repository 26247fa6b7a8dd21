"""The best that could be done: the relevant text alone, and the best chunks that there are.

U-measure's ideal is a reader of the relevant text alone. The ideal of sDCG takes, rank by rank, the
chunk that adds most to the needs that are shown.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from doxeval.arrays import Floats, Ints, rows_by_key
from doxeval.errors import MissingInput
from doxeval.measures.base import TOLERANCE
from doxeval.measures.caching import once
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.new_text import ShownPart, shown_alternatives
from doxeval.measures.ranking import Ranking
from doxeval.measures.whitespace import NonSpaceOffsets
from doxeval.messages import Parameter
from doxeval.runs import ChunkTable
from doxeval.spans import Spans

# Relevant text alone


@once
def ideal_utility(truth: GroundTruth, unit: str, budget: int) -> Floats:
    """Return Σ gain · (1 − pos/B) of a list of the relevant text alone, by topic.

    Pieces of relevant text come in the order of falling gain by unit; of a need with alternatives,
    the one with the highest gain by unit. The gain of a piece is spread evenly over its units.
    """
    weights, needs = truth.relevance_weights, truth.needs
    text, several = weights.text, weights.several
    single = np.maximum(_count_units(truth, unit, text), 1)
    columns = [(truth.topic[text.group], single, weights.worth * text.lengths())]
    if len(several):
        spans = Spans(needs.pair, needs.start, needs.end)
        every = np.maximum(needs.sums(_count_units(truth, unit, spans)), 1)
        fewest = np.minimum.reduceat(every, needs.begin[:-1])
        columns.append((needs.topic[several], fewest[several], weights.weight))
    topic, units, gain = (np.concatenate(column) for column in zip(*columns, strict=True))
    utility = np.zeros(len(truth.topics))
    for number, rows in rows_by_key(topic).items():
        best_first = rows[np.argsort(-gain[rows] / units[rows], kind="stable")]
        length = units[best_first]
        before = np.cumsum(length) - length
        read = np.clip(budget - before, 0, length)
        weight = read - (read * before + read * (read - 1) / 2) / budget
        utility[number] = (gain[best_first] / length * weight).sum()
    return utility


def _count_units(truth: GroundTruth, unit: str, text: Spans) -> Ints:
    """Count the units that begin in spans of judged documents."""
    if unit == "characters":
        return text.lengths()
    documents, which = np.unique(truth.document[text.group], return_inverse=True)
    starts = truth.unit_starts([truth.documents[number] for number in documents.tolist()], unit)
    counts: Ints = starts.before(which, text.end) - starts.before(which, text.start)
    return counts


# The best chunks


class _ShownNeeds:
    """What has been shown of the needs of a topic, and what is gained by showing more."""

    def __init__(self, truth: GroundTruth, topic: int) -> None:
        self._needs = truth.needs
        grades = self._needs.grade[truth.need_begin[topic] : truth.need_begin[topic + 1]]
        self._total = max(float(grades.sum()), TOLERANCE)
        self._seen: dict[int, set[int]] = {}  # of each alternative
        self._best: dict[int, float] = {}  # the largest share of each need

    def gain(self, parts: Iterable[ShownPart]) -> float:
        """Return what showing some text would add to the mean share of needs."""
        return self._shown(parts)[0]

    def show(self, parts: Iterable[ShownPart]) -> float:
        """Show some text; return what it adds to the mean share of needs."""
        gain, seen, best = self._shown(parts)
        self._seen.update(seen)
        self._best.update(best)
        return gain

    def _shown(
        self, parts: Iterable[ShownPart]
    ) -> tuple[float, dict[int, set[int]], dict[int, float]]:
        needs = self._needs
        seen: dict[int, set[int]] = {}
        best: dict[int, float] = {}
        for alternative, start, end in parts:
            text = seen.setdefault(alternative, set(self._seen.get(alternative, ())))
            text.update(range(start, end))
            size = int(needs.size[alternative])
            need = int(np.searchsorted(needs.begin, alternative, "right")) - 1
            share = len(text) / size if size else 0.0
            best[need] = max(share, best.get(need, 0.0), self._best.get(need, 0.0))
        gain = sum(
            float(needs.grade[need]) / self._total * (share - self._best.get(need, 0.0))
            for need, share in best.items()
        )
        return gain, seen, best


@once
def linear_gains(ranking: Ranking) -> list[list[float]]:
    """Return how much each result of each topic adds to the mean share of needs shown."""
    ranking = ranking.without_whitespace
    shared = shown_alternatives(ranking)
    row = ranking.new_text.row[shared.other]
    parts: dict[int, list[ShownPart]] = {}
    columns = (row, shared.row, shared.start, shared.end)
    for at, *part in zip(*(column.tolist() for column in columns), strict=True):
        parts.setdefault(at, []).append(ShownPart(*part))
    gains = [[0.0] * count for count in ranking.counts.tolist()]
    shown: dict[int, _ShownNeeds] = {}
    for at in sorted(parts):
        topic = int(ranking.topic[at])
        if topic not in shown:
            shown[topic] = _ShownNeeds(ranking.truth, topic)
        gains[topic][int(ranking.rank[at]) - 1] = shown[topic].show(parts[at])
    return gains


@once
def best_gains(truth: GroundTruth) -> list[list[float]]:
    """Return what the best chunks add, each the one that adds most after those before it."""
    truth = truth.without_whitespace
    return [
        _take_best(_ShownNeeds(truth, topic), candidates)
        for topic, candidates in enumerate(parts_of_chunks(truth))
    ]


def known_chunks(truth: GroundTruth) -> ChunkTable:
    """Return the chunks that systems could return; without them the measure cannot be computed."""
    if truth.chunks is None:
        raise MissingInput(
            "the measure needs the chunks that systems could return: " + Parameter("chunks")
        )
    return truth.chunks


@once
def parts_of_chunks(truth: GroundTruth) -> list[dict[int, list[ShownPart]]]:
    """Return by topic the chunks that show any part of a need, and these parts."""
    chunks, needs = known_chunks(truth), truth.needs
    owner, start, end = chunks.spans.owner, chunks.spans.start, chunks.spans.end
    document = chunks.document[owner]
    if truth.ignore_whitespace:
        non_space = NonSpaceOffsets(truth.known_texts, strict=False)
        start = non_space.before(chunks.documents, document, start)
        end = non_space.before(chunks.documents, document, end)
    numbers = {name: number for number, name in enumerate(chunks.documents)}
    by_topic: list[dict[int, list[ShownPart]]] = [{} for _ in truth.topics]
    topics = needs.topic[needs.owner].tolist()
    spans = (needs.alternative, needs.pair, needs.start, needs.end)
    columns = (column.tolist() for column in spans)
    for alternative, pair, first, last in zip(*columns, strict=True):
        name = truth.documents[int(truth.document[pair])]
        here = (document == numbers.get(name, -1)) & (start < last) & (end > first)
        for at in np.flatnonzero(here).tolist():
            part = ShownPart(alternative, max(int(start[at]), first), min(int(end[at]), last))
            by_topic[topics[alternative]].setdefault(int(owner[at]), []).append(part)
    return by_topic


def _take_best(shown: _ShownNeeds, candidates: dict[int, list[ShownPart]]) -> list[float]:
    """Show the chunk that adds most, again and again; return what each adds."""
    gains: list[float] = []
    left = dict(sorted(candidates.items()))
    while left:
        by_chunk = {chunk: shown.gain(parts) for chunk, parts in left.items()}
        most = max(by_chunk.values())
        if most <= TOLERANCE:
            break
        best = next(chunk for chunk, gain in by_chunk.items() if gain >= most - TOLERANCE)
        gains.append(shown.show(left.pop(best)))
    return gains
