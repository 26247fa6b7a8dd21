"""Hierarchical navigation: up and down the tree, more likely between elements of similar size.

The weight from an element x to an element y inside it is |y| / |x|, and to an element y around it
|x| / |y|; no other element is reached. The weights from each element are scaled to sum to 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.arrays import Floats, Ints, concatenated_ranges, positions_in
from doxeval.documents import Collection
from doxeval.navigation.model import Navigation, Steps


@dataclass(frozen=True)
class HierarchicalNavigation(Navigation):
    """Up and down the tree.

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
        """Weights by size, normalised over all elements that a source can reach."""
        columns = collection.nodes
        size = (columns.end[sources] - columns.start[sources]).astype(np.float64)[:, None]
        target_size = (columns.end[targets] - columns.start[targets]).astype(np.float64)[None, :]
        one, other = sources[:, None], targets[None, :]
        down = (one < other) & (other < one + columns.size[sources][:, None])
        up = (other < one) & (one < other + columns.size[targets][None, :])
        weight = np.where(down, _shares(target_size, size), 0.0)
        weight = np.where(up, _shares(size, target_size), weight)
        total = self._totals(collection, document, sources)[:, None]
        return _shares(weight, total)

    def steps_between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Steps:
        """Down to all targets inside a source, and up to those around it."""
        columns = collection.nodes
        low = np.searchsorted(targets, sources + 1)
        inside = np.searchsorted(targets, sources + columns.size[sources]) - low
        source: Ints = np.arange(len(sources))
        found = [(np.repeat(source, inside), concatenated_ranges(low, inside))]
        first = int(collection.rows[document])
        above = columns.parent[sources].astype(np.int64)
        while len(source := source[above >= 0]):  # one step up for all sources at a time
            above = above[above >= 0]
            at = positions_in(targets, first + above)
            found.append((source[at >= 0], at[at >= 0]))
            above = columns.parent[first + above].astype(np.int64)
        source, target = (np.concatenate(ends) for ends in zip(*found, strict=True))
        sizes = [columns.end[nodes] - columns.start[nodes] for nodes in (sources, targets)]
        one, other = sizes[0][source].astype(np.float64), sizes[1][target].astype(np.float64)
        is_down = targets[target] > sources[source]
        weight = np.where(is_down, _shares(other, one), _shares(one, other))
        total = self._totals(collection, document, sources)
        return Steps(source, target, _shares(weight, total[source]))

    def most_steps_between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> int:
        """As many as there are targets inside sources, and sources inside targets."""
        sizes = collection.nodes.size
        return sum(
            int(
                (np.searchsorted(inner, outer + sizes[outer]) - np.searchsorted(inner, outer)).sum()
            )
            for outer, inner in ((sources, targets), (targets, sources))
        )

    def _totals(self, collection: Collection, document: int, sources: Ints) -> Floats:
        """The sum of all weights from each source."""
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
