"""Runs as records: JSONL, CSV and Parquet, all with the same fields.

    {"topic", "doc", "start", "end"}     a passage, half-open, in characters
    {"topic", "doc", "path"}             an element
    {"topic", "doc", "spans": [[s, e]…]} several ranges of one document (in CSV: 0-5 9-12)
    {"topic", "doc", "nodes": [paths]}   a tree (in CSV and Parquet: paths joined by spaces)
    {"topic", "doc", "offset"}           an entry point
    {"topic", "doc"}                     a whole document
    {"topic", "chunk"}                   a chunk by its id, if the chunks are given

`rank`, `score`, `run` and `tokens` (what the result costs to read) may be there too. A run that
nobody names has the name of its file. Records are in the order of the ranking. In JSONL that
`doxeval chunks` reads, a result by chunk may have a `text`: if it is another than that of the
chunk, the text is what is scored. A passage or an entry point may also be given by text points:
`start_point` and `end_point`, or `point`.
Fields that are empty or null are absent; unknown fields and contradictions are errors.

Records collected into blocks of whole topics.

Records as columns: each field of many records is read and checked as a whole.

Only if something is wrong are records looked at one by one: the first bad one is explained by
`record_errors`, in the order in which its fields are checked there.

Results that name chunks by their ids: where these chunks are, and what they cost.

Columns of lists of ranges: checked as a whole, and written as text.

JSON objects, one per line, read many at a time: less than half the time of one by one.

The ranges of results in lines of JSON, taken out before the rest is parsed.

Lists of pairs are what a parser of JSON takes longest to build, and they are made into arrays of
numbers right after. So they are cut out of the text and read all at once.

CSV with a line of column names, read many rows at a time.

Results from arrays: one sequence for each field, all of the same length.

Runs as dictionaries, as other programs for evaluation have them.

Runs as data frames of pandas and polars; neither is imported unless a frame is made.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, product, repeat
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Floats, Ints
from doxeval.columns import (
    ABSENT,
    ALIASES,
    LARGEST_WHOLE,
    WRONG,
    Column,
    Labels,
    Numbering,
    by_first_appearance,
    columns_by_field,
    is_given,
    numbers,
    objects_on_lines,
    whole_numbers,
)
from doxeval.documents import normalised_id
from doxeval.errors import DoxevalError, FormatError, InputError
from doxeval.files import LONGEST_LINE, name_of_file, parsed_json
from doxeval.messages import Parameter, closest, quoted, truncate
from doxeval.runs.columns import (
    FIELDS,
    UNIT_FIELDS,
    UNITS,
    Kind,
    RanksAndScores,
    ResultColumns,
    SpanLists,
    if_any,
    is_range,
    names_of,
    optional_module,
    why_refused,
    with_first_ranges,
)
from doxeval.runs.parquet import ParquetBlock, parquet_blocks
from doxeval.runs.run import Block, LooksLikeAssessments, Run, explained_by_record, run_at_once
from doxeval.spans import TOO_LONG, Spans

if TYPE_CHECKING:
    from doxeval.runs.chunks import ChunkTable

_PLACES = ("doc", *sorted(UNIT_FIELDS))


class BadChunk(Exception):
    """A result whose chunk cannot be found: its row, and why."""

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(row, reason)
        self.row = row
        self.reason = reason


class ChunkPlaces:
    """Puts the documents, ranges and tokens of chunks where records give only their ids.

    >>> from doxeval.runs.chunks import ChunkTable
    >>> places = ChunkPlaces(ChunkTable.of(["c1", "c2"], ["a", "b"], [[(0, 5)], [(7, 9)]]))
    >>> found = places.placed({"topic": ["7", "7"], "chunk": ["c2", "c1"]})
    >>> found["doc"], found["start"].tolist()
    (['b', 'a'], [7, 0])
    """

    def __init__(self, table: ChunkTable | None) -> None:
        self._table = table
        self._ids = Numbering()
        self._rows: Ints = np.zeros(0, dtype=np.int64)  # in the table, of each id

    def placed(self, columns: Mapping[str, Any]) -> Mapping[str, Any]:
        """Columns of records without ids of chunks; BadChunk for the first bad record."""
        if "chunk" not in columns:
            return columns
        given = columns["chunk"]
        number = self._ids.numbers(given.tolist() if isinstance(given, np.ndarray) else given)
        others = {name: column for name, column in columns.items() if name != "chunk"}
        if (number == ABSENT).all():
            return others
        self._refuse(number, others)
        return self._with_places(self._found(number), others)

    def _found(self, number: Ints) -> Ints:
        """The row of each result's chunk in the table; -1 for none."""
        if self._table is None:
            return np.full(len(number), -1)
        new = [self._table.find(name) for name in self._ids.names[len(self._rows) :]]
        self._rows = np.append(self._rows, np.array(new, dtype=np.int64))
        return np.where(number >= 0, np.append(self._rows, -1)[number], -1)

    def _refuse(self, number: Ints, others: Mapping[str, Any]) -> None:
        is_chunk = number != ABSENT
        bad = is_chunk & (self._found(number) < 0)
        names = [name for name in (*_PLACES, "text") if name in others]
        told = {name: is_chunk & _is_given(others[name]) for name in names}
        for is_told in told.values():
            bad |= is_told
        if not bad.any():
            return
        row = int(np.argmax(bad))
        both = [name for name, is_told in told.items() if is_told[row]]
        raise BadChunk(row, self._reason(int(number[row]), both))

    def _reason(self, number: int, both: list[str]) -> str:
        if number == WRONG:
            return "chunk is missing or not a string"
        given = self._ids.names[number]
        name = quoted(given)
        if both and both != ["text"]:
            return f"fields chunk, {', '.join(both)} together: the chunk itself says where it is"
        if self._table is None:
            return (
                f"the result is given as chunk {name}: "
                + Parameter("chunks")
                + " says where the chunks are"
            )
        if self._table.find(given) >= 0:
            return (
                "fields chunk, text together: only `chunks evaluate` scores results by their text"
            )
        there = f"no chunk {name} among the chunks given ({len(self._table):,})"
        close = closest(given, self._table.ids)
        return there if close is None else f"{there}; did you mean {truncate(close)}?"

    def _with_places(self, rows: Ints, others: Mapping[str, Any]) -> dict[str, Any]:
        is_chunk = rows >= 0
        # Rows without a chunk take the first one: what it says is not looked at.
        found = {} if self._table is None else _columns_of(self._table, np.maximum(rows, 0))
        if "tokens" in others:  # what a result itself costs counts before its chunk
            found["tokens"] = _mixed(others["tokens"], found["tokens"], _is_given(others["tokens"]))
        if is_chunk.all():
            rest = {name: column for name, column in others.items() if name not in _PLACES}
            return {**rest, **found}
        nothing = [None] * len(rows)
        return {
            **others,
            **{
                name: _mixed(own, others.get(name, nothing), is_chunk)
                for name, own in found.items()
            },
        }


