"""Structural relevance counted in text: precision, recall and cumulated gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from doxeval.arrays import Floats
from doxeval.measures.assessed_trees import Relevance
from doxeval.measures.base import Facts, Law, parameter
from doxeval.measures.esr_model import (
    REL_CHOICES,
    REL_HELP,
    Esr,
    EsrAt,
    example,
    facts_of,
)
from doxeval.measures.esr_recall import Precision
from doxeval.measures.ranking import Ranking, ratio

Cost = Literal["retrieved", "expected"]
COST_HELP = (
    "what is read: the results (then near-misses cost nothing, and there is no bound), or also the "
    "near-misses, as far as they are expected to be reached"
)
COSTS = ("retrieved", "expected")


@dataclass(frozen=True)
class ByLength(Esr):
    """An ESR measure that is counted in characters by default."""

    rel: Relevance = parameter("length", REL_HELP, REL_CHOICES)

    with_near_misses: ClassVar[bool] = False

    def gain(self, ranking: Ranking, topic: int) -> Floats:
        """Hits, or hits and near-misses."""
        expected = self.expected(ranking)
        return expected.seen(topic) if self.with_near_misses else expected.hits[topic]

    def precision_of_text(self, ranking: Ranking, topic: int, cost: Cost) -> Floats:
        """SRiP or SRiP2 at every rank."""
        read = self.read(ranking)[topic]
        if cost == "expected":
            read = read + self.read_on_the_way(ranking)[topic]
        return ratio(self.gain(ranking, topic), read)

    def seen_text(self, ranking: Ranking, topic: int) -> Floats:
        """SRiR2 at every rank: hits and near-misses by the relevant text."""
        return self.by_relevant_text(ranking, topic, self.expected(ranking).seen(topic))

    def by_relevant_text(self, ranking: Ranking, topic: int, gain: Floats) -> Floats:
        """A gain at every rank by Trel."""
        whole = float(self.relevant_text(ranking)[topic])
        return gain / whole if whole else np.zeros(len(gain))


@dataclass(frozen=True)
class TextPrecision(ByLength, Precision):
    """The expected gain from hits for each character that is read."""

    name: ClassVar[str] = "SRiP"
    facts: ClassVar[Facts] = facts_of(
        "structural relevance in precision of text",
        "SRiP@k = Hits@k / Σ size(t_i); SRiP[x] = max { SRiP@k : SRiR2@k ≥ x }",
        "eq 18, §7",
        example("SRiP@2", 10 / 3 / 25, "10 characters, a third of them new, of 15 + 10."),
        highest=None,
        laws=frozenset({Law.FALLS_WITH_X}),
    )

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Hits by size."""
        return self.precision_of_text(ranking, topic, "retrieved")

    def recall_by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """SRiR2."""
        return self.seen_text(ranking, topic)


@dataclass(frozen=True)
class TextPrecision2(TextPrecision):
    """As SRiP, with near-misses."""

    name: ClassVar[str] = "SRiP2"
    facts: ClassVar[Facts] = facts_of(
        "structural relevance in precision of text, with near-misses",
        "SRiP2@k = (Hits@k + NearMisses@k) / Σ size(t_i); SRiP2[x] = max { SRiP2@k : SRiR2@k ≥ x }",
        "eq 30, §7",
        example("SRiP2@2", (10 / 3 + 5 / 3) / 25, "A hit of 10/3, a near-miss of 5/3, of 25."),
        highest=None,
        laws=frozenset({Law.FALLS_WITH_X}),
    )
    with_near_misses: ClassVar[bool] = True
    cost: Cost = parameter("retrieved", COST_HELP, COSTS)

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Hits and near-misses by what is read."""
        return self.precision_of_text(ranking, topic, self.cost)


@dataclass(frozen=True)
class TextRecall(ByLength, EsrAt):
    """The share of the relevant text that is gained from hits."""

    name: ClassVar[str] = "SRiR"
    facts: ClassVar[Facts] = facts_of(
        "structural relevance in recall of text",
        "SRiR@k = Hits@k / Trel (recallbase=expected: / RecallBase@k)",
        "eq 19",
        example("SRiR@2", 10 / 3 / 15, "10/3 of 15 relevant characters."),
        highest=None,
        laws=frozenset({Law.TAIL_IS_FREE}),
    )
    recallbase: Literal["trel", "expected"] = parameter(
        "trel",
        "what is divided by: the relevant text, or the recall base (as the paper's table does)",
        ("trel", "expected"),
    )

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Gain by the relevant text or the recall base."""
        gain = self.gain(ranking, topic)
        if self.recallbase == "expected":
            return ratio(gain, self.expected(ranking).recall_base(topic))
        return self.by_relevant_text(ranking, topic, gain)


@dataclass(frozen=True)
class TextRecall2(TextRecall):
    """As SRiR, with near-misses."""

    name: ClassVar[str] = "SRiR2"
    facts: ClassVar[Facts] = facts_of(
        "structural relevance in recall of text, with near-misses",
        "SRiR2@k = (Hits@k + NearMisses@k) / Trel",
        "eq 31",
        example("SRiR2@2", (10 / 3 + 5 / 3) / 15, "10/3 and 5/3 of 15."),
        highest=None,
    )
    with_near_misses: ClassVar[bool] = True


@dataclass(frozen=True)
class CumulatedGain(ByLength, EsrAt):
    """The gain of k ranks, against what the user wants to have gained by then."""

    name: ClassVar[str] = "NSRCG"
    facts: ClassVar[Facts] = facts_of(
        "normalised cumulated gain by structural relevance",
        "NSRCG@k = Hits@k / (k·l·RecallBase@k / m)",
        "eq 23–25",
        example(
            "NSRCG@2(m=2)",
            (10 / 3) / (10 / 3 + 5),
            "The user wants all (l = 1) within two ranks: by then 10/3 + 5.",
        ),
        highest=None,
    )
    l: float = parameter(1.0, "the share of the recall base that the user wants")  # noqa: E741
    m: float = parameter(10.0, "within how many ranks the user wants it")
    divides_by_rank: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.l <= 1 or self.m <= 0:
            raise ValueError("l must be above 0 and at most 1, and m above 0")

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Gain by the gain that is wanted."""
        gain = self.gain(ranking, topic)
        ranks = np.arange(1, len(gain) + 1)
        base = self.expected(ranking).recall_base(topic)
        return ratio(gain, ranks * self.l * base / self.m)


@dataclass(frozen=True)
class CumulatedGain2(CumulatedGain):
    """As NSRCG, with near-misses."""

    name: ClassVar[str] = "NSRCG2"
    facts: ClassVar[Facts] = facts_of(
        "normalised cumulated gain by structural relevance, with near-misses",
        "NSRCG2@k = (Hits@k + NearMisses@k) / (k·l·RecallBase@k / m)",
        "eq 32",
        example("NSRCG2@2(m=2)", (10 / 3 + 5 / 3) / (10 / 3 + 5), "With the near-miss of 5/3."),
        highest=None,
    )
    with_near_misses: ClassVar[bool] = True
