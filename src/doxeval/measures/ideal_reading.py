"""The best that a reader of relevant text alone can do: U-measure's ideal."""

from __future__ import annotations

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.measures.ground_truth import GroundTruth
from doxeval.spans import Spans


def ideal_utility(truth: GroundTruth, unit: str, budget: int) -> Floats:
    """Σ gain · (1 − pos/B) of a list of the relevant text alone, by topic.

    Pieces of relevant text come in the order of falling gain by unit; of a need with alternatives,
    the one with the highest gain by unit. The gain of a piece is spread evenly over its units.
    """
    return truth.by_topic(
        ("ideal", unit, budget),
        lambda whole: _ideal(whole, unit, budget),
        lambda utility, part: utility[part.numbers],
    )


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
