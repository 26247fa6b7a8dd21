"""What else trec_eval computes: experimental measures, and some to compare with old results.

Below, R is the number of relevant documents, n that of returned ones, and H that of relevant
returned ones. The ideal is all documents with a grade above 0, the best first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from doxeval.arrays import Floats
from doxeval.measures.base import Facts, Law, cut_off, level
from doxeval.measures.families.documents import (
    SMALLEST_OF_LOG,
    binary_preference,
    interpolated_precision,
    truncated_share,
)
from doxeval.measures.ranking import Ranking, defined, ratio
from doxeval.measures.whole_documents import (
    EDGES,
    BinaryMeasure,
    GradedMeasure,
    document_facts,
)

_CITE = "trec_eval"
_GRADED_EDGES = "A topic without a grade above 0 is undefined; grades below 0 gain nothing."


# Documents that are relevant or not


@dataclass(frozen=True)
class BinaryGain(BinaryMeasure):
    """How few documents that are not relevant come before each relevant one."""

    name: ClassVar[str] = "binG"
    facts: ClassVar[Facts] = document_facts(
        "binary gain",
        _CITE,
        "binG = Σ 1 / log2(2 + non-relevant documents above) / R over relevant documents returned",
        ("binG", (1 + 1 / math.log2(3)) / 3, "Nothing comes before a, b before c."),
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of discounts."""
        graded = self.graded(ranking)
        others = graded.ranking.rank - graded.hits(self.rel)
        gain = graded.is_relevant(self.rel) / np.log2(2 + others)
        relevant = graded.relevant(self.rel)
        return defined(ratio(graded.total(gain), relevant), relevant)


@dataclass(frozen=True)
class MultipleRPrecision(BinaryMeasure):
    """Precision after a multiple of as many documents as there are relevant ones."""

    name: ClassVar[str] = "RprecMult"
    facts: ClassVar[Facts] = document_facts(
        "precision after x·R documents",
        _CITE,
        "RprecMult@x = |relevant among the first c documents| / c, c = ⌊x·R + 0.9⌋",
        ("RprecMult@0.4", 1 / 2, "⌊0.4·3 + 0.9⌋ = 2: one of the first two is relevant."),
        EDGES + " 0 if c is 0.",
    )
    x: Fraction = level(Fraction(1), "the multiple of R", at_most=1000)

    def scores(self, ranking: Ranking) -> Floats:
        """Return the precision there."""
        graded = self.graded(ranking)
        relevant = graded.relevant(self.rel)
        end = truncated_share(float(self.x), relevant)
        return defined(ratio(graded.hits_at(end, self.rel), end), relevant)


