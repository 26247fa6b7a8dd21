"""Chunks that were altered, or have text of their own at an end: found by their letters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from doxeval.arrays import Ints, concatenated_ranges
from doxeval.locating.chains import Match, matches
from doxeval.locating.hashes import Matches
from doxeval.locating.occurrences import GRAM
from doxeval.locating.solid import Codes, SolidPieces, SolidText

# Fewer letters stand somewhere by chance.
LEAST_LETTERS = 3
# A seed that stands more often tells nothing.
_MOST_PLACES = 50
_MOST_GRAMS = 200_000
# Two places are as good as each other if they differ by less than this share.
_SAME = 0.02
# The least that must be found of a chunk whose other letters are all before or after it.
_LEAST_BESIDE = 24
_LEAST_SHARE = 0.25
# A heading, a body, the head of a table: chunks have few parts that stand apart.
_MOST_PARTS = 8


@dataclass(frozen=True)
class Resemblance:
    """Where the letters of a chunk were found: several matches if its parts stand apart.

    `share` is the share of its letters found. It is accepted if the share is large enough, or if
    all other letters stand before or after those found.
    """

    row: int
    matches: tuple[Match, ...]
    share: float
    ambiguous: bool
    accepted: bool


def resembling(
    document: SolidText,
    pieces: SolidPieces,
    rows: Sequence[int],
    near: Ints,
    min_share: float,
    gram: int = GRAM,
) -> Iterator[Resemblance]:
    """The best places of chunks in folded text; `near` are letters of the document to be near to.

    Of places that are as good as each other, the one nearest to `near[row]` is taken; where that is
    -1, it is the end of the chunk found last. `gram` letters in a row must be the same somewhere.
    """
    last = 0
    with_letters = [row for row in rows if pieces.lengths[row] >= LEAST_LETTERS]
    for row, at, place, size in _seeds(document, pieces, with_letters, gram):
        chunk = pieces.codes[pieces.begin[row] : pieces.begin[row + 1]]
        wanted = int(near[row]) if near[row] >= 0 else last
        found = _resemblance(row, chunk, document, at, place, size, wanted, min_share)
        if found.accepted:
            last = found.matches[-1].place[1]
        yield found


def _seeds(
    document: SolidText, pieces: SolidPieces, rows: Sequence[int], gram: int
) -> Iterator[tuple[int, Ints, Ints, int]]:
    """For each chunk, the letters at which its seeds begin, and their places in the document."""
    lengths = pieces.lengths
    for block in _blocks(rows, lengths):
        for size in sorted({min(gram, int(lengths[row])) for row in block}):
            mine = np.array([row for row in block if min(gram, lengths[row]) == size])
            counts = lengths[mine] - size + 1
            starts = concatenated_ranges(pieces.begin[mine], counts)
            grams = pieces.hashes.of(starts, np.full(len(starts), size))
            found = Matches(document.hashes.all_of_size(size), grams)
            usable = np.flatnonzero((found.counts > 0) & (found.counts <= _MOST_PLACES))
            seed, place = found.pairs(usable)
            edges = np.searchsorted(seed, np.append(0, np.cumsum(counts)))
            for number, row in enumerate(mine.tolist()):
                part = slice(edges[number], edges[number + 1])
                yield row, starts[seed[part]] - pieces.begin[row], place[part], size


def _blocks(rows: Sequence[int], lengths: Ints) -> Iterator[list[int]]:
    """Rows in blocks with a bounded number of letters."""
    block: list[int] = []
    letters = 0
    for row in rows:
        block.append(row)
        letters += int(lengths[row])
        if letters > _MOST_GRAMS:
            yield block
            block, letters = [], 0
    if block:
        yield block


def _resemblance(
    row: int,
    chunk: Codes,
    document: SolidText,
    at: Ints,
    place: Ints,
    size: int,
    near: int,
    min_share: float,
) -> Resemblance:
    if not len(at):
        return Resemblance(row, (), 0.0, False, False)
    found = matches(chunk, document.codes, at, place, size)
    good = [one for one in found if one.covered >= (1 - _SAME) * found[0].covered]
    best = min(good, key=lambda one: abs(one.place[0] - near))
    parts = [best]
    for low, high in ((0, best.start), (best.end, len(chunk))):
        parts += _rest(chunk, document, at, place, size, (low, high), min_share)
    parts.sort(key=lambda one: one.start)
    share = sum(one.covered for one in parts) / len(chunk)
    accepted = share >= min_share or _one_end_is_missing(parts, len(chunk), min_share)
    return Resemblance(row, tuple(parts), share, len(good) > 1, accepted)


def _rest(
    chunk: Codes,
    document: SolidText,
    at: Ints,
    place: Ints,
    size: int,
    part: tuple[int, int],
    min_share: float,
) -> list[Match]:
    """Where the letters [low, high) of a chunk stand, if nearly all of them stand somewhere."""
    found: list[Match] = []
    open_parts = [part]
    while open_parts and len(found) < _MOST_PARTS:
        low, high = open_parts.pop()
        inside = (at >= low) & (at + size <= high)
        if inside.any():
            letters = chunk[low:high]
            best = matches(letters, document.codes, at[inside] - low, place[inside], size)[0]
            open_parts += [(low, low + best.start), (low + best.end, high)]
            found.append(best.moved(low))
    covered = sum(one.covered for one in found)
    return found if covered >= min_share * (part[1] - part[0]) else []


def _one_end_is_missing(parts: Sequence[Match], length: int, min_share: float) -> bool:
    """Whether all letters not found, but for few, stand before or after those found."""
    start, end = parts[0].start, parts[-1].end
    covered = sum(one.covered for one in parts)
    enough = covered >= max(_LEAST_BESIDE, _LEAST_SHARE * length)
    return enough and (start == 0 or end == length) and covered >= min_share * (end - start)
