"""Chunks located in documents: their documents, then their offsets checked or their texts found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from doxeval.chunks.adapters import RawChunk, raw_chunks
from doxeval.chunks.chunks import Chunks, distinct_ids, texts_read
from doxeval.chunks.documents import Documents, documents, warnings_about
from doxeval.chunks.gold import QuoteFinder
from doxeval.errors import FormatError, warn
from doxeval.locating import (
    How,
    Located,
    LocatingReport,
    MissingChunk,
    Order,
    is_same_text,
    locate_chunks,
    total,
)
from doxeval.messages import Parameter, join_names, plural, quoted
from doxeval.named import checked
from doxeval.runs import ChunkTable
from doxeval.spans import Spans, merge_spans

# Below half, these are probably other texts; then nothing that follows would mean anything.
_MOST_MISSING = "50%"


@checked
def locate(
    docs: Any,
    chunks: Any,
    order: Order = "list",
    min_share: float = 0.8,
    max_missing: int | str | None = None,
    doc_key: str | None = None,
) -> Chunks:
    """Return chunks with their spans in their documents.

    docs: what `documents` takes. chunks: texts, chunks of LangChain, LlamaIndex, Haystack, Chonkie
    or semchunk, what a collection of Chroma returns, records, a data frame or a file, as one list
    or as lists by document. Offsets that came with chunks are checked, and texts that are not there
    are looked up. order="list" says that the chunks of a document are in its order, which decides
    which copy of a repeated text is meant; order="none" that they are not. A chunk of which only a
    part is found needs a share of min_share. max_missing: how many chunks may be missing, as a
    number or a share such as "5%"; by default half of them, and warnings tell which are. Chunks
    that occur too often to tell which place is meant ("aaaa…" in a text of nothing else), unless
    their offsets or the order in which they fill the text tell it, are counted with these. doc_key:
    the key in the metadata that names the document.

    >>> docs = {"terms": "Thirty days. Unused goods only. Thirty days."}
    >>> located = locate(docs, {"terms": ["Thirty days.", "Unused goods only.", "Thirty days."]})
    >>> located.spans.as_tuples()
    [((0, 12),), ((13, 31),), ((32, 44),)]
    """
    if isinstance(chunks, Chunks):
        return chunks
    texts = documents(docs)
    raw = raw_chunks(chunks, doc_key)
    if not raw:
        raise FormatError("there are no chunks")
    names, warnings = assign_documents(texts, raw)
    locator = _Locator(texts, raw, names, order, min_share)
    locator.refuse(_MOST_MISSING if max_missing is None else max_missing)
    located = locator.chunks((*warnings_about(texts, docs), *warnings))
    warn(located.warnings)
    return located


# The document of each chunk


def assign_documents(
    docs: Documents, chunks: Sequence[RawChunk]
) -> tuple[tuple[str | None, ...], tuple[str, ...]]:
    """Return the document of each chunk, None where it is not known; and warnings.

    A chunk that names none takes that of its parent, or is looked for in all documents. If it
    occurs in several, the document of a neighbour in the list is the most likely.

    >>> docs = Documents([("a", "One. Two."), ("b", "Two. Three.")])
    >>> assign_documents(docs, [RawChunk("One."), RawChunk("Two."), RawChunk("Three.")])[0]
    ('a', 'a', 'b')
    """
    known = {names: _named(docs, names) for names in {chunk.documents for chunk in chunks}}
    assigned = [known[chunk.documents] for chunk in chunks]
    if None in assigned:
        _take_from_parents(assigned, chunks)
    unknown = [row for row, document in enumerate(assigned) if document is None]
    if not unknown:
        return tuple(assigned), ()
    if len(docs) == 1 and not any(chunks[row].documents for row in unknown):
        only = next(iter(docs))
        return tuple(only if document is None else document for document in assigned), ()
    candidates = _candidates(docs, [chunks[row].text_read or "" for row in unknown])
    for row in unknown:
        assigned[row] = _nearest(assigned, row, candidates[chunks[row].text_read or ""])
    return tuple(assigned), _warnings(chunks, unknown)


def _named(docs: Documents, names: Sequence[str]) -> str | None:
    """Return the first of the names that is a document."""
    known = map(docs.find, names)
    return next((name for name in known if name is not None), None)


def _take_from_parents(assigned: list[str | None], chunks: Sequence[RawChunk]) -> None:
    rows = {chunk.id: row for row, chunk in enumerate(chunks) if chunk.id is not None}
    for row in range(len(chunks)):
        at: int | None = row
        seen = set()
        while at is not None and assigned[at] is None and at not in seen:
            seen.add(at)
            above = (chunks[at].parent, *chunks[at].documents)  # Haystack's source is the parent
            at = next((rows[name] for name in above if name and rows.get(name, at) != at), None)
        if at is not None and assigned[at] is not None:
            for below in seen:
                assigned[below] = assigned[at]


def _candidates(docs: Documents, texts: Sequence[str]) -> dict[str, Mapping[str, None]]:
    """Return the documents in which each distinct text of chunks occurs, in their order."""
    quotes = QuoteFinder(docs, ((None, text) for text in texts))
    return {
        text: dict.fromkeys(span.document for span in quotes.find(None, text).spans)
        for text in dict.fromkeys(texts)
    }


def _nearest(
    assigned: Sequence[str | None], row: int, candidates: Mapping[str, None]
) -> str | None:
    """Return the document of a neighbour, if the text occurs there or nowhere; else the first."""
    before = assigned[row - 1] if row else None
    after = assigned[row + 1] if row + 1 < len(assigned) else None
    for neighbour in (before, after):
        if neighbour is not None and (neighbour in candidates or not candidates):
            return neighbour
    return next(iter(candidates), None)


def _warnings(chunks: Sequence[RawChunk], unknown: Sequence[int]) -> tuple[str, ...]:
    names = dict.fromkeys(chunks[row].documents[0] for row in unknown if chunks[row].documents)
    if not names:
        return ()
    return (
        f"no documents {join_names(list(names), 3)}: {plural(len(unknown), 'chunk')} looked for in "
        "all documents; " + Parameter("doc_key") + " says which key of the metadata names them",
    )


# Their spans there


@dataclass(frozen=True)
class LocatedInDocument:
    """Chunks located in a document, and the spans of chunks that came without a text."""

    document: str
    located: Located
    given: Sequence[Sequence[tuple[int, int]]] = ()

    def report(self) -> LocatingReport:
        """Return how the chunks of this document were located."""
        report = self.located.report.in_document(self.document)
        if not self.given:
            return report
        word = How.OFFSETS.word
        how = dict(report.how) | {word: report.how[word] + len(self.given)}
        count = report.chunks + len(self.given)
        return replace(report, chunks=count, how=how, uncovered=self._uncovered())

    def _uncovered(self) -> int:
        """Return how many non-space characters are in no chunk of either kind."""
        given = [(0, start, end) for spans in self.given for start, end in spans]
        pairs = zip(self.located.start.tolist(), self.located.end.tolist(), strict=True)
        spans = merge_spans(Spans.of(given + [(0, start, end) for start, end in pairs]))
        before = self.located.document.dense_before
        covered = before(spans.end) - before(spans.start)
        return len(self.located.document) - int(np.sum(covered))


@dataclass(frozen=True)
class Locations:
    """What was located in all documents, and the chunks of which no document is known.

    The report is made when it is first used: to count which texts occur more than once takes longer
    than to locate chunks that tile a document.
    """

    parts: tuple[LocatedInDocument, ...]
    without_document: tuple[MissingChunk, ...] = ()

    @cached_property
    def report(self) -> LocatingReport:
        """How all chunks were located."""
        count = len(self.without_document)
        counts = {How.NOT_FOUND.word: count}
        rest = LocatingReport(count, counts, 0, 0, 0, 0, missing=self.without_document)
        return total([*(part.report() for part in self.parts), rest])


class _Locator:
    """The spans of all chunks, located document by document."""

    def __init__(
        self,
        docs: Documents,
        raw: Sequence[RawChunk],
        assigned: Sequence[str | None],
        order: Order,
        min_share: float,
    ) -> None:
        self._docs = docs
        self._raw = raw
        self._assigned = assigned
        self._order = order
        self._min_share = min_share
        self._spans: list[Sequence[tuple[int, int]]] = [()] * len(raw)
        self._how = [How.NOT_FOUND] * len(raw)
        self._share = np.zeros(len(raw))
        self._ambiguous = np.zeros(len(raw), dtype=np.bool_)
        self._added = np.zeros(len(raw), dtype=np.int64)
        rows: dict[str, list[int]] = {document: [] for document in docs}
        for row, document in enumerate(assigned):
            if document is not None:
                rows[document].append(row)
        self._missing: list[MissingChunk] = []
        self._parts = tuple(
            self._in_document(document, numbers) for document, numbers in rows.items()
        )
        self._without_document = tuple(
            MissingChunk(None, row, raw[row].text_read or "", 0.0)
            for row, document in enumerate(assigned)
            if document is None
        )
        for chunk in self._without_document:
            self._added[chunk.number] = len(chunk.text.strip())
        self._missing += self._without_document

    def _in_document(self, document: str, rows: list[int]) -> LocatedInDocument:
        given = [row for row in rows if self._has_right_spans(document, self._raw[row])]
        self._take_given(document, given)
        with_text = sorted({*rows} - {*given})
        orders = [self._raw[row].order for row in with_text]
        is_numbered = None not in orders and len(set(orders)) == len(orders) > 0
        if is_numbered:
            with_text.sort(key=lambda row: self._raw[row].order or 0)
        located = locate_chunks(
            self._docs[document],
            [self._raw[row].text_read or "" for row in with_text],
            offsets=self._offsets(with_text),
            parents=None if is_numbered else self._parents(with_text),
            order="list" if is_numbered else self._order,
            min_share=self._min_share,
        )
        self._take(located, with_text)
        missing = map(located.missing_chunk, located.missing.tolist())
        self._missing += [replace(chunk, document=document) for chunk in missing]
        return LocatedInDocument(document, located, [self._spans[row] for row in given])

    def _has_right_spans(self, document: str, chunk: RawChunk) -> bool:
        """Return whether the spans of a chunk file hold: there is no text, or it is there."""
        if chunk.text_read is None or not chunk.spans:
            return chunk.text_read is None
        text = "".join(self._docs[document][start:end] for start, end in chunk.spans)
        return is_same_text(text, chunk.text_read)

    def _offsets(self, rows: Sequence[int]) -> tuple[list[Any], list[Any] | None] | None:
        starts = [self._raw[row].start for row in rows]
        ends = [self._raw[row].end for row in rows]
        if all(start is None for start in starts):
            return None
        return starts, None if all(end is None for end in ends) else ends

    def _parents(self, rows: Sequence[int]) -> list[int] | None:
        """Return the parent of each chunk among those of the same document, -1 if it has none."""
        numbers = {self._raw[row].id: at for at, row in enumerate(rows) if self._raw[row].id}
        parents = [numbers.get(self._raw[row].parent or "", -1) for row in rows]
        return parents if max(parents, default=-1) >= 0 else None

    def _take(self, located: Located, rows: Sequence[int]) -> None:
        spans = list(zip(located.start.tolist(), located.end.tolist(), strict=True))
        edges = pairwise(located.begin.tolist())
        known = list(How)
        for row, (begin, end), how in zip(rows, edges, located.how.tolist(), strict=True):
            self._spans[row] = spans[begin:end]
            self._how[row] = known[how]
        self._share[rows] = located.share
        self._ambiguous[rows] = located.ambiguous
        self._added[rows] = located.added

    def _take_given(self, document: str, rows: Iterable[int]) -> None:
        """Take spans of a file without texts, which must at least be in the document."""
        length = len(self._docs[document])
        for row in rows:
            spans = self._raw[row].spans
            if any(end > length for _, end in spans):
                raise FormatError(
                    f"chunk {quoted(self._raw[row].id or row + 1)}: {quoted(spans)} is not in "
                    f"document {quoted(document)}, which has {plural(length, 'character')}"
                )
            self._spans[row] = spans
            self._how[row] = How.OFFSETS
            self._share[row] = 1.0
            self._added[row] = self._raw[row].added

    def refuse(self, max_missing: int | str) -> None:
        """Raise an error if more chunks are missing than may be."""
        missing = tuple(self._missing)
        too_ambiguous = sum(chunk.is_too_ambiguous for chunk in missing)
        counts = {
            How.NOT_FOUND.word: len(missing) - too_ambiguous,
            How.TOO_AMBIGUOUS.word: too_ambiguous,
        }
        LocatingReport(len(self._raw), counts, 0, 0, 0, 0, missing=missing).refuse(max_missing)

    def chunks(self, warnings: Sequence[str]) -> Chunks:
        """Return the chunks in the order in which they came."""
        names = [document or "" for document in self._assigned]
        ids, repeated = _ids(names, self._raw)
        missing = [
            f"{(How.TOO_AMBIGUOUS if chunk.is_too_ambiguous else How.NOT_FOUND).word}: {chunk}"
            for chunk in self._missing
        ]
        known = {raw.id: name for raw, name in zip(self._raw, ids, strict=True)}
        parents = [known.get(raw.parent) if raw.parent else None for raw in self._raw]
        tokens = [-1 if raw.tokens is None else raw.tokens for raw in self._raw]
        table = ChunkTable.of(ids, names, self._spans, tokens, parents, self._added.tolist())
        return Chunks(
            self._docs,
            table,
            tuple(how.word for how in self._how),
            self._share,
            self._ambiguous,
            tuple("" if raw.text is None else raw.text for raw in self._raw),
            Locations(self._parts, self._without_document),
            (*warnings, *repeated, *missing),
            texts_read(self._raw),
        )


def _ids(documents: Sequence[str], raw: Sequence[RawChunk]) -> tuple[list[str], list[str]]:
    """Return ids of all chunks, and a warning if those that they had are no ids."""
    given = [chunk.id for chunk in raw]
    try:
        return distinct_ids(documents, given), []
    except FormatError:
        twice = [name for name, count in Counter(given).items() if name is not None and count > 1]
        warning = f"several chunks have the id {join_names(twice, 1)}: all are numbered instead"
        return distinct_ids(documents, [None] * len(raw)), [warning]
