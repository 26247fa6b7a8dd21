"""What the measures of chunks share: the unit that is counted, and the example of their pages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.measures.base import Example, Measure, Need, parameter
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Numbers, Ranking
from doxeval.measures.reading import Unit

Resize = Literal["full", "new"]
NEEDS = frozenset({Need.HIGHLIGHTS, Need.RETRIEVED_TEXT})
EDGES = "A topic without relevant text is undefined; an empty list scores 0."
_ASSESSMENTS = "7 Q0 a 100 300 100 100:100\n7 Q0 b 100 400 50 50:50 300:50\n"
_RUN = (
    "7 Q0 a 1 9 run 0 150\n7 Q0 a 2 8 run 100 150\n7 Q0 b 3 7 run 0 120\n"
    "7 Q0 c 4 6 run 0 200\n7 Q0 b 5 5 run 300 60\n"
)
_WHY = (
    "Relevant are a[100, 200), b[50, 100) and b[300, 350), 200 characters. The run returns "
    "a[0, 150), a[100, 250), b[0, 120), c[0, 200) and b[300, 360). "
)
_UNITS = ("auto", "characters", "words", "tokens")


def example(name: str, value: float, why: str, chunks: str | None = None) -> Example:
    """The value of a measure for one small run, and why it is that."""
    return Example(name, value, _WHY + why, _ASSESSMENTS, _RUN, None, chunks)


def resize_parameter() -> Resize:
    """The parameter `resize`."""
    resize: Resize = parameter(
        "full",
        "what was read before is read and counted again, or only new text is",
        ("full", "new"),
    )
    return resize


@dataclass(frozen=True)
class OfText(Measure):
    """A measure that counts text, in the unit that is known."""

    def settled(self, truth: GroundTruth) -> Measure:
        """With the unit that is counted: tokens or words where texts are known."""
        if getattr(self, "unit", None) != "auto":
            return self
        return replace(self, unit=settled_unit(truth))  # type: ignore[call-arg]  # it has one


def settled_unit(truth: GroundTruth) -> str:
    """Tokens if a tokeniser is given, words if texts are known, characters otherwise."""
    if truth.texts is None:
        return "characters"
    return "tokens" if truth.texts.has_tokeniser else "words"


def unit_parameter() -> Unit:
    """The parameter `unit`."""
    unit: Unit = parameter(
        "auto",
        "what is counted: tokens of the given tokeniser, words, or characters; auto: the first of "
        "these that is known",
        _UNITS,
    )
    return unit


def defined(values: Floats, truth: GroundTruth) -> Floats:
    """The values, with nan for topics without relevant text."""
    return np.where(truth.wanted.total == 0, np.nan, values)


def by_topic(ranking: Ranking, row: Ints, values: Numbers) -> Floats:
    """Values of pieces, summed for each topic."""
    found = np.zeros(len(ranking.truth.topics))
    np.add.at(found, ranking.topic[row], values)
    return found
