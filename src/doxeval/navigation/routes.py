"""Navigation learned from routes: sequences of elements that readers were seen to visit.

    {"model": "routes", "routes": [{"doc": "DOC", "steps": ["path", "path"]}],
     "partition": "node" | "tag", "abandonment": false}

The probability of a step is how often it was seen, divided by the number of all steps seen from
its source. With the partition `tag`, elements with the same tag are counted together, in all
documents. With `abandonment`, the end of a route counts as a step from its last element to itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from doxeval.documents import format_path, normalised_id, parse_path
from doxeval.errors import FormatError, SyntaxProblem
from doxeval.messages import quoted
from doxeval.navigation.checked_json import refuse_unknown_keys
from doxeval.navigation.matrix import MatrixNavigation
from doxeval.navigation.model import Navigation
from doxeval.navigation.summary import SummaryNavigation

Step = tuple[str, str, str]  # document, from, to


def read_routes(data: Mapping[str, Any], origin: str) -> Navigation:
    """The model of observed routes, from its file's contents.

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
        document = normalised_id(route["doc"])
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