def _columns_of(table: ChunkTable, rows: Ints) -> dict[str, Any]:
    """The fields of records that say where chunks are, which are given by their rows."""
    spans = table.spans.rows(rows)
    counts = spans.counts
    # An empty chunk has no range at all: it is at the start of its document.
    start, end = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    filled = np.flatnonzero(counts)
    start[filled], end[filled] = spans.start[spans.begin[filled]], spans.end[spans.begin[filled]]
    is_several = counts > 1
    found: dict[str, Any] = {
        "doc": [table.documents[number] for number in table.document[rows].tolist()],
        "start": np.where(is_several, ABSENT, start),
        "end": np.where(is_several, ABSENT, end),
        "tokens": table.tokens[rows],
    }
    if is_several.any():
        found["spans"] = spans.without(np.flatnonzero(~is_several))
    return found


def _is_given(column: Column | SpanLists) -> Bools:
    if isinstance(column, SpanLists):
        return column.counts > 0
    if isinstance(column, np.ndarray):
        return np.asarray(column != ABSENT)
    return np.array([is_given(value) for value in column], dtype=np.bool_)


def _mixed(first: Column | SpanLists, second: Column | SpanLists, is_first: Bools) -> list[Any]:
    """The values of one column where that is wanted, and of another elsewhere."""
    pairs = zip(
        _values_chunk_places(first), _values_chunk_places(second), is_first.tolist(), strict=True
    )
    return [one if wanted else other for one, other, wanted in pairs]


def _values_chunk_places(column: Column | SpanLists) -> list[Any]:
    if isinstance(column, SpanLists):
        return [list(ranges) or None for ranges in column.as_tuples()]
    if isinstance(column, np.ndarray):
        return [None if value == ABSENT else value for value in column.tolist()]
    return list(column)


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


_WHOLE = {"start", "end", "offset", "rank", "tokens"}
_UNIT_FIELDS = sorted(set().union(*UNITS))
_NO_UNIT = -1
# The kind of a result for each combination of unit fields, a bit for each.
_KIND_OF = np.array(
    [
        UNITS.get(
            frozenset(name for name, given in zip(_UNIT_FIELDS, bits, strict=True) if given),
            _NO_UNIT,
        )
        for bits in product((False, True), repeat=len(_UNIT_FIELDS))
    ],
    dtype=np.int64,
)


class BadRecord(Exception):
    """A record that cannot be a result: its row in the block, the record, and what is wrong."""

    def __init__(self, row: int, record: dict[str, Any], reason: str | None = None) -> None:
        super().__init__(row, record, reason)
        self.row = row
        self.record = record
        self.reason = why_refused(record) if reason is None else reason


class _Block(NamedTuple):
    """Many results. Names are numbers; -1 is none."""

    topic: Ints
    document: Ints
    path: Ints
    kind: Ints
    start: Ints
    end: Ints
    rank: Ints
    score: Floats
    line: Ints
    tokens: Ints


