"""Types of arrays that rooms hand to each other, and arithmetic on indexes that they share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.integer[Any]]
Bools: TypeAlias = npt.NDArray[np.bool_]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Floats: TypeAlias = npt.NDArray[np.float64]


_FIRST_BITS = 20
# Odd numbers with well-mixed bits, one for each column of a fingerprint.
_FACTORS = np.array(
    [
        0x9E3779B97F4A7C15,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0x27D4EB2F165667C5,
        0xD6E8FEB86659FD93,
        0xFF51AFD7ED558CCD,
    ],
    dtype=np.uint64,
)


def concatenated_ranges(starts: Ints, lengths: Ints) -> Ints:
    """Return all integers of the ranges [start, start + length), one range after another.

    >>> concatenated_ranges(np.array([5, 20]), np.array([3, 2])).tolist()
    [5, 6, 7, 20, 21]
    """
    lengths = np.asarray(lengths, dtype=np.int64)
    before = np.cumsum(lengths) - lengths
    return np.repeat(np.asarray(starts, dtype=np.int64) - before, lengths) + np.arange(
        int(lengths.sum())
    )


def portions(weights: Ints, most: int) -> Iterator[slice]:
    """Split consecutive items into slices that weigh about `most`, and less than one item more.

    >>> list(portions(np.array([3, 3, 9, 1, 1]), 5))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 5, None)]
    """
    before = np.cumsum(weights) - weights
    edges = np.flatnonzero(np.diff(before // most, prepend=-1, append=-1))
    return (slice(begin, end) for begin, end in pairwise(edges.tolist()))


def positions_in(sorted_keys: Ints, keys: Ints) -> Ints:
    """Return the position of each key in an ascending array, or -1 if it is not there.

    >>> positions_in(np.array([3, 7, 9]), np.array([7, 8, 3])).tolist()
    [1, -1, 0]
    """
    if len(sorted_keys) == 0:
        return np.full(len(keys), -1, dtype=np.int64)
    positions = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
    return np.where(sorted_keys[positions] == keys, positions, -1)


def distinct_below(bound: int, keys: Ints) -> tuple[Ints, Ints]:
    """Return the distinct keys, ascending, and the position of each key among them.

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
    position = np.empty(bound, dtype=np.int64)
    position[distinct] = np.arange(len(distinct))
    return distinct, position[keys]


def last_true(flags: Bools) -> Ints:
    """Return, for each position, the last one up to it whose flag is set; the first must be set.

    >>> last_true(np.array([True, False, False, True])).tolist()
    [0, 0, 0, 3]
    """
    where = np.flatnonzero(flags)
    return np.repeat(where, np.diff(where, append=len(flags)))


def repeated_rows(*columns: Ints) -> Ints:
    """Return the rows, ascending, whose values in all columns an earlier row has too.

    Sorting all rows by several columns would take longer than scoring them. So each row first gets
    a fingerprint, and rows are compared in full only if another row shares theirs. Most rows drop
    out even earlier: nothing else has the first bits of their fingerprints.

    >>> repeated_rows(np.array([7, 7, 8, 7]), np.array([1, 2, 1, 1])).tolist()
    [3]
    """
    prints = np.zeros(len(columns[0]), dtype=np.uint64)
    for column, factor in zip(columns, _FACTORS[: len(columns)], strict=True):
        if (column == column[:1]).all():
            continue  # a constant column cannot distinguish rows
        prints += column.astype(np.int64, copy=False).view(np.uint64) * factor
        prints ^= prints >> np.uint64(29)
    rows = _with_shared_print(prints, min(_FIRST_BITS, len(prints).bit_length() + 3))
    selected = [column[rows] for column in columns]
    order = np.lexsort((rows, *selected))
    same = np.logical_and.reduce([column[order][1:] == column[order][:-1] for column in selected])
    return np.sort(rows[order[1:][same]])


def _with_shared_print(prints: npt.NDArray[np.uint64], bits: int) -> Ints:
    """Return the rows whose fingerprint another row has too; the first bits are compared first."""
    first_bits = (prints >> np.uint64(64 - bits)).astype(np.int64)
    rows = np.flatnonzero(np.bincount(first_bits)[first_bits] > 1)
    in_order = np.sort(prints[rows])
    shared = in_order[1:][in_order[1:] == in_order[:-1]]
    return rows[np.isin(prints[rows], shared)] if len(shared) else rows[:0]


