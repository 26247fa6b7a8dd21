"""Half-open spans of text, many at once: merging and intersecting them, and finding new text.

Spans come as arrays of starts and ends, each span with a group (a document, or a topic and a
document). Spans of different groups never overlap. Lengths are in characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints, concatenated_ranges, distinct

# Positions are less than this, and there are no more groups than this, so that a group and a
# position fit into one number of 64 bits.
TOO_LONG = 1 << 32
MOST_GROUPS = 1 << 31
_GROUP = TOO_LONG


class Spans(NamedTuple):
    """Spans [start, end), each in a group."""

    group: Ints
    start: Ints
    end: Ints

    @classmethod
    def of(cls, ranges: list[tuple[int, int, int]]) -> Spans:
        """Return spans that are given one by one, as (group, start, end).

        >>> Spans.of([(0, 5, 9)]).lengths().tolist()
        [4]
        """
        columns = np.array(ranges, dtype=np.int64).reshape(-1, 3).T
        return cls(*columns)

    def lengths(self) -> Ints:
        """Return the number of characters of each span."""
        return self.end - self.start


def merge_spans(spans: Spans) -> Spans:
    """Return the same characters as sorted spans that are not empty and do not touch.

    >>> ranges = merge_spans(Spans.of([(0, 5, 9), (0, 1, 3), (0, 3, 4), (0, 8, 12), (1, 0, 0)]))
    >>> ranges.start.tolist(), ranges.end.tolist()
    ([1, 5], [4, 12])
    """
    is_filled = spans.end > spans.start
    if not is_filled.all():
        spans = _take(spans, np.flatnonzero(is_filled))
    if not len(spans.start):
        return spans
    start = spans.group * _GROUP + spans.start
    if (start[1:] < start[:-1]).any():  # most are in order already
        spans = _take(spans, np.argsort(start, kind="stable"))
        start = spans.group * _GROUP + spans.start
    # How far the spans up to each one reach. The numbers of a group are greater than those of
    # all earlier groups, so a reach never goes over into the next group.
    reach = np.maximum.accumulate(spans.group * _GROUP + spans.end)
    first = np.flatnonzero(np.append(True, start[1:] > reach[:-1]))
    last = np.append(first[1:], len(start)) - 1
    return Spans(spans.group[first], spans.start[first], reach[last] % _GROUP)


def joined_spans(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans of one text in its order, those that overlap or touch joined.

    >>> joined_spans([(7, 9), (0, 4), (3, 5), (5, 6), (8, 12)])
    [(0, 6), (7, 12)]
    """
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def shared_lengths(spans: Spans, others: Spans) -> Ints:
    """Return how many characters each span shares with the merged spans `others`.

    >>> highlights = merge_spans(Spans.of([(0, 2, 5), (0, 8, 10)]))
    >>> shared_lengths(Spans.of([(0, 0, 9), (0, 5, 8), (1, 0, 9)]), highlights).tolist()
    [4, 0, 0]
    """
    return _covered_before(spans.group, spans.end, others) - _covered_before(
        spans.group, spans.start, others
    )


def new_parts(spans: Spans) -> tuple[Ints, Spans]:
    """Return the new text of each span: the parts of it that no earlier span of its group covers.

    Spans are read in the order in which they are given. The result is the row of the span that
    each part belongs to, and the parts.

    >>> rows, pieces = new_parts(Spans.of([(0, 5, 10), (0, 0, 20), (0, 6, 8)]))
    >>> rows.tolist(), pieces.start.tolist(), pieces.end.tolist()
    ([0, 1, 1], [5, 0, 10], [10, 5, 20])
    """
    filled = np.flatnonzero(spans.end > spans.start)
    crowded = _groups_with_overlap(spans, filled)
    is_crowded = np.isin(spans.group[filled], crowded)
    alone = filled[~is_crowded]  # nothing overlaps these, so all of their text is new
    painted, parts = _paint(spans, filled[is_crowded])
    row = np.append(alone, painted)
    pairs = zip(_take(spans, alone), parts, strict=True)
    all_pieces = Spans(*(np.append(*pair) for pair in pairs))
    order = np.lexsort((all_pieces.start, row))
    return row[order], _take(all_pieces, order)


