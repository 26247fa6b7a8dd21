"""The measures of the ESR family: each is a quotient of hits, near-misses, ranks and text.

First the sums that all of them are built from; then precision and recall by rank; the same counted
in text; precision where a reader has seen enough; and averages over recall.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from doxeval.arrays import Floats
from doxeval.measures.base import TOLERANCE, Facts, Law, parameter, point
from doxeval.measures.caching import once
from doxeval.measures.families.esr.hits import inferred_gains, read_on_the_way
from doxeval.measures.families.esr.model import (
    REL_CHOICES,
    REL_HELP,
    Average,
    Esr,
    EsrAt,
    EsrPrecision,
    example,
    facts_of,
)
from doxeval.measures.families.esr.trees import Relevance, relevant_text, union_lengths
from doxeval.measures.ranking import Ranking, ratio
from doxeval.scores import Curve

# What readers gain and miss


@dataclass(frozen=True)
class _Outcome(EsrAt):
    """Hits, near-misses or misses, which have a curve by rank."""

    def curve(self, ranking: Ranking) -> Curve:
        """Return it at every rank, as a share of the total relevance; beyond a list it stays."""
        total = self.expected(ranking).total
        ranks = max(int(ranking.counts.max(initial=0)), 1)
        y = np.full((len(total), ranks), np.nan)
        for topic in self.defined_topics(ranking):
            whole = float(total[topic])
            values = self.by_rank(ranking, topic) / whole
            last = float(values[-1]) if len(values) else self.empty(whole) / whole
            y[topic] = np.append(values, np.full(ranks - len(values), last))
        x = np.arange(1, ranks + 1).astype(np.float64)
        return Curve(str(self), "rank", "share", x, y)


@dataclass(frozen=True)
class Hits(_Outcome):
    """The expected gain from relevant units in the list."""

    name: ClassVar[str] = "Hits"
    facts: ClassVar[Facts] = facts_of(
        "expected gain from hits",
        "Hits@k = Σ rel(a)·(1 − p(a; R_{m−1})) over the relevant units among the first k",
        "eq 8",
        example("Hits@2", 1 / 3, "It was seen before with probability 2/3: 1 − 2/3."),
        laws=frozenset({Law.GROWS_WITH_K, Law.TAIL_IS_FREE}),
    )

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Return hits."""
        return self.expected(ranking).hits[topic]


@dataclass(frozen=True)
class NearMisses(_Outcome):
    """The expected gain from relevant units that readers reach from the list."""

    name: ClassVar[str] = "NearMisses"
    facts: ClassVar[Facts] = facts_of(
        "expected gain from near-misses",
        "NearMisses@k = Σ rel(a)·p(a; R_k) over the relevant units not among the first k",
        "eq 10",
        example("NearMisses@1", 1.0, "After the article: 2/3 + 1/3."),
    )

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Return near-misses."""
        return self.expected(ranking).near[topic]


@dataclass(frozen=True)
class Misses(_Outcome):
    """The expected loss from relevant units that readers do not see."""

    name: ClassVar[str] = "Misses"
    facts: ClassVar[Facts] = facts_of(
        "expected loss from misses",
        "Misses@k = Σ rel(a)·(1 − p(a; R_k)) over the relevant units not among the first k",
        "eq 9",
        example("Misses@1", 1.0, "After the article: 1/3 + 2/3."),
        higher_is_better=False,
    )

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Return misses."""
        return self.expected(ranking).misses(topic)

    def empty(self, total: float) -> float:
        """Return the total: everything is missed."""
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
    )

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Return the recall base."""
        return self.expected(ranking).recall_base(topic)

    def empty(self, total: float) -> float:
        """Return the total: everything can still be gained."""
        return total


@dataclass(frozen=True)
class StructuralRelevance(EsrAt):
    """The gain from results, with the relevance of a result inferred from its elements."""

    name: ClassVar[str] = "SR"
    facts: ClassVar[Facts] = facts_of(
        "structural relevance",
        "SR@k = Σ rel(t_i)·(1 − p(t_i; R_{i−1})), rel the mean over the result's elements",
        "eq 12",
        example("SR@2", 1 / 3, "The article is not relevant itself; 0 + 1/3."),
        laws=frozenset({Law.GROWS_WITH_K, Law.TAIL_IS_FREE}),
    )

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Return the sum of inferred gains."""
        gains: Floats = np.cumsum(inferred_gains(ranking, self.readers)[topic])
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
        laws=frozenset({Law.TAIL_IS_FREE}),
    )
    divides_by_rank: ClassVar[bool] = True

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Return the mean of inferred gains."""
        gains = super().by_rank(ranking, topic)
        precision: Floats = gains / np.arange(1, len(gains) + 1)
        return precision


@dataclass(frozen=True)
class AverageStructuralPrecision(StructuralPrecision):
    """SRP, averaged over the ranks up to k."""

    name: ClassVar[str] = "MASRP"
    facts: ClassVar[Facts] = facts_of(
        "structural relevance in precision, averaged over ranks",
        "MASRP@k = (SRP@1 + … + SRP@k) / k",
        "§6.1",
        example("MASRP@2", 1 / 12, "SRP is 0 at rank 1 and 1/6 at rank 2."),
        laws=frozenset({Law.TAIL_IS_FREE}),
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of SRP@1 … SRP@k."""
        scores = ranking.truth.nothing()
        for topic in self.defined_topics(ranking):
            gains = StructuralRelevance.by_rank(self, ranking, topic)[: self.k]
            listed = len(gains)
            total = float((gains / np.arange(1, listed + 1)).sum())
            if listed:  # beyond the list nothing is gained, and precision falls with the rank
                total += float(gains[-1]) * (_harmonic(self.k) - _harmonic(listed))
            scores[topic] = total / self.k
        return scores


