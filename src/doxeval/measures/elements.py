"""What measures over elements share: quantised gains, and the effort that gains take.

The parameters `quant` and `ignore` say what an element is worth. The gain of a retrieved element is
this value as it is, or normalised by the ideal recall base, or reduced where its text was seen
before. Effort-precision compares how many ranks an ideal list needs for a gain with how many a run
needs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints, positions_in
from doxeval.assessments import QUANTISATIONS, RecallBase, find_quantisation
from doxeval.documents import Collection
from doxeval.errors import MissingInput
from doxeval.measures.base import TOLERANCE, parameter
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking, ratio

AUTO = "auto"
_HELP = "how grades become numbers; auto is spec for highlighted text, gen for grades (2005: gen5)"


def quant_parameter(choices: Iterable[str] = tuple(QUANTISATIONS), help_text: str = _HELP) -> Any:
    """Return the parameter `quant`: auto, or one of some quantisations."""
    return parameter(AUTO, help_text, (*choices, AUTO))


def ignore_parameter() -> Any:
    """Return the parameter `ignore`: elements left out before a recall base is built."""
    return parameter("none", "tags whose elements are not relevant: none, links, or tag+tag")


def fitting_quantisation(
    truth: GroundTruth, quant: str, choices: Iterable[str] = tuple(QUANTISATIONS)
) -> str:
    """Return the quantisation itself, or for auto the one that fits the assessments.

    That is spec for highlighted text, which wins where there are grades as well; gen for grades
    of 2002–04; gen5 for those of 2005. If the measure does not take it, this is an error.

    >>> from doxeval.assessments import Assessments, Judgment
    >>> truth = GroundTruth.of(Assessments([Judgment("7", "a", ((0, 8),))]))
    >>> fitting_quantisation(truth, "auto"), fitting_quantisation(truth, "gen")
    ('spec', 'gen')
    """
    if quant != AUTO:
        return quant
    usual = truth.relevant.usual_quantisation
    if usual not in choices:
        raise MissingInput(
            f"for these assessments quant=auto is quant={usual}, which the measure does not take: "
            f"give one of {', '.join(choices)}"
        )
    return usual


# The value of each element of a recall base, by the numbers of its topic and its node.
Values = Mapping[tuple[int, int], float]


class Gains(NamedTuple):
    """By topic: the gains of a run in ranking order, and those of the recall base, best first."""

    run: list[Floats]
    ideal: list[Floats]

    def defined(self, ranking: Ranking) -> Iterator[tuple[int, Floats, Floats]]:
        """Yield each topic to score that has a recall base, with its gains and the ideal ones."""
        for topic in ranking.topics.tolist():
            if len(self.ideal[topic]):
                yield topic, self.run[topic], self.ideal[topic]


def gains_of(
    ranking: Ranking, base: str, quant: str, ignore: str = "none", penalty: float | None = None
) -> Gains:
    """Return the gains of a run against a recall base.

    penalty: how much of its gain text loses that was seen before; None if it loses nothing.
    """
    key = ("gains", base, quant, ignore, penalty)
    return ranking.remembered(
        key,
        lambda: Gains(
            ranking.by_topic(_run_gains(ranking, base, quant, ignore, penalty)),
            _ideal_gains(ranking.truth, base, quant, ignore),
        ),
    )


def _run_gains(
    ranking: Ranking, base: str, quant: str, ignore: str, penalty: float | None
) -> Floats:
    truth = ranking.truth
    full = truth.base("full", quant, ignore)
    row = ranking.rows_in(truth.elements(find_quantisation(quant)))
    in_base = np.where(row < 0, -1, positions_in(full.row, row))
    gain = np.where(in_base < 0, 0.0, full.value[in_base] if len(full) else 0.0)
    if base == "ideal":
        return _normalised(gain, in_base, full, truth.base("ideal", quant, ignore))
    if penalty is None:
        return gain
    if quant == "spec" and truth.relevant.counts_highlights:
        return _of_unseen_characters(ranking, gain, penalty)
    values = truth.remembered(
        ("values by node", quant, ignore), lambda: _values_by_node(truth, quant, ignore)
    )
    return OverlapGains(truth.known_collection, values, penalty).of(ranking, gain)


def _ideal_gains(truth: GroundTruth, base: str, quant: str, ignore: str) -> list[Floats]:
    return truth.remembered(
        ("ideal gains", base, quant, ignore),
        lambda: _best_first(truth.base(base, quant, ignore), len(truth.topics)),
    )


def _best_first(base: RecallBase, topics: int) -> list[Floats]:
    """Return the values of each topic, from the highest to the lowest."""
    edges = np.searchsorted(base.topic, np.arange(topics + 1)).tolist()
    value = base.value
    return [np.sort(value[edges[topic] : edges[topic + 1]])[::-1] for topic in range(topics)]


def _values_by_node(truth: GroundTruth, quant: str, ignore: str) -> Values:
    full = truth.base("full", quant, ignore)
    node = truth.elements(find_quantisation(quant)).node[full.row]
    topics_and_nodes = zip(full.topic.tolist(), node.tolist(), strict=True)
    return dict(zip(topics_and_nodes, full.value.tolist(), strict=True))


def _normalised(gain: Floats, in_base: Ints, full: RecallBase, ideal: RecallBase) -> Floats:
    """Return how much each result gains of the ideal element that it lies in or contains.

    An ideal element gives its value once: each result takes at most what is left. A result that
    contains several ideal elements takes from the one with the most left.
    """
    normalised = np.zeros(len(gain))
    left = ideal.value.copy()
    rows = np.flatnonzero(in_base >= 0)
    begin, after = full.begin[in_base[rows]], full.after[in_base[rows]]
    # Ideal elements do not overlap, so those inside a result are neighbours.
    first = np.searchsorted(ideal.begin, begin).tolist()
    last = np.searchsorted(ideal.begin, after).tolist()
    # The ideal element around a result, if any, is the last that begins at or before it.
    around = np.searchsorted(ideal.begin, begin, side="right") - 1
    is_around = (around >= 0) & (ideal.after[np.maximum(around, 0)] >= after)
    for at, row in enumerate(rows.tolist()):
        if is_around[at]:
            target = int(around[at])
        else:
            inside = left[first[at] : last[at]]
            target = first[at] + int(np.argmax(inside >= inside.max() - TOLERANCE))
        remaining = float(left[target])
        taken = min(float(gain[row]), remaining if remaining > TOLERANCE else 0.0)
        left[target] -= taken
        normalised[row] = taken
    return normalised


def _of_unseen_characters(ranking: Ranking, gain: Floats, penalty: float) -> Floats:
    """Return (rel − penalty · rov) / size, rov being the relevant characters seen before.

    (Ali, Consens and Lalmas 2012, §6.3 and eq 15)
    """
    seen = ranking.relevant - ranking.new_relevant
    reduced = ratio(ranking.relevant - penalty * seen, ranking.size)
    return np.where(gain > 0, reduced, 0.0)


class OverlapGains:
    """Gains of graded elements in the thorough task where text that was seen before counts less.

    "Seen" is the text of earlier results. An element that was seen as a whole gains
    (1 − penalty) of its value. One that was seen in part gains, in addition, the penalty times
    what its relevant children would gain now, weighted by their sizes. (Kazai and Lalmas 2006)
    """

    def __init__(self, collection: Collection, values: Values, penalty: float) -> None:
        self._collection = collection
        self._values = values
        self._penalty = penalty

    def of(self, ranking: Ranking, gain: Floats) -> Floats:
        """Return the gains of all results in their order, given those that ignore overlap."""
        reduced = np.zeros(len(gain))
        articles = ranking.article_keys
        # Documents in which no result gains anything are skipped.
        rows = np.flatnonzero(np.isin(articles, articles[gain > 0]))
        seen = {article: _Seen() for article in articles[rows].tolist()}
        columns = (articles, ranking.topic, ranking.node, ranking.start, ranking.end, gain > 0)
        values = zip(*(column[rows].tolist() for column in columns), strict=True)
        for row, (article, topic, node, start, end, has_gain) in zip(
            rows.tolist(), values, strict=True
        ):
            if has_gain:
                reduced[row] = self._now(topic, node, seen[article])
            seen[article].add(start, end)
        return reduced

    def _now(self, topic: int, node: int, before: _Seen) -> float:
        """Return what an element gains, given what has been seen of its document.

        Elements are opened down to those that were seen as a whole or not at all; then, from the
        innermost out, each gets its gain and passes it on to its parent.
        """
        columns = self._collection.nodes
        # Of each opened element: its parent's index in this list, its size, value, seen part.
        opened: list[tuple[int, int, float, int]] = []
        pending = [(node, -1)]
        while pending:
            element, parent = pending.pop()
            value = self._values.get((topic, element), 0.0)
            start, end = int(columns.start[element]), int(columns.end[element])
            covered = before.covered(start, end) if value else 0
            opened.append((parent, end - start, value, covered))
            if 0 < covered < end - start:
                index = len(opened) - 1
                children = self._collection.children_of(element).tolist()
                pending += [(child, index) for child in children]
        inner = [0.0] * len(opened)
        for index in range(len(opened) - 1, -1, -1):
            parent, size, value, covered = opened[index]
            gain = value
            if covered:
                gain = (1 - self._penalty) * value
                if covered < size:
                    gain += self._penalty * inner[index] / size
            if parent < 0:
                return gain
            inner[parent] += gain * size
        return 0.0


class _Seen:
    """The seen text of one document: sorted spans that do not touch each other."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def covered(self, start: int, end: int) -> int:
        """Count the characters of a span that were seen."""
        first = bisect_right(self._ends, start)
        last = bisect_left(self._starts, end)
        return sum(
            min(end, self._ends[at]) - max(start, self._starts[at]) for at in range(first, last)
        )

    def add(self, start: int, end: int) -> None:
        """Add a span that is seen now."""
        if end <= start:
            return
        first = bisect_left(self._ends, start)
        last = bisect_right(self._starts, end)
        if first < last:
            start = min(start, self._starts[first])
            end = max(end, self._ends[last - 1])
        self._starts[first:last] = [start]
        self._ends[first:last] = [end]


