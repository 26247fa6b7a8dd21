"""Names as positions in bytes, and columns of names.

A name, such as a topic or a document id, stays where it is in the bytes of its file: two numbers
say where it begins and ends, and a string is made only of a name that is looked at. Names are
compared eight bytes at a time: eight bytes are loaded as one unsigned 64-bit number, and all loads
of a name are combined into one 64-bit hash. Equal names have equal hashes. Different names could
have the same hash, although this practically never happens: wherever it would matter, the loads
themselves are compared afterwards, and Python's own strings are used if they differ.

A column of names is the list of distinct names, and for each row which of them it has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar, overload

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Ints, distinct_below, last_true

T = TypeVar("T")
Loads = npt.NDArray[np.uint64]  # eight bytes each, the first in the lowest bits

# Eight-byte loads

LOAD_BYTES = 8
# Masks for the first 0 to 8 bytes of a load, and for the last.
FIRST_BYTES = np.array([(1 << 8 * kept) - 1 for kept in range(LOAD_BYTES + 1)], dtype="<u8")
LAST_BYTES = FIRST_BYTES[LOAD_BYTES] ^ FIRST_BYTES[::-1]
ZERO_DIGITS = np.uint64(0x3030303030303030)  # eight times the character 0
_SIXES = np.uint64(0x0606060606060606)
_HIGH = np.uint64(0xF0F0F0F0F0F0F0F0)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class PaddedBytes:
    """Bytes that can be loaded eight at a time, at any position.

    Eight zero bytes stand before and after, so that every position has a load on either side:
    loads[p + LOAD_BYTES] begins at position p, and loads[p] ends there.

    >>> source = PaddedBytes(b"12345678")
    >>> parse_digits(source.loads[[LOAD_BYTES]] ^ ZERO_DIGITS)[0].tolist()
    [12345678]
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._padded = b"".join((bytes(LOAD_BYTES), data, bytes(LOAD_BYTES)))
        count = len(self._padded) - LOAD_BYTES + 1
        self.loads: Loads = np.ndarray((count,), "<u8", self._padded, 0, (1,))

    def piece(self, begin: int, end: int) -> PaddedBytes:
        """Return part of the bytes; its loads are shared, not copied."""
        part = PaddedBytes.__new__(PaddedBytes)
        part.data = self.data[begin:end]
        part._padded = self._padded
        part.loads = self.loads[begin : end + LOAD_BYTES + 1]
        return part


def parse_digits(loads: Loads) -> tuple[Ints, Bools]:
    """Return the numbers of eight decimal digits each, and which loads are all digits.

    Each byte of a load is the value of a digit. Neighbouring digits are combined into numbers
    below 100, these into numbers below 10,000, and these into the number itself.
    """
    all_digits = ((loads | (loads + _SIXES)) & _HIGH) == 0
    loads = (loads * np.uint64(2561)) >> np.uint64(8)
    loads = ((loads & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601)) >> np.uint64(16)
    loads = ((loads & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001)) >> np.uint64(32)
    return loads.astype(np.int64), all_digits


# Hashes of names


def hash_loads(loads: Sequence[Loads]) -> Loads:
    """Return the hash of each name, given all names' first loads, their second loads, and so on.

    A load that is zero lies behind the end of its name and leaves the hash as it is. So a name has
    the same hash whether or not longer names stand in the same column.

    >>> first = np.array([5, 7], dtype=np.uint64)
    >>> hash_loads([first, np.zeros(2, dtype=np.uint64)]).tolist()
    [5, 7]
    """
    hashes = loads[0]
    for following in loads[1:]:
        hashes = np.where(following == 0, hashes, spread_bits(hashes) ^ following)
    return hashes


def spread_bits(hashes: Loads) -> Loads:
    """Return the hashes with their bits spread, so that similar names get different numbers."""
    return (hashes ^ (hashes >> np.uint64(29))) * _MULTIPLIER


