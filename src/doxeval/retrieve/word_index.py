"""An index of the words of some documents, in memory: what search over chunks is made of.

Words are cut, normalised and stemmed as `doxeval index build` does it. All words of all documents
are one stream; the words of a chunk are ranges of positions in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

import numpy as np

from doxeval.arrays import Ints
from doxeval.retrieve.query import Item, parse_keywords, query_items
from doxeval.retrieve.text import Analysis, normalise_word, words_and_starts

_NOTHING: Ints = np.zeros(0, dtype=np.int64)


class WordIndex:
    """The positions of all terms.

    >>> index = WordIndex({"a": "Fog horns.", "b": "The fog-horn"})
    >>> index.positions(("fog",)).tolist(), index.positions(("fog", "horn")).tolist()
    ([0, 4], [0, 4])
    >>> index.words_before("b", np.array([4, 8])).tolist()
    [4, 5]
    """

    def __init__(self, docs: Mapping[str, str], stemmer: str = "s") -> None:
        self.analysis = Analysis(stemmer)
        self.documents = tuple(docs)
        self._number = {name: number for number, name in enumerate(self.documents)}
        self._starts: list[Ints] = []
        known: dict[str, int] = {}
        numbers: list[Ints] = []
        for text in docs.values():
            found = words_and_starts(text, _NOTHING)
            self._starts.append(np.flatnonzero(found.starts))
            of_words = [known.setdefault(word, len(known)) for word in found.words]
            numbers.append(np.array(of_words, dtype=np.int64))
        lengths = np.array(list(map(len, numbers)), dtype=np.int64)
        # Documents are apart by a position without a word, so that no phrase spans two of them.
        self.first = np.cumsum(lengths + 1) - lengths - 1
        self.lengths = lengths
        self._by_term(known, np.concatenate([_NOTHING, *numbers]), lengths)
        self._phrases: dict[tuple[str, ...], Ints] = {}
        self._counts: dict[tuple[str, ...], Ints] = {}
        self._items: dict[tuple[str, frozenset[str]], tuple[Item, ...]] = {}

    def _by_term(self, known: dict[str, int], numbers: Ints, lengths: Ints) -> None:
        self._terms: dict[str, int] = {}
        terms = [self.analysis.stem(normalise_word(word)) for word in known]
        of_word = np.array(
            [self._terms.setdefault(term, len(self._terms)) for term in terms], dtype=np.int64
        )
        term = of_word[numbers] if len(numbers) else numbers
        position = np.arange(len(numbers)) + np.repeat(np.arange(len(lengths)), lengths)
        order = np.argsort(term, kind="stable")
        self._positions = position[order]
        self._begin = np.append(0, np.cumsum(np.bincount(term, minlength=len(self._terms))))

    @property
    def words(self) -> int:
        """The number of all words."""
        return int(self.lengths.sum())

    def positions(self, terms: tuple[str, ...]) -> Ints:
        """The ascending positions of a term, or of a phrase if there are several terms."""
        if terms not in self._phrases:
            found = [self._of_term(term) - at for at, term in enumerate(terms)]
            self._phrases[terms] = reduce(
                lambda one, other: np.intersect1d(one, other, assume_unique=True), found
            )
        return self._phrases[terms]

    def _of_term(self, term: str) -> Ints:
        number = self._terms.get(term)
        if number is None:
            return _NOTHING
        return self._positions[self._begin[number] : self._begin[number + 1]]

    def words_before(self, document: str, offset: Ints) -> Ints:
        """The position of the first word that begins at an offset of a document, or after it."""
        number = self._number[document]
        found: Ints = self.first[number] + np.searchsorted(self._starts[number], offset)
        return found

    def document_counts(self, terms: tuple[str, ...]) -> Ints:
        """How often a term or phrase occurs in each document."""
        if terms not in self._counts:
            edges = np.append(self.first, self.first[-1:] + self.lengths[-1:] + 1)
            self._counts[terms] = np.diff(np.searchsorted(self.positions(terms), edges))
        return self._counts[terms]

    def items(self, question: str, stop: frozenset[str]) -> tuple[Item, ...]:
        """The words of a question that occur in the documents, stop words left out."""
        key = (question, stop)
        if key not in self._items:
            terms = parse_keywords(question, signs=False)
            found = query_items(terms, self.analysis, stop, "words")
            self._items[key] = tuple(item for item in found if len(self.positions(item.terms)))
        return self._items[key]