class RecordCollector:
    """Takes records, block by block, each block as columns by field; gives the results.

    Records that name a chunk by its id are where the table of chunks says.

    >>> collector = RecordCollector()
    >>> collector.add({"topic": ["1", "1"], "doc": ["a", "b.xml"]}, np.array([1, 2]))
    >>> columns, run_ids, warnings = collector.finish()
    >>> columns.document_labels.distinct
    ('a', 'b')
    """

    def __init__(self, chunks: ChunkTable | None = None) -> None:
        self._chunks = ChunkPlaces(chunks)
        self._topics, self._run_ids = Numbering(), Numbering()
        self._documents = Numbering(_document_ids)
        self._paths = Numbering()  # and text points
        self._numberings = {
            "topic": self._topics,
            "doc": self._documents,
            "run": self._run_ids,
            **dict.fromkeys(("path", "point", "start_point", "end_point"), self._paths),
        }
        # Places of several paths or points, numbered apart from those of one.
        self._several: dict[tuple[str, ...], int] = {}
        self._blocks: list[_Block] = []
        self.rows = 0
        self._spans: list[Spans] = []  # of results with several ranges, by row

    def add(self, columns: Mapping[str, Column], lines: Ints) -> None:
        """Take records; a bad one raises BadRecord."""
        try:
            self._add(self._chunks.placed(columns), lines)
        except BadChunk as error:
            raise BadRecord(error.row, _record(columns, error.row), error.reason) from None

    def _add(self, columns: Mapping[str, Column], lines: Ints) -> None:
        count = len(lines)
        names = self._numbered(columns)
        found = names | {name: whole_numbers(columns[name]) for name in _WHOLE & columns.keys()}
        if "spans" in columns:
            found["spans"], spans = span_column(columns["spans"])
            self._spans.append(spans._replace(group=spans.group + self.rows))
        kind = _kinds(found, count)
        bad = (kind == _NO_UNIT) | _bad_rows(found, count)
        score = np.full(count, np.nan)
        if "score" in columns:
            score, is_none = numbers(columns["score"])
            bad |= is_none
        for name in columns.keys() - set(FIELDS):
            bad |= np.array([is_given(value) for value in columns[name]], dtype=np.bool_)
        if bad.any():
            row = int(np.argmax(bad))
            raise BadRecord(row, _record(columns, row))
        none: Ints = np.full(count, ABSENT, dtype=np.int64)
        start, offset = found.get("start", none), found.get("offset", none)
        self._blocks.append(
            _Block(
                names["topic"],
                names["doc"],
                self._path_numbers(names, count),
                kind,
                np.maximum(start, offset),  # no result has both
                found.get("end", none),
                found.get("rank", none),
                score,
                lines,
                found.get("tokens", none),
            )
        )
        self.rows += count

    def _numbered(self, columns: Mapping[str, Column]) -> dict[str, Ints]:
        """The columns of names, as numbers."""
        names = {
            name: numbering.numbers(_values(columns[name]))
            for name, numbering in self._numberings.items()
            if name in columns
        }
        if "nodes" in columns:
            names["nodes"] = self._trees(columns["nodes"])
        return names

    def _trees(self, column: Column) -> Ints:
        """The numbers of sets of elements."""
        return np.array([self._tree(nodes) for nodes in column], dtype=np.int64)

    def _tree(self, nodes: Any) -> int:
        if not is_given(nodes):
            return ABSENT
        if not isinstance(nodes, list) or not all(isinstance(path, str) for path in nodes):
            return WRONG
        return self._several.setdefault(tuple(nodes), len(self._several))

    def _path_numbers(self, names: dict[str, Ints], count: int) -> Ints:
        """A number for the paths of each result.

        It is twice the number of a single path, or twice the number of several paths plus one.
        """
        code: Ints = np.full(count, ABSENT, dtype=np.int64)
        for name in ("path", "point"):
            if name in names:
                np.maximum(code, 2 * names[name], out=code)
        if "nodes" in names:
            np.maximum(code, 2 * names["nodes"] + 1, out=code)
        if "start_point" in names and "end_point" in names:
            rows = np.flatnonzero(names["start_point"] >= 0)
            points = (names[name][rows].tolist() for name in ("start_point", "end_point"))
            texts = self._paths.names
            code[rows] = [
                2 * self._several.setdefault((texts[start], texts[end]), len(self._several)) + 1
                for start, end in zip(*points, strict=True)
            ]
        return code

    def finish(self) -> tuple[ResultColumns, tuple[str, ...], tuple[str, ...]]:
        """All results, the ids of runs in the order in which they came, and warnings."""
        block = _Block(*map(_joined, zip(*self._blocks, strict=True))) if self._blocks else _EMPTY
        kept = RanksAndScores.complete(block.rank, block.score)
        given = Spans(*map(_joined, zip(*self._spans, strict=True))) if self._spans else None
        placed = with_first_ranges(block.kind, block.start, block.end, given)
        columns = ResultColumns(
            Labels.of(tuple(self._topics.names), block.topic),
            Labels.of(tuple(self._documents.names), block.document),
            self._path_labels(block.path),
            placed.kind,
            placed.start,
            placed.end,
            kept.rank,
            kept.score,
            block.line,
            placed.spans,
            if_any(block.tokens),
        )
        return columns, tuple(self._run_ids.names), kept.warnings

    def _path_labels(self, code: Ints) -> Labels[tuple[str, ...]]:
        if not (code >= 0).any():
            return Labels.none(len(code))
        known: dict[tuple[str, ...], int] = {}
        for path in self._paths.names:
            known[(path,)] = len(known)
        # A tree of one element has the same paths as the element.
        several = [known.setdefault(paths, len(known)) for paths in self._several]
        number = code // 2
        is_several = np.flatnonzero((code >= 0) & (code % 2 > 0))
        number[is_several] = np.array(several, dtype=np.int64)[number[is_several]]
        return Labels.of(*by_first_appearance(tuple(known), number))


_NO_ROWS: Ints = np.zeros(0, dtype=np.int64)
_EMPTY = _Block(
    *(_NO_ROWS, _NO_ROWS, _NO_ROWS, _NO_ROWS, _NO_ROWS, _NO_ROWS, _NO_ROWS),
    np.zeros(0),
    _NO_ROWS,
    _NO_ROWS,
)


