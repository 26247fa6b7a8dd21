"""Navigation between groups of elements: a graph of a few groups instead of all elements.

    {"model": "summary", "partition": {"sec": "section", "ss1": "section"}, "other": "other",
     "weights": {"section": {"other": 2}}}

Elements are grouped by their tags; a step from one element to another is as likely as a step from
one's group to the other's, its weight over all weights from there. With `"steady": true` readers
walk on for ever: a step to an element is as likely as its group is in the long run, wherever they
come from; with the probability `"restart"` (0.15) each step leads anywhere.

`depth` is a model that needs no file: roots, sections, subsections and the rest, each the likelier
the less deep it lies (on average over the collection).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents import Collection
from doxeval.errors import FormatError
from doxeval.navigation.model import Floats, Navigation

RESTART = 0.15


@dataclass(frozen=True)
class SummaryNavigation(Navigation):
    """Navigation between groups of tags.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> weights = {"s": {"p": 3, "s": 1}}
    >>> model = SummaryNavigation(partition={"s": "s", "p": "p"}, weights=weights)
    >>> model.between(collection, 0, np.array([0, 1]), np.array([0, 2])).tolist()
    [[0.25, 0.75], [0.0, 0.0]]
    """

    name: str = "summary"
    partition: Mapping[str, str] = field(default_factory=dict, hash=False)
    other: str = "other"
    weights: Mapping[str, Mapping[str, float]] = field(default_factory=dict, hash=False)

    @property
    def groups(self) -> tuple[str, ...]:
        """All groups, in a fixed order."""
        named = [*self.partition.values(), *self.weights]
        named += [to for row in self.weights.values() for to in row]
        return tuple(dict.fromkeys([*named, self.other]))

    def transitions(self) -> Floats:
        """The probability of each step between groups, from × to; a row without weights is 0."""
        groups = self.groups
        found = np.array(
            [[self.weights.get(a, {}).get(b, 0.0) for b in groups] for a in groups],
            dtype=np.float64,
        )
        total = found.sum(axis=1, keepdims=True)
        shares: Floats = np.divide(found, total, out=np.zeros_like(found), where=total > 0)
        return shares

    def between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Floats:
        """The step between their groups."""
        group = self.group_of_paths(collection)
        path = collection.nodes.path
        steps: Floats = self.transitions()[np.ix_(group[path[sources]], group[path[targets]])]
        return steps

    def group_of_paths(self, collection: Collection) -> Ints:
        """The group of each path of the collection's summary."""
        places = {group: place for place, group in enumerate(self.groups)}
        of_tag = [places[self.partition.get(tag, self.other)] for tag in collection.summary.tags]
        return np.array(of_tag, dtype=np.int64)[collection.summary.tag_of]


@dataclass(frozen=True)
class SteadyNavigation(SummaryNavigation):
    """Navigation in the long run: where readers of a summary graph are, wherever they begin.

    >>> weights = {"s": {"p": 1}, "p": {"s": 1, "p": 1}}
    >>> model = SteadyNavigation(partition={"s": "s", "p": "p"}, weights=weights, other="p")
    >>> model.distribution().round(3).tolist()
    [0.351, 0.649]
    """

    name: str = "steady"
    restart: float = RESTART

    def distribution(self) -> Floats:
        """The share of time spent in each group."""
        steps = self.transitions()
        size = len(steps)
        steps[steps.sum(axis=1) == 0] = 1 / size if self.restart else 0.0
        steps = (1 - self.restart) * steps + self.restart / size
        if not _irreducible(steps):
            raise FormatError(
                "not every group can be reached from every other, so there is no long run; "
                "a restart above 0 makes one"
            )
        # π·P = π and Σ π = 1, as one system of equations.
        system = np.vstack([steps.T - np.eye(size), np.ones(size)])
        found: Floats = np.linalg.lstsq(system, np.append(np.zeros(size), 1.0), rcond=None)[0]
        return found

    def between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Floats:
        """The share of the target's group."""
        group = self.group_of_paths(collection)[collection.nodes.path[targets]]
        return np.tile(self.distribution()[group], (len(sources), 1))

    def checked(self, collection: Collection) -> list[str]:
        """Whether there is a long run."""
        self.distribution()
        return []