def new_lengths(spans: Spans) -> Ints:
    """Return how many characters of each span no earlier span of its group covers.

    >>> new_lengths(Spans.of([(0, 5, 10), (0, 0, 20), (0, 6, 8), (1, 6, 8)])).tolist()
    [5, 15, 0, 2]
    """
    rows, pieces = new_parts(spans)
    lengths = np.zeros(len(spans.start), dtype=np.int64)
    np.add.at(lengths, rows, pieces.lengths())
    return lengths


class SharedText(NamedTuple):
    """Text that spans share with others: which span, which of the others, and what."""

    row: Ints
    other: Ints
    start: Ints
    end: Ints


def shared_parts(spans: Spans, others: Spans) -> SharedText:
    """Return what spans share with others that are sorted by group and start and do not overlap.

    >>> others = Spans.of([(0, 2, 5), (0, 5, 7), (0, 8, 10)])
    >>> [column.tolist() for column in shared_parts(Spans.of([(0, 4, 9), (1, 0, 9)]), others)]
    [[0, 0, 0], [0, 1, 2], [4, 5, 8], [5, 7, 9]]
    """
    first = np.searchsorted(
        others.group * _GROUP + others.end, spans.group * _GROUP + spans.start, "right"
    )
    last = np.searchsorted(
        others.group * _GROUP + others.start, spans.group * _GROUP + spans.end, "left"
    )
    counts = np.maximum(last - first, 0)
    row = np.repeat(np.arange(len(first)), counts)
    other = concatenated_ranges(first, counts)
    start = np.maximum(spans.start[row], others.start[other])
    return SharedText(row, other, start, np.minimum(spans.end[row], others.end[other]))


def _covered_before(group: Ints, position: Ints, others: Spans) -> Ints:
    """Return how many characters of `others` (merged) lie before a position, in all groups."""
    total = np.append(0, np.cumsum(others.lengths()))
    if len(total) == 1:
        return np.zeros(len(position), dtype=np.int64)
    keys = others.group * _GROUP + others.start
    begun = np.searchsorted(keys, group * _GROUP + position, side="right")
    last = np.maximum(begun - 1, 0)
    same_group = (begun > 0) & (others.group[last] == group)
    beyond = np.where(same_group, np.maximum(others.end[last] - position, 0), 0)
    return total[begun] - beyond


def _groups_with_overlap(spans: Spans, rows: Ints) -> Ints:
    """Return the groups in which some spans share characters."""
    sorted_rows = rows[np.lexsort((spans.start[rows], spans.group[rows]))]
    start = spans.group[sorted_rows] * _GROUP + spans.start[sorted_rows]
    reach = np.maximum.accumulate(spans.group[sorted_rows] * _GROUP + spans.end[sorted_rows])
    overlapping = np.flatnonzero(start[1:] < reach[:-1]) + 1
    groups = spans.group[sorted_rows[overlapping]]
    return groups[np.append(True, np.diff(groups) != 0)] if len(groups) else groups


def _paint(spans: Spans, rows: Ints) -> tuple[Ints, Spans]:
    """Return the new parts of some spans, none of which is empty: the row of each, and the part.

    The edges of all spans cut the texts into segments, and a segment belongs to the first span that
    covers it. A span covers two blocks of 2^k segments, which may overlap; from the largest blocks
    down, the two halves of each belong to whom the whole belongs, or to an earlier span.
    """
    if not len(rows):
        return rows, _take(spans, rows)
    start, end = (spans.group[rows] * _GROUP + edge[rows] for edge in spans[1:])
    edges = distinct(np.append(start, end))
    first, after = np.searchsorted(edges, start), np.searchsorted(edges, end)
    level = np.frexp((after - first).astype(np.float64))[1] - 1
    nobody = len(spans.start)
    owner = np.full(len(edges), nobody, dtype=np.int64)
    for size in range(int(level.max()), -1, -1):
        here = np.flatnonzero(level == size)
        np.minimum.at(owner, first[here], rows[here])
        np.minimum.at(owner, after[here] - (1 << size), rows[here])
        if size:
            half = 1 << (size - 1)
            owner[half:] = np.minimum(owner[half:], owner[:-half].copy())
    begins = np.flatnonzero(owner != np.append(nobody, owner[:-1]))
    ends = np.append(begins[1:], len(owner) - 1)
    kept = owner[begins] < nobody
    row = owner[begins[kept]]
    group = spans.group[row]
    offset = group * _GROUP
    return row, Spans(group, edges[begins[kept]] - offset, edges[ends[kept]] - offset)


def _take(spans: Spans, rows: Ints) -> Spans:
    return Spans(spans.group[rows], spans.start[rows], spans.end[rows])