def distinct(keys: Ints) -> Ints:
    """Return the distinct keys, ascending.

    The same as `np.unique(keys)`, which imports `numpy.ma`: 8 ms of every short command.

    >>> distinct(np.array([7, 3, 7])).tolist()
    [3, 7]
    """
    in_order = np.sort(keys)
    is_first = np.ones(len(keys), dtype=np.bool_)
    is_first[1:] = in_order[1:] != in_order[:-1]
    return in_order[is_first]


def rows_by_key(keys: Ints) -> dict[int, Ints]:
    """Return the rows that have each key, ascending.

    >>> rows_by_key(np.array([9, 4, 9]))
    {4: array([1]), 9: array([0, 2])}
    """
    if not len(keys):
        return {}
    order = np.argsort(keys, kind="stable")
    in_order = keys[order]
    first = np.flatnonzero(np.append(True, in_order[1:] != in_order[:-1]))
    return dict(zip(in_order[first].tolist(), np.split(order, first[1:]), strict=True))


def sum_by_group(group: Ints, values: npt.NDArray[Any], groups: int) -> npt.NDArray[Any]:
    """Return the sum of the values of each group; whole numbers stay whole.

    groups: how many there are, numbered from 0.

    >>> sum_by_group(np.array([2, 0, 2]), np.array([5, 1, 4]), 3).tolist()
    [1, 0, 9]
    """
    sums = np.zeros(groups, dtype=np.result_type(values.dtype, np.int64))
    np.add.at(sums, group, values)
    return sums


def values_at(rows: Ints, values: Floats) -> Floats:
    """Return the value of each row, 0 for the row -1, which stands for none.

    >>> values_at(np.array([1, -1, 0]), np.array([0.5, 2.0])).tolist()
    [2.0, 0.0, 0.5]
    """
    return np.append(values, 0.0)[rows]


# Offsets as bits

_WORD = 64  # bits
_HALVES = ((1, 0x5555555555555555), (2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F))
_BYTES = np.uint64(0x0101010101010101)


