"""XCG: cumulated gain over elements, against what an ideal system would have gained.

    xG[i]  = the gain of the i-th result        xCG[i] = xG[1] + … + xG[i]
    xI, xCI: the same for the recall base, best first
    nxCG@k = xCG[k] / xCI[k]                    MAnxCG@k = mean of nxCG@1 … nxCG@k

Effort and gain turn the question round: how many results must be read for so much gain?

    ep(g)  = i_ideal(g) / i_run(g), i(g) the first rank whose cumulated gain is at least g
    gr[i]  = xCG[i] / xCI[n]
    MAep   = Σ ep(xCG[i]) over the ranks with gain / n, n the size of the recall base
    ep[x]  = ep at the gain x · xCI[n]          iMAep = mean of ep[0.01] … ep[1.00]

xCG@k and gr@k are the gain itself, by rank.

With the full base (the thorough task) the gain of an element is its quantised grade. With the
ideal base (the focused task) it is normalised: an ideal element can be gained once, in parts or
as a whole, so an element gains what is left of the ideal element that it lies in or contains.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.assessments import RecallBase
from doxeval.documents import Collection
from doxeval.measures.base import (
    CUT_LIST,
    TOLERANCE,
    Example,
    Facts,
    Law,
    Measure,
    Need,
    cut_off,
    parameter,
    point,
)
from doxeval.measures.caching import once
from doxeval.measures.elements import (
    BaseValues,
    Gains,
    base_values,
    best_first,
    fitting_quantisation,
    ignore_parameter,
    quant_parameter,
)
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking, ratio
from doxeval.scores import Curve

Base = Literal["ideal", "full"]
Ranks = Literal["integer", "interpolated", "linear"]
_NEEDS = frozenset({Need.ELEMENTS, Need.RETRIEVED_ELEMENTS})
_EDGES = (
    "A topic with an empty recall base is undefined; an empty list scores 0; beyond the end of "
    "the list nothing more is gained. Elements with ignored tags gain 0."
)
_RANKS_HELP = (
    "ranks as whole numbers, or interpolated on both cumulated curves; linear: effort-precision "
    "itself interpolated between the gains at the run's own ranks"
)
_RANKS = ("integer", "interpolated", "linear")
_BY_RANK = frozenset({Law.IDEAL_IS_BEST, Law.TAIL_IS_FREE, Law.BETTER_UP, Law.GROWS_WITH_K})
# Grades that are worth 1, .75, .5 and .25 with quant=gen.
_GRADES = [("a", 3, 3), ("b", 3, 2), ("c", 2, 2), ("d", 1, 1)]
_ASSESSMENTS = "".join(
    f'{{"topic": "7", "doc": "{doc}", "path": "/p[1]", "e": {e}, "s": {s}}}\n'
    for doc, e, s in _GRADES
)
_RUN = "".join(f"7 Q0 {doc} {rank} {9 - rank} run /p[1]\n" for rank, doc in enumerate("cxad", 1))
_WHY = (
    "The elements a, b, c, d of four documents are worth 1, .75, .5, .25 with quant=gen; the run "
    "returns c, an element that was not judged, a and d: gains .5, 0, 1, .25. "
)


def _example(name: str, value: float, why: str) -> Example:
    return Example(name, value, _WHY + why, _ASSESSMENTS, _RUN)


def _base_parameter(default: Base) -> Base:
    base: Base = parameter(
        default,
        "what an ideal system returns: every relevant element, or the best one on each path",
        ("ideal", "full"),
    )
    return base


@dataclass(frozen=True)
class _Gain(Measure):
    base: Base = _base_parameter("full")
    quant: str = quant_parameter()
    ignore: str = ignore_parameter()
    overlap: bool = parameter(False, "base=full: text that was seen before gains less")
    penalty: float = parameter(1.0, "overlap=on: how much of the gain seen text loses, 0 to 1")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.penalty <= 1:
            raise ValueError("penalty must be between 0 and 1")
        if self.overlap and self.base == "ideal":
            raise ValueError("overlap=on is for base=full; base=ideal normalises gains by itself")

    def resolve_auto(self, truth: GroundTruth) -> Measure:
        """Return it with the quantisation that fits the assessments."""
        return self(quant=fitting_quantisation(truth, self.quant))

    @property
    def highest(self) -> float | None:
        """With overlap, parts may gain more than the element around them: there is no bound."""
        return None if self.overlap else self.facts.highest

    @property
    def laws(self) -> frozenset[Law]:
        """With overlap it is not known which order of the ideal list is best."""
        return self.facts.laws - ({Law.IDEAL_IS_BEST} if self.overlap else set())

    def gains(self, ranking: Ranking) -> Gains:
        """Return the gains of the run and of the ideal, by topic."""
        penalty = self.penalty if self.overlap else None
        return gains_of(ranking, self.base, self.quant, self.ignore, penalty)


@dataclass(frozen=True)
class CumulatedGain(_Gain):
    """The gain of the first k results."""

    name: ClassVar[str] = "xCG"
    facts: ClassVar[Facts] = Facts(
        "extended cumulated gain",
        "Kazai and Lalmas 2006; Lalmas et al. 2007, eq 2–3; Lalmas and Tombros 2007, eq 7–8",
        "xCG@k = xG[1] + … + xG[k]",
        _NEEDS,
        _EDGES,
        _example("xCG@3(quant=gen)", 1.5, "xCG[3] = .5 + 0 + 1."),
        highest=None,
        laws=_BY_RANK,
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """Return xCG@k."""
        return self.gains(ranking).to_rank(self.k, ranking)


@dataclass(frozen=True)
class GainRecall(_Gain):
    """The gain of the first k results, as a share of all that can be gained."""

    name: ClassVar[str] = "gr"
    facts: ClassVar[Facts] = Facts(
        "gain-recall",
        "Kazai and Lalmas 2006; Lalmas et al. 2007, eq 6; Lalmas and Tombros 2007, eq 11",
        "gr@k = xCG[k] / xCI[n], n the size of the recall base",
        _NEEDS,
        _EDGES,
        _example("gr@3(quant=gen)", 0.6, "xCG[3] = 1.5, xCI[4] = 1 + .75 + .5 + .25 = 2.5."),
        laws=_BY_RANK,
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """Return gr@k."""
        gains, possible = self.gains(ranking), ranking.truth.nothing()
        for topic, _, ideal in gains.defined(ranking):
            possible[topic] = ideal.sum() or np.nan
        return gains.to_rank(self.k, ranking) / possible


@dataclass(frozen=True)
class _GainAt(_Gain):
    base: Base = _base_parameter("ideal")
    k: int = cut_off(10)

    def normalised(self, ranking: Ranking, k: int) -> Floats:
        """Return the values at the ranks 1 … k, topics × ranks, cut where all lists have ended."""
        gains = self.gains(ranking)
        ideal_lists = (gains.ideal[topic] for topic in ranking.topics.tolist())
        k = min(k, max(map(len, [*gains.run, *ideal_lists]), default=0) or 1)
        values = np.full((len(ranking.truth.topics), k), np.nan)
        for topic, run, ideal in gains.defined(ranking):
            values[topic] = _cumulated_to(k, run) / _cumulated_to(k, ideal)
        return values

    def curve(self, ranking: Ranking) -> Curve:
        """Return normalised gain by rank."""
        values = self.normalised(ranking, self.k)
        x = np.arange(1, values.shape[1] + 1).astype(np.float64)
        return Curve(str(self), "rank", "nxCG", x, values)


def _cumulated_to(k: int, gains: Floats) -> Floats:
    """Return cumulated gains at the ranks 1 … k; beyond the end they stay."""
    padded = np.zeros(k)
    padded[: min(k, len(gains))] = gains[:k]
    return np.cumsum(padded)


@dataclass(frozen=True)
class NormalisedGain(_GainAt):
    """The gain of the first k results, as a share of the best possible."""

    name: ClassVar[str] = "nxCG"
    facts: ClassVar[Facts] = Facts(
        "normalised extended cumulated gain",
        "Kazai and Lalmas 2006; Lalmas et al. 2007, eq 2–4, 7–8; Lalmas and Tombros 2007, eq 13",
        "nxCG@k = xCG[k] / xCI[k]",
        _NEEDS,
        _EDGES,
        _example("nxCG@3(quant=gen)", 2 / 3, "xCG[3] = 1.5, xCI[3] = 1 + .75 + .5 = 2.25."),
        laws=frozenset({Law.IDEAL_IS_BEST, Law.TAIL_IS_FREE}),
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return nxCG@k."""
        return self.normalised(ranking, self.k)[:, -1]


