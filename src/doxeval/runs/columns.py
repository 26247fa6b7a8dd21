"""Results of a run: one by one, and as columns, which every way of making a run ends in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints, concatenated_ranges
from doxeval.columns import NO_LABEL, Categorical
from doxeval.errors import InputError
from doxeval.messages import quoted
from doxeval.spans import TOO_LONG, Spans, merge_spans

# One result


class Kind(IntEnum):
    """What a result is.

    >>> Kind.PASSAGE.name
    'PASSAGE'
    """

    DOCUMENT = 0  # a whole document
    ELEMENT = 1  # an element, by its path
    PASSAGE = 2  # a span of text: by characters (start, end) or by two text points
    POINT = 3  # an entry point: an offset or a text point
    TREE = 4  # a set of elements, by their paths
    SPANS = 5  # several spans of text of one document


class Result(NamedTuple):
    """One result of a run.

    paths: the path of an element, the paths of a tree, the text points of a passage or an entry
    point; empty where start and end (or start alone) say it in characters, and for documents.
    spans: the spans of a result that has several. tokens: how many tokens it costs to read it,
    where the system says so. added: how many characters are read that are in no document.

    >>> Result("7", "a", Kind.PASSAGE, 0, 99)
    Result('7', 'a', kind=Kind.PASSAGE, start=0, end=99)
    >>> Result("7", "a", Kind.ELEMENT, paths=("/article[1]/sec[2]",)).paths
    ('/article[1]/sec[2]',)
    >>> Result("7", "a", Kind.SPANS, spans=((0, 5), (9, 12)), tokens=3)
    Result('7', 'a', kind=Kind.SPANS, spans=((0, 5), (9, 12)), tokens=3)
    """

    topic: str
    document: str
    kind: Kind = Kind.DOCUMENT
    start: int | None = None
    end: int | None = None
    paths: tuple[str, ...] = ()
    rank: int | None = None
    score: float | None = None
    spans: tuple[tuple[int, int], ...] = ()
    tokens: int | None = None
    added: int | None = None

    def __repr__(self) -> str:
        names, defaults = self._fields[2:], self._field_defaults
        given = {name: value for name in names if (value := getattr(self, name)) != defaults[name]}
        kind = {"kind": f"Kind.{self.kind.name}"} if "kind" in given else {}
        named = {name: repr(value) for name, value in given.items()} | kind
        parts = [repr(self.topic), repr(self.document), *(f"{n}={v}" for n, v in named.items())]
        return f"Result({', '.join(parts)})"


# The document of a result whose text is in no document: it is read, and not relevant. Each such
# text has a document of its own, from 0 to its length.
_NOT_FOUND = "(not found {})"
_IS_NOT_FOUND = re.compile(r"\(not found [1-9][0-9]*\)")


def not_found(number: int) -> str:
    """Return the id of the document of a text that is in no document.

    >>> not_found(3), is_not_found(not_found(3)), is_not_found("a")
    ('(not found 3)', True, False)
    """
    return _NOT_FOUND.format(number)


def is_not_found(document: str) -> bool:
    """Return whether an id is that of a text that is in no document."""
    return _IS_NOT_FOUND.fullmatch(document) is not None


SPANS_EXPECTED = "expected pairs of whole numbers, a start and an end that is not before it"


def is_span(pair: Any) -> bool:
    """Return whether something is a pair of a start and an end.

    >>> is_span((0, 5)), is_span([5, 0]), is_span("05")
    (True, False, False)
    """
    return (
        isinstance(pair, list | tuple)
        and len(pair) == 2
        and all(isinstance(at, int) and not isinstance(at, bool) for at in pair)
        and 0 <= pair[0] <= pair[1] < TOO_LONG
    )


# Several spans per row

SpanTuples = tuple[tuple[int, int], ...]


class SpanLists(NamedTuple):
    """A list of spans for each row, all lists one after another.

    begin: where the list of each row begins; one more than there are rows. start, end: the spans,
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
        """Return lists that are given one by one, sorted and merged.

        >>> SpanLists.of([((9, 12), (0, 3), (3, 5))]).as_tuples()
        [((0, 5), (9, 12))]
        """
        spans = [(row, start, end) for row, pairs in enumerate(lists) for start, end in pairs]
        return cls.merged(Spans.of(spans), len(lists))

    @classmethod
    def merged(cls, spans: Spans, rows: int) -> SpanLists:
        """Return the spans of each row (their group), sorted and merged.

        >>> SpanLists.merged(Spans.of([(1, 3, 5), (1, 0, 3)]), 2).as_tuples()
        [(), ((0, 5),)]
        """
        together = merge_spans(spans)
        counts = np.bincount(together.group, minlength=rows)
        return cls(np.append(0, np.cumsum(counts)), together.start, together.end)

    @property
    def counts(self) -> Ints:
        """How many spans each row has."""
        return np.diff(self.begin)

    @property
    def owner(self) -> Ints:
        """The row of each span."""
        return np.repeat(np.arange(len(self.begin) - 1), self.counts)

    def sizes(self) -> Ints:
        """Return how many characters the spans of each row have together."""
        total: Ints = np.append(0, np.cumsum(self.end - self.start))
        return total[self.begin[1:]] - total[self.begin[:-1]]

    def rows(self, rows: Ints) -> SpanLists:
        """Return only the lists of these rows, in this order."""
        counts = self.counts[rows]
        at = concatenated_ranges(self.begin[rows], counts)
        return SpanLists(np.append(0, np.cumsum(counts)), self.start[at], self.end[at])

    def without(self, rows: Ints) -> SpanLists:
        """Return the same with empty lists for some rows."""
        counts = self.counts
        counts[rows] = 0
        at = concatenated_ranges(self.begin[:-1], counts)
        return SpanLists(np.append(0, np.cumsum(counts)), self.start[at], self.end[at])

    def or_none(self) -> SpanLists | None:
        """Return the lists; None if all of them are empty."""
        return self if len(self.start) else None

    def as_tuples(self) -> list[SpanTuples]:
        """Return the lists as tuples of pairs."""
        pairs = list(zip(self.start.tolist(), self.end.tolist(), strict=True))
        return [tuple(pairs[begin:end]) for begin, end in pairwise(self.begin.tolist())]

    def equals(self, other: SpanLists) -> bool:
        """Return whether all rows have the same spans."""
        return all(map(np.array_equal, self, other))

    def numbers(self) -> Ints:
        """Return a number for each row, the same for the same spans; 0 for rows without a list.

        >>> SpanLists.of([((0, 5), (9, 12)), (), ((0, 5), (9, 12))]).numbers().tolist()
        [1, 0, 1]
        """
        known: dict[bytes, int] = {b"": 0}
        data = np.stack([self.start, self.end], axis=1).astype(np.int64).tobytes()
        edges = pairwise((self.begin * 16).tolist())
        numbers = [known.setdefault(data[begin:end], len(known)) for begin, end in edges]
        return np.array(numbers, dtype=np.int64)


