"""Words: bytes read eight at a time, as the package explains."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Ints

Word = npt.NDArray[np.uint64]

SIZE = 8
# Masks for the first 0 to 8 bytes of a word, and for the last (words are little-endian).
FIRST = np.array([(1 << 8 * kept) - 1 for kept in range(SIZE + 1)], dtype="<u8")
LAST = FIRST[SIZE] ^ FIRST[::-1]
ZEROS = np.uint64(0x3030303030303030)  # eight times the character 0
_SIXES = np.uint64(0x0606060606060606)
_HIGH = np.uint64(0xF0F0F0F0F0F0F0F0)


class Words:
    """Bytes, and the word at each position in them.

    Eight zero bytes stand before and after, so that every position has a word on either side.

    >>> words = Words(b"12345678")
    >>> whole_number(words.at[[SIZE]] ^ ZEROS)[0].tolist()
    [12345678]
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._padded = b"".join((bytes(SIZE), data, bytes(SIZE)))
        # The word that begins at position p is at[p + SIZE]; the word that ends there is at[p].
        self.at: Word = np.ndarray((len(self._padded) - SIZE + 1,), "<u8", self._padded, 0, (1,))

    def piece(self, begin: int, end: int) -> Words:
        """Part of the bytes; the words are shared, not copied."""
        part = Words.__new__(Words)
        part.data = self.data[begin:end]
        part._padded = self._padded
        part.at = self.at[begin : end + SIZE + 1]
        return part


def whole_number(word: Word) -> tuple[Ints, Bools]:
    """Eight digits, each the value of a byte, as one number; and whether all of them are digits.

    Neighbouring digits are combined into numbers below 100, these into numbers below 10,000, and
    these into the number itself, for all eight digits at once.
    """
    all_digits = ((word | (word + _SIXES)) & _HIGH) == 0
    word = (word * np.uint64(2561)) >> np.uint64(8)
    word = ((word & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601)) >> np.uint64(16)
    word = ((word & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001)) >> np.uint64(32)
    return word.astype(np.int64), all_digits
