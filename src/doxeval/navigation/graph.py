"""Navigation by graphs: of elements (a matrix), or of a few groups of elements (a summary)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from doxeval.arrays import Floats, Ints, positions_in
from doxeval.documents import Collection, format_path, normalise_id, parse_path
from doxeval.errors import FormatError, SyntaxProblem, UnknownReference
from doxeval.messages import quoted, short_path, truncate
from doxeval.navigation.model import (
    Navigation,
    Steps,
    json_object,
    number_in,
    refuse_unknown_keys,
)

Probabilities = Mapping[str, Mapping[str, Mapping[str, float]]]
RESTART = 0.15


@dataclass(frozen=True)
class MatrixNavigation(Navigation):
    """Navigation as a matrix: probabilities given for pairs of elements.

        {"model": "matrix", "probabilities": {"DOC": {"FROM-path": {"TO-path": 0.53}}}}

    A step that is not given has the probability 0. Steps from one element that sum to more than 1
    are a warning; a number outside 0 to 1 is an error, and so is an element that is not there.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>One.</p></s>"})
    >>> matrix = MatrixNavigation(probabilities={"a": {"/s[1]": {"/s[1]/p[1]": 0.5}}})
    >>> matrix.between(collection, 0, np.array([0, 1]), np.array([0, 1])).tolist()
    [[0.0, 0.5], [0.0, 0.0]]
    """

    name: str = "matrix"
    probabilities: Probabilities = field(default_factory=dict, hash=False)

    def between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Floats:
        """Return the probabilities of the matrix."""
        keys, values = self._steps(collection, document)
        size = len(collection.nodes.path) + 1
        pairs = np.add.outer(sources * size, targets)
        row = positions_in(keys, pairs.ravel()).reshape(pairs.shape)
        return np.where(row < 0, 0.0, values[row] if len(values) else 0.0)

    def steps_between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Steps:
        """Return the steps of the matrix."""
        keys, values = self._steps(collection, document)
        size = len(collection.nodes.path) + 1
        source, target = positions_in(sources, keys // size), positions_in(targets, keys % size)
        rows = np.flatnonzero((source >= 0) & (target >= 0) & (values > 0))
        return Steps(source[rows], target[rows], values[rows])

    def most_steps_between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> int:
        """Return how many there are in the document."""
        given = self.probabilities.get(collection.id_of(document), {})
        return sum(map(len, given.values()))

    def _steps(self, collection: Collection, document: int) -> tuple[Ints, Floats]:
        """Return the steps of a document, each as one number, ascending, and probabilities."""
        given = self.probabilities.get(collection.id_of(document), {})
        steps = [(source, to, p) for source, row in given.items() for to, p in row.items()]
        paths = [path for source, to, _ in steps for path in (source, to)]
        nodes = collection.find_nodes([document] * len(paths), paths)
        for path, node in zip(paths, nodes.tolist(), strict=True):
            if node < 0:
                raise UnknownReference(collection.why_not(collection.id_of(document), path))
        keys = nodes[0::2] * (len(collection.nodes.path) + 1) + nodes[1::2]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        again = np.flatnonzero(keys[1:] == keys[:-1])
        if len(again):  # under two spellings of a path
            source, to, _ = steps[int(order[again[0] + 1])]
            raise FormatError(f"{collection.id_of(document)} {source} → {to} is given twice")
        return keys, np.array([p for *_, p in steps], dtype=np.float64)[order]

    def checked(self, collection: Collection) -> list[str]:
        """Return a warning where steps sum to more than 1; a missing element is an error."""
        warnings = []
        for document, rows in self.probabilities.items():
            self._steps(collection, collection.document(document))
            for source, row in rows.items():
                total = sum(row.values())
                if total > 1 + 1e-9:
                    warnings.append(
                        f"{truncate(document)} {short_path(source)}: the steps from here sum to "
                        f"{total:.4g}"
                    )
        return warnings


def read_matrix(data: Mapping[str, Any], origin: str) -> MatrixNavigation:
    """Return a matrix from the contents of its file.

    >>> read_matrix({"probabilities": {"a.xml": {"/s": {"/s/p": 0.5}}}}, "m.json").probabilities
    {'a': {'/s': {'/s/p': 0.5}}}
    """
    refuse_unknown_keys(data, ("model", "probabilities"), "matrix", origin)
    probabilities: dict[str, dict[str, dict[str, float]]] = {}
    for given, rows in json_object(data.get("probabilities"), "probabilities", origin).items():
        document = normalise_id(given)
        if document in probabilities:
            raise FormatError(f"probabilities of {truncate(document)} are given twice", origin)
        of_document = probabilities.setdefault(document, {})
        for source, row in json_object(
            rows, f"probabilities of {truncate(document)}", origin
        ).items():
            for to, value in json_object(row, f"{document} {source}", origin).items():
                probability = number_in(value, 0, 1)
                if probability is None:
                    raise FormatError(
                        f"{truncate(document)} {short_path(source)} → {short_path(to)}: "
                        f"{quoted(value)} is not a probability",
                        origin,
                    )
                of_document.setdefault(source, {})[to] = probability
    return MatrixNavigation(probabilities=probabilities)


@dataclass(frozen=True)
class SummaryNavigation(Navigation):
    """Navigation between groups of elements: a graph of a few groups instead of all elements.

        {"model": "summary", "partition": {"sec": "section", "ss1": "section"}, "other": "other",
         "weights": {"section": {"other": 2}}}

    Elements are grouped by their tags. The probability of a step from one element to another is
    that of a step between their groups: its weight divided by the sum of all weights from the same
    group. With `"steady": true` the model is that of readers who walk on for ever: wherever they
    come from, the probability of a step to an element is the share of time that such readers spend
    in its group. Each of their steps leads to any group with the probability `"restart"` (0.15).

    `depth` is a model that needs no file: elements are roots, sections, subsections or others, and
    a step to one is more likely the less deep its group is on average over the collection.

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
        """Return the probability of each step between groups, from × to; 0 without weights."""
        groups = self.groups
        weights = np.array(
            [[self.weights.get(a, {}).get(b, 0.0) for b in groups] for a in groups],
            dtype=np.float64,
        )
        total = weights.sum(axis=1, keepdims=True)
        shares: Floats = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
        return shares

    def between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Floats:
        """Return the probability of the step between their groups."""
        group = self.group_of_paths(collection)
        path = collection.nodes.path
        steps: Floats = self.transitions()[np.ix_(group[path[sources]], group[path[targets]])]
        return steps

    def groups_of(self, collection: Collection, targets: Ints) -> Ints:
        """Return the groups of the summary."""
        return self.group_of_paths(collection)[collection.nodes.path[targets]]

    def group_of_paths(self, collection: Collection) -> Ints:
        """Return the group of each path of the collection's summary."""
        numbers = {group: number for number, group in enumerate(self.groups)}
        of_tag = [numbers[self.partition.get(tag, self.other)] for tag in collection.summary.tags]
        return np.array(of_tag, dtype=np.int64)[collection.summary.tag_of]


