"""Runs of chunks from files: by chunk ids, or as ranges like any run."""

from __future__ import annotations

import os
from typing import Any

from doxeval.chunks.formats.contexts import has_contexts
from doxeval.errors import FormatError
from doxeval.files import json_lines, opened
from doxeval.runs.chunk_table import ChunkTable
from doxeval.runs.read_write import format_of, read_run
from doxeval.runs.run import Run
from doxeval.wording import Parameter


def read_chunk_run(path: str | os.PathLike[str], table: ChunkTable | None = None) -> Run:
    """Read a run; JSONL may name chunks by id: {"topic", "chunk", "score"?, "run"?}.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.jsonl"
    >>> _ = path.write_text('{"topic": "7", "chunk": "2", "run": "mine"}\\n')
    >>> table = ChunkTable.of(["1", "2"], ["a", "a"], [[(0, 4)], [(4, 7)]])
    >>> [(result.start, result.end) for result in read_chunk_run(path, table)]
    [(4, 7)]
    """
    name = os.fspath(path)
    if format_of(path) != "jsonl":
        return read_run(path)
    first = _first_record(name)
    if has_contexts([first]) or has_contexts(first):
        raise FormatError("retrieved contexts: `chunks retrieved` makes a run of them", name)
    if "chunk" not in first or "doc" in first:
        return read_run(path)
    if table is None:
        raise FormatError(
            "results are ids of chunks: " + Parameter("chunks") + " names the chunk file", name
        )
    return read_run(path, chunks=table)


def _first_record(path: str) -> dict[str, Any]:
    with opened(path) as file:
        for _, record in json_lines(file, path):
            return record if isinstance(record, dict) else {}
    return {}
