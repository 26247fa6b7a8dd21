"""Columns of Python values, such as JSON has, as numbers; what is none of them is marked.

A field is absent if it is null, an empty string or an empty list. Columns of numbers mark what is
absent and what is wrong as columns of names do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Floats, Ints
from doxeval.columns.fields import LARGEST_WHOLE
from doxeval.columns.labels import NO_LABEL
from doxeval.columns.numbering import BAD_NAME

# The values of a field: any Python values; or an array, of which ABSENT stands for none.
Column = Sequence[Any] | npt.NDArray[Any]
ABSENT, WRONG = NO_LABEL, BAD_NAME


def is_given(value: Any) -> bool:
    """Whether a field is there.

    >>> is_given(0), is_given("")
    (True, False)
    """
    return value not in (None, "", [])


def whole_numbers(column: Column) -> Ints:
    """Whole numbers, 0 or more; ABSENT where there is none, WRONG for all else.

    >>> whole_numbers([3, None, -3, "3"]).tolist()
    [3, -1, -2, -2]
    """
    if isinstance(column, np.ndarray):
        return _within(column.astype(np.int64), ABSENT)
    if set(map(type, column)) == {int}:
        try:
            return _within(np.array(column, dtype=np.int64), 0)
        except OverflowError:
            pass
    return np.array([_whole(value) for value in column], dtype=np.int64)


def _within(values: Ints, lowest: int) -> Ints:
    return np.where((values < lowest) | (values >= LARGEST_WHOLE), WRONG, values)


def _whole(value: Any) -> int:
    if type(value) is int and 0 <= value < LARGEST_WHOLE:
        return value
    return WRONG if is_given(value) else ABSENT


def numbers(column: Column) -> tuple[Floats, Bools]:
    """Numbers, nan where there is none; and whether something stands there that is no number.

    >>> values, wrong = numbers([0.5, 2, None, "2"])
    >>> values.tolist(), wrong.tolist()
    ([0.5, 2.0, nan, nan], [False, False, False, True])
    """
    if isinstance(column, np.ndarray) or set(map(type, column)) <= {int, float}:
        try:
            values = np.array(column, dtype=np.float64)
            return values, ~np.isfinite(values)
        except OverflowError:
            pass
    values = np.array([_number(value) for value in column], dtype=np.float64)
    given = np.array([is_given(value) for value in column], dtype=np.bool_)
    return values, given & ~np.isfinite(values)


def _number(value: Any) -> float:
    """A number as it is, everything else as nan."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return np.nan
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all floats
        return np.nan
