"""What ESR measures share: parameters, the expectations behind scores, and three kinds of score.

A score is taken at a cut-off (`EsrAt`), at a cut-off or a point of recall (`EsrPrecision`), or
averaged over recall (`Average`). `by_rank` is what a measure is at every rank of a list; the last
two also say in `recall_by_rank` what recall is there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self

import numpy as np

from doxeval.arrays import Floats
from doxeval.measures.base import Example, Facts, Law, Measure, Need, cut_off, parameter, point
from doxeval.measures.elements import fitting_quantisation, ignore_parameter, quant_parameter
from doxeval.measures.families.esr.hits import Expectations, Readers, expectations
from doxeval.measures.families.esr.trees import (
    AssessedTrees,
    Relevance,
    RelevanceChoice,
    Which,
    trees_of_assessments,
    which_assessed,
)
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking, interpolated
from doxeval.navigation import NAMES
from doxeval.scores import Curve

_NEEDS = frozenset({Need.SIZES})
_CITE = "Ali, Consens and Lalmas 2012"
_EDGES = (
    "A topic without assessed units is undefined. A passage counts as the tree of its cover, an "
    "entry point as the innermost element around it. Beyond the end of the list hits, near-misses "
    "and misses stay as they are."
)
REL_HELP = (
    "what a unit is worth: 1, its highlighted characters, or its specificity (a unit's stated "
    "relevance, an element's quantised grade)"
)
REL_CHOICES = ("binary", "length", "spec")
_DOCUMENT = {"a": "<a><s>1234567890</s><s>12345</s></a>"}
_UNITS = (
    '{"topic": "7", "doc": "a", "nodes": ["/a[1]/s[1]"], "rel": 1}\n'
    '{"topic": "7", "doc": "a", "nodes": ["/a[1]/s[2]"], "rel": 1}\n'
)
_RUN = "7 Q0 a 1 9 run /a[1]\n7 Q0 a 2 8 run /a[1]/s[1]\n"
_WHY = (
    "Both sections are relevant, of 10 and 5 characters. The article comes first: from there "
    "readers go on to the sections with probability 2/3 and 1/3 (nav=hierarchical). The first "
    "section is second. "
)


def example(name: str, value: float, why: str) -> Example:
    """Return the family's example, with the score of one measure and why."""
    full = name.replace("(", "(assessed=units,nav=hierarchical,")
    if "(" not in name:
        full = f"{name}(assessed=units,nav=hierarchical)"
    return Example(full, value, _WHY + why, _UNITS, _RUN, _DOCUMENT)


@dataclass(frozen=True)
class Esr(Measure):
    """The parameters of all ESR measures, and the quantities they are computed from."""

    nav: str = parameter(
        "auto",
        "how users navigate; auto: by the model that is given, otherwise by depth",
        ("auto", *NAMES),
        with_share=("neighbours",),
    )
    assessed: Which = parameter(
        "auto",
        "what is relevant: the cover of highlights, the ideal or full recall base, or units "
        "assessed one by one; auto: units if there are any, else the cover, for grades the ideal "
        "base",
        ("auto", "cover", "ideal", "full", "units"),
    )
    rel: Relevance = parameter("binary", REL_HELP, REL_CHOICES)
    quant: str = quant_parameter()
    ignore: str = ignore_parameter()
    hits: Literal["auto", "exact", "certain"] = parameter(
        "auto",
        "what a result hits: the unit that it is, or also units that it surely shows; auto: exact "
        "for elements, certain for passages and trees",
        ("auto", "exact", "certain"),
    )
    shared: Literal["auto", "none", "seen"] = parameter(
        "auto",
        "whether elements that two units have in common were seen with the first; auto: none for "
        "elements, seen for passages and trees",
        ("auto", "none", "seen"),
    )

    def resolve_auto(self, truth: GroundTruth) -> Self:
        """Return it with its model of navigation, assessed units and quantisation."""
        nav = self.nav
        if nav == "auto":
            nav = "depth" if truth.navigation is None else truth.navigation.name
        else:
            truth.model(nav)  # a model that is not known is an error now
        return replace(
            self,
            nav=nav,
            assessed=which_assessed(truth) if self.assessed == "auto" else self.assessed,
            quant=fitting_quantisation(truth, self.quant),
        )

    @property
    def relevance(self) -> RelevanceChoice:
        """The parameters that say what is relevant."""
        return RelevanceChoice(self.assessed, self.rel, self.quant, self.ignore)

    @property
    def readers(self) -> Readers:
        """The parameters that expectations depend on."""
        return Readers(self.nav, self.relevance, self.hits, self.shared)

    def units(self, truth: GroundTruth) -> AssessedTrees:
        """Return the assessed units with their relevance."""
        return trees_of_assessments(truth, self.relevance)

    def expected(self, ranking: Ranking) -> Expectations:
        """Return hits, near-misses and misses, rank by rank."""
        return expectations(ranking, self.readers)

    def defined_topics(self, ranking: Ranking) -> list[int]:
        """Return the topics to score that have assessed units."""
        total = self.expected(ranking).total
        topics: list[int] = ranking.topics[total[ranking.topics] > 0].tolist()
        return topics

    # Whether the score keeps falling with the rank beyond the end of the list.
    divides_by_rank: ClassVar[bool] = False

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Return the score at every rank of a topic's list."""
        raise NotImplementedError

    def empty(self, total: float) -> float:
        """Return the score of an empty list."""
        return 0.0


