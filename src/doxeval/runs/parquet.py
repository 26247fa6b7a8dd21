"""Runs as Parquet: the one place where pyarrow meets a file (needs the extra `parquet`).

Parquet can say much with few bytes: a run-length counts a million equal rows, and a dictionary
holds a long string that all of them share. So nothing is unpacked before the headers of the file
and of its pages say that its rows, values and bytes are within limits, and strings are kept as
numbers into their dictionary, as the file has them. Every block is checked in full before its
values are looked at: text must be UTF-8, and numbers must lie within their dictionary.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from types import MappingProxyType
from typing import IO, Any, NamedTuple

import numpy as np

from doxeval.errors import FormatError
from doxeval.files import read_up_to
from doxeval.runs.frames import optional_module
from doxeval.runs.records import Records, join_nodes, record_blocks, spans_of_text
from doxeval.runs.run import Block, ReadOptions, Run

LARGEST_FILE = 2 << 30
LARGEST_FOOTER = 16 << 20
MOST_COLUMNS = 1000
MOST_PAGES = 200_000
# A file may have as many rows as bytes, and more if they are no more than this. Real results
# differ from row to row and take some bytes each.
ROWS_ALLOWED = 1_000_000
# The file's values may take this many times its bytes, and more up to an allowance.
MOST_EXPANSION = 100
EXPANSION_ALLOWED = 256 << 20
MAGIC = b"PAR1"  # at the beginning and at the end
_ROWS = 1 << 16  # read at a time
_LONGEST_REASON = 200


def parquet_blocks(file: IO[bytes], origin: str, options: ReadOptions) -> Iterator[Block]:
    """Yield a run from Parquet in blocks of whole topics."""
    return record_blocks(_parquet_records(file, origin), origin, options)


def write_parquet_run(run: Run) -> Iterator[bytes]:
    """Yield the run as Parquet."""
    parquet = optional_module("pyarrow.parquet")
    out = io.BytesIO()
    parquet.write_table(optional_module("pyarrow").table(join_nodes(run.by_field())), out)
    yield out.getvalue()


def _parquet_records(file: IO[bytes], origin: str) -> Iterator[Records]:
    """Yield all rows in blocks: columns by field, and the number of each row, from 1.

    Columns are of text, numbers, truth values, lists of text or lists of pairs of numbers, or
    empty. What cannot be read raises FormatError.

    >>> import pyarrow, pyarrow.parquet
    >>> out = io.BytesIO()
    >>> pyarrow.parquet.write_table(pyarrow.table({"topic": ["7", None], "rank": [1, 2]}), out)
    >>> next(_parquet_records(io.BytesIO(out.getvalue()), "a.parquet"))[0]
    {'topic': ['7', None], 'rank': [1, 2]}
    """
    data = read_up_to(file, LARGEST_FILE)
    if len(data) > LARGEST_FILE:
        raise FormatError(f"more than {LARGEST_FILE:,} bytes in one run", origin)
    with checked_parquet(data, origin) as parquet:
        metadata = parquet.read_metadata(io.BytesIO(data))
        if metadata.num_columns > MOST_COLUMNS:
            raise FormatError(f"more than {MOST_COLUMNS:,} columns", origin)
        columns = map(metadata.schema.column, range(metadata.num_columns))
        strings = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
        table = parquet.ParquetFile(io.BytesIO(data), read_dictionary=strings)
        names = list(table.schema_arrow.names)
        for at, name in enumerate(names):
            if name in names[:at]:
                raise FormatError(f"there are two columns {name[:_LONGEST_REASON]!r}", origin)
        first = 1
        for batch in table.iter_batches(_ROWS):
            batch.validate(full=True)
            yield _columns(names, batch, first, origin), np.arange(first, first + len(batch))
            first += len(batch)


@contextmanager
def checked_parquet(data: bytes, origin: str) -> Iterator[Any]:
    """Yield `pyarrow.parquet` for a file whose sizes are within limits.

    Any of pyarrow's many exceptions becomes a FormatError.

    >>> with checked_parquet(b"topic,doc", "a.parquet") as parquet:
    ...     parquet.read_table(io.BytesIO(b"topic,doc"))
    Traceback (most recent call last):
    doxeval.errors.FormatError: a.parquet: this is not Parquet
    """
    parquet = optional_module("pyarrow.parquet")
    if not data.startswith(MAGIC) or not data.endswith(MAGIC):
        raise FormatError("this is not Parquet", origin)
    try:
        _refuse_too_much(sizes_in_parquet(data), len(data), origin)
        yield parquet
    except (
        *(ValueError, OSError, TypeError, LookupError, ArithmeticError),
        *(NotImplementedError, MemoryError),
    ) as error:
        lines = str(error).encode("utf-8", "replace").decode().splitlines()
        reason = (lines or [type(error).__name__])[0][:_LONGEST_REASON]
        raise FormatError(f"this Parquet cannot be read: {reason}", origin) from None


def _columns(names: Sequence[str], batch: Any, first: int, origin: str) -> dict[str, list[Any]]:
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
        if name == "nodes":
            values = [paths.split() if isinstance(paths, str) else paths for paths in values]
        elif name == "spans":
            values = [spans_of_text(v) if isinstance(v, str) else v for v in values]
        columns[name] = values
    return columns


def _values(column: Any) -> list[Any] | None:
    """Return a column's values, None for those missing; None if it is of another type than ours."""
    types = optional_module("pyarrow").types
    kind = column.type
    if types.is_dictionary(kind):
        return _from_dictionary(column) if _is_text(types, kind.value_type) else _if_empty(column)
    if types.is_list(kind) or types.is_large_list(kind):
        inner = kind.value_type
        if types.is_list(inner) or types.is_large_list(inner):  # of pairs, as spans are
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
    """Return strings by their numbers; only those that are used are made."""
    number = column.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    used, which = np.unique(number, return_inverse=True)
    missing = int(len(used) > 0 and used[0] < 0)
    pyarrow = optional_module("pyarrow")
    strings = column.dictionary.take(pyarrow.array(used[missing:])).to_pylist()
    return list(map(([None] * missing + strings).__getitem__, which.tolist()))


