"""The text of a file, cut into pieces of whole lines.

Pieces are small enough to stay in the processor's cache while their columns are made.

A table of fields with white space between them, read by columns.

Fields are positions in the bytes of the file, and a column becomes numbers by a few operations
over all of its rows at once, on words; the package explains both.

Lines of text that have different numbers of fields, read by columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Bytes, Floats, Ints, concatenated_ranges
from doxeval.columns.names import LAST, SIZE, ZEROS, Names, Words, whole_number

_PIECE = 1 << 20
# What `str.split` takes for white space, and a reader of bytes does not.
_WIDE_SPACES = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")


class Piece(NamedTuple):
    """Some whole lines of a file: where they begin and end, and the number of the first."""

    begin: int
    end: int
    line: int


def line_blocks(data: bytes) -> Iterator[Piece]:
    """The lines of a file in pieces.

    >>> list(line_blocks(b"a\\nb\\n"))
    [Piece(begin=0, end=4, line=1)]
    """
    begin, line = 0, 1
    while begin < len(data):
        end = data.find(b"\n", begin + _PIECE) + 1 or len(data)
        yield Piece(begin, end, line)
        line += data.count(b"\n", begin, end)
        begin = end


def has_plain_spaces(data: bytes) -> bool:
    """Whether fields of the text are the same to a reader of bytes as to `str.split`.

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


_LINE_END, _SPACE = 10, 32
_LONGEST_INTEGER = 18
_PLAIN_DECIMAL = 16  # characters: at most 15 digits and a point
_POWERS_OF_TEN = 10.0 ** np.arange(_PLAIN_DECIMAL + 1)
_POINTS = np.uint64(0x1E1E1E1E1E1E1E1E)  # eight times what the character . is as a digit
_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)


class TokenTable:
    """The fields of all lines that are not blank; white space is every byte up to 32, the space.

    >>> table = TokenTable(Words(b"a 1\\n\\nb 22\\n"))
    >>> table.lines.tolist(), table.fields.tolist()
    ([0, 2], [2, 2])
    >>> table.columns(2).integers(1).tolist()
    [1, 22]
    """

    def __init__(self, words: Words) -> None:
        self._words = words
        codes: Bytes = np.frombuffer(words.data, dtype=np.uint8)
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
        # The numbers of the lines that are not blank, from 0, and how many fields each has.
        self.lines = np.flatnonzero(per_line)
        self.fields = per_line[self.lines]

    @cached_property
    def _edges(self) -> Ints:
        """The begin and end of every field, one after another."""
        codes = np.frombuffer(self._words.data, dtype=np.uint8)
        is_space = np.ones(len(codes) + 2, dtype=np.bool_)  # as if there were some around it
        np.less_equal(codes, _SPACE, out=is_space[1:-1])
        return np.flatnonzero(is_space[1:] != is_space[:-1])

    def control_character(self) -> int | None:
        """Where the first control character is that is not white space, if there is one."""
        codes = np.frombuffer(self._words.data, dtype=np.uint8)
        if np.count_nonzero(codes < _SPACE) == self.line_ends:
            return None  # the usual case: all characters below a space are line ends
        is_control = (codes < 9) | ((codes > 13) & (codes < _SPACE))
        return int(np.argmax(is_control)) if is_control.any() else None

    def columns(self, fields: int) -> Columns:
        """The table by columns; every line must have this many fields."""
        if self._ends is None:
            return Columns(self._words, self._edges.reshape(-1, 2 * fields).T.copy())
        edges = np.empty((2 * fields, len(self._ends)), dtype=np.int64)
        edges[1::2] = self._ends.T
        edges[2::2] = edges[1:-1:2] + 1
        edges[0, :1] = 0
        edges[0, 1:] = edges[-1, :-1] + 1
        return Columns(self._words, edges)


