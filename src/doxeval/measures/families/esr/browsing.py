"""Structural relevance where a reader has seen enough."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from doxeval.arrays import Floats
from doxeval.measures.base import TOLERANCE, Facts, point
from doxeval.measures.esr_model import Esr, example, facts_of
from doxeval.measures.ranking import Ranking


@dataclass(frozen=True)
class BrowsingPrecision(Esr):
    """The gain for each rank, at the rank where enough has been seen."""

    name: ClassVar[str] = "SRPRUM"
    facts: ClassVar[Facts] = facts_of(
        "precision at recall with navigation",
        "SRPRUM[r] = (H_C + N_C) / C, C the first rank where ESRR reaches r",
        "eq 27–29",
        example("SRPRUM[0.5]", 1.0, "Already the first rank has half: near-misses of 1 in 1 rank."),
        highest=None,
    )
    x: Fraction = point(Fraction(1), "the recall (ESRR) that must be reached")

    def scores(self, ranking: Ranking) -> Floats:
        """The gain by rank where recall is reached; at the end of the list if it never is."""
        expected = self.expected(ranking)
        scores = ranking.truth.nothing()
        for topic in np.flatnonzero(expected.total > 0).tolist():
            seen = expected.seen(topic)
            if not len(seen):
                scores[topic] = 0.0
                continue
            reached = np.flatnonzero(expected.recall(topic) >= float(self.x) - TOLERANCE)
            rank = int(reached[0]) + 1 if len(reached) else len(seen)
            scores[topic] = seen[rank - 1] / rank
        return scores
