"""Chunks with their spans in documents: the set, its files, and runs made of chunks."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.chunks.adapters import OTHER_NAMES, RawChunk, raw_chunk
from doxeval.chunks.documents import Documents, documents, warnings_about
from doxeval.chunks.records import Loaded, json_line, load
from doxeval.columns import refuse_unknown
from doxeval.documents import normalise_id
from doxeval.errors import FormatError, MissingInput, UnknownReference, warn
from doxeval.files import open_output
from doxeval.locating import How, without_space
from doxeval.messages import Parameter, json_text, plural, quoted
from doxeval.named import checked
from doxeval.runs import CHUNK_FIELDS, ChunkTable, Run, SpanLists

if TYPE_CHECKING:
    from doxeval.chunks.locate import Locations


NOT_LOCATED = tuple(how.word for how in How if not how.is_located)


@dataclass(frozen=True, eq=False, repr=False)
class Chunks:
    """The chunks of documents: what a system that returns chunks can return.

    docs: the documents, if they are known. table: ids, documents, spans, tokens and parents of the
    chunks, by columns. how: in which way each was found ("offsets", "exact", "white space",
    "truncated", "fuzzy", "blank", "too ambiguous", "not found"). share: how much of its letters was
    found. ambiguous: whether other spans are as good. given: the texts as they came, where these
    are known, which are searched. read: what the model is given instead, None where that is no
    other text; the spans are of what is read. locations: how they were located, if they were.

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
    locations: Locations | None = None
    warnings: tuple[str, ...] = field(default=())
    read: tuple[str | None, ...] | None = None

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
        """Return chunks from the spans of their texts, a document and a list of spans for each."""
        names = distinct_ids(documents, ids or [None] * len(documents))
        known = [docs.named(document) for document in documents]
        table = ChunkTable.of(names, known, spans, tokens, parents)
        check_spans(docs, table)
        count = len(names)
        return cls(
            docs,
            table,
            (How.OFFSETS.word,) * count,
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
        """The spans of each chunk; none if it was not found."""
        return self.table.spans

    @property
    def tokens(self) -> Ints:
        """What each chunk costs to read, -1 where nobody says so."""
        return self.table.tokens

    @property
    def added(self) -> Ints:
        """How many characters of what is read are in no document."""
        return self.table.added

    @property
    def parent(self) -> Ints:
        """The chunk around each chunk, -1 if there is none."""
        return self.table.parent

    @property
    def missing(self) -> Ints:
        """The rows of the chunks that were not located: not found, or too ambiguous."""
        return np.flatnonzero([how in NOT_LOCATED for how in self.how])

    def find(self, chunk: str) -> int:
        """Return the row of a chunk, -1 if there is none of that id."""
        return self.table.find(chunk)

    def text(self, row: int) -> str:
        """Return the text of a chunk as its document has it; spans are joined by a space."""
        begin, end = self.spans.begin[row : row + 2].tolist()
        if self.given is not None and (begin == end or self.docs is None):
            return self.text_read(row)
        if begin == end:
            return ""
        document = self.known_docs[self.documents[int(self.document[row])]]
        ranges = zip(self.spans.start[begin:end], self.spans.end[begin:end], strict=True)
        return " ".join(document[start:after] for start, after in ranges)

    def text_read(self, row: int) -> str:
        """Return what the model is given of a chunk, as it came, else as its document has it."""
        other = None if self.read is None else self.read[row]
        if other is None:
            return self.text(row) if self.given is None else self.given[row]
        return other

    @property
    def searched(self) -> tuple[str, ...]:
        """The texts that are searched and embedded."""
        return self.texts if self.given is None else self.given

    @property
    def are_searched_as_read(self) -> bool:
        """Whether what is searched has the words that documents have at the spans."""
        if self.given is None:
            return True
        return self.read is None and not {How.FUZZY.word, *NOT_LOCATED} & set(self.how)

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
    def rows_by_text(self) -> dict[str, list[int]]:
        """The chunks with each text, white space left out, to know chunks by their text.

        A text is known whether it is what is searched or what is read.
        """
        rows: dict[str, list[int]] = {}
        for row, text in enumerate(self.searched):
            rows.setdefault(without_space(text), []).append(row)
        for row, other in enumerate(self.read or ()):
            if other is not None:
                rows.setdefault(without_space(other), []).append(row)
        return rows

    # Other forms

    def report(self) -> str:
        """Return how the chunks were located, in one line."""
        if self.locations is None:
            return f"{plural(len(self), 'chunk')}, split here"
        return str(self.locations.report)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield each chunk as a record of a chunk file."""
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
        if self.added[row]:
            more["added"] = int(self.added[row])
        if self.parent[row] >= 0:
            more["parent"] = self.ids[int(self.parent[row])]
        more["how"] = self.how[row]
        if self.share[row] < 1:
            more["share"] = round(float(self.share[row]), 4)
        if self.ambiguous[row]:
            more["ambiguous"] = True
        read = None if self.read is None else self.read[row]
        is_other = read is not None or self.how[row] not in ("offsets", "exact")
        if self.given is not None and is_other:
            more["text"] = self.given[row]
        return more if read is None else more | {"read": read}

    def to_pandas(self) -> Any:
        """Return a pandas frame with a row for each chunk, as in a chunk file."""
        from doxeval.runs import optional_module

        return optional_module("pandas").DataFrame(list(self.records()))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a chunk file as JSONL, which `read_chunks` reads."""
        with open_output(path) as file:
            for record in self.records():
                file.write(json_line(record))


def distinct_ids(documents: Sequence[str], given: Sequence[str | None]) -> list[str]:
    """Return ids of chunks that are all different.

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


def check_spans(docs: Documents, table: ChunkTable) -> None:
    """Refuse spans that are not in their document."""
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


@checked
def read_chunks(path: str | os.PathLike[str], docs: Any = None) -> Chunks:
    """Read a chunk file that was located before.

    If its documents are given, its spans must be in them, and the chunks have texts. A field that
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
    names = [_document_of(loaded, row, chunk, texts, how[row]) for row, chunk in enumerate(raw)]
    ids = [chunk.id or str(row + 1) for row, chunk in enumerate(raw)]
    spans = [chunk.spans for chunk in raw]
    tokens = [-1 if chunk.tokens is None else chunk.tokens for chunk in raw]
    added = [chunk.added for chunk in raw]
    try:
        parents = [chunk.parent for chunk in raw]
        table = ChunkTable.of(ids, names, spans, tokens, parents, added)
        if texts is not None:
            check_spans(texts, table)
    except FormatError as error:
        raise loaded.wrong(error.message) from None
    shares = [record.get("share", 1.0 if how[row] else 0.0) for row, record in enumerate(records)]
    return Chunks(
        texts,
        table,
        tuple(value.word for value in how),
        np.array([float(value) if isinstance(value, int | float) else 1.0 for value in shares]),
        np.array([record.get("ambiguous") is True for record in records], dtype=np.bool_),
        _given(raw, names, texts),
        read=texts_read(raw),
    )


def _given(raw: list[RawChunk], names: list[str], docs: Documents | None) -> tuple[str, ...] | None:
    """Return the texts of the file, if it holds them all, or the documents have the others."""
    is_given = [chunk.text is not None for chunk in raw]
    if not any(is_given) or (docs is None and not all(is_given)):
        return None
    pairs = zip(raw, names, strict=True)
    return tuple(
        " ".join(docs[name][start:end] for start, end in chunk.spans)
        if chunk.text is None and docs is not None
        else chunk.text or ""
        for chunk, name in pairs
    )


def texts_read(raw: Sequence[RawChunk]) -> tuple[str | None, ...] | None:
    """Return what is read where that is another text; None if it never is."""
    if all(chunk.read is None for chunk in raw):
        return None
    return tuple(chunk.read for chunk in raw)


def _document_of(
    loaded: Loaded, row: int, chunk: RawChunk, docs: Documents | None, how: How
) -> str:
    named = chunk.documents[0] if chunk.documents else None
    if named is None and how is How.NOT_FOUND:
        return ""
    document = normalise_id(named or "") if docs is None else docs.find(named)
    if not document:
        raise loaded.wrong(
            "doc is missing" if named is None else f"no document {quoted(named)}", row
        )
    return document


def _read(loaded: Loaded, row: int, record: dict[str, Any]) -> RawChunk:
    """Return the chunk of a record that states its spans; its text is not looked up again."""
    try:
        refuse_unknown(record, CHUNK_FIELDS, OTHER_NAMES)
        texts = ("text", "read")
        stated = raw_chunk({name: value for name, value in record.items() if name not in texts})
    except FormatError as error:
        raise loaded.wrong(error.message, row) from None
    for name in texts:
        if record.get(name) is not None and not isinstance(record[name], str):
            raise loaded.wrong(f"{name} is {quoted(record[name])}: expected a text", row)
    text, read = (record.get(name) for name in texts)
    return stated._replace(text=read if text is None else text, read=None if read == text else read)


def _how(loaded: Loaded, row: int, record: dict[str, Any]) -> How:
    word = record.get("how", How.OFFSETS.word)
    try:
        return How.of(str(word))
    except KeyError:
        known = ", ".join(how.word for how in How)
        raise loaded.wrong(f"how is {quoted(word)}: expected one of {known}", row) from None


def run_of_chunks(
    table: ChunkTable,
    topics: Sequence[str],
    chunks: Ints,
    scores: Floats | None = None,
    run_id: str = "run",
) -> Run:
    """Return a run of chunks, in the order of the ranking: the topic and the number of each chunk.

    >>> table = ChunkTable.of(["1", "2"], ["a", "a"], [[(0, 4)], [(4, 7)]])
    >>> run_of_chunks(table, ["7", "7"], np.array([1, 0]))
    Run('run': 2 results for 1 topic, passages)
    """
    chunks, table = np.asarray(chunks, dtype=np.int64), table.in_runs
    names = np.array(table.documents, dtype=object)
    tokens, added = table.tokens[chunks], table.added[chunks]
    several = table.spans.counts
    spans = table.spans.rows(chunks)
    if len(chunks) and (several[chunks] != 1).any():
        where: dict[str, Any] = {"spans": spans}
    else:
        where = {"start": spans.start, "end": spans.end}
    return Run.from_arrays(
        list(topics),
        names[table.document[chunks]].tolist() if len(chunks) else [],
        **where,
        score=scores,
        tokens=tokens if (tokens >= 0).any() else None,
        added=added if added.any() else None,
        run_id=run_id,
    )


def chunks_of_run(run: Run, table: ChunkTable) -> Ints:
    """Return the number of the chunk that each result is; an error if it is none of them.

    >>> table = ChunkTable.of(["1", "2"], ["a", "a"], [[(0, 4)], [(4, 7)]])
    >>> chunks_of_run(run_of_chunks(table, ["7", "7"], np.array([1, 0])), table).tolist()
    [1, 0]
    """
    known: dict[tuple[int, object], int] = {}
    table = table.in_runs
    of_chunks = table.spans.as_tuples()
    for number, (document, spans) in enumerate(
        zip(table.document.tolist(), of_chunks, strict=True)
    ):
        known.setdefault((document, spans), number)
    numbers = {name: number for number, name in enumerate(table.documents)}
    document = [numbers.get(name, -1) for name in run.documents]
    lists = None if run.spans is None else run.spans.as_tuples()
    chunks = np.empty(len(run), dtype=np.int64)
    columns = zip(run.document.tolist(), run.start.tolist(), run.end.tolist(), strict=True)
    for row, (number, start, end) in enumerate(columns):
        spans = (lists[row] if lists is not None else ()) or ((start, end),)
        chunk = known.get((document[number], spans))
        if chunk is None:
            raise UnknownReference(
                f"result {row + 1:,} of {quoted(run.run_id)} ({run.documents[number]} "
                f"{start:,} to {end:,}) is none of the chunks"
            )
        chunks[row] = chunk
    return chunks


_SURROGATE = re.compile("[\ud800-\udfff]")


def chunks_with_texts(path: str | os.PathLike[str], docs: Any = None) -> Chunks:
    """Read a chunk file, with documents that are given or reconstructed from its texts.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "chunks.jsonl"
    >>> _ = path.write_text('{"id": "1", "doc": "a", "start": 2, "end": 6, "text": "Four"}\\n')
    >>> chunks_with_texts(path).known_docs["a"]
    '  Four'
    """
    chunks = read_chunks(path, docs)
    if chunks.docs is not None:
        return chunks
    if chunks.given is None:
        raise MissingInput(
            f"{os.fspath(path)} has no texts: " + Parameter("docs") + " names the documents"
        )
    if ((chunks.added > 0) & (chunks.spans.counts > 0)).any():
        raise MissingInput(
            f"{os.fspath(path)} has chunks with text that is in no document, so documents cannot "
            "be reconstructed from it: " + Parameter("docs") + " names them"
        )
    read = tuple(chunks.text_read(row) for row in range(len(chunks)))
    return replace(chunks, docs=_rebuilt_documents(chunks, read))


class RebuiltDocuments(Documents):
    """Documents of which nothing is known but their chunks."""


def _rebuilt_documents(chunks: Chunks, given: tuple[str, ...]) -> RebuiltDocuments:
    """Return what chunks show of their documents; what none of them shows is blank."""
    lengths: dict[str, int] = {}
    of_chunks = chunks.spans.as_tuples()
    names = [chunks.documents[number] for number in chunks.document.tolist()]
    for name, spans in zip(names, of_chunks, strict=True):
        end = spans[-1][1] if spans else 0
        lengths[name] = max(lengths.get(name, 0), end)
    texts = {name: [" "] * length for name, length in lengths.items() if name}
    for name, spans, text in zip(names, of_chunks, given, strict=True):
        if len(spans) == 1 and name:
            ((start, end),) = spans
            # White space may differ; then the letters are right, and their offsets nearly so.
            texts[name][start:end] = text[: end - start].ljust(end - start)
    return RebuiltDocuments((name, "".join(characters)) for name, characters in texts.items())


def write_with_texts(chunks: Chunks, path: str | os.PathLike[str]) -> None:
    """Write a chunk file that says of every chunk what its text is.

    Text with lone surrogates, which files cannot hold, is left out.
    """
    with open_output(path) as file:
        for row, record in enumerate(chunks.records()):
            record.setdefault("text", chunks.text(row))
            if _SURROGATE.search(record["text"]):
                del record["text"]
            file.write(f"{json_text(record)}\n".encode())