class OffsetBits:
    """Distinct offsets in a text, as a bit for each of its characters: an eighth of a byte.

    It takes the same time wherever in the text one asks. length: the characters of the text.

    >>> bits = OffsetBits(np.array([True, False, True, True]))
    >>> len(bits), bits.before(np.array([0, 2, 4, 9])).tolist(), bits.at(np.array([0, 2])).tolist()
    (3, [0, 1, 3, 3], [0, 3])
    """

    def __init__(self, flags: Bools) -> None:
        self.length = len(flags)
        # One word more, so that there is a word at the end of the text, too.
        data = np.zeros((len(flags) // _WORD + 1) * (_WORD // 8), dtype=np.uint8)
        packed = np.packbits(flags, bitorder="little")
        data[: len(packed)] = packed
        self._set_words(data.view("<u8"))

    def _set_words(self, words: npt.NDArray[np.uint64]) -> None:
        self._words = words
        counts = np.cumsum(_ones(words))
        self._count = int(counts[-1]) if len(counts) else 0
        before = np.zeros(len(words), dtype=np.uint32 if self._count < 1 << 32 else np.int64)
        before[1:] = counts[:-1]
        self._before = before

    @classmethod
    def of(cls, offsets: Ints, length: int) -> OffsetBits:
        """Return distinct offsets of a text of a length; one may be at its end.

        >>> OffsetBits.of(np.array([1, 3]), 3).all().tolist()
        [1, 3]
        """
        flags = np.zeros(length + 1, dtype=np.bool_)
        flags[offsets] = True
        return cls(flags)

    @property
    def nbytes(self) -> int:
        """The bytes that it takes."""
        return self._words.nbytes + self._before.nbytes

    def __len__(self) -> int:
        return self._count

    def before(self, offset: Ints) -> Ints:
        """Return how many offsets are before each given one; beyond the text, before its end."""
        at = np.clip(offset, 0, self.length).astype(np.int64, copy=False)
        word, bit = at >> 6, (at & 63).astype(np.uint64)
        below = (np.uint64(1) << bit) - np.uint64(1)
        counts: Ints = self._before[word] + _ones(self._words[word] & below)
        return counts

    def at(self, number: Ints) -> Ints:
        """Return the offset of each number, from 0 on; beyond them, the first or the last."""
        if not self._count:
            return np.zeros(len(number), dtype=np.int64)
        number = np.clip(number, 0, self._count - 1)
        word = np.searchsorted(self._before, number.astype(self._before.dtype), "right") - 1
        bits, rest = self._words[word], number - self._before[word].astype(np.int64)
        bit = np.zeros(len(number), dtype=np.int64)
        for width in (32, 16, 8, 4, 2, 1):  # the lower half of what is left, or the upper one
            below = _ones(bits & np.uint64((1 << width) - 1))
            is_upper = below <= rest
            bit += np.where(is_upper, width, 0)
            rest -= np.where(is_upper, below, 0)
            bits = np.where(is_upper, bits >> np.uint64(width), bits)
        return word * _WORD + bit

    def all(self) -> Ints:
        """Return all offsets, ascending."""
        return np.flatnonzero(np.unpackbits(self._words.view(np.uint8), bitorder="little"))

    @classmethod
    def joined(cls, parts: Sequence[OffsetBits]) -> tuple[OffsetBits, Ints]:
        """Return the offsets of several texts as one, and where each text begins in it.

        >>> two = [OffsetBits.of(np.array([1, 3]), 3), OffsetBits.of(np.array([2]), 3)]
        >>> bits, begin = OffsetBits.joined(two)
        >>> begin.tolist(), bits.before(begin + 3).tolist(), bits.at(np.array([2])).tolist()
        ([0, 64], [1, 3], [66])
        """
        words = np.array([len(part._words) for part in parts], dtype=np.int64)
        bits = cls.__new__(cls)
        bits.length = max(int(words.sum()) * _WORD - 1, 0)
        none = np.zeros(1, dtype="<u8") if not len(parts) else np.zeros(0, dtype="<u8")
        bits._set_words(np.concatenate([none, *(part._words for part in parts)]))
        return bits, (np.cumsum(words) - words) * _WORD


class TextOffsets:
    """Offsets in several texts, numbered through all of these; text -1 has none.

    >>> first, second = OffsetBits(np.array([False, True, True])), OffsetBits(np.array([True]))
    >>> texts = TextOffsets([first, second])
    >>> texts.before(np.array([0, 0, 1, -1]), np.array([2, 9, 1, 0])).tolist()
    [1, 2, 3, 3]
    >>> texts.at(np.array([0, 1]), np.array([1, 2])).tolist()
    [2, 0]
    >>> texts.after(np.array([0, 0, 0, 1]), np.array([0, 1, 5, 1])).tolist()
    [0, 2, 3, 1]
    """

    def __init__(self, parts: Sequence[OffsetBits]) -> None:
        parts = [*parts, OffsetBits(np.zeros(0, dtype=np.bool_))]
        self._bits, self._begin = OffsetBits.joined(parts)
        self._length = np.array([part.length for part in parts], dtype=np.int64)

    def before(self, text: Ints, offset: Ints) -> Ints:
        """Return how many offsets are in earlier texts, or before one of each text."""
        inside = np.clip(offset, 0, self._length[text])
        return self._bits.before(self._begin[text] + inside)

    def at(self, text: Ints, number: Ints) -> Ints:
        """Return the offsets of some numbers in the texts that have them."""
        return self._bits.at(number) - self._begin[text]

    def after(self, text: Ints, count: Ints) -> Ints:
        """Return the least place in each text that has so many of its offsets before it."""
        first = self.before(text, np.zeros_like(count))
        whole = self.before(text, self._length[text]) - first
        last = self.at(text, first + np.maximum(count, 1) - 1) + 1
        return np.where(count > whole, self._length[text], np.where(count > 0, last, 0))


def _ones(words: npt.NDArray[np.uint64]) -> Ints:
    """Return how many bits of each word are set; see `numpy.bitwise_count`, from NumPy 2 on."""
    (one, odd), (two, pairs), (four, nibbles) = (map(np.uint64, half) for half in _HALVES)
    words = words - ((words >> one) & odd)
    words = (words & pairs) + ((words >> two) & pairs)
    words = (words + (words >> four)) & nibbles
    return ((words * _BYTES) >> np.uint64(56)).astype(np.int64)
