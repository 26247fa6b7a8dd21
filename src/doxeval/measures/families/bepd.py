"""BEPD: how far the returned entry points are from the best ones (INEX 2006).

    s(x, b) = A·L / (A·L + d(x, b))        BEPD = Σ s over the returned documents / number of BEPs

x is where the first result of a document begins, b the document's best entry point (BEP), d their
distance in characters, L the mean length of a document. A says how patient the reader is: a
distance of L scores A / (A + 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from doxeval.arrays import Floats
from doxeval.errors import MissingInput
from doxeval.measures.base import Example, Facts, Law, Measure, Need, parameter
from doxeval.measures.caching import once
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking, defined, ratio

ASSESSMENTS = "7 Q0 a 50 1000 0 0:50\n7 Q0 b 50 1000 100 100:50\n"
RUN = "7 Q0 a 1 9 run 0\n7 Q0 c 2 8 run 0\n7 Q0 b 3 7 run 200\n"
WHY = (
    "The best entry points are at 0 in a and at 100 in b. The run enters a at 0: s = 1. c has "
    "none: 0. It enters b at 200, 100 too far: with A = .1 and L = 1000, s = 100 / (100 + 100) "
    "= .5. "
)


@dataclass(frozen=True)
class EntryPointModel(Measure):
    """Nearness to best entry points, for the measures that are built on it."""

    A: float = parameter(0.1, "how patient the reader is; 0.1 was official in 2006")
    L: float | str = parameter(
        "collection",
        "the mean length of a document, or that of the collection",
        ("collection",),
        number=True,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.A <= 0 or (self.L != "collection" and float(self.L) <= 0):
            raise ValueError("A and L must be above 0")

    def resolve_auto(self, truth: GroundTruth) -> Measure:
        """Return L as a number: the collection's mean length, if it is not given."""
        if self.L != "collection":
            return self
        if truth.mean_length is None:
            raise MissingInput(
                f"{self.name} needs the mean length of a document: a collection, or L=… in its name"
            )
        return self(L=truth.mean_length)

    @property
    def scale(self) -> float:
        """The distance that scores one half: A·L, L being a number by now."""
        return self.A * float(self.L)


def nearness(articles: Ranking, scale: float) -> Floats:
    """Return the nearness s of each document of the ranking; 0 if it has no entry point."""
    entry = np.where(articles.pair < 0, -1, articles.truth.entry[articles.pair])
    distance = np.abs(articles.start - entry)
    return np.where(entry < 0, 0.0, scale / (scale + distance))


@once
def entry_points(truth: GroundTruth) -> Floats:
    """Return the number of best entry points of each topic."""
    return truth.sum_by_topic((truth.entry >= 0).astype(np.int64)).astype(np.float64)


@dataclass(frozen=True)
class EntryPointDistance(EntryPointModel):
    """How near the returned entry points are to the best ones."""

    name: ClassVar[str] = "BEPD"
    facts: ClassVar[Facts] = Facts(
        "nearness to best entry points",
        "Lalmas et al. 2007, §7, eq 14",
        "BEPD = Σ s(x, b) / number of BEPs, s = A·L / (A·L + |x − b|)",
        frozenset({Need.ENTRY_POINTS, Need.RETRIEVED_START}),
        "A topic without best entry points is undefined. A second result of a document is ignored "
        "and takes no rank. A document without a best entry point scores 0.",
        Example("BEPD(L=1000)", 0.75, WHY + "(1 + .5) / 2.", ASSESSMENTS, RUN),
        laws=frozenset({Law.TAIL_IS_FREE}),
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the sum of nearness, divided by the number of best entry points."""
        articles = ranking.articles
        points = entry_points(ranking.truth)
        sums = articles.sums(nearness(articles, self.scale))
        return defined(ratio(sums, points), points)
