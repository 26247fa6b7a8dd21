"""Where a chunk that does not stand in a text as it is resembles it most.

Seeds are windows of 12 letters that the chunk and the text share. A seed lies on a diagonal: its
place in the text minus its place in the chunk. A band of near diagonals with many seeds is a place
of the chunk, and the longest chain of seeds in it that grows in both texts says which letters
belong together.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.locating.solid import Codes

BAND = 64
# Bands with fewer votes than this share of the best are not looked at.
_VOTES = 0.8
_MOST_BANDS = 16
# An end of a chain that is shorter than the first and further away than the second is by chance.
_SHORT, _FAR = 16, 32
# How far segments are widened, and how many equal letters make up for one that differs.
_WIDEST, _DIFFERENCE = 200, 3


@dataclass(frozen=True)
class Segment:
    """Letters [start, end) of the chunk that stand in the text, `diagonal` letters further on.

    A few of them may differ; `same` counts those that agree.
    """

    start: int
    end: int
    diagonal: int
    same: int


@dataclass(frozen=True)
class Match:
    """Segments of a chunk in one band, ascending."""

    segments: tuple[Segment, ...]

    @property
    def start(self) -> int:
        """The first letter of the chunk that was found."""
        return self.segments[0].start

    @property
    def end(self) -> int:
        """The letter of the chunk after the last that was found."""
        return self.segments[-1].end

    @property
    def place(self) -> tuple[int, int]:
        """The letters [start, end) of the text."""
        first, last = self.segments[0], self.segments[-1]
        return first.start + first.diagonal, last.end + last.diagonal

    @property
    def covered(self) -> int:
        """How many letters of the chunk were found."""
        return sum(one.same for one in self.segments)

    def moved(self, by: int) -> Match:
        """A match of the letters from `by` on as one of the whole chunk."""
        return Match(
            tuple(
                Segment(one.start + by, one.end + by, one.diagonal - by, one.same)
                for one in self.segments
            )
        )


def matches(chunk: Codes, text: Codes, at: Ints, place: Ints, size: int) -> list[Match]:
    """The best places of a chunk, given its seeds: letters `at` of it stand at `place` in the text.

    Those that cover most come first.
    """
    found = []
    for rows in _bands(place - at):
        segments = _segments(_chain(at[rows], place[rows]), size)
        segments = _without_chance_ends(_widened(segments, chunk, text))
        found.append(Match(tuple(segments)))
    return sorted(found, key=lambda match: -match.covered)


def _bands(diagonals: Ints) -> list[Ints]:
    """The rows of seeds in each of the best bands."""
    order = np.argsort(diagonals, kind="stable")
    ascending = diagonals[order]
    bands: list[Ints] = []
    most = 0
    free = np.ones(len(order), dtype=np.bool_)
    last = np.searchsorted(ascending, ascending + BAND)
    while len(bands) < _MOST_BANDS and free.any():
        before = np.append(0, np.cumsum(free))
        votes = np.where(free, before[last] - before[:-1], 0)
        first = int(votes.argmax())
        most = max(most, int(votes[first]))
        if votes[first] < _VOTES * most:
            break
        rows = slice(first, int(last[first]))
        bands.append(np.sort(order[rows][free[rows]]))
        # Bands that overlap a chosen one are the same place.
        near = (ascending > ascending[first] - BAND) & (ascending < ascending[first] + 2 * BAND)
        free &= ~near
    return bands


def _chain(at: Ints, place: Ints) -> list[tuple[int, int]]:
    """The longest list of seeds that grows in both texts."""
    order = np.lexsort((-place, at))
    starts, places = at[order].tolist(), place[order].tolist()
    ends: list[int] = []  # the last place of the best chain of each length
    rows: list[int] = []
    before: list[int] = []
    for row, here in enumerate(places):
        length = bisect_left(ends, here)
        before.append(rows[length - 1] if length else -1)
        ends[length : length + 1] = [here]
        rows[length : length + 1] = [row]
    chain = []
    row = rows[-1]
    while row >= 0:
        chain.append((starts[row], places[row]))
        row = before[row]
    return chain[::-1]


def _segments(chain: list[tuple[int, int]], size: int) -> list[Segment]:
    """Seeds of one diagonal that overlap or touch, joined; no letter belongs to two segments."""
    segments: list[Segment] = []
    for at, place in chain:
        start, diagonal = at, place - at
        if segments:
            last = segments.pop()
            end = min(last.end, at, place - last.diagonal)
            if last.diagonal == diagonal and at <= last.end:
                start = last.start
            elif end > last.start:
                segments.append(Segment(last.start, end, last.diagonal, end - last.start))
        segments.append(Segment(start, at + size, diagonal, at + size - start))
    return segments


def _widened(segments: list[Segment], chunk: Codes, text: Codes) -> list[Segment]:
    """Segments that take in the letters on both sides of them that agree, but for few."""
    result: list[Segment] = []
    for number, one in enumerate(segments):
        diagonal = one.diagonal
        low, high = max(0, -diagonal), min(len(chunk), len(text) - diagonal)
        if result:
            before = result[-1]
            low = max(before.end, before.end + before.diagonal - diagonal)
        if number + 1 < len(segments):
            after = segments[number + 1]
            high = min(after.start, after.start + after.diagonal - diagonal)
        backwards = slice(max(low, one.start - _WIDEST), one.start)
        onwards = slice(one.end, min(high, one.end + _WIDEST))
        ahead, same_ahead = _agreeing((chunk[backwards] == _at(text, backwards, diagonal))[::-1])
        behind, same_behind = _agreeing(chunk[onwards] == _at(text, onwards, diagonal))
        same = one.same + same_ahead + same_behind
        result.append(Segment(one.start - ahead, one.end + behind, diagonal, same))
    return result


def _at(text: Codes, letters: slice, diagonal: int) -> Codes:
    """The letters of a text at which those of a chunk stand."""
    return text[letters.start + diagonal : max(letters.stop, letters.start) + diagonal]


def _agreeing(same: Bools) -> tuple[int, int]:
    """How many letters to take in, and how many of them agree.

    Each that differs must be made up for by several that agree after it.

    >>> _agreeing(np.array([True, False, True, True, True, True, False, False]))
    (6, 5)
    """
    score = np.cumsum(np.where(same, 1, -_DIFFERENCE))
    if not len(score) or score.max() <= 0:
        return 0, 0
    length = len(score) - int(score[::-1].argmax())
    return length, int(same[:length].sum())


def _without_chance_ends(segments: list[Segment]) -> list[Segment]:
    """Segments without short ones at the ends that lie far from the others."""
    while len(segments) > 1 and _by_chance(segments[0], segments[1].start - segments[0].end):
        segments = segments[1:]
    while len(segments) > 1 and _by_chance(segments[-1], segments[-1].start - segments[-2].end):
        segments = segments[:-1]
    return segments


def _by_chance(segment: Segment, gap: int) -> bool:
    return segment.end - segment.start < _SHORT and gap > _FAR
