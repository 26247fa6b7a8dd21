"""inex_eval: precision at recall, over elements (INEX 2002–2004).

    P(rel|retr)(x) = x·n / (x·n + esl)        esl = j + s·i / (r + 1)

n is the sum of the values of all relevant elements. Walking down the list, recall x is reached in
some level (tied results form one level): j counts what is not relevant before that level, r and i
what is relevant and what is not within it, and s is how much of x·n is still missing there. esl is
the expected search length: the number of elements that are not relevant and are looked at on the
way. The score is the mean over x = 0.01, 0.02, … 1.00. (Raghavan et al. 1989)

By rank: qP@k = the sum of the values of the first k results / k, qR@k = the same sum / n.
(Piwowarski and Gallinari 2003, eq 1–2)

Elements are counted one by one: overlap between them is ignored, as it was in those years.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.assessments import QUANTISATIONS
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
)
from doxeval.measures.elements import (
    Gains,
    base_values,
    best_first,
    fitting_quantisation,
    ignore_parameter,
    quant_parameter,
)
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking
from doxeval.scores import Curve

Interpolation = Literal["intuitive", "ceiling"]
Unretrieved = Literal["auto", "level", "zero"]
POINTS: Floats = np.arange(1, 101) / 100
_NEEDS = frozenset({Need.ELEMENTS, Need.RETRIEVED_ELEMENTS})
# An element counts as so much relevant and so much not, so its value cannot exceed 1.
_QUANTS = tuple(name for name, quantisation in QUANTISATIONS.items() if quantisation.largest <= 1)
_REFUSED = "Values above 1 (gen5, genLifted) make no sense here and are refused."
_IGNORED = "Elements with ignored tags are worth 0."


def precisions(
    relevant: Floats, other: Floats, total: float, points: Floats, ceiling: bool = False
) -> Floats:
    """Return P(rel|retr) at points of recall.

    relevant, other: how much is relevant and how much is not in each level, from the top.
    total: n, the sum of all relevant elements.

    >>> levels = np.array([1.0, 0, 1, 0, 0, 1])
    >>> precisions(levels, 1 - levels, 3.0, np.array([1, 2, 3]) / 3, ceiling=True).round(4).tolist()
    [1.0, 0.6667, 0.5]
    >>> precisions(levels, 1 - levels, 3.0, np.array([0.5])).tolist()
    [0.6]
    """
    mass = points * total
    if ceiling:
        mass = np.ceil(mass - TOLERANCE)
    reached = np.cumsum(relevant)
    level = np.searchsorted(reached, mass - TOLERANCE)
    is_reached = level < len(reached)
    level = level[is_reached]
    mass = mass[is_reached]
    before = reached[level] - relevant[level]
    passed = np.cumsum(other)[level] - other[level]
    effort = passed + (mass - before) * other[level] / (relevant[level] + 1)
    result = np.zeros(len(points))
    result[is_reached] = mass / (mass + effort)
    return result


@dataclass(frozen=True)
class _Quantised(Measure):
    quant: str = quant_parameter(_QUANTS)
    ignore: str = ignore_parameter()

    def resolve_auto(self, truth: GroundTruth) -> Measure:
        """Return it with the quantisation that fits the assessments."""
        return self(quant=fitting_quantisation(truth, self.quant, _QUANTS))

    def values(self, ranking: Ranking) -> Gains:
        """Return the values of the results and of the recall base, by topic."""
        values = base_values(ranking, self.quant, self.ignore).value
        base = best_first(ranking.truth, "full", self.quant, self.ignore)
        return Gains(ranking.by_topic(values), base)


@dataclass(frozen=True)
class InexEval(_Quantised):
    """Precision at a hundred points of recall, averaged."""

    name: ClassVar[str] = "inex_eval"
    facts: ClassVar[Facts] = Facts(
        "precision at recall over elements (precall)",
        "Raghavan et al. 1989; Gövert et al. 2003, §6; Piwowarski and Gallinari 2003, §2",
        "P(x) = x·n / (x·n + esl), esl = j + s·i/(r + 1); mean over x = 0.01 … 1.00; "
        "inex_eval@k that of the first k results",
        _NEEDS,
        "A topic without relevant elements is undefined. Recall that the list never reaches "
        "scores 0, or counts the rest of the collection as one last level (unretrieved). "
        f"{_IGNORED} {_REFUSED}",
        Example(
            "inex_eval(quant=strict)",
            (50 * 1.0 + sum(x / 100 * 2 / (x / 100 * 2 + 1) for x in range(51, 101))) / 100,
            "Two elements are relevant, found at ranks 1 and 3. Up to x = .5 nothing else is seen; "
            "beyond that, one other element is: P(x) = 2x / (2x + 1).",
            '{"topic": "7", "doc": "a", "path": "/p[1]", "e": 3, "s": 3}\n'
            '{"topic": "7", "doc": "b", "path": "/p[1]", "e": 3, "s": 3}\n',
            "7 Q0 a 1 9 run /p[1]\n7 Q0 x 2 8 run /p[1]\n7 Q0 b 3 7 run /p[1]\n",
        ),
        laws=frozenset({Law.IDEAL_IS_BEST}),
    )
    k: int | None = cut_off(None, CUT_LIST)
    interpolation: Interpolation = parameter(
        "intuitive", "x·n as it is, or rounded up", ("intuitive", "ceiling")
    )
    unretrieved: Unretrieved = parameter(
        "auto",
        "recall that the list does not reach: the rest of the collection as one last level, or 0; "
        "auto is level if there is a collection",
        ("auto", "level", "zero"),
    )

    @property
    def laws(self) -> frozenset[Law]:
        """An element of value ½ also counts as half an irrelevant one.

        So with unretrieved=level a run may score higher without some of the relevant elements.
        """
        return self.facts.laws if self.unretrieved == "zero" else frozenset()

    def resolve_auto(self, truth: GroundTruth) -> Measure:
        """Return it with its quantisation, and what counts as unretrieved."""
        rest = "zero" if truth.collection is None else "level"
        return super().resolve_auto(truth)(
            unretrieved=rest if self.unretrieved == "auto" else self.unretrieved
        )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean precision."""
        means: Floats = self._precisions(ranking).mean(axis=1)
        return means

    def curve(self, ranking: Ranking) -> Curve:
        """Return precision by recall."""
        return Curve(str(self), "recall", "precision", POINTS, self._precisions(ranking))

    def _precisions(self, ranking: Ranking) -> Floats:
        ranking = ranking.first(self.k)
        truth, ceiling = ranking.truth, self.interpolation == "ceiling"
        levels, listed = ranking.by_topic(ranking.level), ranking.distinct_counts.tolist()
        result = np.full((len(truth.topics), len(POINTS)), np.nan)
        for topic, values, base in self.values(ranking).defined(ranking):
            total = math.fsum(base.tolist())
            relevant, other = _by_level(values, levels[topic])
            if self.unretrieved == "level" and len(values):  # an empty list scores 0
                relevant, other = _with_rest(truth, relevant, other, total, listed[topic])
            result[topic] = precisions(relevant, other, total, POINTS, ceiling)
        return result


