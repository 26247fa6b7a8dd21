"""Letters and digits of a text without case, accents and compatibility forms."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Ints, concatenated_ranges


def folded(codes: npt.NDArray[Any]) -> tuple[npt.NDArray[np.uint32], Ints]:
    """The folded characters of a text, and the offset in the text that each comes from.

    Every distinct character is folded once.

    >>> from doxeval.locating.solid import codes_of, text_of
    >>> letters, offsets = folded(codes_of("Café №5!"))
    >>> text_of(letters), offsets.tolist()
    ('cafeno5', [0, 1, 2, 3, 5, 5, 6])
    """
    distinct, which = np.unique(codes, return_inverse=True)
    forms = [_fold(chr(code)) for code in distinct.tolist()]
    lengths = np.array([len(form) for form in forms], dtype=np.int64)
    table = np.array([ord(mark) for form in forms for mark in form], dtype=np.uint32)
    begin = np.cumsum(lengths) - lengths
    offsets = np.repeat(np.arange(len(codes)), lengths[which])
    return table[concatenated_ranges(begin[which], lengths[which])], offsets


def _fold(character: str) -> str:
    """The letters and digits that a character stands for."""
    form = unicodedata.normalize("NFKD", character).casefold()
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", form)))
