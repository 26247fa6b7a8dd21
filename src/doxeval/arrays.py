"""The kinds of arrays the rooms hand to each other, and index arithmetic they share."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.integer[Any]]
Bools: TypeAlias = npt.NDArray[np.bool_]
Bytes: TypeAlias = npt.NDArray[np.uint8]


def concatenated_ranges(starts: Ints, lengths: Ints) -> Ints:
    """All integers of the ranges [start, start + length), one range after another.

    >>> concatenated_ranges(np.array([5, 20]), np.array([3, 2])).tolist()
    [5, 6, 7, 20, 21]
    """
    lengths = np.asarray(lengths, dtype=np.int64)
    before = np.cumsum(lengths) - lengths
    return np.repeat(np.asarray(starts, dtype=np.int64) - before, lengths) + np.arange(
        int(lengths.sum())
    )


def positions_in(sorted_keys: Ints, wanted: Ints) -> Ints:
    """Where each wanted key stands in an ascending array, or -1 where it does not.

    >>> positions_in(np.array([3, 7, 9]), np.array([7, 8, 3])).tolist()
    [1, -1, 0]
    """
    if len(sorted_keys) == 0:
        return np.full(len(wanted), -1, dtype=np.int64)
    found = np.minimum(np.searchsorted(sorted_keys, wanted), len(sorted_keys) - 1)
    return np.where(sorted_keys[found] == wanted, found, -1)


def distinct_below(bound: int, keys: Ints) -> tuple[Ints, Ints]:
    """The distinct keys, ascending, and the place of each key among them.

    The same as `np.unique(keys, return_inverse=True)` for keys in [0, bound), by counting
    instead of sorting where the bound is small enough.

    >>> distinct, which = distinct_below(10, np.array([7, 3, 7]))
    >>> distinct.tolist(), which.tolist()
    ([3, 7], [1, 0, 1])
    """
    if bound > 4 * len(keys) + 10_000:
        return np.unique(keys, return_inverse=True)
    occurs = np.zeros(bound, dtype=np.bool_)
    occurs[keys] = True
    distinct = np.flatnonzero(occurs)
    place = np.empty(bound, dtype=np.int64)
    place[distinct] = np.arange(len(distinct))
    return distinct, place[keys]


def last_true(flags: Bools) -> Ints:
    """For each position, the last position up to it whose flag is set; the first must be.

    >>> last_true(np.array([True, False, False, True])).tolist()
    [0, 0, 0, 3]
    """
    where = np.flatnonzero(flags)
    return np.repeat(where, np.diff(where, append=len(flags)))
