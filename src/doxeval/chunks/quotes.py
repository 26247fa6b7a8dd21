"""Texts looked up in documents: each document is gone through once, for all that is looked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from doxeval.arrays import Ints
from doxeval.chunks.document_set import Documents
from doxeval.chunks.question_set import Place

# The document in which a text is looked for, or None for all of them; and the text.
Wanted = tuple[str | None, str]


def is_same_text(one: str, other: str) -> bool:
    """Whether two texts are equal but for white space.

    >>> is_same_text("thirty\\r\\ndays", "thirty days"), is_same_text("", " ")
    (True, True)
    """
    return one == other or "".join(one.split()) == "".join(other.split())


class QuotePlaces:
    """The places at which texts stand in documents, in their order.

    >>> docs = Documents([("a", "to be or not to be"), ("b", "be")])
    >>> quotes = QuotePlaces(docs, [("a", "to be"), (None, "be")])
    >>> [place.start for place in quotes.places("a", "to be")], len(quotes.places(None, "be"))
    ([0, 13], 3)
    """

    def __init__(self, docs: Documents, wanted: Iterable[Wanted] = ()) -> None:
        self._docs = docs
        self._known: dict[Wanted, list[Place]] = {}
        self._look_up(wanted)

    def places(self, document: str | None, text: str) -> list[Place]:
        """The places of a text in one document, or in all."""
        if (document, text) not in self._known:
            self._look_up([(document, text)])
        return list(self._known[document, text])

    def _look_up(self, wanted: Iterable[Wanted]) -> None:
        everywhere: dict[str, None] = {}
        by_document: dict[str, dict[str, None]] = {}
        for document, text in wanted:
            if document is None:
                everywhere[text] = None
            else:
                by_document.setdefault(document, {})[text] = None
        for text in everywhere:
            self._known[None, text] = []
        for document in self._docs if everywhere else by_document:
            texts = by_document.get(document, {}) | everywhere
            for text, places in found_in(self._docs, document, list(texts)).items():
                if text in by_document.get(document, {}):
                    self._known[document, text] = places
                if text in everywhere:
                    self._known[None, text] += places


def found_in(docs: Documents, document: str, texts: list[str]) -> Mapping[str, list[Place]]:
    """The places of several texts in one document."""
    found: dict[str, list[Place]] = {}
    for text in texts:
        places = []
        at = docs[document].find(text) if text.strip() else -1
        while at >= 0:
            places.append(Place(document, at, at + len(text)))
            at = docs[document].find(text, at + 1)
        found[text] = places
    return found


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