@dataclass(frozen=True)
class SteadyNavigation(SummaryNavigation):
    """Navigation in the long run: the steady state of a summary graph, wherever readers begin.

    >>> weights = {"s": {"p": 1}, "p": {"s": 1, "p": 1}}
    >>> model = SteadyNavigation(partition={"s": "s", "p": "p"}, weights=weights, other="p")
    >>> model.distribution().round(3).tolist()
    [0.351, 0.649]
    """

    name: str = "steady"
    restart: float = RESTART

    def distribution(self) -> Floats:
        """Return the share of time spent in each group."""
        steps = self.transitions()
        size = len(steps)
        steps[steps.sum(axis=1) == 0] = 1 / size if self.restart else 0.0
        steps = (1 - self.restart) * steps + self.restart / size
        if not _irreducible(steps):
            raise FormatError(
                "not every group can be reached from every other, so there is no steady state; "
                "a restart above 0 gives one"
            )
        # π·P = π and Σ π = 1, as one system of equations.
        system = np.vstack([steps.T - np.eye(size), np.ones(size)])
        shares: Floats = np.linalg.lstsq(system, np.append(np.zeros(size), 1.0), rcond=None)[0]
        return shares

    def between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Floats:
        """Return the share of the target's group."""
        group = self.group_of_paths(collection)[collection.nodes.path[targets]]
        return np.tile(self.distribution()[group], (len(sources), 1))

    def checked(self, collection: Collection) -> list[str]:
        """Raise an error if there is no steady state."""
        self.distribution()
        return []


