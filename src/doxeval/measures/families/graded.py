"""Documents that are relevant to a degree: discounted gain, and users who stop.

    DCG@k = Σ gain(r) / log2(r + 1), r = 1 … k        nDCG@k = DCG@k / DCG@k of the best order
    ERR@k = Σ 1/r · p(r) · Π_{i<r} (1 − p(i)), p(r) = (2^grade − 1) / 2^max
    RBP   = (1 − p) · Σ p^(r−1) over the ranks of relevant documents

Grades below 0, and documents without a grade, are worth nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from doxeval.arrays import Floats
from doxeval.errors import MissingInput
from doxeval.measures.base import Facts, Law, cut_off, parameter
from doxeval.measures.graded_ranking import Gain, GradedRanking
from doxeval.measures.ranking import Ranking, defined, ratio
from doxeval.measures.whole_documents import (
    LAWS,
    BinaryMeasure,
    GradedMeasure,
    Of,
    UnitMeasure,
    document_facts,
    of_parameter,
)

_EDGES = (
    "A topic without a grade above 0 is undefined; a document that was not judged, or has a grade "
    "below 0, is worth nothing."
)


@dataclass(frozen=True)
class NormalisedDiscountedGain(UnitMeasure):
    """How much is gained by reading from the top, when later ranks count less, over the best order.

    nxCG is its counterpart for elements, sDCG for chunks.
    """

    name: ClassVar[str] = "nDCG"
    facts: ClassVar[Facts] = document_facts(
        "normalised discounted cumulated gain of documents",
        "Järvelin and Kekäläinen 2002",
        "nDCG@k = DCG@k / the DCG@k of all judged documents, best first; DCG@k = Σ gain / "
        "log2(r + 1)",
        (
            "nDCG@2",
            1 / (2 + 1 / np.log2(3)),
            "a gains 1, b nothing; the best order begins with grades 2 and 1.",
        ),
        _EDGES,
    )
    k: int | None = cut_off(None)
    gain: Gain = parameter("linear", "a grade, or 2 to the grade less 1", ("linear", "exp"))
    of: Of = of_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """Return DCG over the ideal DCG."""
        graded = self.graded(ranking)
        gained = graded.at(self.k, graded.dcg(self.gain))
        if self.of == "returned":
            best = graded.returned_ideal_dcg(self.k, self.gain)
            return defined(ratio(gained, best), np.diff(graded.judged_begin))
        # The ideal list of chunks is not cut off.
        last = self.k if self.unit == "document" else None
        ideal = graded.ideal_at(last, graded.ideal_dcg(self.gain))
        return defined(np.minimum(ratio(gained, ideal), 1.0), ideal)

    @property
    def of_parts(self) -> str:
        """Which measure counts parts."""
        return "sDCG counts needs"


@dataclass(frozen=True)
class ExpectedReciprocalRank(GradedMeasure):
    """The expected reciprocal of the rank at which a user is satisfied, who reads from the top.

    A document satisfies with a probability that grows with its grade. Not to be confused with ERRU,
    the expected ratio of relevant units.
    """

    name: ClassVar[str] = "ERR"
    facts: ClassVar[Facts] = document_facts(
        "expected reciprocal rank",
        "Chapelle et al. 2009",
        "ERR@k = Σ 1/r · p_r · Π (1 − p_i), i < r, p_r = (2^grade − 1) / 2^max",
        (
            "ERR@3",
            1 / 16 + (15 / 16) * (3 / 16) / 3,
            "a satisfies with 1/16, b never, c, at rank 3, with 3/16 those who were not yet.",
        ),
        _EDGES + " A grade above max is an error.",
        LAWS | {Law.GROWS_WITH_K},
    )
    k: int = cut_off(20)
    max: int = parameter(4, "the highest grade of the scale")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.max <= 60:
            raise ValueError("max must be between 1 and 60")

    def scores(self, ranking: Ranking) -> Floats:
        """Return the expected reciprocal rank."""
        graded = self.graded(ranking)
        highest = int(graded.judged.max(initial=0))
        if highest > self.max:
            raise MissingInput(
                f"{self.label} needs max={highest}: there are grades up to {highest}"
            )
        satisfied = graded.gain("exp") / 2.0**self.max
        still_reading = [
            np.append(1.0, np.cumprod(1 - of_topic)[:-1])[: len(of_topic)]
            for _, of_topic in graded.ranking.lists(satisfied)
        ]
        reading = np.concatenate(still_reading) if still_reading else satisfied
        value = satisfied * reading / graded.ranking.rank
        return defined(graded.total(value, self.k), graded.relevant(1))


@dataclass(frozen=True)
class _RankBiased(BinaryMeasure):
    k: int | None = cut_off(None)
    p: float = parameter(0.8, "the chance that a user goes on to the next document, below 1")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.p >= 1:
            raise ValueError("p must be below 1")

    def weights(self, graded: GradedRanking) -> Floats:
        """Return how likely it is that the document of each result is the last that is read."""
        return (1 - self.p) * np.power(self.p, graded.ranking.rank - 1, dtype=np.float64)


@dataclass(frozen=True)
class RankBiasedPrecision(_RankBiased):
    """The share of relevant documents seen by a user who goes on to the next with chance p.

    RBPresidual says how much it could rise if everything unseen and unjudged were relevant.
    """

    name: ClassVar[str] = "RBP"
    facts: ClassVar[Facts] = document_facts(
        "rank-biased precision",
        "Moffat and Zobel 2008",
        "RBP = (1 − p) · Σ p^(r−1) over the ranks r of relevant documents",
        ("RBP(p=0.5)", 0.5 * (1 + 0.25), "Relevant at ranks 1 and 3: 0.5 · (1 + 0.25)."),
        laws=LAWS | {Law.GROWS_WITH_K},
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the share of relevant documents, by their weights."""
        graded = self.graded(ranking)
        gained = graded.is_relevant(self.rel) * self.weights(graded)
        return defined(graded.total(gained, self.k), graded.relevant(self.rel))


@dataclass(frozen=True)
class RankBiasedResidual(_RankBiased):
    """How much RBP could rise if all unjudged documents, and all beyond the list, were relevant."""

    name: ClassVar[str] = "RBPresidual"
    facts: ClassVar[Facts] = document_facts(
        "residual of rank-biased precision",
        "Moffat and Zobel 2008",
        "RBPresidual = (1 − p) · Σ p^(r−1) over the ranks r of unjudged documents + p^n, n being "
        "the length of the list, at most k",
        (
            "RBPresidual(p=0.5)",
            0.5 * (0.125 + 0.0625) + 0.5**5,
            "x and d, at ranks 4 and 5, were not judged, nor was anything behind rank 5.",
        ),
        "A topic without relevant documents is undefined. An empty list has 1.",
        frozenset({Law.TAIL_IS_FREE}),
        higher_is_better=False,
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the weights of what nobody judged."""
        graded = self.graded(ranking)
        unjudged = graded.total(~graded.is_judged * self.weights(graded), self.k)
        counts = graded.ranking.counts
        end = counts if self.k is None else np.minimum(counts, self.k)
        return defined(
            unjudged + np.power(self.p, end, dtype=np.float64), graded.relevant(self.rel)
        )
