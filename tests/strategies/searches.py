"""Small collections of words, with a query and ranges of words to score: what models see."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from doxeval.retrieve import Evidence, UnitStatistics

VOCABULARY = "fog horn sea lamp"


class Range(NamedTuple):
    """A unit: some words of a document."""

    document: int
    first: int
    after: int


class Search(NamedTuple):
    """Documents as lists of words, the words of a query with their weights, and units."""

    documents: list[list[str]]
    query: dict[str, float]
    units: list[Range]

    def words(self, unit: Range) -> list[str]:
        return self.documents[unit.document][unit.first : unit.after]

    @property
    def evidence(self) -> Evidence:
        """The counts, as an index would give them."""
        matched = sorted({unit.document for unit in self.units})
        everything = [word for document in self.documents for word in document]
        return Evidence(
            items=tuple(self.query),
            weight=np.array(list(self.query.values())),
            tf=self._counts([self.words(unit) for unit in self.units]),
            length=np.array([unit.after - unit.first for unit in self.units], dtype=np.int64),
            article=np.array([matched.index(unit.document) for unit in self.units], dtype=np.int64),
            article_tf=self._counts([self.documents[number] for number in matched]),
            article_length=np.array([len(self.documents[d]) for d in matched], dtype=np.int64),
            documents=len(self.documents),
            words=len(everything),
            df=(self._counts(self.documents) > 0).sum(axis=0),
            cf=self._counts([everything])[0],
            mean_article=len(everything) / len(self.documents),
        )

    @property
    def chunk_evidence(self) -> Evidence:
        """The same, where the units are all chunks there are."""
        evidence = self.evidence
        units = UnitStatistics(
            len(self.units), (evidence.tf > 0).sum(axis=0), float(np.mean(evidence.length))
        )
        values = {name: getattr(evidence, name) for name in evidence.__dataclass_fields__}
        return Evidence(**{**values, "units": units})

    def _counts(self, texts: list[list[str]]) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        counts = [[text.count(word) for word in self.query] for text in texts]
        return np.array(counts, dtype=np.int64).reshape(len(texts), len(self.query))


@st.composite
def searches(draw: st.DrawFn) -> Search:
    """A search of which the units may lie in each other; the query may have unknown words."""
    words = st.sampled_from([*VOCABULARY.split(), *["other"] * 4])
    documents = draw(st.lists(st.lists(words, min_size=1, max_size=30), min_size=1, max_size=6))
    known = st.sampled_from([*VOCABULARY.split(), "unknown"])
    query = draw(st.dictionaries(known, st.sampled_from([1.0, 1.0, 2.0, -1.0]), max_size=4))
    units = draw(st.lists(_ranges(documents), min_size=1, max_size=8))
    return Search(documents, query, units)


@st.composite
def _ranges(draw: st.DrawFn, documents: list[list[str]]) -> Range:
    document = draw(st.integers(0, len(documents) - 1))
    first = draw(st.integers(0, len(documents[document]) - 1))
    return Range(document, first, draw(st.integers(first + 1, len(documents[document]))))