class RowSpans(NamedTuple):
    """Spans of results: the row of the result, and start and end of each of its spans."""

    row: Ints
    start: Ints
    end: Ints


def spans_by_row(start: Ints, end: Ints, several: SpanLists | None) -> RowSpans:
    """Return the spans of all rows in their order: those of a row's list, or else its one span.

    >>> several = SpanLists.of([(), ((0, 5), (9, 12))])
    >>> [column.tolist() for column in spans_by_row(np.array([7, 0]), np.array([8, 5]), several)]
    [[0, 1, 1], [7, 0, 9], [8, 5, 12]]
    """
    if several is None:
        return RowSpans(np.arange(len(start)), start, end)
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
    return RowSpans(row, all_starts, all_ends)


# Results as columns

_RESULTS_AT_ONCE = 1 << 14  # whose lists of values fit into little memory


class ResultColumns(NamedTuple):
    """Results as columns, one row for each.

    start and end are -1 where a result is not given in characters; rank and score are None if
    there are none. line is where each result was in its file, from 1. spans: the spans of
    results that have several, of which start and end are the first; None if there are none.
    tokens: what each result costs, -1 where that is not known; None if it never is. added: how
    many characters of each are in no document; None if all are.
    """

    topic_labels: Categorical[str]
    document_labels: Categorical[str]
    path_labels: Categorical[tuple[str, ...]]
    kind: Ints
    start: Ints
    end: Ints
    rank: Ints | None
    score: Floats | None
    line: Ints
    spans: SpanLists | None = None
    tokens: Ints | None = None
    added: Ints | None = None


