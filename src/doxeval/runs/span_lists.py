"""Several ranges of text for each row: what results with more than one range are made of."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints, concatenated_ranges
from doxeval.spans import Spans, merged

Ranges = tuple[tuple[int, int], ...]


class SpanLists(NamedTuple):
    """A list of ranges for each row, all lists one after another.

    begin: where the list of each row begins; one more than there are rows. start, end: the ranges,
    sorted and apart from each other. A row without a list has an empty one.

    >>> lists = SpanLists.of([((0, 5), (9, 12)), ()])
    >>> lists.counts.tolist(), lists.sizes().tolist()
    ([2, 0], [8, 0])
    """

    begin: Ints
    start: Ints
    end: Ints

    @classmethod
    def of(cls, lists: Sequence[Sequence[tuple[int, int]]]) -> SpanLists:
        """Lists that are given one by one, sorted and merged here.

        >>> SpanLists.of([((9, 12), (0, 3), (3, 5))]).as_tuples()
        [((0, 5), (9, 12))]
        """
        ranges = [(row, start, end) for row, own in enumerate(lists) for start, end in own]
        return cls.merged(Spans.of(ranges), len(lists))

    @classmethod
    def merged(cls, spans: Spans, rows: int) -> SpanLists:
        """The ranges of each row (their group), sorted and merged.

        >>> SpanLists.merged(Spans.of([(1, 3, 5), (1, 0, 3)]), 2).as_tuples()
        [(), ((0, 5),)]
        """
        together = merged(spans)
        counts = np.bincount(together.group, minlength=rows)
        return cls(np.append(0, np.cumsum(counts)), together.start, together.end)

    @property
    def counts(self) -> Ints:
        """How many ranges each row has."""
        return np.diff(self.begin)

    @property
    def owner(self) -> Ints:
        """The row of each range."""
        return np.repeat(np.arange(len(self.begin) - 1), self.counts)

    def sizes(self) -> Ints:
        """How many characters the ranges of each row have together."""
        total: Ints = np.append(0, np.cumsum(self.end - self.start))
        return total[self.begin[1:]] - total[self.begin[:-1]]

    def rows(self, rows: Ints) -> SpanLists:
        """Only the lists of these rows, in this order."""
        counts = self.counts[rows]
        own = concatenated_ranges(self.begin[rows], counts)
        return SpanLists(np.append(0, np.cumsum(counts)), self.start[own], self.end[own])

    def without(self, rows: Ints) -> SpanLists:
        """The same with empty lists for some rows."""
        counts = self.counts
        counts[rows] = 0
        own = concatenated_ranges(self.begin[:-1], counts)
        return SpanLists(np.append(0, np.cumsum(counts)), self.start[own], self.end[own])

    def as_tuples(self) -> list[Ranges]:
        """The lists as Python has them."""
        pairs = list(zip(self.start.tolist(), self.end.tolist(), strict=True))
        return [tuple(pairs[begin:end]) for begin, end in pairwise(self.begin.tolist())]

    def equals(self, other: SpanLists) -> bool:
        """Whether all rows have the same ranges."""
        return all(map(np.array_equal, self, other))

    def numbers(self) -> Ints:
        """A number for each row, the same for the same ranges; 0 for rows without a list.

        >>> SpanLists.of([((0, 5), (9, 12)), (), ((0, 5), (9, 12))]).numbers().tolist()
        [1, 0, 1]
        """
        known: dict[bytes, int] = {b"": 0}
        pairs = np.stack([self.start, self.end], axis=1).astype(np.int64)
        edges = (self.begin * 16).tolist()
        data = pairs.tobytes()
        found = [known.setdefault(data[begin:end], len(known)) for begin, end in pairwise(edges)]
        return np.array(found, dtype=np.int64)


class Pieces(NamedTuple):
    """Ranges of results: the row of the result, and start and end of each of its ranges."""

    row: Ints
    start: Ints
    end: Ints


def pieces_of(start: Ints, end: Ints, several: SpanLists | None) -> Pieces:
    """The ranges of all rows in their order: those of a row's list, or else its one range.

    >>> several = SpanLists.of([(), ((0, 5), (9, 12))])
    >>> [column.tolist() for column in pieces_of(np.array([7, 0]), np.array([8, 5]), several)]
    [[0, 1, 1], [7, 0, 9], [8, 5, 12]]
    """
    if several is None:
        return Pieces(np.arange(len(start)), start, end)
    counts = several.counts
    single = np.flatnonzero(counts == 0)
    counts[single] = 1
    row = np.repeat(np.arange(len(start)), counts)
    begin = np.cumsum(counts) - counts
    all_starts, all_ends = np.empty(len(row), dtype=np.int64), np.empty(len(row), dtype=np.int64)
    all_starts[begin[single]], all_ends[begin[single]] = start[single], end[single]
    is_listed = np.ones(len(row), dtype=np.bool_)
    is_listed[begin[single]] = False
    all_starts[is_listed], all_ends[is_listed] = several.start, several.end
    return Pieces(row, all_starts, all_ends)
