"""Documents as units: precision, recall and average precision, as trec_eval computes them.

    P@k = relevant among the first k documents / k        R@k = … / all relevant documents
    AP  = mean over the relevant documents of the precision at their ranks

A document is relevant if its grade is at least `rel`; a document with highlighted text has the
grade 1. A run of parts is taken as a ranking of documents, each at the rank of its first part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from doxeval.arrays import Floats
from doxeval.measures.base import Example, Facts, Law, Measure, cut_off, parameter
from doxeval.measures.graded_ranking import GradedRanking, graded_documents
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


@dataclass(frozen=True, kw_only=True)
class _OfDocuments(Measure):
    """Ranks documents by their grades, and warns where a run returns parts of them by offsets."""

    rel: int = parameter(1, "the lowest grade that is relevant")
    judged_only: bool = parameter(False, "whether unjudged documents are left out first")

    def graded(self, ranking: Ranking) -> GradedRanking:
        """Return the documents of a run with their grades."""
        return graded_documents(ranking, self.judged_only)

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
        graded = self.graded(ranking)
        return defined(graded.hits_at(self.k, self.rel) / self.k, graded.relevant(self.rel))

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
        graded = self.graded(ranking)
        relevant = graded.relevant(self.rel)
        return defined(ratio(graded.hits_at(self.k, self.rel), relevant), relevant)

    @property
    def _instead(self) -> str:
        return f"cR@{self.k} counts characters, sR@{self.k} needs"


@dataclass(frozen=True)
class AveragePrecision(_OfDocuments):
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

    k: int | None = cut_off(None)

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of precision."""
        graded = self.graded(ranking)
        hits, relevant = graded.hits(self.rel), graded.relevant(self.rel)
        precision = graded.is_relevant(self.rel) * hits / graded.ranking.rank
        return defined(ratio(graded.total(precision, self.k), relevant), relevant)

    @property
    def _instead(self) -> str:
        return "MAiP counts characters"
