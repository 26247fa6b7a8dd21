"""Navigation along the tree: up and down, or from sibling to sibling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from doxeval.arrays import Floats, Ints, concatenated_ranges, positions_in
from doxeval.documents import Collection
from doxeval.errors import FormatError
from doxeval.messages import quoted
from doxeval.navigation.model import Navigation, Steps, number_in, refuse_unknown_keys


@dataclass(frozen=True)
class HierarchicalNavigation(Navigation):
    """Hierarchical navigation: up and down the tree, more likely between elements of similar size.

    The weight from an element x to an element y inside it is |y| / |x|, and to an element y around
    it |x| / |y|; no other element is reached. The weights from each element are scaled to sum to 1.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>123</p><p>1</p></s>"})
    >>> model = HierarchicalNavigation()
    >>> model.between(collection, 0, np.array([0, 1]), np.array([0, 1, 2])).tolist()
    [[0.0, 0.75, 0.25], [1.0, 0.0, 0.0]]
    """

    name: str = "hierarchical"

    def between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Floats:
        """Return weights by size, normalised over all elements that a source can reach."""
        columns = collection.nodes
        size = (columns.end[sources] - columns.start[sources]).astype(np.float64)[:, None]
        target_size = (columns.end[targets] - columns.start[targets]).astype(np.float64)[None, :]
        source, target = sources[:, None], targets[None, :]
        down = (source < target) & (target < source + columns.size[sources][:, None])
        up = (target < source) & (source < target + columns.size[targets][None, :])
        weight = np.where(down, _shares(target_size, size), 0.0)
        weight = np.where(up, _shares(size, target_size), weight)
        total = self._totals(collection, document, sources)[:, None]
        return _shares(weight, total)

    def steps_between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Steps:
        """Return steps down to all targets inside a source, and up to those around it."""
        columns = collection.nodes
        low = np.searchsorted(targets, sources + 1)
        inside = np.searchsorted(targets, sources + columns.size[sources]) - low
        source: Ints = np.arange(len(sources))
        pairs = [(np.repeat(source, inside), concatenated_ranges(low, inside))]
        first = int(collection.rows[document])
        above = columns.parent[sources].astype(np.int64)
        while len(source := source[above >= 0]):  # one step up for all sources at a time
            above = above[above >= 0]
            at = positions_in(targets, first + above)
            pairs.append((source[at >= 0], at[at >= 0]))
            above = columns.parent[first + above].astype(np.int64)
        source, target = (np.concatenate(ends) for ends in zip(*pairs, strict=True))
        sizes = [columns.end[nodes] - columns.start[nodes] for nodes in (sources, targets)]
        size, target_size = (
            sizes[0][source].astype(np.float64),
            sizes[1][target].astype(np.float64),
        )
        is_down = targets[target] > sources[source]
        weight = np.where(is_down, _shares(target_size, size), _shares(size, target_size))
        total = self._totals(collection, document, sources)
        return Steps(source, target, _shares(weight, total[source]))

    def most_steps_between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> int:
        """Return how many targets are inside sources, and sources inside targets."""
        sizes = collection.nodes.size
        return sum(
            int(
                (np.searchsorted(inner, outer + sizes[outer]) - np.searchsorted(inner, outer)).sum()
            )
            for outer, inner in ((sources, targets), (targets, sources))
        )

    def _totals(self, collection: Collection, document: int, sources: Ints) -> Floats:
        """Return the sum of all weights from each source."""
        columns = collection.nodes
        first, last = int(collection.rows[document]), int(collection.rows[document + 1])
        sizes = (columns.end[first:last] - columns.start[first:last]).astype(np.float64)
        before = np.append(0.0, np.cumsum(sizes))
        row = sources - first
        size = sizes[row]
        inside = before[row + columns.size[sources]] - before[row + 1]
        total = _shares(inside, size)
        above = columns.parent[sources].astype(np.int64)
        while (above >= 0).any():  # one step up for all sources at a time
            has_parent = above >= 0
            below = above[has_parent]
            total[has_parent] += _shares(size[has_parent], sizes[below])
            above[has_parent] = columns.parent[first + below]
            collection.check_parents(below, above[has_parent])
        return total


def _shares(part: Floats, whole: Floats) -> Floats:
    part, whole = np.broadcast_arrays(part, whole)
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)


@dataclass(frozen=True)
class NeighbourNavigation(Navigation):
    """Neighbours: readers go on to the sibling before or after, as one scrolls from chunk to chunk.

        {"model": "neighbours", "p": 0.5}

    With the probability p, which is 0.5 by default, a reader goes on: to the sibling before or the
    one after, equally likely if there are both. An element without siblings leads nowhere. No file
    is needed: `ESRP@10(nav=neighbours(0.3))` has p in its name.

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
        """Return p, shared by the neighbours."""
        some, source_of = np.unique(sources, return_inverse=True)
        reached, target_of = np.unique(targets, return_inverse=True)
        steps = self.steps_between(collection, document, some, reached)
        weight = np.zeros((len(some), len(reached)))
        weight[steps.source, steps.target] = steps.probability
        # An element of several trees is there several times.
        return weight[np.ix_(source_of, target_of)]

    def steps_between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Steps:
        """Return at most two steps from each source."""
        before, after = self._neighbours(collection, document)
        first = int(collection.rows[document])
        siblings = np.stack([before[sources - first], after[sources - first]])
        share = self.p / np.maximum((siblings >= 0).sum(axis=0), 1)
        source = np.tile(np.arange(len(sources)), 2)
        neighbour = siblings.ravel()
        target = np.where(neighbour < 0, -1, positions_in(targets, first + neighbour))
        kept = np.flatnonzero((target >= 0) & (self.p > 0))
        return Steps(source[kept], target[kept], np.tile(share, 2)[kept])

    def most_steps_between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> int:
        """Return two for each source."""
        return 2 * len(sources)

    def _neighbours(self, collection: Collection, document: int) -> tuple[Ints, Ints]:
        """Return the siblings before and after each element of a document, -1 if none."""
        low, high = (int(row) for row in collection.rows[document : document + 2])
        parent = collection.nodes.parent[low:high].astype(np.int64)
        order = np.argsort(parent, kind="stable")  # rows are in document order
        same = parent[order[1:]] == parent[order[:-1]]
        before, after = np.full((2, high - low), -1, dtype=np.int64)
        before[order[1:][same]] = order[:-1][same]
        after[order[:-1][same]] = order[1:][same]
        return before, after


def read_neighbours(data: Mapping[str, Any], origin: str) -> NeighbourNavigation:
    """Return a model of neighbours from the contents of its file.

    >>> read_neighbours({"model": "neighbours", "p": 0.2}, "model.json").p
    0.2
    """
    refuse_unknown_keys(data, ("model", "p"), "neighbours", origin)
    p = number_in(data.get("p", 0.5), 0, 1)
    if p is None:
        raise FormatError(f"p is {quoted(data['p'])}: expected a number from 0 to 1", origin)
    return NeighbourNavigation(p=p)
