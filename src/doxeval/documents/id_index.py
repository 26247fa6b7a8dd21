"""An index from document ids to document numbers, which never needs to load all ids.

Each id is hashed to 128 bits. The first half is the key that is sorted and searched; the second
half tells ids with the same key apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Ints, positions_in
from doxeval.errors import InputError

# Numbers up to this many documents fit into 32 bits.
MOST_IN_32_BITS = 1 << 31


def number_type(documents: int) -> np.dtype[Any]:
    """The type of document numbers in a collection of so many documents.

    >>> number_type(1 << 31).name, number_type((1 << 31) + 1).name
    ('int32', 'int64')
    """
    return np.dtype("<i4" if documents <= MOST_IN_32_BITS else "<i8")


class IdIndex(NamedTuple):
    """Keys in ascending order, each with its check (the second half) and its document number."""

    keys: npt.NDArray[np.uint64]
    checks: npt.NDArray[np.uint64]
    numbers: Ints

    def find(self, ids: Sequence[str]) -> Ints:
        """The number of each document, -1 for an unknown id.

        >>> builder = IdIndexBuilder()
        >>> builder.add(["a", "b"])
        >>> builder.finish().find(["b", "x", "a"]).tolist()
        [1, -1, 0]
        """
        wanted = _hashed(ids)
        position = positions_in(self.keys, wanted[:, 0])
        is_found = (position >= 0) & (self.checks[position] == wanted[:, 1])
        return np.where(is_found, self.numbers[position], -1).astype(np.int64)


class DuplicateId(InputError):
    """A duplicate id: its index among the ids just added, and the first document that has it."""

    def __init__(self, index: int, earlier: int) -> None:
        super().__init__("duplicate document id")
        self.index = index
        self.earlier = earlier


class IdIndexBuilder:
    """An index that grows, and notices duplicate ids immediately.

    It is kept as a few sorted parts, each at least twice as long as the next, so that adding stays
    cheap and takes 20 bytes of memory per document.
    """

    def __init__(self) -> None:
        self._parts: list[IdIndex] = []
        self._count = 0

    def add(self, ids: Sequence[str]) -> None:
        """Add ids, which get the next numbers."""
        hashed = _hashed(ids)
        beyond = self._count + len(ids)
        numbers = np.arange(self._count, beyond).astype(number_type(beyond))
        new = _sorted(IdIndex(hashed[:, 0], hashed[:, 1], numbers))
        self._refuse_duplicates(new)
        self._count += len(ids)
        self._parts.append(new)
        while len(self._parts) > 1 and len(self._parts[-1].keys) * 2 > len(self._parts[-2].keys):
            self._merge_last()

    def finish(self) -> IdIndex:
        """The index of all ids."""
        while len(self._parts) > 1:
            self._merge_last()
        index = self._parts[0]
        return index._replace(numbers=index.numbers.astype(number_type(self._count), copy=False))

    def _merge_last(self) -> None:
        last = self._parts.pop()
        before = self._parts.pop()
        both = IdIndex(
            np.concatenate([before.keys, last.keys]),
            np.concatenate([before.checks, last.checks]),
            np.concatenate([before.numbers, last.numbers]),
        )
        self._parts.append(_sorted(both))

    def _refuse_duplicates(self, new: IdIndex) -> None:
        duplicates: list[tuple[int, int]] = []
        twins = np.flatnonzero(new.keys[1:] == new.keys[:-1])
        for first in twins.tolist():
            pair = sorted(new.numbers[first : first + 2].tolist())
            duplicates.append((pair[1], pair[0]))
        for part in self._parts:
            position = positions_in(part.keys, new.keys)
            for at in np.flatnonzero(position >= 0).tolist():
                duplicates.append((int(new.numbers[at]), int(part.numbers[position[at]])))
        if duplicates:
            later, earlier = min(duplicates)
            raise DuplicateId(later - self._count, earlier)


def _hashed(ids: Sequence[str]) -> npt.NDArray[np.uint64]:
    digests = b"".join(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        for text in ids
    )
    return np.frombuffer(digests, dtype="<u8").reshape(-1, 2)


def _sorted(index: IdIndex) -> IdIndex:
    order = np.argsort(index.keys, kind="stable")
    return IdIndex(index.keys[order], index.checks[order], index.numbers[order])