_ASSESSMENTS = (
    '{"topic": "7", "doc": "a", "path": "/p[1]", "e": 3, "s": 3}\n'
    '{"topic": "7", "doc": "b", "path": "/p[1]", "e": 3, "s": 2}\n'
    '{"topic": "7", "doc": "c", "path": "/p[1]", "e": 1, "s": 1}\n'
)
_RUN = "7 Q0 b 1 9 run /p[1]\n7 Q0 x 2 8 run /p[1]\n7 Q0 a 3 7 run /p[1]\n"
_BY_RANK = frozenset({Law.IDEAL_IS_BEST, Law.TAIL_IS_FREE, Law.BETTER_UP})
_EDGES = (
    "A topic without relevant elements is undefined; an empty list scores 0; beyond the end of "
    f"the list nothing more is found. {_IGNORED} {_REFUSED}"
)


@dataclass(frozen=True)
class QuantisedPrecision(_Quantised):
    """The mean value of the first k results."""

    name: ClassVar[str] = "qP"
    facts: ClassVar[Facts] = Facts(
        "generalised precision over elements",
        "Piwowarski and Gallinari 2003, eq 2",
        "qP@k = Σ quant(e_i) over i = 1 … k, / k",
        _NEEDS,
        _EDGES,
        Example(
            "qP@3(quant=gen)",
            1.75 / 3,
            "The elements a, b, c are worth 1, .75 and .25 with quant=gen. The run returns b, an "
            "element that was not judged, and a: .75 + 0 + 1 of 3.",
            _ASSESSMENTS,
            _RUN,
        ),
        laws=_BY_RANK,
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """Return qP@k."""
        return self.values(ranking).to_rank(self.k, ranking) / self.k


@dataclass(frozen=True)
class QuantisedRecall(_Quantised):
    """The value of the first k results, as a share of all there is."""

    name: ClassVar[str] = "qR"
    facts: ClassVar[Facts] = Facts(
        "generalised recall over elements",
        "Piwowarski and Gallinari 2003, eq 1",
        "qR@k = Σ quant(e_i) over i = 1 … k, / n, n = Σ quant over all relevant elements",
        _NEEDS,
        _EDGES,
        Example(
            "qR@3(quant=gen)",
            1.75 / 2,
            "The elements a, b, c are worth 1, .75 and .25 with quant=gen: n = 2. The run returns "
            "b, an element that was not judged, and a: .75 + 0 + 1.",
            _ASSESSMENTS,
            _RUN,
        ),
        laws=_BY_RANK | {Law.GROWS_WITH_K},
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """Return qR@k."""
        values, total = self.values(ranking), ranking.truth.nothing()
        for topic, _, base in values.defined(ranking):
            total[topic] = math.fsum(base.tolist()) or math.nan
        return values.to_rank(self.k, ranking) / total


def _with_rest(
    truth: GroundTruth, relevant: Floats, other: Floats, total: float, listed: int
) -> tuple[Floats, Floats]:
    """Append one more level: all elements of the collection that were not retrieved."""
    elements = len(truth.known_collection.nodes.path)
    missing = max(total - float(relevant.sum()), 0.0)
    rest = max(elements - listed - missing, 0.0)
    return np.append(relevant, missing), np.append(other, rest)


def _by_level(values: Floats, levels: Ints) -> tuple[Floats, Floats]:
    """Return how much is relevant and how much is not in each level."""
    if not len(values):
        return np.zeros(0), np.zeros(0)
    first = np.flatnonzero(np.append(True, np.diff(levels) != 0))
    return np.add.reduceat(values, first), np.add.reduceat(1 - values, first)
