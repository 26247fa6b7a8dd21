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
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from doxeval.arrays import Ints
from doxeval.runs.blocks import Block, run_at_once
from doxeval.runs.csv_blocks import csv_blocks
from doxeval.runs.json_blocks import JsonBlock, json_blocks
from doxeval.runs.optional import optional_module
from doxeval.runs.parquet_blocks import ParquetBlock, parquet_blocks
from doxeval.runs.record_blocks import record_blocks
from doxeval.runs.run import Run
from doxeval.runs.span_columns import spans_as_text, spans_of_text
from doxeval.runs.span_lists import SpanLists

if TYPE_CHECKING:
    from doxeval.runs.chunk_table import ChunkTable

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

    >>> from doxeval.runs.result import Result
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
