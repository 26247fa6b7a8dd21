"""An index of ids that grows.

Ids are added to a few sorted parts in memory, each at least twice as long as the next, so that
adding stays cheap. Once there are enough of them, they are written as one sorted run into scratch
files; at the end all runs are merged, one range of keys after another. So memory does not grow with
the collection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from doxeval.arrays import positions_in
from doxeval.documents.id_index import IdIndex, in_order, indexed
from doxeval.documents.id_merging import first_duplicate, merged_indexes

_RUN = 1 << 19  # how many ids are kept in memory
_TYPES = {"keys": "<u8", "checks": "<u8", "numbers": "<i8"}  # in the scratch files


class IdIndexBuilder:
    """Adds ids to an index; `scratch` says where a file with a given name can be written.

    A duplicate of an id that is still in memory is noticed immediately, any other one at the end.
    Either way the error is about the first document that has the id of an earlier one. Without
    `scratch`, everything stays in memory.

    >>> builder = IdIndexBuilder()
    >>> builder.add(["a", "b"])
    >>> builder.add(["c"])
    >>> builder.finish().find(["c", "x", "a"]).tolist()
    [2, -1, 0]
    """

    def __init__(self, scratch: Callable[[str], Path] | None = None) -> None:
        self._scratch = scratch
        self._parts: list[IdIndex] = []
        self._runs: list[int] = []  # where each run in the scratch files ends
        self._count = 0

    def add(self, ids: Sequence[str]) -> None:
        """Add ids, which get the next numbers."""
        self._take(indexed(ids, self._count))

    def absorb(self, index: IdIndex) -> None:
        """Add all ids of another index, which get the next numbers in the same order.

        >>> builder = IdIndexBuilder()
        >>> builder.add(["c"])
        >>> builder.absorb(indexed(["a", "b"]))
        >>> builder.finish().find(["a", "b", "c"]).tolist()
        [1, 2, 0]
        """
        if self._scratch is None or len(index.keys) < _RUN:
            self._take(index._replace(numbers=index.numbers + np.int64(self._count)))
            return
        if self._parts:
            self._spill(self._scratch)
        for first in range(0, len(index.keys), _RUN):  # it is sorted, and one run as it is
            own = slice(first, first + _RUN)
            numbers = index.numbers[own] + np.int64(self._count)
            _write_run(IdIndex(index.keys[own], index.checks[own], numbers), self._scratch)
        self._count += len(index.keys)
        self._runs.append(self._count)

    def _take(self, new: IdIndex) -> None:
        if _has_duplicates(new, self._parts):
            self._refuse(new)
        self._count += len(new.keys)
        self._parts.append(new)
        while len(self._parts) > 1 and len(self._parts[-1].keys) * 2 > len(self._parts[-2].keys):
            self._parts[-2:] = [_joined(self._parts[-2:])]
        if self._scratch is not None and self._in_memory >= _RUN:
            self._spill(self._scratch)

    def blocks(self) -> Iterator[IdIndex]:
        """The index of all ids, in blocks: all of one block come before all of the next."""
        runs = [*self._spilled(), *self._parts]
        return merged_indexes(runs, [0] * len(runs))

    def finish(self) -> IdIndex:
        """The index of all ids, in memory."""
        blocks = list(self.blocks())
        return IdIndex(*(np.concatenate(columns) for columns in zip(*blocks, strict=True)))

    @property
    def _in_memory(self) -> int:
        return self._count - (self._runs[-1] if self._runs else 0)

    def _spill(self, scratch: Callable[[str], Path]) -> None:
        _write_run(_joined(self._parts), scratch)
        self._parts = []
        self._runs.append(self._count)

    def _spilled(self) -> list[IdIndex]:
        """The runs in the scratch files, mapped into memory."""
        if self._scratch is None or not self._runs:
            return []
        keys, checks, numbers = (
            np.asarray(np.memmap(self._scratch(f"ids.{name}"), dtype, "r"))
            for name, dtype in _TYPES.items()
        )
        return [
            IdIndex(keys[begin:end], checks[begin:end], numbers[begin:end])
            for begin, end in pairwise([0, *self._runs])
        ]

    def _refuse(self, new: IdIndex) -> None:
        """Raise the error about the first duplicate: it may be one of an id on disk."""
        runs = [*self._spilled(), *self._parts, new]
        for _ in merged_indexes(runs, [0] * len(runs)):
            pass


def _write_run(run: IdIndex, scratch: Callable[[str], Path]) -> None:
    for name, column in run._asdict().items():
        with scratch(f"ids.{name}").open("ab") as file:
            file.write(np.ascontiguousarray(column, dtype=_TYPES[name]).data)


def _has_duplicates(new: IdIndex, parts: Sequence[IdIndex]) -> bool:
    """Whether an id is there twice; only then are checks compared, and all that is on disk."""
    if first_duplicate(new) is not None:
        return True
    return any(
        first_duplicate(_joined([part, new])) is not None
        for part in parts
        if (positions_in(part.keys, new.keys) >= 0).any()
    )


def _joined(parts: Sequence[IdIndex]) -> IdIndex:
    if len(parts) == 1:
        return parts[0]
    return in_order(IdIndex(*(np.concatenate(columns) for columns in zip(*parts, strict=True))))