def _irreducible(steps: Floats) -> bool:
    """Return whether every group can be reached from every other."""
    reached = (steps > 0).astype(np.int64) + np.eye(len(steps), dtype=np.int64)
    for _ in range(len(steps).bit_length()):
        reached = ((reached @ reached) > 0).astype(np.int64)
    return bool(reached.all())


def read_summary(data: Mapping[str, Any], origin: str) -> SummaryNavigation:
    """Return a summary graph, or its steady state, from the contents of its file.

    >>> read_summary({"weights": {"other": {"other": 1}}, "steady": True}, "model.json").name
    'steady'
    """
    keys = ("model", "partition", "other", "weights", "steady", "restart")
    refuse_unknown_keys(data, keys, "summary", origin)
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
            raise FormatError(f"weights: no tag belongs to the group {quoted(group)}", origin)
    steady = data.get("steady", False)
    if not isinstance(steady, bool):
        raise FormatError("steady: expected true or false", origin)
    if not steady and "restart" in data:
        raise FormatError('restart goes with "steady": true', origin)
    if not steady:
        return SummaryNavigation(partition=partition, other=other, weights=given)
    restart = data.get("restart", RESTART)
    probability = number_in(restart, 0, 1)
    if probability is None or probability == 1:
        raise FormatError(
            f"restart is {quoted(restart)}: expected a number from 0 to below 1", origin
        )
    return SteadyNavigation(partition=partition, other=other, weights=given, restart=probability)


def _weights(given: Any, origin: str) -> dict[str, dict[str, float]]:
    weights: dict[str, dict[str, float]] = {}
    for source, row in json_object(given, "weights", origin).items():
        for to, value in json_object(row, f"weights of {source}", origin).items():
            weight = number_in(value, 0, 1e300)
            if weight is None:
                raise FormatError(
                    f"{truncate(source)} → {truncate(to)}: {quoted(value)} is not a weight: "
                    "expected a number, 0 or more",
                    origin,
                )
            weights.setdefault(source, {})[to] = weight
    return weights


def read_routes(data: Mapping[str, Any], origin: str) -> Navigation:
    """Navigation learned from routes: sequences of elements that readers were seen to visit.

        {"model": "routes", "routes": [{"doc": "DOC", "steps": ["path", "path"]}],
         "partition": "node" | "tag", "abandonment": false}

    The probability of a step is how often it was seen, divided by the number of all steps seen from
    its source. With the partition `tag`, elements with the same tag are counted together, in all
    documents. With `abandonment`, the end of a route counts as a step from its last element to
    itself.

    >>> visits = (["/s/p", "/s", "/s/p[2]"], ["/s", "/s/p"])
    >>> routes = [{"doc": "a", "steps": paths} for paths in visits]
    >>> model = read_routes({"routes": routes}, "routes.json")
    >>> model.probabilities["a"]["/s[1]"]
    {'/s[1]/p[2]': 0.5, '/s[1]/p[1]': 0.5}
    """
    known = ("model", "routes", "partition", "abandonment")
    refuse_unknown_keys(data, known, "routes", origin)
    partition = data.get("partition", "node")
    if partition not in ("node", "tag"):
        raise FormatError(f"partition is {quoted(partition)}: expected node or tag", origin)
    abandonment = data.get("abandonment", False)
    if not isinstance(abandonment, bool):
        raise FormatError("abandonment: expected true or false", origin)
    seen = _steps_seen(data.get("routes"), abandonment, origin)
    if partition == "tag":
        return _by_tag(seen)
    probabilities: dict[str, dict[str, dict[str, float]]] = {}
    for (document, source), steps in seen.items():
        shares = {to: times / steps.total() for to, times in steps.items()}
        probabilities.setdefault(document, {})[source] = shares
    return MatrixNavigation("routes", probabilities)


# By document and source, how often each step from there was seen.
_StepsSeen = dict[tuple[str, str], Counter[str]]


