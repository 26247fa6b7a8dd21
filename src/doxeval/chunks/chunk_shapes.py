"""Chunks from whatever holds them: lists, tables and files, by document or all together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from doxeval.chunks.loading import Loaded, frame_records, is_frame, load
from doxeval.chunks.raw_chunks import RawChunk, raw_chunk
from doxeval.errors import FormatError
from doxeval.messages import quoted


def raw_chunks(source: Any, doc_key: str | None = None) -> list[RawChunk]:
    """All chunks of a source, in its order.

    source: a list of chunks; lists of chunks by document; what a collection of Chroma returns; a
    data frame; or a file of JSONL, JSON, CSV or Parquet with a record for each.

    >>> [chunk.documents for chunk in raw_chunks({"a": ["One.", "Two."], "b": ["Three."]})]
    [('a',), ('a',), ('b',)]
    """
    if isinstance(source, str | os.PathLike):
        return _of_loaded(load(source), doc_key)
    if is_frame(source):
        return _of_loaded(Loaded(frame_records(source)), doc_key)
    if isinstance(source, Mapping):
        return _of_mapping(source, doc_key)
    if isinstance(source, Iterable):
        return list(_of_items(list(source), doc_key))
    raise FormatError(f"{quoted(source)}: expected chunks, chunks by document, or a file of them")


def _of_loaded(loaded: Loaded, doc_key: str | None) -> list[RawChunk]:
    if isinstance(loaded.value, Mapping):
        try:
            return _of_mapping(loaded.value, doc_key)
        except FormatError as error:
            raise loaded.wrong(error.message) from None
    chunks = []
    for number, record in enumerate(loaded.value if isinstance(loaded.value, list) else []):
        try:
            chunks.append(raw_chunk(record, doc_key))
        except FormatError as error:
            raise loaded.wrong(error.message, number) from None
    if not chunks:
        raise loaded.wrong("there are no chunks in it")
    return chunks


def _of_items(items: list[Any], doc_key: str | None) -> Iterator[RawChunk]:
    for item in items:
        if isinstance(item, list) and not _is_pair(item):  # a list of chunks for each document
            yield from (raw_chunk(one, doc_key) for one in item)
        else:
            yield raw_chunk(item, doc_key)


def _is_pair(item: list[Any]) -> bool:
    return len(item) in (2, 3) and isinstance(item[0], str) and not isinstance(item[1], str)


def _of_mapping(source: Mapping[Any, Any], doc_key: str | None) -> list[RawChunk]:
    if isinstance(source.get("documents"), Sequence) and "metadatas" in source:
        return _of_store(source, doc_key)
    return [
        RawChunk(chunk, (str(document),))
        if isinstance(chunk, str)
        else chunk._replace(documents=(str(document),))
        for document, own in source.items()
        for chunk in _of_document(document, own, doc_key)
    ]


def _of_document(document: Any, own: Any, doc_key: str | None) -> Iterator[RawChunk | str]:
    """The chunks of one document, in any of the forms that splitters return; texts as they are."""
    if isinstance(own, Mapping) and isinstance(own.get("splits"), Sequence):  # HiCBench
        yield from _with_levels(str(document), own["splits"])
    elif isinstance(own, tuple) and len(own) == 2 and _are_offsets(own[1]):  # semchunk
        texts, offsets = own
        if len(texts) != len(offsets):
            counts = f"{len(texts):,} texts, {len(offsets):,} pairs of offsets"
            raise FormatError(f"document {quoted(document)}: {counts}")
        for text, pair in zip(texts, offsets, strict=True):
            yield raw_chunk((text, tuple(pair)))
    elif isinstance(own, Iterable) and not isinstance(own, str | Mapping):
        yield from (one if isinstance(one, str) else raw_chunk(one, doc_key) for one in own)
    else:
        raise FormatError(
            f"document {quoted(document)} has {quoted(own)}: expected a list of chunks"
        )


def _are_offsets(value: Any) -> bool:
    return isinstance(value, Sequence) and all(
        isinstance(one, Sequence) and not isinstance(one, str) and len(one) == 2 for one in value
    )


def _with_levels(document: str, splits: Sequence[Any]) -> Iterator[RawChunk]:
    """The splits of HiCBench: a tree in the order of the text, by the level of each split."""
    above: list[tuple[int, str]] = []
    for number, split in enumerate(splits, 1):
        if not isinstance(split, Sequence) or len(split) != 2 or not isinstance(split[0], str):
            raise FormatError(
                f"document {quoted(document)}: {quoted(split)}: expected [text, level]"
            )
        level = split[1] if type(split[1]) is int else 0
        while above and above[-1][0] >= level:
            above.pop()
        name = f"{document}#{number}"
        # The splits tile the document, so what is above one is told apart from its place in it.
        yield RawChunk(split[0], id=name, parent=above[-1][1] if above else None, order=number)
        above.append((level, name))


def _of_store(source: Mapping[str, Any], doc_key: str | None) -> list[RawChunk]:
    """What a collection of Chroma returns: ids, texts and metadata as columns, nested or not."""
    columns = [source.get(name) or [] for name in ("ids", "documents", "metadatas")]
    if columns[1] and isinstance(columns[1][0], list):  # of several queries
        columns = [_together(column) for column in columns]
    ids, texts, metadata = columns
    for name, column in (("ids", ids), ("metadatas", metadata)):
        if not isinstance(column, Sequence) or (column and len(column) != len(texts)):
            raise FormatError(f"{name} is {quoted(column)}: expected one for each of documents")
    chunks = []
    for number, text in enumerate(texts):
        own = metadata[number] if metadata else None
        fields = {**(own if isinstance(own, Mapping) else {}), "text": text}
        chunk = raw_chunk(fields, doc_key)
        chunks.append(chunk._replace(id=str(ids[number])) if ids else chunk)
    return chunks


def _together(rows: Any) -> list[Any]:
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise FormatError(f"{quoted(rows)}: expected a list for each query")
    return [one for row in rows for one in row]
