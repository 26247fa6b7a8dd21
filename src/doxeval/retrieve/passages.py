"""Passages: stretches of text with more of the query than elsewhere.

Every word costs δ, and an occurrence of an item earns its idf. The passages of a document are its
maximal segments (Ruzzo and Tompa, A linear time algorithm for finding all maximal scoring
subsequences, ISMB 1999), with both ends moved out to the nearest border of a block. δ is the idf of
all items together, divided by a number of words: all items, once in so many words, pay for
themselves.

Sums are exact: idf is taken as a multiple of 2^-20, and everything is multiplied by the number of
words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Ints, concatenated_ranges
from doxeval.errors import InputError
from doxeval.retrieve.matches import Matches
from doxeval.retrieve.units import Place, Units, characters

if TYPE_CHECKING:
    from doxeval.retrieve.index import Index

_ONE = 1 << 20


class Segment(NamedTuple):
    """A maximal segment: the first value, the one after the last, and their sum."""

    begin: int
    after: int
    total: int


class _Candidate(NamedTuple):
    """A segment that may still grow, and the sums of all values before it and up to its end."""

    begin: int
    after: int
    before: int
    until: int
    lower: int  # the last candidate before it with a smaller sum before it, or -1


def maximal_segments(values: Iterable[int]) -> list[Segment]:
    """All maximal segments of a sequence of whole numbers, from left to right.

    Such a segment is the one with the greatest sum, and, in the same way, those of what is left on
    both of its sides, as long as the sum is positive.

    >>> maximal_segments([4, -5, 3, -3, 1, 2, -2, 2, -2, 1, 5])
    [Segment(begin=0, after=1, total=4), Segment(begin=2, after=3, total=3), \
Segment(begin=4, after=11, total=7)]
    """
    found: list[_Candidate] = []
    total = 0
    for place, value in enumerate(values):
        before, total = total, total + value
        if value <= 0:
            continue
        begin = place
        while True:
            lower = len(found) - 1
            while lower >= 0 and found[lower].before >= before:
                lower = found[lower].lower
            if lower < 0 or found[lower].until >= total:
                break
            begin, before = found[lower].begin, found[lower].before
            del found[lower:]
        found.append(_Candidate(begin, place + 1, before, total, lower))
    return [Segment(one.begin, one.after, one.until - one.before) for one in found]


@dataclass(frozen=True, eq=False)
class Passages:
    """Passages in which all items, once in so many words, pay for themselves."""

    index: Index
    words: int = 100
    units_at_a_word: int = 1

    def __post_init__(self) -> None:
        if self.words < 1:
            raise InputError(f"passages(words={self.words}): expected 1 or more")

    def __str__(self) -> str:
        return f"passages(words={self.words})"

    def scored(
        self, matches: Matches, idf: npt.NDArray[np.float64], is_wanted: Bools
    ) -> tuple[Units, npt.NDArray[np.float64]]:
        """The passages of all documents, and the sums of their segments.

        `idf` is that of each item, multiplied by its weight.
        """
        values = np.rint(idf * _ONE).astype(np.int64)
        cost = int(values[is_wanted].sum())
        segments = list(self._segments(matches, values, cost))
        columns = np.array(segments, dtype=np.int64).reshape(-1, 4).T
        article, total = columns[0], columns[3] / (self.words * _ONE)
        first, after = self._moved_out(matches, *columns[1:3])
        order = np.lexsort((-total, -after, first))  # of equal passages the best comes first
        is_new = np.ones(len(order), dtype=np.bool_)
        is_new[1:] = (np.diff(first[order]) != 0) | (np.diff(after[order]) != 0)
        order = order[is_new]
        first, after = first[order], after[order]
        number = np.arange(len(order))
        units = Units(number, article[order], first, after, matches.tf(first, after))
        return units, total[order]

    def _segments(
        self, matches: Matches, values: Ints, cost: int
    ) -> Iterator[tuple[int, int, int, int]]:
        """The article, the first word, the word after the last, and the sum of each segment."""
        is_new = np.append(True, matches.at[1:] != matches.at[:-1])[: len(matches.at)]
        place = np.flatnonzero(is_new)
        at = matches.at[place].astype(np.int64)
        earned = np.add.reduceat(values[matches.item], place) if len(place) else values[:0]
        value = earned * self.words - cost
        gaps = -cost * (np.diff(at, append=at[-1:]) - 1)
        # An occurrence, the words up to the next one, the next one, …
        both = np.stack([value, gaps], axis=1).ravel()
        bounds = 2 * np.searchsorted(place, matches.bounds)
        for article, (low, high) in enumerate(pairwise(bounds.tolist())):
            for begin, after, total in maximal_segments(both[low : high - 1].tolist()):
                words = at[(low + begin) // 2], at[(low + after - 1) // 2] + 1
                yield article, int(words[0]), int(words[1]), total

    def _moved_out(self, matches: Matches, first: Ints, after: Ints) -> tuple[Ints, Ints]:
        """Ranges of words, with their ends moved out to the borders of blocks."""
        index, collection = self.index, self.index.collection
        begins = collection.rows[matches.documents]
        rows = concatenated_ranges(begins, collection.rows[matches.documents + 1] - begins)
        tags = collection.summary.tags
        is_block = np.array([tag not in collection.inline_tags for tag in tags], dtype=np.bool_)
        rows = rows[is_block[collection.summary.tag_of][collection.nodes.path[rows]]]
        edges = [
            index.elements_first[rows],
            index.elements_after[rows],
            index.documents_first[matches.documents],
            index.documents_first[matches.documents + 1],
        ]
        borders = np.sort(np.concatenate([edge.astype(np.int64) for edge in edges]))
        return (
            borders[np.searchsorted(borders, first, side="right") - 1],
            borders[np.searchsorted(borders, after)],
        )

    def extents(self, units: Units) -> tuple[Ints, Ints]:
        """Their words: no other word is in a block that a passage holds."""
        return units.first, units.after

    def places(self, units: Units, documents: Ints) -> list[Place]:
        """From the border of a block before the first word to that after the last word."""
        start, end = characters(self.index, units, documents)
        collection = self.index.collection
        edges: dict[int, Ints] = {}
        for document in dict.fromkeys(documents.tolist()):
            whole = [0, int(collection.nodes.end[collection.rows[document]])]
            edges[document] = np.sort(np.append(self.index.borders.borders(document), whole))
        found = []
        for at, document in enumerate(documents.tolist()):
            own = edges[document]
            before = own[np.searchsorted(own, start[at], side="right") - 1]
            found.append(Place(document, int(before), int(own[np.searchsorted(own, end[at])])))
        return found
