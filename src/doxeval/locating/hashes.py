"""Hashes of windows of a text: of any window by one subtraction, and of all windows of one size.

The hash of a window is the polynomial of its characters modulo 2**64. Hashes only propose places;
whoever uses them compares the characters before believing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Ints, concatenated_ranges, positions_in

Hashes = npt.NDArray[np.uint64]

_BASE = 0x9E3779B97F4A7C15
_BASE_INVERSE = pow(_BASE, -1, 1 << 64)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_SPREAD = np.uint64(0xC2B2AE3D27D4EB4F)
_FILTER_SPACE = 16


class WindowHashes:
    """Hashes of the windows of a sequence of code points.

    >>> hashes = WindowHashes(np.array([5, 6, 7, 5, 6], dtype=np.uint32))
    >>> first, last = hashes.of(np.array([0, 3]), np.array([2, 2]))
    >>> bool(first == last)
    True
    """

    def __init__(self, codes: npt.NDArray[Any]) -> None:
        values = codes.astype(np.uint64)
        values += np.uint64(1)
        values *= _MIX
        values ^= values >> np.uint64(32)
        values *= _powers(_BASE, len(codes))
        self._before: Hashes = np.zeros(len(codes) + 1, dtype=np.uint64)
        np.cumsum(values, out=self._before[1:])
        self._scale = _powers(_BASE_INVERSE, len(codes) + 1)

    def of(self, starts: Ints, lengths: Ints) -> Hashes:
        """The hashes of the windows with these starts and lengths."""
        hashes: Hashes = self._before[starts + lengths] - self._before[starts]
        hashes *= self._scale[starts]
        return hashes

    def all_of_size(self, size: int) -> Hashes:
        """The hash of the window of this size at each position that has one."""
        count = max(len(self._before) - size, 0)
        return (self._before[size:] - self._before[:count]) * self._scale[:count]


def _powers(base: int, count: int) -> Hashes:
    """1, base, base², … modulo 2**64."""
    powers = np.full(count, base, dtype=np.uint64)
    powers[:1] = 1
    return np.cumprod(powers, out=powers)


class Matches:
    """At which positions of a text each wanted hash stands.

    Few hashes of a text are wanted. A table of bits leaves out most others before any sorting.

    >>> text = WindowHashes(np.array([5, 6, 7, 5, 6], dtype=np.uint32)).all_of_size(1)
    >>> matches = Matches(text, text[[3, 2]])
    >>> matches.counts.tolist(), [part.tolist() for part in matches.pairs(np.array([0, 1]))]
    ([2, 1], [[0, 0, 1], [0, 3, 2]])
    """

    def __init__(self, hashes: Hashes, wanted: Hashes) -> None:
        distinct, self._group = np.unique(wanted, return_inverse=True)
        bits = max(len(distinct) * _FILTER_SPACE, 1 << 10).bit_length()
        shift = np.uint64(64 - bits)
        table = np.zeros(1 << bits, dtype=np.bool_)
        table[(distinct * _SPREAD) >> shift] = True
        likely = np.flatnonzero(table[(hashes * _SPREAD) >> shift])
        group = positions_in(distinct, hashes[likely])
        likely, group = likely[group >= 0], group[group >= 0]
        self._positions: Ints = likely[np.argsort(group, kind="stable")]
        per_group = np.bincount(group, minlength=len(distinct))
        self._begin: Ints = (np.cumsum(per_group) - per_group)[self._group]
        self.counts: Ints = per_group[self._group]

    def pairs(self, rows: Ints) -> tuple[Ints, Ints]:
        """The rows of wanted hashes, repeated, and the positions at which they stand."""
        counts = self.counts[rows]
        return np.repeat(rows, counts), self._positions[
            concatenated_ranges(self._begin[rows], counts)
        ]
