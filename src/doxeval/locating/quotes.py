"""All occurrences of quotes in a document, or in any of several."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents import code_points
from doxeval.locating.fuzzy import (
    LEAST_LETTERS,
    Resemblance,
    partial_match,
    resembling,
    whole_span,
)
from doxeval.locating.occurrences import most_places, occurrences
from doxeval.locating.report import How
from doxeval.locating.text import Codes, DenseText, DenseTexts, folded

# So many letters in a row of a quote that was not found show where it nearly is.
_SHORT_GRAM = 6
# Spans of a text that together hold a quote: one, unless its parts are apart.
QuoteSpans: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class QuoteMatch:
    """All occurrences of a quote, how it was found, and the share of its letters that was.

    near: where most of it is, if that is too little to be an occurrence.
    """

    how: How
    occurrences: tuple[QuoteSpans, ...] = ()
    share: float = 0.0
    near: QuoteSpans = ()


@dataclass(frozen=True)
class DocumentQuoteMatch:
    """All occurrences of a quote in several documents, each with the id of its document.

    near: the documents with parts of a quote that does not occur.
    """

    how: How
    occurrences: tuple[tuple[str, QuoteSpans], ...] = ()
    share: float = 0.0
    near: tuple[str, ...] = ()


def find_quotes(
    text: str | DenseText, quotes: Sequence[str], min_share: float = 0.8
) -> list[QuoteMatch]:
    """Find all occurrences of each quote in a text.

    A quote that does not occur, white space aside, is looked for by its letters and digits without
    case and accents, and then in part, as chunks are.

    >>> quotes = ["to be", "be, or", "TO BE", "to sleep"]
    >>> for match in find_quotes("To be,  or not to be.", quotes):
    ...     print(match.how.word, match.occurrences)
    exact (((15, 20),),)
    white space (((3, 10),),)
    fuzzy (((0, 5),), ((15, 20),))
    not found ()
    """
    document = text if isinstance(text, DenseText) else DenseText(text)
    dense_texts = DenseTexts(quotes)
    matches = _as_they_are(document, dense_texts)
    for row, match in _by_letters(document, dense_texts, _not_found(matches)):
        matches[row] = match
    for row, match in _in_part(document, dense_texts, _not_found(matches), min_share):
        matches[row] = match
    return matches


def _not_found(matches: Sequence[QuoteMatch]) -> list[int]:
    return [row for row, match in enumerate(matches) if match.how == How.NOT_FOUND]


def _as_they_are(document: DenseText, dense_texts: DenseTexts) -> list[QuoteMatch]:
    """Return the matches of quotes as they are, white space aside."""
    places = occurrences(document, dense_texts, most=most_places(document))
    first = document.offsets[places.position]
    lengths = np.repeat(dense_texts.lengths, places.counts)
    after = document.offsets[places.position + lengths - 1] + 1
    result = []
    for row, (begin, end) in enumerate(pairwise(places.begin.tolist())):
        if dense_texts.lengths[row] == 0:
            result.append(QuoteMatch(How.BLANK, (), 1.0))
            continue
        ranges = zip(first[begin:end].tolist(), after[begin:end].tolist(), strict=True)
        lead, trail = int(dense_texts.lead[row]), int(dense_texts.trail[row])
        wide = [(start - lead, stop + trail, start, stop) for start, stop in ranges]
        exact = [a >= 0 and document.text[a:b] == dense_texts.texts[row] for a, b, _, _ in wide]
        spans = tuple(
            ((a, b),) if same else ((start, stop),)
            for same, (a, b, start, stop) in zip(exact, wide, strict=True)
        )
        how = How.EXACT if any(exact) else How.WHITE_SPACE
        if not spans:
            how = How.TOO_AMBIGUOUS if places.too_many[row] else How.NOT_FOUND
        result.append(QuoteMatch(how, spans, 0.0 if how is How.NOT_FOUND else 1.0))
    return result


def _by_letters(
    document: DenseText, dense_texts: DenseTexts, rows: Sequence[int]
) -> list[tuple[int, QuoteMatch]]:
    """Return the matches of quotes all of whose letters and digits are in the text."""
    if not rows:
        return []
    rows = [row for row in rows if dense_texts.folded.lengths[row] >= LEAST_LETTERS]
    letters = dense_texts.folded.part(np.array(rows, dtype=np.int64))
    places = occurrences(document.folded, letters, most=most_places(document.folded))
    result = []
    edges = pairwise(places.begin.tolist())
    for row, (begin, end), too_many in zip(rows, edges, places.too_many.tolist(), strict=True):
        if too_many:
            result.append((row, QuoteMatch(How.TOO_AMBIGUOUS, (), 1.0)))
        at = places.position[begin:end].tolist()
        spans = tuple((whole_span(document, dense_texts, row, start),) for start in at)
        if spans:
            result.append((row, QuoteMatch(How.FUZZY, spans, 1.0)))
    return result


def _in_part(
    document: DenseText, dense_texts: DenseTexts, rows: Sequence[int], min_share: float
) -> list[tuple[int, QuoteMatch]]:
    """Return the matches of quotes of which nearly all letters are in the text."""
    if not rows:
        return []
    near = np.full(len(dense_texts), -1, dtype=np.int64)
    result = []
    for resemblance in resembling(document.folded, dense_texts.folded, rows, near, min_share):
        part = partial_match(document, dense_texts, resemblance)
        how = How.FUZZY if part.spans else How.NOT_FOUND
        occurring = (part.spans,) if part.spans else ()
        close = () if part.spans else _near(document, resemblance)
        result.append((resemblance.row, QuoteMatch(how, occurring, part.share, close)))
    nowhere = {
        row: at for at, (row, quote) in enumerate(result) if not quote.occurrences + quote.near
    }
    # Short quotes with a changed word have few letters in a row in common with their text.
    for resemblance in resembling(
        document.folded, dense_texts.folded, [*nowhere], near, min_share, _SHORT_GRAM
    ):
        quote = QuoteMatch(How.NOT_FOUND, (), resemblance.share, _near(document, resemblance))
        result[nowhere[resemblance.row]] = resemblance.row, quote
    return result


def _near(document: DenseText, resemblance: Resemblance) -> QuoteSpans:
    """Return the spans of the longest part of a quote that is in the text."""
    if not resemblance.matches:
        return ()
    best = max(resemblance.matches, key=lambda match: match.covered)
    offsets = document.folded.offsets
    letters = [
        (segment.start + segment.diagonal, segment.end + segment.diagonal)
        for segment in best.segments
    ]
    return tuple((int(offsets[start]), int(offsets[end - 1]) + 1) for start, end in letters)


class JoinedTexts:
    """Many documents as one text, so that one search finds what is in all of them.

    >>> joined = JoinedTexts({"a": "to be", "b": "or not to be"})
    >>> joined.document_of(12), joined.span_in_document(14, 16)
    ('b', ('b', 8, 10))
    """

    def __init__(self, documents: Mapping[str, str]) -> None:
        self.ids = list(documents)
        texts = list(documents.values())
        # A letter between the documents that none of them has: nothing is found across it.
        used = set().union(*map(set, texts))
        letters = (chr(code) for code in range(0x10000, 0x20000))
        separator = next(letter for letter in letters if letter not in used and letter.isalpha())
        self.text = DenseText(separator.join(texts))
        self._begin = np.cumsum([0] + [len(text) + 1 for text in texts[:-1]])

    def document_of(self, offset: int) -> str:
        """Return the id of the document that an offset of the joined text is in."""
        return self.ids[int(np.searchsorted(self._begin, offset, side="right")) - 1]

    def span_in_document(self, start: int, end: int) -> tuple[str, int, int]:
        """Return a span of the joined text as one of its document."""
        number = int(np.searchsorted(self._begin, start, side="right")) - 1
        base = int(self._begin[number])
        return self.ids[number], start - base, end - base


def find_in_documents(
    documents: Mapping[str, str] | JoinedTexts, quotes: Sequence[str], min_share: float = 0.8
) -> list[DocumentQuoteMatch]:
    """Find all occurrences of each quote in several documents, by one search in all of them.

    >>> first, second = find_in_documents({"a": "to be", "b": "or not to be"}, ["to be", "be or"])
    >>> first.occurrences, second.how.word
    ((('a', ((0, 5),)), ('b', ((7, 12),))), 'not found')
    """
    joined = documents if isinstance(documents, JoinedTexts) else JoinedTexts(documents)
    if not joined.ids:
        return [
            DocumentQuoteMatch(How.NOT_FOUND if quote.strip() else How.BLANK) for quote in quotes
        ]
    matches = find_quotes(joined.text, quotes, min_share)
    return [
        DocumentQuoteMatch(
            match.how,
            tuple(_with_document(joined, spans) for spans in match.occurrences),
            match.share,
            tuple(dict.fromkeys(joined.document_of(start) for start, _ in match.near)),
        )
        for match in matches
    ]


def _with_document(joined: JoinedTexts, spans: QuoteSpans) -> tuple[str, QuoteSpans]:
    """Return the document of an occurrence, and its spans there but not in other documents."""
    parts = [joined.span_in_document(start, end) for start, end in spans]
    longest = max(parts, key=lambda part: part[2] - part[1])[0]
    return longest, tuple((start, end) for document, start, end in parts if document == longest)


# Quotes that were altered, and quotes that leave something out


class Similarity(NamedTuple):
    """How similar a text is to a quote, and the span of it that is most similar."""

    similarity: float
    start: int
    end: int


def most_similar(quote: str, text: str) -> Similarity:
    """Return the part of a text that is most similar to a quote, and how similar it is.

    That is 1 less Levenshtein's distance divided by the length of the quote, over the letters and
    digits of both, without case and accents. The part is the first of those that are equal, and
    above a similarity of two thirds as long as it can be, so that words that differ are replaced
    rather than left out. The text should be a window around the likely place: the work grows with
    the product of both lengths.

    >>> text = "He paid within thirty-one days, more or less."
    >>> most_similar("paid within THIRTY days", text)
    Similarity(similarity=0.85, start=3, end=30)
    >>> most_similar("books are kept for 28 days", "Books are kept for thirty days.")
    Similarity(similarity=0.71..., start=0, end=30)
    """
    letters, given = folded(code_points(quote))[0], folded(code_points(text))
    if not len(letters) or not len(given[0]):
        return Similarity(0.0, 0, 0)
    distances = _distances(letters, given[0])
    best, end = int(distances.min()), int(distances.argmin())
    if 3 * best < len(letters):  # then equal parts that end so near are nearly the same letters
        near = distances[end : end + 2 * best + 1]
        end += int(np.flatnonzero(near == best)[-1])
    backwards = _distances(letters[::-1], given[0][:end][::-1], anchored=True)
    start = end - int(np.flatnonzero(backwards == best)[-1])
    if start == end:
        return Similarity(0.0, 0, 0)
    first, last = int(given[1][start]), int(given[1][end - 1]) + 1
    return Similarity(1 - best / len(letters), first, last)


def _distances(letters: Codes, text: Codes, anchored: bool = False) -> Ints:
    """Return the least distance of any part of the text that ends before each position.

    Anchored parts begin where the text does. A row of Sellers' table for each letter; what is
    inserted is taken along by a running minimum.
    """
    place = np.arange(len(text) + 1)
    row = place.copy() if anchored else np.zeros(len(text) + 1, dtype=np.int64)
    for number, letter in enumerate(letters.tolist(), 1):
        changed = row[:-1] + (text != letter)
        row = np.append(number, np.minimum(changed, row[1:] + 1))
        row = np.minimum.accumulate(row - place) + place
    return row


_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:…|\.{3,})\s*\]|\(\s*(?:…|\.{3,})\s*\)|…|\.{3,}|\. \. \.)\s*")


def parts_of_quote(quote: str) -> tuple[str, ...]:
    """Return what stands before, between and after the ellipses of a quote.

    >>> parts_of_quote("You pay […] within a week ... or so."), parts_of_quote("… one part")
    (('You pay', 'within a week', 'or so.'), ('one part',))
    """
    return tuple(part for part in _ELLIPSIS.split(quote) if any(map(str.isalnum, part)))