def _joined(columns: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    return columns[0] if len(columns) == 1 else np.concatenate(columns)


def _document_ids(names: list[str]) -> list[str]:
    """Names as document ids; few need any work, so all are looked at together first."""
    together = "\n".join(names)
    if "./" not in together and ".xml" not in together:
        return names
    return [normalised_id(name) for name in names]


def _kinds(found: Mapping[str, Ints], count: int) -> Ints:
    """The kind of each result, by the fields that it has."""
    unit: Ints = np.zeros(count, dtype=np.int64)
    for bit, name in enumerate(reversed(_UNIT_FIELDS)):
        if name in found:
            unit += (found[name] != ABSENT) * np.int64(1 << bit)
    return _KIND_OF[unit]


def _bad_rows(found: Mapping[str, Ints], count: int) -> Bools:
    """Whether something in a row is wrong, or missing."""
    bad = np.zeros(count, dtype=np.bool_)
    for column in found.values():
        bad |= column == WRONG
    for name in ("topic", "doc"):
        bad |= found[name] == ABSENT if name in found else True
    if "start" in found and "end" in found:
        start, end = found["start"], found["end"]
        bad |= (start >= 0) & (end >= 0) & (end < start)
    return bad


def _values(column: Column) -> Sequence[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else column


def _record(columns: Mapping[str, Column], row: int) -> dict[str, Any]:
    """One record, as it was given."""
    record = {}
    for name, column in columns.items():
        if isinstance(column, SpanLists):
            record[name] = list(column.rows(np.array([row])).as_tuples()[0])
        elif not isinstance(column, np.ndarray):
            record[name] = column[row]
        elif column[row] != ABSENT:
            record[name] = column[row].item()
    return record


Records = tuple[Mapping[str, Column], Ints]  # columns by field, and the line of each record


def record_blocks(
    given: Iterable[Records], origin: str, chunks: ChunkTable | None, rows: int | None
) -> Iterator[Block]:
    """Records in blocks of about so many rows; without a number, all of them are one block.

    >>> records = {"topic": ["7", "7", "8"], "doc": ["a", "b", "a"]}, np.array([1, 2, 3])
    >>> [len(block.run) for block in record_blocks([records], "a.jsonl", None, 1)]
    [2, 1]
    """
    collector = RecordCollector(chunks)
    has_results, last = False, None
    for columns, lines in given:
        topics = columns.get("topic", ())
        begin = 0
        for cut in _cuts(topics, last, collector.rows, rows):
            if cut > begin:
                _add(collector, columns, lines, slice(begin, cut), origin, chunks)
            yield _block(collector, origin)
            collector, has_results, begin = RecordCollector(chunks), True, cut
        _add(collector, columns, lines, slice(begin, len(lines)), origin, chunks)
        last = topics[-1] if len(topics) else last
    if collector.rows:
        yield _block(collector, origin)
    elif not has_results:
        raise FormatError("no results in the file", origin)


def _cuts(topics: Any, last: Any, before: int, rows: int | None) -> Iterator[int]:
    """Where records are cut: at the first new topic behind each full block.

    last: the topic of the record before these. before: how many the block has already.
    """
    at = 0
    while rows is not None and before + len(topics) - at >= rows:
        at = max(at + rows - before, at)
        before = 0
        while at < len(topics) and _same(topics[at], topics[at - 1] if at else last):
            at += 1
        if at == len(topics):
            return
        yield at


def _same(topic: Any, other: Any) -> bool:
    return bool(topic == other) or str(topic).strip() == str(other).strip()


def _add(
    collector: RecordCollector,
    columns: Mapping[str, Column],
    lines: Ints,
    rows: slice,
    origin: str,
    chunks: ChunkTable | None,
) -> None:
    """Take some of the records; if one is bad, the error is that of all of them together."""
    is_all = rows.start == 0 and rows.stop == len(lines)
    try:
        try:
            collector.add(columns if is_all else _some(columns, rows), lines[rows])
        except BadRecord:
            if not is_all:
                RecordCollector(chunks).add(columns, lines)
            raise
    except BadRecord as error:
        problem = FormatError(error.reason, origin, int(lines[error.row]))
        raise explained_by_record(problem, error.record) from None


def _some(columns: Mapping[str, Column], rows: slice) -> dict[str, Any]:
    return {
        name: column.rows(np.arange(rows.start, rows.stop))
        if isinstance(column, SpanLists)
        else column[rows]
        for name, column in columns.items()
    }


def _block(collector: RecordCollector, origin: str) -> Block:
    columns, run_ids, warnings = collector.finish()
    name = run_ids[-1] if run_ids else name_of_file(origin)
    run = Run(name, *columns, warnings=warnings, origin=origin)
    return Block(run, run_ids)


_WHOLE_json_spans = "(?:[1-9][0-9]{0,9}+|0)"
_PAIR = rf"\[{_WHOLE_json_spans}, ?+{_WHOLE_json_spans}\]"
_SPANS = re.compile(rf'"spans": ?+\[({_PAIR}(?:, ?+{_PAIR})*+)\]')
_OF_LISTS = str.maketrans("", "", "[] ")
STAND_IN = '"spans": 0'


class CutOut(NamedTuple):
    """A text with 0 in the place of its lists of ranges, and these, in their order."""

    text: str
    spans: SpanLists


def spans_cut_out(text: str) -> CutOut | None:
    """Lines of JSON without their ranges; None if there are none, or any that are not plain.

    That nothing else is taken for ranges is certain if there is no backslash: then a quotation
    mark always begins or ends a string, and `"spans":` can only be the name of a field.

    >>> found = spans_cut_out('{"doc": "a", "spans": [[0, 5], [9, 12]]}')
    >>> found.text, found.spans.as_tuples()
    ('{"doc": "a", "spans": 0}', [((0, 5), (9, 12))])
    """
    if "\\" in text or '"spans"' not in text:
        return None
    parts = _SPANS.split(text)
    lists = parts[1::2]
    if len(lists) != text.count('"spans"'):
        return None
    numbers = np.fromstring(",".join(lists).translate(_OF_LISTS), dtype=np.int64, sep=",")
    start, end = numbers[::2], numbers[1::2]
    if (end < start).any() or (end >= TOO_LONG).any():
        return None
    counts = np.fromiter(map(str.count, lists, repeat("[")), np.int64, len(lists))
    return CutOut(STAND_IN.join(parts[::2]), SpanLists(np.append(0, np.cumsum(counts)), start, end))


_CHUNK = 1 << 18  # what is made of it stays in the processor's cache


class JsonBlock(NamedTuple):
    """The objects of some lines, and the numbers of these lines.

    spans: the lists of ranges that objects have as `spans`, where these were read apart; the
    objects have 0 there.
    """

    records: list[dict[str, Any]]
    lines: list[int]
    spans: SpanLists | None = None


def json_blocks(file: IO[bytes], origin: str, *, has_mark: bool = True) -> Iterator[JsonBlock]:
    """The objects of all lines that are not blank, in blocks.

    A line that is no JSON object raises FormatError, after those before it were handed out. The
    first line may have a byte order mark, unless it is said that it has none.

    >>> import io
    >>> found = list(json_blocks(io.BytesIO(b'{"a": 1}\\n\\n{"a": 2}\\n'), "a.jsonl"))
    >>> found[0].records, found[0].lines
    ([{'a': 1}, {'a': 2}], [1, 3])
    """
    first = 1
    for data, lines in _chunks_of_lines(file, origin):
        text, failed = _decoded(data, origin, first, has_mark and first == 1)
        text = text.removesuffix("\n")
        together = _together(text, first)
        if together is None:
            yield from _read_one_by_one(text, first, origin)
        else:
            yield together
        if failed is not None:
            raise failed
        first += lines


def _together(text: str, first: int) -> JsonBlock | None:
    """The objects of all lines, read as one list; None if that could go wrong."""
    cut = spans_cut_out(text)
    records = objects_on_lines(text if cut is None else cut.text)
    if records is None:
        return None
    lines = list(range(first, first + len(records)))
    if cut is None:
        return JsonBlock(records, lines)
    # Each list must belong to an object of its own, not be the second of the same name.
    owners = sum(map(dict.__contains__, records, repeat("spans")))
    return JsonBlock(records, lines, cut.spans) if owners == len(cut.spans.counts) else None


def _chunks_of_lines(file: IO[bytes], origin: str) -> Iterator[tuple[bytes, int]]:
    """The file in chunks of whole lines, and how many there are in each."""
    number, rest = 1, b""
    while chunk := file.read(_CHUNK):
        rest += chunk
        end = rest.rfind(b"\n") + 1
        if end:
            lines = rest.count(b"\n", 0, end)
            yield rest[:end], lines
            number += lines
            rest = rest[end:]
        if len(rest) > LONGEST_LINE:
            raise FormatError(f"a line of more than {LONGEST_LINE:,} bytes", origin, number)
    if rest:
        yield rest, 1


def _decoded(
    data: bytes, origin: str, first: int, has_mark: bool
) -> tuple[str, FormatError | None]:
    """The text of whole lines, up to the first line that is not UTF-8, and what is wrong there."""
    encoding = "utf-8-sig" if has_mark else "utf-8"
    try:
        return data.decode(encoding), None
    except UnicodeDecodeError as error:
        # Behind a byte order mark, positions are counted from there.
        at = error.start + len(data) - len(error.object)
        reason = f"byte {data[at]:#04x} is not UTF-8 text"
        good = data[: data.rfind(b"\n", 0, at) + 1]
        failed = FormatError(reason, origin, first + good.count(b"\n"))
        return good.decode(encoding), failed


def _read_one_by_one(text: str, first: int, origin: str) -> Iterator[JsonBlock]:
    records, numbers = [], []
    failed = None
    for number, line in enumerate(text.split("\n"), first):
        if not line or line.isspace():
            continue
        try:
            record = parsed_json(line)
        except ValueError:
            failed = FormatError("expected a JSON object", origin, number)
            break
        if not isinstance(record, dict):
            failed = FormatError(why_refused(record), origin, number)
            break
        records.append(record)
        numbers.append(number)
    if records:
        yield JsonBlock(records, numbers)
    if failed is not None:
        raise failed


_ROWS = 2048
_LINE_END = re.compile(r"\r\n|\r|\n")
_NUMBERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("start", "end", "offset", "rank", "tokens"), int),
    "score": float,
}


