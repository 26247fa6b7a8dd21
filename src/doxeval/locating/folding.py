"""Letters and digits of a text without case, accents and compatibility forms."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Ints, concatenated_ranges
from doxeval.locating.hashes import WindowHashes


@dataclass(frozen=True, eq=False)
class Folded:
    """Folded characters (as code points), and the offset in the text that each comes from.

    >>> from doxeval.locating.solid import codes_of, text_of
    >>> folded = Folded.of(codes_of("Café №5!"))
    >>> text_of(folded.codes), folded.offsets.tolist()
    ('cafeno5', [0, 1, 2, 3, 5, 5, 6])
    """

    codes: npt.NDArray[np.uint32]
    offsets: Ints

    @classmethod
    def of(cls, codes: npt.NDArray[Any]) -> Folded:
        """Fold a text; every distinct character of it is folded once."""
        distinct, which = np.unique(codes, return_inverse=True)
        forms = [_fold(chr(code)) for code in distinct.tolist()]
        lengths = np.array([len(form) for form in forms], dtype=np.int64)
        table = np.array([ord(mark) for form in forms for mark in form], dtype=np.uint32)
        begin = np.cumsum(lengths) - lengths
        offsets = np.repeat(np.arange(len(codes)), lengths[which])
        return cls(table[concatenated_ranges(begin[which], lengths[which])], offsets)

    @cached_property
    def hashes(self) -> WindowHashes:
        """Hashes of all windows of the folded text."""
        return WindowHashes(self.codes)


def _fold(character: str) -> str:
    """The letters and digits that a character stands for."""
    folded = unicodedata.normalize("NFKD", character).casefold()
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", folded)))
