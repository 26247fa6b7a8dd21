"""The places of chunks that form a tree: each level of it is a list in the order of the text."""

from __future__ import annotations

import numpy as np

from doxeval.arrays import Ints
from doxeval.errors import InputError
from doxeval.locating.placing import Placed, placed
from doxeval.locating.solid import SolidPieces, SolidText


def placed_by_level(
    document: SolidText, pieces: SolidPieces, own: Ints | None, depth: Ints, order: str
) -> Placed:
    """The places of chunks, those of each depth for themselves."""
    if not depth.any():
        return placed(document, pieces, own, order)
    start, length = np.zeros((2, len(pieces)), dtype=np.int64)
    broken, ambiguous, too_many = np.zeros((3, len(pieces)), dtype=np.bool_)
    in_order = True
    for level in np.unique(depth).tolist():
        rows = np.flatnonzero(depth == level)
        one = placed(document, pieces.part(rows), None if own is None else own[rows], order)
        start[rows], length[rows] = one.start, one.length
        broken[rows], ambiguous[rows], too_many[rows] = one.broken, one.ambiguous, one.too_many
        in_order &= one.in_order
    return Placed(start, length, broken, ambiguous, too_many, in_order)


def depths(parents: Ints) -> Ints:
    """How deep each chunk lies below one without a parent.

    >>> depths(np.array([-1, 0, 1, -1])).tolist()
    [0, 1, 2, 0]
    """
    if not (parents < len(parents)).all():
        raise InputError("parents= names a chunk that is not in the list")
    depth = np.zeros(len(parents), dtype=np.int64)
    above = parents
    while (above >= 0).any():
        depth += above >= 0
        if depth.max() >= len(parents):
            raise InputError("parents= goes round in a circle")
        above = np.where(above >= 0, parents[above], -1)
    return depth
