"""Runs of chunks from files: by chunk ids, perhaps with texts, or as ranges like any run."""

from __future__ import annotations

import io
import os
from dataclasses import replace
from typing import Any

from doxeval.chunks.chunk_set import Chunks
from doxeval.chunks.formats.contexts import has_contexts
from doxeval.chunks.returned_items import Items
from doxeval.errors import FormatError, MissingInput
from doxeval.files import json_lines, open_input
from doxeval.messages import Parameter, json_text, quoted
from doxeval.runs import UNIT_FIELDS, Run, format_of, read_open_run, read_run


def read_chunk_run(path: str | os.PathLike[str], chunks: Chunks | None = None) -> Run:
    """Read a run; JSONL may name chunks by id: {"topic", "chunk", "text"?, "score"?, "run"?}.

    A result whose text is another than that of its chunk is where that text stands, and a warning
    says how many there are.

    >>> import pathlib, tempfile
    >>> from doxeval import chunks
    >>> cut = chunks.split({"a": "One two. Three four."}, "sentences:1:0")
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.jsonl"
    >>> _ = path.write_text('{"topic": "7", "chunk": "a#2", "text": "four."}\\n')
    >>> run = read_chunk_run(path, cut)
    >>> [(result.document, result.start, result.end) for result in run]
    [('a', 15, 20)]
    """
    name, table = os.fspath(path), None if chunks is None else chunks.table
    if format_of(path) != "jsonl":
        return read_run(path, chunks=table)
    with open_input(path) as file:
        data = file.read()
    first: Any = next((record for _, record in json_lines(io.BytesIO(data), name)), {})
    if has_contexts([first]) or has_contexts(first):
        raise FormatError("retrieved contexts: `chunks retrieved` makes a run of them", name)
    if chunks is None or b'"text"' not in data:
        return read_open_run(io.BytesIO(data), name, "jsonl", chunks=table)
    data, warnings = _by_texts(data, name, chunks)
    run = read_open_run(io.BytesIO(data), name, "jsonl", chunks=table)
    return replace(run, warnings=(*run.warnings, *warnings))


def _by_texts(data: bytes, name: str, chunks: Chunks) -> tuple[bytes, tuple[str, ...]]:
    """The lines of a run with ranges instead of the chunks that have a text beside their id."""
    records = dict(json_lines(io.BytesIO(data), name))
    items = {
        line: {"id": record["chunk"], "text": _text(record["text"], name, line)}
        for line, record in records.items()
        if _has_text(record, chunks)
    }
    if not items:
        return data, ()
    if chunks.docs is None:
        reason = "results have texts, and those of the chunks are not known: "
        raise MissingInput(f"{name}: {reason}" + Parameter("docs") + " names the documents")
    known = Items(chunks)
    known.look_up([list(items.values())])
    lines = [b""] * max(records)
    for line, record in records.items():
        if line in items:
            place = known.place(items[line])
            record = {key: value for key, value in record.items() if key not in ("chunk", "text")}
            record |= {"doc": place.document, "spans": [list(span) for span in place.spans]}
            if place.tokens is not None:
                record.setdefault("tokens", place.tokens)
        lines[line - 1] = json_text(record).encode()
    return b"\n".join(lines), tuple(known.warnings())


def _has_text(record: Any, chunks: Chunks) -> bool:
    """Whether a result has a text beside the id of a chunk, and nothing that speaks against it."""
    return (
        isinstance(record, dict)
        and record.get("text") not in (None, "")
        and chunks.find(str(record.get("chunk"))) >= 0
        and not {"doc", *UNIT_FIELDS} & record.keys()
    )


def _text(text: Any, name: str, line: int) -> str:
    if not isinstance(text, str):
        raise FormatError(f"text is {quoted(text)}: expected a text", name, line)
    return text
