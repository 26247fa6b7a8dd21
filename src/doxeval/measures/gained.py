"""What readers of a ranked list gain, piece by piece: new text that answers needs.

Pieces are in the order of reading. Each belongs to a result and to one of its ranges; each of its
characters gains the same. All measures of chunks, and those of highlighted characters where needs
have grades or alternatives, are made of these pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.measures.base import Floats
from doxeval.measures.ground_truth import GroundTruth
from doxeval.spans import Shared, Spans, new_pieces, shared_pieces

_SAME = 1e-12  # steps of a share that differ by less are the same


class NewText(NamedTuple):
    """Relevant text that no earlier result has, in the order of reading.

    row: the result. piece: the range of the result that it is part of, by its number among all
    ranges of all results. text: the new ranges, grouped by judged pair.
    """

    row: Ints
    piece: Ints
    text: Spans


class Gained(NamedTuple):
    """Pieces of new text that gain something, in the order of reading.

    row, piece: as in NewText. start, end: in the document. gain: of each character, out of what is
    wanted. useful: of each character, at most 1: how much of it is worth reading.
    """

    row: Ints
    piece: Ints
    start: Ints
    end: Ints
    gain: Floats
    useful: Floats

    @property
    def length(self) -> Ints:
        """The number of characters of each piece."""
        return self.end - self.start

    def of_rows(self, values: Floats, rows: int) -> Floats:
        """What the characters of each result gain together."""
        found = np.zeros(rows)
        np.add.at(found, self.row, values * self.length)
        return found


def new_text(rows: Ints, piece: Ints, text: Spans) -> NewText:
    """The new text of ranges that are given in the order of reading, with rows and numbers."""
    which, new = new_pieces(text)
    return NewText(rows[which], piece[which], new)


def gained(new: NewText, truth: GroundTruth) -> Gained:
    """What new text gains."""
    wanted = truth.wanted
    single = shared_pieces(new.text, wanted.text)
    worth = wanted.worth[single.other]
    parts = [_as_gained(new, single, worth, worth)]
    if len(wanted.several):
        parts.append(_of_alternatives(new, truth))
    columns: list[Any] = [np.concatenate(column) for column in zip(*parts, strict=True)]
    found = Gained(*columns)
    order = np.lexsort((found.start, found.piece, found.row))
    return Gained(*(column[order] for column in columns))


def _as_gained(new: NewText, shared: Shared, gain: Floats, useful: Floats) -> Gained:
    return Gained(
        new.row[shared.row], new.piece[shared.row], shared.start, shared.end, gain, useful
    )


def shown_alternatives(new: NewText, truth: GroundTruth) -> Shared:
    """The new text of each alternative: which alternative, which new range, and what.

    New ranges do not overlap, so they can be looked up by the alternatives, which may.
    """
    order = np.lexsort((new.text.start, new.text.group))
    in_order = Spans(*(column[order] for column in new.text))
    needs = truth.needs
    shared = shared_pieces(Spans(needs.pair, needs.start, needs.end), in_order)
    return shared._replace(other=order[shared.other])


class _Part(NamedTuple):
    """What a range of new text shows of an alternative."""

    alternative: int
    start: int
    end: int


def _of_alternatives(new: NewText, truth: GroundTruth) -> Gained:
    """What needs with alternatives gain: as the largest share shown of one of them grows."""
    needs, wanted = truth.needs, truth.wanted
    shown = shown_alternatives(new, truth)
    need = needs.owner[shown.row]
    worth = dict(zip(wanted.several.tolist(), wanted.weight.tolist(), strict=True))
    relevant = np.flatnonzero(np.isin(need, wanted.several))
    order = np.lexsort((new.text.start[shown.other], new.row[shown.other], need))
    parts: dict[tuple[int, int], list[_Part]] = {}
    columns = (need, shown.other, shown.row, shown.start, shown.end)
    chosen = order[np.isin(order, relevant)]
    for own, place, *part in zip(*(one[chosen].tolist() for one in columns), strict=True):
        parts.setdefault((own, place), []).append(_Part(*part))
    length = needs.end - needs.start
    growing: dict[int, _Growing] = {}
    pieces: list[tuple[int, int, int, int]] = []
    gains: list[tuple[float, float]] = []
    for (own, place), several in parts.items():
        state = growing.setdefault(own, _Growing(length))
        first = float(length[needs.begin[own]])
        for start, end, share, size in state.shown(several):
            pieces.append((int(new.row[place]), int(new.piece[place]), start, end))
            gains.append((share * worth[own], share * size * worth[own] / first))
    whole = np.array(pieces, dtype=np.int64).reshape(-1, 4).T
    values = np.array(gains, dtype=np.float64).reshape(-1, 2).T
    return Gained(*whole, *values)


class _Growing:
    """How much of each alternative of a need was shown, and the largest share of them."""

    def __init__(self, length: Ints) -> None:
        self._length = length
        self._seen: dict[int, int] = {}
        self._most = 0.0

    def shown(self, parts: Sequence[_Part]) -> Iterator[tuple[int, int, float, int]]:
        """Show a range of new text: pieces of it, how much the share grows with each character,
        and the length of the alternative whose share it is.
        """
        edges = sorted({edge for part in parts for edge in part[1:]})
        for start, end in pairwise(edges):
            around = [one.alternative for one in parts if one.start <= start and end <= one.end]
            if around:
                yield from self._advanced(start, end, around)

    def _advanced(
        self, start: int, end: int, alternatives: Sequence[int]
    ) -> Iterator[tuple[int, int, float, int]]:
        count = np.arange(1, end - start + 1)
        sizes = np.array([int(self._length[one]) for one in alternatives])
        seen = np.array([self._seen.get(one, 0) for one in alternatives])
        shares = (seen[:, None] + count) / sizes[:, None]
        best = shares.max(axis=0)
        size = sizes[shares.argmax(axis=0)]
        most = np.maximum(best, self._most)
        growth = np.diff(most, prepend=self._most)
        edges = np.flatnonzero((np.abs(np.diff(growth)) > _SAME) | (np.diff(size) != 0)) + 1
        for begin, after in pairwise([0, *edges.tolist(), len(count)]):
            if growth[begin] > _SAME:
                mean = float(growth[begin:after].mean())
                yield start + begin, start + after, mean, int(size[begin])
        self._most = float(most[-1])
        self._seen.update({one: self._seen.get(one, 0) + end - start for one in alternatives})
