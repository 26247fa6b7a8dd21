"""How chunks are related: which follow each other, and which are part of others."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from doxeval.arrays import Ints
from doxeval.runs import ChunkTable


class ChunkFamily:
    """Chunks by their order in the text: neighbours, parents and children."""

    def __init__(self, table: ChunkTable) -> None:
        self.table = table
        self.ranges = table.spans.as_tuples()
        first = np.array([own[0][0] if own else -1 for own in self.ranges], dtype=np.int64)
        last = np.array([own[-1][1] if own else -1 for own in self.ranges], dtype=np.int64)
        order = np.lexsort((last, first, table.document, table.parent))
        self._order = order.tolist()
        place: Ints = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        self._place = place.tolist()
        keys = table.parent * (len(table.documents) + 1) + table.document
        self._key = keys.tolist()

    def neighbours(self, chunk: int, count: int) -> list[int]:
        """A chunk between those before and after it, which have the same parent."""
        at, key = self._place[chunk], self._key[chunk]
        around = self._order[max(0, at - count) : at + count + 1]
        return [one for one in around if self._key[one] == key and self.ranges[one]]

    @cached_property
    def children(self) -> dict[int, int]:
        """How many children each chunk has."""
        parents, counts = np.unique(self.table.parent, return_counts=True)
        return {p: c for p, c in zip(parents.tolist(), counts.tolist(), strict=True) if p >= 0}

    def tokens(self, chunks: Iterable[int]) -> int | None:
        """What chunks cost together, if all of them say so."""
        costs = [int(self.table.tokens[one]) for one in chunks]
        return sum(costs) if costs and min(costs) >= 0 else None

    def document(self, chunk: int) -> str:
        """The document of a chunk."""
        return self.table.documents[int(self.table.document[chunk])]
