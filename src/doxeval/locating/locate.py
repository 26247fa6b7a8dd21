"""Where the chunks of a document stand in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from doxeval.arrays import Ints
from doxeval.errors import InputError
from doxeval.locating.altered import altered
from doxeval.locating.how import How
from doxeval.locating.levels import depths, placed_by_level
from doxeval.locating.located import Located
from doxeval.locating.own_offsets import Given, OwnOffsets, checked
from doxeval.locating.ranges import Ranges, joined, tiled_as_they_are, unaltered
from doxeval.locating.solid import SolidPieces, SolidText
from doxeval.messages import Parameter

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
    chunk of which only part is found needs a share of `min_share`, unless all the rest of it stands
    before or after what was found.

    >>> located = locate_chunks("one two one two three", ["one two", "one  two", "three"])
    >>> [located.spans(i) for i in range(3)]
    [((0, 7),), ((8, 15),), ((16, 21),)]
    >>> print(located.report)
    3 chunks: 2 exact, 1 white space, 0 folded, 0 lost · 2 stand more than once, 0 ambiguous · \
0 of 17 solid characters in no chunk · own offsets: none given
    """
    if order not in ("list", "none"):
        raise InputError(Parameter("order", order) + ": expected 'list' or 'none'")
    if not 0 < min_share <= 1:
        raise InputError(
            Parameter("min_share", min_share) + ": expected a share above 0, at most 1"
        )
    document = text if isinstance(text, SolidText) else SolidText(text)
    pieces = SolidPieces(chunks)
    above = _parents(parents, len(pieces))
    depth = depths(above)
    offsets = checked(document, pieces, own)
    ranges, in_order = None, True
    if order == "list" and offsets is None and not depth.any():
        ranges = tiled_as_they_are(document.text, chunks)
    if ranges is None:
        ranges, in_order = _searched(document, pieces, offsets, depth, order, min_share)
    return Located(
        **ranges.columns(),
        document=document,
        chunks=pieces,
        own=offsets,
        parents=None if parents is None else above,
        in_order=in_order,
    )


def _parents(given: Sequence[int] | None, count: int) -> Ints:
    """The number of each chunk's parent, -1 for none."""
    if given is None:
        return np.full(count, -1)
    try:
        found = np.asarray(given, dtype=np.int64)
    except (TypeError, ValueError, OverflowError):
        raise InputError("parents= names a chunk that is not in the list") from None
    if found.shape != (count,):
        raise InputError(f"parents= has {len(given):,} numbers for {count:,} chunks")
    return found


def _searched(
    document: SolidText,
    pieces: SolidPieces,
    own: OwnOffsets | None,
    depth: Ints,
    order: Order,
    min_share: float,
) -> tuple[Ranges, bool]:
    """The ranges of chunks, and whether they are in the order of the text if they should be."""
    found = placed_by_level(document, pieces, None if own is None else own.place, depth, order)
    ranges = unaltered(document, pieces, own, found)
    lost = np.flatnonzero(ranges.how == How.LOST)
    if len(lost):
        ends = ranges.last_ends()
        ranges = joined(ranges, altered(document, pieces, lost, ends, depth, order, min_share))
    return ranges, found.in_order
