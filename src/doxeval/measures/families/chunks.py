"""Chunks: what readers with a limited budget are shown, and whether their needs are answered.

    bR@B   the share of the relevant text that the first B units show
    U@B    its mean over all budgets up to B
    hit, sR, all, RR   how many needs the first k results answer, and how soon

Results are chunks: ranges of text, which may overlap and come again. What was shown before gains
nothing, but is read again. Relevant text belongs to needs; a need is answered by any of its
alternatives. `measures/wanted` says what relevant text is worth, `measures/reading` what results
cost, and `measures/answered` when a need is answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.measures.answered import answered
from doxeval.measures.base import (
    TOLERANCE,
    Example,
    Facts,
    Floats,
    Law,
    Measure,
    Need,
    cut_off,
    parameter,
    point,
)
from doxeval.measures.best_chunks import best_gains, linear_gains
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ideal_reading import ideal_utility
from doxeval.measures.ranking import Numbers, Ranking, ratio
from doxeval.measures.reading import Reading, Unit, costs, reading
from doxeval.scores import Curve

Resize = Literal["full", "new"]
By = Literal["union", "chunk"]
_NEEDS = frozenset({Need.HIGHLIGHTS, Need.RETRIEVED_TEXT})
_EDGES = "A topic without relevant text is undefined; an empty list scores 0."
_ASSESSMENTS = "7 Q0 a 100 300 100 100:100\n7 Q0 b 100 400 50 50:50 300:50\n"
_RUN = (
    "7 Q0 a 1 9 run 0 150\n7 Q0 a 2 8 run 100 150\n7 Q0 b 3 7 run 0 120\n"
    "7 Q0 c 4 6 run 0 200\n7 Q0 b 5 5 run 300 60\n"
)
_WHY = (
    "Relevant are a[100, 200), b[50, 100) and b[300, 350), 200 characters. The run returns "
    "a[0, 150), a[100, 250), b[0, 120), c[0, 200) and b[300, 360). "
)
_UNITS = ("auto", "characters", "words", "tokens")


def _example(name: str, value: float, why: str, chunks: str | None = None) -> Example:
    return Example(name, value, _WHY + why, _ASSESSMENTS, _RUN, None, chunks)


def _resize_parameter() -> Resize:
    resize: Resize = parameter(
        "full",
        "what was read before is read and counted again, or only new text is",
        ("full", "new"),
    )
    return resize


@dataclass(frozen=True)
class _OfText(Measure):
    def settled(self, truth: GroundTruth) -> Measure:
        """With the unit that is counted: tokens or words where texts are known."""
        if getattr(self, "unit", None) != "auto":
            return self
        return replace(self, unit=settled_unit(truth))  # type: ignore[call-arg]  # it has one


def settled_unit(truth: GroundTruth) -> str:
    """Tokens if a tokeniser is given, words if texts are known, characters otherwise."""
    if truth.texts is None:
        return "characters"
    return "tokens" if truth.texts.has_tokeniser else "words"


def _unit_parameter() -> Unit:
    unit: Unit = parameter(
        "auto",
        "what is counted: tokens of the given tokeniser, words, or characters; auto: the first of "
        "these that is known",
        _UNITS,
    )
    return unit


def _defined(values: Floats, truth: GroundTruth) -> Floats:
    return np.where(truth.wanted.total == 0, np.nan, values)


def _by_topic(ranking: Ranking, row: Ints, values: Numbers) -> Floats:
    """Values of pieces, summed for each topic."""
    found = np.zeros(len(ranking.truth.topics))
    np.add.at(found, ranking.topic[row], values)
    return found


# Text


@dataclass(frozen=True)
class Overlap(_OfText):
    """The relevant text that is shown, as a share of all text that is shown or relevant."""

    name: ClassVar[str] = "IoU"
    facts: ClassVar[Facts] = Facts(
        "intersection over union of shown and relevant text",
        "Smith and Troynikov 2024",
        "IoU@k = F / (S + T − F): F relevant characters shown, S characters read, T relevant ones",
        _NEEDS,
        _EDGES + " With resize=full repeated text is read again; resize=new is Jaccard's measure.",
        _example("IoU@2", 0.25, "After two results F = 100, S = 300: 100 / (300 + 200 − 100)."),
        laws=frozenset({Law.TAIL_IS_FREE}),
        repeats="keep",
    )
    k: int = cut_off(5)
    resize: Resize = _resize_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """F / (S + T − F)."""
        total = ranking.truth.wanted.total
        gained = ranking.at(self.k, ranking.cumulated(ranking.new_wanted))
        useful = ranking.at(self.k, ranking.cumulated(ranking.new_useful))
        size = ranking.size if self.resize == "full" else ranking.new_size
        read = ranking.at(self.k, ranking.cumulated(size))
        return _defined(ratio(useful, read + total - gained), ranking.truth)


@dataclass(frozen=True)
class Redundancy(_OfText):
    """The share of what is read that was read before."""

    name: ClassVar[str] = "Red"
    facts: ClassVar[Facts] = Facts(
        "redundancy: the share of repeated text",
        "Clarke et al. 2008",
        "Red@k = 1 − Σ new(e_i) / Σ size(e_i), i = 1 … k",
        _NEEDS,
        _EDGES + " Words and tokens count where they begin.",
        _example("Red@2", 1 - 250 / 300, "Of 300 characters 250 are new."),
        higher_is_better=False,
        laws=frozenset({Law.TAIL_IS_FREE}),
        repeats="keep",
    )
    k: int = cut_off(5)
    unit: Unit = _unit_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """1 − Σ new / Σ size."""
        new, read = (
            ranking.at(self.k, ranking.cumulated(costs(ranking, self.unit, resize)))
            for resize in ("new", "full")
        )
        return _defined(np.where(read > 0, 1 - ratio(new, read), 0.0), ranking.truth)


@dataclass(frozen=True)
class TextRead(_OfText):
    """How much is read in the first k results: what their recall costs."""

    name: ClassVar[str] = "read"
    facts: ClassVar[Facts] = Facts(
        "units read in the first k results",
        "Smith and Troynikov 2024",
        "read@k = Σ size(e_i), i = 1 … k",
        _NEEDS,
        _EDGES + " Tokens that results state themselves count before those of a tokeniser.",
        _example("read@2", 300, "The first two results have 150 characters each."),
        highest=None,
        higher_is_better=False,
        laws=frozenset({Law.TAIL_IS_FREE, Law.GROWS_WITH_K}),
        repeats="keep",
    )
    k: int = cut_off(5)
    unit: Unit = _unit_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """Σ size."""
        read = ranking.at(self.k, ranking.cumulated(costs(ranking, self.unit, "full")))
        return _defined(read.astype(np.float64), ranking.truth)


# Budgets

_BUDGET_EDGES = (
    "A topic without relevant text is undefined; an empty list scores 0. A word or token counts "
    "where it begins. Tokens that results state themselves count before those of a tokeniser."
)


@dataclass(frozen=True)
class BudgetRecall(_OfText):
    """The share of the relevant text that is shown by the first B units of the list."""

    name: ClassVar[str] = "bR"
    facts: ClassVar[Facts] = Facts(
        "recall at a budget",
        "Sakai and Dou 2013; Smith and Troynikov 2024",
        "bR@B = relevant text in the first B units of the list / T",
        _NEEDS,
        _BUDGET_EDGES + " A budget beyond the end of the list shows all of it.",
        _example(
            "bR@400",
            0.75,
            "Of the first 400 characters 50 of a[0, 150), 50 more of a[100, 250) and 50 of the "
            "first 100 of b[0, 120) are relevant and new.",
        ),
        laws=frozenset(
            {
                Law.TAIL_IS_FREE,
                Law.GROWS_WITH_K,
                Law.NEEDS_MAY_BE_SPLIT,
                Law.RESULTS_MAY_BE_CUT,
                Law.ANY_COPY_WILL_DO,
            }
        ),
        repeats="keep",
    )
    B: int = cut_off(1000, "the budget: how many units are read")
    unit: Unit = _unit_parameter()
    fit: Literal["cut", "whole", "skip"] = parameter(
        "cut",
        "a result that does not fit the budget is cut, ends the reading, or is passed over",
        ("cut", "whole", "skip"),
    )
    resize: Resize = _resize_parameter()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.fit == "skip" and self.resize == "new":
            raise ValueError("fit=skip goes with resize=full: what is new depends on what is read")

    @property
    def laws(self) -> frozenset[Law]:
        """Only a cut list grows with the budget and does not mind where results are cut."""
        if self.fit == "cut":
            if self.unit == "tokens":
                return self.facts.laws - {Law.RESULTS_MAY_BE_CUT}
            return self.facts.laws
        lost = {Law.RESULTS_MAY_BE_CUT}
        return self.facts.laws - lost - ({Law.GROWS_WITH_K} if self.fit == "skip" else set())

    def scores(self, ranking: Ranking) -> Floats:
        """The share of what is wanted."""
        total = ranking.truth.wanted.total
        return _defined(ratio(self._shown(ranking), total), ranking.truth)

    def _shown(self, ranking: Ranking) -> Floats:
        if self.fit == "cut":
            found = reading(ranking, self.unit, self.resize)
            return _by_topic(ranking, found.row, shown_by(found, self.B) * found.gain)
        cost = costs(ranking, self.unit, self.resize)
        if self.fit == "whole":
            fits = ranking.cumulated(cost) <= self.B
            return _by_topic(ranking, np.arange(len(cost)), ranking.new_wanted * fits)
        read = ranking.rows(np.flatnonzero(_taken(ranking, cost, self.B)))
        return _by_topic(read, np.arange(len(read)), read.new_wanted)

    def curve(self, ranking: Ranking) -> Curve:
        """Recall by budget."""
        return recall_by_budget(str(self), self, ranking)


def shown_by(found: Reading, budget: int | Ints) -> Ints:
    """How many characters of each piece a budget shows (or that of its topic)."""
    if found.by_character:
        return np.clip(budget - found.position, 0, found.length)
    return np.where(found.position < budget, found.length, 0)


def _taken(ranking: Ranking, cost: Ints, budget: int) -> Bools:
    """Whether each result is read if those that do not fit are passed over."""
    taken = np.zeros(len(cost), dtype=np.bool_)
    left: dict[int, int] = {}
    for row, (topic, own) in enumerate(zip(ranking.topic.tolist(), cost.tolist(), strict=True)):
        rest = left.get(topic, budget)
        if own <= rest:
            taken[row] = True
            left[topic] = rest - own
    return taken


def recall_by_budget(label: str, recall: BudgetRecall, ranking: Ranking) -> Curve:
    """Recall at budgets up to the largest, in a hundred steps."""
    most = recall.B
    steps = min(most, 100)
    budgets = np.array([-(-most * step // steps) for step in range(1, steps + 1)])
    values = [recall(B=budget).scores(ranking) for budget in budgets.tolist()]
    y = np.stack(values, axis=1)
    x = budgets.astype(np.float64)
    return Curve(label, f"budget in {recall.unit}", "recall", x, y)


@dataclass(frozen=True)
class Utility(_OfText):
    """Recall at a budget, averaged over all budgets up to B: relevant text counts more if early."""

    name: ClassVar[str] = "U"
    facts: ClassVar[Facts] = Facts(
        "U-measure: mean recall over budgets",
        "Sakai and Dou 2013",
        "U@B = Σ max(0, 1 − pos/B) / T over new relevant characters, pos = units read before "
        "= mean of bR@b over b = 1 … B",
        _NEEDS,
        _BUDGET_EDGES + " norm=ideal divides by the score of the relevant text alone.",
        _example(
            "U@400",
            59.5625 / 200,
            "The relevant characters are read at 100–149, 200–249 and 350–399: their weights "
            "1 − pos/400 sum to 34.4375, 21.9375 and 3.1875.",
        ),
        laws=frozenset(
            {
                Law.TAIL_IS_FREE,
                Law.GROWS_WITH_K,
                Law.NEEDS_MAY_BE_SPLIT,
                Law.RESULTS_MAY_BE_CUT,
                Law.ANY_COPY_WILL_DO,
            }
        ),
        repeats="keep",
    )
    B: int = cut_off(4000, "the largest budget, in units")
    unit: Unit = _unit_parameter()
    norm: Literal["none", "ideal"] = parameter(
        "none",
        "what it is divided by: nothing, or the score of the relevant text",
        ("none", "ideal"),
    )

    @property
    def laws(self) -> frozenset[Law]:
        """Divided by the ideal it may fall, and needs matter."""
        found = self.facts.laws
        if self.unit == "tokens":
            found -= {Law.RESULTS_MAY_BE_CUT}
        if self.norm == "ideal":
            found -= {Law.GROWS_WITH_K, Law.NEEDS_MAY_BE_SPLIT, Law.ANY_COPY_WILL_DO}
        return found

    @property
    def highest(self) -> float | None:
        """None against an ideal that counts words, which chunks may share out better."""
        return None if self.norm == "ideal" and self.unit != "characters" else self.facts.highest

    def scores(self, ranking: Ranking) -> Floats:
        """The mean of bR."""
        found = reading(ranking, self.unit, "full")
        shown = shown_by(found, self.B)
        lost = shown * found.position
        if found.by_character:
            lost = lost + shown * (shown - 1) // 2
        value = _by_topic(ranking, found.row, (shown * self.B - lost) / self.B * found.gain)
        truth = ranking.truth
        if self.norm == "ideal":
            return _defined(ratio(value, ideal_utility(truth, self.unit, self.B)), truth)
        return _defined(ratio(value, truth.wanted.total), truth)

    def curve(self, ranking: Ranking) -> Curve:
        """Recall by budget."""
        return recall_by_budget(str(self), BudgetRecall(self.B, self.unit), ranking)


@dataclass(frozen=True)
class ReadingCost(_OfText):
    """How much has to be read until a share x of the relevant text is shown, B if it never is."""

    name: ClassVar[str] = "Cost"
    facts: ClassVar[Facts] = Facts(
        "units read until recall x",
        "Cooper 1968; Sakai and Dou 2013",
        "Cost@B[x] = the fewest units that show x·T, at most B",
        _NEEDS,
        _BUDGET_EDGES + " Who never gets that far has read B units: a failure is no cheap success.",
        _example(
            "Cost@700[0.5]",
            250,
            "The hundredth relevant character is the last of a[100, 200), the 250th that is read.",
        ),
        highest=None,
        higher_is_better=False,
        laws=frozenset({Law.TAIL_IS_FREE}),
        repeats="keep",
    )
    B: int = cut_off(4000, "the most that is read, in units")
    x: Fraction = point(Fraction(1, 2), "the share of the relevant text that is to be shown")
    unit: Unit = _unit_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """The units read, by halving the range in which they must lie."""
        total = ranking.truth.wanted.total
        found = reading(ranking, self.unit, "full")
        wanted = float(self.x) * total - TOLERANCE
        topic = ranking.topic[found.row]
        least = np.where(wanted > 0, 1, 0)
        most = np.where(wanted > 0, self.B, 0)
        while (least < most).any():
            middle = (least + most) // 2
            shown = shown_by(found, middle[topic]) * found.gain
            is_enough = _by_topic(ranking, found.row, shown) >= wanted
            least, most = np.where(is_enough, least, middle + 1), np.where(is_enough, middle, most)
            least = np.minimum(least, most)
        return _defined(most.astype(np.float64), ranking.truth)


# Needs

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
        _NEEDS,
        _NEED_EDGES,
        _example("hit@2", 1.0, "a[100, 200) is complete after two results."),
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
        _NEEDS,
        _NEED_EDGES,
        _example("sR@3", 2 / 3, "a[100, 200) and b[50, 100) are complete, b[300, 350) is not."),
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
        _NEEDS,
        _NEED_EDGES,
        _example("all@5", 1.0, "The fifth result completes the last of the three needs."),
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
        _NEEDS,
        _NEED_EDGES,
        _example("RR@10", 0.5, "a[100, 200) is complete after the second result."),
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
        _NEEDS | {Need.CHUNKS},
        _NEED_EDGES + " The ideal list takes, rank by rank, the first chunk that adds most; a list "
        "that beats it scores 1. If no chunk is relevant, the topic is undefined.",
        _example(
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
