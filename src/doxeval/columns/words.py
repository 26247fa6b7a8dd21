"""Bytes eight at a time: the words that fields and names of a file are read by."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Ints

SIZE = 8
# The first so many bytes of a word, and the last so many (words are little-endian).
FIRST = np.array([(1 << 8 * kept) - 1 for kept in range(SIZE + 1)], dtype="<u8")
LAST = FIRST[SIZE] ^ FIRST[::-1]
ZEROS = np.uint64(0x3030303030303030)  # eight times the character 0
_SIXES = np.uint64(0x0606060606060606)
_HIGH = np.uint64(0xF0F0F0F0F0F0F0F0)
_THREES = np.uint64(0x3333333333333333)


class Words:
    """Bytes, and from each position on the next eight of them as one number.

    There are eight zeros around the bytes, so that every position has a word before and behind.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._padded = b"".join((bytes(SIZE), data, bytes(SIZE)))
        # The word from position p on is at p + 8, the one up to it at p.
        self.at: npt.NDArray[np.uint64] = np.ndarray(
            (len(self._padded) - SIZE + 1,), "<u8", self._padded, 0, (1,)
        )

    def piece(self, begin: int, end: int) -> Words:
        """A part of the bytes, without a copy of the words."""
        part = Words.__new__(Words)
        part.data = self.data[begin:end]
        part._padded = self._padded
        part.at = self.at[begin : end + SIZE + 1]
        return part


def whole_number(word: npt.NDArray[np.uint64]) -> tuple[Ints, Bools]:
    """Eight characters as one number, and whether all of them are digits.

    Pairs of digits are made numbers below 100, pairs of those numbers below 10,000, and these the
    number itself.
    """
    tens = ((word & _HIGH) | ((word + _SIXES) & _HIGH) >> np.uint64(4)) == _THREES
    word = ((word ^ ZEROS) * np.uint64(2561)) >> np.uint64(8)
    word = ((word & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601)) >> np.uint64(16)
    word = ((word & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001)) >> np.uint64(32)
    return word.astype(np.int64), tens
