"""How likely readers go from results to other trees of the same document, pair by pair.

    p̃(t; u) = Σ_{f ∈ u∖t} Σ_{e ∈ t∖u} p̃(e; f) / (|t|·|u|)      from tree u to tree t

(Ali, Consens and Lalmas 2012, eq 4.) Elements that a tree has in common with a result may have been
seen with it, which eq 4 forgets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.documents import Trees
from doxeval.measures.base import TOLERANCE
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Numbers
from doxeval.navigation import Navigation

# How many pairs of retrieved and assessed trees are worked on at once, at most.
MOST_PAIRS = 2_000_000


class Reach(NamedTuple):
    """From results to trees of the same document: how likely readers go, and which are the same.

    chance: p̃(tree; result), results × trees; 0 from a tree to itself. is_same: whether a result is
    the tree.
    """

    chance: Floats
    is_same: Bools

    def hit_by(self, certain: Bools) -> Ints:
        """The first result that hits each tree, or the number of results if none does.

        `certain` says which results (or which, tree by tree) hit what is surely reached from them.
        """
        is_hit = self.is_same
        if certain.any():
            # Several steps that are not sure never make one that is: each is looked at by itself.
            is_hit = is_hit | (certain & (self.chance >= 1 - TOLERANCE))
        return np.where(is_hit.any(axis=0), is_hit.argmax(axis=0), len(is_hit))


class Between:
    """How likely readers go from results to other trees of the same document."""

    def __init__(
        self,
        truth: GroundTruth,
        sources: Trees,
        targets: Trees,
        navigation: Navigation,
        shared: Bools,
    ) -> None:
        self.collection = truth.known_collection
        self.sources, self.targets = sources, targets
        self.navigation, self.shared = navigation, shared
        self._source, self._target = _only_nodes(sources), _only_nodes(targets)

    def reach(self, sources: Ints, targets: Ints) -> Reach:
        """From some results to some trees, given by their rows; all in one document."""
        source, target = self._source[sources], self._target[targets]
        if (source >= 0).all() and (target >= 0).all():
            chance = self._steps(source, target)
            is_same = source[:, None] == target[None, :]
        else:
            chance, is_same = self._in_portions(sources, targets)
        return Reach(np.where(is_same, 0.0, chance), is_same)

    def _steps(self, sources: Ints, targets: Ints) -> Floats:
        document = int(self.collection.documents_of(sources[:1])[0])
        return self.navigation.between(self.collection, document, sources, targets)

    def _in_portions(self, sources: Ints, targets: Ints) -> tuple[Floats, Bools]:
        """Between trees, for a few targets at a time if sources have many nodes."""
        from_trees, shared = self.sources.rows(sources), self.shared[sources]
        step = max(MOST_PAIRS // len(from_trees.nodes), 1)
        if len(targets) <= step:
            return self._between_trees(from_trees, self._to_trees(targets), shared)
        parts = [
            self._between_trees(from_trees, self._to_trees(targets[at : at + step]), shared)
            for at in range(0, len(targets), step)
        ]
        chance, is_same = zip(*parts, strict=True)
        return np.concatenate(chance, axis=1), np.concatenate(is_same, axis=1)

    def _to_trees(self, targets: Ints) -> Trees:
        nodes = self._target[targets]
        return Trees.of_singletons(nodes) if (nodes >= 0).all() else self.targets.rows(targets)

    def _between_trees(self, sources: Trees, targets: Trees, shared: Bools) -> tuple[Floats, Bools]:
        """p̃(target; source) between trees, and which are the same tree."""
        steps = self._steps(sources.nodes, targets.nodes)
        is_common = sources.nodes[:, None] == targets.nodes[None, :]
        sums = _summed(steps, sources, targets)
        common = _summed(is_common.astype(np.int64), sources, targets)
        from_size, to_size = sources.counts[:, None], targets.counts[None, :]
        # Elements that two trees have in common are neither left nor reached.
        sums[(common > 0) & ((common == from_size) | (common == to_size))] = 0.0
        partly = (common > 0) & (common < from_size) & (common < to_size)
        for source, target in zip(*np.nonzero(partly), strict=True):
            block = np.s_[
                sources.begin[source] : sources.begin[source + 1],
                targets.begin[target] : targets.begin[target + 1],
            ]
            left, wanted = (~is_common[block].any(axis=axis) for axis in (1, 0))
            sums[source, target] = steps[block][np.ix_(left, wanted)].sum()
        chance = sums / (from_size * to_size)
        seen = np.where(shared[:, None], common / to_size, 0.0)
        return np.minimum(chance + seen, 1.0), (common == from_size) & (common == to_size)


def _only_nodes(trees: Trees) -> Ints:
    """The node of each tree that has just one, -1 for the others."""
    single = trees.counts == 1
    found = np.full(len(trees), -1, dtype=np.int64)
    found[single] = trees.nodes[trees.begin[:-1][single]]
    return found


def _summed(values: Numbers, sources: Trees, targets: Trees) -> Numbers:
    """Values between nodes, summed up between the trees that have them."""
    if len(sources.nodes) > len(sources):
        values = np.add.reduceat(values, sources.begin[:-1], axis=0)
    if len(targets.nodes) > len(targets):
        values = np.add.reduceat(values, targets.begin[:-1], axis=1)
    return values
