"""Runs as records: JSONL, CSV and Parquet, all with the same fields.

    {"topic", "doc", "start", "end"}     a passage, half-open, in characters
    {"topic", "doc", "path"}             an element
    {"topic", "doc", "spans": [[s, e]…]} several ranges of one document (in CSV: 0-5 9-12)
    {"topic", "doc", "nodes": [paths]}   a tree (in CSV and Parquet: paths joined by spaces)
    {"topic", "doc", "offset"}           an entry point
    {"topic", "doc"}                     a whole document
    {"topic", "chunk"}                   a chunk by its id, if the chunks are given

`rank`, `score`, `run`, `tokens` (what the result costs to read) and `added` (how many characters
are read that are in no document) may be there too. A run that nobody names has the name of its
file. Records are in the order of the ranking. In JSONL that
`doxeval chunks` reads, a result by chunk may have a `text`: if it is another than that of the
chunk, the text is what is scored. A passage or an entry point may also be given by text points:
`start_point` and `end_point`, or `point`.
Fields that are empty or null are absent; unknown fields and contradictions are errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Ints
from doxeval.columns import (
    ABSENT,
    WRONG,
    Categorical,
    Column,
    Factorizer,
    Fields,
    NameCollector,
    by_first_appearance,
    is_given,
    numbers,
    whole_numbers,
)
from doxeval.errors import FormatError
from doxeval.files import name_of_file
from doxeval.messages import quoted
from doxeval.runs.columns import (
    SPANS_EXPECTED,
    Kind,
    ResultColumns,
    SpanLists,
    complete_columns,
    is_span,
    row_names,
)
from doxeval.runs.run import (
    Block,
    LooksLikeAssessments,
    LooksLikeTopics,
    ReadOptions,
    Run,
)
from doxeval.spans import TOO_LONG, Spans

if TYPE_CHECKING:
    from doxeval.runs.chunks import ChunkLookup, ChunkTable

# What a record is

NAME_FIELDS = ("topic", "doc", "chunk", "path", "start_point", "end_point", "point", "run")
WHOLE_FIELDS = ("start", "end", "offset", "rank", "tokens", "added")
FIELDS = (
    *("topic", "doc", "chunk", "path", "start", "end", "start_point", "end_point", "nodes"),
    *("spans", "offset", "point", "rank", "score", "tokens", "added", "run"),
)
# What a result is, by the fields that say which part of a document it is.
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
_PATH_FIELDS = ("path", "point", "start_point", "end_point")
# Fields that only records of assessments and of topics have.
_OF_ASSESSMENTS = {
    *("bep", "bep_point", "judged", "e", "s", "rel", "grade", "scale", "docsize", "rsize"),
    *("assessor", "in_pool", "inferred", "inconsistent"),
}
_OF_TOPICS = {"title", "castitle", "phrasetitle", "description", "narrative"}


def why_refused(record: Any) -> str:
    """Return what is wrong with a record that cannot be a result.

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
        spans = fields.raw("spans")
        if not isinstance(spans, list):
            raise FormatError(f"spans is {quoted(spans)}: {SPANS_EXPECTED}")
        for pair in spans:
            if not is_span(pair):
                raise FormatError(f"spans has {quoted(pair)}: {SPANS_EXPECTED}")
    for name in _PATH_FIELDS:
        fields.optional_text(name)
    for name in ("rank", "tokens", "added"):
        fields.whole(name)
    fields.number("score")
    fields.optional_text("run")


def _explain(error: FormatError, record: Any) -> FormatError:
    """Return an error about a record, with what it looks like if it is no result at all.

    >>> error = _explain(FormatError("unknown field 'bep'"), {"topic": "7", "bep": 5})
    >>> str(error).partition(", ")[0]
    'this looks like assessments (the field bep)'
    """
    if not isinstance(record, dict):
        return error
    given = {name for name, value in record.items() if is_given(value)}
    if "topic" in given and given & _OF_ASSESSMENTS:
        return LooksLikeAssessments.instead(error, f"the field {min(given & _OF_ASSESSMENTS)}")
    if "id" in given and "doc" not in given and given & _OF_TOPICS:
        return LooksLikeTopics.instead(error, f"the field {min(given & _OF_TOPICS)}")
    return error


