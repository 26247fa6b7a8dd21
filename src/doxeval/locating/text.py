"""Text without its white space, and where each of its characters stands in the text.

Splitters strip and change white space, but hardly any other characters. So everything is searched
in the dense text, where white space makes no difference; what is not found there is searched by its
letters and digits, without case, accents and compatibility forms.

The hash of a window of text is the polynomial of its characters modulo 2**64: that of any window by
one subtraction. Hashes only propose places; whoever uses them compares the characters before
believing.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Ints, concatenated_ranges, positions_in
from doxeval.documents import are_white_space, code_points

Hashes = npt.NDArray[np.uint64]

_BASE = 0x9E3779B97F4A7C15
_BASE_INVERSE = pow(_BASE, -1, 1 << 64)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_SPREAD = np.uint64(0xC2B2AE3D27D4EB4F)
_FILTER_SPACE = 16


class WindowHashes:
    """Hashes of the windows of a sequence of code points.

    >>> hashes = WindowHashes(np.array([5, 6, 7, 5, 6], dtype=np.uint32))
    >>> first, last = hashes.of(np.array([0, 3]), np.array([2, 2]))
    >>> bool(first == last)
    True
    """

    def __init__(self, codes: npt.NDArray[Any]) -> None:
        values = codes.astype(np.uint64)
        values += np.uint64(1)
        values *= _MIX
        values ^= values >> np.uint64(32)
        values *= _powers(_BASE, len(codes))
        self._before: Hashes = np.zeros(len(codes) + 1, dtype=np.uint64)
        np.cumsum(values, out=self._before[1:])
        self._scale = _powers(_BASE_INVERSE, len(codes) + 1)

    def of(self, starts: Ints, lengths: Ints) -> Hashes:
        """Return the hashes of the windows with these starts and lengths."""
        hashes: Hashes = self._before[starts + lengths] - self._before[starts]
        hashes *= self._scale[starts]
        return hashes

    def all_of_size(self, size: int) -> Hashes:
        """Return the hash of the window of this size at each position that has one."""
        count = max(len(self._before) - size, 0)
        return (self._before[size:] - self._before[:count]) * self._scale[:count]


def _powers(base: int, count: int) -> Hashes:
    """1, base, base², … modulo 2**64."""
    powers = np.full(count, base, dtype=np.uint64)
    powers[:1] = 1
    return np.cumprod(powers, out=powers)


class Matches:
    """At which positions of a text each requested hash is.

    Few hashes of a text are requested. A table of bits leaves out most others before any sorting.

    >>> text = WindowHashes(np.array([5, 6, 7, 5, 6], dtype=np.uint32)).all_of_size(1)
    >>> matches = Matches(text, text[[3, 2]])
    >>> matches.counts.tolist(), [part.tolist() for part in matches.pairs(np.array([0, 1]))]
    ([2, 1], [[0, 0, 1], [0, 3, 2]])
    """

    def __init__(self, hashes: Hashes, requested: Hashes) -> None:
        distinct, self._group = np.unique(requested, return_inverse=True)
        bits = max(len(distinct) * _FILTER_SPACE, 1 << 10).bit_length()
        shift = np.uint64(64 - bits)
        table = np.zeros(1 << bits, dtype=np.bool_)
        table[(distinct * _SPREAD) >> shift] = True
        likely = np.flatnonzero(table[(hashes * _SPREAD) >> shift])
        group = positions_in(distinct, hashes[likely])
        likely, group = likely[group >= 0], group[group >= 0]
        self._positions: Ints = likely[np.argsort(group, kind="stable")]
        per_group = np.bincount(group, minlength=len(distinct))
        self._begin: Ints = (np.cumsum(per_group) - per_group)[self._group]
        self.counts: Ints = per_group[self._group]

    def pairs(self, rows: Ints) -> tuple[Ints, Ints]:
        """Return the rows of requested hashes, repeated, and their positions."""
        counts = self.counts[rows]
        return np.repeat(rows, counts), self._positions[
            concatenated_ranges(self._begin[rows], counts)
        ]


def folded(codes: npt.NDArray[Any]) -> tuple[npt.NDArray[np.uint32], Ints]:
    """Return the folded characters of a text, and the offset in the text that each comes from.

    Every distinct character is folded once.

    >>> letters, offsets = folded(code_points("Café №5!"))
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
    """Return the letters and digits that a character stands for."""
    form = unicodedata.normalize("NFKD", character).casefold()
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", form)))


Codes: TypeAlias = npt.NDArray[np.uint32]
Reduction: TypeAlias = Callable[[Codes], tuple[Codes, Ints]]


def text_of(codes: Codes) -> str:
    """Return the text that has these code points.

    >>> text_of(code_points("aé"))
    'aé'
    """
    return codes.tobytes().decode("utf-32-le", "surrogatepass")


def without_space(text: str) -> str:
    """Return a text without its white space.

    >>> without_space("thirty\\r\\n days")
    'thirtydays'
    """
    return "".join(text.split())


