"""All chunks of a collection: what systems that return chunks can return.

    {"id", "doc", "start", "end"}            a chunk, half-open, in characters
    {"id", "doc", "spans": [[s, e]…]}        a chunk of several ranges

`tokens` (what the chunk costs to read) and `parent` (the id of the chunk around it) may be there
too. So may `text` and `read` (what the model is given, where that is another text), `order` (its
number in the document), and how it was located: `how`, `share` and `ambiguous`. What is yours goes
under `metadata`; other fields are errors.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from doxeval.arrays import Ints
from doxeval.columns import refuse_unknown
from doxeval.documents import normalised_id
from doxeval.errors import FormatError
from doxeval.files import open_input
from doxeval.messages import quoted
from doxeval.named import checked
from doxeval.runs.columns import RANGE, SpanLists, is_range
from doxeval.runs.records import JsonBlock, json_blocks

_KNOWN = ("id", "doc", "start", "end", "spans", "tokens", "parent")
CHUNK_FIELDS = (
    *_KNOWN,
    *("text", "read", "order", "how", "share", "ambiguous", "metadata"),
)
_CHUNK_FIELDS = frozenset(CHUNK_FIELDS)


@dataclass(frozen=True, eq=False, repr=False)
class ChunkTable:
    """Chunks by id: their documents, ranges of text, costs and parents.

    document: the number of each chunk's document among `documents`. spans: its ranges.
    tokens: what it costs to read, -1 where nobody says so. parent: the chunk around it, -1 if
    there is none.

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

    @classmethod
    def of(
        cls,
        ids: Sequence[str],
        documents: Sequence[str],
        spans: SpanLists | Sequence[Sequence[tuple[int, int]]],
        tokens: Sequence[int] | None = None,
        parents: Sequence[str | None] | None = None,
    ) -> ChunkTable:
        """A table from columns, a value for each chunk."""
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
        )

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        one = "document" if len(self.documents) == 1 else "documents"
        chunks = "chunk" if len(self) == 1 else "chunks"
        return f"ChunkTable({len(self):,} {chunks} of {len(self.documents):,} {one})"

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.ids)}

    def find(self, chunk: str) -> int:
        """The number of a chunk, -1 if there is none of that id."""
        return self._numbers.get(chunk, -1)


@checked
def read_chunks(path: str | os.PathLike[str]) -> ChunkTable:
    """Read chunks from JSONL: {"id", "doc", "start", "end" or "spans", "tokens"?, "parent"?}.

    Texts and how a chunk was found may be there too; other fields are errors.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "chunks.jsonl"
    >>> _ = path.write_text('{"id": "1", "doc": "a", "start": 0, "end": 5}\\n')
    >>> read_chunks(path)
    ChunkTable(1 chunk of 1 document)
    """
    name = os.fspath(path)
    rows: list[tuple[str, str, Any, int, str | None]] = []
    with open_input(path) as file:
        for block in json_blocks(file, name):
            for record, line in zip(_with_spans(block), block.lines, strict=True):
                try:
                    rows.append(_chunk(record, f"{len(rows) + 1}"))
                except FormatError as error:
                    raise FormatError(error.message, name, line) from None
    if not rows:
        raise FormatError("no chunks in the file", name)
    ids, documents, spans, tokens, parents = zip(*rows, strict=True)
    try:
        return ChunkTable.of(ids, documents, spans, tokens, parents)
    except FormatError as error:
        raise FormatError(error.message, name) from None


def _with_spans(block: JsonBlock) -> Iterator[Mapping[str, Any]]:
    """The objects with the ranges that were read apart from them."""
    if block.spans is None:
        yield from block.records
        return
    spans = iter(block.spans.as_tuples())
    for record in block.records:
        yield {**record, "spans": list(next(spans))} if "spans" in record else record


def _chunk(record: Mapping[str, Any], otherwise: str) -> tuple[str, str, Any, int, str | None]:
    if not record.keys() <= _CHUNK_FIELDS:
        refuse_unknown(record, CHUNK_FIELDS)
    given = {name: record.get(name) for name in _KNOWN}
    spans = given["spans"]
    if spans is None:
        spans = [[given["start"], given["end"]]]
    if not isinstance(spans, list) or not all(map(is_range, spans)):
        raise FormatError(f"the range {quoted(spans)}: {RANGE}")
    # A chunk that was found nowhere has no ranges, and perhaps no document.
    if given["doc"] in (None, "") and spans:
        raise FormatError("doc is missing")
    tokens = given["tokens"]
    if tokens is not None and (type(tokens) is not int or tokens < 0):
        raise FormatError(f"tokens is {quoted(tokens)}: expected a whole number, 0 or more")
    chunk = otherwise if given["id"] is None else str(given["id"])
    parent = None if given["parent"] is None else str(given["parent"])
    return (
        chunk,
        normalised_id(str(given["doc"] or "")),
        spans,
        -1 if tokens is None else tokens,
        parent,
    )
