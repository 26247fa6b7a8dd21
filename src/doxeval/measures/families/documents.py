"""Documents that are relevant or not, as trec_eval counts them.

    P@k = relevant among the first k documents / k        R@k = … / all relevant documents
    AP  = mean over the relevant documents of the precision at their ranks

A document is relevant if its grade is at least `rel`; a document with highlighted text has the
grade 1. A run of parts is taken as a ranking of documents, each at the rank of its first part.

Below, R is the number of relevant documents, n that of returned ones, and H that of relevant
returned ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.measures.base import Facts, Law, cut_off, level, parameter
from doxeval.measures.caching import once
from doxeval.measures.graded_ranking import GradedRanking, graded_documents
from doxeval.measures.ranking import Ranking, defined, ratio
from doxeval.measures.whole_documents import (
    EDGES,
    LAWS,
    BinaryMeasure,
    DocumentMeasure,
    GradedMeasure,
    Of,
    UnitMeasure,
    document_facts,
    of_parameter,
)

SMALLEST_OF_LOG = 0.00001  # a topic without success must not make a geometric mean 0
_EPSILON = 0.00001  # of infAP
_CITE = "trec_eval"
_EDGES_AT_K = EDGES + " P@k divides by k even if the list is shorter."


# Ranked lists


@dataclass(frozen=True)
class Precision(UnitMeasure, BinaryMeasure):
    """The share of relevant documents among the first k, or of relevant results."""

    name: ClassVar[str] = "P"
    facts: ClassVar[Facts] = document_facts(
        "precision of documents",
        _CITE,
        "P@k = |relevant among the first k documents| / k",
        ("P@2", 0.5, "One of the first two is relevant."),
        _EDGES_AT_K,
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """Return P@k."""
        graded = self.graded(ranking)
        return defined(graded.hits_at(self.k, self.rel) / self.k, graded.relevant(self.rel))

    @property
    def of_parts(self) -> str:
        """Which measure counts parts."""
        return f"cP@{self.k} counts characters"


@dataclass(frozen=True)
class Recall(UnitMeasure, BinaryMeasure):
    """The share of the relevant documents, or chunks, that are among the first k."""

    name: ClassVar[str] = "R"
    facts: ClassVar[Facts] = document_facts(
        "recall of documents",
        _CITE,
        "R@k = |relevant among the first k documents| / |relevant documents|",
        ("R@2", 1 / 3, "One of three relevant documents is among the first two."),
        _EDGES_AT_K,
        LAWS | {Law.GROWS_WITH_K},
    )
    k: int = cut_off(1000)

    def scores(self, ranking: Ranking) -> Floats:
        """Return R@k."""
        graded = self.graded(ranking)
        relevant = graded.relevant(self.rel)
        recall = np.minimum(ratio(graded.hits_at(self.k, self.rel), relevant), 1.0)
        return defined(recall, relevant)

    @property
    def of_chunks(self) -> bool:
        """Recall is that of all relevant chunks."""
        return True

    @property
    def of_parts(self) -> str:
        """Which measures count parts."""
        return f"cR@{self.k} counts characters, sR@{self.k} needs"


@dataclass(frozen=True)
class AveragePrecision(UnitMeasure, BinaryMeasure):
    """The mean, over all relevant documents or chunks, of the precision at their ranks."""

    name: ClassVar[str] = "AP"
    facts: ClassVar[Facts] = document_facts(
        "average precision of documents",
        _CITE,
        "AP = Σ P@r over the ranks r of relevant documents / |relevant documents|",
        ("AP", (1 + 2 / 3) / 3, "Relevant at ranks 1 and 3, e is missing: (1/1 + 2/3 + 0) / 3."),
        EDGES + " With @k, relevant documents behind rank k count 0.",
        LAWS | {Law.GROWS_WITH_K},
    )

    k: int | None = cut_off(None)
    of: Of = of_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of precision."""
        graded = self.graded(ranking)
        if self.of == "returned":
            return average_precision_of_returned(graded, self.rel, self.k)
        return np.minimum(average_precision(graded, self.rel, self.k), 1.0)

    @property
    def of_parts(self) -> str:
        """Which measure counts parts."""
        return "MAiP counts characters"


