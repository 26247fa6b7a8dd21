"""How many needs the first results answer, and how soon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.measures.answered import answered
from doxeval.measures.base import Facts, Law, Measure, Need, cut_off, parameter
from doxeval.measures.best_chunks import best_gains, linear_gains
from doxeval.measures.families.chunks.common import NEEDS, example
from doxeval.measures.ranking import Ranking, ratio

By = Literal["union", "chunk"]
_NEED_EDGES = (
    "A topic without needs is undefined; an empty list scores 0. A need is answered by any of its "
    "alternatives. Shares are of solid characters where texts are known. cover=0 asks for one "
    "character."
)
_NEED_LAWS = frozenset({Law.TAIL_IS_FREE, Law.GROWS_WITH_K, Law.ANY_COPY_WILL_DO})


def _cover_parameter() -> float:
    cover: float = parameter(1.0, "how much of a need must be shown, from 0 to 1")
    return cover


def _by_parameter() -> By:
    by: By = parameter(
        "union", "a need is shown by all results together, or by a single chunk", ("union", "chunk")
    )
    return by


@dataclass(frozen=True)
class _OfNeeds(Measure):
    def __post_init__(self) -> None:
        super().__post_init__()
        if getattr(self, "cover", 0.0) > 1:
            raise ValueError("cover must be between 0 and 1")

    def sums(self, ranking: Ranking, values: Floats) -> Floats:
        """Values of needs, summed for each topic."""
        found = np.zeros(len(ranking.truth.topics))
        np.add.at(found, ranking.truth.needs.topic, values)
        return found

    def at_rank(self, ranking: Ranking) -> Ints:
        """The rank at which each need is answered."""
        return answered(ranking, getattr(self, "cover", 1.0), getattr(self, "by", "union"))

    def defined(self, ranking: Ranking, values: Floats) -> Floats:
        """The values, with nan for topics without needs."""
        counts = np.bincount(ranking.truth.needs.topic, minlength=len(values))
        return np.where(counts == 0, np.nan, values)


@dataclass(frozen=True)
class Hit(_OfNeeds):
    """Whether the first k results answer any need."""

    name: ClassVar[str] = "hit"
    facts: ClassVar[Facts] = Facts(
        "hit: whether some need is answered",
        "Voorhees 1999",
        "hit@k = 1 if some need is shown to at least cover by the first k results, else 0",
        NEEDS,
        _NEED_EDGES,
        example("hit@2", 1.0, "a[100, 200) is complete after two results."),
        laws=_NEED_LAWS,
        repeats="keep",
    )
    k: int = cut_off(5)
    cover: float = _cover_parameter()
    by: By = _by_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """1 if some need is answered."""
        found = self.sums(ranking, (self.at_rank(ranking) <= self.k).astype(np.float64))
        return self.defined(ranking, (found > 0).astype(np.float64))


@dataclass(frozen=True)
class NeedRecall(_OfNeeds):
    """The share of the needs that the first k results answer, by their grades."""

    name: ClassVar[str] = "sR"
    facts: ClassVar[Facts] = Facts(
        "recall of needs",
        "Zhai, Cohen and Lafferty 2003",
        "sR@k = Σ grades of the needs shown to at least cover by the first k results / Σ grades",
        NEEDS,
        _NEED_EDGES,
        example("sR@3", 2 / 3, "a[100, 200) and b[50, 100) are complete, b[300, 350) is not."),
        laws=_NEED_LAWS,
        repeats="keep",
    )
    k: int = cut_off(5)
    cover: float = _cover_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """The share of grades."""
        grade = ranking.truth.needs.grade
        found = self.sums(ranking, grade * (self.at_rank(ranking) <= self.k))
        return self.defined(ranking, ratio(found, self.sums(ranking, grade)))


@dataclass(frozen=True)
class AllNeeds(_OfNeeds):
    """Whether the first k results answer every need."""

    name: ClassVar[str] = "all"
    facts: ClassVar[Facts] = Facts(
        "whether all needs are answered",
        "Zhai, Cohen and Lafferty 2003",
        "all@k = 1 if every need is shown to at least cover by the first k results, else 0",
        NEEDS,
        _NEED_EDGES,
        example("all@5", 1.0, "The fifth result completes the last of the three needs."),
        laws=_NEED_LAWS,
        repeats="keep",
    )
    k: int = cut_off(5)
    cover: float = _cover_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """1 if no need is left."""
        left = self.sums(ranking, (self.at_rank(ranking) > self.k).astype(np.float64))
        return self.defined(ranking, (left == 0).astype(np.float64))


@dataclass(frozen=True)
class ReciprocalRank(_OfNeeds):
    """One divided by the rank at which the first need is answered."""

    name: ClassVar[str] = "RR"
    facts: ClassVar[Facts] = Facts(
        "reciprocal rank of the first answered need",
        "Voorhees 1999",
        "RR@k = 1 / the first rank at which some need is shown to at least cover, 0 beyond k",
        NEEDS,
        _NEED_EDGES,
        example("RR@10", 0.5, "a[100, 200) is complete after the second result."),
        laws=_NEED_LAWS,
        repeats="keep",
    )
    k: int = cut_off(10)
    cover: float = _cover_parameter()
    by: By = _by_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """1 / rank."""
        at = self.at_rank(ranking)
        found = np.zeros(len(ranking.truth.topics))
        np.maximum.at(found, ranking.truth.needs.topic, np.where(at <= self.k, 1 / at, 0.0))
        return self.defined(ranking, found)


_CHUNKS = "".join(
    f'{{"id": "{number}", "doc": "{document}", "start": {start}, "end": {end}}}\n'
    for number, (document, start, end) in enumerate(
        [("a", 0, 150), ("a", 100, 250), ("b", 0, 120), ("c", 0, 200), ("b", 300, 360)], 1
    )
)


@dataclass(frozen=True)
class DiscountedNeeds(_OfNeeds):
    """How soon needs are shown, compared with the best order of all chunks there are."""

    name: ClassVar[str] = "sDCG"
    facts: ClassVar[Facts] = Facts(
        "discounted gain of needs, over that of the best chunks",
        "Järvelin and Kekäläinen 2002",
        "sDCG@k = Σ Δ_r / log2(r + 1) over the same sum of the ideal list, r = 1 … k, "
        "Δ_r = how much rank r adds to the mean share of needs shown, by their grades",
        NEEDS | {Need.CHUNKS},
        _NEED_EDGES + " The ideal list takes, rank by rank, the first chunk that adds most; a list "
        "that beats it scores 1. If no chunk is relevant, the topic is undefined.",
        example(
            "sDCG@2",
            (1 / 6 + (1 / 6) / np.log2(3)) / (1 / 3 + (1 / 3) / np.log2(3)),
            "The first two results each show half of one need of three. The best chunks, b[0, 120) "
            "and b[300, 360), show a whole need each.",
            _CHUNKS,
        ),
        laws=frozenset({Law.TAIL_IS_FREE}),
        repeats="keep",
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """DCG over the ideal DCG."""
        found = np.array([self._discounted(own) for own in linear_gains(ranking)])
        best = np.array([self._discounted(own) for own in best_gains(ranking.truth)])
        scores = np.where(best > 0, np.minimum(ratio(found, best), 1.0), np.nan)
        return self.defined(ranking, scores)

    def _discounted(self, gains: Sequence[float]) -> float:
        first = gains[: self.k]
        return float(sum(gain / np.log2(rank + 1) for rank, gain in enumerate(first, 1)))
