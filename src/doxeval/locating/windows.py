"""Narrowing the places of chunks: those known for sure bound all others.

Chunks follow each other in the text: starts never fall and ends never fall. A chunk with a single
place is an anchor, and a chunk between two anchors stands between them. That usually leaves one
place for it, so it becomes an anchor, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.locating.occurrences import Occurrences


@dataclass(frozen=True, eq=False)
class Candidates:
    """The places that chunks may have, in the order of the chunks.

    Chunk i has the text number `text[i]` of `length[i]` solid characters, and may stand at
    `position[low[i]:high[i]]`, which are ascending. `size` is the length of the document. `key` is
    text and position of each place as one number, so that all of them are ascending.
    """

    length: Ints
    text: Ints
    low: Ints
    high: Ints
    position: Ints
    key: Ints
    size: int

    @classmethod
    def of(cls, found: Occurrences, text: Ints, length: Ints, size: int) -> Candidates:
        """All places of each chunk, given which text it has."""
        texts = np.repeat(np.arange(len(found.counts)), found.counts)
        key = texts * (size + 1) + found.position
        low, high = found.begin[text], found.begin[text + 1]
        return cls(length, text, low, high, found.position, key, size)

    def __len__(self) -> int:
        return len(self.length)

    def part(self, rows: Ints | slice) -> Candidates:
        """Some of the chunks."""
        length, text, low, high = (
            column[rows] for column in (self.length, self.text, self.low, self.high)
        )
        return replace(self, length=length, text=text, low=low, high=high)

    @property
    def counts(self) -> Ints:
        """How many places each chunk may have."""
        return self.high - self.low

    def places(self, number: int) -> list[int]:
        """The places that one chunk may have."""
        places: list[int] = self.position[self.low[number] : self.high[number]].tolist()
        return places


def narrowed(candidates: Candidates) -> tuple[Candidates, int]:
    """The places that anchors leave, and the first chunk that cannot follow those before it.

    If all chunks can follow each other, that number is the number of chunks.
    """
    known = -1
    while True:
        anchors = candidates.counts == 1
        fallen = falls(candidates)
        if len(fallen):
            return candidates, int(fallen[0])
        if (now := int(anchors.sum())) == known:
            return candidates, len(candidates)
        known = now
        candidates = _between_anchors(candidates, anchors)
        empty = np.flatnonzero(candidates.counts <= 0)
        if len(empty):
            return candidates, max(int(empty[0]), 1)


def falls(candidates: Candidates) -> Ints:
    """The chunks with a single place that start or end before the last such chunk."""
    rows = np.flatnonzero(candidates.counts == 1)
    start = candidates.position[candidates.low[rows]]
    end = start + candidates.length[rows]
    return rows[1:][(np.diff(start) < 0) | (np.diff(end) < 0)]


def _between_anchors(candidates: Candidates, anchors: Bools) -> Candidates:
    """The places of all other chunks that lie between the anchors before and after them."""
    rows = np.flatnonzero(anchors)
    others = np.flatnonzero(~anchors)
    start = candidates.position[candidates.low[rows]]
    end = start + candidates.length[rows]
    # Before the first anchor is the beginning of the document, after the last one its end.
    start = np.concatenate([[0], start, [candidates.size]])
    end = np.concatenate([[0], end, [candidates.size]])
    before = np.cumsum(anchors)[others]
    length = candidates.length[others]
    least = np.maximum(start[before], end[before] - length)
    most = np.minimum(start[before + 1], end[before + 1] - length)
    base = candidates.text[others] * (candidates.size + 1)
    low, high = candidates.low.copy(), candidates.high.copy()
    low[others] = np.maximum(low[others], np.searchsorted(candidates.key, base + least))
    high[others] = np.minimum(
        high[others], np.searchsorted(candidates.key, base + most, side="right")
    )
    return replace(candidates, low=low, high=high)