# From records, given as columns, to results

_UNIT_FIELDS = sorted(UNIT_FIELDS)
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
    """A record that cannot be a result: its row in the block, and what is wrong."""

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(row, reason)
        self.row = row
        self.reason = reason


class RecordCollector:
    """Takes records, block by block, each block as columns by field; gives the results.

    Each field of many records is checked as a whole. Only if something is wrong is a record looked
    at by itself: the first bad one, to say why it is refused. `chunks` are those that records may
    name by their ids.

    >>> collector = RecordCollector()
    >>> collector.add({"topic": ["1", "1"], "doc": ["a", "b.xml"]}, np.array([1, 2]))
    >>> columns, run_ids, warnings = collector.finish()
    >>> list(columns.document_labels.distinct)
    ['a', 'b']
    """

    def __init__(self, chunks: ChunkTable | None = None) -> None:
        self._chunks = chunks
        self._chunk_lookup: ChunkLookup | None = None
        self._topics, self._run_ids = Factorizer(), Factorizer()
        self._documents = NameCollector(document_ids=True)
        self._paths = Factorizer()  # and text points
        # Several paths or points of one result, numbered apart from single ones.
        self._several: dict[tuple[str, ...], int] = {}
        self._blocks: list[tuple[npt.NDArray[Any], ...]] = []
        self._spans: list[Spans] = []  # of results with several spans, by row
        self.rows = 0

    def add(self, columns: Mapping[str, Any], lines: Ints) -> None:
        """Take records; the first bad one raises BadRecord."""
        if "chunk" in columns:
            columns = self._located(columns, lines)
        count = len(lines)
        checked = {
            name: check(columns[name])
            for names, check in (
                (("topic",), self._topics.numbers),
                (("doc",), self._documents.add),
                (("run",), self._run_ids.numbers),
                (_PATH_FIELDS, self._paths.numbers),
                (("nodes",), self._trees),
                (WHOLE_FIELDS, whole_numbers),
            )
            for name in names
            if name in columns
        }
        if "spans" in columns:
            checked["spans"], spans = _span_column(columns["spans"])
            self._spans.append(spans._replace(group=spans.group + self.rows))
        kind = _kinds(checked, count)
        bad = (kind == _NO_UNIT) | _bad_rows(checked, count)
        score = np.full(count, np.nan)
        if "score" in columns:
            score, is_no_number = numbers(columns["score"])
            bad |= is_no_number
        for name in columns.keys() - set(FIELDS):
            bad |= np.array([is_given(value) for value in columns[name]], dtype=np.bool_)
        if bad.any():
            row = int(np.argmax(bad))
            raise BadRecord(row, why_refused(_record(columns, row)))
        none: Ints = np.full(count, ABSENT, dtype=np.int64)
        whole = {name: checked.get(name, none) for name in WHOLE_FIELDS}
        start = np.maximum(whole["start"], whole["offset"])  # no result has both
        names = checked["topic"], self._path_numbers(checked, count)
        costs = whole["tokens"], whole["added"]
        block = (*names, kind, start, whole["end"], whole["rank"], score, lines, *costs)
        self._blocks.append(block)
        self.rows += count

    def _located(self, columns: Mapping[str, Any], lines: Ints) -> Mapping[str, Any]:
        """Return records with documents and spans in place of ids of chunks."""
        from doxeval.runs.chunks import ChunkLookup

        if self._chunk_lookup is None:
            self._chunk_lookup = ChunkLookup(self._chunks)
        try:
            return self._chunk_lookup.locate(columns)
        except BadRecord as error:
            if error.row:  # something else may be wrong with an earlier record
                before = slice(0, error.row)
                RecordCollector(self._chunks).add(_some_rows(columns, before), lines[before])
            raise

    def _trees(self, column: Sequence[Any]) -> Ints:
        """Return a number for each set of elements."""
        return np.array([self._tree(nodes) for nodes in column], dtype=np.int64)

    def _tree(self, nodes: Any) -> int:
        if not is_given(nodes):
            return ABSENT
        if not isinstance(nodes, list) or not all(isinstance(path, str) for path in nodes):
            return WRONG
        return self._several.setdefault(tuple(nodes), len(self._several))

    def _path_numbers(self, checked: dict[str, Ints], count: int) -> Ints:
        """Return a number for the paths of each result.

        It is twice the number of a single path, or twice the number of several paths plus one.
        """
        code: Ints = np.full(count, ABSENT, dtype=np.int64)
        for name in ("path", "point"):
            if name in checked:
                np.maximum(code, 2 * checked[name], out=code)
        if "nodes" in checked:
            np.maximum(code, 2 * checked["nodes"] + 1, out=code)
        if "start_point" in checked and "end_point" in checked:
            rows = np.flatnonzero(checked["start_point"] >= 0)
            points = (checked[name][rows].tolist() for name in ("start_point", "end_point"))
            texts = self._paths.names
            code[rows] = [
                2 * self._several.setdefault((texts[start], texts[end]), len(self._several)) + 1
                for start, end in zip(*points, strict=True)
            ]
        return code

    def finish(self) -> tuple[ResultColumns, tuple[str, ...], tuple[str, ...]]:
        """Return all results, the ids of runs in the order in which they came, and warnings."""
        topic, path, kind, start, end, rank, score, line, tokens, added = map(
            np.concatenate, zip(*self._blocks, strict=True)
        )
        topics = Categorical.of(tuple(self._topics.names), topic)
        names = topics, self._documents.column(), self._path_column(path)
        columns, warnings = complete_columns(
            ResultColumns(*names, kind, start, end, None, None, line),
            rank,
            score,
            tokens,
            Spans(*map(np.concatenate, zip(*self._spans, strict=True))) if self._spans else None,
            added,
        )
        return columns, tuple(self._run_ids.names), warnings

    def _path_column(self, code: Ints) -> Categorical[tuple[str, ...]]:
        if not (code >= 0).any():
            return Categorical.none(len(code))
        known: dict[tuple[str, ...], int] = {}
        known |= {(path,): number for number, path in enumerate(self._paths.names)}
        # A tree of one element has the same paths as the element.
        several = [known.setdefault(paths, len(known)) for paths in self._several]
        number = code // 2
        is_several = np.flatnonzero((code >= 0) & (code % 2 > 0))
        number[is_several] = np.array(several, dtype=np.int64)[number[is_several]]
        return Categorical.of(*by_first_appearance(tuple(known), number))


