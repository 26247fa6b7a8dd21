"""Fields of documents: which words stand in titles, headings and abstracts, and what they count.

What a field is follows from the paths of its elements, for the formats of INEX, JATS, TEI, DocBook,
HTML and Markdown (`FIELDS`). A word of a field counts as if it stood there several times, or, with
a weight below 1, as a part of a word. A word in two fields, such as one in the heading of an
abstract, has the product of their weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.documents import PathPatterns, PathSummary
from doxeval.errors import InputError
from doxeval.retrieve.models import PLAIN_TEXT, FieldWeights

if TYPE_CHECKING:
    from doxeval.retrieve.index import Index

# The elements of each field. An element that is a title is no heading.
FIELDS = {
    "titles": "/*/(title|name), /*/(header|head|info|fm)/title, //fm//atl, "
    "//title-group/article-title, //titleStmt/title, //h1",
    "headings": "//(title|st|head|heading|h2|h3|h4|h5|h6)",
    "abstracts": "//(abs|abstract)",
}
_UNIT = 10**6  # weights are whole numbers of millionths, so that sums are exact


@dataclass(frozen=True, eq=False)
class WordWeights:
    """What each word of a collection counts.

    Words from `edges[i]` up to the next edge have `weight[i]`; those before it have `total[i]`
    together. Both are in millionths.
    """

    edges: Ints
    weight: Ints
    total: Ints

    @classmethod
    def of(cls, index: Index, weights: FieldWeights) -> WordWeights | None:
        """Return what words count; None if all count the same.

        A weight for a field that the collection does not have is an error.

        >>> from doxeval.documents.examples import example_collection
        >>> from doxeval.retrieve import Index, build_index
        >>> tree = example_collection({"a": "<article><title>Fog</title><p>At sea.</p></article>"})
        >>> index = Index(build_index(tree).directory, tree)
        >>> words = WordWeights.of(index, FieldWeights(titles=3))
        >>> words.counts(words.at(np.arange(3))).tolist(), words.lengths(0, 3).tolist()
        ([3.0, 1.0, 1.0], 5.0)
        """
        if weights == PLAIN_TEXT:
            return None
        summary = index.collection.summary
        ranges = {
            name: (round(value * _UNIT), _ranges(index, field_paths(summary, name)))
            for name, value in weights._asdict().items()
            if value != 1
        }
        every = [edge for _, (first, after) in ranges.values() for edge in (first, after)]
        edges = np.unique(np.concatenate([[0], *every]))
        weight = np.full(len(edges), _UNIT, dtype=np.int64)
        for value, (first, after) in ranges.values():
            before = np.searchsorted(first, edges, side="right") - 1
            is_inside = (before >= 0) & (edges < after[np.maximum(before, 0)])
            weight[is_inside] = weight[is_inside] * value // _UNIT
        sizes = np.diff(edges, append=edges[-1:])
        products: Ints = sizes * weight
        return cls(edges, weight, np.cumsum(products) - products)

    def at(self, positions: Ints) -> Ints:
        """Return what words count, in millionths."""
        return self.weight[self._segment(positions)]

    def before(self, positions: Ints) -> Ints:
        """Return what all words before each position count together, in millionths."""
        wide = np.asarray(positions).astype(np.int64)
        segment = self._segment(wide)
        return self.total[segment] + (wide - self.edges[segment]) * self.weight[segment]

    def lengths(self, first: Ints, after: Ints) -> Floats:
        """Return what the words of ranges count together."""
        return self.counts(self.before(after) - self.before(first))

    def mean_length(self, first: Ints, after: Ints) -> float:
        """Return what the words of a range count on average; 0 if there are no ranges."""
        whole = int((self.before(after) - self.before(first)).sum())
        return whole / _UNIT / max(len(first), 1)

    @staticmethod
    def counts(millionths: Ints) -> Floats:
        """Return numbers of words."""
        return np.asarray(millionths / _UNIT, dtype=np.float64)

    def _segment(self, positions: Ints) -> Ints:
        return np.searchsorted(self.edges, positions, side="right") - 1


def field_paths(summary: PathSummary, name: str) -> Bools:
    """Return, for each path of a summary, whether its elements are of a field."""
    matches = PathPatterns.parse(FIELDS[name]).matches(summary)
    if name == "headings":
        matches &= ~PathPatterns.parse(FIELDS["titles"]).matches(summary)
    if not matches.any():
        raise InputError(
            f"the collection has no {name} that could have a weight: they are elements like "
            f"{FIELDS[name]}"
        )
    return matches


def _ranges(index: Index, is_field: Bools) -> tuple[Ints, Ints]:
    """Return the words of the elements with some paths, as ranges that do not touch."""
    rows = np.flatnonzero(is_field[index.collection.nodes.path])
    first = index.elements_first[rows].astype(np.int64)
    after = np.maximum.accumulate(index.elements_after[rows].astype(np.int64))
    is_new = np.ones(len(rows), dtype=np.bool_)
    is_new[1:] = first[1:] > after[:-1]
    begins = np.flatnonzero(is_new)
    return first[begins], after[np.append(begins[1:], len(rows)) - 1]
