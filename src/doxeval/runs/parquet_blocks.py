"""Parquet, read many rows at a time; the one place where pyarrow meets a file.

Parquet can say much with few bytes: a run-length counts a million equal rows, and a dictionary
holds a long string that all of them share. So nothing is read before the headers of the file say
that its rows and bytes are within limits (`parquet_sizes`), and strings are kept as numbers into
their dictionary, as the file has them. Every block is checked in full before its values are looked
at: text must be UTF-8, and numbers must lie within their dictionary.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import IO, Any, NamedTuple, TypeVar

import numpy as np

from doxeval.arrays import Ints
from doxeval.errors import FormatError
from doxeval.files import read_up_to
from doxeval.runs.optional import optional_module
from doxeval.runs.parquet_sizes import MAGIC, ParquetSizes, sizes_in_parquet

LARGEST_FILE = 2 << 30
MOST_COLUMNS = 1000
# A file may have as many rows as bytes, and more if they are no more than this. Real results
# differ from row to row and take some bytes each.
ROWS_ALLOWED = 1_000_000
# The file's values may take this many times its bytes, and more up to an allowance.
MOST_EXPANSION = 100
EXPANSION_ALLOWED = 256 << 20
_ROWS = 1 << 16  # read at a time
_LONGEST_REASON = 200

Result = TypeVar("Result")


class ParquetBlock(NamedTuple):
    """Some rows as columns by name, and the number of each row, from 1."""

    columns: dict[str, list[Any]]
    rows: Ints


def parquet_blocks(file: IO[bytes], origin: str) -> Iterator[ParquetBlock]:
    """All rows in blocks (needs the extra `parquet`).

    Columns are of text, numbers, truth values, lists of text or lists of pairs of numbers, or
    empty. What cannot be read raises FormatError.

    >>> import pyarrow, pyarrow.parquet
    >>> out = io.BytesIO()
    >>> pyarrow.parquet.write_table(pyarrow.table({"topic": ["7", None], "rank": [1, 2]}), out)
    >>> next(parquet_blocks(io.BytesIO(out.getvalue()), "a.parquet")).columns
    {'topic': ['7', None], 'rank': [1, 2]}
    """
    parquet = optional_module("pyarrow.parquet")
    data = read_up_to(file, LARGEST_FILE)
    if len(data) > LARGEST_FILE:
        raise FormatError(f"more than {LARGEST_FILE:,} bytes in one run", origin)
    if not data.startswith(MAGIC) or not data.endswith(MAGIC):
        raise FormatError("this is not Parquet", origin)
    check_sizes(_asked(lambda: sizes_in_parquet(data), _DAMAGED, origin), len(data), origin)
    metadata = _asked(lambda: parquet.read_metadata(io.BytesIO(data)), _DAMAGED, origin)
    if metadata.num_columns > MOST_COLUMNS:
        raise FormatError(f"more than {MOST_COLUMNS:,} columns", origin)
    strings = _asked(lambda: _paths_of_strings(metadata), _DAMAGED, origin)
    table = _asked(
        lambda: parquet.ParquetFile(io.BytesIO(data), read_dictionary=strings), _DAMAGED, origin
    )
    names = _asked(lambda: _checked_names(table.schema_arrow.names), _DAMAGED, origin)
    batches = _asked(lambda: table.iter_batches(_ROWS), _DAMAGED, origin)
    first = 1
    while (batch := _asked(lambda: _next_valid(batches), _DAMAGED, origin)) is not None:
        yield _block(names, batch, first, origin)
        first += len(batch)


_DAMAGED = "this Parquet cannot be read"


def _asked(question: Callable[[], Result], problem: str, origin: str) -> Result:
    """What pyarrow answers; any of its many exceptions becomes a FormatError."""
    try:
        return question()
    except FormatError as error:
        raise FormatError(error.message, origin) from None
    except (ValueError, OSError, TypeError, LookupError, ArithmeticError) as error:
        raise _refused(error, problem, origin) from None
    except (NotImplementedError, MemoryError) as error:
        raise _refused(error, problem, origin) from None


def _refused(error: Exception, problem: str, origin: str) -> FormatError:
    said = str(error).encode("utf-8", "replace").decode()
    lines = said.splitlines() or [type(error).__name__]
    return FormatError(f"{problem}: {lines[0][:_LONGEST_REASON]}", origin)


def check_sizes(sizes: ParquetSizes, size: int, origin: str) -> None:
    """Refuse a file that would use up memory or time."""
    most_rows = max(size, ROWS_ALLOWED)
    if max(sizes.rows, sizes.values) > most_rows:
        raise FormatError(
            f"more than {most_rows:,} rows, or values in a column, in {size:,} bytes of Parquet",
            origin,
        )
    most_bytes = max(size * MOST_EXPANSION, EXPANSION_ALLOWED)
    if sizes.bytes > most_bytes:
        raise FormatError(f"more than {most_bytes:,} bytes out of {size:,} of Parquet", origin)


def _paths_of_strings(metadata: Any) -> list[str]:
    """The columns of strings, or of lists of them, as pyarrow calls them."""
    columns = map(metadata.schema.column, range(metadata.num_columns))
    return [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]


def _checked_names(names: Sequence[str]) -> list[str]:
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise FormatError(f"there are two columns {twice[:_LONGEST_REASON]!r}")
    return list(names)


def _next_valid(batches: Iterator[Any]) -> Any:
    """The next batch, checked in full; None if there is no other."""
    batch = next(batches, None)
    if batch is not None:
        batch.validate(full=True)
    return batch


def _block(names: Sequence[str], batch: Any, first: int, origin: str) -> ParquetBlock:
    columns: dict[str, list[Any]] = {}
    for name, column in zip(names, batch.columns, strict=True):
        values = _values(column)
        if values is None:
            raise FormatError(
                f"the column {name[:_LONGEST_REASON]!r} is of type "
                f"{str(column.type)[:_LONGEST_REASON]}: expected text, numbers or lists of text",
                origin,
                first + int(np.argmin(column.is_null().to_numpy(zero_copy_only=False))),
            )
        columns[name] = values
    return ParquetBlock(columns, np.arange(first, first + len(batch)))


def _values(column: Any) -> list[Any] | None:
    """The values of a column, None for those that are missing; None if it has others than ours."""
    types = optional_module("pyarrow").types
    kind = column.type
    if types.is_dictionary(kind):
        return _from_dictionary(column) if _is_text(types, kind.value_type) else _if_empty(column)
    if types.is_list(kind) or types.is_large_list(kind):
        inner = kind.value_type
        if types.is_list(inner) or types.is_large_list(inner):  # of pairs, as ranges are
            return _lists(column) if types.is_integer(inner.value_type) else _if_empty(column)
        return _lists(column)
    is_plain = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
    if is_plain or types.is_null(kind) or _is_text(types, kind):
        values: list[Any] = column.to_pylist()
        return values
    return _if_empty(column)


def _is_text(types: Any, kind: Any) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _if_empty(column: Any) -> list[None] | None:
    return [None] * len(column) if column.null_count == len(column) else None


def _from_dictionary(column: Any) -> list[str | None]:
    """Strings by their numbers; only those that are used are made."""
    number = column.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    used, place = np.unique(number, return_inverse=True)
    missing = int(len(used) > 0 and used[0] < 0)
    pyarrow = optional_module("pyarrow")
    strings = column.dictionary.take(pyarrow.array(used[missing:])).to_pylist()
    return list(map(([None] * missing + strings).__getitem__, place.tolist()))


def _lists(column: Any) -> list[Any] | None:
    """Lists of text, or of lists of whole numbers."""
    if not len(column):
        return []
    edges = column.offsets.to_numpy(zero_copy_only=False).tolist()
    inner = _values(column.values.slice(edges[0], edges[-1] - edges[0]))
    if inner is None:
        return _if_empty(column)
    given = column.is_valid().to_numpy(zero_copy_only=False).tolist()
    return [
        inner[begin - edges[0] : end - edges[0]] if is_given else None
        for (begin, end), is_given in zip(pairwise(edges), given, strict=True)
    ]