class HashTable(NamedTuple):
    """Hashes in buckets, by their highest bits after spreading.

    The hashes of bucket b are those at order[begin[b]] up to order[begin[b + 1]]. There are at
    least twice as many buckets as hashes, so a bucket rarely holds more than two.

    >>> table = HashTable.of(np.array([30, 10, 20], dtype=np.uint64))
    >>> table.find(np.array([10, 11, 30], dtype=np.uint64)).tolist()
    [1, -1, 0]
    """

    hashes: Loads
    shift: np.uint64
    order: Ints
    begin: Ints

    @classmethod
    def of(cls, hashes: Loads) -> HashTable:
        """Return the table of these hashes."""
        bits = max(len(hashes).bit_length() + 2, 4)
        shift = np.uint64(64 - bits)
        bucket = (spread_bits(hashes) >> shift).astype(np.int64)
        order = np.argsort(bucket, kind="stable")
        begin = np.searchsorted(bucket[order], np.arange((1 << bits) + 1))
        return cls(hashes, shift, order, begin)

    def find(self, hashes: Loads) -> Ints:
        """Return the position of each hash among those of the table, -1 if it is not there."""
        bucket = (spread_bits(hashes) >> self.shift).astype(np.int64)
        positions = np.full(len(hashes), -1, dtype=np.int64)
        rows = np.flatnonzero(self.begin[bucket + 1] > self.begin[bucket])
        at = self.begin[bucket[rows]]
        while len(rows):  # once for each hash of the fullest bucket
            candidate = self.order[at]
            same = hashes[rows] == self.hashes[candidate]
            positions[rows[same]] = candidate[same]
            undecided = ~same & (at + 1 < self.begin[bucket[rows] + 1])
            rows, at = rows[undecided], at[undecided] + 1
        return positions


# Names as positions


def normalise_id(reference: str) -> str:
    """Return an id in the form that is compared: without white space, `./` and `.xml` around it.

    `ByteStrings.as_document_ids` does the same to names without white space.

    >>> normalise_id(" ./co/1999/r2024.xml ")
    'co/1999/r2024'
    """
    return reference.strip().removeprefix("./").removesuffix(".xml")


LONGEST_HASHED = 64  # bytes; longer names are compared as strings
_DOT, _LAST_OF_XML = b".l"
_DOT_SLASH = np.uint64(int.from_bytes(b"./", "little"))
_DOT_XML = np.uint64(int.from_bytes(bytes(4) + b".xml", "little"))


