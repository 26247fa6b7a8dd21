"""Words: bytes read eight at a time, as the package explains.

Keys: one 64-bit number for each name, and a table in which keys are looked up.

Names as positions in bytes: compared, numbered and looked up without making strings.

The package explains words, names as positions, and keys.

A column of names: the distinct names, and for each row which of them it has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar, overload

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Ints, distinct_below

Word = npt.NDArray[np.uint64]

SIZE = 8
# Masks for the first 0 to 8 bytes of a word, and for the last (words are little-endian).
FIRST = np.array([(1 << 8 * kept) - 1 for kept in range(SIZE + 1)], dtype="<u8")
LAST = FIRST[SIZE] ^ FIRST[::-1]
ZEROS = np.uint64(0x3030303030303030)  # eight times the character 0
_SIXES = np.uint64(0x0606060606060606)
_HIGH = np.uint64(0xF0F0F0F0F0F0F0F0)


class Words:
    """Bytes, and the word at each position in them.

    Eight zero bytes stand before and after, so that every position has a word on either side.

    >>> words = Words(b"12345678")
    >>> whole_number(words.at[[SIZE]] ^ ZEROS)[0].tolist()
    [12345678]
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._padded = b"".join((bytes(SIZE), data, bytes(SIZE)))
        # The word that begins at position p is at[p + SIZE]; the word that ends there is at[p].
        self.at: Word = np.ndarray((len(self._padded) - SIZE + 1,), "<u8", self._padded, 0, (1,))

    def piece(self, begin: int, end: int) -> Words:
        """Part of the bytes; the words are shared, not copied."""
        part = Words.__new__(Words)
        part.data = self.data[begin:end]
        part._padded = self._padded
        part.at = self.at[begin : end + SIZE + 1]
        return part


def whole_number(word: Word) -> tuple[Ints, Bools]:
    """Eight digits, each the value of a byte, as one number; and whether all of them are digits.

    Neighbouring digits are combined into numbers below 100, these into numbers below 10,000, and
    these into the number itself, for all eight digits at once.
    """
    all_digits = ((word | (word + _SIXES)) & _HIGH) == 0
    word = (word * np.uint64(2561)) >> np.uint64(8)
    word = ((word & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601)) >> np.uint64(16)
    word = ((word & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001)) >> np.uint64(32)
    return word.astype(np.int64), all_digits


_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def folded(words: Sequence[Word]) -> Word:
    """The key of each name, given the names' first words, their second words, and so on.

    A word that is zero lies behind the end of its name and leaves the key as it is. So a name has
    the same key whether or not longer names stand in the same column.

    >>> one = np.array([5, 7], dtype=np.uint64)
    >>> folded([one, np.zeros(2, dtype=np.uint64)]).tolist()
    [5, 7]
    """
    keys = words[0]
    for word in words[1:]:
        keys = np.where(word == 0, keys, scattered(keys) ^ word)
    return keys


def scattered(keys: Word) -> Word:
    """The keys with their bits spread, so that similar names get very different numbers."""
    return (keys ^ (keys >> np.uint64(29))) * _MULTIPLIER


class KeyTable(NamedTuple):
    """Keys in buckets, by the highest bits of the scattered key.

    The keys of bucket b are those at order[begin[b]] up to order[begin[b + 1]]. There are at least
    twice as many buckets as keys, so a bucket rarely holds more than two.

    >>> table = KeyTable.of(np.array([30, 10, 20], dtype=np.uint64))
    >>> table.find(np.array([10, 11, 30], dtype=np.uint64)).tolist()
    [1, -1, 0]
    """

    keys: Word
    shift: np.uint64
    order: Ints
    begin: Ints

    @classmethod
    def of(cls, keys: Word) -> KeyTable:
        """The table of these keys."""
        bits = max(len(keys).bit_length() + 2, 4)
        shift = np.uint64(64 - bits)
        bucket = (scattered(keys) >> shift).astype(np.int64)
        order = np.argsort(bucket, kind="stable")
        begin = np.searchsorted(bucket[order], np.arange((1 << bits) + 1))
        return cls(keys, shift, order, begin)

    def find(self, keys: Word) -> Ints:
        """The position of each key among the keys of the table, -1 if it is not there."""
        bucket = (scattered(keys) >> self.shift).astype(np.int64)
        found = np.full(len(keys), -1, dtype=np.int64)
        rows = np.flatnonzero(self.begin[bucket + 1] > self.begin[bucket])
        at = self.begin[bucket[rows]]
        while len(rows):  # once for each key of the fullest bucket
            candidate = self.order[at]
            same = keys[rows] == self.keys[candidate]
            found[rows[same]] = candidate[same]
            undecided = ~same & (at + 1 < self.begin[bucket[rows] + 1])
            rows, at = rows[undecided], at[undecided] + 1
        return found