def _harmonic(n: int) -> float:
    """Return 1 + 1/2 + … + 1/n.

    >>> _harmonic(2), round(_harmonic(10**6), 12)
    (1.5, 14.392726722866)
    """
    if n <= 1000:
        return math.fsum(1 / i for i in range(1, n + 1))
    return math.log(n) + float(np.euler_gamma) + 1 / (2 * n) - 1 / (12 * n**2)


# Precision and recall by rank


@dataclass(frozen=True)
class _HitsByRank(Esr):
    """Hits for each rank, and the recall that they are reached at."""

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Return ESRP."""
        hits = self.expected(ranking).hits[topic]
        precision: Floats = hits / np.arange(1, len(hits) + 1)
        return precision

    def recall_by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Return ESRR."""
        return self.expected(ranking).recall(topic)


@dataclass(frozen=True)
class ExtendedPrecision(_HitsByRank, EsrPrecision):
    """The expected gain from hits for each rank."""

    name: ClassVar[str] = "ESRP"
    facts: ClassVar[Facts] = facts_of(
        "extended structural relevance in precision",
        "ESRP@k = Hits@k / k; ESRP[x] = max { ESRP@k : ESRR@k ≥ x }",
        "eq 13, §7",
        example("ESRP@2", 1 / 6, "1/3 from two ranks."),
        laws=frozenset({Law.TAIL_IS_FREE, Law.FALLS_WITH_X}),
    )
    divides_by_rank: ClassVar[bool] = True


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
        highest=1.0,
    )

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Return hits and near-misses by the recall base."""
        return self.expected(ranking).recall(topic)


# The same counted in text

Cost = Literal["retrieved", "expected"]


@dataclass(frozen=True)
class _ByLength(Esr):
    """An ESR measure that is counted in characters by default."""

    rel: Relevance = parameter("length", REL_HELP, REL_CHOICES)

    with_near_misses: ClassVar[bool] = False

    def gain(self, ranking: Ranking, topic: int) -> Floats:
        """Return hits, or hits and near-misses."""
        expected = self.expected(ranking)
        return expected.seen(topic) if self.with_near_misses else expected.hits[topic]

    def by_relevant_text(self, ranking: Ranking, topic: int, gain: Floats) -> Floats:
        """Divide a gain at every rank by Trel."""
        whole = float(relevant_text(ranking.truth, self.relevance)[topic])
        return gain / whole if whole else np.zeros(len(gain))


@dataclass(frozen=True)
class _ByTextRead(_ByLength):
    """Hits for each character that is read, and the recall that they are reached at."""

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Return SRiP."""
        return ratio(self.expected(ranking).hits[topic], _cumulated_sizes(ranking)[topic])

    def recall_by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Return SRiR2: hits and near-misses by the relevant text."""
        return self.by_relevant_text(ranking, topic, self.expected(ranking).seen(topic))


@dataclass(frozen=True)
class _WithNearMissesByTextRead(_ByTextRead):
    """Hits and near-misses for each character that is read."""

    cost: Cost = parameter(
        "retrieved",
        "what is read: the results (then near-misses cost nothing, and there is no bound), or also "
        "the near-misses, as far as they are expected to be reached",
        ("retrieved", "expected"),
    )

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Return SRiP2."""
        read = _cumulated_sizes(ranking)[topic]
        if self.cost == "expected":
            read = read + read_on_the_way(ranking, self.readers)[topic]
        return ratio(self.expected(ranking).seen(topic), read)


@once
def _cumulated_sizes(ranking: Ranking) -> list[Floats]:
    """Return Σ size, rank by rank; a result that does not resolve has the size that it states."""
    sizes = union_lengths(ranking.truth, ranking.topic, ranking.returned_trees, relevant=False)
    sizes = np.where(ranking.resolved.document < 0, np.maximum(ranking.size, 0), sizes)
    return ranking.by_topic(ranking.cumulated(sizes))


@dataclass(frozen=True)
class TextPrecision(_ByTextRead, EsrPrecision):
    """The expected gain from hits for each character that is read."""

    name: ClassVar[str] = "SRiP"
    facts: ClassVar[Facts] = facts_of(
        "structural relevance in precision of text",
        "SRiP@k = Hits@k / Σ size(t_i); SRiP[x] = max { SRiP@k : SRiR2@k ≥ x }",
        "eq 18, §7",
        example("SRiP@2", 10 / 3 / 25, "10 characters, a third of them new, of 15 + 10."),
        laws=frozenset({Law.FALLS_WITH_X}),
    )