@dataclass(frozen=True)
class AverageNormalisedGain(_GainAt):
    """The mean of nxCG over the ranks up to k."""

    name: ClassVar[str] = "MAnxCG"
    facts: ClassVar[Facts] = Facts(
        "mean normalised extended cumulated gain",
        "Kazai and Lalmas 2006; Lalmas and Tombros 2007, §3.3, eq 14",
        "MAnxCG@k = (nxCG@1 + … + nxCG@k) / k",
        _NEEDS,
        _EDGES,
        _example(
            "MAnxCG@3(quant=gen)",
            (0.5 + 0.5 / 1.75 + 1.5 / 2.25) / 3,
            "nxCG is .5/1, .5/1.75 and 1.5/2.25 at the first three ranks.",
        ),
        laws=frozenset({Law.IDEAL_IS_BEST, Law.TAIL_IS_FREE}),
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of nxCG@1 … nxCG@k."""
        values = self.normalised(ranking, self.k)
        beyond = self.k - values.shape[1]
        means: Floats = (values.sum(axis=1) + beyond * values[:, -1]) / self.k
        return means


@dataclass(frozen=True)
class _Effort(_Gain):
    ranks: Ranks = parameter("integer", _RANKS_HELP, _RANKS)

    def at_recall(self, ranking: Ranking, points: list[Fraction]) -> Floats:
        """Return effort-precision at points of gain-recall, topics × points."""
        gains = self.gains(ranking)
        x = np.array([float(x) for x in points])
        values = np.full((len(ranking.truth.topics), len(points)), np.nan)
        for topic, gain, best in gains.defined(ranking):
            run, ideal = np.cumsum(gain), np.cumsum(best)
            values[topic] = effort_precisions(run, ideal, x * ideal[-1], self.ranks)
        if 0 in points:  # no gain is had at once, in any list with results
            defined = ~np.isnan(values[:, 0])
            values[np.ix_(defined, x == 0)] = (ranking.counts > 0)[defined, None]
        return values


_HUNDRED = [Fraction(n, 100) for n in range(1, 101)]


@dataclass(frozen=True)
class _AverageEffort(_Effort):
    def curve(self, ranking: Ranking) -> Curve:
        """Return effort-precision by gain-recall, at a hundred points."""
        x = np.array([float(p) for p in _HUNDRED])
        return Curve(str(self), "gr", "ep", x, self.at_recall(ranking, _HUNDRED))


@dataclass(frozen=True)
class AverageEffortPrecision(_AverageEffort):
    """Effort-precision, averaged over the recall base."""

    name: ClassVar[str] = "MAep"
    facts: ClassVar[Facts] = Facts(
        "average effort-precision",
        "Kazai and Lalmas 2006; Lalmas et al. 2007, §4.2, eq 5–6",
        "MAep = Σ ep(xCG[i]) over the ranks i with xG[i] > 0, / n; MAep@k that of the first k "
        "results",
        _NEEDS,
        _EDGES + " With base=ideal there is no upper bound: parts of one ideal element each add "
        "their ep, and n counts the element once.",
        _example(
            "MAep(quant=gen)",
            (1 + 2 / 3 + 1 / 2) / 4,
            "The gains .5, 1.5 and 1.75 are reached at ranks 1, 3 and 4, by the ideal at 1, 2 and "
            "2: ep is 1, 2/3 and 1/2; four elements are relevant.",
        ),
        laws=frozenset({Law.IDEAL_IS_BEST, Law.TAIL_IS_FREE, Law.GROWS_WITH_K}),
    )
    k: int | None = cut_off(None, CUT_LIST)

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of ep."""
        ranking = ranking.first(self.k)
        scores = ranking.truth.nothing()
        # At the run's own ranks there is nothing between points, so linear is integer.
        ranks: Ranks = "integer" if self.ranks == "linear" else self.ranks
        for topic, gain, best in self.gains(ranking).defined(ranking):
            run, ideal = np.cumsum(gain), np.cumsum(best)
            reached = run[gain > 0]
            scores[topic] = effort_precisions(run, ideal, reached, ranks).sum() / len(ideal)
        return scores

    @property
    def highest(self) -> float | None:
        """More results may gain than there are ideal elements, each from a part of one."""
        return None if self.base == "ideal" else super().highest

    @property
    def laws(self) -> frozenset[Law]:
        """For the same reason another list may score higher than the ideal one."""
        return super().laws - ({Law.IDEAL_IS_BEST} if self.base == "ideal" else set())

    def curve(self, ranking: Ranking) -> Curve:
        """Return effort-precision of the first k results by gain-recall, at a hundred points."""
        return super().curve(ranking.first(self.k))


@dataclass(frozen=True)
class EffortPrecision(_Effort):
    """Effort-precision at one point of gain-recall."""

    name: ClassVar[str] = "ep"
    facts: ClassVar[Facts] = Facts(
        "effort-precision at gain-recall x",
        "Kazai and Lalmas 2006; Lalmas et al. 2007, eq 5–6",
        "ep[x] = i_ideal(g) / i_run(g) with g = x · xCI[n]",
        _NEEDS,
        _EDGES + " ep[x] is 0 where the run never gains as much; ep[0] is 1 if there are results.",
        _example("ep[0.6](quant=gen)", 2 / 3, "g = .6 · 2.5 = 1.5: rank 2 of the ideal, 3 here."),
        laws=frozenset({Law.IDEAL_IS_BEST}),
    )
    x: Fraction = point(Fraction(1, 10), "the gain-recall that must be reached")

    def scores(self, ranking: Ranking) -> Floats:
        """Return effort-precision at x."""
        return self.at_recall(ranking, [self.x])[:, 0]


@dataclass(frozen=True)
class InterpolatedEffortPrecision(_AverageEffort):
    """Effort-precision, averaged over a hundred points of gain-recall."""

    name: ClassVar[str] = "iMAep"
    facts: ClassVar[Facts] = Facts(
        "interpolated average effort-precision",
        "Kazai and Lalmas 2006; Lalmas and Tombros 2007, §3.2",
        "iMAep = mean of ep[0.01] … ep[1.00], ranks interpolated",
        _NEEDS,
        _EDGES,
        Example(
            "iMAep(quant=gen)",
            1.0,
            "A run that is the ideal list itself needs no more effort at any point.",
            _ASSESSMENTS,
            "".join(f"7 Q0 {doc} {rank} 1 run /p[1]\n" for rank, doc in enumerate("abcd", 1)),
        ),
        laws=frozenset({Law.IDEAL_IS_BEST}),
    )
    ranks: Ranks = parameter("interpolated", _RANKS_HELP, _RANKS)

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of ep at a hundred points."""
        means: Floats = self.at_recall(ranking, _HUNDRED).mean(axis=1)
        return means


# What results gain


@once
def gains_of(
    ranking: Ranking, base: Base, quant: str, ignore: str, penalty: float | None = None
) -> Gains:
    """Return the gains of a run against a recall base, by topic.

    penalty: how much of its gain text loses that was seen before; None if it loses nothing.
    """
    truth, values = ranking.truth, base_values(ranking, quant, ignore)
    gain = values.value
    if base == "ideal":
        full, ideal = (truth.base(kind, quant, ignore) for kind in ("full", "ideal"))
        gain = _normalised(values, full, ideal)
    elif penalty is not None and quant == "spec" and truth.relevant.counts_highlights:
        # (rel − penalty · rov) / size, rov being the relevant characters seen before
        # (Ali, Consens and Lalmas 2012, §6.3 and eq 15)
        seen = ranking.relevant - ranking.new_relevant
        reduced = ratio(ranking.relevant - penalty * seen, ranking.size)
        gain = np.where(gain > 0, reduced, 0.0)
    elif penalty is not None:
        by_node = _values_by_node(truth, quant, ignore)
        gain = _OverlapGains(truth.known_collection, by_node, penalty).of(ranking, gain)
    return Gains(ranking.by_topic(gain), best_first(truth, base, quant, ignore))


@once
def _values_by_node(truth: GroundTruth, quant: str, ignore: str) -> dict[tuple[int, int], float]:
    """Return the value of each element of the full base, by its topic and its node."""
    full = truth.base("full", quant, ignore)
    node = truth.elements(quant).node[full.row]
    topics_and_nodes = zip(full.topic.tolist(), node.tolist(), strict=True)
    return dict(zip(topics_and_nodes, full.value.tolist(), strict=True))


def _normalised(values: BaseValues, full: RecallBase, ideal: RecallBase) -> Floats:
    """Return how much each result gains of the ideal element that it lies in or contains.

    An ideal element gives its value once: each result takes at most what is left. A result that
    contains several ideal elements takes from the one with the most left.
    """
    normalised = np.zeros(len(values.row))
    left = ideal.value.copy()
    rows = np.flatnonzero(values.row >= 0)
    begin, after = full.begin[values.row[rows]], full.after[values.row[rows]]
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
        taken = min(float(values.value[row]), remaining if remaining > TOLERANCE else 0.0)
        left[target] -= taken
        normalised[row] = taken
    return normalised


class _OverlapGains(NamedTuple):
    """Gains of graded elements in the thorough task where text that was seen before counts less.

    "Seen" is the text of earlier results. An element that was seen as a whole gains
    (1 − penalty) of its value. One that was seen in part gains, in addition, the penalty times
    what its relevant children would gain now, weighted by their sizes. (Kazai and Lalmas 2006)

    values: what elements are worth, by the numbers of their topic and their node.
    """

    collection: Collection
    values: Mapping[tuple[int, int], float]
    penalty: float

    def of(self, ranking: Ranking, gain: Floats) -> Floats:
        """Return the gains of all results in their order, given those that ignore overlap."""
        reduced = np.zeros(len(gain))
        article, has_gain = ranking.article, gain > 0
        gaining = np.zeros(int(article.max(initial=-1)) + 1, dtype=np.bool_)
        gaining[article[has_gain]] = True
        rows = np.flatnonzero(gaining[article])  # in other documents no result gains anything
        columns = (article, ranking.topic, ranking.node, ranking.start, ranking.end, has_gain)
        seen: dict[int, _Seen] = {}
        for row, number, topic, node, start, end, gains in zip(
            rows.tolist(), *(column[rows].tolist() for column in columns), strict=True
        ):
            before = seen.setdefault(number, _Seen())
            if gains:
                reduced[row] = self._gain_now(topic, node, before)
            before.add(start, end)
        return reduced

    def _gain_now(self, topic: int, node: int, before: _Seen) -> float:
        """Return what an element gains, given what has been seen of its document.

        Elements are opened down to those that were seen as a whole or not at all; then, from the
        innermost out, each gets its gain and passes it on to its parent.
        """
        columns = self.collection.nodes
        # Of each opened element: its parent's index in this list, its size, value, seen part.
        opened: list[tuple[int, int, float, int]] = []
        pending = [(node, -1)]
        while pending:
            element, parent = pending.pop()
            value = self.values.get((topic, element), 0.0)
            start, end = int(columns.start[element]), int(columns.end[element])
            covered = before.covered(start, end) if value else 0
            opened.append((parent, end - start, value, covered))
            if 0 < covered < end - start:
                index = len(opened) - 1
                children = self.collection.children_of(element).tolist()
                pending += [(child, index) for child in children]
        inner = [0.0] * len(opened)
        for index in range(len(opened) - 1, -1, -1):
            parent, size, value, covered = opened[index]
            gain = value
            if covered:
                gain = (1 - self.penalty) * value
                if covered < size:
                    gain += self.penalty * inner[index] / size
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


# The effort that gains take


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
