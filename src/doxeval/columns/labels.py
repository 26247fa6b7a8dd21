"""A column of names: the distinct names, and for each row which of them it has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from doxeval.arrays import Ints, distinct_below
from doxeval.columns.names import NameIndex, Names

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

    >>> from doxeval.columns.words import Words
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
