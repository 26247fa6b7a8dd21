"""Chunks located in documents: own offsets are checked, texts are looked up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from doxeval.chunks.adapters import RawChunk, raw_chunks
from doxeval.chunks.chunks import Chunks, distinct_ids
from doxeval.chunks.documents import Documents, documents, warnings_about
from doxeval.chunks.gold import QuotePlaces, is_same_text
from doxeval.errors import FormatError, warn
from doxeval.locating import How, Located, LocatingReport, LostChunk, Order, locate_chunks, total
from doxeval.measures import word_starts
from doxeval.messages import Parameter, join_names, plural, quoted
from doxeval.named import checked
from doxeval.runs import ChunkTable
from doxeval.spans import Spans, merge_spans


class Homes(NamedTuple):
    """The document of each chunk, None where it is not known; and warnings."""

    documents: tuple[str | None, ...]
    warnings: tuple[str, ...] = ()


def home_documents(docs: Documents, chunks: Sequence[RawChunk]) -> Homes:
    """The document of each chunk.

    A chunk that names none takes that of its parent, or is looked for in all documents. If it
    stands in several, the document of a neighbour in the list is the most likely.

    >>> docs = Documents([("a", "One. Two."), ("b", "Two. Three.")])
    >>> home_documents(docs, [RawChunk("One."), RawChunk("Two."), RawChunk("Three.")]).documents
    ('a', 'a', 'b')
    """
    known = {names: _named(docs, names) for names in {chunk.documents for chunk in chunks}}
    homes = [known[chunk.documents] for chunk in chunks]
    if None in homes:
        _take_from_parents(homes, chunks)
    unknown = [row for row, home in enumerate(homes) if home is None]
    if not unknown:
        return Homes(tuple(homes))
    if len(docs) == 1 and not any(chunks[row].documents for row in unknown):
        only = next(iter(docs))
        return Homes(tuple(only if home is None else home for home in homes))
    candidates = _candidates(docs, chunks, unknown)
    for row in unknown:
        homes[row] = _nearest(homes, row, candidates[chunks[row].text or ""])
    return Homes(tuple(homes), _warnings(chunks, unknown))


def _named(docs: Documents, names: Sequence[str]) -> str | None:
    """The first of the names that is a document."""
    found = map(docs.find, names)
    return next((name for name in found if name is not None), None)


def _take_from_parents(homes: list[str | None], chunks: Sequence[RawChunk]) -> None:
    rows = {chunk.id: row for row, chunk in enumerate(chunks) if chunk.id is not None}
    for row in range(len(chunks)):
        at: int | None = row
        seen = set()
        while at is not None and homes[at] is None and at not in seen:
            seen.add(at)
            above = (
                chunks[at].parent,
                *chunks[at].documents,
            )  # Haystack names the parent as source
            at = next((rows[name] for name in above if name and rows.get(name, at) != at), None)
        if at is not None and homes[at] is not None:
            for one in seen:
                homes[one] = homes[at]


def _candidates(
    docs: Documents, chunks: Sequence[RawChunk], rows: Sequence[int]
) -> dict[str, Mapping[str, None]]:
    """The documents in which each distinct text of chunks stands, in their order."""
    texts = dict.fromkeys(chunks[row].text or "" for row in rows)
    quotes = QuotePlaces(docs, ((None, text) for text in texts))
    return {
        text: dict.fromkeys(place.document for place in quotes.find(None, text).places)
        for text in texts
    }


def _nearest(homes: Sequence[str | None], row: int, candidates: Mapping[str, None]) -> str | None:
    """The document of a neighbour, if the text stands there or nowhere; else the first."""
    before = homes[row - 1] if row else None
    after = homes[row + 1] if row + 1 < len(homes) else None
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


@dataclass(frozen=True)
class InDocument:
    """Chunks located in a document, and the ranges of chunks whose places were only stated."""

    document: str
    located: Located
    stated: Sequence[Sequence[tuple[int, int]]] = ()

    def report(self) -> LocatingReport:
        """What was found how in this document."""
        report = self.located.report.in_document(self.document)
        if not self.stated:
            return report
        found = dict(report.found) | {"own": report.found["own"] + len(self.stated)}
        count = report.chunks + len(self.stated)
        return replace(report, chunks=count, found=found, uncovered=self._uncovered())

    def _uncovered(self) -> int:
        """How many solid characters are in no chunk of either kind."""
        ranges = [(0, start, end) for own in self.stated for start, end in own]
        pairs = zip(self.located.start.tolist(), self.located.end.tolist(), strict=True)
        spans = merge_spans(Spans.of(ranges + [(0, start, end) for start, end in pairs]))
        before = self.located.document.solid_before
        covered = before(spans.end) - before(spans.start)
        return len(self.located.document) - int(np.sum(covered))


@dataclass(frozen=True)
class Told:
    """The report on all documents, and on chunks of which no document is known."""

    parts: tuple[InDocument, ...]
    nowhere: tuple[LostChunk, ...] = ()

    @cached_property
    def report(self) -> LocatingReport:
        """What was found how."""
        count = len(self.nowhere)
        rest = LocatingReport(count, {"lost": count}, 0, 0, 0, 0, lost=self.nowhere)
        return total([*(part.report() for part in self.parts), rest])


# Below half, these are probably other texts; then nothing that follows would mean anything.
_MOST_LOST = "50%"


@checked
def locate(
    docs: Any,
    chunks: Any,
    order: Order = "list",
    min_share: float = 0.8,
    max_lost: int | str | None = None,
    doc_key: str | None = None,
) -> Chunks:
    """Where chunks stand in their documents.

    docs: what `documents` takes. chunks: texts, chunks of LangChain, LlamaIndex, Haystack, Chonkie
    or semchunk, what a collection of Chroma returns, records, a data frame or a file, as one list
    or as lists by document. Own offsets are checked, and texts that do not stand there are looked
    up. order="list" says that the chunks of a document are in its order, which settles which copy
    of a repeated text is meant; order="none" that they are not. A chunk of which only a part is
    found needs a share of min_share. max_lost: how many chunks may be lost, as a number or a share
    such as "5%"; by default half of them, and warnings tell which are. Chunks with too many places
    to tell which is meant ("aaaa…" in a text of nothing else), unless their own offsets or the
    order in which they fill the text tell it, are counted with these. doc_key: the key in the
    metadata that names the document.

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
    homes = home_documents(texts, raw)
    found = _Finding(texts, raw, homes.documents, order, min_share)
    found.refuse(_MOST_LOST if max_lost is None else max_lost)
    located = found.chunks((*warnings_about(texts, docs), *homes.warnings))
    warn(located.warnings)
    return located