_LONGEST_KEY = 64  # bytes; longer names are compared as strings
_DOT, _LAST_OF_XML = b".l"
_DOT_SLASH = np.uint64(int.from_bytes(b"./", "little"))
_DOT_XML = np.uint64(int.from_bytes(bytes(4) + b".xml", "little"))


class Names(Sequence[str]):
    """Names as positions in bytes; a name becomes a string when it is looked at.

    >>> names = Names(Words(b"b a b"), np.array([0, 2, 4]), np.array([1, 3, 5]))
    >>> list(names), names.numbering[0].tolist(), list(names.distinct)
    (['b', 'a', 'b'], [0, 1, 0], ['b', 'a'])
    """

    def __init__(self, source: Words, begins: Ints, ends: Ints) -> None:
        self._source = source
        self._data = source.data
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
        """The names without a leading `./` and a final `.xml`.

        >>> Names(Words(b"./a.xml"), np.array([0]), np.array([7])).as_document_ids()[0]
        'a'
        """
        codes = np.frombuffer(self._data, dtype=np.uint8)
        if not len(self) or not (
            (codes[self._begins] == _DOT).any() or (codes[self._ends - 1] == _LAST_OF_XML).any()
        ):
            return self  # as almost always: no name looks like a file's
        lengths = self._ends - self._begins
        dotted = (self._source.at[self._begins + SIZE] & FIRST[2] == _DOT_SLASH) & (lengths >= 2)
        begins = self._begins + 2 * dotted
        marked = (self._source.at[self._ends] & LAST[4] == _DOT_XML) & (self._ends - begins >= 4)
        return Names(self._source, begins, self._ends - 4 * marked)

    @property
    def distinct(self) -> Names:
        """Each name once, in the order of first appearance."""
        if self._are_all_the_same():
            return self[:1]
        first = self.numbering[1]
        return Names(self._source, self._begins[first], self._ends[first])

    def _are_all_the_same(self) -> bool:
        words = self.words
        return words is not None and all((word == word[:1]).all() for word in words)

    @cached_property
    def words(self) -> list[Word] | None:
        """The first words of all names, their second words, and so on; None if one is too long.

        Behind the end of a name there are zeros.
        """
        lengths = self._ends - self._begins
        longest = int(lengths.max(initial=0))
        if longest > _LONGEST_KEY:
            return None
        words = []
        for offset in range(0, longest, SIZE):
            left = np.clip(lengths - offset, 0, SIZE)
            at = np.minimum(self._begins + offset, len(self._data)) + SIZE
            words.append(self._source.at[at] & FIRST[left])
        return words or [np.zeros(len(self), dtype=np.uint64)]

    @cached_property
    def keys(self) -> Word | None:
        """The key of each name; None if one is too long."""
        return None if self.words is None else folded(self.words)

    def find(self, wanted: NameIndex | Sequence[str]) -> Ints:
        """The position of each name among the wanted ones (all distinct), -1 if it is none.

        >>> names = Names(Words(b"b a b"), np.array([0, 2, 4]), np.array([1, 3, 5]))
        >>> names.find(["b"]).tolist(), names.find(NameIndex(["a", "b"])).tolist()
        ([0, -1, 0], [1, 0, 1])
        """
        index = wanted if isinstance(wanted, NameIndex) else NameIndex(wanted)
        table = index.table
        if table is not None and self.keys is not None:
            found = table.find(self.keys)
            if self._equal_where_found(found, index.as_bytes):
                return found
        return np.fromiter((index.positions.get(name, -1) for name in self), np.int64, len(self))

    def _equal_where_found(self, found: Ints, others: Names) -> bool:
        """Whether names with equal keys are equal; a key of one word is the name itself."""
        words, other_words = self.words or [], others.words or []
        if len(words) <= 1 and len(other_words) <= 1:
            return True
        rows = np.flatnonzero(found >= 0)
        for number in range(max(len(words), len(other_words))):
            one = words[number][rows] if number < len(words) else np.uint64(0)
            other = other_words[number][found[rows]] if number < len(other_words) else np.uint64(0)
            if np.any(one != other):
                return False
        return True

    @cached_property
    def numbering(self) -> tuple[Ints, Ints]:
        """The number of each name among the distinct ones, and where each of those is first."""
        words = self.words
        if words is None:
            return _numbered(list(self))
        # Neighbours often have the same name, so only the first row of each block is looked at.
        begins_block = np.zeros(len(self), dtype=np.bool_)
        begins_block[:1] = True
        for word in words:
            begins_block[1:] |= word[1:] != word[:-1]
        blocks = np.flatnonzero(begins_block)
        keys = words[0][blocks]
        for word in words[1:]:
            keys = scattered(keys) ^ word[blocks]
        _, first, number = np.unique(keys, return_index=True, return_inverse=True)
        same = blocks[first[number]]
        if len(words) > 1 and any((word[blocks] != word[same]).any() for word in words):
            return _numbered(list(self))  # two names with one key
        order = np.argsort(first)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        block_of = np.cumsum(begins_block) - 1
        return rank[number][block_of], blocks[first[order]]


