"""The places of chunks in the solid text: by tiling, by alignment, or by counting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from doxeval.arrays import Bools, Ints, concatenated_ranges
from doxeval.locating.alignment import aligned
from doxeval.locating.occurrences import Occurrences, most_places, occurrences
from doxeval.locating.solid import SolidPieces, SolidText
from doxeval.locating.windows import Candidates, falls

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# Chunks that leave more than this share of the document uncovered, although the places of their
# texts cover nearly all of it, are not in the order of the document.
_MOST_UNCOVERED = 0.05
# Nor are chunks that begin the text anew this often, for each of them.
_MOST_PASSES = 0.1


@dataclass(frozen=True, eq=False)
class Placed:
    """Solid position and length of each chunk; -1 and 0 where it was not found.

    `broken` chunks lost a character at an end, which their length does not count. `ambiguous` ones
    have other places that are as good. Those with `too_many` places have none here. `in_order` is
    false if the chunks were to be in the order of the text, and are not.
    """

    start: Ints
    length: Ints
    broken: Bools
    ambiguous: Bools
    too_many: Bools
    in_order: bool = True


def tiled(document: SolidText, pieces: SolidPieces) -> Placed | None:
    """The places of chunks that together are the document, or None if they are not.

    >>> tiled(SolidText("to be or"), SolidPieces(["to ", "be\\nor"])).start.tolist()
    [0, 2]
    """
    if pieces.solid != document.solid:
        return None
    none = np.zeros(len(pieces), dtype=np.bool_)
    start = np.where(pieces.lengths > 0, pieces.begin[:-1], -1)
    return Placed(start, pieces.lengths, none, none, none)


def placed(document: SolidText, pieces: SolidPieces, own: Ints | None, order: str) -> Placed:
    """The places of chunks, given the solid positions of those that stand at their own offsets."""
    own = np.full(len(pieces), -1, dtype=np.int64) if own is None else own
    if order == "list":
        if (tiles := tiled(document, pieces)) is not None:
            return tiles
        if _own_cover_all(document, pieces, own):
            none = np.zeros(len(pieces), dtype=np.bool_)
            return Placed(own, pieces.lengths, none, none, none)
    texts = _Texts(document, pieces, own)
    rows = np.flatnonzero(texts.found.counts[texts.number] > 0)
    candidates = Candidates.of(texts.found, texts.number, texts.length, len(document)).part(rows)
    known = np.where(texts.broken, -1, own)[rows]
    if order == "list":
        start, ambiguous, in_order = _in_list_order(candidates, known)
    else:
        start, ambiguous = _counted(candidates, known)
        in_order = True
    return _spread(texts, rows, start, ambiguous, in_order)


def _spread(texts: _Texts, rows: Ints, start: Ints, ambiguous: Bools, in_order: bool) -> Placed:
    """The places of some rows as those of all."""
    all_starts = np.full(len(texts.number), -1, dtype=np.int64)
    all_ambiguous = np.zeros(len(texts.number), dtype=np.bool_)
    all_starts[rows], all_ambiguous[rows] = start, ambiguous
    is_placed = all_starts >= 0
    length = np.where(is_placed, texts.length, 0)
    too_many = texts.found.too_many[texts.number]
    return Placed(all_starts, length, texts.broken & is_placed, all_ambiguous, too_many, in_order)


def _own_cover_all(document: SolidText, pieces: SolidPieces, own: Ints) -> bool:
    """Whether all own offsets are right, follow each other and leave no character uncovered.

    Then no other choice is better, and nothing needs to be searched.
    """
    filled = pieces.lengths > 0
    start = own[filled]
    end = start + pieces.lengths[filled]
    if not len(start) or (start < 0).any() or start[0] > 0 or end[-1] < len(document):
        return False
    falls = (np.diff(start) < 0) | (np.diff(end) < 0)
    return not bool((falls | (start[1:] > end[:-1])).any())


class _Texts:
    """The distinct texts of chunks and their places; those found nowhere without U+FFFD at ends.

    Chunks with too many places that stand at their own offsets have texts of their own, with that
    one place.
    """

    def __init__(self, document: SolidText, pieces: SolidPieces, own: Ints) -> None:
        self.number, first = distinct_texts(pieces)
        most = most_places(document)
        self.found: Occurrences = occurrences(document, pieces, first, most)
        self.length: Ints = pieces.lengths
        self.broken: Bools = np.zeros(len(pieces), dtype=np.bool_)
        lost = np.flatnonzero((self.found.counts == 0) & ~self.found.too_many).tolist()
        if any(_is_broken(pieces[first[number]]) for number in lost):
            self._without_broken_ends(document, [pieces[row] for row in first], lost)
        settled = np.flatnonzero(self.found.too_many[self.number] & (own >= 0) & ~self.broken)
        if len(settled):
            self._at_own_places(settled, own[settled])

    def _at_own_places(self, rows: Ints, place: Ints) -> None:
        found, more = self.found, np.arange(1, len(rows) + 1)
        self.number[rows] = len(found.counts) + more - 1
        self.found = Occurrences(
            np.append(found.begin, found.begin[-1] + more),
            np.append(found.position, place),
            np.append(found.too_many, np.zeros(len(rows), dtype=np.bool_)),
        )

    def _without_broken_ends(
        self, document: SolidText, texts: list[str], lost: Sequence[int]
    ) -> None:
        broken = [number for number in lost if _is_broken(texts[number])]
        for number in broken:
            texts[number] = texts[number].strip(REPLACEMENT)
        self.found = occurrences(document, SolidPieces(texts), most=most_places(document))
        self.length = np.array([len(text) for text in texts], dtype=np.int64)[self.number]
        self.broken = np.isin(self.number, broken)


def distinct_texts(pieces: SolidPieces) -> tuple[Ints, list[int]]:
    """The number of each piece's text, and the first piece that has each text.

    >>> number, first = distinct_texts(SolidPieces(["a", "b", " a"]))
    >>> number.tolist(), first
    ([0, 1, 0], [0, 1])
    """
    numbers: dict[str, int] = {}
    number = [numbers.setdefault(pieces[row], len(numbers)) for row in range(len(pieces))]
    first = np.unique(number, return_index=True)[1]
    return np.array(number, dtype=np.int64), first.tolist()


def _is_broken(text: str) -> bool:
    return text.startswith(REPLACEMENT) or text.endswith(REPLACEMENT)


def _in_list_order(candidates: Candidates, own: Ints) -> tuple[Ints, Bools, bool]:
    """Places by alignment; by counting if the chunks turn out not to be in order."""
    most_passes = 1 + int(_MOST_PASSES * len(candidates))
    if len(falls(candidates)) >= most_passes:
        return *_counted(candidates, own), False
    best = aligned(candidates, own, most_passes)
    uncovered = uncovered_share(best.start, candidates.length, candidates.size)
    few_passes = best.passes <= most_passes
    if few_passes and uncovered <= _MOST_UNCOVERED:
        return best.start, best.ambiguous, True
    if not few_passes or _all_places_cover(candidates):
        return *_counted(candidates, own), False
    if not (own >= 0).any():
        return best.start, best.ambiguous, True
    # Only some chunks of the document: nothing speaks against an own place that is right.
    pinned = aligned(_pinned(candidates, own), own)
    return pinned.start, pinned.ambiguous, True


def _pinned(candidates: Candidates, own: Ints) -> Candidates:
    """Chunks with a right own place have no other."""
    at = np.searchsorted(candidates.key, candidates.text * (candidates.size + 1) + own)
    low = np.where(own >= 0, at, candidates.low)
    return replace(candidates, low=low, high=np.where(own >= 0, low + 1, candidates.high))


def uncovered_share(start: Ints, length: Ints, size: int) -> float:
    """The share of a document that no chunk covers."""
    return uncovered(start, length, size) / size if size else 0.0


def uncovered(start: Ints, length: Ints, size: int) -> int:
    """How many of the characters before `size` no range covers.

    >>> uncovered(np.array([4, 0]), np.array([3, 2]), 10)
    5
    """
    order = np.argsort(start, kind="stable")
    start, end = start[order], (start + length)[order]
    reach = np.maximum.accumulate(np.append(0, end))
    return int(np.maximum(np.append(start, size) - reach, 0).sum())


def _all_places_cover(candidates: Candidates) -> bool:
    """Whether all places of the chunks' texts together cover nearly all of the document."""
    first = np.unique(candidates.text, return_index=True)[1]
    counts = candidates.counts[first]
    rows = concatenated_ranges(candidates.low[first], counts)
    start, length = candidates.position[rows], np.repeat(candidates.length[first], counts)
    return uncovered_share(start, length, candidates.size) < _MOST_UNCOVERED


def _counted(candidates: Candidates, own: Ints) -> tuple[Ints, Bools]:
    """Places of chunks in no order: a text that stands as often as it is listed is settled.

    Equal texts can be exchanged for each other, so it does not matter which chunk gets which place.
    """
    start = np.where(own >= 0, own, candidates.position[candidates.low]).astype(np.int64)
    ambiguous = np.zeros(len(candidates), dtype=np.bool_)
    several = np.flatnonzero((candidates.counts > 1) & (own < 0))
    by_text = several[np.argsort(candidates.text[several], kind="stable")]
    taken = set(zip(candidates.text[own >= 0].tolist(), own[own >= 0].tolist(), strict=True))
    for rows in np.split(by_text, np.flatnonzero(np.diff(candidates.text[by_text])) + 1):
        if len(rows):
            text, places = int(candidates.text[rows[0]]), candidates.places(int(rows[0]))
            free = [at for at in places if (text, at) not in taken] or places
            start[rows] = [free[i % len(free)] for i in range(len(rows))]
            ambiguous[rows] = len(free) not in (1, len(rows))
    return start, ambiguous