class ByteStrings(Sequence[str]):
    """Names as positions in bytes; a name becomes a string when it is looked at.

    >>> names = ByteStrings(PaddedBytes(b"b a b"), np.array([0, 2, 4]), np.array([1, 3, 5]))
    >>> list(names), names.numbering[0].tolist(), list(names.distinct)
    (['b', 'a', 'b'], [0, 1, 0], ['b', 'a'])
    """

    def __init__(self, source: PaddedBytes, begins: Ints, ends: Ints) -> None:
        self._source = source
        self._data = source.data
        self._begins = begins
        self._ends = ends

    def __len__(self) -> int:
        return len(self._begins)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> ByteStrings: ...
    def __getitem__(self, row: int | slice) -> str | ByteStrings:
        if isinstance(row, slice):
            return ByteStrings(self._source, self._begins[row], self._ends[row])
        return self._data[self._begins[row] : self._ends[row]].decode()

    def __iter__(self) -> Iterator[str]:
        for begin, end in zip(self._begins.tolist(), self._ends.tolist(), strict=True):
            yield self._data[begin:end].decode()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __repr__(self) -> str:
        return repr(tuple(self))

    def at(self, rows: Ints) -> ByteStrings:
        """Return the names of some rows."""
        return ByteStrings(self._source, self._begins[rows], self._ends[rows])

    def as_document_ids(self) -> ByteStrings:
        """Return the names without a leading `./` and a final `.xml`.

        >>> ByteStrings(PaddedBytes(b"./a.xml"), np.array([0]), np.array([7])).as_document_ids()[0]
        'a'
        """
        codes = np.frombuffer(self._data, dtype=np.uint8)
        if not len(self) or not (
            (codes[self._begins] == _DOT).any() or (codes[self._ends - 1] == _LAST_OF_XML).any()
        ):
            return self  # as almost always: no name looks like a file's
        loads = self._source.loads
        has_dot = loads[self._begins + LOAD_BYTES] & FIRST_BYTES[2] == _DOT_SLASH
        has_dot &= self._ends - self._begins >= 2
        begins = self._begins + 2 * has_dot
        has_suffix = (loads[self._ends] & LAST_BYTES[4] == _DOT_XML) & (self._ends - begins >= 4)
        return ByteStrings(self._source, begins, self._ends - 4 * has_suffix)

    @property
    def distinct(self) -> ByteStrings:
        """Each name once, in the order of first appearance."""
        loads = self.loads
        if loads is not None and all((column == column[:1]).all() for column in loads):
            return self[:1]  # all names are the same, as ids of runs are
        return self.at(self.numbering[1])

    @cached_property
    def loads(self) -> list[Loads] | None:
        """All names' first loads, their second loads, and so on; None if a name is too long.

        Behind the end of a name there are zeros.
        """
        lengths = self._ends - self._begins
        longest = int(lengths.max(initial=0))
        if longest > LONGEST_HASHED:
            return None
        loads = []
        for offset in range(0, longest, LOAD_BYTES):
            left = np.clip(lengths - offset, 0, LOAD_BYTES)
            at = np.minimum(self._begins + offset, len(self._data)) + LOAD_BYTES
            loads.append(self._source.loads[at] & FIRST_BYTES[left])
        return loads or [np.zeros(len(self), dtype=np.uint64)]

    @cached_property
    def hashes(self) -> Loads | None:
        """The hash of each name; None if a name is too long."""
        return None if self.loads is None else hash_loads(self.loads)

    def find(self, names: NameIndex | Sequence[str]) -> Ints:
        """Return the position of each of these names among distinct others, -1 if it is not there.

        >>> names = ByteStrings(PaddedBytes(b"b a b"), np.array([0, 2, 4]), np.array([1, 3, 5]))
        >>> names.find(["b"]).tolist(), names.find(NameIndex(["a", "b"])).tolist()
        ([0, -1, 0], [1, 0, 1])
        """
        index = names if isinstance(names, NameIndex) else NameIndex(names)
        table = index.table
        if table is not None and self.hashes is not None:
            positions = table.find(self.hashes)
            if self._are_equal(positions, index.as_bytes):
                return positions
        return np.fromiter((index.positions.get(name, -1) for name in self), np.int64, len(self))

    def _are_equal(self, positions: Ints, others: ByteStrings) -> bool:
        """Return whether names with equal hashes are equal; a hash of one load is the name."""
        loads, other_loads = self.loads or [], others.loads or []
        if len(loads) <= 1 and len(other_loads) <= 1:
            return True
        rows = np.flatnonzero(positions >= 0)
        at = positions[rows]
        for number in range(max(len(loads), len(other_loads))):
            mine = loads[number][rows] if number < len(loads) else np.uint64(0)
            other = other_loads[number][at] if number < len(other_loads) else np.uint64(0)
            if np.any(mine != other):
                return False
        return True

    @cached_property
    def numbering(self) -> tuple[Ints, Ints]:
        """The number of each name among the distinct ones, and the first row of each of those."""
        loads = self.loads
        if loads is None:
            return _number_strings(list(self))
        # Neighbours often have the same name, so only the first row of each block is looked at.
        begins_block = np.zeros(len(self), dtype=np.bool_)
        begins_block[:1] = True
        for column in loads:
            begins_block[1:] |= column[1:] != column[:-1]
        blocks = np.flatnonzero(begins_block)
        hashes = loads[0][blocks]
        for column in loads[1:]:
            hashes = spread_bits(hashes) ^ column[blocks]
        first = _first_equal(hashes)
        same = blocks[first]
        if len(loads) > 1 and any((column[blocks] != column[same]).any() for column in loads):
            return _number_strings(list(self))  # two names with one hash
        is_first = first == np.arange(len(first))
        number = (np.cumsum(is_first) - 1)[first]
        return np.repeat(number, np.diff(blocks, append=len(self))), blocks[is_first]


