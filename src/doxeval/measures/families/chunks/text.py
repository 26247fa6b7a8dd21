"""How much text the first results have, how much of it is relevant, and how much comes again.

What all measures of chunks share comes first: the unit that is counted, and the example of their
pages.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from doxeval.arrays import Floats
from doxeval.measures.base import Example, Facts, Law, Measure, Need, cut_off, parameter
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.new_text import best_shown
from doxeval.measures.ranking import Ranking, defined, ratio
from doxeval.measures.reading_cost import Unit, costs

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
    """Return the family's example, with the value of one measure and why it is that."""
    return Example(name, value, _WHY + why, _ASSESSMENTS, _RUN, None, chunks)


def resize_parameter() -> Resize:
    """Return the parameter `resize`."""
    resize: Resize = parameter(
        "full",
        "what was read before is read and counted again, or only new text is",
        ("full", "new"),
    )
    return resize


@dataclass(frozen=True)
class TextMeasure(Measure):
    """A measure that counts text, in the unit that is known."""

    def resolve_auto(self, truth: GroundTruth) -> Measure:
        """Return it with the unit that is counted: tokens or words where texts are known."""
        if getattr(self, "unit", None) != "auto":
            return self
        return replace(self, unit=default_unit(truth))  # type: ignore[call-arg]  # it has one


def default_unit(truth: GroundTruth) -> str:
    """Return tokens if a tokeniser is given, words if texts are known, characters otherwise."""
    if truth.texts is None:
        return "characters"
    return "tokens" if truth.texts.has_tokeniser else "words"


def unit_parameter() -> Unit:
    """Return the parameter `unit`."""
    unit: Unit = parameter(
        "auto",
        "what is counted: tokens of the given tokeniser, words, or characters; auto: the first of "
        "these that is known",
        _UNITS,
    )
    return unit


@dataclass(frozen=True)
class Overlap(TextMeasure):
    """The relevant text that is shown, as a share of all text that is shown or relevant."""

    name: ClassVar[str] = "IoU"
    facts: ClassVar[Facts] = Facts(
        "intersection over union of shown and relevant text",
        "Smith and Troynikov 2024",
        "IoU@k = F / (S + T − F): F relevant characters shown, S characters read, T relevant ones",
        NEEDS,
        EDGES + " With resize=full repeated text is read again; resize=new is Jaccard's measure. "
        "Of a need with alternatives, the one of which the largest share is shown (then the "
        "shorter) counts as if it were the only one.",
        example("IoU@2", 0.25, "After two results F = 100, S = 300: 100 / (300 + 200 − 100)."),
        laws=frozenset({Law.TAIL_IS_FREE}),
        repeats="keep",
    )
    k: int = cut_off(5)
    resize: Resize = resize_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """Return F / (S + T − F)."""
        shown, total = (ranking.at(self.k, values) for values in best_shown(ranking))
        size = ranking.size if self.resize == "full" else ranking.new_size
        read = ranking.at(self.k, ranking.cumulated(size))
        iou = ratio(shown, read + total - shown)
        return defined(iou, ranking.truth.relevance_weights.total)


@dataclass(frozen=True)
class Redundancy(TextMeasure):
    """The share of what is read that was read before."""

    name: ClassVar[str] = "Red"
    facts: ClassVar[Facts] = Facts(
        "redundancy: the share of repeated text",
        "Clarke et al. 2008",
        "Red@k = 1 − Σ new(e_i) / Σ size(e_i), i = 1 … k",
        NEEDS,
        EDGES + " Words and tokens count where they begin.",
        example("Red@2", 1 - 250 / 300, "Of 300 characters 250 are new."),
        higher_is_better=False,
        laws=frozenset({Law.TAIL_IS_FREE}),
        repeats="keep",
    )
    k: int = cut_off(5)
    unit: Unit = unit_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """Return 1 − Σ new / Σ size."""
        new, read = (
            ranking.at(self.k, ranking.cumulated(costs(ranking, self.unit, resize)))
            for resize in ("new", "full")
        )
        redundancy = np.where(read > 0, 1 - ratio(new, read), 0.0)
        return defined(redundancy, ranking.truth.relevance_weights.total)


@dataclass(frozen=True)
class TextRead(TextMeasure):
    """How much is read in the first k results: what their recall costs."""

    name: ClassVar[str] = "read"
    facts: ClassVar[Facts] = Facts(
        "units read in the first k results",
        "Smith and Troynikov 2024",
        "read@k = Σ size(e_i), i = 1 … k",
        NEEDS,
        EDGES + " Numbers of tokens that the run states take precedence over a tokeniser's.",
        example("read@2", 300, "The first two results have 150 characters each."),
        highest=None,
        higher_is_better=False,
        laws=frozenset({Law.TAIL_IS_FREE, Law.GROWS_WITH_K}),
        repeats="keep",
    )
    k: int = cut_off(5)
    unit: Unit = unit_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """Return Σ size."""
        read = ranking.at(self.k, ranking.cumulated(costs(ranking, self.unit, "full")))
        return defined(read.astype(np.float64), ranking.truth.relevance_weights.total)
