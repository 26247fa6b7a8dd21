"""Neighbours: readers go on to the sibling before or after, as one scrolls from chunk to chunk.

    {"model": "neighbours", "p": 0.5}

With the probability p, which is 0.5 by default, a reader goes on: to the sibling before or the one
after, equally likely if there are both. An element without siblings leads nowhere. No file is
needed: `ESRP@10(nav=neighbours(0.3))` has p in its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from doxeval.arrays import Floats, Ints, positions_in
from doxeval.documents import Collection
from doxeval.errors import FormatError
from doxeval.messages import quoted
from doxeval.navigation.checked_json import number_in, refuse_unknown_keys
from doxeval.navigation.model import Navigation, Steps


@dataclass(frozen=True)
class NeighbourNavigation(Navigation):
    """To the sibling before or after.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>1</p><p>2</p><p>3</p></s>"})
    >>> rows = np.arange(4)
    >>> NeighbourNavigation(p=0.4).between(collection, 0, rows, rows).tolist()[2]
    [0.0, 0.2, 0.0, 0.2]
    """

    name: str = "neighbours"
    p: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.p <= 1:
            raise ValueError(f"p is {self.p}: expected 0 to 1")

    def between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Floats:
        """p, shared by the neighbours."""
        own, source_of = np.unique(sources, return_inverse=True)
        reached, target_of = np.unique(targets, return_inverse=True)
        found = self.steps_between(collection, document, own, reached)
        weight = np.zeros((len(own), len(reached)))
        weight[found.source, found.target] = found.probability
        # An element of several trees is there several times.
        return weight[np.ix_(source_of, target_of)]

    def steps_between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Steps:
        """At most two from each source."""
        before, after = self._neighbours(collection, document)
        first = int(collection.rows[document])
        beside = np.stack([before[sources - first], after[sources - first]])
        share = self.p / np.maximum((beside >= 0).sum(axis=0), 1)
        source = np.tile(np.arange(len(sources)), 2)
        neighbour = beside.ravel()
        target = np.where(neighbour < 0, -1, positions_in(targets, first + neighbour))
        kept = np.flatnonzero((target >= 0) & (self.p > 0))
        return Steps(source[kept], target[kept], np.tile(share, 2)[kept])

    def most_steps_between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> int:
        """Two from each source."""
        return 2 * len(sources)

    def _neighbours(self, collection: Collection, document: int) -> tuple[Ints, Ints]:
        """The siblings before and after each element of a document, -1 where there is none."""
        low, high = (int(row) for row in collection.rows[document : document + 2])
        parent = collection.nodes.parent[low:high].astype(np.int64)
        order = np.argsort(parent, kind="stable")  # rows are in document order
        same = parent[order[1:]] == parent[order[:-1]]
        before, after = np.full((2, high - low), -1, dtype=np.int64)
        before[order[1:][same]] = order[:-1][same]
        after[order[:-1][same]] = order[1:][same]
        return before, after


def read_neighbours(data: Mapping[str, Any], origin: str) -> NeighbourNavigation:
    """The model from its file.

    >>> read_neighbours({"model": "neighbours", "p": 0.2}, "model.json").p
    0.2
    """
    refuse_unknown_keys(data, ("model", "p"), "neighbours", origin)
    p = number_in(data.get("p", 0.5), 0, 1)
    if p is None:
        raise FormatError(f"p is {quoted(data['p'])}: expected a number from 0 to 1", origin)
    return NeighbourNavigation(p=p)
