"""Text without its white space, and where each of its characters stands in the text.

Splitters strip and change white space, but hardly any other characters. So everything is searched
in the solid text, where white space makes no difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Ints
from doxeval.locating.folding import Folded
from doxeval.locating.hashes import WindowHashes

Codes = npt.NDArray[np.uint32]

# All characters that `str.isspace` accepts are below this one.
_LAST_SPACE = 0x3000
_IS_SPACE = np.array([chr(code).isspace() for code in range(_LAST_SPACE + 1)] + [False])


def codes_of(text: str) -> Codes:
    """The code points of a text, lone surrogates included.

    >>> codes_of("aé").tolist()
    [97, 233]
    """
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def text_of(codes: Codes) -> str:
    """The text that has these code points.

    >>> text_of(codes_of("aé"))
    'aé'
    """
    return codes.tobytes().decode("utf-32-le", "surrogatepass")


def is_solid(codes: Codes) -> Bools:
    """Which code points are not white space.

    >>> is_solid(codes_of("a b\\u2028")).tolist()
    [True, False, True, False]
    """
    return ~_IS_SPACE[np.minimum(codes, _LAST_SPACE + 1)]


class SolidText:
    """A text, its solid text, and the offset in the text of each solid character.

    >>> document = SolidText("To be,\\n  or not")
    >>> document.solid, document.offsets.tolist()
    ('Tobe,ornot', [0, 1, 3, 4, 5, 9, 10, 12, 13, 14])
    """

    def __init__(self, text: str) -> None:
        codes = codes_of(text)
        solid = is_solid(codes)
        self.text = text
        self.offsets: Ints = np.flatnonzero(solid)
        self.codes: Codes = codes[solid]
        self.solid = text_of(self.codes)

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def hashes(self) -> WindowHashes:
        """Hashes of all pieces of the solid text."""
        return WindowHashes(self.codes)

    @cached_property
    def folded(self) -> Folded:
        """The letters and digits of the text without case and accents."""
        return Folded.of(codes_of(self.text))

    def solid_before(self, offsets: Ints) -> Ints:
        """How many solid characters stand before each offset of the text.

        >>> SolidText("a b c").solid_before(np.array([0, 1, 2, 5])).tolist()
        [0, 1, 1, 3]
        """
        return np.searchsorted(self.offsets, offsets)


class SolidPieces:
    """Many texts at once: their solid texts one after another.

    `begin[i]` to `begin[i + 1]` is the solid text of piece i. `lead` and `trail` are the numbers of
    white space characters at its two ends.

    >>> pieces = SolidPieces([" a b ", "", "c"])
    >>> pieces.solid, pieces.begin.tolist(), pieces.lead.tolist(), pieces.trail.tolist()
    ('abc', [0, 2, 2, 3], [1, 0, 0], [1, 0, 0])
    """

    def __init__(self, texts: Sequence[str]) -> None:
        codes = codes_of("".join(texts))
        solid = is_solid(codes)
        edges = np.append(0, np.cumsum([len(text) for text in texts], dtype=np.int64))
        offsets = np.flatnonzero(solid)
        self.texts = texts
        self.codes: Codes = codes[solid]
        self.solid = text_of(self.codes)
        self.begin: Ints = np.searchsorted(offsets, edges)
        filled = self.begin[1:] > self.begin[:-1]
        first, last = self.begin[:-1][filled], self.begin[1:][filled] - 1
        self.lead: Ints = np.zeros(len(texts), dtype=np.int64)
        self.trail: Ints = np.zeros(len(texts), dtype=np.int64)
        self.lead[filled] = offsets[first] - edges[:-1][filled]
        self.trail[filled] = edges[1:][filled] - offsets[last] - 1

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def hashes(self) -> WindowHashes:
        """Hashes of all parts of the joined solid text."""
        return WindowHashes(self.codes)

    @cached_property
    def lengths(self) -> Ints:
        """The number of solid characters of each piece."""
        return np.diff(self.begin)

    def __getitem__(self, number: int) -> str:
        return self.solid[self.begin[number] : self.begin[number + 1]]
