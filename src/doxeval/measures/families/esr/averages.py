"""Structural relevance averaged over recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from doxeval.arrays import Floats
from doxeval.measures.base import Facts, parameter
from doxeval.measures.esr_model import example, facts_of
from doxeval.measures.esr_recall import Average
from doxeval.measures.families.esr.precision import hits_by_rank
from doxeval.measures.families.esr.text import COST_HELP, COSTS, ByLength, Cost
from doxeval.measures.ranking import Ranking


@dataclass(frozen=True)
class AverageExtendedPrecision(Average):
    """ESRP, averaged over recall."""

    name: ClassVar[str] = "MAESRP"
    facts: ClassVar[Facts] = facts_of(
        "average extended structural relevance in precision",
        "mean over x = 0.00 … 1.00 of max { ESRP : ESRR ≥ x }",
        "§7",
        example("MAESRP", 51 * (1 / 6) / 101, "ESRP is 1/6 at rank 2; recall there is .5."),
        highest=None,
    )

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """ESRP."""
        return hits_by_rank(self.expected(ranking).hits[topic])

    def recall_by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """ESRR."""
        return self.expected(ranking).recall(topic)


@dataclass(frozen=True)
class AverageTextPrecision(ByLength, Average):
    """SRiP, averaged over recall."""

    name: ClassVar[str] = "MASRiP"
    facts: ClassVar[Facts] = facts_of(
        "average structural relevance in precision of text",
        "mean over x = 0.00 … 1.00 of max { SRiP : SRiR2 ≥ x }",
        "§7",
        example(
            "MASRiP",
            34 * (10 / 3 / 25) / 101,
            "SRiP is 10/75 at rank 2, where SRiR2 is 5/15: 34 points up to .33.",
        ),
        highest=None,
    )

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """SRiP."""
        return self.precision_of_text(ranking, topic, "retrieved")

    def recall_by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """SRiR2."""
        return self.seen_text(ranking, topic)


@dataclass(frozen=True)
class AverageTextPrecision2(AverageTextPrecision):
    """SRiP2, averaged over recall."""

    name: ClassVar[str] = "MASRiP2"
    facts: ClassVar[Facts] = facts_of(
        "average structural relevance in precision of text, with near-misses",
        "mean over x = 0.00 … 1.00 of max { SRiP2 : SRiR2 ≥ x }",
        "§7, eq 30",
        example(
            "MASRiP2",
            56 * ((10 * 2 / 3 + 5 / 3) / 15) / 101,
            "At rank 1 near-misses of 20/3 + 5/3 come from 15 characters; recall is 25/45: 56 "
            "points.",
        ),
        highest=None,
    )
    with_near_misses: ClassVar[bool] = True
    cost: Cost = parameter("retrieved", COST_HELP, COSTS)

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """SRiP2."""
        return self.precision_of_text(ranking, topic, self.cost)