@dataclass(frozen=True)
class GeometricAveragePrecision(BinaryMeasure):
    """Average precision where a topic that is missed costs more than another one gains.

    The score of a topic is a logarithm. The mean over topics is turned back into a precision: it is
    the geometric mean.
    """

    name: ClassVar[str] = "GMAP"
    facts: ClassVar[Facts] = document_facts(
        "geometric mean of average precision",
        "Robertson 2006",
        "GMAP = ln max(AP, 0.00001) of a topic; its mean over topics is e^(mean of these)",
        (
            "GMAP",
            (1 + 2 / 3) / 3,
            "One topic, so the mean is its AP; the score of the topic is ln 0.5556 = -0.5878.",
        ),
        EDGES + " An AP below 0.00001 counts as 0.00001.",
        lowest=math.log(SMALLEST_OF_LOG),
        highest=0.0,
        average="geometric",
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the logarithm of AP."""
        return np.log(
            np.maximum(average_precision(self.graded(ranking), self.rel), SMALLEST_OF_LOG)
        )


@dataclass(frozen=True)
class RPrecision(BinaryMeasure):
    """Precision after as many documents as there are relevant ones, where it equals recall."""

    name: ClassVar[str] = "Rprec"
    facts: ClassVar[Facts] = document_facts(
        "precision after R documents",
        _CITE,
        "Rprec = |relevant among the first R documents| / R, R = |relevant documents|",
        ("Rprec", 2 / 3, "Of the first three documents, a and c are relevant."),
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the precision at R."""
        graded = self.graded(ranking)
        relevant = graded.relevant(self.rel)
        return defined(ratio(graded.hits_at(relevant, self.rel), relevant), relevant)


@dataclass(frozen=True)
class Success(BinaryMeasure):
    """Whether any of the first k documents is relevant."""

    name: ClassVar[str] = "Success"
    facts: ClassVar[Facts] = document_facts(
        "whether a relevant document is found",
        _CITE,
        "Success@k = 1 if any of the first k documents is relevant, else 0",
        ("Success@1", 1.0, "The first document is relevant."),
        laws=LAWS | {Law.GROWS_WITH_K},
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """Return 1 if there is a relevant document."""
        graded = self.graded(ranking)
        has_hit = graded.hits_at(self.k, self.rel) > 0
        return defined(has_hit.astype(np.float64), graded.relevant(self.rel))

    @property
    def of_parts(self) -> str:
        """Which measure counts parts."""
        return f"hit@{self.k} asks for a need"


@dataclass(frozen=True)
class PrecisionAtRecall(BinaryMeasure):
    """The best precision at any rank by which a share x of the relevant documents is returned.

    iP[x] is the same for highlighted characters.
    """

    name: ClassVar[str] = "IPrec"
    facts: ClassVar[Facts] = document_facts(
        "interpolated precision at recall x",
        _CITE,
        "IPrec@x = max P@r over the ranks r with at least ⌊x·R + 0.9⌋ relevant documents",
        ("IPrec@0.5", 2 / 3, "⌊0.5·3 + 0.9⌋ = 2 relevant documents are returned by rank 3."),
        EDGES + " A recall that is not reached scores 0. x·R + 0.9 is computed in double "
        "precision and cut off, as trec_eval does it: where 0.3·57 + 0.9 comes to 17.999…, 17 "
        "documents are enough.",
        LAWS | {Law.FALLS_WITH_X},
    )
    x: Fraction = level(Fraction(1, 10), "the recall to reach")

    def scores(self, ranking: Ranking) -> Floats:
        """Return the best precision from the level on."""
        graded = self.graded(ranking)
        scores = interpolated_precision(graded, self.rel, float(self.x))
        return defined(scores, graded.relevant(self.rel))

    @property
    def of_parts(self) -> str:
        """Which measure counts parts."""
        return "iP[x] counts characters"


# Incomplete judgments


@dataclass(frozen=True)
class BinaryPreference(BinaryMeasure):
    """How rarely a document that was judged not relevant is ranked above a relevant one.

    Documents that nobody judged are ignored, so that it can be used where many are unjudged.
    """

    name: ClassVar[str] = "Bpref"
    facts: ClassVar[Facts] = document_facts(
        "preference of relevant over judged non-relevant documents",
        "Buckley and Voorhees 2004",
        "Bpref = Σ (1 − min(n_r, R) / min(N, R)) / R over the relevant documents returned; N are "
        "judged not relevant, n_r of them are ranked above",
        (
            "Bpref",
            (1 + 0) / 3,
            "Nothing is above a; b, the only document that was judged not relevant, is above c.",
        ),
        EDGES.partition(";")[0] + "; unjudged documents, and grades below 0, are ignored.",
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of preferences that are kept."""
        return binary_preference(self.graded(ranking), self.rel)


@dataclass(frozen=True)
class InferredAveragePrecision(BinaryMeasure):
    """Average precision, estimated where only a sample of the pooled documents was judged.

    A grade below 0 marks a document that was pooled but not judged.
    """

    name: ClassVar[str] = "infAP"
    facts: ClassVar[Facts] = document_facts(
        "inferred average precision",
        "Yilmaz and Aslam 2006",
        "infAP = Σ [1/r + (rel+non+unj)/r · (rel+ε)/(rel+non+2ε)] / R over the ranks r of "
        "relevant documents, with the counts of relevant, non-relevant and unjudged pooled "
        "documents above r, ε = 0.00001; 1 for rank 1",
        (
            "infAP",
            (1 + 1 / 3 + 2 / 3 * 1.00001 / 2.00002) / 3,
            "a is at rank 1; above c, at rank 3, are a relevant document and one that is not.",
        ),
        "A topic without relevant documents is undefined; a document outside of the pool is not "
        "relevant, one inside that was not judged is as likely to be as the judged ones above.",
        frozenset({Law.IDEAL_IS_BEST, Law.TAIL_IS_FREE}),
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the estimate."""
        graded, rel = self.graded(ranking), self.rel
        others = np.maximum(graded.ranking.rank - 1, 1)  # at rank 1 nothing is above
        hits = graded.hits(rel) - 1
        judged = hits + graded.non_relevant(rel)
        pooled = judged + graded.cumulated(graded.is_pooled & ~graded.is_judged)
        rank = others + 1.0
        value = 1 / rank + (others / rank) * (pooled / others) * (
            (hits + _EPSILON) / (judged + 2 * _EPSILON)
        )
        at_rank = graded.is_relevant(rel) * np.where(graded.ranking.rank == 1, 1.0, value)
        return defined(ratio(graded.total(at_rank), graded.relevant(rel)), graded.relevant(rel))


@dataclass(frozen=True)
class JudgedShare(DocumentMeasure):
    """The share of the first k documents that were judged: how much other scores rest on."""

    name: ClassVar[str] = "Judged"
    facts: ClassVar[Facts] = document_facts(
        "share of judged documents",
        "ir_measures",
        "Judged@k = |judged among the first k documents| / min(k, n)",
        ("Judged@5", 3 / 5, "a, b and c were judged; nobody has seen x, and d was only pooled."),
        "An empty list scores 0; a grade below 0 is no judgment.",
        frozenset(),
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """Return the share of judged documents."""
        graded = graded_documents(ranking, False)
        judged = graded.at(self.k, graded.cumulated(graded.is_judged))
        return ratio(judged, np.minimum(graded.ranking.counts, self.k))


# Sets: what is returned, in whatever order


@dataclass(frozen=True)
class SetPrecision(BinaryMeasure):
    """The share of relevant documents among all that are returned."""

    name: ClassVar[str] = "SetP"
    facts: ClassVar[Facts] = document_facts(
        "precision of all that is returned",
        _CITE,
        "SetP = H / n",
        ("SetP", 2 / 5, "Two of five returned documents are relevant."),
        EDGES + " An empty list scores 0.",
        frozenset(),
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the precision of the whole list."""
        graded = self.graded(ranking)
        hits = graded.hits_at(None, self.rel)
        return defined(ratio(hits, graded.ranking.counts), graded.relevant(self.rel))


@dataclass(frozen=True)
class SetRecall(BinaryMeasure):
    """The share of the relevant documents that are returned at all."""

    name: ClassVar[str] = "SetR"
    facts: ClassVar[Facts] = document_facts(
        "recall of all that is returned",
        _CITE,
        "SetR = H / R",
        ("SetR", 2 / 3, "Two of three relevant documents are returned."),
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the recall of the whole list."""
        graded = self.graded(ranking)
        relevant = graded.relevant(self.rel)
        return defined(ratio(graded.hits_at(None, self.rel), relevant), relevant)


@dataclass(frozen=True)
class SetF(BinaryMeasure):
    """Precision and recall of all that is returned, balanced.

    As in trec_eval, beta is not squared: SetF(beta=4) is what is elsewhere called F2.
    """

    name: ClassVar[str] = "SetF"
    facts: ClassVar[Facts] = document_facts(
        "precision and recall of all that is returned, as F",
        _CITE,
        "SetF = (β + 1)·P·R / (R + β·P), with P = SetP and R = SetR",
        ("SetF", 2 * (2 / 5) * (2 / 3) / (2 / 3 + 2 / 5), "SetP is 2/5, SetR 2/3."),
        EDGES + " A list without relevant documents scores 0.",
        frozenset(),
    )
    beta: float = parameter(1.0, "how much more recall counts than precision; it is not squared")

    def scores(self, ranking: Ranking) -> Floats:
        """Return the weighted harmonic mean."""
        graded = self.graded(ranking)
        hits, relevant = graded.hits_at(None, self.rel), graded.relevant(self.rel)
        precision, recall = ratio(hits, graded.ranking.counts), ratio(hits, relevant)
        both = (self.beta + 1.0) * precision * recall
        return defined(ratio(both, self.beta * precision + recall), relevant)


@dataclass(frozen=True)
class NumRet(GradedMeasure):
    """The number of documents that are returned."""

    name: ClassVar[str] = "NumRet"
    facts: ClassVar[Facts] = document_facts(
        "number of returned documents",
        _CITE,
        "NumRet = n",
        ("NumRet", 5, "Five documents are returned."),
        "Defined for every topic. The mean is over topics; trec_eval prints the sum.",
        frozenset(),
        highest=None,
        higher_is_better=False,
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the number of documents."""
        return self.graded(ranking).ranking.counts.astype(np.float64)


@dataclass(frozen=True)
class NumRel(BinaryMeasure):
    """The number of relevant documents there are, returned or not."""

    name: ClassVar[str] = "NumRel"
    facts: ClassVar[Facts] = document_facts(
        "number of relevant documents",
        _CITE,
        "NumRel = R",
        ("NumRel", 3, "a, c and e are relevant."),
        "Defined for every topic. The mean is over topics; trec_eval prints the sum.",
        frozenset({Law.TAIL_IS_FREE}),
        highest=None,
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the number of relevant documents."""
        return self.graded(ranking).relevant(self.rel).astype(np.float64)


@dataclass(frozen=True)
class NumRelRet(BinaryMeasure):
    """The number of relevant documents that are returned."""

    name: ClassVar[str] = "NumRelRet"
    facts: ClassVar[Facts] = document_facts(
        "number of relevant documents returned",
        _CITE,
        "NumRelRet = H",
        ("NumRelRet", 2, "a and c are returned."),
        "Defined for every topic. The mean is over topics; trec_eval prints the sum.",
        highest=None,
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the number of relevant documents in the list."""
        return self.graded(ranking).hits_at(None, self.rel).astype(np.float64)


# Formulas that several measures use


def average_precision(graded: GradedRanking, rel: int, k: int | None = None) -> Floats:
    """Return the mean of precision at the ranks of relevant documents, nan without any."""
    relevant = graded.relevant(rel)
    return defined(ratio(graded.at(k, _precision_so_far(graded, rel)), relevant), relevant)


@once
def _precision_so_far(graded: GradedRanking, rel: int) -> Floats:
    """Return the sum of precision at the ranks of relevant documents, up to each result."""
    precision = graded.is_relevant(rel) * graded.hits(rel) / graded.ranking.rank
    return graded.ranking.cumulated(precision)


def average_precision_of_returned(graded: GradedRanking, rel: int, k: int | None) -> Floats:
    """Return the mean of precision at the ranks of relevant results, 0 if none is returned."""
    mean = ratio(graded.at(k, _precision_so_far(graded, rel)), graded.hits_at(k, rel))
    return defined(mean, graded.relevant(rel))


def binary_preference(graded: GradedRanking, rel: int) -> Floats:
    """Return the mean share of preferences that are kept, nan without relevant documents."""
    relevant, above = graded.relevant(rel), graded.non_relevant(rel)
    others = graded.judged_counts(0) - relevant  # judged, and not relevant
    topic = graded.ranking.topic
    lost = ratio(np.minimum(above, relevant[topic]), np.minimum(others, relevant)[topic])
    kept = graded.is_relevant(rel) * (1.0 - lost)
    return defined(ratio(graded.total(kept), relevant), relevant)


def interpolated_precision(graded: GradedRanking, rel: int, x: float) -> Floats:
    """Return the best precision at any rank that reaches recall x, 0 if none does."""
    enough: Ints = np.maximum(truncated_share(x, graded.relevant(rel)), 1)
    begin, best = _best_precision(graded, rel)
    is_reached = enough <= np.diff(begin)
    at = (begin[:-1] + enough - 1)[is_reached]
    scores = np.zeros(len(enough))
    scores[is_reached] = best[at]
    return scores


@once
def _best_precision(graded: GradedRanking, rel: int) -> tuple[Ints, Floats]:
    """Return the best precision from each relevant result on, and where those of topics begin.

    Precision is highest at relevant results: between them it falls.
    """
    rows = np.flatnonzero(graded.is_relevant(rel))
    begin = np.searchsorted(rows, graded.ranking.begin)
    best = graded.hits(rel)[rows] / graded.ranking.rank[rows]
    for first, last in zip(begin[:-1].tolist(), begin[1:].tolist(), strict=True):
        best[first:last] = np.maximum.accumulate(best[first:last][::-1])[::-1]
    return begin, best


def truncated_share(x: float, counts: Ints) -> Ints:
    """Return ⌊x·count + 0.9⌋ in double precision, as trec_eval turns a share into a number.

    >>> truncated_share(0.3, np.array([1, 10, 57])).tolist()
    [1, 3, 17]
    """
    return (x * counts + 0.9).astype(np.int64)
