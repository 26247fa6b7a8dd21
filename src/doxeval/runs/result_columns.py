"""Results as columns: what every way of making a run ends in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.columns import NO_LABEL, Labels
from doxeval.errors import InputError
from doxeval.messages import quoted
from doxeval.runs.result import Kind, Result
from doxeval.runs.span_lists import SpanLists
from doxeval.spans import TOO_LONG, Spans


class ResultColumns(NamedTuple):
    """Results as columns, one row for each.

    start and end are -1 where a result is not given in characters; rank and score are None if
    there are none. line is where each result stood in its file, from 1. spans: the ranges of
    results that have several, of which start and end are the first; None if there are none.
    tokens: what each result costs, -1 where that is not said; None if it never is.
    """

    topic_labels: Labels[str]
    document_labels: Labels[str]
    path_labels: Labels[tuple[str, ...]]
    kind: Ints
    start: Ints
    end: Ints
    rank: Ints | None
    score: Floats | None
    line: Ints
    spans: SpanLists | None = None
    tokens: Ints | None = None


class RanksAndScores(NamedTuple):
    """Ranks and scores as far as they are of use, and what to say about the others."""

    rank: Ints | None
    score: Floats | None
    warnings: tuple[str, ...]

    @classmethod
    def complete(cls, rank: Ints, score: Floats) -> RanksAndScores:
        """The ranks (-1: none) and scores (nan: none), each only if every result has one.

        >>> found = RanksAndScores.complete(np.array([1, 2]), np.array([0.5, np.nan]))
        >>> found.score, found.warnings
        (None, ('some results have no score; the scores are not used',))
        """
        has_rank, has_score = rank >= 0, ~np.isnan(score)
        warnings = [
            f"some results have no {what}; the {what}s are not used"
            for what, has in (("rank", has_rank), ("score", has_score))
            if has.any() and not has.all()
        ]
        return cls(
            rank if len(rank) and has_rank.all() else None,
            score if len(score) and has_score.all() else None,
            tuple(warnings),
        )


def columns_of_results(
    results: Iterable[Result], lines: Sequence[int] | None = None
) -> tuple[ResultColumns, tuple[str, ...]]:
    """Results given one by one as columns, and warnings; without lines they are counted from 1.

    >>> columns, _ = columns_of_results([Result("1", "a"), Result("1", "b")])
    >>> columns.document_labels.distinct
    ('a', 'b')
    """
    rows = list(results)
    topics, documents, kinds, starts, ends, paths, ranks, scores, spans, tokens = (
        zip(*rows, strict=True) if rows else ((),) * len(Result._fields)
    )
    _refuse_other_paths(paths)
    kind = np.array(kinds, dtype=np.int64)
    placed = with_first_ranges(kind, _whole(starts), _whole(ends), _checked_spans(spans, kind))
    kept = RanksAndScores.complete(_whole(ranks), np.array(scores, dtype=np.float64))
    columns = ResultColumns(
        _labels(topics),
        _labels(documents),
        _labels(paths, without=()),
        placed.kind,
        placed.start,
        placed.end,
        kept.rank,
        kept.score,
        np.arange(1, len(rows) + 1) if lines is None else np.array(lines, dtype=np.int64),
        placed.spans,
        if_any(_whole(tokens)),
    )
    _refuse_incomplete(columns)
    return columns, kept.warnings


def _labels(values: Sequence[Any], without: Any = None) -> Labels[Any]:
    """A column of names; `without` is no name."""
    distinct = dict.fromkeys(values)
    distinct.pop(without, None)
    numbers = {value: number for number, value in enumerate(distinct)} | {without: NO_LABEL}
    return Labels.of(
        tuple(distinct), np.fromiter(map(numbers.__getitem__, values), np.int64, len(values))
    )


def _whole(values: Sequence[int | None]) -> Ints:
    return np.array([-1 if value is None else value for value in values], dtype=np.int64)


def if_any(tokens: Ints) -> Ints | None:
    """A column of costs, None if no result has one.

    >>> if_any(np.array([-1, -1])) is None
    True
    """
    return tokens if (tokens >= 0).any() else None


def _checked_spans(spans: Sequence[Any], kind: Ints) -> Spans | None:
    """The ranges that results give as lists; None if none does."""
    if not any(spans) and not (kind == Kind.SPANS).any():
        return None
    ranges: list[tuple[int, int, int]] = []
    for row, own in enumerate(spans):
        if bool(own) != (kind[row] == Kind.SPANS):
            told = "has no spans" if not own else "has spans, which go with Kind.SPANS"
            raise InputError(f"result {row + 1}: the {Kind(int(kind[row])).name.lower()} {told}")
        for pair in own:
            if not is_range(pair):
                raise InputError(f"result {row + 1}: spans has {quoted(pair)}: {RANGE}")
            ranges.append((row, *pair))
    return Spans.of(ranges)


RANGE = "expected pairs of whole numbers, a start and an end that is not before it"


def is_range(pair: Any) -> bool:
    """Whether something is a pair of a start and an end.

    >>> is_range((0, 5)), is_range([5, 0]), is_range("05")
    (True, False, False)
    """
    return (
        isinstance(pair, list | tuple)
        and len(pair) == 2
        and all(isinstance(at, int) and not isinstance(at, bool) for at in pair)
        and 0 <= pair[0] <= pair[1] < TOO_LONG
    )


class Placed(NamedTuple):
    """What results are and where, and the ranges of those that have several."""

    kind: Ints
    start: Ints
    end: Ints
    spans: SpanLists | None


def with_first_ranges(kind: Ints, start: Ints, end: Ints, given: Spans | None) -> Placed:
    """Results with the ranges that some give as lists, by row; they begin and end as the first.

    Ranges that touch are one. A result of which one range is left is a passage, and so is one
    whose ranges are all empty: that of its first range.

    >>> nowhere = np.array([-1])
    >>> spans = Spans.of([(0, 9, 12), (0, 0, 5)])
    >>> found = with_first_ranges(np.array([5]), nowhere, nowhere, spans)
    >>> found.start.tolist(), found.end.tolist(), found.spans.as_tuples()
    ([0], [5], [((0, 5), (9, 12))])
    """
    if given is None:
        return Placed(kind, start, end, None)
    kind, start, end = kind.copy(), start.copy(), end.copy()
    first = np.flatnonzero(np.append(True, given.group[1:] != given.group[:-1])[: len(given.group)])
    rows = given.group[first]
    start[rows], end[rows] = given.start[first], given.end[first]
    lists = SpanLists.merged(given, len(kind))
    counts = lists.counts
    filled = np.flatnonzero(counts)
    at = lists.begin[filled]
    start[filled], end[filled] = lists.start[at], lists.end[at]
    kind[rows[counts[rows] < 2]] = Kind.PASSAGE
    several = np.repeat(counts > 1, counts)
    if not several.any():
        return Placed(kind, start, end, None)
    kept = np.where(counts > 1, counts, 0)
    begin = np.append(0, np.cumsum(kept))
    spans = SpanLists(begin, lists.start[several], lists.end[several])
    return Placed(kind, start, end, spans)


def _refuse_other_paths(paths: Sequence[Any]) -> None:
    if set(map(type, paths)) - {tuple}:
        row = next(row for row, given in enumerate(paths, 1) if type(given) is not tuple)
        raise InputError(
            f"result {row}: paths is {quoted(paths[row - 1])}: "
            "expected a tuple of paths or text points"
        )


def _refuse_incomplete(columns: ResultColumns) -> None:
    """Results that do not say where they are."""
    kind, has_paths = columns.kind, columns.path_labels.numbers >= 0
    needs_path = (kind == Kind.ELEMENT) | (kind == Kind.TREE)
    needs_end = (kind == Kind.PASSAGE) & ~has_paths
    needs_start = needs_end | ((kind == Kind.POINT) & ~has_paths)
    for wrong, message in (
        (needs_path & ~has_paths, "has no path"),
        (needs_start & (columns.start < 0), "has neither a start nor text points"),
        (needs_end & (columns.end < columns.start), "ends before it starts, or has no end"),
    ):
        if wrong.any():
            row = int(np.argmax(wrong))
            what = Kind(int(kind[row])).name.lower()
            raise InputError(f"result {row + 1}: the {what} {message}")


def results_of(columns: ResultColumns) -> Iterator[Result]:
    """The results one by one.

    >>> columns, _ = columns_of_results([Result("1", "a"), Result("1", "b")])
    >>> [result.document for result in results_of(columns)]
    ['a', 'b']
    """
    kinds = list(Kind)
    paths = [*columns.path_labels.distinct, ()]
    none = [None] * len(columns.kind)
    start, end = columns.start, columns.end
    if columns.spans is not None:
        is_single = columns.kind != Kind.SPANS
        start, end = np.where(is_single, start, -1), np.where(is_single, end, -1)
    return map(
        Result._make,
        zip(
            names_of(columns.topic_labels),
            names_of(columns.document_labels),
            [kinds[kind] for kind in columns.kind.tolist()],
            _whole_or_none(start),
            _whole_or_none(end),
            [paths[number] for number in columns.path_labels.numbers.tolist()],
            none if columns.rank is None else columns.rank.tolist(),
            none if columns.score is None else columns.score.tolist(),
            repeat((), len(none)) if columns.spans is None else columns.spans.as_tuples(),
            none if columns.tokens is None else _whole_or_none(columns.tokens),
            strict=True,
        ),
    )


def _whole_or_none(values: Ints) -> list[int | None]:
    return [None if value < 0 else value for value in values.tolist()]


def names_of(labels: Labels[Any]) -> list[Any]:
    """The name of each row; None where there is none.

    >>> names_of(Labels.of(["a"], np.array([0, -1])))
    ['a', None]
    """
    names = [*labels.distinct, None]
    return [names[number] for number in labels.numbers.tolist()]
