"""How much text the first results have, how much of it is relevant, and how much comes again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from doxeval.arrays import Floats
from doxeval.measures.base import Facts, Law, cut_off
from doxeval.measures.families.chunks.common import (
    EDGES,
    NEEDS,
    OfText,
    Resize,
    defined,
    example,
    resize_parameter,
    unit_parameter,
)
from doxeval.measures.ranking import Ranking, ratio
from doxeval.measures.reading import Unit, costs


@dataclass(frozen=True)
class Overlap(OfText):
    """The relevant text that is shown, as a share of all text that is shown or relevant."""

    name: ClassVar[str] = "IoU"
    facts: ClassVar[Facts] = Facts(
        "intersection over union of shown and relevant text",
        "Smith and Troynikov 2024",
        "IoU@k = F / (S + T − F): F relevant characters shown, S characters read, T relevant ones",
        NEEDS,
        EDGES + " With resize=full repeated text is read again; resize=new is Jaccard's measure. "
        "Of a need with alternatives, the one of which the largest share is shown (then the "
        "shorter) stands as if it were the only one.",
        example("IoU@2", 0.25, "After two results F = 100, S = 300: 100 / (300 + 200 − 100)."),
        laws=frozenset({Law.TAIL_IS_FREE}),
        repeats="keep",
    )
    k: int = cut_off(5)
    resize: Resize = resize_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """F / (S + T − F)."""
        shown, total = (ranking.at(self.k, one) for one in ranking.best_shown)
        size = ranking.size if self.resize == "full" else ranking.new_size
        read = ranking.at(self.k, ranking.cumulated(size))
        return defined(ratio(shown, read + total - shown), ranking.truth)


@dataclass(frozen=True)
class Redundancy(OfText):
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
        """1 − Σ new / Σ size."""
        new, read = (
            ranking.at(self.k, ranking.cumulated(costs(ranking, self.unit, resize)))
            for resize in ("new", "full")
        )
        return defined(np.where(read > 0, 1 - ratio(new, read), 0.0), ranking.truth)


@dataclass(frozen=True)
class TextRead(OfText):
    """How much is read in the first k results: what their recall costs."""

    name: ClassVar[str] = "read"
    facts: ClassVar[Facts] = Facts(
        "units read in the first k results",
        "Smith and Troynikov 2024",
        "read@k = Σ size(e_i), i = 1 … k",
        NEEDS,
        EDGES + " Tokens that results state themselves count before those of a tokeniser.",
        example("read@2", 300, "The first two results have 150 characters each."),
        highest=None,
        higher_is_better=False,
        laws=frozenset({Law.TAIL_IS_FREE, Law.GROWS_WITH_K}),
        repeats="keep",
    )
    k: int = cut_off(5)
    unit: Unit = unit_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """Σ size."""
        read = ranking.at(self.k, ranking.cumulated(costs(ranking, self.unit, "full")))
        return defined(read.astype(np.float64), ranking.truth)