class CsvBlock(NamedTuple):
    """Some rows as columns by name, and the last line of each row."""

    columns: dict[str, Sequence[Any]]
    lines: Ints


def csv_blocks(text: Iterable[str], origin: str) -> Iterator[CsvBlock]:
    """All rows that are not blank, in blocks, from the lines of a text.

    What cannot be read raises FormatError, after the rows before it were handed out.

    >>> block = next(csv_blocks(["topic,rank\\n", "7,1\\n", "8,2\\n"], "a.csv"))
    >>> block.columns, block.lines.tolist()
    ({'topic': ('7', '8'), 'rank': [1, 2]}, [2, 3])
    """
    reader = csv.reader(text, strict=True)
    header, failed = _next_rows(reader, 1, origin)
    names = _checked_names(header[0] if header else [], origin)
    while failed is None:
        line = reader.line_num
        rows, failed = _next_rows(reader, _ROWS, origin)
        if not rows and failed is None:
            return
        lines = _line_numbers(rows, line, reader.line_num)
        wrong = next((at for at, row in enumerate(rows) if row and len(row) != len(names)), None)
        if wrong is not None:
            failed = FormatError(f"expected {len(names)} columns", origin, int(lines[wrong]))
            rows, lines = rows[:wrong], lines[:wrong]
        if [] in rows:  # blank lines
            lines = lines[np.array([bool(row) for row in rows])]
            rows = [row for row in rows if row]
        if rows:
            yield CsvBlock(_columns(names, rows), lines)
    raise failed


def _next_rows(reader: Any, most: int, origin: str) -> tuple[list[list[str]], FormatError | None]:
    """Some more rows, up to the first that cannot be read, and what is wrong there."""
    rows: list[list[str]] = []
    try:
        rows.extend(islice(reader, most))
    except (csv.Error, UnicodeDecodeError) as error:  # those before it are in the list
        return rows, FormatError(f"this is not CSV in UTF-8: {error}", origin, reader.line_num)
    return rows, None


def _checked_names(names: list[str], origin: str) -> list[str]:
    for at, name in enumerate(names):
        if name and name in names[:at]:
            raise FormatError(f"there are two columns {quoted(name)}", origin, 1)
    return names


def _line_numbers(rows: list[list[str]], before: int, after: int) -> Ints:
    """The last line of each row; a quoted field may go over several lines."""
    if after - before == len(rows):
        return np.arange(before + 1, after + 1)
    sizes = [1 + sum(len(_LINE_END.findall(field)) for field in row) for row in rows]
    return before + np.cumsum(np.array(sizes, dtype=np.int64))


def _columns(names: list[str], rows: list[list[str]]) -> dict[str, Sequence[Any]]:
    columns: dict[str, Sequence[Any]] = {}
    for name, values in zip(names, zip(*rows, strict=True), strict=True):
        if name in _NUMBERS:
            columns[name] = _numbers(values, _NUMBERS[name])
        elif name == "nodes":
            columns[name] = [value.split() for value in values]
        elif name == "spans":
            columns[name] = list(map(spans_of_text, values))
        elif name or not any(columns.get(name, ())):  # of columns without a name, one with values
            columns[name] = values
    return columns


def _numbers(values: Sequence[str], read: Callable[[str], Any]) -> list[Any]:
    """Numbers; what is none stays as it is, and is refused when it is checked."""
    together = "".join(values)
    if together.isascii() and "_" not in together:
        try:
            return list(map(read, values))
        except ValueError:
            pass
    return [_number(value, read) for value in values]


def _number(value: str, read: Callable[[str], Any]) -> Any:
    if not value.isascii() or "_" in value:  # Python reads digits of all scripts, and 1_000
        return value
    try:
        return read(value)
    except ValueError:
        return value