def is_same_text(text: str, other: str) -> bool:
    """Return whether two texts are equal but for white space.

    >>> is_same_text("thirty\\r\\ndays", "thirty days"), is_same_text("", " ")
    (True, True)
    """
    return text == other or without_space(text) == without_space(other)


def dense(codes: Codes) -> tuple[Codes, Ints]:
    """Return the characters of a text that are not white space, and the offset of each."""
    keep = ~are_white_space(codes)
    return codes[keep], np.flatnonzero(keep)


class DenseText:
    """A text, its dense text, and the offset in the text of each non-space character.

    With `reduced=folded` the same for its folded letters and digits instead of all characters.

    >>> document = DenseText("To be,\\n  or not")
    >>> document.dense, document.offsets.tolist()
    ('Tobe,ornot', [0, 1, 3, 4, 5, 9, 10, 12, 13, 14])
    >>> document.folded.dense
    'tobeornot'
    """

    def __init__(self, text: str, reduced: Reduction = dense) -> None:
        self.text = text
        self._reduced = reduced

    @cached_property
    def _kept(self) -> tuple[Codes, Ints]:
        return self._reduced(code_points(self.text))

    @property
    def codes(self) -> Codes:
        """The code points of the dense text."""
        return self._kept[0]

    @property
    def offsets(self) -> Ints:
        """Where each non-space character stands in the text."""
        return self._kept[1]

    @cached_property
    def dense(self) -> str:
        """The text without white space."""
        return text_of(self.codes)

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def hashes(self) -> WindowHashes:
        """Hashes of all parts of the dense text."""
        return WindowHashes(self.codes)

    @cached_property
    def folded(self) -> DenseText:
        """The same for letters and digits without case and accents."""
        return DenseText(self.text, folded)

    def dense_before(self, offsets: Ints) -> Ints:
        """Return how many non-space characters stand before each offset of the text.

        >>> DenseText("a b c").dense_before(np.array([0, 1, 2, 5])).tolist()
        [0, 1, 1, 3]
        """
        return np.searchsorted(self.offsets, offsets)


class DenseTexts:
    """Many texts at once: their dense texts one after another.

    Characters `begin[i]` to `begin[i + 1]` are the dense text of text i.

    >>> texts = DenseTexts([" a b ", "", "c"])
    >>> texts.dense, texts.begin.tolist(), texts.lead.tolist(), texts.trail.tolist()
    ('abc', [0, 2, 2, 3], [1, 0, 0], [1, 0, 0])
    """

    def __init__(self, texts: Sequence[str], reduced: Reduction = dense) -> None:
        self.texts = texts
        self._reduced = reduced

    @cached_property
    def _kept(self) -> tuple[Codes, Ints]:
        return self._reduced(code_points("".join(self.texts)))

    @cached_property
    def _edges(self) -> Ints:
        """Where each text begins in all texts joined, and where the last one ends."""
        return np.append(0, np.cumsum([len(text) for text in self.texts], dtype=np.int64))

    @property
    def codes(self) -> Codes:
        """The code points of all dense texts, one after another."""
        return self._kept[0]

    @cached_property
    def dense(self) -> str:
        """All dense texts, one after another."""
        return text_of(self.codes)

    @cached_property
    def begin(self) -> Ints:
        """Where each dense text begins, and where the last one ends."""
        return np.searchsorted(self._kept[1], self._edges)

    @cached_property
    def lead(self) -> Ints:
        """How much is left out before the first character of each dense text."""
        lead = np.zeros(len(self), dtype=np.int64)
        filled = self.lengths > 0
        lead[filled] = self._kept[1][self.begin[:-1][filled]] - self._edges[:-1][filled]
        return lead

    @cached_property
    def trail(self) -> Ints:
        """How much is left out after the last character of each dense text."""
        trail = np.zeros(len(self), dtype=np.int64)
        filled = self.lengths > 0
        trail[filled] = self._edges[1:][filled] - self._kept[1][self.begin[1:][filled] - 1] - 1
        return trail

    def offsets(self, number: int) -> Ints:
        """Return where each non-space character of a text stands in it."""
        kept = slice(self.begin[number], self.begin[number + 1])
        offsets: Ints = self._kept[1][kept] - self._edges[number]
        return offsets

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def hashes(self) -> WindowHashes:
        """Hashes of all parts of the joined dense text."""
        return WindowHashes(self.codes)

    @cached_property
    def folded(self) -> DenseTexts:
        """The same for letters and digits without case and accents."""
        return DenseTexts(self.texts, folded)

    @cached_property
    def lengths(self) -> Ints:
        """The number of non-space characters of each text."""
        return np.diff(self.begin)

    def part(self, rows: Ints) -> DenseTexts:
        """Return some of the texts."""
        return DenseTexts([self.texts[row] for row in rows.tolist()], self._reduced)

    def __getitem__(self, number: int) -> str:
        return self.dense[self.begin[number] : self.begin[number + 1]]