class NameIndex:
    """Distinct names that are looked up often: by many runs, in many columns.

    Whoever looks up the same names again and again makes one index and keeps it. What a lookup
    needs is prepared when it is first needed, and kept with the index.

    >>> index = NameIndex(["a", "b"])
    >>> len(index), index.names, index.positions["b"]
    (2, ('a', 'b'), 1)
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"NameIndex({len(self):,} names)"

    def __reduce__(self) -> tuple[Any, ...]:
        return NameIndex, (self.names,)

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each name."""
        return {name: position for position, name in enumerate(self.names)}

    @cached_property
    def as_bytes(self) -> Names:
        """The names as positions in bytes of their own."""
        # A lone surrogate gets bytes that no UTF-8 file holds, so it is never found.
        encoded = [name.encode("utf-8", "surrogatepass") for name in self.names]
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        ends = np.cumsum(lengths)
        return Names(Words(b"".join(encoded)), ends - lengths, ends)

    @cached_property
    def table(self) -> KeyTable | None:
        """The names' keys; None where keys do not tell names apart, and for no names at all."""
        if not self.names or any("\0" in name for name in self.names):
            return None  # words have zeros behind the end of a name, which look like NULs in it
        keys = self.as_bytes.keys
        return None if keys is None else KeyTable.of(keys)


def _numbered(names: list[str]) -> tuple[Ints, Ints]:
    first: dict[str, int] = {}
    for row, name in enumerate(names):
        first.setdefault(name, row)
    numbers = {name: number for number, name in enumerate(first)}
    return (
        np.fromiter((numbers[name] for name in names), np.int64, len(names)),
        np.fromiter(first.values(), np.int64, len(first)),
    )


T = TypeVar("T")
NO_LABEL = -1


