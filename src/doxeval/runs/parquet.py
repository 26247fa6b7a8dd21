"""Parquet, read many rows at a time; the one place where pyarrow meets a file.

Parquet can say much with few bytes: a run-length counts a million equal rows, and a dictionary
holds a long string that all of them share. So nothing is read before the headers of the file say
that its rows and bytes are within limits (`parquet_sizes`), and strings are kept as numbers into
their dictionary, as the file has them. Every block is checked in full before its values are looked
at: text must be UTF-8, and numbers must lie within their dictionary.

How much a Parquet file holds, counted from its headers before any of it is unpacked.

A page of a few bytes can stand for millions of values. pyarrow allocates what the header of a page
says, and ends the whole process where the headers of columns contradict each other. So the headers
are read here: the footer, which says where the pages of each column are, and the header of each
page. They are written in the compact protocol of Thrift, of which this is a small reader.
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
from doxeval.runs.columns import optional_module

MOST_PAGES = 200_000
LARGEST_FOOTER = 16 << 20
MAGIC = b"PAR1"  # at the beginning and at the end
_DEEPEST = 32
# Types of the compact protocol.
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT, _UUID = (
    *(1, 2, 3, 7, 8, 9, 10, 11, 12, 13),
)
_WHOLE_NUMBERS = (4, 5, 6)
# Fields of structures, as the format numbers them.
_ROW_GROUPS, _COLUMNS, _META_DATA, _GROUP_ROWS = 4, 1, 3, 3
_COMPRESSED, _DATA_PAGE, _DICTIONARY_PAGE = 7, 9, 11
_PAGE_BYTES, _PAGE_COMPRESSED = 2, 3
_DATA_PAGES = (5, 8)  # versions 1 and 2
_DICTIONARY = 7
_VALUES = 1

Struct = dict[int, Any]


class ParquetSizes(NamedTuple):
    """Rows of the file, values of its longest column or dictionary, and bytes of all its pages."""

    rows: int
    values: int
    bytes: int


def sizes_in_parquet(data: bytes) -> ParquetSizes:
    """Count what a file holds; a ValueError says what is wrong with its headers.

    >>> import io, pyarrow, pyarrow.parquet
    >>> out = io.BytesIO()
    >>> pyarrow.parquet.write_table(pyarrow.table({"nodes": [["/a", "/b"], ["/c"]]}), out)
    >>> sizes = sizes_in_parquet(out.getvalue())
    >>> sizes.rows, sizes.values
    (2, 3)
    """
    length = int.from_bytes(data[-8:-4], "little")
    if length > min(LARGEST_FOOTER, len(data) - 12):
        raise ValueError("its footer is too long")
    footer, _ = _struct(data, len(data) - 8 - length, 0)
    pages = _Pages(data)
    rows = 0
    values: dict[int, int] = {}
    for group in _structs(footer.get(_ROW_GROUPS)):
        rows += _natural(group.get(_GROUP_ROWS))
        for number, column in enumerate(_structs(group.get(_COLUMNS))):
            found = pages.values_of(_one(column.get(_META_DATA)))
            values[number] = values.get(number, 0) + found
    return ParquetSizes(rows, max(values.values(), default=0), pages.bytes)


class _Pages:
    """Walks over pages, and adds up what they hold."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._count = 0
        self.bytes = 0

    def values_of(self, column: Struct) -> int:
        """The values of the pages of one column, or of its dictionary if they are more."""
        begins = [column[field] for field in (_DATA_PAGE, _DICTIONARY_PAGE) if column.get(field)]
        at = min(map(_natural, begins), default=0)
        end = min(at + _natural(column.get(_COMPRESSED)), len(self._data))
        values = in_dictionary = 0
        while at < end:
            self._count += 1
            if self._count > MOST_PAGES:
                raise ValueError(f"it has more than {MOST_PAGES:,} pages")
            header, at = _struct(self._data, at, 0)
            at += _natural(header.get(_PAGE_COMPRESSED))
            self.bytes += _natural(header.get(_PAGE_BYTES))
            in_dictionary += _values_parquet_sizes(header, _DICTIONARY)
            values += sum(_values_parquet_sizes(header, kind) for kind in _DATA_PAGES)
        return max(values, in_dictionary)


def _values_parquet_sizes(header: Struct, kind: int) -> int:
    """How many values a page says it has, if it is of this kind."""
    return _natural(_one(header[kind]).get(_VALUES)) if kind in header else 0


def _natural(value: Any) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError("a number in its headers is missing or negative")
    return value


def _one(value: Any) -> Struct:
    if not isinstance(value, dict):
        raise ValueError("a part of its headers is missing")
    return value


def _structs(value: Any) -> list[Struct]:
    return [_one(each) for each in value] if isinstance(value, list) else []


# The compact protocol


def _struct(data: bytes, at: int, depth: int) -> tuple[Struct, int]:
    """The fields of a structure by number, and where it ends; strings are left out."""
    if depth > _DEEPEST:
        raise ValueError("its headers are nested too deeply")
    fields: Struct = {}
    number = 0
    while True:
        header, at = _byte(data, at)
        if header == 0:
            return fields, at
        kind, step = header & 15, header >> 4
        if step:
            number += step
        else:
            number, at = _zigzag(data, at)
        if kind in (_TRUE, _FALSE):
            fields[number] = kind == _TRUE
        else:
            fields[number], at = _value(data, at, kind, depth)


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    """A value inside a structure or a list, and where it ends."""
    if kind in _WHOLE_NUMBERS:
        return _zigzag(data, at)
    if kind == _BINARY:
        length, at = _varint(data, at)
        return None, _checked(data, at + length)
    if kind == _STRUCT:
        return _struct(data, at, depth + 1)
    if kind in (_LIST, _SET):
        return _list(data, at, depth + 1)
    if kind == _MAP:
        return _map(data, at, depth + 1)
    sizes = {_TRUE: 1, _FALSE: 1, _BYTE: 1, _DOUBLE: 8, _UUID: 16}
    if kind not in sizes:
        raise ValueError(f"its headers have a value of an unknown type, {kind}")
    return None, _checked(data, at + sizes[kind])


def _list(data: bytes, at: int, depth: int) -> tuple[list[Any], int]:
    header, at = _byte(data, at)
    count = header >> 4
    if count == 15:
        count, at = _varint(data, at)
    values = []
    for _ in range(_possible(data, at, count)):
        value, at = _value(data, at, header & 15, depth)
        values.append(value)
    return values, at


def _map(data: bytes, at: int, depth: int) -> tuple[None, int]:
    count, at = _varint(data, at)
    if count:
        kinds, at = _byte(data, at)
        for _ in range(_possible(data, at, count)):
            for kind in (kinds >> 4, kinds & 15):
                _, at = _value(data, at, kind, depth)
    return None, at


def _possible(data: bytes, at: int, count: int) -> int:
    """How many values there are, each of which takes at least a byte."""
    _checked(data, at + count)
    return count


def _zigzag(data: bytes, at: int) -> tuple[int, int]:
    value, at = _varint(data, at)
    return (value >> 1) ^ -(value & 1), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte, at = _byte(data, at)
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at
        if shift > 63:
            raise ValueError("a number in its headers is too long")


def _byte(data: bytes, at: int) -> tuple[int, int]:
    return data[_checked(data, at + 1) - 1], at + 1


def _checked(data: bytes, at: int) -> int:
    if at > len(data):
        raise ValueError("its headers end too soon")
    return at


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
