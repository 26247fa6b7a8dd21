"""inex_eval: precision at recall, over elements (INEX 2002–2004).

    P(rel|retr)(x) = x·n / (x·n + esl)        esl = j + s·i / (r + 1)

n is the sum of the values of all relevant elements. Walking down the list, recall x is reached in
some level (tied results form one level): j counts what is not relevant before that level, r and i
what is relevant and what is not within it, and s is how much of x·n is still missing there. esl is
the expected search length: the number of elements that are not relevant and are looked at on the
way. The score is the mean over x = 0.01, 0.02, … 1.00. (Raghavan et al. 1989)

Elements are counted one by one: overlap between them is ignored, as it was in those years.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments.quantisations import QUANTISATIONS
from doxeval.measures.base import (
    TOLERANCE,
    Example,
    Facts,
    Floats,
    Law,
    Measure,
    Need,
    parameter,
)
from doxeval.measures.gains import gains_of
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking
from doxeval.scores import Curve

Interpolation = Literal["intuitive", "ceiling"]
Unretrieved = Literal["auto", "level", "zero"]
POINTS: Floats = np.arange(1, 101) / 100


def precisions(
    relevant: Floats, other: Floats, wanted: float, points: Floats, ceiling: bool = False
) -> Floats:
    """P(rel|retr) at points of recall.

    relevant, other: how much is relevant and how much is not in each level, from the top.
    wanted: n, the sum of all relevant elements.

    >>> levels = np.array([1.0, 0, 1, 0, 0, 1])
    >>> precisions(levels, 1 - levels, 3.0, np.array([1, 2, 3]) / 3, ceiling=True).round(4).tolist()
    [1.0, 0.6667, 0.5]
    >>> precisions(levels, 1 - levels, 3.0, np.array([0.5])).tolist()
    [0.6]
    """
    mass = points * wanted
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
class InexEval(Measure):
    """Precision at a hundred points of recall, averaged."""

    name: ClassVar[str] = "inex_eval"
    facts: ClassVar[Facts] = Facts(
        "precision at recall over elements (precall)",
        "Raghavan et al. 1989; Piwowarski and Gallinari 2003, §2; Gövert et al. 2003, §3",
        "P(x) = x·n / (x·n + esl), esl = j + s·i/(r + 1); mean over x = 0.01 … 1.00",
        frozenset({Need.ELEMENTS, Need.RETRIEVED_ELEMENTS}),
        "A topic without relevant elements is undefined. Recall that the list never reaches "
        "scores 0, or counts the rest of the collection as one last level (unretrieved). Values "
        "above 1 (gen5, genLifted) make no sense here and are refused.",
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
    quant: str = parameter(
        "spec",
        "how grades become numbers; spec for highlighted text",
        tuple(name for name, one in QUANTISATIONS.items() if one.largest <= 1),
    )
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

    def settled(self, truth: GroundTruth) -> Measure:
        """How elements that are not retrieved count depends on whether there is a collection."""
        if self.unretrieved != "auto":
            return self
        return self(unretrieved="zero" if truth.collection is None else "level")

    def scores(self, ranking: Ranking) -> Floats:
        """The mean precision."""
        means: Floats = self._precisions(ranking).mean(axis=1)
        return means

    def curve(self, ranking: Ranking) -> Curve:
        """Precision by recall."""
        return Curve(str(self), "recall", "precision", POINTS, self._precisions(ranking))

    def _precisions(self, ranking: Ranking) -> Floats:
        truth, ceiling = ranking.truth, self.interpolation == "ceiling"
        gains = gains_of(ranking, "full", self.quant)
        levels = ranking.by_topic(ranking.level)
        result = np.full((len(truth.topics), len(POINTS)), np.nan)
        for topic, (values, base) in enumerate(zip(gains.run, gains.ideal, strict=True)):
            if len(base):
                wanted = math.fsum(base.tolist())
                relevant, other = _by_level(values, levels[topic])
                if self.unretrieved == "level" and len(values):  # an empty list scores 0
                    relevant, other = _with_rest(truth, relevant, other, wanted, len(values))
                result[topic] = precisions(relevant, other, wanted, POINTS, ceiling)
        return result


def _with_rest(
    truth: GroundTruth, relevant: Floats, other: Floats, wanted: float, listed: int
) -> tuple[Floats, Floats]:
    """One more level: all elements of the collection that were not retrieved."""
    elements = len(truth.known_collection.nodes.path)
    missing = max(wanted - float(relevant.sum()), 0.0)
    rest = max(elements - listed - missing, 0.0)
    return np.append(relevant, missing), np.append(other, rest)


def _by_level(values: Floats, levels: Ints) -> tuple[Floats, Floats]:
    """How much is relevant and how much is not in each level."""
    if not len(values):
        return np.zeros(0), np.zeros(0)
    first = np.flatnonzero(np.append(True, np.diff(levels) != 0))
    return np.add.reduceat(values, first), np.add.reduceat(1 - values, first)