def _kinds(checked: Mapping[str, Ints], count: int) -> Ints:
    """Return the kind of each result, by the fields that it has."""
    unit: Ints = np.zeros(count, dtype=np.int64)
    for bit, name in enumerate(reversed(_UNIT_FIELDS)):
        if name in checked:
            unit += (checked[name] != ABSENT) * np.int64(1 << bit)
    return _KIND_OF[unit]


def _bad_rows(checked: Mapping[str, Ints], count: int) -> Bools:
    """Return whether something in a row is wrong, or missing."""
    bad = np.zeros(count, dtype=np.bool_)
    for column in checked.values():
        bad |= column == WRONG
    for name in ("topic", "doc"):
        bad |= checked[name] == ABSENT if name in checked else True
    if "start" in checked and "end" in checked:
        start, end = checked["start"], checked["end"]
        bad |= (start >= 0) & (end >= 0) & (end < start)
    return bad


def _some_rows(columns: Mapping[str, Any], rows: slice) -> dict[str, Any]:
    return {
        name: column.rows(np.arange(rows.start, rows.stop))
        if isinstance(column, SpanLists)
        else column[rows]
        for name, column in columns.items()
    }


def _record(columns: Mapping[str, Any], row: int) -> dict[str, Any]:
    """Return one record, as it was given."""
    record = {}
    for name, column in columns.items():
        if isinstance(column, SpanLists):
            record[name] = list(map(list, column.rows(np.array([row])).as_tuples()[0]))
        elif not isinstance(column, np.ndarray):
            record[name] = column[row]
        elif column[row] != ABSENT:
            record[name] = column[row].item()
    return record


