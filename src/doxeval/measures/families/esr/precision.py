"""Structural relevance by rank: gain, precision and recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from doxeval.arrays import Floats
from doxeval.measures.base import Facts, Law
from doxeval.measures.esr_model import EsrAt, example, facts_of
from doxeval.measures.esr_recall import Precision
from doxeval.measures.inferred_relevance import inferred_gains
from doxeval.measures.ranking import Ranking


@dataclass(frozen=True)
class StructuralRelevance(EsrAt):
    """The gain from results, with the relevance of a result inferred from its elements."""

    name: ClassVar[str] = "SR"
    facts: ClassVar[Facts] = facts_of(
        "structural relevance",
        "SR@k = Σ rel(t_i)·(1 − p(t_i; R_{i−1})), rel the mean over the result's elements",
        "eq 12",
        example("SR@2", 1 / 3, "The article is not relevant itself; 0 + 1/3."),
        highest=None,
        laws=frozenset({Law.GROWS_WITH_K, Law.TAIL_IS_FREE}),
    )

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """The sum of inferred gains."""
        gains: Floats = np.cumsum(inferred_gains(self, ranking)[topic])
        return gains


@dataclass(frozen=True)
class StructuralPrecision(StructuralRelevance):
    """Precision, with the relevance of a result inferred from its elements."""

    name: ClassVar[str] = "SRP"
    facts: ClassVar[Facts] = facts_of(
        "structural relevance in precision",
        "SRP@k = SR@k / k",
        "§6.1",
        example("SRP@2", 1 / 6, "The article is not relevant itself; (0 + 1/3) / 2."),
        highest=None,
        laws=frozenset({Law.TAIL_IS_FREE}),
    )
    divides_by_rank: ClassVar[bool] = True

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """The mean of inferred gains."""
        gains = super().by_rank(ranking, topic)
        precision: Floats = gains / np.arange(1, len(gains) + 1)
        return precision


@dataclass(frozen=True)
class ExtendedPrecision(Precision):
    """The expected gain from hits for each rank."""

    name: ClassVar[str] = "ESRP"
    facts: ClassVar[Facts] = facts_of(
        "extended structural relevance in precision",
        "ESRP@k = Hits@k / k; ESRP[x] = max { ESRP@k : ESRR@k ≥ x }",
        "eq 13, §7",
        example("ESRP@2", 1 / 6, "1/3 from two ranks."),
        highest=None,
        laws=frozenset({Law.TAIL_IS_FREE, Law.FALLS_WITH_X}),
    )
    divides_by_rank: ClassVar[bool] = True

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Hits by rank."""
        return hits_by_rank(self.expected(ranking).hits[topic])

    def recall_by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """ESRR."""
        return self.expected(ranking).recall(topic)


def hits_by_rank(hits: Floats) -> Floats:
    """ESRP at every rank, from the hits up to there."""
    precision: Floats = hits / np.arange(1, len(hits) + 1)
    return precision


@dataclass(frozen=True)
class ExtendedRecall(EsrAt):
    """The share of the recall base that is gained from hits and near-misses."""

    name: ClassVar[str] = "ESRR"
    facts: ClassVar[Facts] = facts_of(
        "extended structural relevance in recall",
        "ESRR@k = (Hits@k + NearMisses@k) / RecallBase@k",
        "eq 14",
        example(
            "ESRR@2", (1 / 3 + 1 / 3) / (4 / 3), "A hit of 1/3, a near-miss of 1/3, of 4/3 in all."
        ),
    )

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Hits and near-misses by the recall base."""
        return self.expected(ranking).recall(topic)
