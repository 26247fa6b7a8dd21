"""An index from document ids to document numbers, which never needs to load all ids.

Each id is hashed to 128 bits. The first half is the key that is sorted and searched; the second
half, the check, tells ids with the same key apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Ints, positions_in
from doxeval.errors import InputError

HASH_BITS = 128
# Numbers up to this many documents fit into 32 bits.
MOST_IN_32_BITS = 1 << 31


def number_type(documents: int) -> np.dtype[Any]:
    """The type of document numbers in a collection of so many documents.

    >>> number_type(1 << 31).name, number_type((1 << 31) + 1).name
    ('int32', 'int64')
    """
    return np.dtype("<i4" if documents <= MOST_IN_32_BITS else "<i8")


class IdIndex(NamedTuple):
    """Keys in ascending order, each with its check and its document number.

    Different ids with the same key, if there ever are any, come in the order of their checks.
    """

    keys: npt.NDArray[np.uint64]
    checks: npt.NDArray[np.uint64]
    numbers: Ints

    def find(self, ids: Sequence[str]) -> Ints:
        """The number of each document, -1 for an unknown id.

        >>> indexed(["a", "b"]).find(["b", "x", "a"]).tolist()
        [1, -1, 0]
        """
        keys, checks = hashed(ids)
        position = positions_in(self.keys, keys)
        numbers = np.full(len(keys), -1, dtype=np.int64)
        left = np.flatnonzero(position >= 0)
        while len(left):
            at = position[left]
            is_found = self.checks[at] == checks[left]
            numbers[left[is_found]] = self.numbers[at[is_found]]
            # Another id has the same key: the next entry may have it, too.
            left = left[~is_found & (at + 1 < len(self.keys))]
            position[left] += 1
            left = left[self.keys[position[left]] == keys[left]]
        return numbers


class DuplicateId(InputError):
    """Two documents with the same id: the number of the second, and that of the first."""

    def __init__(self, number: int, earlier: int) -> None:
        super().__init__("duplicate document id")
        self.number = number
        self.earlier = earlier


def indexed(ids: Sequence[str], first: int = 0) -> IdIndex:
    """The index of some ids, which are numbered from `first`.

    >>> sorted(indexed(["a", "b"], 7).numbers.tolist())
    [7, 8]
    """
    keys, checks = hashed(ids)
    return in_order(IdIndex(keys, checks, np.arange(first, first + len(ids))))


def in_order(index: IdIndex) -> IdIndex:
    """The entries of an index, in ascending order; of the same id, the lowest number first."""
    order = np.argsort(index.keys, kind="stable")  # fast where entries are sorted in part
    keys = index.keys[order]
    if len(keys) and (keys[1:] == keys[:-1]).any():
        order = np.lexsort((index.numbers, index.checks, index.keys))
    return IdIndex(index.keys[order], index.checks[order], index.numbers[order])


def hashed(ids: Sequence[str]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """The key and the check of each id.

    >>> keys, checks = hashed(["a", "b", "a"])
    >>> keys[0] == keys[2] != keys[1]
    np.True_
    """
    size = HASH_BITS // 8
    encoded = [text.encode("utf-8", "surrogatepass") for text in ids]
    digests = b"".join([hashlib.blake2b(one, digest_size=size).digest() for one in encoded])
    halves = np.frombuffer(digests, dtype="<u8").reshape(-1, 2)
    return halves[:, 0].copy(), halves[:, 1].copy()
