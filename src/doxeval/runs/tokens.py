"""A table of white-space-separated fields, read by columns without making a string of each.

A run of hundreds of thousands of lines is millions of fields. Here the fields are positions in
the bytes of the file, and each column is turned into numbers by a few operations over all of its
rows; a string is made only of what somebody looks at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Bytes, Ints

Floats = npt.NDArray[np.float64]

_WORD = 8
_LINE_END, _SPACE = 10, 32
_LONGEST_KEY = 64
_LONGEST_INTEGER = 18
_PLAIN_DECIMAL = 16  # characters: at most 15 digits and a point
_POWERS_OF_TEN = 10.0 ** np.arange(_PLAIN_DECIMAL + 1)
_MIX = np.uint64(0x9E3779B97F4A7C15)
# The first so many bytes of a word, and the last so many (words are little-endian).
_FIRST = np.array([(1 << 8 * kept) - 1 for kept in range(_WORD + 1)], dtype="<u8")
_LAST = _FIRST[_WORD] ^ _FIRST[::-1]
_ZEROS = np.uint64(0x3030303030303030)  # eight times the character 0
_HIGH = np.uint64(0xF0F0F0F0F0F0F0F0)
_THREES = np.uint64(0x3333333333333333)
_DOT_SLASH = np.uint64(int.from_bytes(b"./", "little"))
_DOT_XML = np.uint64(int.from_bytes(bytes(4) + b".xml", "little"))
_SIXES = np.uint64(0x0606060606060606)


_POINTS = np.uint64(0x2E2E2E2E2E2E2E2E)  # eight times the character .
_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)


class Words:
    """Bytes, and from each position on the next eight of them as one number.

    There are eight zeros around the bytes, so that every position has a word before and behind.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._padded = b"".join((bytes(_WORD), data, bytes(_WORD)))
        # The word from position p on is at p + 8, the one up to it at p.
        self.at: npt.NDArray[np.uint64] = np.ndarray(
            (len(self._padded) - _WORD + 1,), "<u8", self._padded, 0, (1,)
        )

    def piece(self, begin: int, end: int) -> Words:
        """A part of the bytes, without a copy of the words."""
        part = Words.__new__(Words)
        part.data = self.data[begin:end]
        part._padded = self._padded
        part.at = self.at[begin : end + _WORD + 1]
        return part


def _whole_number(word: npt.NDArray[np.uint64]) -> tuple[Ints, Bools]:
    """Eight characters as one number, and whether all of them are digits.

    Pairs of digits are made numbers below 100, pairs of those numbers below 10,000, and these the
    number itself.
    """
    tens = ((word & _HIGH) | ((word + _SIXES) & _HIGH) >> np.uint64(4)) == _THREES
    word = ((word ^ _ZEROS) * np.uint64(2561)) >> np.uint64(8)
    word = ((word & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601)) >> np.uint64(16)
    word = ((word & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001)) >> np.uint64(32)
    return word.astype(np.int64), tens


class TokenTable:
    """The fields of all lines that are not blank; white space is every byte up to a space.

    >>> table = TokenTable(Words(b"a 1\\n\\nb 22\\n"))
    >>> table.lines.tolist(), table.fields.tolist()
    ([0, 2], [2, 2])
    >>> table.columns(2).integers(1).tolist()
    [1, 22]
    """

    def __init__(self, words: Words) -> None:
        self._words = words
        codes: Bytes = np.frombuffer(words.data, dtype=np.uint8)
        is_space = np.ones(len(codes) + 2, dtype=np.bool_)  # as if there were some around it
        np.less_equal(codes, 32, out=is_space[1:-1])
        # Begin and end of every field, one after another.
        self._edges = edges = np.flatnonzero(is_space[1:] != is_space[:-1])
        line_ends = np.flatnonzero(codes == _LINE_END)
        self.line_ends = len(line_ends)
        per_line = _fields_of_lines(edges, line_ends)
        # The lines that are not blank, from 0, and how many fields each has.
        self.lines = np.flatnonzero(per_line)
        self.fields = per_line[self.lines]

    def control_character(self) -> int | None:
        """Where the first control character is that is not white space, if there is one."""
        codes = np.frombuffer(self._words.data, dtype=np.uint8)
        if np.count_nonzero(codes < _SPACE) == self.line_ends:
            return None  # as almost always: line ends are all there is
        is_control = (codes < 9) | ((codes > 13) & (codes < _SPACE))
        return int(np.argmax(is_control)) if is_control.any() else None

    def columns(self, fields: int) -> Columns:
        """The table by columns, given that every line has as many fields."""
        return Columns(self._words, self._edges.reshape(-1, 2 * fields).T.copy())


