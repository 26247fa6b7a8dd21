"""How likely readers go from results to other trees of the same document, pair by pair.

    p̃(t; u) = Σ_{f ∈ u∖t} Σ_{e ∈ t∖u} p̃(e; f) / (|t|·|u|)      from tree u to tree t

(Ali, Consens and Lalmas 2012, eq 4.) Elements that a tree has in common with a result may have been
seen with it, which eq 4 forgets.

Long lists in long documents: what `between` says of each pair, without going through all pairs.

With a thousand results in a document and ten thousand trees to reach, pairs are too many. Models
of navigation have a shorter answer, and there is one class for each:

    ByGroup   targets of one group are reached alike, so one column serves all of them
    BySteps   few targets are reached from each result, and these steps are listed
    ByPairs   no shorter answer: a portion of the targets, pair by pair

All targets of the first two are single elements; a result may be any tree. Of a target, only the
results before the first that hits it matter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
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


# Lists with more pairs than this are looked at as overviews.
MANY_PAIRS = 1 << 18


class Overview(ABC):
    """From a list of results to some targets of the same document.

    targets: their positions among all that were asked for. results: how many there are.
    """

    targets: Ints
    results: int

    @abstractmethod
    def hit_by(self) -> Ints:
        """The first result that hits each target, or the number of results if none does."""

    @abstractmethod
    def unseen_before(self, at: Ints) -> Floats:
        """The probability that each target was not reached from the results before a position.

        The position is not behind the result that hits the target.
        """

    @abstractmethod
    def near(self, relevance: Floats, hit_by: Ints) -> Floats:
        """Σ relevance·p over the targets that are not hit yet, at each result."""

    @abstractmethod
    def first_reaching(self) -> Ints:
        """The first result from which each target may be reached, or the number of results."""


@dataclass(frozen=True, eq=False)
class ByGroup(Overview):
    """Targets by groups. chance: results × groups. same: the first result that is the target."""

    targets: Ints
    group: Ints
    chance: Floats
    same: Ints
    certain: Bools

    @property
    def results(self) -> int:  # type: ignore[override]
        """The number of results."""
        return len(self.chance)

    def hit_by(self) -> Ints:
        """The result that is the target, or from which it is surely reached."""
        is_sure = self.certain[:, None] & (self.chance >= 1 - TOLERANCE)
        first = np.where(is_sure.any(axis=0), is_sure.argmax(axis=0), self.results)
        return np.minimum(self.same, first[self.group])

    def _unseen(self) -> Floats:
        """Results (and one before all) × groups."""
        unseen = np.ones((self.results + 1, self.chance.shape[1]))
        np.cumprod(1 - self.chance, axis=0, out=unseen[1:])
        return unseen

    def unseen_before(self, at: Ints) -> Floats:
        """The same for all targets of a group at one position."""
        found: Floats = self._unseen()[at, self.group]
        return found

    def near(self, relevance: Floats, hit_by: Ints) -> Floats:
        """What is left of each group, times the probability that it was reached."""
        leaving = np.zeros((self.results + 1, self.chance.shape[1]))
        np.add.at(leaving, (hit_by, self.group), relevance)
        # Summed up from the end, so that nothing is left over by rounding where all are hit.
        left = np.cumsum(leaving[::-1], axis=0)[::-1][1:]
        found: Floats = (left * (1 - self._unseen()[1:])).sum(axis=1)
        return found

    def first_reaching(self) -> Ints:
        """The same for all targets of a group."""
        may = self.chance > 0
        found: Ints = np.where(may.any(axis=0), may.argmax(axis=0), self.results)[self.group]
        return found


@dataclass(frozen=True, eq=False)
class BySteps(Overview):
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
        """The result that is the target, or from which it is surely reached."""
        sure = np.flatnonzero(self.certain[self.source] & (self.chance >= 1 - TOLERANCE))
        found = self.same.copy()
        np.minimum.at(found, self.target[sure], self.source[sure])
        return found

    def _unseen(self) -> Floats:
        """The probability that a target was not reached up to each step."""
        edges = np.searchsorted(self.target, np.arange(len(self.targets) + 1))
        unseen = 1 - self.chance
        for begin, end in pairwise(edges.tolist()):
            if end - begin > 1:
                np.cumprod(unseen[begin:end], out=unseen[begin:end])
        return unseen

    def unseen_before(self, at: Ints) -> Floats:
        """What is left after the last step before the position."""
        width = self.results + 1
        keys = self.target * width + self.source
        last = np.searchsorted(keys, np.arange(len(self.targets)) * width + at) - 1
        known = np.append(self._unseen(), 1.0)  # -1 leads to the end
        found: Floats = known[np.where(last >= 0, last, len(keys))]
        return np.where((last >= 0) & (self._owner(last) == np.arange(len(at))), found, 1.0)

    def _owner(self, step: Ints) -> Ints:
        return np.append(self.target, -1)[step]

    def near(self, relevance: Floats, hit_by: Ints) -> Floats:
        """Each step adds what it makes likelier, each hit takes away what there was."""
        unseen = self._unseen()
        before = np.ones(len(unseen))
        goes_on = np.flatnonzero(self.target[1:] == self.target[:-1]) + 1
        before[goes_on] = unseen[goes_on - 1]
        counts = self.source < hit_by[self.target]
        gained = relevance[self.target] * (before - unseen) * counts
        lost = relevance * (1 - self.unseen_before(hit_by))
        change = np.zeros(self.results + 1)
        np.add.at(change, self.source, gained)
        np.subtract.at(change, hit_by, lost)
        found: Floats = np.cumsum(change[:-1])
        return found

    def first_reaching(self) -> Ints:
        """The first step of each target."""
        found = np.full(len(self.targets), self.results, dtype=np.int64)
        likely = np.flatnonzero(self.chance > 0)
        np.minimum.at(found, self.target[likely], self.source[likely])
        return found


@dataclass(frozen=True, eq=False)
class ByPairs(Overview):
    """Targets pair by pair."""

    targets: Ints
    reach: Reach
    certain: Bools

    @property
    def results(self) -> int:  # type: ignore[override]
        """The number of results."""
        return len(self.reach.chance)

    def hit_by(self) -> Ints:
        """By all pairs."""
        return self.reach.hit_by(self.certain[:, None])

    def unseen_before(self, at: Ints) -> Floats:
        """The product over the results before the position."""
        is_before = np.arange(self.results)[:, None] < at[None, :]
        found: Floats = np.prod(np.where(is_before, 1 - self.reach.chance, 1.0), axis=0)
        return found

    def near(self, relevance: Floats, hit_by: Ints) -> Floats:
        """By all pairs."""
        reached = 1 - np.cumprod(1 - self.reach.chance, axis=0)
        not_yet_hit = np.arange(self.results)[:, None] < hit_by[None, :]
        found: Floats = (reached * not_yet_hit) @ relevance
        return found

    def first_reaching(self) -> Ints:
        """By all pairs."""
        may = self.reach.chance > 0
        return np.where(may.any(axis=0), may.argmax(axis=0), self.results)


class Lists(NamedTuple):
    """Results and targets by rows of `between`, all in one document.

    certain: which results hit what is surely reached from them. until: only the results before
    this position matter, for each target; None if those up to the first hit do.
    """

    between: Between
    sources: Ints
    targets: Ints
    certain: Bools
    until: Ints | None = None

    @property
    def are_long(self) -> bool:
        """Whether there are too many pairs to go through all of them."""
        return len(self.sources) * len(self.targets) > MANY_PAIRS


def overviews(lists: Lists) -> Iterator[Overview]:
    """All targets, in a few overviews."""
    between = lists.between
    targets = between.targets.rows(lists.targets)
    single = np.flatnonzero(targets.counts == 1)
    nodes = targets.nodes[targets.begin[:-1][single]]
    model = _Model(
        between.collection,
        between.navigation,
        between.sources.rows(lists.sources),
        between.shared[lists.sources],
        lists.certain,
    )
    groups = between.navigation.groups_of(between.collection, nodes)
    rest = np.flatnonzero(targets.counts != 1)
    if groups is not None:
        plain, same = model.plain(nodes, None if lists.until is None else lists.until[single])
        yield from model.by_groups(single[plain], nodes[plain], groups[plain], same[plain])
        rest = np.union1d(rest, single[~plain])
    elif model.lists_steps:
        yield from model.by_steps(single, nodes)
    else:
        rest = np.arange(len(targets))
    step = max(MOST_PAIRS // len(lists.sources), 1)
    for begin in range(0, len(rest), step):
        some = rest[begin : begin + step]
        yield ByPairs(some, between.reach(lists.sources, lists.targets[some]), lists.certain)


def _inside(sources: Trees, nodes: Ints) -> tuple[Ints, Ints]:
    """Pairs of a source and the position of a node that is in it."""
    distinct, which = np.unique(nodes, return_inverse=True)
    at = positions_in(distinct, sources.nodes)
    owner = np.repeat(np.arange(len(sources)), sources.counts)
    return _expanded(owner[at >= 0], at[at >= 0], which)


def _expanded(others: Ints, at: Ints, which: Ints) -> tuple[Ints, Ints]:
    """Pairs with distinct values as pairs with all that have the value.

    which: the position of the distinct value of each.
    """
    order = np.argsort(which, kind="stable")
    begin = np.searchsorted(which[order], at)
    counts = np.searchsorted(which[order], at, side="right") - begin
    return np.repeat(others, counts), order[concatenated_ranges(begin, counts)]


def _firsts(source: Ints, target: Ints, targets: int, results: int) -> Ints:
    """The first source of each target, or the number of results."""
    found = np.full(targets, results, dtype=np.int64)
    np.minimum.at(found, target, source)
    return found


class _Model(NamedTuple):
    """A list of results in a document, and how readers go on from there.

    shared, certain: what readers see with each result.
    """

    collection: Collection
    navigation: Navigation
    sources: Trees
    shared: Bools
    certain: Bools

    @property
    def document(self) -> int:
        """The document of all results and targets."""
        return int(self.collection.documents_of(self.sources.nodes[:1])[0])

    def plain(self, nodes: Ints, until: Ints | None) -> tuple[Bools, Ints]:
        """Which targets are reached as their groups are, and the first result that hits each.

        A result that holds a target is no step to it. That does not matter if it hits the target,
        or comes later than anybody asks for.
        """
        source, target = _inside(self.sources, nodes)
        is_hit = (self.sources.counts[source] == 1) | (self.shared & self.certain)[source]
        count, results = len(nodes), len(self.sources)
        hit = _firsts(source[is_hit], target[is_hit], count, results)
        if until is not None:
            return _firsts(source, target, count, results) >= until, hit
        return _firsts(source[~is_hit], target[~is_hit], count, results) >= hit, hit

    def by_groups(self, targets: Ints, nodes: Ints, groups: Ints, same: Ints) -> Iterator[ByGroup]:
        """Targets by groups, some groups at a time."""
        distinct, first, which = np.unique(groups, return_index=True, return_inverse=True)
        step = max(MOST_PAIRS // len(self.sources.nodes), 1)
        for begin in range(0, len(distinct), step):
            chance = self._chances(nodes[first[begin : begin + step]])
            own = np.flatnonzero((which >= begin) & (which < begin + step))
            yield ByGroup(targets[own], which[own] - begin, chance, same[own], self.certain)

    def _chances(self, nodes: Ints) -> Floats:
        """From each source to an element outside of it that is reached as one of these nodes is."""
        distinct, row = np.unique(self.sources.nodes, return_inverse=True)
        steps = self.navigation.between(self.collection, self.document, distinct, nodes)
        sums = np.add.reduceat(steps[row], self.sources.begin[:-1], axis=0)
        return np.minimum(sums / self.sources.counts[:, None], 1.0)

    @property
    def lists_steps(self) -> bool:
        """Whether the model of navigation lists its steps."""
        one = self.sources.nodes[:1]
        steps = self.navigation.steps_between(self.collection, self.document, one, one)
        return steps is not None

    def by_steps(self, targets: Ints, nodes: Ints) -> Iterator[BySteps]:
        """Targets by steps, in as many portions as it takes that none has too many steps."""
        from_nodes, counts = np.unique(self.sources.nodes, return_counts=True)
        to_nodes, again = np.unique(nodes, return_counts=True)
        most = self.navigation.most_steps_between(
            self.collection, self.document, from_nodes, to_nodes
        )
        repeated = int(counts.max(initial=1)) * int(again.max(initial=1))
        if len(targets) > 1 and most * repeated > MOST_PAIRS:
            half = len(targets) // 2
            yield from self.by_steps(targets[:half], nodes[:half])
            yield from self.by_steps(targets[half:], nodes[half:])
        elif len(targets):
            yield self._by_steps(targets, nodes)

    def _by_steps(self, targets: Ints, nodes: Ints) -> BySteps:
        source, target, chance = self._steps_to(nodes)
        # A result that holds a target is no step to it, but may show it.
        inner, held = _inside(self.sources, nodes)
        is_same = self.sources.counts[inner] == 1
        results = len(self.sources)
        keys, held_keys = target * results + source, held * results + inner
        chance = np.where(positions_in(np.sort(held_keys), keys) < 0, chance, 0.0)
        shown = np.where(is_same, 0.0, self.shared[inner].astype(np.float64))
        distinct, at = np.unique(np.append(keys, held_keys), return_inverse=True)
        total = np.zeros(len(distinct))
        np.add.at(total, at, np.append(chance, shown))
        same = _firsts(inner[is_same], held[is_same], len(nodes), results)
        total = np.minimum(total, 1.0)
        source, target = distinct % results, distinct // results
        return BySteps(targets, results, source, target, total, same, self.certain)

    def _steps_to(self, nodes: Ints) -> tuple[Ints, Ints, Floats]:
        """Steps from results to nodes, both by position: one for each element of a result."""
        from_nodes, row = np.unique(self.sources.nodes, return_inverse=True)
        to_nodes, which = np.unique(nodes, return_inverse=True)
        steps = self.navigation.steps_between(self.collection, self.document, from_nodes, to_nodes)
        if steps is None:
            raise DoxevalError(f"{self.navigation.name} lists some steps, and not others")
        owner = np.repeat(np.arange(len(self.sources)), self.sources.counts)
        number: Ints = np.arange(len(steps.source))
        number, at = _expanded(number, steps.source, row)
        pair, target = _expanded(np.arange(len(number)), steps.target[number], which)
        source = owner[at][pair]
        return source, target, steps.probability[number][pair] / self.sources.counts[source]
