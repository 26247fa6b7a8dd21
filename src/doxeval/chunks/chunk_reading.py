"""Chunk files, as `Chunks.write` makes them."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from doxeval.chunks.chunk_set import Chunks, check_ranges
from doxeval.chunks.document_set import Documents
from doxeval.chunks.document_sources import documents, warnings_about
from doxeval.chunks.loading import Loaded, load
from doxeval.chunks.raw_chunks import OTHER_NAMES, RawChunk, raw_chunk
from doxeval.columns import refuse_unknown
from doxeval.documents import normalise_id
from doxeval.errors import FormatError, warn
from doxeval.locating import How
from doxeval.messages import quoted
from doxeval.named import checked
from doxeval.runs import CHUNK_FIELDS, ChunkTable


@checked
def read_chunks(path: str | os.PathLike[str], docs: Any = None) -> Chunks:
    """Read a chunk file that was located before.

    If its documents are given, its ranges must be in them, and the chunks have texts. A field that
    no chunk has is an error; what is yours goes under `metadata`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "chunks.jsonl"
    >>> _ = path.write_text('{"id": "1", "doc": "terms", "start": 0, "end": 12}\\n')
    >>> read_chunks(path, {"terms": "Thirty days. Unused goods only."}).text(0)
    'Thirty days.'
    """
    texts = None if docs is None else documents(docs)
    warn(() if texts is None else warnings_about(texts, docs))
    loaded = load(path)
    records = loaded.records()
    if not records:
        raise loaded.wrong("there are no chunks in it")
    raw = [_read(loaded, row, record) for row, record in enumerate(records)]
    how = [_how(loaded, row, record) for row, record in enumerate(records)]
    homes = [_home(loaded, row, chunk, texts, how[row]) for row, chunk in enumerate(raw)]
    ids = [chunk.id or str(row + 1) for row, chunk in enumerate(raw)]
    spans = [chunk.spans for chunk in raw]
    tokens = [-1 if chunk.tokens is None else chunk.tokens for chunk in raw]
    try:
        table = ChunkTable.of(ids, homes, spans, tokens, [chunk.parent for chunk in raw])
        if texts is not None:
            check_ranges(texts, table)
    except FormatError as error:
        raise loaded.wrong(error.message) from None
    shares = [record.get("share", 1.0 if how[row] else 0.0) for row, record in enumerate(records)]
    return Chunks(
        texts,
        table,
        tuple(one.word for one in how),
        np.array([float(one) if isinstance(one, int | float) else 1.0 for one in shares]),
        np.array([record.get("ambiguous") is True for record in records], dtype=np.bool_),
        _given(raw, homes, texts),
    )


def _given(raw: list[RawChunk], homes: list[str], docs: Documents | None) -> tuple[str, ...] | None:
    """The texts of the file, if it holds them all, or the documents have the others."""
    is_given = [chunk.text is not None for chunk in raw]
    if not any(is_given) or (docs is None and not all(is_given)):
        return None
    pairs = zip(raw, homes, strict=True)
    return tuple(
        " ".join(docs[home][start:end] for start, end in chunk.spans)
        if chunk.text is None and docs is not None
        else chunk.text or ""
        for chunk, home in pairs
    )


def _home(loaded: Loaded, row: int, chunk: RawChunk, docs: Documents | None, how: How) -> str:
    named = chunk.documents[0] if chunk.documents else None
    if named is None and how is How.LOST:
        return ""
    home = normalise_id(named or "") if docs is None else docs.find(named)
    if not home:
        raise loaded.wrong(
            "doc is missing" if named is None else f"no document {quoted(named)}", row
        )
    return home


def _read(loaded: Loaded, row: int, record: dict[str, Any]) -> RawChunk:
    """A record that states its ranges; its text is not looked up again."""
    try:
        refuse_unknown(record, CHUNK_FIELDS, OTHER_NAMES)
        stated = raw_chunk({name: one for name, one in record.items() if name != "text"})
    except FormatError as error:
        raise loaded.wrong(error.message, row) from None
    text = record.get("text")
    return stated._replace(text=text if isinstance(text, str) else None)


def _how(loaded: Loaded, row: int, record: dict[str, Any]) -> How:
    word = record.get("how", "own")
    try:
        return How.of(str(word))
    except KeyError:
        known = ", ".join(one.word for one in How)
        raise loaded.wrong(f"how is {quoted(word)}: expected one of {known}", row) from None
