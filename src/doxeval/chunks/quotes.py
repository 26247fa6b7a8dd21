"""Texts looked up in documents: each document is gone through once, for all that is looked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.chunks.document_set import Documents
from doxeval.chunks.question_set import Place
from doxeval.locating import FoundInDocuments, FoundQuote, How, find_in_documents, find_quotes
from doxeval.locating import Place as TextRanges

# The document in which a text is looked for, or None for all of them; and the text.
Wanted = tuple[str | None, str]


def is_same_text(one: str, other: str) -> bool:
    """Whether two texts are equal but for white space.

    >>> is_same_text("thirty\\r\\ndays", "thirty days"), is_same_text("", " ")
    (True, True)
    """
    return one == other or "".join(one.split()) == "".join(other.split())


class Quoted(NamedTuple):
    """The places of a text, in the order of the documents.

    is_changed: whether its letters alone were found, or nearly all of them. share: how many were.
    near: where most of a text stands that has no place in its document.
    """

    places: tuple[Place, ...] = ()
    is_changed: bool = False
    share: float = 1.0
    near: Place | None = None


class QuotePlaces:
    """The places at which texts stand in documents.

    White space does not count. A text that stands nowhere is looked for by its letters and digits.

    >>> docs = Documents([("a", "to be or not to be"), ("b", "be")])
    >>> quotes = QuotePlaces(docs, [("a", "to be"), (None, "be")])
    >>> [place.start for place in quotes.find("a", "to be").places]
    [0, 13]
    >>> len(quotes.find(None, "be").places), quotes.find("a", "TO BE, OR NOT").is_changed
    (3, True)
    """

    def __init__(self, docs: Documents, wanted: Iterable[Wanted] = ()) -> None:
        self._docs = docs
        self._known: dict[Wanted, Quoted] = {}
        self._look_up(wanted)

    def find(self, document: str | None, text: str) -> Quoted:
        """The places of a text in one document, or in all."""
        if (document, text) not in self._known:
            self._look_up([(document, text)])
        return self._known[document, text]

    def _look_up(self, wanted: Iterable[Wanted]) -> None:
        by_document: dict[str | None, dict[str, None]] = {}
        for document, text in wanted:
            by_document.setdefault(document, {})[text] = None
        for document, texts in by_document.items():
            for text, found in zip(texts, self._found(document, list(texts)), strict=True):
                self._known[document, text] = found

    def _found(self, document: str | None, texts: list[str]) -> list[Quoted]:
        if document is not None:
            return [
                _quoted(
                    one,
                    [(document, place) for place in one.places],
                    Place(document, one.near[0][0], one.near[-1][1]) if one.near else None,
                )
                for one in find_quotes(self._docs[document], texts)
            ]
        return [_quoted(one, one.places) for one in find_in_documents(self._docs, texts)]


def _quoted(
    found: FoundQuote | FoundInDocuments,
    places: Sequence[tuple[str, TextRanges]],
    near: Place | None = None,
) -> Quoted:
    """The places of a quote; one whose parts stand apart extends from the first to the last."""
    ranges = tuple(Place(name, parts[0][0], parts[-1][1]) for name, parts in places)
    return Quoted(ranges, found.how is How.FOLDED, found.share, near)


class StatedOffsets:
    """What offsets in a file may mean, for documents whose line ends have two characters.

    >>> offsets = StatedOffsets(Documents([("a", "one\\r\\ntwo")]))
    >>> list(offsets.readings("a", 4, 7))
    [(4, 7), (5, 8), (3, 6)]
    """

    def __init__(self, docs: Documents) -> None:
        self._docs = docs
        self._line_ends: dict[str, Ints] = {}

    def readings(self, document: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The offsets as they are, and as programs count that read line ends as one character.

        A byte order mark that was read as a character shifts offsets by one.
        """
        yield start, end
        folded = self._folded_line_ends(document)
        if len(folded):
            before, until = np.searchsorted(folded, [start, end]).tolist()
            yield start + before, end + until
        yield start - 1, end - 1

    def _folded_line_ends(self, document: str) -> Ints:
        """Where the line ends of two characters are, with each counted as one."""
        if document not in self._line_ends:
            found = [match.start() for match in re.finditer("\r\n", self._docs[document])]
            self._line_ends[document] = np.array(found, dtype=np.int64) - np.arange(len(found))
        return self._line_ends[document]
