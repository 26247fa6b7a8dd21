"""Documents as units: the usual precision, recall and average precision.

    P@k = relevant among the first k documents / k        R@k = … / all relevant documents
    AP  = mean over the relevant documents of the precision at their ranks

A document is relevant if anything in it is. A run of parts is taken as a ranking of documents,
each at the rank of its first part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from doxeval.arrays import Floats
from doxeval.measures.base import Example, Facts, Law, Measure, cut_off
from doxeval.measures.ranking import Ranking, defined, ratio
from doxeval.runs import Kind

_CITE = "trec_eval"
_EDGES = (
    "A topic without relevant documents is undefined; an unjudged document is not relevant; "
    "P@k divides by k even if the list is shorter."
)
_ASSESSMENTS = "7 0 a 1\n7 0 b 0\n7 0 c 2\n"
_RUN = "7 Q0 a 1 9 run\n7 Q0 b 2 8 run\n7 Q0 c 3 7 run\n"
_LAWS = frozenset({Law.IDEAL_IS_BEST, Law.TAIL_IS_FREE, Law.BETTER_UP})


def _relevant_at(k: int, ranking: Ranking) -> Floats:
    """Return how many of the first k documents are relevant, for each topic."""
    articles = ranking.articles_and_repeats
    relevant = articles.is_relevant.astype(np.int64)
    return articles.at(k, articles.cumulated(relevant)).astype(np.float64)


@dataclass(frozen=True)
class _OfDocuments(Measure):
    """Warns where a run returns parts of documents by offsets."""

    def concerns(self, ranking: Ranking) -> int:
        """Count the topics for which parts of documents are returned."""
        kind = ranking.resolved.run.kind
        is_part = (kind == Kind.PASSAGE) | (kind == Kind.SPANS)
        return int(np.count_nonzero(np.bincount(ranking.topic[is_part])))

    def about(self, topics: int) -> list[str]:
        """Warn that documents are counted."""
        if not topics:
            return []
        counted = f"{self.label} counts documents, each at the rank of its first part"
        return [f"{counted}; {self._instead}"]

    @property
    def _instead(self) -> str:
        """Which measures count parts."""
        raise NotImplementedError


@dataclass(frozen=True)
class Precision(_OfDocuments):
    """The share of relevant documents among the first k."""

    name: ClassVar[str] = "P"
    facts: ClassVar[Facts] = Facts(
        "precision of documents",
        _CITE,
        "P@k = |relevant among the first k documents| / k",
        frozenset(),
        _EDGES,
        Example("P@2", 0.5, "One of the first two is relevant.", _ASSESSMENTS, _RUN),
        laws=_LAWS,
        ranks_documents=True,
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """Return P@k."""
        precision = _relevant_at(self.k, ranking) / self.k
        return defined(precision, ranking.truth.relevant_documents)

    @property
    def _instead(self) -> str:
        return f"cP@{self.k} counts characters"


@dataclass(frozen=True)
class Recall(_OfDocuments):
    """The share of the relevant documents that are among the first k."""

    name: ClassVar[str] = "R"
    facts: ClassVar[Facts] = Facts(
        "recall of documents",
        _CITE,
        "R@k = |relevant among the first k documents| / |relevant documents|",
        frozenset(),
        _EDGES,
        Example("R@2", 0.5, "One of two relevant documents is found.", _ASSESSMENTS, _RUN),
        laws=_LAWS | {Law.GROWS_WITH_K},
        ranks_documents=True,
    )
    k: int = cut_off(1000)

    def scores(self, ranking: Ranking) -> Floats:
        """Return R@k."""
        relevant = ranking.truth.relevant_documents
        return defined(ratio(_relevant_at(self.k, ranking), relevant), relevant)

    @property
    def _instead(self) -> str:
        return f"cR@{self.k} counts characters, sR@{self.k} needs"


@dataclass(frozen=True)
class AveragePrecision(Measure):
    """The mean, over all relevant documents, of the precision at their ranks."""

    name: ClassVar[str] = "AP"
    facts: ClassVar[Facts] = Facts(
        "average precision of documents",
        _CITE,
        "AP = Σ P@r over the ranks r of relevant documents / |relevant documents|",
        frozenset(),
        _EDGES,
        Example(
            "AP", (1 + 2 / 3) / 2, "Relevant at ranks 1 and 3: (1/1 + 2/3) / 2.", _ASSESSMENTS, _RUN
        ),
        laws=_LAWS,
        ranks_documents=True,
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of precision."""
        articles = ranking.articles_and_repeats
        is_relevant = articles.is_relevant.astype(np.int64)
        precision = is_relevant * articles.cumulated(is_relevant) / articles.rank
        relevant = ranking.truth.relevant_documents
        return defined(ratio(articles.sums(precision), relevant), relevant)
