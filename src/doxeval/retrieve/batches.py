"""Batches of documents, read and cut into numbered words.

A word is first seen as it is written, and its term is worked out once: each reader keeps a
dictionary from words to the numbers of their terms. A batch names the terms that are new to its
reader, in the order of their first appearance. Whatever is new to the collection is new to the
reader that meets it, so the numbers that the writer gives to terms do not depend on how many
readers there are, as long as each reader takes its batches in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bytes, Ints
from doxeval.documents import Collection, DocumentWords
from doxeval.retrieve.analysis import Analysis
from doxeval.retrieve.layout import FAR
from doxeval.retrieve.words import words_and_starts

_BATCH_CHARACTERS = 4 << 20
_BATCH_DOCUMENTS = 5000
_MOST_WORDS = 2_000_000  # a dictionary with more words is given up for a new one


class Batch(NamedTuple):
    """The words of some documents. Words and rows are counted from the start of the batch."""

    known: int  # how many terms its reader had numbered before
    new_terms: list[str]
    numbers: Ints  # the term of each word, as its reader numbers them
    document_words: Ints  # how many words each document has
    element_first: Ints
    element_after: Ints
    gaps: Bytes
    far_at: Ints
    far_gap: Ints
    characters: int


class _Numbers(dict[str, int]):
    """From words to the numbers of their terms; new words are added when they are looked up."""

    def __init__(self, analysis: Analysis) -> None:
        super().__init__()
        self._term_of = analysis.term
        self._terms: dict[str, int] = {}
        self._new: list[str] = []

    def __missing__(self, word: str) -> int:
        term = self._term_of(word)
        number = self._terms.get(term)
        if number is None:
            number = self._terms[term] = len(self._terms)
            self._new.append(term)
        self[word] = number
        return number

    def take_new(self) -> list[str]:
        """The terms that were added since the last call, in order."""
        new, self._new = self._new, []
        return new

    @property
    def terms(self) -> int:
        """How many terms there are."""
        return len(self._terms)


class BatchReader:
    """Reads batches of documents of one collection."""

    def __init__(self, collection: Collection, stemmer: str) -> None:
        self._collection = collection
        self._analysis = Analysis(stemmer)
        self._borders = DocumentWords(collection)
        self._numbers = _Numbers(self._analysis)

    def read(self, first: int, after: int) -> Batch:
        """The words of the documents from `first` up to `after`."""
        collection, rows = self._collection, self._collection.rows
        lengths = collection.nodes.end[rows[first:after]].astype(np.int64)
        # One line feed stands between documents, so that no word goes on in the next.
        begins = np.cumsum(lengths + 1) - lengths - 1
        text = "\n".join(map(collection.text_of, range(first, after)))
        row = slice(int(rows[first]), int(rows[after]))
        shift = np.repeat(begins, np.diff(rows[first : after + 1]))
        starts_at = collection.nodes.start[row] + shift
        ends_at = collection.nodes.end[row] + shift
        is_block = self._borders.are_blocks(row)
        borders = np.concatenate((starts_at[is_block], ends_at[is_block]))
        words, starts = words_and_starts(text, borders)
        before = np.zeros(len(starts) + 1, dtype=np.int32)
        np.cumsum(starts, out=before[1:])
        known, numbers = self._numbered(words)
        document_first = before[begins]
        gaps, far_at, far_gap = _gaps(np.flatnonzero(starts), document_first, begins)
        return Batch(
            known,
            self._numbers.take_new(),
            numbers,
            np.diff(document_first, append=len(words)),
            before[starts_at],
            before[ends_at],
            gaps,
            far_at,
            far_gap,
            int(lengths.sum()),
        )

    def _numbered(self, words: list[str]) -> tuple[int, Ints]:
        if len(self._numbers) > _MOST_WORDS:
            self._numbers = _Numbers(self._analysis)
        known = self._numbers.terms
        return known, np.fromiter(map(self._numbers.__getitem__, words), np.int32, len(words))


def _gaps(starts: Ints, document_first: Ints, begins: Ints) -> tuple[Bytes, Ints, Ints]:
    """How far each word is from the one before it; and those that are too far for a byte."""
    gaps = np.diff(starts, prepend=0)
    has_words = np.diff(document_first, append=len(starts)) > 0
    firsts = document_first[has_words]
    gaps[firsts] = starts[firsts] - begins[has_words]
    far_at = np.flatnonzero(gaps >= FAR)
    return np.minimum(gaps, FAR).astype(np.uint8), far_at, gaps[far_at].astype(np.int32)


def batches_of(collection: Collection) -> Iterator[tuple[int, int]]:
    """The documents of each batch, as a range: so many characters, or so many documents."""
    roots, first = collection.rows[:-1], 0
    while first < len(roots):
        lengths = collection.nodes.end[roots[first : first + _BATCH_DOCUMENTS]]
        ends = np.cumsum(lengths, dtype=np.int64)
        count = int(np.searchsorted(ends, _BATCH_CHARACTERS)) + 1
        after = first + min(count, len(ends))
        yield first, after
        first = after