@dataclass(frozen=True)
class TextPrecision2(_WithNearMissesByTextRead, TextPrecision):
    """As SRiP, with near-misses."""

    name: ClassVar[str] = "SRiP2"
    facts: ClassVar[Facts] = facts_of(
        "structural relevance in precision of text, with near-misses",
        "SRiP2@k = (Hits@k + NearMisses@k) / Σ size(t_i); SRiP2[x] = max { SRiP2@k : SRiR2@k ≥ x }",
        "eq 30, §7",
        example("SRiP2@2", (10 / 3 + 5 / 3) / 25, "A hit of 10/3, a near-miss of 5/3, of 25."),
        laws=frozenset({Law.FALLS_WITH_X}),
    )


@dataclass(frozen=True)
class TextRecall(_ByLength, EsrAt):
    """The share of the relevant text that is gained from hits."""

    name: ClassVar[str] = "SRiR"
    facts: ClassVar[Facts] = facts_of(
        "structural relevance in recall of text",
        "SRiR@k = Hits@k / Trel (recallbase=expected: / RecallBase@k)",
        "eq 19",
        example("SRiR@2", 10 / 3 / 15, "10/3 of 15 relevant characters."),
        laws=frozenset({Law.TAIL_IS_FREE}),
    )
    recallbase: Literal["trel", "expected"] = parameter(
        "trel",
        "what is divided by: the relevant text, or the recall base (as the paper's table does)",
        ("trel", "expected"),
    )

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Return the gain, divided by the relevant text or the recall base."""
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
    )
    with_near_misses: ClassVar[bool] = True


@dataclass(frozen=True)
class ExpectedCumulatedGain(_ByLength, EsrAt):
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
    )
    l: float = parameter(1.0, "the share of the recall base that the user wants")  # noqa: E741
    m: float = parameter(10.0, "within how many ranks the user wants it")
    divides_by_rank: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.l <= 1 or self.m <= 0:
            raise ValueError("l must be above 0 and at most 1, and m above 0")

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Return the gain, divided by what the user wants to have gained."""
        gain = self.gain(ranking, topic)
        ranks = np.arange(1, len(gain) + 1)
        base = self.expected(ranking).recall_base(topic)
        return ratio(gain, ranks * self.l * base / self.m)


@dataclass(frozen=True)
class CumulatedGain2(ExpectedCumulatedGain):
    """As NSRCG, with near-misses."""

    name: ClassVar[str] = "NSRCG2"
    facts: ClassVar[Facts] = facts_of(
        "normalised cumulated gain by structural relevance, with near-misses",
        "NSRCG2@k = (Hits@k + NearMisses@k) / (k·l·RecallBase@k / m)",
        "eq 32",
        example("NSRCG2@2(m=2)", (10 / 3 + 5 / 3) / (10 / 3 + 5), "With the near-miss of 5/3."),
    )
    with_near_misses: ClassVar[bool] = True


# Precision where a reader has seen enough


@dataclass(frozen=True)
class BrowsingPrecision(Esr):
    """The gain for each rank, at the rank where enough has been seen."""

    name: ClassVar[str] = "SRPRUM"
    facts: ClassVar[Facts] = facts_of(
        "precision at recall with navigation",
        "SRPRUM[r] = (H_C + N_C) / C, C the first rank where ESRR reaches r",
        "eq 27–29",
        example("SRPRUM[0.5]", 1.0, "Already the first rank has half: near-misses of 1 in 1 rank."),
    )
    x: Fraction = point(Fraction(1), "the recall (ESRR) that must be reached")

    def scores(self, ranking: Ranking) -> Floats:
        """Return the gain by rank where recall is reached, or at the end of the list."""
        expected = self.expected(ranking)
        scores = ranking.truth.nothing()
        for topic in self.defined_topics(ranking):
            seen = expected.seen(topic)
            if not len(seen):
                scores[topic] = 0.0
                continue
            reached = np.flatnonzero(expected.recall(topic) >= float(self.x) - TOLERANCE)
            rank = int(reached[0]) + 1 if len(reached) else len(seen)
            scores[topic] = seen[rank - 1] / rank
        return scores


# Averages over recall


@dataclass(frozen=True)
class AverageExtendedPrecision(_HitsByRank, Average):
    """ESRP, averaged over recall."""

    name: ClassVar[str] = "MAESRP"
    facts: ClassVar[Facts] = facts_of(
        "average extended structural relevance in precision",
        "mean over x = 0.00 … 1.00 of max { ESRP : ESRR ≥ x }",
        "§7",
        example("MAESRP", 51 * (1 / 6) / 101, "ESRP is 1/6 at rank 2; recall there is .5."),
    )


@dataclass(frozen=True)
class AverageTextPrecision(_ByTextRead, Average):
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
    )


@dataclass(frozen=True)
class AverageTextPrecision2(_WithNearMissesByTextRead, AverageTextPrecision):
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
    )
