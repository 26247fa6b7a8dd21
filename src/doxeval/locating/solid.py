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
        self.codes, self.offsets = reduced(codes_of(text))
        self.solid = text_of(self.codes)

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

    `begin[i]` to `begin[i + 1]` is the solid text of piece i. `lead` and `trail` count what
    the solid text leaves out at its two ends.

    >>> pieces = SolidPieces([" a b ", "", "c"])
    >>> pieces.solid, pieces.begin.tolist(), pieces.lead.tolist(), pieces.trail.tolist()
    ('abc', [0, 2, 2, 3], [1, 0, 0], [1, 0, 0])
    """

    def __init__(self, texts: Sequence[str], reduced: Reduction = solid) -> None:
        self.texts = texts
        self.reduced = reduced
        self.codes, offsets = reduced(codes_of("".join(texts)))
        self.solid = text_of(self.codes)
        edges = np.append(0, np.cumsum([len(text) for text in texts], dtype=np.int64))
        self.begin: Ints = np.searchsorted(offsets, edges)
        # Where each solid character stands in its own piece.
        self.offsets: Ints = offsets - np.repeat(edges[:-1], self.lengths)
        filled = self.lengths > 0
        first, last = self.begin[:-1][filled], self.begin[1:][filled] - 1
        self.lead: Ints = np.zeros(len(texts), dtype=np.int64)
        self.trail: Ints = np.zeros(len(texts), dtype=np.int64)
        self.lead[filled] = self.offsets[first]
        self.trail[filled] = np.diff(edges)[filled] - self.offsets[last] - 1

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
        return SolidPieces([self.texts[row] for row in rows.tolist()], self.reduced)

    def __getitem__(self, number: int) -> str:
        return self.solid[self.begin[number] : self.begin[number + 1]]
