"""Names as places in the bytes of a file: compared, numbered and found without making strings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Ints
from doxeval.columns.words import FIRST, LAST, SIZE, Words

_LONGEST_KEY = 64
_MIX = np.uint64(0x9E3779B97F4A7C15)
_DOT_SLASH = np.uint64(int.from_bytes(b"./", "little"))
_DOT_XML = np.uint64(int.from_bytes(bytes(4) + b".xml", "little"))


class Names(Sequence[str]):
    """Names as places in bytes; each is made a string when it is looked at.

    >>> names = Names(Words(b"b a b"), np.array([0, 2, 4]), np.array([1, 3, 5]))
    >>> list(names), names.numbering[0].tolist(), list(names.distinct)
    (['b', 'a', 'b'], [0, 1, 0], ['b', 'a'])
    """

    def __init__(self, words: Words, begins: Ints, ends: Ints) -> None:
        self._source = words
        self._data = words.data
        self._begins = begins
        self._ends = ends

    def __len__(self) -> int:
        return len(self._begins)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> Names: ...
    def __getitem__(self, row: int | slice) -> str | Names:
        if isinstance(row, slice):
            return Names(self._source, self._begins[row], self._ends[row])
        return self._data[self._begins[row] : self._ends[row]].decode()

    def __iter__(self) -> Iterator[str]:
        for begin, end in zip(self._begins.tolist(), self._ends.tolist(), strict=True):
            yield self._data[begin:end].decode()

    def as_document_ids(self) -> Names:
        """The names without `./` before and `.xml` behind.

        >>> Names(Words(b"./a.xml"), np.array([0]), np.array([7])).as_document_ids()[0]
        'a'
        """
        lengths = self._ends - self._begins
        dotted = (self._source.at[self._begins + SIZE] & FIRST[2] == _DOT_SLASH) & (lengths >= 2)
        begins = self._begins + 2 * dotted
        marked = (self._source.at[self._ends] & LAST[4] == _DOT_XML) & (self._ends - begins >= 4)
        return Names(self._source, begins, self._ends - 4 * marked)

    @property
    def distinct(self) -> Names:
        """Each name once, in the order of first appearance."""
        if self._are_all_the_same():
            return self[:1]
        first = self.numbering[1]
        return Names(self._source, self._begins[first], self._ends[first])

    def _are_all_the_same(self) -> bool:
        words = self._words
        return words is not None and all((word == word[:1]).all() for word in words)

    @cached_property
    def keys(self) -> npt.NDArray[np.uint64] | None:
        """One word for each name: the same for equal names, and almost never for others."""
        words = self._words
        if words is None:
            return None
        keys = words[0]
        for word in words[1:]:  # not where a name has ended: its key is the same in any company
            keys = np.where(word == 0, keys, _mixed(keys) ^ word)
        return keys

    def find(self, wanted: Sequence[str]) -> Ints:
        """The place of each name among the wanted ones, -1 if it is none of them.

        >>> Names(Words(b"b a b"), np.array([0, 2, 4]), np.array([1, 3, 5])).find(["b"]).tolist()
        [0, -1, 0]
        """
        others = _names_of(tuple(wanted))
        keys, other_keys = self.keys, others.keys
        if len(others) and keys is not None and other_keys is not None:
            found = _find(keys, other_keys)
            if _all_equal(found, self, others):
                return found
        places = {name: place for place, name in enumerate(wanted)}
        return np.fromiter((places.get(name, -1) for name in self), np.int64, len(self))

    @cached_property
    def numbering(self) -> tuple[Ints, Ints]:
        """The number of each name among the distinct ones, and where each of those is first."""
        words = self._words
        if words is None:
            return _numbered(list(self))
        # Neighbours often have the same name, so only the first of each block is looked at.
        is_first = np.zeros(len(self), dtype=np.bool_)
        is_first[:1] = True
        for word in words:
            is_first[1:] |= word[1:] != word[:-1]
        blocks = np.flatnonzero(is_first)
        keys = words[0][blocks]
        for word in words[1:]:
            keys = _mixed(keys) ^ word[blocks]
        _, first, number = np.unique(keys, return_index=True, return_inverse=True)
        same = blocks[first[number]]
        if len(words) > 1 and any((word[blocks] != word[same]).any() for word in words):
            return _numbered(list(self))  # two names of the same key: it does not happen
        order = np.argsort(first)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        block_of = np.cumsum(is_first) - 1
        return rank[number][block_of], blocks[first[order]]

    @cached_property
    def _words(self) -> list[npt.NDArray[np.uint64]] | None:
        """The bytes of all names, eight at a time, with zeros behind; None if some are too long."""
        lengths = self._ends - self._begins
        longest = int(lengths.max(initial=0))
        if longest > _LONGEST_KEY:
            return None
        words = []
        for offset in range(0, longest, SIZE):
            left = np.clip(lengths - offset, 0, SIZE)
            at = np.minimum(self._begins + offset, len(self._data)) + SIZE
            words.append(self._source.at[at] & FIRST[left])
        return words or [np.zeros(len(self), dtype=np.uint64)]


@lru_cache(4)
def _names_of(names: tuple[str, ...]) -> Names:
    """Names of their own, kept for the next run that is compared with them."""
    encoded = [name.encode() for name in names]
    lengths = np.array([len(name) for name in encoded], dtype=np.int64)
    ends = np.cumsum(lengths)
    return Names(Words(b"".join(encoded)), ends - lengths, ends)


def _mixed(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    return (keys ^ (keys >> np.uint64(29))) * _MIX


def _find(keys: npt.NDArray[np.uint64], other_keys: npt.NDArray[np.uint64]) -> Ints:
    """The place of each key among the others, by a table; -1 where it is not there.

    The table has buckets by some bits of the mixed keys; the keys of one bucket are looked at one
    after another, and there are rarely more than two.
    """
    bits = max(len(other_keys).bit_length() + 2, 4)
    shift = np.uint64(64 - bits)
    bucket_of_other = (_mixed(other_keys) >> shift).astype(np.int64)
    order = np.argsort(bucket_of_other, kind="stable")
    begin = np.searchsorted(bucket_of_other[order], np.arange((1 << bits) + 1))
    bucket = (_mixed(keys) >> shift).astype(np.int64)
    found = np.full(len(keys), -1, dtype=np.int64)
    rows = np.flatnonzero(begin[bucket + 1] > begin[bucket])
    at = begin[bucket[rows]]
    while len(rows):
        candidate = order[at]
        same = keys[rows] == other_keys[candidate]
        found[rows[same]] = candidate[same]
        going_on = ~same & (at + 1 < begin[bucket[rows] + 1])
        rows, at = rows[going_on], at[going_on] + 1
    return found


def _all_equal(found: Ints, names: Names, others: Names) -> bool:
    """Whether names with equal keys are equal; for long names that need not be."""
    words, other_words = names._words or [], others._words or []
    if len(words) <= 1 and len(other_words) <= 1:
        return True
    rows = np.flatnonzero(found >= 0)
    different = np.zeros(len(rows), dtype=np.bool_)
    for place in range(max(len(words), len(other_words))):
        one = words[place][rows] if place < len(words) else np.uint64(0)
        other = other_words[place][found[rows]] if place < len(other_words) else np.uint64(0)
        different |= one != other
    return not different.any()


def _numbered(names: list[Any]) -> tuple[Ints, Ints]:
    first: dict[Any, int] = {}
    for row, name in enumerate(names):
        first.setdefault(name, row)
    numbers = {name: number for number, name in enumerate(first)}
    return (
        np.fromiter((numbers[name] for name in names), np.int64, len(names)),
        np.fromiter(first.values(), np.int64, len(first)),
    )