def columns_of_results(
    results: Iterable[Result], lines: Sequence[int] | None = None
) -> tuple[ResultColumns, tuple[str, ...]]:
    """Return results as columns, and warnings; without lines they are counted from 1.

    >>> columns, _ = columns_of_results([Result("1", "a"), Result("1", "b")])
    >>> columns.document_labels.distinct
    ('a', 'b')
    """
    rows = list(results)
    topics, documents, kinds, starts, ends, paths, ranks, scores, spans, tokens, added = (
        zip(*rows, strict=True) if rows else ((),) * len(Result._fields)
    )
    _refuse_other_paths(paths)
    kind = np.array(kinds, dtype=np.int64)
    columns, warnings = complete_columns(
        ResultColumns(
            _categorical(topics),
            _categorical(documents),
            _categorical(paths, without=()),
            kind,
            _whole(starts),
            _whole(ends),
            None,
            None,
            np.arange(1, len(rows) + 1) if lines is None else np.array(lines, dtype=np.int64),
        ),
        _whole(ranks),
        np.array(scores, dtype=np.float64),
        _whole(tokens),
        _check_spans(spans, kind),
        _whole(added),
    )
    _refuse_incomplete(columns)
    return columns, warnings


def _categorical(values: Sequence[Any], without: Any = None) -> Categorical[Any]:
    """Return a column of names; `without` is no name."""
    distinct = dict.fromkeys(values)
    distinct.pop(without, None)
    numbers = {value: number for number, value in enumerate(distinct)} | {without: NO_LABEL}
    return Categorical.of(
        tuple(distinct), np.fromiter(map(numbers.__getitem__, values), np.int64, len(values))
    )


def _whole(values: Sequence[int | None]) -> Ints:
    return np.array([-1 if value is None else value for value in values], dtype=np.int64)


def tokens_if_any(tokens: Ints) -> Ints | None:
    """Return a column of costs; None if no result has one."""
    return tokens if (tokens >= 0).any() else None


def added_if_any(added: Ints) -> Ints | None:
    """Return how much text of results is in no document; None if there is none."""
    return np.maximum(added, 0) if (added > 0).any() else None


def complete_columns(
    columns: ResultColumns,
    rank: Ints,
    score: Floats,
    tokens: Ints,
    spans: Spans | None,
    added: Ints,
) -> tuple[ResultColumns, tuple[str, ...]]:
    """Return columns with what else results have, as far as it is of use, and warnings.

    Ranks (-1: none) and scores (nan: none) are of use if every result has one, costs (-1: none) if
    any has. spans: of the results that give them as lists, by row.
    """
    has_rank, has_score = rank >= 0, ~np.isnan(score)
    warnings = tuple(
        f"some results have no {what}; the {what}s are not used"
        for what, has in (("rank", has_rank), ("score", has_score))
        if has.any() and not has.all()
    )
    columns = columns._replace(
        rank=rank if len(rank) and has_rank.all() else None,
        score=score if len(score) and has_score.all() else None,
        tokens=tokens_if_any(tokens),
        added=added_if_any(added),
    )
    return columns if spans is None else _with_spans(columns, spans), warnings


