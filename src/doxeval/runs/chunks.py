"""All chunks of a collection: what systems that return chunks can return.

    {"id", "doc", "start", "end"}            a chunk, half-open, in characters
    {"id", "doc", "spans": [[s, e]…]}        a chunk of several ranges

`tokens` (what the chunk costs to read), `added` (how many characters of what is read are in no
document) and `parent` (the id of the chunk around it) may be there too. So may `text` (what is
searched) and `read` (what the model is given, where that is another text, of which the spans are),
`order` (its number in the document), and how it was located: `how`, `share` and `ambiguous`. What
is yours goes under `metadata`; other fields are errors.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.columns import (
    ABSENT,
    WRONG,
    Column,
    Factorizer,
    is_given,
    normalise_id,
    refuse_unknown,
)
from doxeval.errors import FormatError
from doxeval.files import open_input
from doxeval.messages import Parameter, closest, plural, quoted, truncate
from doxeval.named import checked
from doxeval.runs.columns import SPANS_EXPECTED, SpanLists, is_span, not_found
from doxeval.runs.jsonl import JsonLines, json_line_blocks
from doxeval.runs.records import UNIT_FIELDS, BadRecord
from doxeval.spans import TOO_LONG

_KNOWN = ("id", "doc", "start", "end", "spans", "tokens", "added", "parent")
CHUNK_FIELDS = (
    *_KNOWN,
    *("text", "read", "order", "how", "share", "ambiguous", "metadata"),
)
_CHUNK_FIELDS = frozenset(CHUNK_FIELDS)


@dataclass(frozen=True, eq=False, repr=False)
class ChunkTable:
    """Chunks by id: their documents, spans, costs and parents.

    document: the number of each chunk's document among `documents`. spans: its spans.
    tokens: what it costs to read, -1 where that is not known. parent: the chunk around it, -1 if
    there is none. added: how many of its characters are in no document; all of a chunk that was
    not located.

    >>> table = ChunkTable.of(["1", "2"], ["a", "a"], [[(0, 5)], [(5, 9)]])
    >>> table, table.find("2"), table.spans.as_tuples()
    (ChunkTable(2 chunks of 1 document), 1, [((0, 5),), ((5, 9),)])
    """

    ids: tuple[str, ...]
    documents: tuple[str, ...]
    document: Ints
    spans: SpanLists
    tokens: Ints
    parent: Ints
    added: Ints

    @classmethod
    def of(
        cls,
        ids: Sequence[str],
        documents: Sequence[str],
        spans: SpanLists | Sequence[Sequence[tuple[int, int]]],
        tokens: Sequence[int] | None = None,
        parents: Sequence[str | None] | None = None,
        added: Sequence[int] | None = None,
    ) -> ChunkTable:
        """Return a table from columns, with a value for each chunk."""
        known = {name: number for number, name in enumerate(dict.fromkeys(documents))}
        numbers = {name: number for number, name in enumerate(ids)}
        if len(numbers) < len(ids):
            twice = next(name for at, name in enumerate(ids) if numbers[name] != at)
            raise FormatError(f"there are two chunks {quoted(twice)}")
        lists = spans if isinstance(spans, SpanLists) else SpanLists.of(spans)
        none = np.full(len(ids), -1, dtype=np.int64)
        around = [-1 if name is None else numbers.get(name, -1) for name in parents or []]
        return cls(
            tuple(ids),
            tuple(known),
            np.array([known[name] for name in documents], dtype=np.int64),
            lists,
            none if tokens is None else np.array(tokens, dtype=np.int64),
            np.array(around, dtype=np.int64) if around else none,
            np.zeros(len(ids), dtype=np.int64) if added is None else np.array(added, np.int64),
        )

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return (
            f"ChunkTable({plural(len(self), 'chunk')} of {plural(len(self.documents), 'document')})"
        )

    @cached_property
    def in_runs(self) -> ChunkTable:
        """The same, where each chunk that was not located is a document of its own, as in runs."""
        rows = np.flatnonzero((self.spans.counts == 0) & (self.added > 0))
        if not len(rows):
            return self
        documents = [self.documents[number] for number in self.document.tolist()]
        spans: list[Sequence[tuple[int, int]]] = list(self.spans.as_tuples())
        names = (name for name in map(not_found, count(1)) if name not in self.documents)
        for row, name in zip(rows.tolist(), names, strict=False):
            documents[row], spans[row] = name, ((0, int(self.added[row])),)
        added = np.where(self.spans.counts > 0, self.added, 0)
        table = ChunkTable.of(self.ids, documents, spans, self.tokens.tolist())
        return replace(table, parent=self.parent, added=added)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.ids)}

    def find(self, chunk: str) -> int:
        """Return the number of a chunk, -1 if there is none of that id."""
        return self._numbers.get(chunk, -1)


@checked
def read_chunks(path: str | os.PathLike[str]) -> ChunkTable:
    """Read chunks from JSONL: {"id", "doc", "start", "end" or "spans", "tokens"?, "parent"?}.

    What is added, texts and how a chunk was found may be there too; other fields are errors.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "chunks.jsonl"
    >>> _ = path.write_text('{"id": "1", "doc": "a", "start": 0, "end": 5}\\n')
    >>> read_chunks(path)
    ChunkTable(1 chunk of 1 document)
    """
    name = os.fspath(path)
    rows: list[tuple[str, str, Any, int, str | None, int]] = []
    with open_input(path) as file:
        for lines in json_line_blocks(file, name):
            records, numbers, failed = _decode_chunks(lines)
            for record, line in zip(records, numbers.tolist(), strict=True):
                try:
                    rows.append(_chunk(record, f"{len(rows) + 1}"))
                except FormatError as error:
                    raise FormatError(error.message, name, line) from None
            if failed is not None:
                raise failed
    if not rows:
        raise FormatError("no chunks in the file", name)
    try:
        return ChunkTable.of(*zip(*rows, strict=True))
    except FormatError as error:
        raise FormatError(error.message, name) from None


def _decode_chunks(lines: JsonLines) -> tuple[list[dict[str, Any]], Ints, FormatError | None]:
    """Return the objects of lines, the numbers of these, and what is wrong behind the last."""
    import msgspec

    if lines.data.count(b"{") == lines.total:  # else an object is inside another, or in a text
        records = lines.decode(msgspec.json.Decoder(dict[str, Any]))
        if records is not None and not lines.may_repeat_fields(sum(map(len, records))):
            return records, lines.numbers, None
    return lines.read_each()


def _chunk(record: Mapping[str, Any], otherwise: str) -> tuple[str, str, Any, int, str | None, int]:
    if not record.keys() <= _CHUNK_FIELDS:
        refuse_unknown(record, CHUNK_FIELDS)
    given = {name: record.get(name) for name in _KNOWN}
    spans = given["spans"]
    if spans is None:
        spans = [[given["start"], given["end"]]]
    if not isinstance(spans, list) or not all(map(is_span, spans)):
        raise FormatError(f"the range {quoted(spans)}: {SPANS_EXPECTED}")
    # A chunk that was not found has no spans, and perhaps no document.
    if given["doc"] in (None, "") and spans:
        raise FormatError("doc is missing")
    for name in ("tokens", "added"):
        number = given[name]
        if number is not None and (type(number) is not int or not 0 <= number < TOO_LONG):
            raise FormatError(f"{name} is {quoted(number)}: expected a whole number, 0 or more")
    tokens = given["tokens"]
    chunk = otherwise if given["id"] is None else str(given["id"])
    parent = None if given["parent"] is None else str(given["parent"])
    return (
        chunk,
        normalise_id(str(given["doc"] or "")),
        spans,
        -1 if tokens is None else tokens,
        parent,
        given["added"] or 0,
    )


# Results that name chunks by their ids

_LOCATION_FIELDS = ("doc", *sorted(UNIT_FIELDS))


class ChunkLookup:
    """Gives records that name chunks by their ids the documents, spans and tokens of these.

    >>> lookup = ChunkLookup(ChunkTable.of(["c1", "c2"], ["a", "b"], [[(0, 5)], [(7, 9)]]))
    >>> columns = lookup.locate({"topic": ["7", "7"], "chunk": ["c2", "c1"]})
    >>> columns["doc"], columns["start"].tolist()
    (['b', 'a'], [7, 0])
    """

    def __init__(self, table: ChunkTable | None) -> None:
        self._table = table
        self._ids = Factorizer()
        self._rows: Ints = np.zeros(0, dtype=np.int64)  # in the table, of each id

    def locate(self, columns: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return columns of records without ids of chunks; the first bad one raises BadRecord."""
        given = columns["chunk"]
        number = self._ids.numbers(given.tolist() if isinstance(given, np.ndarray) else given)
        others = {name: column for name, column in columns.items() if name != "chunk"}
        if (number == ABSENT).all():
            return others
        rows = self._table_rows(number)
        self._refuse_bad(number, rows, others)
        return self._with_locations(rows, others)

    def _table_rows(self, number: Ints) -> Ints:
        """Return the row of each result's chunk in the table; -1 for none."""
        if self._table is None:
            return np.full(len(number), -1)
        new = [self._table.find(name) for name in self._ids.names[len(self._rows) :]]
        self._rows = np.append(self._rows, np.array(new, dtype=np.int64))
        return np.where(number >= 0, np.append(self._rows, -1)[number], -1)

    def _refuse_bad(self, number: Ints, rows: Ints, others: Mapping[str, Any]) -> None:
        is_chunk = number != ABSENT
        bad = is_chunk & (rows < 0)
        names = [name for name in (*_LOCATION_FIELDS, "text") if name in others]
        contradicts = {name: is_chunk & _is_given(others[name]) for name in names}
        for is_contradicted in contradicts.values():
            bad |= is_contradicted
        if not bad.any():
            return
        row = int(np.argmax(bad))
        both = [name for name, is_contradicted in contradicts.items() if is_contradicted[row]]
        raise BadRecord(row, self._reason(int(number[row]), both))

    def _reason(self, number: int, both: list[str]) -> str:
        """Return what is wrong, given the fields that contradict the chunk."""
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
        message = f"no chunk {name} among the chunks given ({len(self._table):,})"
        close = closest(given, self._table.ids)
        return message if close is None else f"{message}; did you mean {truncate(close)}?"

    def _with_locations(self, rows: Ints, others: Mapping[str, Any]) -> dict[str, Any]:
        is_chunk = rows >= 0
        # Rows without a chunk get index 0 as a placeholder; its value is ignored.
        located = {} if self._table is None else _locations(self._table, np.maximum(rows, 0))
        for name in ("tokens", "added"):  # what a result states counts before that of its chunk
            if name in others and name in located:
                given = others[name]
                located[name] = _choose(_is_given(given), given, located[name])
        if is_chunk.all():
            rest = {name: column for name, column in others.items() if name not in _LOCATION_FIELDS}
            return {**rest, **located}
        nothing = [None] * len(rows)
        return {
            **others,
            **{
                name: _choose(is_chunk, column, others.get(name, nothing))
                for name, column in located.items()
            },
        }


