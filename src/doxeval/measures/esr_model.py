"""What all ESR measures share: their parameters, and the expectations behind their scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from doxeval.assessments.quantisations import QUANTISATIONS
from doxeval.measures.assessed_trees import (
    AssessedTrees,
    Relevance,
    Which,
    assessed_trees,
    union_lengths,
)
from doxeval.measures.base import Example, Facts, Floats, Measure, Need, cut_off, parameter
from doxeval.measures.expectations import Expectations, expectations
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking
from doxeval.navigation.model import Navigation
from doxeval.navigation.read import NAMES
from doxeval.scores import Curve

_NEEDS = frozenset({Need.SIZES})
_CITE = "Ali, Consens and Lalmas 2012"
_EDGES = (
    "A topic without assessed units is undefined. A passage counts as the innermost element "
    "around it. Beyond the end of the list hits, near-misses and misses stay as they are."
)
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
    """The family's example, with the score of one measure and why."""
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
    )
    assessed: Which = parameter(
        "full",
        "what is relevant: the full or ideal recall base, or the assessed units one by one",
        ("full", "ideal", "units"),
    )
    rel: Relevance = parameter(
        "binary",
        "what a unit is worth: 1, its highlighted characters, or its quantised grade",
        ("binary", "length", "spec"),
    )
    quant: str = parameter("spec", "how grades become numbers", tuple(QUANTISATIONS))
    shared: Literal["none", "seen"] = parameter(
        "none",
        "whether elements that two units have in common were seen with the first",
        ("none", "seen"),
    )

    def settled(self, truth: GroundTruth) -> Measure:
        """The model of navigation by its name instead of `auto`."""
        given = truth.navigation
        if self.nav == "auto":
            return self(nav="depth" if given is None else given.name)
        truth.model(self.nav)
        return self

    def navigation(self, truth: GroundTruth) -> Navigation:
        """The model of navigation."""
        return truth.model(self.nav)

    def units(self, ranking: Ranking) -> AssessedTrees:
        """The assessed units with their relevance."""
        return assessed_trees(ranking.truth, self.assessed, self.rel, self.quant)

    def expected(self, ranking: Ranking) -> Expectations:
        """Hits, near-misses and misses, rank by rank."""
        key = ("expectations", *self.model_key)
        return ranking.remembered(
            key,
            lambda: expectations(
                ranking,
                self.units(ranking),
                self.navigation(ranking.truth),
                self.shared == "seen",
            ),
        )

    @property
    def model_key(self) -> tuple[str, ...]:
        """The parameters that expectations depend on."""
        return (self.nav, self.assessed, self.rel, self.quant, self.shared)

    def read(self, ranking: Ranking) -> list[Floats]:
        """Σ size of results, rank by rank."""
        return ranking.remembered("sizes of trees", lambda: _cumulated_sizes(ranking))

    def relevant_text(self, ranking: Ranking) -> Floats:
        """Trel: the highlighted characters, or the relevance of all units if none are."""
        if ranking.truth.has_highlights:
            return ranking.truth.relevant_characters.astype(np.float64)
        return self.expected(ranking).total

    def by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """The score at every rank of a topic's list."""
        raise NotImplementedError

    def empty(self, total: float) -> float:
        """The score of an empty list."""
        return 0.0


def _cumulated_sizes(ranking: Ranking) -> list[Floats]:
    sizes = union_lengths(ranking.truth, ranking.topic, ranking.returned_trees, relevant=False)
    return ranking.by_topic(ranking.cumulated(sizes))


def _at(values: Floats, k: int, empty: float) -> float:
    return float(values[min(k, len(values)) - 1]) if len(values) else empty


@dataclass(frozen=True)
class EsrAt(Esr):
    """An ESR measure at a cut-off."""

    k: int = cut_off(10)

    # Whether the score keeps falling with the rank beyond the end of the list.
    divides_by_rank: ClassVar[bool] = False

    def scores(self, ranking: Ranking) -> Floats:
        """The score at rank k."""
        total = self.expected(ranking).total
        scores = ranking.truth.nothing()
        for topic in np.flatnonzero(total > 0).tolist():
            values = self.by_rank(ranking, topic)
            score = _at(values, self.k, self.empty(float(total[topic])))
            if self.divides_by_rank and 0 < len(values) < self.k:
                score *= len(values) / self.k
            scores[topic] = score
        return scores


def shares_by_rank(measure: EsrAt, ranking: Ranking) -> Curve:
    """The score at every rank as a share of the total relevance; beyond a list it stays."""
    total = measure.expected(ranking).total
    ranks = max(int(ranking.counts.max(initial=0)), 1)
    y = np.full((len(total), ranks), np.nan)
    for topic in np.flatnonzero(total > 0).tolist():
        whole = float(total[topic])
        values = measure.by_rank(ranking, topic) / whole
        last = float(values[-1]) if len(values) else measure.empty(whole) / whole
        y[topic] = np.append(values, np.full(ranks - len(values), last))
    x = np.arange(1, ranks + 1).astype(np.float64)
    return Curve(str(measure), "rank", "share", x, y)


def facts_of(title: str, formula: str, cite: str, example: Example, **more: Any) -> Facts:
    """The facts of an ESR measure."""
    return Facts(title, f"{_CITE}, {cite}", formula, _NEEDS, _EDGES, example, **more)
