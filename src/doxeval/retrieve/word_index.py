"""An index of the words of some documents, in memory: what search over chunks is made of.

Words are cut, normalised and stemmed as `doxeval index build` does it. All words of all documents
are one stream; the words of a chunk are ranges of positions in it. Where words begin is kept for
all of them, positions only of the words that questions have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property, reduce

import numpy as np

from doxeval.arrays import Ints, OffsetBits, TextOffsets
from doxeval.retrieve.feedback import is_common, terms_of_stop_words
from doxeval.retrieve.query import Item, parse_keywords, query_items
from doxeval.retrieve.text import Analysis, stop_words, words_in
from doxeval.retrieve.word_numbers import WordNumbers

_NOTHING: Ints = np.zeros(0, dtype=np.int64)
_NO_WORD: Ints = np.full(1, -1, dtype=np.int32)
_UNKNOWN, _ELSEWHERE = -2, -1  # of words whose term is not known yet, or in no question


class WordIndex:
    """The positions of the terms of some questions, or of every term.

    Words of a question that are stop words are left out, unless it has no others.

    >>> index = WordIndex({"a": "Fog horns.", "b": "The fog-horn"}, ["fog", "a fog-horn?"])
    >>> index.positions(("fog",)).tolist(), index.positions(("fog", "horn")).tolist()
    ([0, 4], [0, 4])
    >>> index.words_before(np.array([1, 1]), np.array([4, 8])).tolist()
    [4, 5]
    """

    def __init__(
        self,
        docs: Mapping[str, str],
        questions: Iterable[str],
        stemmer: str = "s",
        stop: str = "english",
        *,
        every_term: bool = False,
    ) -> None:
        self.analysis = Analysis(stemmer)
        self.documents = tuple(docs)
        self._number = {name: number for number, name in enumerate(self.documents)}
        self._has_every_term = every_term
        stopped = stop_words(stop)
        self._stop_terms = terms_of_stop_words(stopped, self.analysis)
        every = {
            question: query_items(
                parse_keywords(question, signs=False), self.analysis, stopped, "words"
            )
            for question in dict.fromkeys(questions)
        }
        terms = (term for items in every.values() for item in items for term in item.terms)
        self._terms = {term: number for number, term in enumerate(dict.fromkeys(terms))}
        self._read(docs)
        self._phrases: dict[tuple[str, ...], Ints] = {}
        self._counts: dict[tuple[str, ...], Ints] = {}
        self._items = {
            question: tuple(item for item in items if len(self.positions(item.terms)))
            for question, items in every.items()
        }

    def _read(self, docs: Mapping[str, str]) -> None:
        """Read all documents: where their words begin, and which of them are terms of questions."""
        numbers, term_of = WordNumbers(), np.full(1, _UNKNOWN, dtype=np.int32)
        starts: list[OffsetBits] = []
        terms: list[Ints] = []
        stream: list[Ints] = []
        positions: list[Ints] = []
        lengths: list[int] = []
        first = 0
        for text in docs.values():
            words = words_in(text, _NOTHING)
            starts.append(words.starts)
            number = numbers.of(text, words.spans)
            more = np.full(len(numbers) - len(term_of), _UNKNOWN, dtype=np.int32)
            term_of = np.append(term_of, more)
            new = np.flatnonzero(term_of[number] == _UNKNOWN)
            which, first_of = np.unique(number[new], return_index=True)
            spans = (edge[new[first_of]].tolist() for edge in words.spans)
            term_of[which] = [
                self._term(text[start:end]) for start, end in zip(*spans, strict=True)
            ]
            term = term_of[number]
            stream += [term, _NO_WORD] if self._has_every_term else []
            at = np.flatnonzero(term >= 0)
            terms.append(term[at])
            positions.append(first + at)
            lengths.append(len(number))
            # Documents are apart by a position without a word, so that no phrase spans two of them.
            first += len(number) + 1
        self.lengths = np.array(lengths, dtype=np.int64)
        self.first = np.cumsum(self.lengths + 1) - self.lengths - 1
        self._starts = TextOffsets(starts)
        self._stream = np.concatenate([_NOTHING, *stream])
        term, position = np.concatenate([_NOTHING, *terms]), np.concatenate([_NOTHING, *positions])
        self._positions = position[np.argsort(term, kind="stable")]
        self._begin = np.append(0, np.cumsum(np.bincount(term, minlength=len(self._terms))))

    def _term(self, word: str) -> int:
        """Return the number of the term of a word, if its positions are kept."""
        term = self.analysis.term(word.lower())
        if self._has_every_term:
            return self._terms.setdefault(term, len(self._terms))
        return self._terms.get(term, _ELSEWHERE)

    def terms_between(self, first: int, after: int) -> list[str]:
        """Return the terms at some positions; only an index of every term has them.

        >>> WordIndex({"a": "Fog horns."}, [], every_term=True).terms_between(0, 2)
        ['fog', 'horn']
        """
        names = self._names
        return [names[number] for number in self._stream[first:after].tolist()]

    def is_skipped(self, term: str) -> bool:
        """Return whether feedback does not add a term: a stop word, or one as common."""
        return term in self._stop_terms or is_common(len(self._of_term(term)), self.words)

    @cached_property
    def _names(self) -> list[str]:
        return list(self._terms)

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
        number = self._terms[term]
        return self._positions[self._begin[number] : self._begin[number + 1]]

    def number_of(self, document: str) -> int:
        """Return the number of a document, -1 if there is none of that name."""
        return self._number.get(document, -1)

    def words_before(self, document: Ints, offset: Ints) -> Ints:
        """The positions of the first words that begin at offsets of documents, or after them."""
        return self._starts.before(document, offset) + document

    def document_counts(self, terms: tuple[str, ...]) -> Ints:
        """How often a term or phrase occurs in each document."""
        if terms not in self._counts:
            edges = np.append(self.first, self.first[-1:] + self.lengths[-1:] + 1)
            self._counts[terms] = np.diff(np.searchsorted(self.positions(terms), edges))
        return self._counts[terms]

    def items(self, question: str) -> tuple[Item, ...]:
        """The words of one of the questions that occur in the documents."""
        return self._items[question]
