"""Highlighted passages of one document, put in order."""

from __future__ import annotations

from collections.abc import Sequence

from doxeval.spans import Spans, merged


def in_order(passages: Sequence[tuple[int, int]]) -> tuple[tuple[tuple[int, int], ...], bool]:
    """The passages sorted, merged where they touch, without empty ones; and whether any overlap.

    >>> in_order([(8, 9), (0, 5), (3, 7), (2, 2)])
    (((0, 7), (8, 9)), True)
    """
    by_start = sorted(passages)
    reach = -1
    for start, end in by_start:
        if start <= reach or end == start:
            break
        reach = end
    else:  # as almost always: they are apart and not empty
        return tuple(by_start), False
    spans = merged(Spans.of([(0, start, end) for start, end in passages]))
    overlap = int(spans.lengths().sum()) != sum(end - start for start, end in passages)
    return tuple(zip(spans.start.tolist(), spans.end.tolist(), strict=True)), overlap
