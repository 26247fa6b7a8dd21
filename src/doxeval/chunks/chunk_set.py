"""Chunks with their places in documents."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.chunks.document_set import Documents
from doxeval.chunks.loading import json_line
from doxeval.chunks.locating_told import Told
from doxeval.errors import FormatError, MissingInput
from doxeval.files import open_output
from doxeval.locating import How
from doxeval.messages import Parameter, plural
from doxeval.runs import ChunkTable, SpanLists

NOT_PLACED = tuple(how.word for how in How if not how.is_placed)


@dataclass(frozen=True, eq=False, repr=False)
class Chunks:
    """The chunks of documents: what a system that returns chunks can return.

    docs: the documents, if they are known. table: ids, documents, ranges, tokens and parents of
    the chunks, by columns. how: in which way each was found ("own", "exact", "white space",
    "broken", "folded", "blank", "too ambiguous", "lost"). share: how much of its letters was found.
    ambiguous: whether other places are as good. given: the texts as they came, where these are
    known. told: the report of what was found how.

    >>> docs = Documents([("terms", "Thirty days. Unused goods only.")])
    >>> chunks = Chunks.of(docs, ["terms", "terms"], [[(0, 12)], [(13, 31)]])
    >>> chunks, chunks.ids, chunks.text(1)
    (Chunks(2 chunks of 1 document), ('terms#1', 'terms#2'), 'Unused goods only.')
    """

    docs: Documents | None
    table: ChunkTable
    how: tuple[str, ...]
    share: Floats
    ambiguous: Bools
    given: tuple[str, ...] | None = None
    told: Told | None = None
    warnings: tuple[str, ...] = field(default=())

    @classmethod
    def of(
        cls,
        docs: Documents,
        documents: Sequence[str],
        spans: SpanLists | Sequence[Sequence[tuple[int, int]]],
        *,
        ids: Sequence[str | None] | None = None,
        tokens: Sequence[int] | None = None,
        parents: Sequence[str | None] | None = None,
        given: Sequence[str] | None = None,
    ) -> Chunks:
        """Chunks from the ranges of their texts, a document and a list of ranges for each."""
        names = distinct_ids(documents, ids or [None] * len(documents))
        homes = [docs.named(document) for document in documents]
        table = ChunkTable.of(names, homes, spans, tokens, parents)
        check_ranges(docs, table)
        count = len(names)
        return cls(
            docs,
            table,
            ("own",) * count,
            np.ones(count),
            np.zeros(count, dtype=np.bool_),
            None if given is None else tuple(given),
        )

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        documents = plural(len(self.table.documents), "document")
        return f"Chunks({plural(len(self), 'chunk')} of {documents})"

    # Columns

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all chunks."""
        return self.table.ids

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents that have chunks."""
        return self.table.documents

    @property
    def document(self) -> Ints:
        """The document of each chunk, as its number among `documents`."""
        return self.table.document

    @property
    def spans(self) -> SpanLists:
        """The ranges of each chunk; none if it is lost."""
        return self.table.spans

    @property
    def tokens(self) -> Ints:
        """What each chunk costs to read, -1 where nobody says so."""
        return self.table.tokens

    @property
    def parent(self) -> Ints:
        """The chunk around each chunk, -1 if there is none."""
        return self.table.parent

    @property
    def lost(self) -> Ints:
        """The rows of the chunks that have no place: not found, or too ambiguous."""
        return np.flatnonzero([how in NOT_PLACED for how in self.how])

    def find(self, chunk: str) -> int:
        """The row of a chunk, -1 if there is none of that id."""
        return self.table.find(chunk)

    def text(self, row: int) -> str:
        """The text of a chunk, as it stands in its document; ranges apart are joined by a space."""
        begin, end = self.spans.begin[row : row + 2].tolist()
        if self.given is not None and (begin == end or self.docs is None):
            return self.given[row]
        if begin == end:
            return ""
        document = self.known_docs[self.documents[int(self.document[row])]]
        ranges = zip(self.spans.start[begin:end], self.spans.end[begin:end], strict=True)
        return " ".join(document[start:after] for start, after in ranges)

    @property
    def known_docs(self) -> Documents:
        """The documents; it is an error if they are not known."""
        if self.docs is None:
            raise MissingInput(
                "the texts of the chunks are not known: "
                + Parameter("docs")
                + " names the documents"
            )
        return self.docs

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The texts of all chunks."""
        return tuple(map(self.text, range(len(self))))

    @cached_property
    def rows_by_text(self) -> dict[str, int]:
        """The first chunk with each text, white space left out, to know chunks by their text."""
        found: dict[str, int] = {}
        for row, text in enumerate(self.given or self.texts):
            found.setdefault("".join(text.split()), row)
        return found

    # Other forms

    def report(self) -> str:
        """What was found how, in one line."""
        cut = f"{plural(len(self), 'chunk')}, cut here"
        return cut if self.told is None else str(self.told.report)

    def records(self) -> Iterator[dict[str, Any]]:
        """Each chunk as a record of a chunk file."""
        lists = self.spans.as_tuples()
        for row, (name, spans) in enumerate(zip(self.ids, lists, strict=True)):
            record: dict[str, Any] = {"id": name}
            document = self.documents[int(self.document[row])]
            record |= {"doc": document} if document else {}
            if len(spans) == 1:
                record |= {"start": spans[0][0], "end": spans[0][1]}
            else:
                record["spans"] = [list(span) for span in spans]
            yield record | self._more(row)

    def _more(self, row: int) -> dict[str, Any]:
        more: dict[str, Any] = {}
        if self.tokens[row] >= 0:
            more["tokens"] = int(self.tokens[row])
        if self.parent[row] >= 0:
            more["parent"] = self.ids[int(self.parent[row])]
        more["how"] = self.how[row]
        if self.share[row] < 1:
            more["share"] = round(float(self.share[row]), 4)
        if self.ambiguous[row]:
            more["ambiguous"] = True
        if self.given is not None and self.how[row] not in ("own", "exact"):
            more["text"] = self.given[row]
        return more

    def to_pandas(self) -> Any:
        """A pandas frame with a row for each chunk, as in a chunk file."""
        from doxeval.runs import optional_module

        return optional_module("pandas").DataFrame(list(self.records()))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a chunk file as JSONL, which `read_chunks` reads."""
        with open_output(path) as file:
            for record in self.records():
                file.write(json_line(record))


def distinct_ids(documents: Sequence[str], given: Sequence[str | None]) -> list[str]:
    """Ids of chunks that are all different.

    A chunk without an id is numbered within its document. An id that several documents use gets
    the document before it.

    >>> distinct_ids(["a", "a", "b"], [None, None, None])
    ['a#1', 'a#2', 'b#1']
    >>> distinct_ids(["a", "b"], ["1", "1"])
    ['a#1', 'b#1']
    """
    counts: dict[str, int] = {}
    names = []
    for document, name in zip(documents, given, strict=True):
        counts[document] = counts.get(document, 0) + 1
        names.append(f"{document}#{counts[document]}" if name in (None, "") else str(name))
    if len(set(names)) == len(names):
        return names
    named = [f"{document}#{name}" for document, name in zip(documents, given, strict=True)]
    if None in given or len(set(named)) < len(named):
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise FormatError(f"there are two chunks {twice[:80]!r}")
    return named


def check_ranges(docs: Documents, table: ChunkTable) -> None:
    """Refuse ranges that are not in their document."""
    lengths = np.array([len(docs[name]) if name else 0 for name in table.documents])
    owner = table.spans.owner
    most = lengths[table.document[owner]]
    wrong = np.flatnonzero((table.spans.start < 0) | (table.spans.end > most))
    if len(wrong):
        at = int(wrong[0])
        row = int(owner[at])
        raise FormatError(
            f"chunk {table.ids[row][:80]!r}: [{table.spans.start[at]}, {table.spans.end[at]}) is "
            f"not in document {table.documents[int(table.document[row])][:80]!r}, which has "
            f"{plural(int(most[at]), 'character')}"
        )