def at_cut_off(measure: Esr, ranking: Ranking, k: int) -> Floats:
    """Return the score of each topic at rank k; beyond the end of a list nothing is gained."""
    total = measure.expected(ranking).total
    scores = ranking.truth.nothing()
    for topic in measure.defined_topics(ranking):
        values = measure.by_rank(ranking, topic)
        last = min(k, len(values))
        score = float(values[last - 1]) if last else measure.empty(float(total[topic]))
        scores[topic] = score * last / k if measure.divides_by_rank else score
    return scores


@dataclass(frozen=True)
class EsrAt(Esr):
    """An ESR measure at a cut-off."""

    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """Return the score at rank k."""
        return at_cut_off(self, ranking, self.k)


def facts_of(
    title: str,
    formula: str,
    cite: str,
    example: Example,
    laws: frozenset[Law] = frozenset(),
    *,
    highest: float | None = None,
    higher_is_better: bool = True,
) -> Facts:
    """Return the facts of an ESR measure, which has no upper bound unless it says so."""
    cite = f"{_CITE}, {cite}"
    return Facts(
        title,
        cite,
        formula,
        _NEEDS,
        _EDGES,
        example,
        highest=highest,
        higher_is_better=higher_is_better,
        laws=laws,
    )


_POINTS: Floats = np.arange(101) / 100
_CUT_OFF = 10


@dataclass(frozen=True)
class _AlongRecall(Esr):
    def recall_by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """Return the recall at every rank of a topic's list."""
        raise NotImplementedError

    def interpolated(self, ranking: Ranking, points: Floats, k: int | None = None) -> Floats:
        """Return the best score where recall reaches points, topics × points; of the first k."""
        total = self.expected(ranking).total
        curves = np.full((len(total), len(points)), np.nan)
        for topic in self.defined_topics(ranking):
            recall = self.recall_by_rank(ranking, topic)[:k]
            curves[topic] = interpolated(recall, self.by_rank(ranking, topic)[:k], points)
        return curves


@dataclass(frozen=True)
class EsrPrecision(_AlongRecall):
    """A kind of precision, at a cut-off or at a point of recall."""

    k: int | None = cut_off(None, "how many results count; 10 if neither @k nor [x] is given")
    x: Fraction | None = point(
        None, "a recall instead of a cut-off: the best precision where recall is at least as high"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k is not None and self.x is not None:
            raise ValueError(f"{self.name} has a cut-off @k or a point [x], not both")
        if self.k is None and self.x is None:
            object.__setattr__(self, "k", _CUT_OFF)

    def _with(self, values: dict[str, Any]) -> Self:
        """Replace a point by a cut-off, and a cut-off by a point."""
        for given, other in (("k", "x"), ("x", "k")):
            if values.get(given) is not None:
                values = {other: None, **values}
        return super()._with(values)

    def scores(self, ranking: Ranking) -> Floats:
        """Return the score at rank k or at a recall of x."""
        if self.x is None:
            return at_cut_off(self, ranking, self.k or _CUT_OFF)
        at_point: Floats = self.interpolated(ranking, np.array([float(self.x)]))[:, 0]
        return at_point

    @property
    def laws(self) -> frozenset[Law]:
        """Only a point can make the score fall with the point."""
        return self.facts.laws - ({Law.FALLS_WITH_X} if self.x is None else set())


@dataclass(frozen=True)
class Average(_AlongRecall):
    """A kind of precision, averaged over recall."""

    k: int | None = cut_off(None, "how many results count; without it, all do")

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of interpolated precision."""
        means: Floats = self.interpolated(ranking, _POINTS, self.k).mean(axis=1)
        return means

    def curve(self, ranking: Ranking) -> Curve:
        """Return interpolated precision by recall."""
        y = self.interpolated(ranking, _POINTS, self.k)
        return Curve(str(self), "recall", "precision", _POINTS, y)
