"""The sums that all ESR measures are built from: hits, near-misses, misses, and their total."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from doxeval.arrays import Floats
from doxeval.measures.base import Facts, Law
from doxeval.measures.esr_model import EsrAt, example, facts_of, shares_by_rank
from doxeval.measures.ranking import Ranking
from doxeval.scores import Curve


@dataclass(frozen=True)
class Hits(EsrAt):
    """The expected gain from relevant units in the list."""

    name: ClassVar[str] = "Hits"
    facts: ClassVar[Facts] = facts_of(
        "expected gain from hits",
        "Hits@k = Σ rel(a)·(1 − p(a; R_{m−1})) over the relevant units among the first k",
        "eq 8",
        example("Hits@2", 1 / 3, "It was seen before with probability 2/3: 1 − 2/3."),
        highest=None,
        laws=frozenset({Law.GROWS_WITH_K, Law.TAIL_IS_FREE}),
    )

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Hits."""
        return self.expected(ranking).hits[topic]

    def curve(self, ranking: Ranking) -> Curve:
        """Hits by rank, as a share of the total relevance."""
        return shares_by_rank(self, ranking)


@dataclass(frozen=True)
class NearMisses(EsrAt):
    """The expected gain from relevant units that readers reach from the list."""

    name: ClassVar[str] = "NearMisses"
    facts: ClassVar[Facts] = facts_of(
        "expected gain from near-misses",
        "NearMisses@k = Σ rel(a)·p(a; R_k) over the relevant units not among the first k",
        "eq 10",
        example("NearMisses@1", 1.0, "After the article: 2/3 + 1/3."),
        highest=None,
    )

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Near-misses."""
        return self.expected(ranking).near[topic]

    def curve(self, ranking: Ranking) -> Curve:
        """Near-misses by rank, as a share of the total relevance."""
        return shares_by_rank(self, ranking)


@dataclass(frozen=True)
class Misses(EsrAt):
    """The expected loss from relevant units that readers do not see."""

    name: ClassVar[str] = "Misses"
    facts: ClassVar[Facts] = facts_of(
        "expected loss from misses",
        "Misses@k = Σ rel(a)·(1 − p(a; R_k)) over the relevant units not among the first k",
        "eq 9",
        example("Misses@1", 1.0, "After the article: 1/3 + 2/3."),
        highest=None,
        higher_is_better=False,
    )

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Misses."""
        return self.expected(ranking).misses(topic)

    def curve(self, ranking: Ranking) -> Curve:
        """Misses by rank, as a share of the total relevance."""
        return shares_by_rank(self, ranking)

    def empty(self, total: float) -> float:
        """Everything is missed."""
        return total


@dataclass(frozen=True)
class ExpectedRecallBase(EsrAt):
    """All that readers could gain: hits, near-misses and misses together."""

    name: ClassVar[str] = "RecallBase"
    facts: ClassVar[Facts] = facts_of(
        "expected gain and loss together",
        "RecallBase@k = Hits@k + NearMisses@k + Misses@k",
        "eq 11",
        example("RecallBase@2", 4 / 3, "The hit is worth 1/3, the other section 1: 4/3."),
        highest=None,
    )

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """The recall base."""
        return self.expected(ranking).recall_base(topic)

    def empty(self, total: float) -> float:
        """Everything can still be gained."""
        return total
