"""The figures that INEX papers report of a collection.

What would take a pass over all elements is counted while the collection is written, and kept: how
many elements have each path (`summary.elements.npy`), and totals of text (in the manifest).
Collections of earlier versions do not have them; theirs are counted here on demand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents.nodes import NodeColumns, NodeTable, PathSummary

_CHUNK = 1 << 20  # columns may be larger than memory


@dataclass(frozen=True)
class CollectionStatistics:
    """Counts and means; lengths are in code points of text, and a root is at depth 1."""

    documents: int
    elements: int
    tags: int
    paths: int
    source_bytes: int
    characters: int
    elements_per_document: float
    mean_depth: float
    deepest: int
    mean_document_length: float
    longest_document: int
    mean_element_length: float
    # How many elements have each tag, the most frequent tag first.
    frequent_tags: dict[str, int]

    def as_dict(self) -> dict[str, Any]:
        """Return the statistics as plain values, for JSON."""
        return asdict(self)


class TextTotals(NamedTuple):
    """How many characters all documents have, the longest one, and all elements together.

    >>> TextTotals(5, 3, 9) + TextTotals(4, 4, 4)
    TextTotals(characters=9, longest_document=4, element_characters=13)
    """

    characters: int = 0
    longest_document: int = 0
    element_characters: int = 0

    def __add__(self, other: object) -> TextTotals:
        """The totals of two sets of documents together."""
        if not isinstance(other, TextTotals):
            return NotImplemented
        return TextTotals(
            self.characters + other.characters,
            max(self.longest_document, other.longest_document),
            self.element_characters + other.element_characters,
        )

    @staticmethod
    def recorded(statistics: Mapping[str, int]) -> TextTotals:
        """Return the totals that a manifest has.

        >>> TextTotals(5, 3, 9) == TextTotals.recorded(TextTotals(5, 3, 9)._asdict())
        True
        """
        return TextTotals(*(statistics[name] for name in TextTotals._fields))


class StatisticsBuilder:
    """The counts of a collection that grows."""

    def __init__(self) -> None:
        self.totals = TextTotals()
        self._elements = np.zeros(0, dtype=np.int64)

    def add(self, table: NodeTable, paths: Ints) -> None:
        """Count some documents; `paths` has the number here of each path of their own summary."""
        rows = np.append(0, np.cumsum(table.rows))
        self.totals += text_totals(table.columns, rows)
        self.add_elements(elements_by_path(table.columns, len(table.summary)), paths)

    def add_elements(self, counts: Ints, paths: Ints) -> None:
        """Add to the counts of elements of these (different) paths."""
        beyond = int(paths.max(initial=-1)) + 1
        if beyond > len(self._elements):
            larger = np.zeros(max(beyond, 2 * len(self._elements)), dtype=np.int64)
            larger[: len(self._elements)] = self._elements
            self._elements = larger
        self._elements[paths] += counts

    def elements(self, paths: int) -> Ints:
        """Return how many elements have each path; there are `paths` of them."""
        counts = np.zeros(paths, dtype=np.int64)
        known = self._elements[:paths]
        counts[: len(known)] = known
        return counts


def elements_by_path(columns: NodeColumns, paths: int) -> Ints:
    """Return how many elements have each of the `paths` paths of a summary."""
    counts = np.zeros(paths, dtype=np.int64)
    for chunk in _chunks(len(columns.path)):
        counts += np.bincount(columns.path[chunk], minlength=paths)
    return counts


def text_totals(columns: NodeColumns, rows: Ints) -> TextTotals:
    """Return the totals of documents, given the first row of each and the number of all rows."""
    totals = TextTotals()
    for chunk in _chunks(len(rows) - 1):
        lengths = columns.end[rows[:-1][chunk]].astype(np.int64)
        totals += TextTotals(int(lengths.sum()), int(lengths.max()))
    for chunk in _chunks(len(columns.path)):
        lengths = columns.end[chunk].astype(np.int64) - columns.start[chunk]
        totals += TextTotals(element_characters=int(lengths.sum()))
    return totals


def collection_statistics(
    summary: PathSummary, per_path: Ints, totals: TextTotals, counts: Mapping[str, int]
) -> CollectionStatistics:
    """Return the statistics of a collection, given how many elements have each path."""
    documents, elements = counts["documents"], counts["elements"]
    per_tag = np.zeros(len(summary.tags), dtype=np.int64)
    np.add.at(per_tag, summary.tag_of, per_path)
    tags = Counter(dict(zip(summary.tags, per_tag.tolist(), strict=True)))
    return CollectionStatistics(
        documents=documents,
        elements=elements,
        tags=len(summary.tags),
        paths=len(summary),
        source_bytes=counts["source_bytes"],
        characters=totals.characters,
        elements_per_document=elements / documents,
        mean_depth=float(per_path @ summary.depth_of / elements),
        deepest=int(summary.depth_of.max()),
        mean_document_length=totals.characters / documents,
        longest_document=totals.longest_document,
        mean_element_length=totals.element_characters / elements,
        frequent_tags=dict(tags.most_common()),
    )


def _chunks(rows: int) -> Iterator[slice]:
    return (slice(begin, begin + _CHUNK) for begin in range(0, rows, _CHUNK))
