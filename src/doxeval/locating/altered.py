"""Chunks that do not stand in the text as they are: what of them stands there, by their letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from doxeval.arrays import Ints
from doxeval.locating.chains import Match
from doxeval.locating.levels import placed_by_level
from doxeval.locating.resembling import LEAST_LETTERS, Resemblance, resembling
from doxeval.locating.solid import SolidPieces, SolidText

_MOST_MARKS = 40


@dataclass(frozen=True)
class Altered:
    """What was found of one chunk: its ranges, none if it is lost, and the share of its letters.

    `prefix` and `suffix` count its characters before and after those found. `too_many`: its letters
    stand at so many places that none of them was chosen.
    """

    row: int
    spans: tuple[tuple[int, int], ...]
    share: float
    ambiguous: bool = False
    prefix: int = 0
    suffix: int = 0
    too_many: bool = False


def altered(
    document: SolidText,
    pieces: SolidPieces,
    lost: Ints,
    known_ends: Ints,
    depth: Ints,
    order: str,
    min_share: float,
) -> list[Altered]:
    """What stands in the text of chunks that were not found as they are.

    `known_ends` says where chunks that were found end in the text, and -1 for others. First chunks
    are searched whole, in the order of the text; what is left is searched by seeds.
    """
    text, folded = document.folded, pieces.folded
    whole = placed_by_level(text, folded, None, depth, order)
    found = []
    for row in lost.tolist():
        if whole.start[row] >= 0 and folded.lengths[row] >= LEAST_LETTERS:
            span = found_whole(document, pieces, row, int(whole.start[row]))
            found.append(Altered(row, (span,), 1.0, bool(whole.ambiguous[row])))
        elif whole.too_many[row]:
            found.append(Altered(row, (), 1.0, too_many=True))
    ends = known_ends.copy()
    for known in found:
        if known.spans:
            ends[known.row] = known.spans[-1][1]
    done = {known.row for known in found}
    rest = [row for row in lost.tolist() if row not in done]
    near = np.full(len(pieces), -1, dtype=np.int64)
    near[1:][ends[:-1] >= 0] = text.solid_before(ends[:-1][ends[:-1] >= 0])
    for one in resembling(text, folded, rest, near, min_share):
        found.append(found_in_part(document, pieces, one))
    return found


def found_whole(document: SolidText, pieces: SolidPieces, row: int, start: int) -> tuple[int, int]:
    """The range of a chunk all of whose letters stand in the folded text, from `start` on."""
    letters = int(pieces.folded.lengths[row])
    return _range(document, pieces, row, (0, letters), (start, start + letters))


def found_in_part(document: SolidText, pieces: SolidPieces, found: Resemblance) -> Altered:
    """A chunk some of whose letters stand in the text."""
    if not found.accepted:
        return Altered(found.row, (), found.share)
    row, parts = found.row, found.matches
    offsets = pieces.folded.offsets(row)
    first, last = parts[0].start, parts[-1].end
    return Altered(
        row,
        _spans(document, pieces, row, parts),
        found.share,
        found.ambiguous,
        int(offsets[first]) if first else 0,
        len(pieces.texts[row]) - int(offsets[last - 1]) - 1 if last < len(offsets) else 0,
    )


def _spans(
    document: SolidText, pieces: SolidPieces, row: int, parts: Sequence[Match]
) -> tuple[tuple[int, int], ...]:
    """The ranges of the parts of a chunk in the order of the text, those that overlap joined."""
    spans: list[tuple[int, int]] = []
    for start, end in sorted(
        _range(document, pieces, row, (one.start, one.end), one.place) for one in parts
    ):
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return tuple(spans)


def _range(
    document: SolidText,
    pieces: SolidPieces,
    row: int,
    letters: tuple[int, int],
    place: tuple[int, int],
) -> tuple[int, int]:
    """The range of the text for letters of a chunk, with the marks around them that both have."""
    text, chunk = document.text, pieces.texts[row]
    offsets = pieces.folded.offsets(row)
    start = int(document.folded.offsets[place[0]])
    end = int(document.folded.offsets[place[1] - 1]) + 1
    first, last = int(offsets[letters[0]]), int(offsets[letters[1] - 1]) + 1
    before = text[max(start - _MOST_MARKS, 0) : start][::-1]
    start -= _same_marks(before, chunk[max(first - _MOST_MARKS, 0) : first][::-1])
    end += _same_marks(text[end : end + _MOST_MARKS], chunk[last : last + _MOST_MARKS])
    return start, end


def _same_marks(text: str, chunk: str) -> int:
    """How many characters of a text belong to the marks with which a chunk goes on.

    >>> _same_marks(". )And", ".) then"), _same_marks(", and", "")
    (3, 0)
    """
    length = 0
    at = 0
    for mark in chunk:
        if mark.isspace():
            continue
        while at < len(text) and text[at].isspace():
            at += 1
        if mark.isalnum() or text[at : at + 1] != mark:
            break
        at += 1
        length = at
    return length
