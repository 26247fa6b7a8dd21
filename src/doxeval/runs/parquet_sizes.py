"""How much a Parquet file holds, counted from its headers before any of it is unpacked.

A page of a few bytes can stand for millions of values. pyarrow allocates what the header of a page
says, and ends the whole process where the headers of columns contradict each other. So the headers
are read here: the footer, which says where the pages of each column are, and the header of each
page. They are written in the compact protocol of Thrift, of which this is a small reader.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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
            in_dictionary += _values(header, _DICTIONARY)
            values += sum(_values(header, kind) for kind in _DATA_PAGES)
        return max(values, in_dictionary)


def _values(header: Struct, kind: int) -> int:
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
