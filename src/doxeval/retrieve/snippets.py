"""Snippets: the part of a result that shows best why it was found."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from doxeval.arrays import Ints

if TYPE_CHECKING:
    from doxeval.retrieve.answer import Searcher
    from doxeval.retrieve.units import Place
    from doxeval.topics import Term

WORDS = 30


class Snippet(NamedTuple):
    """Some text on one line, and where the words of the query are in it."""

    text: str
    found: tuple[tuple[int, int], ...] = ()


def find_snippets(
    searcher: Searcher, terms: tuple[Term, ...], places: list[Place], words: int = WORDS
) -> list[Snippet]:
    """A snippet of each place: the words around most different items of the query."""
    index = searcher.index
    occurrences = searcher.occurrences(terms)
    found = []
    for place in places:
        text = index.collection.text_of(place.document)
        cut = index.cut(place.document)
        first, after = np.searchsorted(cut.start, [place.start, place.end]).tolist()
        borders = index.borders.borders(place.document)
        if first == after:
            found.append(_snippet(text, place.start, place.end, [], borders))
            continue
        base = int(index.documents_first[place.document])
        matches = occurrences.within(place.document)
        inside = slice(*np.searchsorted(matches.at, [base + first, base + after]).tolist())
        at = matches.at[inside].astype(np.int64) - base
        item = matches.item[inside]
        begin = _best_window(at, item, words) if len(at) else first
        begin = max(first, min(begin - words // 5, after - words))
        beyond = min(after, begin + words)
        shown = {
            word
            for word, one in zip(at.tolist(), item.tolist(), strict=True)
            for word in range(word, word + len(occurrences.items[one].terms))
            if begin <= word < beyond
        }
        ranges = [(int(cut.start[word]), int(cut.end[word])) for word in sorted(shown)]
        start = place.start if begin == first else int(cut.start[begin])
        end = place.end if beyond == after else int(cut.end[beyond - 1])
        found.append(_snippet(text, start, end, ranges, borders, begin > first, beyond < after))
    return found


def _best_window(at: Ints, item: Ints, words: int) -> int:
    """Where a window begins that has the most different items, and then the most occurrences."""
    until = np.searchsorted(at, at + words)
    best, where = (0, 0), int(at[0])
    for low, high in enumerate(until.tolist()):
        own = (len(set(item[low:high].tolist())), high - low)
        if own > best:
            best, where = own, int(at[low])
    return where


def _snippet(
    text: str,
    start: int,
    end: int,
    ranges: list[tuple[int, int]],
    borders: Ints,
    is_cut_before: bool = False,
    is_cut_after: bool = False,
) -> Snippet:
    """Text on one line: white space of any kind, and the borders of blocks, become one space."""
    shown, found = "… " if is_cut_before else "", []
    words = {low for low, _ in ranges}
    inside = borders[(start < borders) & (borders < end)].tolist()
    edges = sorted({start, end, *inside, *(edge for pair in ranges for edge in pair)})
    for low, high in pairwise(edges):
        piece = _one_line(text[low:high])
        if low == start or shown.endswith(" "):
            piece = piece.lstrip()
        elif low in inside and not piece.startswith(" "):
            shown += " "
        if low in words:
            found.append((len(shown), len(shown) + len(piece)))
        shown += piece
    shown = shown.rstrip()
    return Snippet(f"{shown} …" if is_cut_after else shown, tuple(found))


def _one_line(text: str) -> str:
    """Text with single spaces, also at its ends."""
    words = " ".join(text.split())
    before = " " if text[:1].isspace() else ""
    after = " " if words and text[-1:].isspace() else ""
    return f"{before}{words}{after}"