@dataclass(frozen=True)
class ElevenPointAverage(BinaryMeasure):
    """The mean of interpolated precision at recall 0, 0.1 … 1."""

    name: ClassVar[str] = "IPrecAvg"
    facts: ClassVar[Facts] = document_facts(
        "interpolated precision at eleven points, averaged",
        _CITE,
        "IPrecAvg = mean of IPrec@0, IPrec@0.1 … IPrec@1",
        (
            "IPrecAvg",
            (4 * 1 + 4 * 2 / 3) / 11,
            "1 up to recall 0.3, where one document of three is enough; 2/3 up to 0.7, because "
            "0.7·3 + 0.9 is just below 3 in double precision; 0 beyond.",
        ),
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean."""
        graded = self.graded(ranking)
        points = [point / 10 for point in range(10, -1, -1)]
        total = sum(interpolated_precision(graded, self.rel, point) for point in points)
        return defined(np.asarray(total) / len(points), graded.relevant(self.rel))


@dataclass(frozen=True)
class RelativePrecision(BinaryMeasure):
    """Precision over the best that is possible at that rank: of few relevant documents, recall."""

    name: ClassVar[str] = "RelP"
    facts: ClassVar[Facts] = document_facts(
        "relative precision",
        _CITE,
        "RelP@k = |relevant among the first k documents| / min(k, R)",
        ("RelP@5", 2 / 3, "Two of the three that there are."),
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """Return precision over the best precision."""
        graded = self.graded(ranking)
        relevant = graded.relevant(self.rel)
        hits = graded.hits_at(self.k, self.rel)
        return defined(ratio(hits, np.minimum(relevant, self.k)), relevant)


@dataclass(frozen=True)
class SetRelativePrecision(BinaryMeasure):
    """Precision of all that is returned, over the best that is possible for so many documents."""

    name: ClassVar[str] = "SetRelP"
    facts: ClassVar[Facts] = document_facts(
        "relative precision of all that is returned",
        _CITE,
        "SetRelP = H / min(n, R)",
        ("SetRelP", 2 / 3, "Two of three relevant documents are among the five."),
        EDGES + " An empty list scores 0.",
        frozenset(),
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return precision over the best precision."""
        graded = self.graded(ranking)
        relevant = graded.relevant(self.rel)
        best = np.minimum(graded.ranking.counts, relevant)
        return defined(ratio(graded.hits_at(None, self.rel), best), relevant)


@dataclass(frozen=True)
class SetAveragePrecision(BinaryMeasure):
    """Precision times recall of all that is returned."""

    name: ClassVar[str] = "SetAP"
    facts: ClassVar[Facts] = document_facts(
        "average precision without order",
        _CITE,
        "SetAP = H² / (n·R)",
        ("SetAP", 4 / 15, "H = 2, n = 5, R = 3."),
        EDGES + " An empty list scores 0.",
        frozenset(),
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return precision times recall."""
        graded = self.graded(ranking)
        hits, relevant = graded.hits_at(None, self.rel), graded.relevant(self.rel)
        return defined(ratio(hits * hits, graded.ranking.counts * relevant), relevant)


@dataclass(frozen=True)
class SetUtility(BinaryMeasure):
    """Each relevant document is worth 1, and each other one costs 1."""

    name: ClassVar[str] = "Utility"
    facts: ClassVar[Facts] = document_facts(
        "utility of all that is returned",
        _CITE,
        "Utility = H − (n − H)",
        ("Utility", -1, "Two relevant documents, three others."),
        "Defined for every topic.",
        frozenset(),
        lowest=-math.inf,
        highest=None,
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return relevant documents less others."""
        graded = self.graded(ranking)
        hits = graded.hits_at(None, self.rel)
        return (hits - (graded.ranking.counts - hits)).astype(np.float64)


@dataclass(frozen=True)
class NonRelevantJudged(BinaryMeasure):
    """The number of returned documents that were judged and found not relevant."""

    name: ClassVar[str] = "NumNonRelRet"
    facts: ClassVar[Facts] = document_facts(
        "number of documents returned that were judged not relevant",
        _CITE,
        "NumNonRelRet = |returned documents with grades from 0 to rel − 1|",
        ("NumNonRelRet", 1, "Only b; x and d were not judged."),
        "Defined for every topic. The mean is over topics; trec_eval prints the sum.",
        frozenset({Law.TAIL_IS_FREE}),
        highest=None,
        higher_is_better=False,
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the number of judged documents that are not relevant."""
        graded = self.graded(ranking)
        return graded.at(None, graded.non_relevant(self.rel)).astype(np.float64)


@dataclass(frozen=True)
class GeometricPreference(BinaryMeasure):
    """Bpref where a topic that is missed costs more than another one gains; see GMAP."""

    name: ClassVar[str] = "GMBpref"
    facts: ClassVar[Facts] = document_facts(
        "geometric mean of binary preference",
        _CITE,
        "GMBpref = ln max(Bpref, 0.00001) of a topic; its mean over topics is e^(mean of these)",
        ("GMBpref", 1 / 3, "One topic, so the mean is its Bpref."),
        EDGES + " A Bpref below 0.00001 counts as 0.00001.",
        lowest=math.log(SMALLEST_OF_LOG),
        highest=0.0,
        average="geometric",
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the logarithm of Bpref."""
        return np.log(
            np.maximum(binary_preference(self.graded(ranking), self.rel), SMALLEST_OF_LOG)
        )


@dataclass(frozen=True)
class SmoothedAveragePrecision(BinaryMeasure):
    """Average precision on a scale on which means over topics say more."""

    name: ClassVar[str] = "YAAP"
    facts: ClassVar[Facts] = document_facts(
        "yet another average precision",
        "Robertson 2012",
        "YAAP = ln((1 + S) / (1 + R − S)), S = Σ P@r over the ranks r of relevant documents",
        (
            "YAAP",
            math.log((1 + 5 / 3) / (1 + 3 - 5 / 3)),
            "S = 1 + 2/3, R = 3.",
        ),
        lowest=-math.inf,
        highest=None,
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the smoothed precision."""
        graded = self.graded(ranking)
        relevant = graded.relevant(self.rel)
        precision = graded.is_relevant(self.rel) * graded.hits(self.rel) / graded.ranking.rank
        total = graded.total(precision)
        return defined(np.log((1 + total) / (1 + relevant - total)), relevant)


# Documents with grades


@dataclass(frozen=True)
class GradedGain(GradedMeasure):
    """Gain that is discounted by how much better the list could have been up to there."""

    name: ClassVar[str] = "G"
    facts: ClassVar[Facts] = document_facts(
        "gain, discounted by what was missed",
        _CITE,
        "G = Σ g / log2(2 + cost − got) / Σ ideal g; got = Σ g up to this rank, cost = Σ max(1, "
        "ideal g) up to this rank",
        (
            "G",
            (1 / math.log2(2 + 2 - 1) + 2 / math.log2(2 + 4 - 3)) / 4,
            "The ideal is 2, 1, 1. At rank 1: got 1, cost 2. At rank 3: got 3, cost 4.",
        ),
        _GRADED_EDGES,
        frozenset({Law.TAIL_IS_FREE}),
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the discounted gain over the ideal gain."""
        graded = self.graded(ranking)
        gain = np.maximum(graded.grade, 0)
        got = graded.ranking.cumulated(gain)
        cost = graded.ranking.cumulated(np.maximum(graded.ideal_gain_at_ranks(), 1))
        value = gain / np.log2(2 + cost - got)
        return defined(ratio(graded.total(value), graded.ideal_gain), graded.ideal_gain)


@dataclass(frozen=True)
class GainAtRelevant(GradedMeasure):
    """nDCG at the rank of each relevant document, averaged over all relevant ones."""

    name: ClassVar[str] = "nDCGrel"
    facts: ClassVar[Facts] = document_facts(
        "normalised discounted gain, averaged over relevant documents",
        _CITE,
        "nDCGrel = [Σ nDCG@r over the ranks r of documents with a grade above 0 + missing · nDCG] "
        "/ length of the ideal",
        (
            "nDCGrel",
            (1 / 2 + 2 * 2 / (2 + 1 / math.log2(3) + 1 / 2)) / 3,
            "nDCG@1 is 1/2. At rank 3, DCG is 1 + 2/2 and the ideal's 2 + 1/log2(3) + 1/2; that "
            "counts twice, once for e, which is missing.",
        ),
        _GRADED_EDGES,
        frozenset({Law.TAIL_IS_FREE}),
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of nDCG."""
        graded = self.graded(ranking)
        count, dcg = graded.relevant(1), graded.dcg("linear")
        at_rank = ratio(graded.is_relevant(1) * dcg, graded.ideal_dcg_at_ranks("linear"))
        missing = count - graded.hits_at(None, 1)
        ideal = graded.ideal_at(None, graded.ideal_dcg("linear"))
        rest = ratio(missing * graded.at(None, dcg), ideal)
        return defined(ratio(graded.total(at_rank) + rest, count), count)


@dataclass(frozen=True)
class GainAtLevels(BinaryMeasure):
    """nDCG at the ranks by which an ideal list has all documents of a grade, averaged."""

    name: ClassVar[str] = "RnDCG"
    facts: ClassVar[Facts] = document_facts(
        "normalised discounted gain, averaged over grades",
        _CITE,
        "RnDCG = mean of nDCG@c over c = |documents of at least grade g|, for each grade g > 0 "
        "that occurs, and of nDCG@n if n > length of the ideal + 1",
        (
            "RnDCG",
            (1 / 2 + 2 * 2 / (2 + 1 / math.log2(3) + 1 / 2)) / 3,
            "One document has grade 2, three have at least 1: nDCG@1 and nDCG@3, and nDCG@5, which "
            "equals nDCG@3, since 5 > 3 + 1.",
        ),
        "A topic without relevant documents is undefined; rel decides nothing else.",
        frozenset(),
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of nDCG."""
        graded = self.graded(ranking)
        dcg, ideal_dcg = graded.dcg("linear"), graded.ideal_dcg("linear")
        judged, begin = graded.judged, graded.judged_begin
        is_last = np.append(judged[1:] != judged[:-1], True)[: len(judged)]
        is_last[begin[1:][begin[1:] > 0] - 1] = True
        end = np.flatnonzero(is_last & (judged > 0))  # the last document of each grade
        topic = np.searchsorted(begin, end, "right") - 1
        counts = graded.ranking.counts
        rank = np.minimum(graded.judged_rank[end], counts[topic])
        at = np.append(dcg, 0.0)[np.where(rank > 0, graded.ranking.begin[topic] + rank - 1, -1)]
        total = np.bincount(topic, at / ideal_dcg[end], minlength=len(counts))
        number = np.bincount(topic, minlength=len(counts))
        is_longer = (counts > graded.relevant(1) + 1) & (number > 0)
        whole = ratio(graded.at(None, dcg), graded.ideal_at(None, ideal_dcg))
        mean = ratio(total + is_longer * whole, number + is_longer)
        return defined(mean, graded.relevant(self.rel))