def _steps_seen(routes: Any, abandonment: bool, origin: str) -> _StepsSeen:
    if not isinstance(routes, list) or not routes:
        raise FormatError("routes: expected a list of routes", origin)
    seen: _StepsSeen = defaultdict(Counter)
    for number, route in enumerate(routes, 1):
        if not isinstance(route, dict) or not isinstance(route.get("doc"), str):
            raise FormatError(f"route {number}: expected an object with doc and steps", origin)
        refuse_unknown_keys(route, ("doc", "steps"), f"route {number}", origin)
        steps = route.get("steps")
        if not isinstance(steps, list) or not all(isinstance(step, str) for step in steps):
            raise FormatError(f"route {number}: steps is not a list of paths", origin)
        try:
            paths = [format_path(parse_path(step)) for step in steps]
        except SyntaxProblem as problem:
            raise FormatError(f"route {number}: {problem.message}", origin) from None
        document = normalise_id(route["doc"])
        for source, to in pairwise([*paths, paths[-1]] if abandonment and paths else paths):
            seen[document, source][to] += 1
    return seen


def _by_tag(seen: _StepsSeen) -> SummaryNavigation:
    weights: dict[str, dict[str, float]] = {}
    for (_, source), steps in seen.items():
        row = weights.setdefault(_tag(source), {})
        for to, times in steps.items():
            row[_tag(to)] = row.get(_tag(to), 0.0) + times
    tags = {tag for row in weights.values() for tag in row} | set(weights)
    other = "other"
    while other in tags:
        other += "_"
    return SummaryNavigation("routes", {tag: tag for tag in sorted(tags)}, other, weights)


def _tag(path: str) -> str:
    return parse_path(path)[-1].tag


_GROUPS = ("article", "section", "ss1", "other")
_ARTICLE, _SECTION, _SUBSECTION, _OTHER = range(4)
_BY_TAG = {"section": _SECTION, "sec": _SECTION, "ss1": _SUBSECTION, "subsection": _SUBSECTION}


@dataclass(frozen=True)
class DepthNavigation(Navigation):
    """Roots, sections, subsections and the rest, weighted by 1 / mean depth.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<article><sec><p>One.</p></sec></article>"})
    >>> {group: round(share, 4) for group, share in DepthNavigation().shares(collection).items()}
    {'article': 0.5455, 'section': 0.2727, 'other': 0.1818}
    """

    name: str = "depth"
    # The share of each path's group in the last collection that was used, by its checksum.
    _kept: dict[str, Floats] = field(
        default_factory=dict, init=False, repr=False, compare=False, hash=False
    )

    def shares(self, collection: Collection) -> dict[str, float]:
        """Return the probability of going to an element of each group that has elements."""
        count, group = collection.elements_by_path, _group_of_paths(collection)
        elements = np.bincount(group, count, len(_GROUPS))
        depths = np.bincount(group, count * collection.summary.depth_of, len(_GROUPS))
        weights = {
            _GROUPS[number]: 1 / float(depths[number] / elements[number])  # 1 / mean depth
            for number in np.flatnonzero(elements).tolist()
        }
        total = sum(weights.values())
        return {name: weight / total for name, weight in weights.items()}

    def between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Floats:
        """Return the share of the target's group."""
        shares = self._shares_of_paths(collection)[collection.nodes.path[targets]]
        return np.tile(shares, (len(sources), 1))

    def groups_of(self, collection: Collection, targets: Ints) -> Ints:
        """Return which are roots, sections, subsections and the rest."""
        return _group_of_paths(collection)[collection.nodes.path[targets]]

    def _shares_of_paths(self, collection: Collection) -> Floats:
        of_paths = self._kept.get(collection.checksum)
        if of_paths is None:
            shares = self.shares(collection)
            by_group = np.array([shares.get(group, 0.0) for group in _GROUPS])
            of_paths = by_group[_group_of_paths(collection)]
            self._kept.clear()
            self._kept[collection.checksum] = of_paths
        return of_paths


def _group_of_paths(collection: Collection) -> Ints:
    """Return the group of each path: that of roots, or by its tag."""
    summary = collection.summary
    of_tag = np.array([_BY_TAG.get(tag, _OTHER) for tag in summary.tags], dtype=np.int64)
    return np.where(np.asarray(summary.depth_of) == 1, _ARTICLE, of_tag[summary.tag_of])