def _lists(column: Any) -> list[Any] | None:
    """Return lists of text, or of lists of whole numbers."""
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


# How much a file holds


class ParquetSizes(NamedTuple):
    """Rows of the file, values of its longest column or dictionary, and bytes of all its pages."""

    rows: int
    values: int
    bytes: int


def _refuse_too_much(sizes: ParquetSizes, size: int, origin: str) -> None:
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


def sizes_in_parquet(data: bytes) -> ParquetSizes:
    """Return what a file holds, before any of it is unpacked; a ValueError says what is wrong.

    The headers are read here, not by pyarrow, whose metadata of a damaged footer end the whole
    process, and those of a forged one take 1.5 GB. And the footer may say less than the pages hold:
    pyarrow unpacks as much as their own headers say, gigabytes out of a kilobyte of lists.

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
    headers = _Headers(data)
    footer, _ = headers.struct(len(data) - 8 - length)
    rows = pages = size = 0
    values: dict[int, int] = {}
    for group in _structs(footer.get(_ROW_GROUPS)):
        rows += _natural(group.get(_GROUP_ROWS))
        for number, chunk in enumerate(_structs(group.get(_COLUMNS))):
            column = _struct(chunk.get(_META_DATA))
            begins = [column[field] for field in (_DATA_AT, _DICTIONARY_AT) if column.get(field)]
            at = min(map(_natural, begins), default=0)
            end = min(at + _natural(column.get(_COLUMN_COMPRESSED)), len(data))
            in_pages = in_dictionary = 0
            while at < end:
                pages += 1
                if pages > MOST_PAGES:
                    raise ValueError(f"it has more than {MOST_PAGES:,} pages")
                header, at = headers.struct(at)
                at += _natural(header.get(_PAGE_COMPRESSED))
                size += _natural(header.get(_PAGE_BYTES))
                in_pages += sum(_page_values(header, kind) for kind in _DATA_PAGES)
                in_dictionary += _page_values(header, _DICTIONARY_PAGE)
            values[number] = values.get(number, 0) + max(in_pages, in_dictionary)
    return ParquetSizes(rows, max(values.values(), default=0), size)


# Fields of headers, as the format numbers them.
_ROW_GROUPS = 4  # of the file
_COLUMNS, _GROUP_ROWS = 1, 3  # of a group of rows
_META_DATA = 3  # of a column in it
_COLUMN_COMPRESSED, _DATA_AT, _DICTIONARY_AT = 7, 9, 11
_PAGE_BYTES, _PAGE_COMPRESSED = 2, 3  # of a page
_DATA_PAGES, _DICTIONARY_PAGE = (5, 8), 7  # data of versions 1 and 2
_PAGE_VALUES = 1


def _page_values(header: dict[int, Any], kind: int) -> int:
    """Return how many values a page says it has, if it is of this kind."""
    return _natural(_struct(header[kind]).get(_PAGE_VALUES)) if kind in header else 0


def _natural(value: Any) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError("a number in its headers is missing or negative")
    return value


def _struct(value: Any) -> dict[int, Any]:
    if not isinstance(value, dict):
        raise ValueError("a part of its headers is missing")
    return value


def _structs(value: Any) -> list[dict[int, Any]]:
    return [_struct(each) for each in value] if isinstance(value, list) else []


class _Headers:
    """Reads structures in the compact protocol of Thrift, in which Parquet has its headers."""

    _TRUE, _FALSE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 8, 9, 10, 11, 12
    _INTEGERS = (4, 5, 6)
    # Truth values in lists, bytes, floats and UUIDs.
    _SIZES = MappingProxyType({1: 1, 2: 1, 3: 1, 7: 8, 13: 16})
    _DEEPEST = 32

    def __init__(self, data: bytes) -> None:
        self._data = data

    def struct(self, at: int, depth: int = 0) -> tuple[dict[int, Any], int]:
        """Return the fields of a structure by number, and where it ends; strings are left out."""
        if depth > self._DEEPEST:
            raise ValueError("its headers are nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while True:
            header, at = self._byte(at)
            if header == 0:
                return fields, at
            kind, step = header & 15, header >> 4
            if step:
                number += step
            else:
                number, at = self._integer(at)
            if kind in (self._TRUE, self._FALSE):
                fields[number] = kind == self._TRUE
            else:
                fields[number], at = self._value(at, kind, depth)

    def _value(self, at: int, kind: int, depth: int) -> tuple[Any, int]:
        """Return a value inside a structure or a list, and where it ends."""
        if kind in self._INTEGERS:
            return self._integer(at)
        if kind == self._BINARY:
            length, at = self._varint(at)
            return None, self._inside(at + length)
        if kind == self._STRUCT:
            return self.struct(at, depth + 1)
        if kind in (self._LIST, self._SET):
            header, at = self._byte(at)
            count = header >> 4
            if count == 15:
                count, at = self._varint(at)
            return self._values(at, count, (header & 15,), depth + 1)
        if kind == self._MAP:
            count, at = self._varint(at)
            kinds, at = self._byte(at) if count else (0, at)
            return self._values(at, count, (kinds >> 4, kinds & 15), depth + 1)
        if kind not in self._SIZES:
            raise ValueError(f"its headers have a value of an unknown type, {kind}")
        return None, self._inside(at + self._SIZES[kind])

    def _values(
        self, at: int, count: int, kinds: tuple[int, ...], depth: int
    ) -> tuple[list[Any], int]:
        if depth > self._DEEPEST:
            raise ValueError("its headers are nested too deeply")
        self._inside(at + count)  # each value takes at least a byte
        values = []
        for _ in range(count):
            for kind in kinds:
                value, at = self._value(at, kind, depth)
                values.append(value)
        return values, at

    def _integer(self, at: int) -> tuple[int, int]:
        value, at = self._varint(at)
        return (value >> 1) ^ -(value & 1), at

    def _varint(self, at: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            byte, at = self._byte(at)
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value, at
            if shift > 63:
                raise ValueError("a number in its headers is too long")

    def _byte(self, at: int) -> tuple[int, int]:
        return self._data[self._inside(at + 1) - 1], at + 1

    def _inside(self, at: int) -> int:
        if at > len(self._data):
            raise ValueError("its headers end too soon")
        return at