class _Finding:
    """The places of all chunks, document by document."""

    def __init__(
        self,
        docs: Documents,
        raw: Sequence[RawChunk],
        homes: Sequence[str | None],
        order: Order,
        min_share: float,
    ) -> None:
        self._docs = docs
        self._raw = raw
        self._homes = homes
        self._order = order
        self._min_share = min_share
        self._spans: list[Sequence[tuple[int, int]]] = [()] * len(raw)
        self._how = [How.LOST] * len(raw)
        self._share = np.zeros(len(raw))
        self._ambiguous = np.zeros(len(raw), dtype=np.bool_)
        self._added = np.zeros(len(raw), dtype=np.int64)
        rows: dict[str, list[int]] = {document: [] for document in docs}
        for row, home in enumerate(homes):
            if home is not None:
                rows[home].append(row)
        self._lost: list[LostChunk] = []
        self._parts = tuple(self._in_document(document, own) for document, own in rows.items())

    def _in_document(self, document: str, rows: list[int]) -> InDocument:
        stated = [row for row in rows if self._is_stated(document, self._raw[row])]
        self._take_stated(document, stated)
        with_text = sorted({*rows} - {*stated})
        orders = [self._raw[row].order for row in with_text]
        is_numbered = None not in orders and len(set(orders)) == len(orders) > 0
        if is_numbered:
            with_text.sort(key=lambda row: self._raw[row].order or 0)
        located = locate_chunks(
            self._docs[document],
            [self._raw[row].text or "" for row in with_text],
            own=self._own(with_text),
            parents=None if is_numbered else self._parents(with_text),
            order="list" if is_numbered else self._order,
            min_share=self._min_share,
        )
        self._take(located, with_text)
        lost = map(located.lost_chunk, located.lost.tolist())
        self._lost += [replace(one, document=document) for one in lost]
        return InDocument(document, located, [self._spans[row] for row in stated])

    def _is_stated(self, document: str, chunk: RawChunk) -> bool:
        """Whether the ranges of a chunk file hold: there is no text, or it stands there."""
        if chunk.text is None or not chunk.spans:
            return chunk.text is None
        text = "".join(self._docs[document][start:end] for start, end in chunk.spans)
        return is_same_text(text, chunk.text)

    def _own(self, rows: Sequence[int]) -> tuple[list[Any], list[Any] | None] | None:
        starts = [self._raw[row].start for row in rows]
        ends = [self._raw[row].end for row in rows]
        if all(start is None for start in starts):
            return None
        return starts, None if all(end is None for end in ends) else ends

    def _parents(self, rows: Sequence[int]) -> list[int] | None:
        """The parent of each chunk among those of the same document, -1 if it has none."""
        numbers = {self._raw[row].id: at for at, row in enumerate(rows) if self._raw[row].id}
        parents = [numbers.get(self._raw[row].parent or "", -1) for row in rows]
        return parents if max(parents, default=-1) >= 0 else None

    def _take(self, located: Located, rows: Sequence[int]) -> None:
        ranges = list(zip(located.start.tolist(), located.end.tolist(), strict=True))
        edges = pairwise(located.begin.tolist())
        known = list(How)
        for row, (begin, end), how in zip(rows, edges, located.how.tolist(), strict=True):
            self._spans[row] = ranges[begin:end]
            self._how[row] = known[how]
        self._share[rows] = located.share
        self._ambiguous[rows] = located.ambiguous
        self._added[rows] = located.prefix + located.suffix

    def _take_stated(self, document: str, rows: Iterable[int]) -> None:
        """Ranges of a file without texts, which must at least be in the document."""
        length = len(self._docs[document])
        for row in rows:
            spans = self._raw[row].spans
            if any(end > length for _, end in spans):
                raise FormatError(
                    f"chunk {quoted(self._raw[row].id or row + 1)}: {quoted(spans)} is not in "
                    f"document {quoted(document)}, which has {plural(length, 'character')}"
                )
            self._spans[row] = spans
            self._how[row] = How.OWN
            self._share[row] = 1.0

    @property
    def _nowhere(self) -> tuple[LostChunk, ...]:
        """The chunks of which no document is known."""
        rows = [row for row, home in enumerate(self._homes) if home is None]
        return tuple(LostChunk(None, row, self._raw[row].text or "", 0.0) for row in rows)

    def refuse(self, max_lost: int | str) -> None:
        """Raise an error if more chunks are lost than may be."""
        lost = (*self._lost, *self._nowhere)
        too_ambiguous = sum(one.is_too_ambiguous for one in lost)
        found = {"lost": len(lost) - too_ambiguous, "too ambiguous": too_ambiguous}
        LocatingReport(len(self._raw), found, 0, 0, 0, 0, lost=lost).refuse(max_lost)

    def chunks(self, warnings: Sequence[str]) -> Chunks:
        """The chunks in the order in which they came."""
        names = [home or "" for home in self._homes]
        ids, repeated = _ids(names, self._raw)
        lost = [
            f"{'too ambiguous' if one.is_too_ambiguous else 'not found'}: {one}"
            for one in (*self._lost, *self._nowhere)
        ]
        known = {raw.id: name for raw, name in zip(self._raw, ids, strict=True)}
        parents = [known.get(raw.parent) if raw.parent else None for raw in self._raw]
        table = ChunkTable.of(ids, names, self._spans, self._tokens(), parents)
        return Chunks(
            self._docs,
            table,
            tuple(how.word for how in self._how),
            self._share,
            self._ambiguous,
            tuple("" if raw.text is None else raw.text for raw in self._raw),
            Told(self._parts, self._nowhere),
            (*warnings, *repeated, *lost),
        )

    def _tokens(self) -> list[int]:
        """What chunks cost: as stated, or all words of those that have text of their own."""
        return [
            raw.tokens
            if raw.tokens is not None
            else len(word_starts(raw.text or ""))
            if self._added[row]
            else -1
            for row, raw in enumerate(self._raw)
        ]


def _ids(documents: Sequence[str], raw: Sequence[RawChunk]) -> tuple[list[str], list[str]]:
    """Ids of all chunks, and a warning if those that they had are no ids."""
    given = [chunk.id for chunk in raw]
    try:
        return distinct_ids(documents, given), []
    except FormatError:
        twice = [one for one, count in Counter(given).items() if one is not None and count > 1]
        warning = f"several chunks have the id {join_names(twice, 1)}: all are numbered instead"
        return distinct_ids(documents, [None] * len(raw)), [warning]
