"""Results from arrays: one sequence for each field, all of the same length."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from doxeval.columns import LARGEST_WHOLE, Column
from doxeval.errors import InputError
from doxeval.runs.record_columns import BadRecord, RecordCollector
from doxeval.runs.result_columns import ResultColumns
from doxeval.runs.span_columns import spans_of_text
from doxeval.runs.span_lists import SpanLists

if TYPE_CHECKING:
    from doxeval.runs.chunk_table import ChunkTable

_WHOLE = ("start", "end", "offset", "rank", "tokens")
_EXACT = 1 << 53  # whole numbers below it are exact as floats


def columns_of_arrays(
    given: Mapping[str, Any],
    called: Mapping[str, str] = MappingProxyType({}),
    chunks: ChunkTable | None = None,
) -> tuple[ResultColumns, tuple[str, ...], tuple[str, ...]]:
    """Results from a sequence for each field of records; also the ids of runs, and warnings.

    A sequence is a list, an array or a column of a data frame. None, an empty string and, among
    whole numbers, -1 and nan say that a result does not have the field. A bad value is an
    InputError that names its row, counted from 0. `called` has the names of fields that the
    caller knows by other names, for errors. `chunks` are those that results name by id.

    >>> columns, _, _ = columns_of_arrays({"topic": [7, 7], "doc": ["a", "b"], "start": [-1, -1]})
    >>> columns.kind.tolist()
    [0, 0]
    """
    try:
        return collected(given, called, chunks)
    except BadRecord as error:
        name, space, rest = error.reason.partition(" ")  # most reasons start with a field
        raise InputError(f"{called.get(name, name)}{space}{rest}", f"row {error.row}") from None


def collected(
    given: Mapping[str, Any], called: Mapping[str, str], chunks: ChunkTable | None = None
) -> tuple[ResultColumns, tuple[str, ...], tuple[str, ...]]:
    """As `columns_of_arrays`, but a bad value raises BadRecord.

    >>> collected({"topic": ["7"], "doc": ["a"]}, {})[0].line.tolist()
    [1]
    """
    columns = {name: _column(name, values, called) for name, values in given.items()}
    lengths = {called.get(name, name): _length(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{count:,} of {name}" for name, count in lengths.items())
        raise InputError(f"the sequences are not of the same length: {told}")
    collector = RecordCollector(chunks)
    collector.add(columns, np.arange(1, max(lengths.values(), default=0) + 1))
    return collector.finish()


def _column(name: str, values: Any, called: Mapping[str, str]) -> Any:
    if name == "spans" and isinstance(values, SpanLists):
        return values
    column = _array_or_list(values)
    if column is None:
        what = f"{called.get(name, name)} is a {type(values).__name__}"
        raise InputError(f"{what}: expected a sequence with a value for each result")
    if name in _WHOLE:
        return _whole_numbers(column)
    if name == "score":
        return _scores(column)
    if name == "nodes":
        return [_paths(value) for value in column]
    if name == "spans":
        return [_ranges(value) for value in column]
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu":
        return list(map(str, column.tolist()))
    listed = column.tolist() if isinstance(column, np.ndarray) else column
    has_floats = not (isinstance(column, np.ndarray) and column.dtype.kind == "U") and (
        float in set(map(type, listed))
    )
    return [_plain(value) for value in listed] if has_floats else listed


def _length(column: Any) -> int:
    return len(column.begin) - 1 if isinstance(column, SpanLists) else len(column)


def _array_or_list(values: Any) -> npt.NDArray[Any] | list[Any] | None:
    """The values of a sequence; None if it is none."""
    if hasattr(values, "isna") and hasattr(values, "to_numpy"):  # a column of pandas
        missing = values.isna().to_numpy(dtype=bool)
        values = values.to_numpy(dtype=object) if missing.any() else values.to_numpy()
        values = np.where(missing, None, values) if missing.any() else values
    elif hasattr(values, "to_list"):  # a column of polars
        values = values.to_list()
    if isinstance(values, np.ndarray):
        return values if values.ndim == 1 else None
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
        return None
    return list(values)


def _whole_numbers(values: npt.NDArray[Any] | list[Any]) -> Column:
    """Whole numbers, -1 for none; if there is anything else among them, all values as they are."""
    array = _numbers(values)
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), -1, array)
        if (array == np.floor(array)).all() and (np.abs(array) < _EXACT).all():
            return array.astype(np.int64)
    elif array.dtype.kind == "i" or (array.dtype.kind == "u" and (array < LARGEST_WHOLE).all()):
        return array.astype(np.int64)
    return [None if value == -1 else value for value in map(_plain, values)]


def _scores(values: npt.NDArray[Any] | list[Any]) -> Column:
    array = _numbers(values)
    return array if array.dtype.kind in "fiu" else [_number(value) for value in values]


def _numbers(values: npt.NDArray[Any] | list[Any]) -> npt.NDArray[Any]:
    """The values as an array, of numbers if all of them are; truth values are none."""
    if isinstance(values, list) and bool in set(map(type, values)):
        return np.array(values, dtype=object)
    return np.asarray(values) if len(values) else np.zeros(0, dtype=np.int64)


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _plain(value: Any) -> Any:
    """A value as Python has it: whole numbers as int, and nan as None."""
    value = _number(value)
    if not isinstance(value, float):
        return value
    return None if value != value else int(value) if value.is_integer() else value


def _paths(value: Any) -> Any:
    """The paths of a tree: a list, or a string with spaces between them."""
    if isinstance(value, str):
        return value.split()
    return list(value) if isinstance(value, tuple | np.ndarray) else value


def _ranges(value: Any) -> Any:
    """The ranges of a result: a list of pairs, an array of two columns, or text."""
    if isinstance(value, str):
        return spans_of_text(value)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_pair(pair) for pair in value]
    return _plain(value)


def _pair(pair: Any) -> Any:
    """A pair of numbers as Python has them."""
    if type(pair) in (tuple, list) and set(map(type, pair)) == {int}:
        return pair
    if isinstance(pair, np.ndarray):
        return pair.tolist()
    return [_plain(edge) for edge in pair] if isinstance(pair, list | tuple) else pair
