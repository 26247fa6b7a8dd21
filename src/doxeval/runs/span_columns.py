"""Columns of lists of ranges: checked as a whole, and written as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from doxeval.arrays import Ints
from doxeval.columns import ABSENT, WRONG, Column, is_given
from doxeval.runs.result_columns import is_range
from doxeval.runs.span_lists import SpanLists
from doxeval.spans import TOO_LONG, Spans

_TEXT = re.compile(r"[0-9]{1,18}-[0-9]{1,18}")


def span_column(column: Column | SpanLists) -> tuple[Ints, Spans]:
    """Whether each row has ranges (0), none (ABSENT) or something else (WRONG); and the ranges.

    >>> found, spans = span_column([[[0, 5], [9, 12]], None, "x"])
    >>> found.tolist(), spans.end.tolist()
    ([0, -1, -2], [5, 12])
    """
    if isinstance(column, SpanLists):
        return np.where(column.counts > 0, 0, ABSENT), Spans(column.owner, *column[1:])
    together = _all_at_once(column)
    if together is not None:
        return together
    found = np.array([_state(value) for value in column], dtype=np.int64)
    ranges = [
        (row, start, end)
        for row in np.flatnonzero(found == 0).tolist()
        for start, end in column[row]
    ]
    return found, Spans.of(ranges)


def _all_at_once(column: Column) -> tuple[Ints, Spans] | None:
    """The same for a column of lists and None; None if something is wrong in it."""
    if not set(map(type, column)) <= {list, tuple, type(None)}:
        return None
    lists: list[Sequence[Any]] = [value or () for value in column]
    pairs = list(chain.from_iterable(lists))
    if not set(map(type, pairs)) <= {list, tuple} or not set(map(len, pairs)) <= {2}:
        return None
    edges = list(chain.from_iterable(pairs))
    if not set(map(type, edges)) <= {int}:
        return None
    try:
        start, end = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    except OverflowError:
        return None
    if ((start < 0) | (end < start) | (end >= TOO_LONG)).any():
        return None
    counts = np.fromiter(map(len, lists), np.int64, len(lists))
    group = np.repeat(np.arange(len(lists)), counts)
    return np.where(counts > 0, 0, ABSENT), Spans(group, start, end)


def _state(value: Any) -> int:
    if not is_given(value):
        return ABSENT
    return 0 if isinstance(value, list | tuple) and all(map(is_range, value)) else WRONG


def spans_as_text(spans: Sequence[Sequence[int]] | None) -> str | None:
    """Ranges as text, such as CSV holds.

    >>> spans_as_text([[0, 5], [9, 12]])
    '0-5 9-12'
    """
    return None if spans is None else " ".join(f"{start}-{end}" for start, end in spans)


def spans_of_text(text: str) -> Any:
    """The ranges that a text gives; the text itself if it is something else.

    >>> spans_of_text("0-5 9-12"), spans_of_text("0..5")
    ([[0, 5], [9, 12]], '0..5')
    """
    words = text.split()
    if not all(map(_TEXT.fullmatch, words)):
        return text
    return [[int(edge) for edge in word.split("-")] for word in words]