def _irreducible(steps: Floats) -> bool:
    """Whether every group can be reached from every other."""
    reached = (steps > 0).astype(np.int64) + np.eye(len(steps), dtype=np.int64)
    for _ in range(len(steps).bit_length()):
        reached = ((reached @ reached) > 0).astype(np.int64)
    return bool(reached.all())


_ARTICLE, _OTHER = "article", "other"
_BY_TAG = {"section": "section", "sec": "section", "ss1": "ss1", "subsection": "ss1"}


@dataclass(frozen=True)
class DepthNavigation(Navigation):
    """Roots, sections, subsections and the rest, weighted by 1 / mean depth.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<article><sec><p>One.</p></sec></article>"})
    >>> {group: round(share, 4) for group, share in DepthNavigation().shares(collection).items()}
    {'article': 0.5455, 'section': 0.2727, 'other': 0.1818}
    """

    name: str = "depth"

    def shares(self, collection: Collection) -> dict[str, float]:
        """The probability of going to an element of each group that there is."""
        weights = {group: 1 / depth for group, depth in _mean_depths(collection).items()}
        total = sum(weights.values())
        return {group: weight / total for group, weight in weights.items()}

    def between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Floats:
        """The share of the target's group."""
        shares = self.shares(collection)
        by_path = np.array([shares.get(group, 0.0) for group in _groups(collection)])
        return np.tile(by_path[collection.nodes.path[targets]], (len(sources), 1))


def _groups(collection: Collection) -> Sequence[str]:
    """The group of each path: the roots, then by tag."""
    summary = collection.summary
    return [
        _ARTICLE if depth == 1 else _BY_TAG.get(summary.tags[tag], _OTHER)
        for depth, tag in zip(summary.depth_of.tolist(), summary.tag_of.tolist(), strict=True)
    ]


@lru_cache(4)
def _mean_depths(collection: Collection) -> dict[str, float]:
    counts = np.bincount(collection.nodes.path, minlength=len(collection.summary))
    groups = np.array(_groups(collection))
    depths = collection.summary.depth_of
    found = {}
    for group in dict.fromkeys((_ARTICLE, "section", "ss1", _OTHER)):
        own = counts * (groups == group)
        if own.sum():
            found[group] = float((own * depths).sum() / own.sum())
    return found


def read_summary(data: Mapping[str, Any], origin: str) -> SummaryNavigation:
    """A summary, or its steady state, from its file's contents."""
    partition, weights = data.get("partition", {}), data.get("weights")
    if not isinstance(partition, dict) or not all(isinstance(g, str) for g in partition.values()):
        raise FormatError("partition: expected an object of tags and the names of groups", origin)
    other = data.get("other", "other")
    if not isinstance(other, str):
        raise FormatError("other: expected the name of a group", origin)
    given = _weights(weights, origin)
    known = {*partition.values(), other}
    for group in {*given, *(to for row in given.values() for to in row)}:
        if group not in known:
            raise FormatError(f"weights: no tag belongs to the group {group!r}", origin)
    if not data.get("steady", False):
        return SummaryNavigation(partition=partition, other=other, weights=given)
    restart = data.get("restart", RESTART)
    if isinstance(restart, bool) or not isinstance(restart, int | float) or not 0 <= restart < 1:
        raise FormatError(f"restart is {restart!r}: expected a number from 0 to below 1", origin)
    return SteadyNavigation(partition=partition, other=other, weights=given, restart=float(restart))


def _weights(weights: Any, origin: str) -> dict[str, dict[str, float]]:
    if not isinstance(weights, dict):
        raise FormatError("weights: expected an object", origin)
    found: dict[str, dict[str, float]] = {}
    for source, row in weights.items():
        if not isinstance(row, dict):
            raise FormatError(f"weights of {source}: expected an object", origin)
        for to, weight in row.items():
            if (
                isinstance(weight, bool)
                or not isinstance(weight, int | float)
                or not 0 <= weight < 1e300
            ):
                raise FormatError(
                    f"{source} → {to}: {weight!r} is not a weight: expected a number, 0 or more",
                    origin,
                )
            found.setdefault(source, {})[to] = float(weight)
    return found
