"""Ranges against sets of characters."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from doxeval.spans import Spans, merge_spans, new_lengths, new_parts, shared_lengths
from levels import examples

Range = tuple[int, int, int]
RANGES = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 12), st.integers(0, 12)).map(
        lambda r: (r[0], min(r[1:]), max(r[1:]))
    ),
    max_size=12,
)


def characters(item: Range) -> set[tuple[int, int]]:
    group, start, end = item
    return {(group, position) for position in range(start, end)}


def union(items: list[Range]) -> set[tuple[int, int]]:
    return set().union(*map(characters, items))


def listed(spans: Spans) -> list[Range]:
    return list(zip(*(column.tolist() for column in spans), strict=True))


@examples(300)
@given(RANGES)
def test_merged_ranges_are_the_same_characters(items: list[Range]) -> None:
    found = listed(merge_spans(Spans.of(items)))
    assert union(found) == union(items)
    assert found == sorted(found)
    for (group, _, end), (next_group, start, _) in pairwise(found):
        assert group < next_group or end < start
    assert all(start < end for _, start, end in found)


@examples(300)
@given(RANGES, RANGES)
def test_shared_lengths_count_common_characters(items: list[Range], others: list[Range]) -> None:
    found = shared_lengths(Spans.of(items), merge_spans(Spans.of(others))).tolist()
    assert found == [len(characters(item) & union(others)) for item in items]


@examples(300)
@given(RANGES)
def test_new_pieces_are_what_was_not_there_before(items: list[Range]) -> None:
    rows, pieces = new_parts(Spans.of(items))
    found: list[set[tuple[int, int]]] = [set() for _ in items]
    for row, piece in zip(rows.tolist(), listed(pieces), strict=True):
        assert not found[row] & characters(piece)
        found[row] |= characters(piece)
    expected = [characters(item) - union(items[:row]) for row, item in enumerate(items)]
    assert found == expected
    assert new_lengths(Spans.of(items)).tolist() == list(map(len, expected))


def test_many_overlapping_ranges_in_one_document() -> None:
    """Whatever the order, each character is new once."""
    count = 20_000
    at = np.arange(count, dtype=np.int64)
    spans = Spans(np.zeros(count, dtype=np.int64), at, 10 * count - at)
    assert new_lengths(spans).tolist() == [10 * count] + [0] * (count - 1)
    inside_out = Spans(*(column[::-1] for column in spans))
    assert new_lengths(inside_out).tolist() == [8 * count + 2] + [2] * (count - 1)
    shuffled = np.random.default_rng(1).permutation(count)
    assert new_lengths(Spans(*(column[shuffled] for column in spans))).sum() == 10 * count


def test_nothing_is_nothing() -> None:
    nothing = Spans.of([])
    assert listed(merge_spans(nothing)) == []
    assert new_lengths(nothing).tolist() == []
    assert shared_lengths(Spans.of([(0, 1, 5)]), nothing).tolist() == [0]
