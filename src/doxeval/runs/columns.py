"""One result of a run, and the kinds of results there are.

Several ranges of text for each row: what results with more than one range are made of.

Results as columns: what every way of making a run ends in.

The fields of a record of a run, and why a record is refused.

A run by the fields of records: what JSONL, CSV, Parquet and data frames hold.

Libraries that not everybody has installed: imported when needed, with an error that helps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from importlib import import_module
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints, concatenated_ranges
from doxeval.columns import NO_LABEL, Fields, Labels
from doxeval.errors import FormatError, InputError
from doxeval.messages import quoted
from doxeval.spans import TOO_LONG, Spans, merged

# The document of a result whose text stands in no document: it is read, and not relevant. Each such
# text has a document of its own, from 0 to its length.
_NOT_FOUND = "(not found {})"
_IS_NOT_FOUND = re.compile(r"\(not found [1-9][0-9]*\)")


def not_found(number: int) -> str:
    """Return the id of the document of a text that stands in no document.

    >>> not_found(3), is_not_found(not_found(3)), is_not_found("a")
    ('(not found 3)', True, False)
    """
    return _NOT_FOUND.format(number)


def is_not_found(document: str) -> bool:
    """Return whether an id is that of a text which stands in no document."""
    return _IS_NOT_FOUND.fullmatch(document) is not None


class Kind(IntEnum):
    """What a result is.

    >>> Kind.PASSAGE.name
    'PASSAGE'
    """

    DOCUMENT = 0  # a whole document
    ELEMENT = 1  # an element, by its path
    PASSAGE = 2  # a range of text: by characters (start, end) or by two text points
    POINT = 3  # an entry point: an offset or a text point
    TREE = 4  # a set of elements, by their paths
    SPANS = 5  # several ranges of text of one document


class Result(NamedTuple):
    """One result of a run, spelt out.

    paths: the path of an element, the paths of a tree, the text points of a passage or an entry
    point; empty where start and end (or start alone) say it in characters, and for documents.
    spans: the ranges of a result that has several. tokens: how many tokens it costs to read it,
    where the system says so.

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

    def __repr__(self) -> str:
        names, defaults = self._fields[2:], self._field_defaults
        given = {name: value for name in names if (value := getattr(self, name)) != defaults[name]}
        kind = {"kind": f"Kind.{self.kind.name}"} if "kind" in given else {}
        named = {name: repr(value) for name, value in given.items()} | kind
        shown = [repr(self.topic), repr(self.document), *(f"{n}={v}" for n, v in named.items())]
        return f"Result({', '.join(shown)})"


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


FIELDS = (
    "topic",
    "doc",
    "chunk",
    "path",
    "start",
    "end",
    "start_point",
    "end_point",
    "nodes",
    "spans",
    "offset",
    "point",
    "rank",
    "score",
    "tokens",
    "run",
)
# What a result is, by the fields that say where it is.
UNITS: dict[frozenset[str], Kind] = {
    frozenset[str](): Kind.DOCUMENT,
    frozenset({"path"}): Kind.ELEMENT,
    frozenset({"start", "end"}): Kind.PASSAGE,
    frozenset({"start_point", "end_point"}): Kind.PASSAGE,
    frozenset({"nodes"}): Kind.TREE,
    frozenset({"spans"}): Kind.SPANS,
    frozenset({"offset"}): Kind.POINT,
    frozenset({"point"}): Kind.POINT,
}
UNIT_FIELDS = frozenset().union(*UNITS)


def why_refused(record: Any) -> str:
    """What is wrong with a record that cannot be a result.

    >>> why_refused({"topic": "1", "doc": "a", "rank": -1})
    'rank is -1: expected a whole number, 0 or more'
    """
    try:
        _check(record)
    except FormatError as error:
        return error.message
    return "the record is not a result"


