"""How likely readers are to move from results to other trees of the same document.

    p̃(t; u) = Σ_{f ∈ u∖t} Σ_{e ∈ t∖u} p̃(e; f) / (|t|·|u|)      from tree u to tree t

(Ali, Consens and Lalmas 2012, eq 4.) Elements that a tree has in common with a result may have been
seen with it; eq 4 ignores this.

`NavigationReach` gives this pair by pair. With 1,500 results in a document and 10,000 trees to
reach, pairs are too many: they take 1.1 s and 126 MB. Models of navigation have a shorter answer
(.03 s and 2 MB), and `DocumentLists` gives it in one of three forms:

    ReachByGroup   targets of one group are reached alike, so one column serves all of them
    ReachBySteps   few targets are reached from each result, and these steps are listed
    ReachByPairs   no shorter answer: a portion of the targets, pair by pair

All targets of the first two are single elements; a result may be any tree. Of a target, only the
results before the first that hits it matter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints, concatenated_ranges, positions_in
from doxeval.documents import Collection, Trees
from doxeval.errors import DoxevalError
from doxeval.measures.base import TOLERANCE
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Numbers
from doxeval.navigation import Navigation

# How many pairs of retrieved and assessed trees are worked on at once, at most.
MOST_PAIRS = 2_000_000


class Chances(NamedTuple):
    """From results to trees of the same document: how likely readers move, and which are the same.

    chance: p̃(tree; result), results × trees; 0 from a tree to itself. is_same: whether a result is
    the tree.
    """

    chance: Floats
    is_same: Bools

    def hit_by(self, certain: Bools) -> Ints:
        """Return the first result that hits each tree, or the number of results if none does.

        certain: which results (or which, tree by tree) hit what is surely reached from them.
        """
        is_hit = self.is_same
        if certain.any():
            # Several steps that are not sure never make one that is: each is looked at by itself.
            is_hit = is_hit | (certain & (self.chance >= 1 - TOLERANCE))
        return _first_row(is_hit)


def _first_row(flags: Bools) -> Ints:
    """Return the first row of each column whose flag is set, or the number of rows."""
    return np.where(flags.any(axis=0), flags.argmax(axis=0), len(flags))


class NavigationReach:
    """From results to other trees of the same document, by a model of navigation.

    shared: whether readers of each result have seen the elements that it shares with a tree.
    """

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

    def chances(self, sources: Ints, targets: Ints) -> Chances:
        """Return the chances from some results to some trees, by rows; all in one document."""
        source, target = self._source[sources], self._target[targets]
        if (source >= 0).all() and (target >= 0).all():
            chance = self._steps(source, target)
            is_same = source[:, None] == target[None, :]
        else:
            from_trees, shared = self.sources.rows(sources), self.shared[sources]
            # A few targets at a time, if sources have many nodes.
            step = max(MOST_PAIRS // len(from_trees.nodes), 1)
            parts = [
                self._between_trees(from_trees, self.targets.rows(targets[at : at + step]), shared)
                for at in range(0, len(targets), step)
            ]
            chance, is_same = (np.concatenate(p, axis=1) for p in zip(*parts, strict=True))
        return Chances(np.where(is_same, 0.0, chance), is_same)

    def _steps(self, sources: Ints, targets: Ints) -> Floats:
        document = int(self.collection.documents_of(sources[:1])[0])
        return self.navigation.between(self.collection, document, sources, targets)

    def _between_trees(self, sources: Trees, targets: Trees, shared: Bools) -> tuple[Floats, Bools]:
        """Return p̃(target; source) between trees, and which are the same tree."""
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
            left, reached = (~is_common[block].any(axis=axis) for axis in (1, 0))
            sums[source, target] = steps[block][np.ix_(left, reached)].sum()
        chance = sums / (from_size * to_size)
        seen = np.where(shared[:, None], common / to_size, 0.0)
        return np.minimum(chance + seen, 1.0), (common == from_size) & (common == to_size)


def _only_nodes(trees: Trees) -> Ints:
    """Return the node of each tree that has just one, -1 for the others."""
    single = trees.counts == 1
    node = np.full(len(trees), -1, dtype=np.int64)
    node[single] = trees.nodes[trees.begin[:-1][single]]
    return node


def _summed(values: Numbers, sources: Trees, targets: Trees) -> Numbers:
    """Sum values between nodes for the trees that have them."""
    if len(sources.nodes) > len(sources):
        values = np.add.reduceat(values, sources.begin[:-1], axis=0)
    if len(targets.nodes) > len(targets):
        values = np.add.reduceat(values, targets.begin[:-1], axis=1)
    return values


# Long lists have more pairs than this and are not looked at pair by pair.
MANY_PAIRS = 1 << 18


def are_many(sources: Ints, targets: Ints) -> bool:
    """Return whether there are too many pairs to go through all of them."""
    return len(sources) * len(targets) > MANY_PAIRS


class Reachability(ABC):
    """From a list of results to some targets of the same document.

    targets: their positions among all given targets. Results are given by their positions, and the
    number of results stands for none.
    """

    targets: Ints

    @abstractmethod
    def hit_by(self) -> Ints:
        """Return the first result that hits each target."""

    @abstractmethod
    def unseen_before(self, at: Ints) -> Floats:
        """Return the probability that no result before a position led to each target.

        The position is not behind the result that hits the target.
        """

    @abstractmethod
    def near(self, relevance: Floats, hit_by: Ints) -> Floats:
        """Return Σ relevance·p over the targets that are not hit yet, at each result."""

    @abstractmethod
    def first_reaching(self) -> Ints:
        """Return the first result that may lead to each target."""


@dataclass(frozen=True, eq=False)
class ReachByGroup(Reachability):
    """Targets by groups. chance: results × groups. same: the first result that is the target."""

    targets: Ints
    group: Ints
    chance: Floats
    same: Ints
    certain: Bools

    def hit_by(self) -> Ints:
        """Return the result that is the target, or from which it is surely reached."""
        is_sure = self.certain[:, None] & (self.chance >= 1 - TOLERANCE)
        return np.minimum(self.same, _first_row(is_sure)[self.group])

    def _unseen(self) -> Floats:
        """Return the probability that none was reached, results (and one before all) × groups."""
        unseen = np.ones((len(self.chance) + 1, self.chance.shape[1]))
        np.cumprod(1 - self.chance, axis=0, out=unseen[1:])
        return unseen

    def unseen_before(self, at: Ints) -> Floats:
        """Return the same for all targets of a group at one position."""
        unseen: Floats = self._unseen()[at, self.group]
        return unseen

    def near(self, relevance: Floats, hit_by: Ints) -> Floats:
        """Sum what is left of each group, times the probability that it was reached."""
        leaving = np.zeros((len(self.chance) + 1, self.chance.shape[1]))
        np.add.at(leaving, (hit_by, self.group), relevance)
        # Summed up from the end, so that nothing is left over by rounding where all are hit.
        left = np.cumsum(leaving[::-1], axis=0)[::-1][1:]
        near: Floats = (left * (1 - self._unseen()[1:])).sum(axis=1)
        return near

    def first_reaching(self) -> Ints:
        """Return the same for all targets of a group."""
        return _first_row(self.chance > 0)[self.group]


@dataclass(frozen=True, eq=False)
class ReachBySteps(Reachability):
    """Targets by steps: by target, and for each target in the order of results.

    same: the first result that is the target.
    """

    targets: Ints
    results: int
    source: Ints
    target: Ints
    chance: Floats
    same: Ints
    certain: Bools

    def hit_by(self) -> Ints:
        """Return the result that is the target, or from which it is surely reached."""
        sure = np.flatnonzero(self.certain[self.source] & (self.chance >= 1 - TOLERANCE))
        hit_by = self.same.copy()
        np.minimum.at(hit_by, self.target[sure], self.source[sure])
        return hit_by

    def _unseen(self) -> Floats:
        """Return the probability that a target was not reached up to each step."""
        edges = np.searchsorted(self.target, np.arange(len(self.targets) + 1))
        unseen = 1 - self.chance
        for begin, end in pairwise(edges.tolist()):
            if end - begin > 1:
                np.cumprod(unseen[begin:end], out=unseen[begin:end])
        return unseen

    def unseen_before(self, at: Ints) -> Floats:
        """Return what is left after the last step before the position."""
        width = self.results + 1
        keys = self.target * width + self.source
        last = np.searchsorted(keys, np.arange(len(self.targets)) * width + at) - 1
        # Where there is no step before, last is -1 and leads to what is appended.
        is_own = np.append(self.target, -1)[last] == np.arange(len(at))
        return np.where(is_own, np.append(self._unseen(), 1.0)[last], 1.0)

    def near(self, relevance: Floats, hit_by: Ints) -> Floats:
        """Add up what each step makes likelier, and subtract what was there at each hit."""
        unseen = self._unseen()
        before = np.ones(len(unseen))
        goes_on = np.flatnonzero(self.target[1:] == self.target[:-1]) + 1
        before[goes_on] = unseen[goes_on - 1]
        counts = self.source < hit_by[self.target]
        change = np.zeros(self.results + 1)
        np.add.at(change, self.source, relevance[self.target] * (before - unseen) * counts)
        np.subtract.at(change, hit_by, relevance * (1 - self.unseen_before(hit_by)))
        near: Floats = np.cumsum(change[:-1])
        return near

    def first_reaching(self) -> Ints:
        """Return the first step of each target."""
        likely = np.flatnonzero(self.chance > 0)
        return _firsts(self.source[likely], self.target[likely], len(self.targets), self.results)


@dataclass(frozen=True, eq=False)
class ReachByPairs(Reachability):
    """Targets pair by pair."""

    targets: Ints
    chances: Chances
    certain: Bools

    def hit_by(self) -> Ints:
        """Look at all pairs."""
        return self.chances.hit_by(self.certain[:, None])

    def unseen_before(self, at: Ints) -> Floats:
        """Return the product over the results before the position."""
        is_before = np.arange(len(self.chances.chance))[:, None] < at[None, :]
        unseen: Floats = np.prod(np.where(is_before, 1 - self.chances.chance, 1.0), axis=0)
        return unseen

    def near(self, relevance: Floats, hit_by: Ints) -> Floats:
        """Look at all pairs."""
        reached = 1 - np.cumprod(1 - self.chances.chance, axis=0)
        not_yet_hit = np.arange(len(self.chances.chance))[:, None] < hit_by[None, :]
        near: Floats = (reached * not_yet_hit) @ relevance
        return near

    def first_reaching(self) -> Ints:
        """Look at all pairs."""
        return _first_row(self.chances.chance > 0)


@dataclass(frozen=True, eq=False)
class DocumentLists:
    """Results and targets in one document, by their rows in `reach`.

    certain: which results hit what is surely reached from them. until: only the results before
    this position matter, for each target; None if those up to the first hit do.
    """

    reach: NavigationReach
    sources: Ints
    targets: Ints
    certain: Bools
    until: Ints | None = None

    @cached_property
    def _results(self) -> Trees:
        return self.reach.sources.rows(self.sources)

    @cached_property
    def _shared(self) -> Bools:
        """Whether readers of each result have seen what it shares with a tree."""
        return self.reach.shared[self.sources]

    @cached_property
    def _place(self) -> tuple[Collection, int]:
        """The collection, and the document in it that has all results and targets."""
        collection = self.reach.collection
        return collection, int(collection.documents_of(self._results.nodes[:1])[0])

    def reachability(self) -> Iterator[Reachability]:
        """Yield how all targets are reached, some targets at a time."""
        reach, navigation = self.reach, self.reach.navigation
        targets = reach.targets.rows(self.targets)
        single = np.flatnonzero(targets.counts == 1)
        nodes = targets.nodes[targets.begin[:-1][single]]
        rest = np.flatnonzero(targets.counts != 1)
        groups = navigation.groups_of(reach.collection, nodes)
        node = self._results.nodes[:1]
        if groups is not None:
            plain, same = self._plain(nodes, None if self.until is None else self.until[single])
            yield from self._by_groups(single[plain], nodes[plain], groups[plain], same[plain])
            rest = np.union1d(rest, single[~plain])
        elif navigation.steps_between(*self._place, node, node) is not None:
            yield from self._by_steps(single, nodes)
        else:
            rest = np.arange(len(targets))
        step = max(MOST_PAIRS // len(self.sources), 1)
        for begin in range(0, len(rest), step):
            some = rest[begin : begin + step]
            chances = reach.chances(self.sources, self.targets[some])
            yield ReachByPairs(some, chances, self.certain)

    def _plain(self, nodes: Ints, until: Ints | None) -> tuple[Bools, Ints]:
        """Return which targets are reached as their groups are, and the first that hits each.

        A result that holds a target is no step to it. That does not matter if it hits the target,
        or comes later than what matters (`until`).
        """
        source, target = _inside(self._results, nodes)
        is_hit = (self._results.counts[source] == 1) | (self._shared & self.certain)[source]
        count, results = len(nodes), len(self._results)
        hit = _firsts(source[is_hit], target[is_hit], count, results)
        if until is not None:
            return _firsts(source, target, count, results) >= until, hit
        return _firsts(source[~is_hit], target[~is_hit], count, results) >= hit, hit

    def _by_groups(
        self, targets: Ints, nodes: Ints, groups: Ints, same: Ints
    ) -> Iterator[ReachByGroup]:
        """Yield targets by groups, some groups at a time."""
        distinct, first, which = np.unique(groups, return_index=True, return_inverse=True)
        step = max(MOST_PAIRS // len(self._results.nodes), 1)
        for begin in range(0, len(distinct), step):
            chance = self._chances(nodes[first[begin : begin + step]])
            rows = np.flatnonzero((which >= begin) & (which < begin + step))
            group = which[rows] - begin
            yield ReachByGroup(targets[rows], group, chance, same[rows], self.certain)

    def _chances(self, nodes: Ints) -> Floats:
        """Return the chances from each source to elements outside that are reached as these."""
        distinct, row = np.unique(self._results.nodes, return_inverse=True)
        steps = self.reach.navigation.between(*self._place, distinct, nodes)
        sums = np.add.reduceat(steps[row], self._results.begin[:-1], axis=0)
        return np.minimum(sums / self._results.counts[:, None], 1.0)

    def _by_steps(self, targets: Ints, nodes: Ints) -> Iterator[ReachBySteps]:
        """Yield targets by steps, in as many portions as it takes that none has too many."""
        from_nodes, counts = np.unique(self._results.nodes, return_counts=True)
        to_nodes, again = np.unique(nodes, return_counts=True)
        most = self.reach.navigation.most_steps_between(*self._place, from_nodes, to_nodes)
        repeated = int(counts.max(initial=1)) * int(again.max(initial=1))
        if len(targets) > 1 and most * repeated > MOST_PAIRS:
            half = len(targets) // 2
            yield from self._by_steps(targets[:half], nodes[:half])
            yield from self._by_steps(targets[half:], nodes[half:])
        elif len(targets):
            yield self._steps(targets, nodes)

    def _steps(self, targets: Ints, nodes: Ints) -> ReachBySteps:
        source, target, chance = self._steps_to(nodes)
        # A result that holds a target is no step to it, but may show it.
        inner, held = _inside(self._results, nodes)
        is_same = self._results.counts[inner] == 1
        results = len(self._results)
        keys, held_keys = target * results + source, held * results + inner
        chance = np.where(positions_in(np.sort(held_keys), keys) < 0, chance, 0.0)
        shown = np.where(is_same, 0.0, self._shared[inner].astype(np.float64))
        distinct, at = np.unique(np.append(keys, held_keys), return_inverse=True)
        total = np.zeros(len(distinct))
        np.add.at(total, at, np.append(chance, shown))
        same = _firsts(inner[is_same], held[is_same], len(nodes), results)
        total = np.minimum(total, 1.0)
        source, target = distinct % results, distinct // results
        return ReachBySteps(targets, results, source, target, total, same, self.certain)

    def _steps_to(self, nodes: Ints) -> tuple[Ints, Ints, Floats]:
        """Return steps from results to nodes, by position, one for each element of a result."""
        from_nodes, row = np.unique(self._results.nodes, return_inverse=True)
        to_nodes, which = np.unique(nodes, return_inverse=True)
        steps = self.reach.navigation.steps_between(*self._place, from_nodes, to_nodes)
        if steps is None:
            raise DoxevalError(f"{self.reach.navigation.name} lists some steps, and not others")
        owner = np.repeat(np.arange(len(self._results)), self._results.counts)
        number: Ints = np.arange(len(steps.source))
        number, at = _expanded(number, steps.source, row)
        pair, target = _expanded(np.arange(len(number)), steps.target[number], which)
        source = owner[at][pair]
        return source, target, steps.probability[number][pair] / self._results.counts[source]


def _inside(sources: Trees, nodes: Ints) -> tuple[Ints, Ints]:
    """Return pairs of a source and the position of a node that is in it."""
    distinct, which = np.unique(nodes, return_inverse=True)
    at = positions_in(distinct, sources.nodes)
    owner = np.repeat(np.arange(len(sources)), sources.counts)
    return _expanded(owner[at >= 0], at[at >= 0], which)


def _expanded(others: Ints, at: Ints, which: Ints) -> tuple[Ints, Ints]:
    """Expand pairs with distinct values to pairs with all that have the value.

    which: the position of the distinct value of each.
    """
    order = np.argsort(which, kind="stable")
    begin = np.searchsorted(which[order], at)
    counts = np.searchsorted(which[order], at, side="right") - begin
    return np.repeat(others, counts), order[concatenated_ranges(begin, counts)]


def _firsts(source: Ints, target: Ints, targets: int, results: int) -> Ints:
    """Return the first source of each target, or the number of results."""
    first = np.full(targets, results, dtype=np.int64)
    np.minimum.at(first, target, source)
    return first