def _locations(table: ChunkTable, rows: Ints) -> dict[str, Any]:
    """Return the fields of records that say where chunks are, given by their rows."""
    table = table.in_runs
    spans = table.spans.rows(rows)
    counts = spans.counts
    # An empty chunk has no span at all: it is at the start of its document.
    start, end = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    filled = np.flatnonzero(counts)
    start[filled], end[filled] = spans.start[spans.begin[filled]], spans.end[spans.begin[filled]]
    is_several = counts > 1
    located: dict[str, Any] = {
        "doc": [table.documents[number] for number in table.document[rows].tolist()],
        "start": np.where(is_several, ABSENT, start),
        "end": np.where(is_several, ABSENT, end),
        "tokens": table.tokens[rows],
    }
    if table.added.any():
        located["added"] = table.added[rows]
    if is_several.any():
        located["spans"] = spans.without(np.flatnonzero(~is_several))
    return located


def _is_given(column: Column | SpanLists) -> Bools:
    if isinstance(column, SpanLists):
        return column.counts > 0
    if isinstance(column, np.ndarray):
        return np.asarray(column != ABSENT)
    return np.array([is_given(value) for value in column], dtype=np.bool_)


def _choose(is_first: Bools, first: Column | SpanLists, second: Column | SpanLists) -> list[Any]:
    """Return the values of one column where a condition holds, and of another elsewhere."""
    triples = zip(is_first.tolist(), _values(first), _values(second), strict=True)
    return [value if chosen else other for chosen, value, other in triples]


def _values(column: Column | SpanLists) -> list[Any]:
    if isinstance(column, SpanLists):
        return [list(spans) or None for spans in column.as_tuples()]
    if isinstance(column, np.ndarray):
        return [None if value == ABSENT else value for value in column.tolist()]
    return list(column)