def _first_equal(hashes: Loads) -> Ints:
    """Return for each hash the position of the first equal one.

    It does what `np.unique` could, which imports all of masked arrays when it is first called.
    """
    order = np.argsort(hashes, kind="stable")
    in_order = hashes[order]
    begins = np.ones(len(order), dtype=np.bool_)
    np.not_equal(in_order[1:], in_order[:-1], out=begins[1:])
    first = np.empty(len(order), dtype=np.int64)
    first[order] = order[last_true(begins)]
    return first


def _number_strings(names: list[str]) -> tuple[Ints, Ints]:
    first: dict[str, int] = {}
    for row, name in enumerate(names):
        first.setdefault(name, row)
    numbers = {name: number for number, name in enumerate(first)}
    return (
        np.fromiter((numbers[name] for name in names), np.int64, len(names)),
        np.fromiter(first.values(), np.int64, len(first)),
    )


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
    def as_bytes(self) -> ByteStrings:
        """The names as positions in bytes of their own."""
        # A lone surrogate gets bytes that no UTF-8 file holds, so it is never found.
        encoded = [name.encode("utf-8", "surrogatepass") for name in self.names]
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        ends = np.cumsum(lengths)
        return ByteStrings(PaddedBytes(b"".join(encoded)), ends - lengths, ends)

    @cached_property
    def table(self) -> HashTable | None:
        """The names' hashes; None where hashes cannot distinguish names, and for no names."""
        if not self.names or any("\0" in name for name in self.names):
            return None  # loads have zeros behind the end of a name, which look like NULs in it
        hashes = self.as_bytes.hashes
        return None if hashes is None else HashTable.of(hashes)


# Columns of names

NO_LABEL = -1


