"""Records as columns: each field of many records is read and checked as a whole.

Only if something is wrong are records looked at one by one: the first bad one is explained by
`record_errors`, in the order in which its fields are checked there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Floats, Ints
from doxeval.columns import (
    ABSENT,
    WRONG,
    Column,
    Labels,
    Numbering,
    by_first_appearance,
    is_given,
    numbers,
    whole_numbers,
)
from doxeval.documents import normalised_id
from doxeval.runs.chunk_places import BadChunk, ChunkPlaces
from doxeval.runs.record_errors import FIELDS, UNITS, why_refused
from doxeval.runs.result_columns import RanksAndScores, ResultColumns, if_any, with_first_ranges
from doxeval.runs.span_columns import span_column
from doxeval.runs.span_lists import SpanLists
from doxeval.spans import Spans

if TYPE_CHECKING:
    from doxeval.runs.chunk_table import ChunkTable

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