def _fields_of_lines(edges: Ints, line_ends: Ints) -> Ints:
    """How many fields each line has."""
    lines = len(line_ends)
    fields, rest = divmod(len(edges), 2 * lines) if lines else (0, 1)
    if not rest and fields:
        # All lines have as many, if each field group lies between the ends of its line.
        groups = edges.reshape(lines, 2 * fields)
        if (groups[:, -1] <= line_ends).all() and (groups[1:, 0] > line_ends[:-1]).all():
            return np.append(np.full(lines, fields), 0)
    fields_before = np.searchsorted(edges[0::2], line_ends)
    return np.diff(fields_before, prepend=0, append=len(edges) // 2)


class Columns:
    """The columns of a table of fields: begin and end of each field, column by column."""

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
        """The fields of a column as whole numbers; -1 for a field that is none, or too long."""
        begins, ends = self.span(column)
        lengths = ends - begins
        values = self._short_integers(ends, lengths)
        long = np.flatnonzero(lengths > _WORD)
        if len(long):
            values[long] = self._long_integers(begins[long], ends[long])
        return values

    def _short_integers(self, ends: Ints, lengths: Ints) -> Ints:
        """Fields of up to eight digits, all digits of a field at once, as one word."""
        values, valid = _whole_number(self._right_aligned(ends, lengths))
        return np.where(valid, values, -1)

    def _right_aligned(self, ends: Ints, lengths: Ints) -> npt.NDArray[np.uint64]:
        """The last characters of fields, with the character 0 before them."""
        own = _LAST[np.minimum(lengths, _WORD)]
        aligned: npt.NDArray[np.uint64] = (self._words.at[ends] & own) | (_ZEROS & ~own)
        return aligned

    def _long_integers(self, begins: Ints, ends: Ints) -> Ints:
        lengths = ends - begins
        values = np.zeros(len(begins), dtype=np.int64)
        valid = lengths <= _LONGEST_INTEGER
        for place in range(min(int(lengths.max(initial=0)), _LONGEST_INTEGER)):
            # Bytes below the digits wrap around to large numbers, which are no digits either.
            digit = self._codes[np.maximum(ends - 1 - place, 0)] - np.uint8(48)
            digit[lengths <= place] = 0
            valid &= digit <= 9
            values += digit * np.int64(10**place)
        return np.where(valid, values, -1)

    def floats(self, column: int) -> Floats:
        """The fields of a column as numbers, each as `float` reads it; nan for what is none.

        A plain decimal of few digits is one whole number divided by a power of ten: both are
        exact, so their quotient is rounded once, as it should be. Others are read one by one.
        """
        begins, ends = self.span(column)
        lengths = ends - begins
        values, plain = self._short_decimals(ends, lengths)
        plain &= lengths <= _WORD
        long = np.flatnonzero(~plain & (lengths <= _PLAIN_DECIMAL))
        if len(long):
            values[long], plain[long] = self._long_decimals(begins[long], lengths[long])
        for row in np.flatnonzero(~plain).tolist():
            values[row] = _number(self.text(row, column))
        return values

    def _short_decimals(self, ends: Ints, lengths: Ints) -> tuple[Floats, Bools]:
        """Fields of up to eight characters; the point is found and taken out, as in a word."""
        word = self._right_aligned(ends, lengths)
        marks = word ^ _POINTS
        point = (marks - _ONES) & ~marks & _TOPS
        point &= np.uint64(0) - point  # the first one
        has_point = point != 0
        # What is before the point moves up by one byte, over it.
        before = (point >> np.uint64(7)) - np.uint64(1)
        before[~has_point] = np.uint64(0)
        up_to = (before << np.uint64(8)) | np.uint64(0xFF)
        up_to[~has_point] = np.uint64(0)
        word = (word & ~up_to) | ((word & before) << np.uint64(8)) | (up_to & np.uint64(0x30))
        digits, valid = _whole_number(word)
        place = (point.astype(np.float64).view(np.int64) >> 52) - 1023 >> 3
        behind = np.where(has_point, 7 - place, 0)
        valid &= lengths > has_point
        return digits / _POWERS_OF_TEN[behind], valid

    def _long_decimals(self, begins: Ints, lengths: Ints) -> tuple[Floats, Bools]:
        """Fields of up to sixteen characters, character by character."""
        digits = np.zeros(len(begins), dtype=np.int64)
        behind = np.zeros(len(begins), dtype=np.int64)  # digits behind the point
        points = np.zeros(len(begins), dtype=np.int64)
        plain = np.ones(len(begins), dtype=np.bool_)
        for place in range(int(lengths.max(initial=0))):
            inside = lengths > place
            code = self._codes[np.minimum(begins + place, len(self._codes) - 1)]
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


class Names(Sequence[str]):
    """Names as places in bytes; each is made a string when it is looked at.

    >>> names = Names(Words(b"b a b"), np.array([0, 2, 4]), np.array([1, 3, 5]))
    >>> list(names), names.numbering[0].tolist(), list(names.distinct)
    (['b', 'a', 'b'], [0, 1, 0], ['b', 'a'])
    """

    def __init__(self, words: Words, begins: Ints, ends: Ints) -> None:
        self._source = words
        self._data = words.data
        self._begins = begins
        self._ends = ends

    def __len__(self) -> int:
        return len(self._begins)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> Names: ...
    def __getitem__(self, row: int | slice) -> str | Names:
        if isinstance(row, slice):
            return Names(self._source, self._begins[row], self._ends[row])
        return self._data[self._begins[row] : self._ends[row]].decode()

    def __iter__(self) -> Iterator[str]:
        for begin, end in zip(self._begins.tolist(), self._ends.tolist(), strict=True):
            yield self._data[begin:end].decode()

    def as_document_ids(self) -> Names:
        """The names without `./` before and `.xml` behind.

        >>> Names(Words(b"./a.xml"), np.array([0]), np.array([7])).as_document_ids()[0]
        'a'
        """
        lengths = self._ends - self._begins
        dotted = (self._source.at[self._begins + _WORD] & _FIRST[2] == _DOT_SLASH) & (lengths >= 2)
        begins = self._begins + 2 * dotted
        marked = (self._source.at[self._ends] & _LAST[4] == _DOT_XML) & (self._ends - begins >= 4)
        return Names(self._source, begins, self._ends - 4 * marked)

    @property
    def distinct(self) -> Names:
        """Each name once, in the order of first appearance."""
        if self._are_all_the_same():
            return self[:1]
        first = self.numbering[1]
        return Names(self._source, self._begins[first], self._ends[first])

    def _are_all_the_same(self) -> bool:
        words = self._words()
        return words is not None and all((word == word[:1]).all() for word in words)

    @cached_property
    def keys(self) -> npt.NDArray[np.uint64] | None:
        """One word for each name: the same for equal names, and almost never for others."""
        words = self._words()
        if words is None:
            return None
        keys = words[0]
        for word in words[1:]:  # not where a name has ended: its key is the same in any company
            keys = np.where(word == 0, keys, _mixed(keys) ^ word)
        return keys

    def find(self, wanted: Sequence[str]) -> Ints:
        """The place of each name among the wanted ones, -1 if it is none of them.

        >>> Names(Words(b"b a b"), np.array([0, 2, 4]), np.array([1, 3, 5])).find(["b"]).tolist()
        [0, -1, 0]
        """
        others = _names_of(tuple(wanted))
        keys, other_keys = self.keys, others.keys
        if len(others) and keys is not None and other_keys is not None:
            found = _find(keys, other_keys)
            if _all_equal(found, self, others):
                return found
        places = {name: place for place, name in enumerate(wanted)}
        return np.fromiter((places.get(name, -1) for name in self), np.int64, len(self))

    @cached_property
    def numbering(self) -> tuple[Ints, Ints]:
        """The number of each name among the distinct ones, and where each of those is first."""
        words = self._words()
        if words is None:
            return _numbered(list(self))
        # Neighbours often have the same name, so only the first of each block is looked at.
        is_first = np.zeros(len(self), dtype=np.bool_)
        is_first[:1] = True
        for word in words:
            is_first[1:] |= word[1:] != word[:-1]
        blocks = np.flatnonzero(is_first)
        keys = words[0][blocks]
        for word in words[1:]:
            keys = _mixed(keys) ^ word[blocks]
        _, first, number = np.unique(keys, return_index=True, return_inverse=True)
        same = blocks[first[number]]
        if len(words) > 1 and any((word[blocks] != word[same]).any() for word in words):
            return _numbered(list(self))  # two names of the same key: it does not happen
        order = np.argsort(first)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        block_of = np.cumsum(is_first) - 1
        return rank[number][block_of], blocks[first[order]]

    def _words(self) -> list[npt.NDArray[np.uint64]] | None:
        """The bytes of all names, eight at a time, with zeros behind; None if some are too long."""
        lengths = self._ends - self._begins
        longest = int(lengths.max(initial=0))
        if longest > _LONGEST_KEY:
            return None
        words = []
        for offset in range(0, longest, _WORD):
            left = np.clip(lengths - offset, 0, _WORD)
            at = np.minimum(self._begins + offset, len(self._data)) + _WORD
            words.append(self._source.at[at] & _FIRST[left])
        return words or [np.zeros(len(self), dtype=np.uint64)]


@lru_cache(4)
def _names_of(names: tuple[str, ...]) -> Names:
    """Names of their own, kept for the next run that is compared with them."""
    encoded = [name.encode() for name in names]
    lengths = np.array([len(name) for name in encoded], dtype=np.int64)
    ends = np.cumsum(lengths)
    return Names(Words(b"".join(encoded)), ends - lengths, ends)


def _mixed(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    return (keys ^ (keys >> np.uint64(29))) * _MIX


def _find(keys: npt.NDArray[np.uint64], other_keys: npt.NDArray[np.uint64]) -> Ints:
    """The place of each key among the others, by a table; -1 where it is not there.

    The table has buckets by some bits of the mixed keys; the keys of one bucket are looked at one
    after another, and there are rarely more than two.
    """
    bits = max(len(other_keys).bit_length() + 2, 4)
    shift = np.uint64(64 - bits)
    bucket_of_other = (_mixed(other_keys) >> shift).astype(np.int64)
    order = np.argsort(bucket_of_other, kind="stable")
    begin = np.searchsorted(bucket_of_other[order], np.arange((1 << bits) + 1))
    bucket = (_mixed(keys) >> shift).astype(np.int64)
    found = np.full(len(keys), -1, dtype=np.int64)
    rows = np.flatnonzero(begin[bucket + 1] > begin[bucket])
    at = begin[bucket[rows]]
    while len(rows):
        candidate = order[at]
        same = keys[rows] == other_keys[candidate]
        found[rows[same]] = candidate[same]
        going_on = ~same & (at + 1 < begin[bucket[rows] + 1])
        rows, at = rows[going_on], at[going_on] + 1
    return found


def _all_equal(found: Ints, names: Names, others: Names) -> bool:
    """Whether names with equal keys are equal; for long names that need not be."""
    words, other_words = names._words() or [], others._words() or []
    if len(words) <= 1 and len(other_words) <= 1:
        return True
    rows = np.flatnonzero(found >= 0)
    different = np.zeros(len(rows), dtype=np.bool_)
    for place in range(max(len(words), len(other_words))):
        one = words[place][rows] if place < len(words) else np.uint64(0)
        other = other_words[place][found[rows]] if place < len(other_words) else np.uint64(0)
        different |= one != other
    return not different.any()


def _numbered(names: list[Any]) -> tuple[Ints, Ints]:
    first: dict[Any, int] = {}
    for row, name in enumerate(names):
        first.setdefault(name, row)
    numbers = {name: number for number, name in enumerate(first)}
    return (
        np.fromiter((numbers[name] for name in names), np.int64, len(names)),
        np.fromiter(first.values(), np.int64, len(first)),
    )
