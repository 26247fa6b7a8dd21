"""Names as positions in bytes: compared, numbered and looked up without making strings.

The package explains words, names as positions, and keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np

from doxeval.arrays import Ints
from doxeval.columns.keys import KeyTable, folded, scattered
from doxeval.columns.words import FIRST, LAST, SIZE, Word, Words

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