class Categorical(ABC, Generic[T]):
    """A column of names: the distinct names, and the number of each row's name among them.

    Both are computed when they are first needed.

    >>> column = Categorical.of(["a", "b"], np.array([0, 1, 0]))
    >>> [column.distinct[number] for number in column.rows(np.array([2, 1])).numbers]
    ['a', 'b']
    """

    @staticmethod
    def of(distinct: Sequence[T], numbers: Ints) -> Categorical[T]:
        """Return a column of distinct names by first appearance, and the number of each row."""
        return _Computed(distinct, numbers)

    @staticmethod
    def none(rows: int) -> Categorical[T]:
        """Return a column without names."""
        return _Computed((), np.full(rows, NO_LABEL, dtype=np.int64))

    @abstractmethod
    def _compute(self) -> tuple[Sequence[T], Ints]:
        """Return the distinct names by first appearance, and the number of each row."""

    @cached_property
    def _parts(self) -> tuple[Sequence[T], Ints]:
        return self._compute()

    @property
    def distinct(self) -> Sequence[T]:
        """Each name that occurs, once, in the order of first appearance."""
        return self._parts[0]

    @property
    def numbers(self) -> Ints:
        """For each row the position of its name in `distinct`; NO_LABEL if it has none."""
        return self._parts[1]

    def __len__(self) -> int:
        return len(self.numbers)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Categorical):
            return NotImplemented
        return np.array_equal(self.numbers, other.numbers) and list(self.distinct) == list(
            other.distinct
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process gets the names and numbers, not what they are computed from.
        return Categorical.of, (tuple(self.distinct), self.numbers)

    def find(self, names: NameIndex | Sequence[T]) -> Ints:
        """Return the position of each row's name among distinct others, -1 if it is not there.

        >>> Categorical.of(["a", "b"], np.array([0, 1, 0])).find(["b", "c"]).tolist()
        [-1, 0, -1]
        """
        positions: dict[Any, int] = (
            names.positions
            if isinstance(names, NameIndex)
            else {name: position for position, name in enumerate(names)}
        )
        of_distinct = [positions.get(name, -1) for name in self.distinct]
        return np.array([*of_distinct, -1], dtype=np.int64)[self.numbers]

    def keys(self) -> Ints:
        """Return a number per row: the same for equal names, and hardly ever for different ones."""
        return self.numbers

    def sort_keys(self, rows: Ints) -> tuple[Loads, ...]:
        """Return numbers for some rows that sort as the bytes of their names: the first decides.

        >>> column = Categorical.of(["b", "a"], np.array([0, 1, 0]))
        >>> [keys.tolist() for keys in column.sort_keys(np.array([2, 1]))]
        [[1, 0]]
        """
        numbers = self.numbers[rows].tolist()
        names: list[Any] = [self.distinct[number] for number in dict.fromkeys(numbers)]
        rank = {name: number for number, name in enumerate(sorted(names))}
        return (np.array([rank[self.distinct[at]] for at in numbers], dtype=np.uint64),)

    def rows(self, rows: Ints) -> Categorical[T]:
        """Return the column with only these rows, in this order."""
        return _SomeRows(self, rows)


class NameColumn(Categorical[str]):
    """A column of names that are positions in bytes, perhaps to be read as document ids.

    >>> data, start = PaddedBytes(b"b a b"), np.array([0, 2, 4])
    >>> column = NameColumn(ByteStrings(data, start, start + 1))
    >>> list(column.distinct), column.numbers.tolist(), column.find(["a"]).tolist()
    (['b', 'a'], [0, 1, 0], [-1, 0, -1])
    """

    def __init__(self, names: ByteStrings, *, document_ids: bool = False) -> None:
        self._given = names
        self._document_ids = document_ids

    @cached_property
    def _names(self) -> ByteStrings:
        return self._given.as_document_ids() if self._document_ids else self._given

    def _compute(self) -> tuple[Sequence[str], Ints]:
        return self._names.distinct, self._names.numbering[0]

    def find(self, names: NameIndex | Sequence[str]) -> Ints:
        """Return positions as every column does, without making strings."""
        return self._names.find(names)

    def keys(self) -> Ints:
        """Return numbers as every column does, without sorting the names."""
        hashes = self._names.hashes
        return self.numbers if hashes is None else hashes.view(np.int64)

    def sort_keys(self, rows: Ints) -> tuple[Loads, ...]:
        """Return numbers as every column does, without making strings."""
        loads = self._names.at(rows).loads
        if loads is None:
            return super().sort_keys(rows)
        return tuple(column.byteswap() for column in loads)  # so that the first byte decides


class _Computed(Categorical[T]):
    def __init__(self, distinct: Sequence[T], numbers: Ints) -> None:
        self._given = (distinct, numbers)

    def _compute(self) -> tuple[Sequence[T], Ints]:
        return self._given


class _SomeRows(Categorical[T]):
    """Some rows of another column."""

    def __init__(self, all_rows: Categorical[T], rows: Ints) -> None:
        self._all = all_rows
        self._rows = rows

    def _compute(self) -> tuple[Sequence[T], Ints]:
        return by_first_appearance(self._all.distinct, self._all.numbers[self._rows])

    def find(self, names: NameIndex | Sequence[T]) -> Ints:
        return self._all.find(names)[self._rows]

    def keys(self) -> Ints:
        return self._all.keys()[self._rows]

    def sort_keys(self, rows: Ints) -> tuple[Loads, ...]:
        return self._all.sort_keys(self._rows[rows])


def by_first_appearance(names: Sequence[T], numbers: Ints) -> tuple[Sequence[T], Ints]:
    """Return the names that occur, by first appearance, and the numbers that rows then have.

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