def _check(record: Any) -> None:
    fields = Fields(record, FIELDS)
    unit = UNIT_FIELDS & fields.names
    if unit not in UNITS:
        raise FormatError(
            f"fields {', '.join(sorted(unit))} together: expected start and end, spans, path, "
            "nodes, offset, or none of them"
        )
    start, end, _ = (fields.whole(name) for name in ("start", "end", "offset"))
    if start is not None and end is not None and end < start:
        raise FormatError(f"the passage ends at {end} before it starts at {start}")
    fields.text("topic")
    fields.text("doc")
    if "nodes" in fields:
        fields.paths("nodes")
    if "spans" in fields:
        _check_spans(fields.raw("spans"))
    for name in ("path", "point", "start_point", "end_point"):
        fields.optional_text(name)
    for name in ("rank", "tokens"):
        fields.whole(name)
    fields.number("score")
    fields.optional_text("run")


def _check_spans(given: Any) -> None:
    if not isinstance(given, list):
        raise FormatError(f"spans is {quoted(given)}: {RANGE}")
    for pair in given:
        if not is_range(pair):
            raise FormatError(f"spans has {quoted(pair)}: {RANGE}")


def by_field(columns: ResultColumns, run_id: str) -> dict[str, list[Any]]:
    """The fields that the results have, each with a value for every result, None if it has none.

    >>> from doxeval.runs.columns import Result
    >>> from doxeval.runs.columns import columns_of_results
    >>> columns, _ = columns_of_results([Result("1", "a"), Result("1", "b", Kind.POINT, 7)])
    >>> by_field(columns, "mine")
    {'topic': ['1', '1'], 'doc': ['a', 'b'], 'offset': [None, 7], 'run': ['mine', 'mine']}
    """
    found: dict[str, list[Any]] = {
        "topic": names_of(columns.topic_labels),
        "doc": names_of(columns.document_labels),
        **_units(columns),
        "run": [run_id] * len(columns.kind),
    }
    if columns.rank is not None:
        found["rank"] = columns.rank.tolist()
    if columns.score is not None:
        found["score"] = columns.score.tolist()
    if columns.tokens is not None:
        found["tokens"] = _where(columns.tokens >= 0, columns.tokens.tolist())
    return {name: found[name] for name in FIELDS if name in found}


def _units(columns: ResultColumns) -> dict[str, list[Any]]:
    """The fields that say where results are."""
    kind, has_paths = columns.kind, columns.path_labels.numbers >= 0
    is_passage, is_point = kind == Kind.PASSAGE, kind == Kind.POINT
    start, end = columns.start.tolist(), columns.end.tolist()
    all_paths = names_of(columns.path_labels)
    first = [paths and paths[0] for paths in all_paths]
    last = [paths and paths[-1] for paths in all_paths]
    nodes = [paths and list(paths) for paths in all_paths]
    candidates: dict[str, tuple[Bools, list[Any]]] = {
        "path": (kind == Kind.ELEMENT, first),
        "start": (is_passage & ~has_paths, start),
        "end": (is_passage & ~has_paths, end),
        "start_point": (is_passage & has_paths, first),
        "end_point": (is_passage & has_paths, last),
        "nodes": (kind == Kind.TREE, nodes),
        "spans": (kind == Kind.SPANS, _lists(columns.spans)),
        "offset": (is_point & ~has_paths, start),
        "point": (is_point & has_paths, first),
    }
    return {name: _where(has, values) for name, (has, values) in candidates.items() if has.any()}


def _lists(spans: SpanLists | None) -> list[list[list[int]]]:
    """The ranges as JSON has them."""
    return [] if spans is None else [list(map(list, own)) for own in spans.as_tuples()]


def _where(has: Bools, values: list[Any]) -> list[Any]:
    if has.all():
        return values
    return [value if given else None for given, value in zip(has.tolist(), values, strict=True)]


_HOW = {
    "pyarrow": "Parquet needs pyarrow: install doxeval with its extra, doxeval[parquet]",
    "pandas": "a data frame of pandas needs pandas: install pandas",
    "polars": "a data frame of polars needs polars: install polars",
}


def optional_module(name: str) -> Any:
    """A module of a library that may be missing, such as `pyarrow.parquet`.

    >>> optional_module("pandas").DataFrame.__name__
    'DataFrame'
    """
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise FormatError(_HOW[name.partition(".")[0]]) from None
