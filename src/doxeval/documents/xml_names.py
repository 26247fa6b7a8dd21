"""The names of many tags at once, read in words of eight bytes.

<section>…      "section>"     a word, in which ">" ends the name
<collectionlink href=…         "collecti", then "onlink h"
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Ints, distinct_below

LONGEST = 64  # bytes of a name; a multiple of a word
_WORD = 8
_ENDS_NAME = np.zeros(256, dtype=np.bool_)
_ENDS_NAME[list(b"\t\n\r />\0")] = True
_HASH_BITS = 13
# Odd numbers with well-mixed bits: if two words have one hash by the first, the next is tried.
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)
_Words = npt.NDArray[np.uint64]


def names_at(joined: bytes, places: Ints) -> tuple[Ints, list[str], Ints]:
    """The numbers of the names at some places, all names, and the indices of those too long.

    At least LONGEST + 8 bytes come after the last place. A few names may be the beginnings of
    others.

    >>> joined = b"<p>x</p><section a='1'><p/></section>" + bytes(LONGEST + 8)
    >>> numbers, names, _ = names_at(joined, np.array([1, 9, 24]))
    >>> [names[number] for number in numbers.tolist()]
    ['p', 'section', 'p']
    """
    every_word = np.ndarray((len(joined) - _WORD + 1,), "<u8", joined, 0, (1,))
    numbers: Ints = np.zeros(len(places), dtype=np.int64)
    names: list[bytes] = []
    # What has been read of names that go on: which tags have them, and as what number in `known`.
    goes_on, beginning, known = np.arange(len(places)), numbers, [b""]
    for at in range(0, LONGEST, _WORD):
        words, has_ended = _up_to_the_end(every_word[places[goes_on] + at])
        distinct, which = _distinct(words)
        pairs, which = distinct_below(len(known) * len(distinct), beginning * len(distinct) + which)
        spelt = [word.tobytes().rstrip(b"\0") for word in distinct]
        known = [known[pair // len(spelt)] + spelt[pair % len(spelt)] for pair in pairs.tolist()]
        numbers[goes_on] = len(names) + which
        names += known
        goes_on, beginning = goes_on[~has_ended], which[~has_ended]
        if not len(goes_on):
            break
    return numbers, [name.decode("utf-8", "replace") for name in names], goes_on


def _up_to_the_end(words: _Words) -> tuple[_Words, Bools]:
    """Words without what follows a name, and whether a name ends there."""
    ends = _ENDS_NAME[words.view(np.uint8)].view("<u8")  # 1 for each byte that ends a name
    first = ends & (~ends + 1)
    # The bits below the first end; all bits if there is none.
    return words & (first - 1), ends != 0


def _distinct(words: _Words) -> tuple[_Words, Ints]:
    """The distinct words, and the position of each word among them.

    There are few, so each is almost sure to have a hash of its own, and nothing is sorted.
    """
    for factor in _FACTORS:
        hashes = ((words * factor) >> np.uint64(64 - _HASH_BITS)).astype(np.int64)
        word_of = np.empty(1 << _HASH_BITS, dtype=np.uint64)
        word_of[hashes] = words
        if (word_of[hashes] == words).all():
            distinct, which = distinct_below(1 << _HASH_BITS, hashes)
            return word_of[distinct], which
    return np.unique(words, return_inverse=True)