Ranks = Literal["integer", "interpolated", "linear"]


def effort_precisions(run: Floats, ideal: Floats, gains: Floats, ranks: Ranks) -> Floats:
    """Return effort-precision at gains above 0; 0 where the run never gains so much.

    run, ideal: cumulated gains, of the run and of the ideal list.
    integer: ranks are whole numbers. interpolated: they are read from the polygons that join
    (0, 0) and the cumulated gains. linear: between the gains that the run has at its own ranks,
    effort-precision itself is interpolated.

    >>> run, ideal = np.cumsum([0.5, 0, 1, 0.25]), np.cumsum([1, 0.75, 0.5, 0.25])
    >>> gains = np.array([0.5, 1, 1.5, 1.75, 2])
    >>> effort_precisions(run, ideal, gains, "integer").round(4).tolist()
    [1.0, 0.3333, 0.6667, 0.5, 0.0]
    >>> effort_precisions(run, ideal, gains, "interpolated").round(4).tolist()
    [0.5, 0.4, 0.5556, 0.5, 0.0]
    >>> effort_precisions(run, ideal, gains, "linear").round(4).tolist()
    [1.0, 0.8333, 0.6667, 0.5, 0.0]
    """
    if ranks == "linear":
        return _between_natural_points(run, ideal, gains)
    enough = gains - TOLERANCE
    before, best = run.searchsorted(enough), ideal.searchsorted(enough)  # ranks before
    reached = (before < len(run)) & (best < len(ideal))
    if ranks == "integer":
        return reached * ((best + 1) / (before + 1))
    return reached * ratio(_on_polygon(ideal, best, gains), _on_polygon(run, before, gains))


def _on_polygon(cumulated: Floats, before: Ints, gains: Floats) -> Floats:
    """Return where the polygon of cumulated gains has these gains, given the ranks before."""
    edges = np.append(0.0, cumulated)
    low, high = edges[before], edges[np.minimum(before + 1, len(cumulated))]
    share = np.where(high > low, ratio(gains - low, high - low), 1.0)
    on_polygon: Floats = before + np.clip(share, 0.0, 1.0)
    return on_polygon


def _between_natural_points(run: Floats, ideal: Floats, gains: Floats) -> Floats:
    natural = run[np.diff(run, prepend=0.0) > 0]
    if not len(natural):
        return np.zeros(len(gains))
    between = np.interp(gains, natural, effort_precisions(run, ideal, natural, "integer"))
    return np.where(gains > natural[-1] + TOLERANCE, 0.0, between)
