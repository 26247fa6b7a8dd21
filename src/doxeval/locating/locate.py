"""Where the chunks of a document stand in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.errors import InputError
from doxeval.locating.how import How
from doxeval.locating.located import Located
from doxeval.locating.own_offsets import Given, OwnOffsets, checked
from doxeval.locating.placing import Placed, placed
from doxeval.locating.solid import SolidPieces, SolidText

Order = Literal["list", "none"]


def locate_chunks(
    text: str | SolidText,
    chunks: Sequence[str],
    *,
    own: Given | None = None,
    parents: Sequence[int] | None = None,
    order: Order = "list",
    min_share: float = 0.8,
) -> Located:
    """Find the chunks of one document in its text.

    `own` are the starts and ends that came with the chunks (ends may be None, missing ones None or
    -1). They are checked, and chunks that do not stand there are searched. With `order="list"` the
    chunks are in the order of the text, which settles which copy of a repeated text is meant;
    `parents`, the number of each chunk's parent in the list or -1, tells levels of a tree apart. A
    chunk of which only part is found needs a share of `min_share`.

    >>> located = locate_chunks("one two one two three", ["one two", "one  two", "three"])
    >>> [located.spans(i) for i in range(3)]
    [((0, 7),), ((8, 15),), ((16, 21),)]
    >>> print(located.report)
    3 chunks: 2 exact, 1 white space, 0 folded, 0 lost · 2 stand more than once, 0 ambiguous · \
0 of 17 solid characters in no chunk · own offsets: none given
    """
    if order not in ("list", "none"):
        raise InputError(f"order={order!r}: expected 'list' or 'none'")
    document = text if isinstance(text, SolidText) else SolidText(text)
    pieces = SolidPieces(chunks)
    offsets = checked(document, pieces, own)
    above = None if parents is None else np.asarray(parents, dtype=np.int64)
    found = _by_level(document, pieces, offsets, above, order)
    return _located(document, pieces, offsets, above, found)


def _by_level(
    document: SolidText,
    pieces: SolidPieces,
    own: OwnOffsets | None,
    parents: Ints | None,
    order: Order,
) -> Placed:
    """The places of chunks; those of each level of a tree for themselves."""
    place = None if own is None else own.place
    depth = np.zeros(len(pieces), dtype=np.int64) if parents is None else depths(parents)
    if not depth.any():
        return placed(document, pieces, place, order)
    start, length = np.zeros((2, len(pieces)), dtype=np.int64)
    broken, ambiguous = np.zeros((2, len(pieces)), dtype=np.bool_)
    in_order = True
    for level in np.unique(depth).tolist():
        rows = np.flatnonzero(depth == level)
        texts = SolidPieces([pieces.texts[i] for i in rows.tolist()])
        one = placed(document, texts, None if place is None else place[rows], order)
        start[rows], length[rows] = one.start, one.length
        broken[rows], ambiguous[rows] = one.broken, one.ambiguous
        in_order &= one.in_order
    return Placed(start, length, broken, ambiguous, in_order)


def depths(parents: Ints) -> Ints:
    """How deep each chunk lies below one without a parent.

    >>> depths(np.array([-1, 0, 1, -1])).tolist()
    [0, 1, 2, 0]
    """
    if len(parents) and not (parents < len(parents)).all():
        raise InputError("parents= names a chunk that is not in the list")
    depth = np.zeros(len(parents), dtype=np.int64)
    above = np.array(parents, dtype=np.int64)
    while (above >= 0).any():
        depth += above >= 0
        if depth.max() > len(parents):
            raise InputError("parents= goes round in a circle")
        above = np.where(above >= 0, np.asarray(parents)[above], -1)
    return depth


def _located(
    document: SolidText,
    pieces: SolidPieces,
    own: OwnOffsets | None,
    parents: Ints | None,
    found: Placed,
) -> Located:
    """Solid places as ranges of the text; equal white space at both ends belongs to them."""
    how = np.full(len(pieces), How.LOST, dtype=np.uint8)
    how[pieces.lengths == 0] = How.BLANK
    rows = np.flatnonzero(found.start >= 0)
    start = document.offsets[found.start[rows]]
    end = document.offsets[found.start[rows] + found.length[rows] - 1] + 1
    whole = ~found.broken[rows]
    exact = whole & _verbatim(document, pieces, rows, start, end)
    start = np.where(exact, start - pieces.lead[rows], start)
    end = np.where(exact, end + pieces.trail[rows], end)
    how[rows] = np.where(exact, How.EXACT, np.where(whole, How.WHITE_SPACE, How.BROKEN))
    if own is not None:
        own_rows = rows[(own.place[rows] == found.start[rows]) & whole]
        how[own_rows] = How.OWN
        is_own = how[rows] == How.OWN
        start = np.where(is_own, own.start[rows], start)
        end = np.where(is_own & (own.end[rows] >= 0), own.end[rows], end)
    counts = (found.start >= 0).astype(np.int64)
    return Located(
        begin=np.append(0, np.cumsum(counts)),
        start=start,
        end=end,
        how=how,
        share=np.where((found.start >= 0) | (how == How.BLANK), 1.0, 0.0),
        ambiguous=found.ambiguous,
        prefix=np.zeros(len(pieces), dtype=np.int64),
        suffix=np.zeros(len(pieces), dtype=np.int64),
        document=document,
        chunks=pieces,
        own=own,
        parents=parents,
        in_order=found.in_order,
    )


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