class Labels(ABC, Generic[T]):
    """A column of names, one for each row; worked out when it is first asked for.

    >>> column = Labels.of(["a", "b"], np.array([0, 1, 0]))
    >>> [column.distinct[number] for number in column.rows(np.array([2, 1])).numbers]
    ['a', 'b']
    """

    @staticmethod
    def of(distinct: Sequence[T], numbers: Ints) -> Labels[T]:
        """A column that is known already: its distinct names by first appearance, and numbers."""
        return _KnownLabels(distinct, numbers)

    @staticmethod
    def none(rows: int) -> Labels[T]:
        """A column without names."""
        return _KnownLabels((), np.full(rows, NO_LABEL, dtype=np.int64))

    @abstractmethod
    def _worked_out(self) -> tuple[Sequence[T], Ints]:
        """The distinct names by first appearance, and the number of each row."""

    @cached_property
    def _known(self) -> tuple[Sequence[T], Ints]:
        return self._worked_out()

    @property
    def distinct(self) -> Sequence[T]:
        """Each name that occurs, once, in the order of first appearance."""
        return self._known[0]

    @property
    def numbers(self) -> Ints:
        """For each row the position of its name in `distinct`; NO_LABEL if it has none."""
        return self._known[1]

    def __len__(self) -> int:
        return len(self.numbers)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Labels):
            return NotImplemented
        return np.array_equal(self.numbers, other.numbers) and list(self.distinct) == list(
            other.distinct
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process gets the names and numbers, not what they are worked out from.
        return Labels.of, (tuple(self.distinct), self.numbers)

    def find(self, wanted: NameIndex | Sequence[T]) -> Ints:
        """The position of each row's name among the wanted ones (all distinct), -1 if it is none.

        >>> Labels.of(["a", "b"], np.array([0, 1, 0])).find(["b", "c"]).tolist()
        [-1, 0, -1]
        """
        positions: dict[Any, int] = (
            wanted.positions
            if isinstance(wanted, NameIndex)
            else {name: position for position, name in enumerate(wanted)}
        )
        found = [positions.get(name, -1) for name in self.distinct]
        return np.array([*found, -1], dtype=np.int64)[self.numbers]

    def keys(self) -> Ints:
        """A number for each row: the same for equal names, and hardly ever for different ones."""
        return self.numbers

    def rows(self, rows: Ints) -> Labels[T]:
        """The column with only these rows, in this order."""
        return _SomeRows(self, rows)


class NameLabels(Labels[str]):
    """A column of names that are positions in bytes, perhaps to be read as document ids.

    >>> from doxeval.columns.names import Words
    >>> column = NameLabels(Names(Words(b"b a b"), np.array([0, 2, 4]), np.array([1, 3, 5])))
    >>> list(column.distinct), column.numbers.tolist(), column.find(["a"]).tolist()
    (['b', 'a'], [0, 1, 0], [-1, 0, -1])
    """

    def __init__(self, names: Names, *, document_ids: bool = False) -> None:
        self._given = names
        self._document_ids = document_ids

    @cached_property
    def _names(self) -> Names:
        return self._given.as_document_ids() if self._document_ids else self._given

    def _worked_out(self) -> tuple[Sequence[str], Ints]:
        return self._names.distinct, self._names.numbering[0]

    def find(self, wanted: NameIndex | Sequence[str]) -> Ints:
        """As in every column, without making strings."""
        return self._names.find(wanted)

    def keys(self) -> Ints:
        """As in every column, without sorting the names."""
        keys = self._names.keys
        return self.numbers if keys is None else keys.view(np.int64)


class _KnownLabels(Labels[T]):
    def __init__(self, distinct: Sequence[T], numbers: Ints) -> None:
        self._given = (distinct, numbers)

    def _worked_out(self) -> tuple[Sequence[T], Ints]:
        return self._given


class _SomeRows(Labels[T]):
    """Some rows of another column."""

    def __init__(self, all_rows: Labels[T], rows: Ints) -> None:
        self._all = all_rows
        self._rows = rows

    def _worked_out(self) -> tuple[Sequence[T], Ints]:
        return by_first_appearance(self._all.distinct, self._all.numbers[self._rows])

    def find(self, wanted: NameIndex | Sequence[T]) -> Ints:
        return self._all.find(wanted)[self._rows]

    def keys(self) -> Ints:
        return self._all.keys()[self._rows]


def by_first_appearance(names: Sequence[T], numbers: Ints) -> tuple[Sequence[T], Ints]:
    """The names that occur, in the order of first appearance, and the numbers that they then have.

    >>> by_first_appearance(["a", "b", "c"], np.array([2, -1, 0, 2]))
    (['c', 'a'], array([ 0, -1,  1,  0]))
    """
    labelled = np.flatnonzero(numbers >= 0)
    occurring, which = distinct_below(len(names), numbers[labelled])
    first = np.empty(len(occurring), dtype=np.int64)
    first[which[::-1]] = labelled[::-1]  # the last assignment is the one that stays
    order = np.argsort(first)
    if len(occurring) == len(names) and (np.diff(order) > 0).all():
        return names, numbers  # as they are already
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    renumbered = np.full(len(numbers), NO_LABEL, dtype=np.int64)
    renumbered[labelled] = rank[which]
    return [names[number] for number in occurring[order].tolist()], renumbered
