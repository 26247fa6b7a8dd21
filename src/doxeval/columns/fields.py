"""Fields of text with white space between them, read by columns.

A run of 171,000 lines has more than a million fields. A Python object for each of them costs far
more than all the arithmetic that follows, so none are made: fields are positions in the bytes of
the file, and a column becomes numbers by a few operations over all of its rows at once. A field of
up to eight digits is one load of eight bytes, and becomes a number by three multiplications; longer
fields take a few more steps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Bytes, Floats, Ints, concatenated_ranges
from doxeval.columns.names import (
    LAST_BYTES,
    LOAD_BYTES,
    ZERO_DIGITS,
    ByteStrings,
    Loads,
    PaddedBytes,
    parse_digits,
)

_BLOCK = 1 << 20  # bytes of lines whose columns stay in the processor's cache
# What `str.split` takes for white space, and a reader of bytes does not.
_WIDE_SPACES = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_LINE_END, _SPACE = 10, 32
_LONGEST_INTEGER = 18
_PLAIN_DECIMAL = 16  # characters: at most 15 digits and a point
_POWERS_OF_TEN = 10.0 ** np.arange(_PLAIN_DECIMAL + 1)
_POINTS = np.uint64(0x1E1E1E1E1E1E1E1E)  # eight times what the character . is as a digit
_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)


class LineBlock(NamedTuple):
    """Some whole lines of a file: where they begin and end, and the number of the first."""

    begin: int
    end: int
    line: int


def line_blocks(data: bytes) -> Iterator[LineBlock]:
    """Yield the lines of a file in blocks that are small enough for the processor's cache.

    >>> list(line_blocks(b"a\\nb\\n"))
    [LineBlock(begin=0, end=4, line=1)]
    """
    begin, line = 0, 1
    while begin < len(data):
        end = data.find(b"\n", begin + _BLOCK) + 1 or len(data)
        yield LineBlock(begin, end, line)
        line += data.count(b"\n", begin, end)
        begin = end


def has_plain_spaces(data: bytes) -> bool:
    """Return whether fields of the text are the same to a reader of bytes as to `str.split`.

    They are if the text is UTF-8 without white space beyond ASCII; control characters are for the
    table of fields to find.

    >>> has_plain_spaces("é b".encode()), has_plain_spaces("a\\xa0b".encode())
    (True, False)
    """
    if data.isascii():
        return True
    try:
        return _WIDE_SPACES.search(data.decode()) is None
    except UnicodeDecodeError:
        return False


def first_bad_byte(data: bytes) -> int | None:
    """Return where text ceases to be UTF-8; None if all of it is.

    >>> first_bad_byte(b"a b"), first_bad_byte(b"a \\xff")
    (None, 2)
    """
    try:
        if not data.isascii():
            data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


class TokenTable:
    """The fields of all lines that are not blank; white space is every byte up to 32, the space.

    lines: the numbers of these lines, from 0. fields: how many fields each has.

    >>> table = TokenTable(PaddedBytes(b"a 1\\n\\nb 22\\n"))
    >>> table.lines.tolist(), table.fields.tolist()
    ([0, 2], [2, 2])
    >>> table.columns(2).integers(1).tolist()
    [1, 22]
    """

    def __init__(self, source: PaddedBytes) -> None:
        self._source = source
        codes: Bytes = np.frombuffer(source.data, dtype=np.uint8)
        self._ends = _regular_ends(codes)
        if self._ends is not None:
            self.line_ends, fields = self._ends.shape
            self.lines = np.arange(self.line_ends)
            self.fields: Ints = np.full(self.line_ends, fields)
            return
        line_ends = np.flatnonzero(codes == _LINE_END)
        self.line_ends = len(line_ends)
        fields_before = np.searchsorted(self._edges[0::2], line_ends)
        per_line = np.diff(fields_before, prepend=0, append=len(self._edges) // 2)
        self.lines = np.flatnonzero(per_line)
        self.fields = per_line[self.lines]

    @cached_property
    def _edges(self) -> Ints:
        """The begin and end of every field, one after another."""
        codes = np.frombuffer(self._source.data, dtype=np.uint8)
        is_space = np.ones(len(codes) + 2, dtype=np.bool_)  # as if there were some around it
        np.less_equal(codes, _SPACE, out=is_space[1:-1])
        return np.flatnonzero(is_space[1:] != is_space[:-1])

    def control_character(self) -> int | None:
        """Return where the first control character is that is not white space, if there is one."""
        codes = np.frombuffer(self._source.data, dtype=np.uint8)
        if np.count_nonzero(codes < _SPACE) == self.line_ends:
            return None  # the usual case: all characters below a space are line ends
        is_control = (codes < 9) | ((codes > 13) & (codes < _SPACE))
        return int(np.argmax(is_control)) if is_control.any() else None

    def columns(self, fields: int) -> Columns:
        """Return the table by columns; every line must have this many fields."""
        if self._ends is None:
            return Columns(self._source, self._edges.reshape(-1, 2 * fields).T.copy())
        edges = np.empty((2 * fields, len(self._ends)), dtype=np.int64)
        edges[1::2] = self._ends.T
        edges[2::2] = edges[1:-1:2] + 1
        edges[0, :1] = 0
        edges[0, 1:] = edges[-1, :-1] + 1
        return Columns(self._source, edges)


def _regular_ends(codes: Bytes) -> Ints | None:
    """Return where the fields of every line end, lines × fields, if the table is regular.

    Most are: all lines have the same number of fields, with one character of white space behind
    each; then every field begins right behind the one before it.
    """
    breaks = np.flatnonzero(codes <= _SPACE)
    is_line_end = codes[breaks] == _LINE_END
    lines = int(np.count_nonzero(is_line_end))
    if not lines or not is_line_end[-1] or breaks[-1] != len(codes) - 1 or len(breaks) % lines:
        return None
    fields = len(breaks) // lines
    if not is_line_end[fields - 1 :: fields].all():
        return None
    if breaks[0] == 0 or (breaks[1:] - breaks[:-1] == 1).any():
        return None
    return breaks.reshape(lines, fields)


class RaggedTable(TokenTable):
    """The fields of all lines that are not blank, however many each line has.

    >>> table = RaggedTable(PaddedBytes(b"a 1 x\\nb 22\\nc 3 y z\\n"))
    >>> table.leading(2).integers(1).tolist()
    [1, 22, 3]
    >>> rows, rest = table.trailing(2)
    >>> rows.tolist(), list(rest.names(0))
    ([0, 2, 2], ['x', 'y', 'z'])
    """

    def __init__(self, source: PaddedBytes) -> None:
        super().__init__(source)
        self._first = np.cumsum(self.fields) - self.fields

    def leading(self, count: int) -> Columns:
        """Return the first fields of every line, each of which must have this many."""
        if len(self.fields) and (self.fields == count).all():
            return self.columns(count)
        return self._columns([self._first + position for position in range(count)])

    def field(self, position: int, rows: Ints) -> Columns:
        """Return one field of some lines, each of which must have it, as a table of one column."""
        return self._columns([self._first[rows] + position])

    def trailing(self, position: int) -> tuple[Ints, Columns]:
        """Return all fields from a position on: the row of each, and a table of one column."""
        count = np.maximum(self.fields - position, 0)
        rows = np.repeat(np.arange(len(count)), count)
        return rows, self._columns([concatenated_ranges(self._first + position, count)])

    def _columns(self, fields: list[Ints]) -> Columns:
        """Return a table of fields, given column by column by their numbers among all."""
        edges = [self._edges[2 * numbers + side] for numbers in fields for side in (0, 1)]
        return Columns(self._source, np.stack(edges))


class Columns:
    """The columns of a table of fields: where each field begins and ends, column by column."""

    def __init__(self, source: PaddedBytes, edges: Ints) -> None:
        self._source = source
        self._codes: Bytes = np.frombuffer(source.data, dtype=np.uint8)
        self._edges = edges

    def __len__(self) -> int:
        return len(self._edges[0])

    def span(self, column: int) -> tuple[Ints, Ints]:
        """Return where the fields of a column begin and end."""
        return self._edges[2 * column], self._edges[2 * column + 1]

    def text(self, row: int, column: int) -> bytes:
        """Return one field."""
        begins, ends = self.span(column)
        return self._source.data[begins[row] : ends[row]]

    def names(self, column: int) -> ByteStrings:
        """Return the fields of a column as names."""
        return ByteStrings(self._source, *self.span(column))

    def starts_with(self, column: int, character: bytes) -> Bools:
        """Return whether each field of a column starts with a character."""
        return np.equal(self._codes[self.span(column)[0]], character[0])

    def integers(self, column: int) -> Ints:
        """Return a column's fields as whole numbers; -1 for one that is not, or is too long."""
        begins, ends = self.span(column)
        lengths = ends - begins
        values, valid = parse_digits(self._last_digits(ends, lengths))
        values = np.where(valid, values, -1)
        long = np.flatnonzero(lengths > LOAD_BYTES)
        if len(long):
            values[long] = self._long_integers(begins[long], ends[long])
        return values

    def _last_digits(self, ends: Ints, lengths: Ints) -> Loads:
        """Return the last eight characters as digits; shorter fields have zeros before them."""
        mask = np.take(LAST_BYTES, lengths, mode="clip")
        digits: Loads = (self._source.loads[ends] ^ ZERO_DIGITS) & mask
        return digits

    def _long_integers(self, begins: Ints, ends: Ints) -> Ints:
        lengths = ends - begins
        values = np.zeros(len(begins), dtype=np.int64)
        valid = lengths <= _LONGEST_INTEGER
        for position in range(min(int(lengths.max(initial=0)), _LONGEST_INTEGER)):
            # Bytes below the digit 0 wrap around to large numbers, which are not digits either.
            digit = self._codes[np.maximum(ends - 1 - position, 0)] - np.uint8(48)
            digit[lengths <= position] = 0
            valid &= digit <= 9
            values += digit * np.int64(10**position)
        return np.where(valid, values, -1)

    def floats(self, column: int) -> Floats:
        """Return a column's fields as numbers, each as `float` reads it; nan if it is not one.

        A plain decimal of few digits is a whole number divided by a power of ten. Both are exact,
        so their quotient is rounded once, as `float` does it. Other fields are read one by one.
        """
        begins, ends = self.span(column)
        lengths = ends - begins
        values, plain = self._short_decimals(ends, lengths)
        plain &= lengths <= LOAD_BYTES
        long = np.flatnonzero(~plain & (lengths <= _PLAIN_DECIMAL))
        if len(long):
            values[long], plain[long] = self._long_decimals(begins[long], lengths[long])
        for row in np.flatnonzero(~plain).tolist():
            values[row] = _parse_float(self.text(row, column))
        return values

    def _short_decimals(self, ends: Ints, lengths: Ints) -> tuple[Floats, Bools]:
        """Read fields of up to eight characters: one load each, without its point."""
        loads = self._last_digits(ends, lengths)
        marks = loads ^ _POINTS
        point = (marks - _ONES) & ~marks & _TOPS
        point &= np.uint64(0) - point  # the first point alone
        has_point = point != 0
        # The digits before the point move one byte up, into its position.
        before = (point >> np.uint64(7)) - np.uint64(1)
        before[~has_point] = np.uint64(0)
        up_to = (before << np.uint64(8)) | np.uint64(0xFF)
        up_to[~has_point] = np.uint64(0)
        loads = (loads & ~up_to) | ((loads & before) << np.uint64(8))
        digits, valid = parse_digits(loads)
        position = (point.astype(np.float64).view(np.int64) >> 52) - 1023 >> 3
        behind = np.where(has_point, 7 - position, 0)
        valid &= lengths > has_point
        return digits / _POWERS_OF_TEN[behind], valid

    def _long_decimals(self, begins: Ints, lengths: Ints) -> tuple[Floats, Bools]:
        """Read fields of up to sixteen characters, character by character."""
        digits = np.zeros(len(begins), dtype=np.int64)
        behind = np.zeros(len(begins), dtype=np.int64)  # digits behind the point
        points = np.zeros(len(begins), dtype=np.int64)
        plain = np.ones(len(begins), dtype=np.bool_)
        for position in range(int(lengths.max(initial=0))):
            inside = lengths > position
            code = self._codes[np.minimum(begins + position, len(self._codes) - 1)]
            is_digit = (code >= 48) & (code <= 57) & inside
            is_point = (code == 46) & inside
            digits = np.where(is_digit, digits * 10 + code - 48, digits)
            behind += is_digit & (points > 0)
            points += is_point
            plain &= is_digit | is_point | ~inside
        plain &= (points <= 1) & (lengths > points)
        return digits / _POWERS_OF_TEN[behind], plain


def _parse_float(text: bytes) -> float:
    try:
        return np.nan if b"_" in text else float(text)
    except ValueError:
        return np.nan


def split_fields(source: PaddedBytes, fields: Columns, separator: bytes) -> Columns | None:
    """Return a column of fields like `12:34` as two columns, split at the first separator.

    None if some field has no separator, or nothing before or behind it.

    >>> source = PaddedBytes(b"12:34 5:6")
    >>> both = split_fields(source, RaggedTable(source).trailing(0)[1], b":")
    >>> both.integers(0).tolist(), both.integers(1).tolist()
    ([12, 5], [34, 6])
    """
    begins, ends = fields.span(0)
    codes: Bytes = np.frombuffer(source.data, dtype=np.uint8)
    separators = np.append(np.flatnonzero(codes == separator[0]), len(codes))
    at = separators[np.searchsorted(separators, begins)]
    if not ((at > begins) & (at + 1 < ends)).all():
        return None
    return Columns(source, np.stack([begins, at, at + 1, ends]))
