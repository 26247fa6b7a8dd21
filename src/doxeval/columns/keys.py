"""Keys: one 64-bit number for each name, and a table in which keys are looked up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.columns.words import Word

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def folded(words: Sequence[Word]) -> Word:
    """The key of each name, given the names' first words, their second words, and so on.

    A word that is zero lies behind the end of its name and leaves the key as it is. So a name has
    the same key whether or not longer names stand in the same column.

    >>> one = np.array([5, 7], dtype=np.uint64)
    >>> folded([one, np.zeros(2, dtype=np.uint64)]).tolist()
    [5, 7]
    """
    keys = words[0]
    for word in words[1:]:
        keys = np.where(word == 0, keys, scattered(keys) ^ word)
    return keys


def scattered(keys: Word) -> Word:
    """The keys with their bits spread, so that similar names get very different numbers."""
    return (keys ^ (keys >> np.uint64(29))) * _MULTIPLIER


class KeyTable(NamedTuple):
    """Keys in buckets, by the highest bits of the scattered key.

    The keys of bucket b are those at order[begin[b]] up to order[begin[b + 1]]. There are at least
    twice as many buckets as keys, so a bucket rarely holds more than two.

    >>> table = KeyTable.of(np.array([30, 10, 20], dtype=np.uint64))
    >>> table.find(np.array([10, 11, 30], dtype=np.uint64)).tolist()
    [1, -1, 0]
    """

    keys: Word
    shift: np.uint64
    order: Ints
    begin: Ints

    @classmethod
    def of(cls, keys: Word) -> KeyTable:
        """The table of these keys."""
        bits = max(len(keys).bit_length() + 2, 4)
        shift = np.uint64(64 - bits)
        bucket = (scattered(keys) >> shift).astype(np.int64)
        order = np.argsort(bucket, kind="stable")
        begin = np.searchsorted(bucket[order], np.arange((1 << bits) + 1))
        return cls(keys, shift, order, begin)

    def find(self, keys: Word) -> Ints:
        """The position of each key among the keys of the table, -1 if it is not there."""
        bucket = (scattered(keys) >> self.shift).astype(np.int64)
        found = np.full(len(keys), -1, dtype=np.int64)
        rows = np.flatnonzero(self.begin[bucket + 1] > self.begin[bucket])
        at = self.begin[bucket[rows]]
        while len(rows):  # once for each key of the fullest bucket
            candidate = self.order[at]
            same = keys[rows] == self.keys[candidate]
            found[rows[same]] = candidate[same]
            undecided = ~same & (at + 1 < self.begin[bucket[rows] + 1])
            rows, at = rows[undecided], at[undecided] + 1
        return found