def _regular_ends(codes: Bytes) -> Ints | None:
    """Where the fields of every line end, lines × fields, if the table is as regular as most are.

    In a regular table all lines have the same number of fields, with one character of white space
    behind each; then every field begins right behind the one before it.
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


class Columns:
    """The columns of a table of fields: where each field begins and ends, column by column."""

    def __init__(self, words: Words, edges: Ints) -> None:
        self._words = words
        self._codes: Bytes = np.frombuffer(words.data, dtype=np.uint8)
        self._edges = edges

    def __len__(self) -> int:
        return len(self._edges[0])

    def span(self, column: int) -> tuple[Ints, Ints]:
        """Where the fields of a column begin and end."""
        return self._edges[2 * column], self._edges[2 * column + 1]

    def text(self, row: int, column: int) -> bytes:
        """One field."""
        begins, ends = self.span(column)
        return self._words.data[begins[row] : ends[row]]

    def names(self, column: int) -> Names:
        """The fields of a column as names."""
        return Names(self._words, *self.span(column))

    def starts_with(self, column: int, character: bytes) -> Bools:
        """Whether each field of a column starts with a character."""
        return np.equal(self._codes[self.span(column)[0]], character[0])

    def integers(self, column: int) -> Ints:
        """The fields of a column as whole numbers; -1 for a field that is not one, or too long."""
        begins, ends = self.span(column)
        lengths = ends - begins
        values = self._short_integers(ends, lengths)
        long = np.flatnonzero(lengths > SIZE)
        if len(long):
            values[long] = self._long_integers(begins[long], ends[long])
        return values

    def _short_integers(self, ends: Ints, lengths: Ints) -> Ints:
        """Fields of up to eight digits: one word each."""
        values, valid = whole_number(self._last_digits(ends, lengths))
        return np.where(valid, values, -1)

    def _last_digits(self, ends: Ints, lengths: Ints) -> npt.NDArray[np.uint64]:
        """The last eight characters of fields as digits; shorter fields have zeros before them."""
        own = np.take(LAST, lengths, mode="clip")
        digits: npt.NDArray[np.uint64] = (self._words.at[ends] ^ ZEROS) & own
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
        """The fields of a column as numbers, each as `float` reads it; nan if it is not a number.

        A plain decimal of few digits is a whole number divided by a power of ten. Both are exact,
        so their quotient is rounded once, as `float` does it. Other fields are read one by one.
        """
        begins, ends = self.span(column)
        lengths = ends - begins
        values, plain = self._short_decimals(ends, lengths)
        plain &= lengths <= SIZE
        long = np.flatnonzero(~plain & (lengths <= _PLAIN_DECIMAL))
        if len(long):
            values[long], plain[long] = self._long_decimals(begins[long], lengths[long])
        for row in np.flatnonzero(~plain).tolist():
            values[row] = _number(self.text(row, column))
        return values

    def _short_decimals(self, ends: Ints, lengths: Ints) -> tuple[Floats, Bools]:
        """Fields of up to eight characters: one word each, from which the point is taken out."""
        word = self._last_digits(ends, lengths)
        marks = word ^ _POINTS
        point = (marks - _ONES) & ~marks & _TOPS
        point &= np.uint64(0) - point  # the first point alone
        has_point = point != 0
        # The digits before the point move one byte up, into its position.
        before = (point >> np.uint64(7)) - np.uint64(1)
        before[~has_point] = np.uint64(0)
        up_to = (before << np.uint64(8)) | np.uint64(0xFF)
        up_to[~has_point] = np.uint64(0)
        word = (word & ~up_to) | ((word & before) << np.uint64(8))
        digits, valid = whole_number(word)
        position = (point.astype(np.float64).view(np.int64) >> 52) - 1023 >> 3
        behind = np.where(has_point, 7 - position, 0)
        valid &= lengths > has_point
        return digits / _POWERS_OF_TEN[behind], valid

    def _long_decimals(self, begins: Ints, lengths: Ints) -> tuple[Floats, Bools]:
        """Fields of up to sixteen characters, character by character."""
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


def _number(text: bytes) -> float:
    try:
        return np.nan if b"_" in text else float(text)
    except ValueError:
        return np.nan


class RaggedTable(TokenTable):
    """The fields of all lines that are not blank, however many each line has.

    >>> table = RaggedTable(Words(b"a 1 x\\nb 22\\nc 3 y z\\n"))
    >>> table.leading(2).integers(1).tolist()
    [1, 22, 3]
    >>> rows, rest = table.trailing(2)
    >>> rows.tolist(), list(rest.names(0))
    ([0, 2, 2], ['x', 'y', 'z'])
    """

    def __init__(self, words: Words) -> None:
        super().__init__(words)
        self._first = np.cumsum(self.fields) - self.fields

    def leading(self, count: int) -> Columns:
        """The first so many fields of every line, each of which must have them."""
        if len(self.fields) and (self.fields == count).all():
            return self.columns(count)
        return self._columns([self._first + position for position in range(count)])

    def field(self, position: int, rows: Ints) -> Columns:
        """One field of some lines, each of which must have it, as a table of one column."""
        return self._columns([self._first[rows] + position])

    def trailing(self, position: int) -> tuple[Ints, Columns]:
        """All fields from a position on: the row of each, and a table of one column."""
        count = np.maximum(self.fields - position, 0)
        rows = np.repeat(np.arange(len(count)), count)
        return rows, self._columns([concatenated_ranges(self._first + position, count)])

    def _columns(self, fields: list[Ints]) -> Columns:
        """A table of fields, given column by column by their numbers among all."""
        edges = [self._edges[2 * own + side] for own in fields for side in (0, 1)]
        return Columns(self._words, np.stack(edges))


def split_fields(words: Words, fields: Columns, separator: bytes) -> Columns | None:
    """A column of fields like `12:34` as two columns, cut at the first separator.

    None if some field has no separator, or nothing before or behind it.

    >>> words = Words(b"12:34 5:6")
    >>> both = split_fields(words, RaggedTable(words).trailing(0)[1], b":")
    >>> both.integers(0).tolist(), both.integers(1).tolist()
    ([12, 5], [34, 6])
    """
    begins, ends = fields.span(0)
    codes: Bytes = np.frombuffer(words.data, dtype=np.uint8)
    cuts = np.append(np.flatnonzero(codes == separator[0]), len(codes))
    at = cuts[np.searchsorted(cuts, begins)]
    if not ((at > begins) & (at + 1 < ends)).all():
        return None
    return Columns(words, np.stack([begins, at, at + 1, ends]))
