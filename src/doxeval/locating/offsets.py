"""Offsets that came with chunks: checked against the text, never believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.errors import InputError
from doxeval.locating.text import DenseText, DenseTexts
from doxeval.messages import quoted

_LARGEST = np.iinfo(np.int64).max
Given = tuple[Sequence[Any] | Ints, Sequence[Any] | Ints | None]


@dataclass(frozen=True, eq=False)
class GivenOffsets:
    """The offsets of chunks as they came: [start, end) in the text, -1 where there is none.

    `place` is the dense position of each chunk whose text really stands at its offsets, else -1.
    """

    start: Ints
    end: Ints
    place: Ints

    @property
    def right(self) -> Bools:
        """Which chunks stand at their given offsets."""
        return self.place >= 0


def checked(
    document: DenseText, dense_texts: DenseTexts, given: Given | None
) -> GivenOffsets | None:
    """Return which chunks are at their given offsets, white space aside; None if there are none.

    A missing end is the end of the chunk's text.

    >>> text, chunks = DenseText("to be or not"), DenseTexts(["to be", "not", "or"])
    >>> checked(text, chunks, ([0, 6, None], None)).place.tolist()
    [0, -1, -1]
    """
    if given is None:
        return None
    start = _column(given[0], len(dense_texts), "starts")
    end = _column(
        given[1] if given[1] is not None else [None] * len(dense_texts), len(dense_texts), "ends"
    )
    if not (start >= 0).any():
        return None
    place = document.dense_before(np.maximum(start, 0))
    fits = (start >= 0) & (dense_texts.lengths > 0) & (place + dense_texts.lengths <= len(document))
    fits[end >= 0] &= (document.dense_before(end) == place + dense_texts.lengths)[end >= 0]
    for number in np.flatnonzero(fits).tolist():
        fits[number] = document.dense.startswith(dense_texts[number], int(place[number]))
    return GivenOffsets(start, end, np.where(fits, place, -1))


def _column(values: Sequence[Any] | Ints, length: int, name: str) -> Ints:
    if len(values) != length:
        raise InputError(f"there are offsets of {len(values):,} {name} for {length:,} chunks")
    if isinstance(values, np.ndarray) and values.dtype.kind == "i":
        return values.astype(np.int64)
    return np.array([_offset(value, name) for value in values], dtype=np.int64)


def _offset(value: Any, name: str) -> int:
    """Return an offset as a whole number; anything that is none counts as missing."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):  # None, nan, text, infinity
        return -1
    if not 0 <= number == value:
        return -1
    if number > _LARGEST:
        raise InputError(f"{quoted(value)} is among the {name}: expected offsets below 2**63")
    return number


def shared_error(given: GivenOffsets, located: Ints, wrong: Bools, parent: Ints | None) -> str:
    """Return what most wrong offsets have in common, or nothing.

    `located` is where the chunks really start, `parent` where their parents do.
    """
    if not wrong.any():
        return ""
    shift = (located - given.start)[wrong]
    if parent is not None:
        of_parent = parent[wrong]
        # Chunks at the beginning of a parent that begins the text fit everything.
        if ((shift == of_parent) & (of_parent > 0)).sum() * 2 > len(shift):
            return "offsets are relative to the parent"
    if given.right[wrong].sum() * 2 > len(shift):
        return "most point at another copy of the text"
    values, counts = np.unique(shift, return_counts=True)
    most = int(counts.argmax())
    if counts[most] * 2 > len(shift) and len(shift) > 1 and values[most]:
        return f"most are {abs(values[most]):,} too {'small' if values[most] > 0 else 'large'}"
    return ""
