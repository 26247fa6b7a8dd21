"""A column of names: the distinct ones, and for each row which of them it has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from doxeval.arrays import Ints

T = TypeVar("T")
NO_LABEL = -1


@dataclass(frozen=True, eq=False)
class Labels(Generic[T]):
    """A column of names, worked out when it is first asked for.

    >>> column = Labels.of(["a", "b"], np.array([0, 1, 0]))
    >>> [column.distinct[number] for number in column.rows(np.array([2, 1])).numbers]
    ['a', 'b']
    """

    make: Callable[[], tuple[Sequence[T], Ints]]
    # Quicker ways to what `find` and `keys` give, if there are some.
    quick_find: Callable[[Sequence[T]], Ints] | None = None
    quick_keys: Callable[[], Ints] | None = None

    @classmethod
    def of(cls, distinct: Sequence[T], numbers: Ints) -> Labels[T]:
        """A column that is known already."""
        return cls(lambda: (distinct, numbers))

    @classmethod
    def none(cls, rows: int) -> Labels[T]:
        """A column without names."""
        return cls.of((), np.full(rows, NO_LABEL, dtype=np.int64))

    def __reduce__(self) -> tuple[Any, ...]:
        # On the way to another process: without what was still to be worked out.
        return Labels.of, (tuple(self.distinct), self.numbers)

    @cached_property
    def _made(self) -> tuple[Sequence[T], Ints]:
        return self.make()

    @property
    def distinct(self) -> Sequence[T]:
        """Each name once, in the order of first appearance."""
        return self._made[0]

    @property
    def numbers(self) -> Ints:
        """For each row the place of its name in `distinct`, NO_LABEL if it has none."""
        return self._made[1]

    def find(self, wanted: Sequence[T]) -> Ints:
        """For each row the place of its name among the wanted ones (distinct), -1 if it is none.

        >>> Labels.of(["a", "b"], np.array([0, 1, 0])).find(["b", "c"]).tolist()
        [-1, 0, -1]
        """
        if self.quick_find is not None:
            return self.quick_find(wanted)
        places = {name: place for place, name in enumerate(wanted)}
        found = np.array([places.get(name, -1) for name in self.distinct] + [-1], dtype=np.int64)
        return found[self.numbers]

    def keys(self) -> Ints:
        """A number for each row, the same for equal names (and almost never for others)."""
        return self.numbers if self.quick_keys is None else self.quick_keys()

    def rows(self, rows: Ints) -> Labels[T]:
        """The column with only these rows, in this order."""
        return Labels(lambda: (self.distinct, self.numbers[rows]))
