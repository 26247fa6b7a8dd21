"""The document of each chunk: by what the chunk says, or by where its text stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from doxeval.chunks.document_set import Documents
from doxeval.chunks.quotes import QuotePlaces
from doxeval.chunks.raw_chunks import RawChunk
from doxeval.messages import Parameter, join_names, plural


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
