"""Paths as ranges of numbers, so that nested elements can be found without a collection."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from doxeval.arrays import Ints
from doxeval.runs.spelling import spelt


def subtree_ranges(paths: Sequence[str]) -> tuple[Ints, Ints]:
    """A range of numbers for each path, which includes the ranges of all paths below it.

    The ranges of other paths are apart from it. An empty path stands for the whole document.

    >>> start, end = subtree_ranges(["/a[1]/p[2]", "/a", "/a[1]/p[1]", "", "/a[1]/p"])
    >>> list(zip(start.tolist(), end.tolist()))
    [(3, 4), (1, 4), (2, 3), (0, 4), (2, 3)]
    """
    # Each step ends with the character that sorts first, so everything below a path follows it.
    keys = [spelt(path).replace("/", "\x00") + "\x00" for path in paths]
    in_order = sorted(set(keys))
    ranges = {key: (at, _end_of(in_order, at)) for at, key in enumerate(in_order)}
    start, end = np.array([ranges[key] for key in keys], dtype=np.int64).reshape(-1, 2).T
    return start, end


def _end_of(keys: list[str], at: int) -> int:
    """The index after the last key that begins with the key at index `at`."""
    return bisect_left(keys, keys[at][:-1] + "\x01", at)
