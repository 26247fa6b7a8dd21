"""HiXEval: precision and recall in highlighted characters.

    P@r = Σ rsize / Σ size        R@r = Σ rsize / Trel
    rsize(e) = rel(e) − (1 − α)·rov(e)

rel is the number of highlighted characters of a result, and rov is how many of them earlier
results have already shown. With α = 0 each relevant character counts once, with α = 1 repetitions
count in full. iP[x] is the best precision at any rank whose recall is at least x; MAiP is the mean
of iP over the recall points 0.00, 0.01, … 1.00, and MAcP@k the mean of P over the ranks 1 … k.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints
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
from doxeval.measures.new_text import best_shown, new_gain
from doxeval.measures.ranking import Numbers, Ranking, defined, ratio
from doxeval.scores import Curve

Resize = Literal["full", "new", "tool"]
_NEEDS = frozenset({Need.HIGHLIGHTS, Need.RETRIEVED_TEXT})
_CITE = "Pehcevski and Thom 2006; Kamps et al. 2008; Ali, Consens and Lalmas 2012, eq 15–17"
_EDGES = (
    "A topic without highlighted text is undefined; an empty list scores 0; beyond the end of "
    "the list the sums stay as they are. With alpha above 0 recall is clipped at 1. A need weighs "
    "its grade times its shortest alternative and is answered by the best-shown one; for precision "
    "that one counts as if it were the only one."
)
_ASSESSMENTS = "7 Q0 a 200 1000 0 0:200\n7 Q0 b 300 1000 0 100:300\n"
_RUN = (
    "7 Q0 a 1 9 run 150 100\n7 Q0 c 2 8 run 0 200\n7 Q0 b 3 7 run 100 150\n7 Q0 b 4 6 run 250 150\n"
)
_WHY = (
    "500 characters are relevant. The four results have 100, 200, 150 and 150 characters, 50, 0, "
    "150 and 150 of them relevant. "
)


def _example(name: str, value: float, why: str) -> Example:
    return Example(name, value, _WHY + why, _ASSESSMENTS, _RUN)


@dataclass(frozen=True)
class _CharacterMeasure(Measure):
    alpha: float = parameter(0.0, "how much relevant text counts if seen before, from 0 to 1")
    resize: Resize = parameter(
        "full",
        "the size of a result: full; only its new characters; or tool: new ones in documents with "
        "relevant text, full elsewhere (as inex_eval counts thorough runs)",
        ("full", "new", "tool"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.alpha <= 1:
            raise ValueError("alpha must be between 0 and 1")

    @property
    def highest(self) -> float | None:
        """None where repeated relevant text adds to the gain but not to the size."""
        return None if self.alpha > 0 and self.resize != "full" else self.facts.highest

    def sums(self, ranking: Ranking) -> _ReadingSums:
        """Return Σ rsize, Σ size and the best precision, shared by all measures of the family."""
        return _reading_sums(ranking, self.alpha, self.resize)

    def precision_at(self, k: int, ranking: Ranking) -> Floats:
        """Return P@k of each topic."""
        sums = self.sums(ranking)
        return ratio(ranking.at(k, sums.useful), ranking.at(k, sums.read))

    def recall_at(self, k: int, ranking: Ranking) -> Floats:
        """Return R@k of each topic."""
        gained = ranking.at(k, self.sums(ranking).gained)
        return np.minimum(ratio(gained, ranking.truth.relevance_weights.total), 1.0)

    def interpolated(self, ranking: Ranking, points: list[Fraction]) -> Floats:
        """Return interpolated precision at points of recall, topics × points."""
        sums = self.sums(ranking)
        first = _first_rows(sums.gained, ranking, points)
        beyond = first >= ranking.begin[ranking.topics + 1, None]  # the recall is never reached
        result = np.full((len(ranking.truth.topics), len(points)), np.nan)
        result[ranking.topics] = np.where(beyond, 0.0, sums.best_from[np.where(beyond, -1, first)])
        result[ranking.truth.relevance_weights.total == 0] = np.nan
        return result


class _ReadingSums(NamedTuple):
    """Up to each result: relevant characters gained, characters read.

    useful: those gained as they count among the characters read, where the best-shown alternative
    of each need stands as if it were the only one. best_from: the best precision from each result
    on, and a 0 at the end.
    """

    gained: Numbers
    useful: Numbers
    read: Numbers
    best_from: Floats


@once
def _reading_sums(ranking: Ranking, alpha: float, resize: Resize) -> _ReadingSums:
    rsize = new_gain(ranking)
    if alpha == 1:
        rsize = ranking.relevant
    elif alpha > 0:  # with an alpha of 0 or 1 it stays in whole numbers
        rsize = alpha * ranking.relevant + (1 - alpha) * rsize
    gained = useful = ranking.cumulated(rsize)
    if not ranking.truth.relevance_weights.is_plain:
        again = ranking.cumulated(ranking.relevant)
        useful = alpha * again + (1 - alpha) * best_shown(ranking).shown
    size = ranking.size
    if resize != "full":
        size = ranking.new_size if resize == "new" else ranking.new_size_in_relevant
    read = ranking.cumulated(size)
    precision = ranking.lists(ratio(useful, read))
    best_from = [np.maximum.accumulate(values[::-1])[::-1] for _, values in precision]
    return _ReadingSums(gained, useful, read, np.concatenate([*best_from, np.zeros(1)]))


def _first_rows(gained: Numbers, ranking: Ranking, points: list[Fraction]) -> Ints:
    """Return the first row of each topic to score whose recall is at least as high as each point.

    Sums never fall within a topic, so topic and sum as one number never fall over all rows.
    """
    topics = ranking.topics
    relevant = ranking.truth.relevance_weights.total[topics]
    step = float(max(int(relevant.max(initial=0)), gained.max(initial=0)) + 2)
    if np.issubdtype(gained.dtype, np.integer):
        # gained / relevant ≥ x, in whole numbers: gained ≥ ⌈x · relevant⌉
        enough = np.stack([_at_least(x, relevant) for x in points], axis=1)
        keys = ranking.topic * int(step) + gained
        return np.searchsorted(keys, topics[:, None] * int(step) + enough)
    first = np.zeros((len(topics), len(points)), dtype=np.int64)
    for row, (topic, sums) in enumerate(ranking.lists(gained)):
        enough = np.array([float(x) * relevant[row] - TOLERANCE for x in points])
        first[row] = ranking.begin[topic] + np.searchsorted(sums, enough)
    return first


def _at_least(share: Fraction, whole: Ints) -> Ints:
    """Return ⌈share · whole⌉, exactly."""
    if share.denominator * int(whole.max(initial=0)) < 1 << 62:
        return -(-share.numerator * whole // share.denominator)
    return np.array([-(-share.numerator * n // share.denominator) for n in whole.tolist()])


@dataclass(frozen=True)
class CharacterPrecision(_CharacterMeasure):
    """The share of relevant characters among all that the first k results show."""

    name: ClassVar[str] = "cP"
    facts: ClassVar[Facts] = Facts(
        "precision in characters",
        _CITE,
        "cP@k = Σ rsize(e_i) / Σ size(e_i), i = 1 … k",
        _NEEDS,
        _EDGES,
        _example("cP@3", 200 / 450, "Of the first 450 characters 200 are relevant."),
        laws=frozenset({Law.TAIL_IS_FREE}),
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """Return P@k."""
        total = ranking.truth.relevance_weights.total
        return defined(self.precision_at(self.k, ranking), total)


@dataclass(frozen=True)
class CharacterRecall(_CharacterMeasure):
    """The share of the relevant characters that the first k results show."""

    name: ClassVar[str] = "cR"
    facts: ClassVar[Facts] = Facts(
        "recall in characters",
        _CITE,
        "cR@k = Σ rsize(e_i) / Trel, i = 1 … k",
        _NEEDS,
        _EDGES,
        _example("cR@3", 0.4, "The first three show 200 of the 500."),
        laws=frozenset({Law.TAIL_IS_FREE, Law.GROWS_WITH_K}),
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """Return R@k."""
        return defined(self.recall_at(self.k, ranking), ranking.truth.relevance_weights.total)


@dataclass(frozen=True)
class CharacterF(_CharacterMeasure):
    """Precision and recall in characters, combined as F."""

    name: ClassVar[str] = "cF"
    facts: ClassVar[Facts] = Facts(
        "precision and recall in characters, as F",
        _CITE,
        "cF@k = (1 + β²)·P·R / (β²·P + R) with P = cP@k, R = cR@k",
        _NEEDS,
        _EDGES,
        _example(
            "cF@3", 2 * (4 / 9) * 0.4 / (4 / 9 + 0.4), "Precision is 200/450, recall 200/500."
        ),
        laws=frozenset({Law.TAIL_IS_FREE}),
    )
    k: int = cut_off(10)
    beta: float = parameter(1.0, "how much recall weighs against precision")

    def scores(self, ranking: Ranking) -> Floats:
        """Return F_β at k."""
        precision = self.precision_at(self.k, ranking)
        recall = self.recall_at(self.k, ranking)
        weight = self.beta**2
        mixed = ratio((1 + weight) * precision * recall, weight * precision + recall)
        return defined(mixed, ranking.truth.relevance_weights.total)


@dataclass(frozen=True)
class AverageCharacterPrecision(_CharacterMeasure):
    """Precision in characters, averaged over the ranks up to k."""

    name: ClassVar[str] = "MAcP"
    facts: ClassVar[Facts] = Facts(
        "precision in characters, averaged over ranks",
        "Ali, Consens and Lalmas 2012, §6.2, eq 15–16",
        "MAcP@k = (cP@1 + … + cP@k) / k",
        _NEEDS,
        _EDGES,
        _example(
            "MAcP@3",
            (50 / 100 + 50 / 300 + 200 / 450) / 3,
            "cP is 50/100, 50/300 and 200/450 at the first three ranks.",
        ),
        laws=frozenset({Law.TAIL_IS_FREE}),
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of P@1 … P@k."""
        sums = self.sums(ranking)
        precision = ratio(sums.useful, sums.read)
        beyond = np.maximum(self.k - ranking.counts, 0)  # there it stays as it is
        total = ranking.at(self.k, ranking.cumulated(precision))
        means = (total + beyond * ranking.at(self.k, precision)) / self.k
        return defined(means, ranking.truth.relevance_weights.total)