# Lists of spans

_SPAN_TEXT = re.compile(r"[0-9]{1,18}-[0-9]{1,18}")


def _span_column(column: Column | SpanLists) -> tuple[Ints, Spans]:
    """Return whether each row has spans (0), none (ABSENT) or something else (WRONG); and these.

    >>> state, spans = _span_column([[[0, 5], [9, 12]], None, "x"])
    >>> state.tolist(), spans.end.tolist()
    ([0, -1, -2], [5, 12])
    """
    lists = column if isinstance(column, SpanLists) else _span_lists(column)
    if lists is not None:
        row, start, end = lists.owner, lists.start, lists.end
        state = np.where(lists.counts > 0, 0, ABSENT)
        state[row[(start < 0) | (end < start) | (end >= TOO_LONG)]] = WRONG
        return state, Spans(row, start, end)
    states = [
        ABSENT
        if not is_given(value)
        else 0
        if isinstance(value, list | tuple) and all(map(is_span, value))
        else WRONG
        for value in column
    ]
    state = np.array(states, dtype=np.int64)
    rows = np.flatnonzero(state == 0).tolist()
    return state, Spans.of([(row, start, end) for row in rows for start, end in column[row]])


def _span_lists(column: Column) -> SpanLists | None:
    """Return lists of pairs of whole numbers, as they are; None if the column has anything else."""
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
    counts = np.fromiter(map(len, lists), np.int64, len(lists))
    return SpanLists(np.append(0, np.cumsum(counts)), start, end)


def spans_of_text(text: str) -> Any:
    """Return the spans that a text gives; the text itself if it is something else.

    >>> spans_of_text("0-5 9-12"), spans_of_text("0..5")
    ([[0, 5], [9, 12]], '0..5')
    """
    parts = text.split()
    if not all(map(_SPAN_TEXT.fullmatch, parts)):
        return text
    return [[int(edge) for edge in part.split("-")] for part in parts]


# From files of records to blocks of whole topics

Records = tuple[Mapping[str, Any], Ints]  # columns by field, and the line of each record


def record_blocks(given: Iterable[Records], origin: str, options: ReadOptions) -> Iterator[Block]:
    """Yield records in blocks of whole topics.

    >>> records = {"topic": ["7", "7", "8"], "doc": ["a", "b", "a"]}, np.array([1, 2, 3])
    >>> [len(block.run) for block in record_blocks([records], "a.jsonl", ReadOptions(rows=1))]
    [2, 1]
    """
    collector = RecordCollector(options.chunks)
    has_results, last = False, None
    for columns, lines in given:
        topics = columns.get("topic", ())
        begin = 0
        for edge in _block_edges(topics, last, collector.rows, options.rows):
            if edge > begin:
                _add(collector, columns, lines, slice(begin, edge), origin)
            yield _block(collector, origin)
            collector, has_results, begin = RecordCollector(options.chunks), True, edge
        _add(collector, columns, lines, slice(begin, len(lines)), origin)
        last = topics[-1] if len(topics) else last
    if collector.rows:
        yield _block(collector, origin)
    elif not has_results:
        raise FormatError("no results in the file", origin)


