"""Models of navigation by name, and from files of JSON."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from doxeval.columns import unknown_field
from doxeval.documents import format_path, normalise_id, parse_path
from doxeval.errors import FormatError, SourceError, SyntaxProblem
from doxeval.files import decode_json, open_input, read_up_to
from doxeval.messages import quoted, short_path, truncate
from doxeval.named import checked
from doxeval.navigation.graph import (
    RESTART,
    DepthNavigation,
    MatrixNavigation,
    SteadyNavigation,
    SummaryNavigation,
)
from doxeval.navigation.model import Navigation, NoNavigation
from doxeval.navigation.tree import HierarchicalNavigation, NeighbourNavigation

_LARGEST = 256 << 20
# A model, its name, its file, or what the file holds.
NavigationGiven = Navigation | str | os.PathLike[str] | Mapping[str, Any]
_SHARE = re.compile(r"neighbours\(\s*(?:p\s*=\s*)?(\d{0,9}\.?\d{1,18})\s*\)")
# Models that need no file.
BY_NAME: dict[str, Callable[[], Navigation]] = {
    "none": NoNavigation,
    "depth": DepthNavigation,
    "hierarchical": HierarchicalNavigation,
    "neighbours": NeighbourNavigation,
}
# All names that a measure's parameter `nav` may have.
NAMES = (*BY_NAME, "matrix", "routes", "summary", "steady")
Step = tuple[str, str, str]  # document, from, to


@checked
def read_navigation(path: str | os.PathLike[str]) -> Navigation:
    """Read a model of navigation from a JSON file.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.json"
    >>> _ = path.write_text('{"model": "depth"}')
    >>> read_navigation(path).name
    'depth'
    """
    name = os.fspath(path)
    with open_input(path) as file:
        data = read_up_to(file, _LARGEST)
    if len(data) > _LARGEST:
        raise FormatError(f"more than {_LARGEST:,} bytes in a model of navigation", name)
    return parse_navigation(data, name)


def navigation_named(name: str) -> Navigation | None:
    """Return a model that needs no file by its name; None if there is none of that name.

    >>> navigation_named("depth").name, navigation_named("neighbours(p=.3)").p
    ('depth', 0.3)
    """
    if name in BY_NAME:
        return BY_NAME[name]()
    share = _SHARE.fullmatch(name)
    if share is None:
        return None
    return read_neighbours({"model": "neighbours", "p": float(share[1])}, name)


@checked
def as_navigation(navigation: NavigationGiven) -> Navigation:
    """Return a model given as a value, by its name, as a file, or as a dict like that of a file.

    >>> as_navigation("depth") == as_navigation({"model": "depth"})
    True
    """
    if isinstance(navigation, Navigation):
        return navigation
    if isinstance(navigation, Mapping):
        return _model_of(navigation, "navigation")
    named = navigation_named(navigation) if isinstance(navigation, str) else None
    if named is not None:
        return named
    if not os.path.exists(navigation):
        raise SourceError(
            f"no such file, and no model of navigation of that name; there are "
            f"{', '.join(BY_NAME)}, neighbours(0.3) and files of JSON",
            os.fspath(navigation),
        )
    return read_navigation(navigation)


def parse_navigation(data: bytes, name: str) -> Navigation:
    """Return a model of navigation from the contents of its file.

    >>> parse_navigation(b'{"model": "none"}', "model.json").name
    'none'
    """
    try:
        value = decode_json(data)
    except ValueError as error:
        raise FormatError(f"this is not JSON: {error}", name) from None
    return _model_of(value, name)


def _model_of(value: Any, name: str) -> Navigation:
    model = value.get("model") if isinstance(value, Mapping) else None
    if not isinstance(model, str) or model not in READERS:
        raise FormatError(f'expected {{"model": …}} with one of {", ".join(READERS)}', name)
    return READERS[model](value, name)


# One reader for each model


def _named(data: Mapping[str, Any], origin: str) -> Navigation:
    """Return a model that has no parameters: its name says everything."""
    name: str = data["model"]
    refuse_unknown_keys(data, ("model",), name, origin)
    return BY_NAME[name]()


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
    steps = _steps(data.get("routes"), abandonment, origin)
    if partition == "tag":
        return _by_tag(steps)
    return MatrixNavigation("routes", _by_node(steps))


def _steps(routes: Any, abandonment: bool, origin: str) -> Counter[Step]:
    if not isinstance(routes, list) or not routes:
        raise FormatError("routes: expected a list of routes", origin)
    counts: Counter[Step] = Counter()
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
        counts.update((document, a, b) for a, b in pairwise(paths))
        if abandonment and paths:
            counts[document, paths[-1], paths[-1]] += 1
    return counts


def _by_node(steps: Counter[Step]) -> dict[str, dict[str, dict[str, float]]]:
    total: Counter[tuple[str, str]] = Counter()
    for (document, source, _), count in steps.items():
        total[document, source] += count
    probabilities: dict[str, dict[str, dict[str, float]]] = {}
    for (document, source, to), count in steps.items():
        row = probabilities.setdefault(document, {}).setdefault(source, {})
        row[to] = count / total[document, source]
    return probabilities


def _by_tag(steps: Counter[Step]) -> Navigation:
    weights: dict[str, dict[str, float]] = {}
    for (_, source, to), count in steps.items():
        row = weights.setdefault(_tag(source), {})
        row[_tag(to)] = row.get(_tag(to), 0.0) + count
    tags = {tag for row in weights.values() for tag in row} | set(weights)
    other = "other"
    while other in tags:
        other += "_"
    return SummaryNavigation("routes", {tag: tag for tag in sorted(tags)}, other, weights)


def _tag(path: str) -> str:
    return parse_path(path)[-1].tag


READERS: dict[str, Callable[[Mapping[str, Any], str], Navigation]] = {
    "matrix": read_matrix,
    "routes": read_routes,
    "summary": read_summary,
    **dict.fromkeys(BY_NAME, _named),
    "neighbours": read_neighbours,
}


# Checks


def json_object(value: Any, what: str, origin: str) -> Mapping[str, Any]:
    """Return the value if it is an object; raise an error if not.

    >>> json_object([], "weights", "model.json")
    Traceback (most recent call last):
    doxeval.errors.FormatError: model.json: weights: expected an object
    """
    if not isinstance(value, dict):
        raise FormatError(f"{what}: expected an object", origin)
    return value


def refuse_unknown_keys(
    value: Mapping[str, Any], known: Sequence[str], what: str, origin: str
) -> None:
    """Raise an error for the first unknown key.

    >>> refuse_unknown_keys({"doc": "a", "user": 7}, ("doc", "steps"), "route 1", "model.json")
    Traceback (most recent call last):
    doxeval.errors.FormatError: model.json: route 1: unknown field 'user': expected doc, steps
    """
    for key in value:
        if key not in known:
            raise FormatError(f"{what}: {unknown_field(key, known)}", origin)


def number_in(value: Any, lowest: float, highest: float) -> float | None:
    """Return a JSON number within bounds as a float; None for anything else.

    >>> number_in(1, 0, 1), number_in(2, 0, 1), number_in(True, 0, 1), number_in("1", 0, 1)
    (1.0, None, None, None)
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and lowest <= value <= highest else None