@dataclass(frozen=True)
class InterpolatedPrecision(_CharacterMeasure):
    """The best precision at any rank that reaches a recall of x."""

    name: ClassVar[str] = "iP"
    facts: ClassVar[Facts] = Facts(
        "interpolated precision at recall x",
        _CITE,
        "iP[x] = max { P@r : R@r ≥ x }, 0 if x is never reached",
        _NEEDS,
        _EDGES + " R ≥ x is compared in whole numbers.",
        _example(
            "iP[0.4]",
            350 / 600,
            "A recall of 0.4 is reached at rank 3 (precision 200/450) and kept at rank 4 "
            "(precision 350/600), which is better.",
        ),
        laws=frozenset({Law.FALLS_WITH_X, Law.TAIL_IS_FREE}),
    )
    x: Fraction = point(Fraction(1, 100), "the recall that must be reached")

    def scores(self, ranking: Ranking) -> Floats:
        """Return interpolated precision at x."""
        return self.interpolated(ranking, [self.x])[:, 0]


@dataclass(frozen=True)
class AverageInterpolatedPrecision(_CharacterMeasure):
    """Interpolated precision, averaged over 101 points of recall."""

    name: ClassVar[str] = "MAiP"
    facts: ClassVar[Facts] = Facts(
        "average interpolated precision",
        _CITE,
        "MAiP = mean of iP[x] over x = 0.00, 0.01, … 1.00; MAiP@k that of the first k results",
        _NEEDS,
        _EDGES,
        _example(
            "MAiP",
            (71 * 350 / 600) / 101,
            "The best precision, 350/600, is that of the last rank, where recall is 0.7: "
            "71 of the 101 points get it, the others 0.",
        ),
        laws=frozenset({Law.TAIL_IS_FREE, Law.GROWS_WITH_K}),
    )
    k: int | None = cut_off(None, CUT_LIST)
    POINTS: ClassVar[list[Fraction]] = [Fraction(n, 100) for n in range(101)]

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of 101 points."""
        means: Floats = self._at_points(ranking).mean(axis=1)
        return means

    def curve(self, ranking: Ranking) -> Curve:
        """Return interpolated precision by recall."""
        x = np.array([float(p) for p in self.POINTS])
        return Curve(str(self), "recall", "iP", x, self._at_points(ranking))

    def _at_points(self, ranking: Ranking) -> Floats:
        """Return interpolated precision at all points, topics × points; of the first k results."""
        return self.interpolated(ranking.first(self.k), self.POINTS)
