"""Places in solid text as ranges of the text itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from doxeval.arrays import Bools, Bytes, Floats, Ints
from doxeval.locating.altered import Altered
from doxeval.locating.how import How
from doxeval.locating.own_offsets import OwnOffsets
from doxeval.locating.placing import Placed
from doxeval.locating.solid import SolidPieces, SolidText


@dataclass(frozen=True, eq=False)
class Ranges:
    """Ranges [start, end) of chunks `row`, ascending, and columns about all chunks."""

    row: Ints
    start: Ints
    end: Ints
    how: Bytes
    share: Floats
    ambiguous: Bools
    prefix: Ints
    suffix: Ints

    def last_ends(self) -> Ints:
        """Where each chunk ends in the text, -1 if it was not found."""
        ends = np.full(len(self.how), -1, dtype=np.int64)
        ends[self.row] = self.end
        return ends

    def columns(self) -> dict[str, Any]:
        """The columns, with the first range of each chunk instead of the chunk of each range."""
        counts = np.bincount(self.row, minlength=len(self.how))
        columns = {name: value for name, value in vars(self).items() if name != "row"}
        return {"begin": np.append(0, np.cumsum(counts)), **columns}


def unaltered(
    document: SolidText, pieces: SolidPieces, own: OwnOffsets | None, found: Placed
) -> Ranges:
    """The ranges of chunks found as they are, white space aside.

    If the white space is the same, too, that at both ends of a chunk belongs to it.
    """
    rows = np.flatnonzero(found.start >= 0)
    start = document.offsets[found.start[rows]]
    end = document.offsets[found.start[rows] + found.length[rows] - 1] + 1
    whole = ~found.broken[rows]
    exact = whole & _verbatim(document, pieces, rows, start, end)
    start = np.where(exact, start - pieces.lead[rows], start)
    end = np.where(exact, end + pieces.trail[rows], end)
    how = np.full(len(pieces), How.LOST, dtype=np.uint8)
    how[pieces.lengths == 0] = How.BLANK
    how[found.too_many] = How.TOO_AMBIGUOUS
    how[rows] = np.where(exact, How.EXACT, np.where(whole, How.WHITE_SPACE, How.BROKEN))
    if own is not None:
        right = whole & (own.place[rows] == found.start[rows])
        how[rows[right]] = How.OWN
        start = np.where(right, own.start[rows], start)
        end = np.where(right & (own.end[rows] >= 0), own.end[rows], end)
    none = np.zeros(len(pieces), dtype=np.int64)
    share = (how != How.LOST).astype(np.float64)
    return Ranges(rows, start, end, how, share, found.ambiguous, none, none)


def tiled_as_they_are(text: str, chunks: Sequence[str]) -> Ranges | None:
    """The ranges of chunks that stand one after another in the text, with white space between them.

    None if they do not, or leave anything but white space. This is what most splitters give, and
    needs no more than one look at each chunk.
    """
    rows, starts, ends = [], [], []
    how = np.full(len(chunks), How.BLANK, dtype=np.uint8)
    at = 0
    for row, chunk in enumerate(chunks):
        core = chunk.strip()
        if not core:
            continue
        while at < len(text) and text[at].isspace():
            at += 1
        if not text.startswith(core, at):
            return None
        first = at - chunk.index(core[0])
        exact = first >= 0 and text.startswith(chunk, first)
        at += len(core)
        rows.append(row)
        starts.append(first if exact else at - len(core))
        ends.append(first + len(chunk) if exact else at)
        how[row] = How.EXACT if exact else How.WHITE_SPACE
    if text[at:].strip():
        return None
    none = np.zeros(len(chunks), dtype=np.int64)
    row, start, end = np.array([rows, starts, ends], dtype=np.int64)
    return Ranges(row, start, end, how, np.ones(len(chunks)), none.astype(np.bool_), none, none)


def _verbatim(
    document: SolidText, pieces: SolidPieces, rows: Ints, start: Ints, end: Ints
) -> Bools:
    """Which chunks stand in the text character by character, white space included."""
    text, chunks = document.text, pieces.texts
    first = (start - pieces.lead[rows]).tolist()
    after = (end + pieces.trail[rows]).tolist()
    return np.fromiter(
        (
            a >= 0 and text[a:b] == chunks[row]
            for row, a, b in zip(rows.tolist(), first, after, strict=True)
        ),
        np.bool_,
        len(rows),
    )


def joined(ranges: Ranges, found: Sequence[Altered]) -> Ranges:
    """The ranges with those of altered chunks."""
    how, share, ambiguous = ranges.how.copy(), ranges.share.copy(), ranges.ambiguous.copy()
    prefix, suffix = ranges.prefix.copy(), ranges.suffix.copy()
    for one in found:
        share[one.row] = one.share
        if one.too_many:
            how[one.row] = How.TOO_AMBIGUOUS
        if one.spans:
            how[one.row], ambiguous[one.row] = How.FOLDED, one.ambiguous
            prefix[one.row], suffix[one.row] = one.prefix, one.suffix
    spans = [(one.row, *span) for one in found for span in one.spans]
    row, start, end = np.array(spans, dtype=np.int64).reshape(-1, 3).T
    row = np.append(ranges.row, row)
    order = np.argsort(row, kind="stable")
    return replace(
        ranges,
        row=row[order],
        start=np.append(ranges.start, start)[order],
        end=np.append(ranges.end, end)[order],
        how=how,
        share=share,
        ambiguous=ambiguous,
        prefix=prefix,
        suffix=suffix,
    )
