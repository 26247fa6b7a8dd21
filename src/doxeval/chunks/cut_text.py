"""Built-in cuts of one text: the ranges of its chunks, exact by construction.

No chunk begins or ends with white space, and none is empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.chunks.structure import (
    Heading,
    paragraph_starts,
    section_starts,
    sentence_starts,
    solid_offsets,
)

_WORD = re.compile(r"\w+|[^\w\s]")
# What a recursive cut separates by, in turn: paragraphs, lines, words, then characters.
_SEPARATORS = (re.compile(r"(?:\r\n?|\n){2,}"), re.compile(r"\r\n?|\n"), re.compile(r"\s+"))


class Ranges(NamedTuple):
    """The chunks of a text in order: start and end of each, half-open."""

    start: Ints
    end: Ints


def by_words(text: str, size: int, overlap: int = 0) -> Ranges:
    """Chunks of so many words, each with the last `overlap` words of the one before.

    Words are those that measures count: runs of letters and digits, and single marks.

    >>> ranges = by_words("one two three four five", 3, 1)
    >>> list(zip(ranges.start.tolist(), ranges.end.tolist()))
    [(0, 13), (8, 23)]
    """
    words = [found.span() for found in _WORD.finditer(text)]
    if not words:
        return _none()
    start, end = np.array(words, dtype=np.int64).T
    return _windows(start, end, size, overlap)


def by_sentences(text: str, count: int, overlap: int = 0) -> Ranges:
    """Chunks of so many sentences, each with the last `overlap` sentences of the one before.

    >>> ranges = by_sentences("One. Two. Three.", 2, 1)
    >>> list(zip(ranges.start.tolist(), ranges.end.tolist()))
    [(0, 9), (5, 16)]
    """
    sentences = _between(text, sentence_starts(text))
    return _windows(*sentences, count, overlap) if len(sentences.start) else sentences


def by_paragraphs(text: str) -> Ranges:
    """Each paragraph by itself."""
    return _between(text, paragraph_starts(text))


def by_sections(text: str, outline: Sequence[Heading] | None = None) -> Ranges:
    """Each section by itself, up to the next heading of whatever level.

    outline: the sections, if they are not those of Markdown.

    >>> ranges = by_sections("# A\\n\\nOne.\\n\\n## B\\n\\nTwo.\\n")
    >>> list(zip(ranges.start.tolist(), ranges.end.tolist()))
    [(0, 9), (11, 21)]
    """
    return _between(text, section_starts(text, outline=outline))


def recursively(text: str, size: int, overlap: int = 0) -> Ranges:
    """Chunks of at most so many characters, cut at paragraphs if these are small enough, else at
    lines, at words, or anywhere.

    Neighbouring pieces are put together as long as they fit. Each chunk begins with as many pieces
    of the one before as `overlap` characters allow.

    >>> ranges = recursively("One two.\\n\\nThree four five six.", 12)
    >>> list(zip(ranges.start.tolist(), ranges.end.tolist()))
    [(0, 8), (10, 20), (21, 30)]
    """
    found = [
        stripped
        for start, end in _recursive(text, 0, len(text), 0, size, overlap)
        if (stripped := _stripped(text, start, end))
    ]
    return Ranges(*np.array(found, dtype=np.int64).reshape(-1, 2).T)


def _recursive(
    text: str, start: int, end: int, level: int, size: int, overlap: int
) -> Iterator[tuple[int, int]]:
    if level == len(_SEPARATORS):
        yield from _anywhere(start, end, size, overlap)
        return
    fitting: list[tuple[int, int]] = []
    for low, high in _pieces(text, start, end, level):
        if high - low <= size:
            fitting.append((low, high))
            continue
        yield from _joined(fitting, size, overlap)
        fitting = []
        yield from _recursive(text, low, high, level + 1, size, overlap)
    yield from _joined(fitting, size, overlap)


def _pieces(text: str, start: int, end: int, level: int) -> Iterator[tuple[int, int]]:
    """The text between separators."""
    at = start
    for found in _SEPARATORS[level].finditer(text, start, end):
        if found.start() > at:
            yield at, found.start()
        at = found.end()
    if at < end:
        yield at, end


def _joined(pieces: list[tuple[int, int]], size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Neighbouring pieces together, as long as they fit."""
    first = 0
    for number in range(1, len(pieces) + 1):
        last = pieces[number - 1][1]
        if number < len(pieces) and pieces[number][1] - pieces[first][0] <= size:
            continue
        yield pieces[first][0], last
        if number == len(pieces):
            return
        reach = pieces[number][1]
        while first < number and (
            last - pieces[first][0] > overlap or reach - pieces[first][0] > size
        ):
            first += 1


def _anywhere(start: int, end: int, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    while start < end:
        yield start, min(start + size, end)
        if start + size >= end:
            return
        start += size - overlap


def _stripped(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    stop = start + len(piece.strip())
    return (start, stop) if stop > start else None


def _between(text: str, starts: Ints) -> Ranges:
    """The text from each start to the next, without the white space before it."""
    if not len(starts):
        return _none()
    solid = solid_offsets(text)
    after = np.append(starts[1:], len(text))
    return Ranges(starts, solid[np.searchsorted(solid, after) - 1] + 1)


def _windows(start: Ints, end: Ints, size: int, overlap: int) -> Ranges:
    """So many units together, the last of them fewer if there are no more."""
    count = len(start)
    step = size - overlap
    first = np.arange(0, max(count - overlap, 1), step)
    return Ranges(start[first], end[np.minimum(first + size, count) - 1])


def _none() -> Ranges:
    nothing: Ints = np.zeros(0, dtype=np.int64)
    return Ranges(nothing, nothing)