_ENCODER = json.JSONEncoder(ensure_ascii=False)


def read_jsonl_run(file: IO[bytes], origin: str, chunks: ChunkTable | None = None) -> Run:
    """Read a run from JSONL.

    >>> run = read_jsonl_run(io.BytesIO(b'{"topic": "1", "doc": "a", "path": "/p[1]"}'), "r.jsonl")
    >>> next(run.results()).paths
    ('/p[1]',)
    """
    return run_at_once(next(jsonl_run_blocks(file, origin, chunks)))


def jsonl_run_blocks(
    file: IO[bytes],
    origin: str,
    chunks: ChunkTable | None = None,
    *,
    rows: int | None = None,
    is_first: bool = True,
) -> Iterator[Block]:
    """A run from JSONL in blocks of whole topics; not `is_first`: from within a file.

    >>> file = io.BytesIO(b'{"topic": "1", "doc": "a"}\\n{"topic": "2", "doc": "a"}\\n')
    >>> [len(block.run) for block in jsonl_run_blocks(file, "r.jsonl", rows=1)]
    [1, 1]
    """
    blocks = json_blocks(file, origin, has_mark=is_first)
    columns = ((_by_field(block), np.array(block.lines)) for block in blocks)
    return record_blocks(columns, origin, chunks, rows)


def _by_field(block: JsonBlock) -> dict[str, Any]:
    records = block.records
    shapes = set(map(tuple, records))
    spans = {} if block.spans is None else {"spans": _of_all_rows(block.spans, records)}
    if len(shapes) == 1:
        names = [name for name in shapes.pop() if name not in spans]
        return {name: [record[name] for record in records] for name in names} | spans
    every = {name for shape in shapes for name in shape if name not in spans}
    return {name: [record.get(name) for record in records] for name in every} | spans


def _of_all_rows(spans: SpanLists, records: list[dict[str, Any]]) -> SpanLists:
    """The lists of those records that have one, with empty lists for the others."""
    if len(spans.counts) == len(records):
        return spans
    has_spans = np.fromiter(("spans" in record for record in records), np.bool_, len(records))
    counts = np.zeros(len(records), dtype=np.int64)
    counts[has_spans] = spans.counts
    return SpanLists(np.append(0, np.cumsum(counts)), spans.start, spans.end)


def read_csv_run(file: IO[bytes], origin: str, chunks: ChunkTable | None = None) -> Run:
    """Read a run from CSV with a line of column names.

    >>> next(read_csv_run(io.BytesIO(b"topic,doc,start,end\\n1,a,0,9\\n"), "r.csv").results()).end
    9
    """
    return run_at_once(next(csv_run_blocks(file, origin, chunks)))


def csv_run_blocks(
    file: IO[bytes], origin: str, chunks: ChunkTable | None = None, *, rows: int | None = None
) -> Iterator[Block]:
    """A run from CSV in blocks of whole topics."""
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    try:
        yield from record_blocks(csv_blocks(text, origin), origin, chunks, rows)
    finally:
        text.detach()


def read_parquet_run(file: IO[bytes], origin: str, chunks: ChunkTable | None = None) -> Run:
    """Read a run from Parquet (needs the extra `parquet`)."""
    return run_at_once(next(parquet_run_blocks(file, origin, chunks)))


def parquet_run_blocks(
    file: IO[bytes], origin: str, chunks: ChunkTable | None = None, *, rows: int | None = None
) -> Iterator[Block]:
    """A run from Parquet in blocks of whole topics (needs the extra `parquet`)."""
    return record_blocks(map(_with_lists, parquet_blocks(file, origin)), origin, chunks, rows)


def _with_lists(block: ParquetBlock) -> tuple[dict[str, list[Any]], Ints]:
    """The block with lists of paths and of ranges where it has text."""
    columns, rows = block
    if "nodes" in columns:
        nodes = [paths.split() if isinstance(paths, str) else paths for paths in columns["nodes"]]
        columns = {**columns, "nodes": nodes}
    if "spans" in columns:
        spans = [spans_of_text(own) if isinstance(own, str) else own for own in columns["spans"]]
        columns = {**columns, "spans": spans}
    return columns, rows


def write_jsonl_run(run: Run) -> Iterator[bytes]:
    """The run as JSONL.

    >>> from doxeval.runs.columns import Result
    >>> print(*write_jsonl_run(Run.from_results([Result("1", "a")], "mine")))
    b'{"topic": "1", "doc": "a", "run": "mine"}\\n'
    """
    columns = [
        [None if value is None else f'"{name}": {_json(value)}' for value in values]
        for name, values in run.by_field().items()
    ]
    for row in zip(*columns, strict=True):
        yield f"{{{', '.join(filter(None, row))}}}\n".encode()


def _json(value: Any) -> str:
    if isinstance(value, int | float):
        return repr(value)
    return _ENCODER.encode(value)


def write_csv_run(run: Run) -> Iterator[bytes]:
    """The run as CSV, with the columns it needs."""
    columns = _with_joined_nodes(run.by_field())
    if "spans" in columns:
        columns["spans"] = list(map(spans_as_text, columns["spans"]))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    yield out.getvalue().encode()


def write_parquet_run(run: Run) -> Iterator[bytes]:
    """The run as Parquet (needs the extra `parquet`)."""
    parquet = optional_module("pyarrow.parquet")
    out = io.BytesIO()
    table = optional_module("pyarrow").table(_with_joined_nodes(run.by_field()))
    parquet.write_table(table, out)
    yield out.getvalue()


