"""Trees (sets of elements of one document), many of them as two columns."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints, concatenated_ranges


class Trees(NamedTuple):
    """Sets of elements: the nodes of tree i are at [begin[i], begin[i + 1]), ascending."""

    nodes: Ints
    begin: Ints

    @classmethod
    def of_singletons(cls, nodes: Ints) -> Trees:
        """Trees of one element each."""
        return cls(nodes, np.arange(len(nodes) + 1))

    @classmethod
    def empty(cls, count: int) -> Trees:
        """The given number of trees without elements."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros(count + 1, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.begin) - 1

    @property
    def counts(self) -> Ints:
        """The number of nodes of each tree."""
        return np.diff(self.begin)

    def rows(self, rows: Ints) -> Trees:
        """Only the trees of these rows, in this order."""
        if not len(self.nodes):
            return Trees.empty(len(rows))
        counts = self.begin[rows + 1] - self.begin[rows]
        nodes = self.nodes[concatenated_ranges(self.begin[rows], counts)]
        return Trees(nodes, np.append(0, np.cumsum(counts)))

    def emptied(self, which: Bools) -> Trees:
        """The trees, but without the nodes of some.

        >>> Trees.of_singletons(np.array([3, 5])).emptied(np.array([True, False])).as_sets()
        [(), (5,)]
        """
        counts = np.where(which, 0, self.counts)
        nodes = self.nodes[np.repeat(~which, self.counts)]
        return Trees(nodes, np.append(0, np.cumsum(counts)))

    def as_sets(self) -> list[tuple[int, ...]]:
        """Each tree as a tuple of its nodes."""
        nodes = self.nodes.tolist()
        return [tuple(nodes[begin:end]) for begin, end in pairwise(self.begin.tolist())]
