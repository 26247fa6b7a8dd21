"""Texts that were retrieved, found in the documents: all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from doxeval.chunks.document_set import Documents
from doxeval.chunks.quotes import QuotePlaces

# The document that a result names, if it names one of these; and its text.
Wanted = tuple[str | None, str]


class Place(NamedTuple):
    """Where a result stands, and what it costs, if it says so."""

    document: str
    spans: tuple[tuple[int, int], ...]
    tokens: int | None = None


class Found(NamedTuple):
    """The place of a text, None if there is none. ambiguous: whether it stands elsewhere too."""

    place: Place | None = None
    ambiguous: bool = False


def found_texts(docs: Documents, wanted: Sequence[Wanted]) -> dict[Wanted, Found]:
    """Where texts stand, each by itself: in the document that is named, else in any.

    >>> docs = Documents([("a", "One. Two."), ("b", "Two. Three.")])
    >>> found = found_texts(docs, [("b", "Two."), (None, "Three."), (None, "Four.")])
    >>> [one.place and one.place[:2] for one in found.values()]
    [('b', ((0, 4),)), ('b', ((5, 11),)), None]
    """
    found = _located(docs, [one for one in wanted if one[0] is not None])
    elsewhere = [one for one in wanted if one not in found]
    quotes = QuotePlaces(docs, ((None, text) for _, text in elsewhere))
    homes: dict[Wanted, Wanted] = {}
    for one in elsewhere:
        places = quotes.find(None, one[1]).places
        home = places[0].document if places else next(iter(docs)) if len(docs) == 1 else None
        if home is not None and home != one[0]:
            homes[one] = (home, one[1])
    again = _located(docs, list(homes.values()))
    for one, named in homes.items():
        if named in again:
            copies = len(quotes.find(None, one[1]).places) > 1
            found[one] = Found(again[named].place, again[named].ambiguous or copies)
    return {one: found.get(one, Found()) for one in wanted}


def _located(docs: Documents, wanted: Sequence[Wanted]) -> dict[Wanted, Found]:
    """Those of the texts that stand in their documents."""
    from doxeval.chunks.locating_chunks import locate

    if not wanted:
        return {}
    records = [{"doc": document, "text": text} for document, text in wanted]
    located = locate(docs, records, order="none", max_lost="100%")
    return {
        one: Found(Place(str(one[0]), spans), bool(located.ambiguous[row]))
        for row, (one, spans) in enumerate(zip(wanted, located.spans.as_tuples(), strict=True))
        if spans
    }
