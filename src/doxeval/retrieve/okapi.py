"""`bm25`: Okapi's formula over units of any kind, with the article as context."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from doxeval.arrays import Floats
from doxeval.errors import InputError
from doxeval.messages import plural
from doxeval.named import parameter
from doxeval.retrieve.evidence import Evidence
from doxeval.retrieve.examples import EXAMPLE, EXAMPLE_UNITS
from doxeval.retrieve.model import Example, Facts, Model, Source, UnitKind

# The length in words at which an element gains and loses nothing by its length.
_ELEMENT_PIVOT = 400.0
_WORDS_OF_A_PIECE = 100
_FEW_DOCUMENTS = 20
# In place of a damping of 0, so that 0 / 0 is 0; no other sum is changed by it.
_NEXT_TO_NOTHING = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class BM25(Model):
    """BM25 over units of any kind, with the score of the article mixed in.

    Occurrences of an item count less and less the more there are, long units count less than short
    ones with as many occurrences, and rare items count more than common ones.
    """

    name: ClassVar[str] = "bm25"
    facts: ClassVar[Facts] = Facts(
        "BM25, with the article as context",
        "score(e) = (S(e) + context · A(d)) / (1 + context)\n"
        "S(e)     = Σ w · idf · tf · (k1 + 1) / (tf + k1 · (1 − b + b · len / pivot))\n"
        "idf      = ln(1 + (N − n + 0.5) / (n + 0.5))",
        "The sum is over the items of the query: w is an item's weight; tf are its occurrences in "
        "the unit e, which has len words; n of N documents (or whatever idf counts) have the item. "
        "A(d) is the score of the article d, by default "
        "`bm25(k1=0.9,b=0.4,pivot=mean,context=0,idf=documents)`.",
        (
            Source(
                "S. Robertson and others: Okapi at TREC-3. TREC 1994",
                "the formula, for documents",
                False,
            ),
            Source(
                "University of Waterloo at INEX 2007 to 2009",
                "BM25 applied to elements; our default k1 and b follow what we remember of it, and "
                "our pivot does not",
                False,
            ),
            Source(
                "P. Arvola, M. Junkkari, J. Kekäläinen: Generalized contextualization method for "
                "XML information retrieval. CIKM 2005 (abstract)",
                "mixing in the scores of surrounding elements is significantly better than not "
                "doing so; the root of the document is the best such context",
                True,
            ),
            Source(
                "ATIRE, a search engine (its source code)",
                "k1=0.9 and b=0.4, with which A(d) is computed by default: trained on the "
                "Wikipedia collection of INEX and its queries of 2009",
                True,
            ),
            Source(
                "bm25s 0.3, method lucene (run beside it)",
                "the same scores of chunks, divided by k1 + 1",
                True,
            ),
        ),
        "Documents have no context. Below "
        f"{_FEW_DOCUMENTS} documents, idf=documents hardly tells rare words from common ones, and "
        "there is a warning. With idf=words, n is N at most, so that no item counts against a "
        "unit that has it.",
        Example(
            "bm25(k1=4,b=0.8,pivot=400,context=1,idf=documents)",
            EXAMPLE_UNITS,
            EXAMPLE,
            (3.4804, 5.8415),
            "idf is ln(101/40.5) = 0.9138 for fog and ln(101/9.5) = 2.3638 for horn. The paragraph "
            "has S = 0.9138·2·5/(2 + 4·(0.2 + 0.8·20/400)) = 3.0872, the section, which has "
            "both words, S = 7.8095. Their article has A = 3.8736, and with context=1 the score is "
            "the mean of S and A.",
        ),
    )
    k1: float = parameter(4.0, "how much an item's further occurrences count: with 0 not at all")
    b: float = parameter(0.8, "how much length matters: 0 not at all, 1 in full")
    pivot: str | float = parameter(
        "auto",
        "the number of words at which length makes no difference (mean: that of all units, or of "
        "all articles where elements or passages are ranked; auto: 400 for elements and passages, "
        "else mean)",
        ("auto", "mean"),
        number=True,
    )
    context: float = parameter(
        1.0, "how much the article's score A(d) counts beside the unit's own; documents have none"
    )
    idf: str = parameter(
        "auto",
        "what N and n count (words: pieces of 100 words, so that N = T/100 and n = cf; units: the "
        "ranked units themselves, which must be chunks or windows; auto: units for those, else "
        "documents)",
        ("auto", "documents", "words", "units"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.b > 1:
            raise ValueError("b must be between 0 and 1")
        if self.pivot == 0:
            raise ValueError("pivot must be above 0")

    def settled(self, units: UnitKind) -> Self:
        """With pivot and idf chosen for what is ranked; documents have no context.

        >>> str(BM25().settled("elements"))
        'bm25(k1=4,b=0.8,pivot=400,context=1,idf=documents)'
        >>> str(BM25().settled("chunks"))
        'bm25(k1=4,b=0.8,pivot=mean,context=1,idf=units)'
        """
        are_counted = units in ("chunks", "windows")
        if self.idf == "units" and not are_counted:
            raise InputError(
                f"{self.name}: idf=units is for chunks and windows; for {units} it is documents or "
                "words"
            )
        pivot = _ELEMENT_PIVOT if units in ("elements", "passages") else "mean"
        return replace(
            self,
            pivot=pivot if self.pivot == "auto" else self.pivot,
            idf=("units" if are_counted else "documents") if self.idf == "auto" else self.idf,
            context=0.0 if units == "documents" else self.context,
        )

    def by_item(self, evidence: Evidence) -> Iterator[Floats]:
        """The weight of each item, its share of S(e) / (1 + context)."""
        model = self._as_for(evidence)
        length = evidence.length / model._pivot_of(evidence)
        damping = np.maximum(model.k1 * (1 - model.b + model.b * length), _NEXT_TO_NOTHING)
        for item, weight in enumerate(evidence.weight):
            tf = evidence.tf[:, item]
            highest = weight * model._idf_of(evidence, item) * (model.k1 + 1) / (1 + model.context)
            yield highest * (tf / (tf + damping))

    def besides(self, evidence: Evidence) -> dict[str, Floats]:
        """The article's part of the score."""
        if self.context == 0:
            return {}
        if evidence.article_score is None:
            raise InputError(f"{self.label}: context={self.context:g} needs scores of the articles")
        part = self.context * evidence.article_score / (1 + self.context)
        return {"article": part[evidence.article]}

    def warnings(self, evidence: Evidence) -> list[str]:
        """Too few documents for the default idf."""
        is_by_documents = self._as_for(evidence).idf == "documents"
        if not is_by_documents or evidence.documents >= _FEW_DOCUMENTS:
            return []
        return [
            f"{self.label}: with {plural(evidence.documents, 'document')}, idf=documents hardly "
            "tells rare words from common ones; idf=words counts pieces of 100 words instead"
        ]

    def _as_for(self, evidence: Evidence) -> Self:
        """The model itself, or, if `settled` was not called, as the evidence allows."""
        if "auto" not in (self.pivot, self.idf):
            return self
        return self.settled("elements" if evidence.units is None else "chunks")

    def _pivot_of(self, evidence: Evidence) -> float:
        if self.pivot != "mean":
            return float(self.pivot)
        return evidence.mean_article if evidence.units is None else evidence.units.mean_length

    def _idf_of(self, evidence: Evidence, item: int) -> float:
        if self.idf == "words":
            count: float = evidence.words / _WORDS_OF_A_PIECE
            n: float = min(int(evidence.cf[item]), count)
        elif self.idf == "documents":
            count, n = evidence.documents, int(evidence.df[item])
        elif evidence.units is not None:
            count, n = evidence.units.count, int(evidence.units.df[item])
        else:
            raise InputError(f"{self.label}: idf=units is for chunks and windows")
        return math.log(1 + (count - n + 0.5) / (n + 0.5))
