"""ESR measures of precision along recall: at a cut-off, at a point of recall, or on average."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np

from doxeval.arrays import Floats
from doxeval.measures.base import Law, cut_off, point
from doxeval.measures.esr_model import Esr, at_cut_off
from doxeval.measures.ranking import Ranking, interpolated
from doxeval.scores import Curve

_POINTS: Floats = np.arange(101) / 100
_CUT_OFF = 10


@dataclass(frozen=True)
class _AlongRecall(Esr):
    def recall_by_rank(self, ranking: Ranking, topic: int) -> Floats:
        """The recall at every rank of a topic's list."""
        raise NotImplementedError

    def interpolated(self, ranking: Ranking, points: Floats, k: int | None = None) -> Floats:
        """The best score where recall is at least as high, topics × points; of the first k."""
        total = self.expected(ranking).total
        curves = np.full((len(total), len(points)), np.nan)
        for topic in np.flatnonzero(total > 0).tolist():
            recall = self.recall_by_rank(ranking, topic)[:k]
            curves[topic] = interpolated(recall, self.by_rank(ranking, topic)[:k], points)
        return curves


@dataclass(frozen=True)
class Precision(_AlongRecall):
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
        """A cut-off takes the place of a point, and a point that of a cut-off."""
        for given, other in (("k", "x"), ("x", "k")):
            if values.get(given) is not None:
                values = {other: None, **values}
        return super()._with(values)

    def scores(self, ranking: Ranking) -> Floats:
        """The score at rank k or at a recall of x."""
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
        """The mean of interpolated precision."""
        means: Floats = self.interpolated(ranking, _POINTS, self.k).mean(axis=1)
        return means

    def curve(self, ranking: Ranking) -> Curve:
        """Interpolated precision by recall."""
        y = self.interpolated(ranking, _POINTS, self.k)
        return Curve(str(self), "recall", "precision", _POINTS, y)