def _with_joined_nodes(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    if "nodes" not in columns:
        return columns
    joined = [nodes and " ".join(nodes) for nodes in columns["nodes"]]
    return {**columns, "nodes": joined}


_WHOLE_arrays = ("start", "end", "offset", "rank", "tokens")
_EXACT = 1 << 53  # whole numbers below it are exact as floats


def columns_of_arrays(
    given: Mapping[str, Any],
    called: Mapping[str, str] = MappingProxyType({}),
    chunks: ChunkTable | None = None,
) -> tuple[ResultColumns, tuple[str, ...], tuple[str, ...]]:
    """Results from a sequence for each field of records; also the ids of runs, and warnings.

    A sequence is a list, an array or a column of a data frame. None, an empty string and, among
    whole numbers, -1 and nan say that a result does not have the field. A bad value is an
    InputError that names its row, counted from 0. `called` has the names of fields that the
    caller knows by other names, for errors. `chunks` are those that results name by id.

    >>> columns, _, _ = columns_of_arrays({"topic": [7, 7], "doc": ["a", "b"], "start": [-1, -1]})
    >>> columns.kind.tolist()
    [0, 0]
    """
    try:
        return collected(given, called, chunks)
    except BadRecord as error:
        name, space, rest = error.reason.partition(" ")  # most reasons start with a field
        raise InputError(f"{called.get(name, name)}{space}{rest}", f"row {error.row}") from None


def collected(
    given: Mapping[str, Any], called: Mapping[str, str], chunks: ChunkTable | None = None
) -> tuple[ResultColumns, tuple[str, ...], tuple[str, ...]]:
    """As `columns_of_arrays`, but a bad value raises BadRecord.

    >>> collected({"topic": ["7"], "doc": ["a"]}, {})[0].line.tolist()
    [1]
    """
    columns = {name: _column(name, values, called) for name, values in given.items()}
    lengths = {called.get(name, name): _length(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{count:,} of {name}" for name, count in lengths.items())
        raise InputError(f"the sequences are not of the same length: {told}")
    collector = RecordCollector(chunks)
    collector.add(columns, np.arange(1, max(lengths.values(), default=0) + 1))
    return collector.finish()


def _column(name: str, values: Any, called: Mapping[str, str]) -> Any:
    if name == "spans" and isinstance(values, SpanLists):
        return values
    column = _array_or_list(values)
    if column is None:
        what = f"{called.get(name, name)} is a {type(values).__name__}"
        raise InputError(f"{what}: expected a sequence with a value for each result")
    if name in _WHOLE_arrays:
        return _whole_numbers(column)
    if name == "score":
        return _scores(column)
    if name == "nodes":
        return [_paths(value) for value in column]
    if name == "spans":
        return [_ranges(value) for value in column]
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu":
        return list(map(str, column.tolist()))
    listed = column.tolist() if isinstance(column, np.ndarray) else column
    has_floats = not (isinstance(column, np.ndarray) and column.dtype.kind == "U") and (
        float in set(map(type, listed))
    )
    return [_plain(value) for value in listed] if has_floats else listed


def _length(column: Any) -> int:
    return len(column.begin) - 1 if isinstance(column, SpanLists) else len(column)


def _array_or_list(values: Any) -> npt.NDArray[Any] | list[Any] | None:
    """The values of a sequence; None if it is none."""
    if hasattr(values, "isna") and hasattr(values, "to_numpy"):  # a column of pandas
        missing = values.isna().to_numpy(dtype=bool)
        values = values.to_numpy(dtype=object) if missing.any() else values.to_numpy()
        values = np.where(missing, None, values) if missing.any() else values
    elif hasattr(values, "to_list"):  # a column of polars
        values = values.to_list()
    if isinstance(values, np.ndarray):
        return values if values.ndim == 1 else None
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
        return None
    return list(values)


def _whole_numbers(values: npt.NDArray[Any] | list[Any]) -> Column:
    """Whole numbers, -1 for none; if there is anything else among them, all values as they are."""
    array = _numbers_arrays(values)
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), -1, array)
        if (array == np.floor(array)).all() and (np.abs(array) < _EXACT).all():
            return array.astype(np.int64)
    elif array.dtype.kind == "i" or (array.dtype.kind == "u" and (array < LARGEST_WHOLE).all()):
        return array.astype(np.int64)
    return [None if value == -1 else value for value in map(_plain, values)]


def _scores(values: npt.NDArray[Any] | list[Any]) -> Column:
    array = _numbers_arrays(values)
    return array if array.dtype.kind in "fiu" else [_number_arrays(value) for value in values]


def _numbers_arrays(values: npt.NDArray[Any] | list[Any]) -> npt.NDArray[Any]:
    """The values as an array, of numbers if all of them are; truth values are none."""
    if isinstance(values, list) and bool in set(map(type, values)):
        return np.array(values, dtype=object)
    return np.asarray(values) if len(values) else np.zeros(0, dtype=np.int64)


def _number_arrays(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _plain(value: Any) -> Any:
    """A value as Python has it: whole numbers as int, and nan as None."""
    value = _number_arrays(value)
    if not isinstance(value, float):
        return value
    return None if value != value else int(value) if value.is_integer() else value


def _paths(value: Any) -> Any:
    """The paths of a tree: a list, or a string with spaces between them."""
    if isinstance(value, str):
        return value.split()
    return list(value) if isinstance(value, tuple | np.ndarray) else value


def _ranges(value: Any) -> Any:
    """The ranges of a result: a list of pairs, an array of two columns, or text."""
    if isinstance(value, str):
        return spans_of_text(value)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_pair(pair) for pair in value]
    return _plain(value)


def _pair(pair: Any) -> Any:
    """A pair of numbers as Python has them."""
    if type(pair) in (tuple, list) and set(map(type, pair)) == {int}:
        return pair
    if isinstance(pair, np.ndarray):
        return pair.tolist()
    return [_plain(edge) for edge in pair] if isinstance(pair, list | tuple) else pair


_FIELDS = ("topic", "rank", "doc", "start", "end", "path", "spans", "score")

_EXPECTED = (
    "expected {document: score}, or a list of documents, (document, start, end), "
    "(document, path) or (document, [(start, end), …])"
)


def columns_of_dict(given: Mapping[Any, Any]) -> tuple[ResultColumns, tuple[str, ...]]:
    """The results of {topic: {document: score}} or {topic: [result, …]}, and warnings.

    >>> columns, _ = columns_of_dict({"7": {"a": 0.2, "b": 0.9}})
    >>> columns.document_labels.distinct
    ('b', 'a')
    """
    if not isinstance(given, Mapping):
        raise InputError(f"the run is a {type(given).__name__}: expected a dict of topics")
    fields: dict[str, list[Any]] = {name: [] for name in _FIELDS}
    for topic, results in given.items():
        found = _of_topic(topic, results)
        count = len(found["doc"])
        fields["topic"] += [topic] * count
        fields["rank"] += range(1, count + 1)
        for name in _FIELDS[2:]:
            fields[name] += found.get(name, [None] * count)
    used = {
        name: values
        for name, values in fields.items()
        if not values or any(value is not None for value in values)
    }
    try:
        columns, _, warnings = collected(used, {})
    except BadRecord as error:
        topic, document = fields["topic"][error.row], fields["doc"][error.row]
        raise InputError(
            error.reason, f"topic {quoted(topic)}, document {quoted(document)}"
        ) from None
    return columns, warnings


def _of_topic(topic: Any, results: Any) -> dict[str, Sequence[Any]]:
    """The results of a topic by field."""
    if isinstance(results, Mapping):
        scores = _scores_dicts(topic, results)
        documents = list(results)
        order = np.argsort(-scores, kind="stable")
        return {
            "doc": [documents[at] for at in order.tolist()],
            "score": scores[order].tolist(),
        }
    if isinstance(results, Sequence) and not isinstance(results, str | bytes):
        units = [_unit(topic, result) for result in results]
        names = ("doc", "start", "end", "path", "spans")
        return dict(zip(names, zip(*units, strict=True), strict=True)) if units else {"doc": ()}
    raise InputError(f"topic {quoted(topic)} has {quoted(results)}: {_EXPECTED}")


def _scores_dicts(topic: Any, results: Mapping[Any, Any]) -> Floats:
    scores = np.array([_score(score) for score in results.values()], dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(scores))
    if len(bad):
        document, score = list(results.items())[int(bad[0])]
        where = f"topic {quoted(topic)}, document {quoted(document)}"
        raise InputError(f"{where}: score is {quoted(score)}: expected a number")
    return scores


def _score(score: Any) -> float:
    """A score as a number; nan for what is none."""
    if type(score) is float:
        return score
    try:
        return math.nan if isinstance(score, str | bytes | bool) else float(score)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _unit(topic: Any, result: Any) -> tuple[Any, ...]:
    """Document, start, end, path and ranges of a result."""
    match result:
        case str() | int() | np.integer():
            return result, None, None, None, None
        case [document, str() as path]:
            return document, None, None, path, None
        case [document, list() | tuple() as spans] if spans:
            return document, None, None, None, spans
        case [document, int() | np.integer() as start, int() | np.integer() as end]:
            if 0 <= start <= end:
                return document, start, end, None, None
            raise InputError(
                f"topic {quoted(topic)} has {quoted(result)}: expected a start of 0 or more, and "
                "an end that is not before it"
            )
    raise InputError(f"topic {quoted(topic)} has {quoted(result)}: {_EXPECTED}")


def dict_of_columns(columns: ResultColumns) -> dict[str, dict[str, float]]:
    """A run of whole documents as {topic: {document: score}}.

    >>> dict_of_columns(columns_of_dict({"7": {"a": 0.2, "b": 0.9}})[0])
    {'7': {'b': 0.9, 'a': 0.2}}
    """
    if (columns.kind != Kind.DOCUMENT).any():
        raise DoxevalError(
            "a dict of scores has whole documents only, and this run has parts of documents: "
            "to_pandas(), to_polars() and iteration over the run give all of it"
        )
    found: dict[str, dict[str, float]] = {}
    scores = [None] * len(columns.kind) if columns.score is None else columns.score.tolist()
    names = names_of(columns.topic_labels), names_of(columns.document_labels)
    for topic, document, score in zip(*names, scores, strict=True):
        ranked = found.setdefault(topic, {})
        if document in ranked:
            raise DoxevalError(
                f"document {quoted(document)} is there twice for topic {quoted(topic)}: "
                "a dict has it once"
            )
        ranked[document] = 1 / (len(ranked) + 1) if score is None else score
    return found


def columns_of_frame(
    frame: Any, chunks: ChunkTable | None = None
) -> tuple[ResultColumns, tuple[str, ...], tuple[str, ...]]:
    """The results of a data frame, the ids of runs in it, and warnings.

    >>> import polars
    >>> columns, _, _ = columns_of_frame(polars.DataFrame({"qid": ["7"], "docno": ["a"]}))
    >>> columns.document_labels.distinct
    ('a',)
    """
    found = columns_by_field(frame, FIELDS)
    graded = [name for name in ("grade", *ALIASES["grade"]) if name in found.ignored]
    if graded and not {"score", "rank"} & found.names.keys():
        raise LooksLikeAssessments(
            f"this looks like assessments (the column {graded[0]}), not a run: runs come first, "
            "and assessments are given as " + Parameter("assessments")
        )
    given = {field: frame[name] for field, name in found.names.items()}
    columns, run_ids, warnings = columns_of_arrays(given, found.names, chunks)
    return columns, run_ids, (*found.warnings, *warnings)


def pandas_frame(fields: dict[str, list[Any]]) -> Any:
    """Columns by field as a data frame of pandas; a whole number that is missing is NA.

    >>> pandas_frame({"topic": ["7", "7"], "start": [3, None]}).dtypes["start"]
    Int64Dtype()
    """
    pandas = optional_module("pandas")
    return pandas.DataFrame(
        {
            name: pandas.array(values, dtype="Int64") if _has_gaps(values, int) else values
            for name, values in fields.items()
        }
    )


def _has_gaps(values: list[Any], kind: type) -> bool:
    """Whether some of these values are missing, and the others are of a kind."""
    return set(map(type, values)) == {kind, type(None)}


def polars_frame(fields: dict[str, list[Any]]) -> Any:
    """Columns by field as a data frame of polars.

    >>> polars_frame({"topic": ["7"], "start": [3]}).rows()
    [('7', 3)]
    """
    return optional_module("polars").DataFrame(fields)
