"""Results that name chunks by their ids: where these chunks are, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.columns import ABSENT, WRONG, Column, Numbering, is_given
from doxeval.messages import Parameter, closest, quoted, truncate
from doxeval.runs.record_errors import UNIT_FIELDS
from doxeval.runs.span_lists import SpanLists

if TYPE_CHECKING:
    from doxeval.runs.chunk_table import ChunkTable

_PLACES = ("doc", *sorted(UNIT_FIELDS))


class BadChunk(Exception):
    """A result whose chunk cannot be found: its row, and why."""

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(row, reason)
        self.row = row
        self.reason = reason


class ChunkPlaces:
    """Puts the documents, ranges and tokens of chunks where records give only their ids.

    >>> from doxeval.runs.chunk_table import ChunkTable
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
    pairs = zip(_values(first), _values(second), is_first.tolist(), strict=True)
    return [one if wanted else other for one, other, wanted in pairs]


def _values(column: Column | SpanLists) -> list[Any]:
    if isinstance(column, SpanLists):
        return [list(ranges) or None for ranges in column.as_tuples()]
    if isinstance(column, np.ndarray):
        return [None if value == ABSENT else value for value in column.tolist()]
    return list(column)