def _block_edges(topics: Any, last: Any, before: int, rows: int | None) -> Iterator[int]:
    """Yield where blocks end: at the first new topic behind each full block.

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
    columns: Mapping[str, Any],
    lines: Ints,
    rows: slice,
    origin: str,
) -> None:
    is_all = rows.start == 0 and rows.stop == len(lines)
    try:
        collector.add(columns if is_all else _some_rows(columns, rows), lines[rows])
    except BadRecord as error:
        row = rows.start + error.row
        problem = FormatError(error.reason, origin, int(lines[row]))
        raise _explain(problem, _record(columns, row)) from None


def _block(collector: RecordCollector, origin: str) -> Block:
    columns, run_ids, warnings = collector.finish()
    name = run_ids[-1] if run_ids else name_of_file(origin)
    return Block(Run(name, *columns, warnings=warnings, origin=origin), run_ids)


# From a run to records


def columns_by_name(columns: ResultColumns, run_id: str) -> dict[str, list[Any]]:
    """Return the fields that results have, with a value for every result, None if it has none.

    >>> from doxeval.runs.columns import Result, columns_of_results
    >>> columns, _ = columns_of_results([Result("1", "a"), Result("1", "b", Kind.POINT, 7)])
    >>> columns_by_name(columns, "mine")
    {'topic': ['1', '1'], 'doc': ['a', 'b'], 'offset': [None, 7], 'run': ['mine', 'mine']}
    """
    fields: dict[str, list[Any]] = {
        "topic": row_names(columns.topic_labels),
        "doc": row_names(columns.document_labels),
        **_unit_columns(columns),
        "run": [run_id] * len(columns.kind),
    }
    if columns.rank is not None:
        fields["rank"] = columns.rank.tolist()
    if columns.score is not None:
        fields["score"] = columns.score.tolist()
    if columns.tokens is not None:
        fields["tokens"] = _where(columns.tokens >= 0, columns.tokens.tolist())
    if columns.added is not None:
        fields["added"] = _where(columns.added > 0, columns.added.tolist())
    return {name: fields[name] for name in FIELDS if name in fields}


def _unit_columns(columns: ResultColumns) -> dict[str, list[Any]]:
    """Return the fields that say which parts of documents results are."""
    kind, has_paths = columns.kind, columns.path_labels.numbers >= 0
    is_passage, is_point = kind == Kind.PASSAGE, kind == Kind.POINT
    start, end = columns.start.tolist(), columns.end.tolist()
    all_paths = row_names(columns.path_labels)
    first = [paths and paths[0] for paths in all_paths]
    last = [paths and paths[-1] for paths in all_paths]
    nodes = [paths and list(paths) for paths in all_paths]
    spans = [] if columns.spans is None else columns.spans.as_tuples()
    candidates: dict[str, tuple[Bools, list[Any]]] = {
        "path": (kind == Kind.ELEMENT, first),
        "start": (is_passage & ~has_paths, start),
        "end": (is_passage & ~has_paths, end),
        "start_point": (is_passage & has_paths, first),
        "end_point": (is_passage & has_paths, last),
        "nodes": (kind == Kind.TREE, nodes),
        "spans": (kind == Kind.SPANS, [list(map(list, pairs)) for pairs in spans]),
        "offset": (is_point & ~has_paths, start),
        "point": (is_point & has_paths, first),
    }
    return {name: _where(has, values) for name, (has, values) in candidates.items() if has.any()}


def _where(has: Bools, values: list[Any]) -> list[Any]:
    if has.all():
        return values
    return [value if given else None for given, value in zip(has.tolist(), values, strict=True)]


def join_nodes(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return columns with the paths of trees joined by spaces, as CSV and Parquet have them."""
    if "nodes" not in columns:
        return columns
    joined = [nodes and " ".join(nodes) for nodes in columns["nodes"]]
    return {**columns, "nodes": joined}
