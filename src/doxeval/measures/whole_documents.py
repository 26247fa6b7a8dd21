"""What measures over whole documents share: their parameters, their example and their warnings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from doxeval.measures.base import Example, Facts, Law, Measure, Need, Repeats, parameter
from doxeval.measures.graded_ranking import GradedRanking, graded_documents
from doxeval.measures.ranking import Ranking
from doxeval.runs import Kind

EDGES = "A topic without relevant documents is undefined; an unjudged document is not relevant."
LAWS = frozenset({Law.IDEAL_IS_BEST, Law.TAIL_IS_FREE, Law.BETTER_UP})
_ASSESSMENTS = "7 0 a 1\n7 0 b 0\n7 0 c 2\n7 0 d -1\n7 0 e 1\n"
_RUN = "7 Q0 a 1 9 run\n7 Q0 b 2 8 run\n7 Q0 c 3 7 run\n7 Q0 x 4 6 run\n7 Q0 d 5 5 run\n"


def document_facts(
    title: str,
    cite: str,
    formula: str,
    example: tuple[str, float, str],
    edge_cases: str = EDGES,
    laws: frozenset[Law] = LAWS,
    **others: Any,
) -> Facts:
    """Return the facts of a measure over whole documents.

    example: the measure, its value and why. It is about five documents: a, c and e are relevant, c
    with grade 2; b is not; d was pooled but not judged. The run returns a, b, c, x and d.
    """
    shown = Example(*example, _ASSESSMENTS, _RUN)
    return Facts(
        title,
        cite,
        formula,
        frozenset(),
        edge_cases,
        shown,
        laws=laws,
        ranks_documents=True,
        **others,
    )


@dataclass(frozen=True)
class DocumentMeasure(Measure):
    """A measure over whole documents. It warns where a run returns parts of them by offsets."""

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
        return [f"{counted}; {self.of_parts}"]

    @property
    def of_parts(self) -> str:
        """Which measures count parts, for a warning."""
        return "cP, cR and MAiP count characters"


@dataclass(frozen=True, kw_only=True)
class BinaryMeasure(DocumentMeasure):
    """A measure for which a document is relevant or not."""

    rel: int = parameter(1, "the lowest grade that is relevant")
    judged_only: bool = parameter(False, "whether unjudged documents are left out first")

    def graded(self, ranking: Ranking) -> GradedRanking:
        """Return the documents of a run with their grades."""
        return graded_documents(ranking, self.judged_only)


@dataclass(frozen=True, kw_only=True)
class GradedMeasure(DocumentMeasure):
    """A measure for which documents are worth what their grades are."""

    judged_only: bool = parameter(False, "whether unjudged documents are left out first")

    def graded(self, ranking: Ranking) -> GradedRanking:
        """Return the documents of a run with their grades."""
        return graded_documents(ranking, self.judged_only)


Unit = Literal["document", "result"]
Of = Literal["relevant", "returned"]


def of_parameter() -> Of:
    """Return the parameter `of`."""
    of: Of = parameter(
        "relevant",
        "with unit=result, what the best is: all relevant chunks there are, or those returned",
        ("relevant", "returned"),
    )
    return of


@dataclass(frozen=True, kw_only=True)
class UnitMeasure(GradedMeasure):
    """A measure that can take each result as a unit of its own, such as a chunk.

    With `unit=result`, a result is relevant if it alone shows enough of some need.
    """

    unit: Unit = parameter(
        "document",
        "what is ranked: documents, each at its first part, or each result by itself, which is "
        "relevant if it shows a need",
        ("document", "result"),
    )
    cover: float = parameter(1.0, "with unit=result, how much of a need it must show, from 0 to 1")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cover > 1:
            raise ValueError("cover must be between 0 and 1")
        if self.unit == "document" and self.cover != 1:
            raise ValueError("cover is for unit=result")
        if self.unit == "document" and getattr(self, "of", "relevant") != "relevant":
            raise ValueError("of is for unit=result")
        if self.unit == "result" and (self.judged_only or getattr(self, "rel", 1) != 1):
            raise ValueError("rel and judged_only are for unit=document")

    @property
    def of_chunks(self) -> bool:
        """Whether a score depends on all chunks that could be returned."""
        return getattr(self, "of", "returned") == "relevant"

    def graded(self, ranking: Ranking) -> GradedRanking:
        """Return the documents or results of a run with their grades."""
        if self.unit == "document":
            return super().graded(ranking)
        from doxeval.measures.families.chunks.results import graded_results

        return graded_results(ranking, self.cover, hasattr(self, "rel"), self.of_chunks)

    @property
    def needs(self) -> frozenset[Need]:
        """For results: highlighted text, results with text, and perhaps all chunks there are."""
        if self.unit == "document":
            return self.facts.needs
        chunks = {Need.CHUNKS} if self.of_chunks else set()
        return frozenset({Need.HIGHLIGHTS, Need.RETRIEVED_TEXT} | chunks)

    @property
    def repeats(self) -> Repeats:
        """Documents count once; a chunk that comes again takes a rank."""
        return "drop" if self.unit == "document" else "keep"

    @property
    def ranks_documents(self) -> bool:
        """Whether documents are ranked."""
        return self.unit == "document"

    @property
    def laws(self) -> frozenset[Law]:
        """Those of documents; of results, only that a useless tail is free."""
        return self.facts.laws if self.unit == "document" else frozenset({Law.TAIL_IS_FREE})

    def concerns(self, ranking: Ranking) -> int:
        """Count the topics for which parts are returned where documents are counted."""
        return super().concerns(ranking) if self.unit == "document" else 0