def _with_spans(columns: ResultColumns, given: Spans) -> ResultColumns:
    """Return columns with the spans of some results, whose start and end are those of the first.

    Spans that touch are one. A result of which one span is left is a passage, and so is one whose
    spans are all empty: the first.
    """
    kind, start, end = columns.kind.copy(), columns.start.copy(), columns.end.copy()
    first = np.flatnonzero(np.diff(given.group, prepend=-1))
    rows = given.group[first]
    start[rows], end[rows] = given.start[first], given.end[first]
    lists = SpanLists.merged(given, len(kind))
    counts = lists.counts
    filled = np.flatnonzero(counts)
    at = lists.begin[filled]
    start[filled], end[filled] = lists.start[at], lists.end[at]
    kind[rows[counts[rows] < 2]] = Kind.PASSAGE
    several = lists.without(np.flatnonzero(counts < 2))
    return columns._replace(kind=kind, start=start, end=end, spans=several.or_none())


def _check_spans(spans: Sequence[Any], kind: Ints) -> Spans | None:
    """Return the spans that results give as lists; None if none does."""
    if not any(spans) and not (kind == Kind.SPANS).any():
        return None
    checked: list[tuple[int, int, int]] = []
    for row, pairs in enumerate(spans):
        if bool(pairs) != (kind[row] == Kind.SPANS):
            problem = "has no spans" if not pairs else "has spans, which go with Kind.SPANS"
            raise InputError(f"result {row + 1}: the {Kind(int(kind[row])).name.lower()} {problem}")
        for pair in pairs:
            if not is_span(pair):
                raise InputError(f"result {row + 1}: spans has {quoted(pair)}: {SPANS_EXPECTED}")
            checked.append((row, *pair))
    return Spans.of(checked)


def _refuse_other_paths(paths: Sequence[Any]) -> None:
    if set(map(type, paths)) - {tuple}:
        row = next(row for row, given in enumerate(paths, 1) if type(given) is not tuple)
        raise InputError(
            f"result {row}: paths is {quoted(paths[row - 1])}: "
            "expected a tuple of paths or text points"
        )


def _refuse_incomplete(columns: ResultColumns) -> None:
    """Refuse results that do not say which part of their document they are."""
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
    """Yield the results one by one.

    >>> columns, _ = columns_of_results([Result("1", "a"), Result("1", "b")])
    >>> [result.document for result in results_of(columns)]
    ['a', 'b']
    """
    topics, documents = list(columns.topic_labels.distinct), list(columns.document_labels.distinct)
    topic, document = columns.topic_labels.numbers, columns.document_labels.numbers
    paths, path = [*columns.path_labels.distinct, ()], columns.path_labels.numbers
    kinds = list(Kind)
    for begin in range(0, len(columns.kind), _RESULTS_AT_ONCE):
        rows = np.arange(begin, min(begin + _RESULTS_AT_ONCE, len(columns.kind)))
        is_single = columns.kind[rows] != Kind.SPANS
        yield from map(
            Result,
            [topics[number] for number in topic[rows].tolist()],
            [documents[number] for number in document[rows].tolist()],
            [kinds[kind] for kind in columns.kind[rows].tolist()],
            _whole_or_none(np.where(is_single, columns.start[rows], -1)),
            _whole_or_none(np.where(is_single, columns.end[rows], -1)),
            [paths[number] for number in path[rows].tolist()],
            repeat(None) if columns.rank is None else columns.rank[rows].tolist(),
            repeat(None) if columns.score is None else columns.score[rows].tolist(),
            repeat(()) if columns.spans is None else columns.spans.rows(rows).as_tuples(),
            repeat(None) if columns.tokens is None else _whole_or_none(columns.tokens[rows]),
            repeat(None) if columns.added is None else _more_than_none(columns.added[rows]),
        )


def _whole_or_none(values: Ints) -> list[int | None]:
    return [None if value < 0 else value for value in values.tolist()]


def _more_than_none(values: Ints) -> list[int | None]:
    return [value or None for value in values.tolist()]


def row_names(column: Categorical[Any]) -> list[Any]:
    """Return the name of each row; None where there is none.

    >>> row_names(Categorical.of(["a"], np.array([0, -1])))
    ['a', None]
    """
    names = [*column.distinct, None]
    return [names[number] for number in column.numbers.tolist()]
