"""Records collected into blocks of whole topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.arrays import Ints
from doxeval.columns import Column
from doxeval.errors import FormatError
from doxeval.files import name_of_file
from doxeval.runs.blocks import Block
from doxeval.runs.mistaken import explained_by_record
from doxeval.runs.record_columns import BadRecord, RecordCollector
from doxeval.runs.run import Run
from doxeval.runs.span_lists import SpanLists

if TYPE_CHECKING:
    from doxeval.runs.chunk_table import ChunkTable

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
