"""Text without its white space, and where each of its characters stands in the text.

Splitters strip and change white space, but hardly any other characters. So everything is searched
in the solid text, where white space makes no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Ints
from doxeval.locating.folding import folded
from doxeval.locating.hashes import WindowHashes

Codes: TypeAlias = npt.NDArray[np.uint32]
Reduction: TypeAlias = Callable[[Codes], tuple[Codes, Ints]]

# All characters that `str.isspace` accepts are below this one.
_LAST_SPACE = 0x3000
_IS_SOLID = np.array([not chr(code).isspace() for code in range(_LAST_SPACE + 2)])


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
    return _IS_SOLID.take(codes, mode="clip")


def solid(codes: Codes) -> tuple[Codes, Ints]:
    """The characters of a text that are not white space, and where each of them stands."""
    keep = is_solid(codes)
    return codes[keep], np.flatnonzero(keep)


class SolidText:
    """A text, its solid text, and the offset in the text of each solid character.

    With `reduced=folded` the same for its folded letters and digits instead of all characters.

    >>> document = SolidText("To be,\\n  or not")
    >>> document.solid, document.offsets.tolist()
    ('Tobe,ornot', [0, 1, 3, 4, 5, 9, 10, 12, 13, 14])
    >>> document.folded.solid
    'tobeornot'
    """

    def __init__(self, text: str, reduced: Reduction = solid) -> None:
        self.text = text
        self._reduced = reduced

    @cached_property
    def _kept(self) -> tuple[Codes, Ints]:
        return self._reduced(codes_of(self.text))

    @property
    def codes(self) -> Codes:
        """The code points of the solid text."""
        return self._kept[0]

    @property
    def offsets(self) -> Ints:
        """Where each solid character stands in the text."""
        return self._kept[1]

    @cached_property
    def solid(self) -> str:
        """The text without white space."""
        return text_of(self.codes)

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def hashes(self) -> WindowHashes:
        """Hashes of all parts of the solid text."""
        return WindowHashes(self.codes)

    @cached_property
    def folded(self) -> SolidText:
        """The same for letters and digits without case and accents."""
        return SolidText(self.text, folded)

    def solid_before(self, offsets: Ints) -> Ints:
        """How many solid characters stand before each offset of the text.

        >>> SolidText("a b c").solid_before(np.array([0, 1, 2, 5])).tolist()
        [0, 1, 1, 3]
        """
        return np.searchsorted(self.offsets, offsets)


class SolidPieces:
    """Many texts at once: their solid texts one after another.

    Characters `begin[i]` to `begin[i + 1]` are the solid text of piece i.

    >>> pieces = SolidPieces([" a b ", "", "c"])
    >>> pieces.solid, pieces.begin.tolist(), pieces.lead.tolist(), pieces.trail.tolist()
    ('abc', [0, 2, 2, 3], [1, 0, 0], [1, 0, 0])
    """

    def __init__(self, texts: Sequence[str], reduced: Reduction = solid) -> None:
        self.texts = texts
        self._reduced = reduced

    @cached_property
    def _kept(self) -> tuple[Codes, Ints]:
        return self._reduced(codes_of("".join(self.texts)))

    @cached_property
    def _edges(self) -> Ints:
        """Where each text begins in all texts joined, and where the last one ends."""
        return np.append(0, np.cumsum([len(text) for text in self.texts], dtype=np.int64))

    @property
    def codes(self) -> Codes:
        """The code points of all solid texts, one after another."""
        return self._kept[0]

    @cached_property
    def solid(self) -> str:
        """All solid texts, one after another."""
        return text_of(self.codes)

    @cached_property
    def begin(self) -> Ints:
        """Where each solid text begins, and where the last one ends."""
        return np.searchsorted(self._kept[1], self._edges)

    @cached_property
    def lead(self) -> Ints:
        """How much is left out before the first character of each solid text."""
        lead = np.zeros(len(self), dtype=np.int64)
        filled = self.lengths > 0
        lead[filled] = self._kept[1][self.begin[:-1][filled]] - self._edges[:-1][filled]
        return lead

    @cached_property
    def trail(self) -> Ints:
        """How much is left out after the last character of each solid text."""
        trail = np.zeros(len(self), dtype=np.int64)
        filled = self.lengths > 0
        trail[filled] = self._edges[1:][filled] - self._kept[1][self.begin[1:][filled] - 1] - 1
        return trail

    def offsets(self, number: int) -> Ints:
        """Where each solid character of a text stands in it."""
        kept = slice(self.begin[number], self.begin[number + 1])
        offsets: Ints = self._kept[1][kept] - self._edges[number]
        return offsets

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def hashes(self) -> WindowHashes:
        """Hashes of all parts of the joined solid text."""
        return WindowHashes(self.codes)

    @cached_property
    def folded(self) -> SolidPieces:
        """The same for letters and digits without case and accents."""
        return SolidPieces(self.texts, folded)

    @cached_property
    def lengths(self) -> Ints:
        """The number of solid characters of each piece."""
        return np.diff(self.begin)

    def part(self, rows: Ints) -> SolidPieces:
        """Some of the pieces."""
        return SolidPieces([self.texts[row] for row in rows.tolist()], self._reduced)

    def __getitem__(self, number: int) -> str:
        return self.solid[self.begin[number] : self.begin[number + 1]]
