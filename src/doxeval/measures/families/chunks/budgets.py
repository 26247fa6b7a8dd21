"""What readers see who read the list from its beginning until their budget is used up."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from doxeval.arrays import Bools, Floats, Ints, sum_by_group
from doxeval.measures.base import TOLERANCE, Facts, Law, cut_off, parameter, point
from doxeval.measures.families.chunks.ideal import ideal_utility
from doxeval.measures.families.chunks.text import (
    NEEDS,
    Resize,
    TextMeasure,
    example,
    resize_parameter,
    unit_parameter,
)
from doxeval.measures.new_text import new_gain
from doxeval.measures.ranking import Numbers, Ranking, defined, ratio
from doxeval.measures.reading_cost import ReadingCost, Unit, costs, reading_cost
from doxeval.scores import Curve

_BUDGET_EDGES = (
    "A topic without relevant text is undefined; an empty list scores 0. Only the budget counts "
    "words or tokens: relevant text is counted in characters. Stated tokens come before a "
    "tokeniser's; each counts where it begins. A need weighs as its shortest alternative, and at "
    "each budget counts by the best-shown one."
)

_BUDGET_LAWS = frozenset(
    {
        Law.TAIL_IS_FREE,
        Law.GROWS_WITH_K,
        Law.NEEDS_MAY_BE_SPLIT,
        Law.RESULTS_MAY_BE_CUT,
        Law.ANY_COPY_WILL_DO,
    }
)


@dataclass(frozen=True)
class BudgetRecall(TextMeasure):
    """The share of the relevant text that is shown by the first B units of the list."""

    name: ClassVar[str] = "bR"
    facts: ClassVar[Facts] = Facts(
        "recall at a budget",
        "Sakai and Dou 2013; Smith and Troynikov 2024",
        "bR@B = relevant characters in the first B units of the list / T",
        NEEDS,
        _BUDGET_EDGES + " A budget beyond the end of the list shows all of it.",
        example(
            "bR@400",
            0.75,
            "Of the first 400 characters 50 of a[0, 150), 50 more of a[100, 250) and 50 of the "
            "first 100 of b[0, 120) are relevant and new.",
        ),
        laws=_BUDGET_LAWS,
        repeats="keep",
    )
    B: int = cut_off(1000, "the budget: how many units are read")
    unit: Unit = unit_parameter()
    fit: Literal["cut", "whole", "skip"] = parameter(
        "cut",
        "a result that does not fit the budget is cut, ends the reading, or is passed over",
        ("cut", "whole", "skip"),
    )
    resize: Resize = resize_parameter()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.fit == "skip" and self.resize == "new":
            raise ValueError("fit=skip goes with resize=full: what is new depends on what is read")

    @property
    def laws(self) -> frozenset[Law]:
        """Only a cut list grows with the budget and does not mind where results are cut."""
        laws = self.facts.laws
        if self.fit != "cut" or self.unit == "tokens":
            laws -= {Law.RESULTS_MAY_BE_CUT}
        if self.fit == "skip":
            laws -= {Law.GROWS_WITH_K}
        return laws

    def scores(self, ranking: Ranking) -> Floats:
        """Return the share of the relevant text that is shown."""
        total = ranking.truth.relevance_weights.total
        return defined(ratio(self._shown(ranking), total), total)

    def _shown(self, ranking: Ranking) -> Numbers:
        """Return what the relevant text that is shown is worth, by topic."""
        topics = len(ranking.truth.topics)
        if self.fit == "cut":
            read = reading_cost(ranking, self.unit, self.resize)
            shown = shown_by(read, self.B) * read.gain
            return sum_by_group(ranking.topic[read.row], shown, topics)
        cost = costs(ranking, self.unit, self.resize)
        if self.fit == "whole":
            fits = ranking.cumulated(cost) <= self.B
            return sum_by_group(ranking.topic, new_gain(ranking) * fits, topics)
        taken = ranking.rows(np.flatnonzero(_is_taken(ranking, cost, self.B)))
        return sum_by_group(taken.topic, new_gain(taken), topics)

    def curve(self, ranking: Ranking) -> Curve:
        """Return recall by budget."""
        return recall_by_budget(str(self), self, ranking)


def shown_by(read: ReadingCost, budget: int | Ints) -> Ints:
    """Count the characters of each piece that a budget (or that of its topic) shows."""
    if read.by_character:
        return np.clip(budget - read.position, 0, read.length)
    return np.where(read.position < budget, read.length, 0)


def _is_taken(ranking: Ranking, cost: Ints, budget: int) -> Bools:
    """Return whether each result is read if those that do not fit are passed over."""
    taken = np.zeros(len(cost), dtype=np.bool_)
    left: dict[int, int] = {}
    for row, (topic, price) in enumerate(zip(ranking.topic.tolist(), cost.tolist(), strict=True)):
        rest = left.get(topic, budget)
        if price <= rest:
            taken[row] = True
            left[topic] = rest - price
    return taken


def recall_by_budget(label: str, recall: BudgetRecall, ranking: Ranking) -> Curve:
    """Return recall at budgets up to the largest, in a hundred steps."""
    steps = min(recall.B, 100)
    budgets = np.array([-(-recall.B * step // steps) for step in range(1, steps + 1)])
    values = [recall(B=budget).scores(ranking) for budget in budgets.tolist()]
    y = np.stack(values, axis=1)
    x = budgets.astype(np.float64)
    return Curve(label, f"budget in {recall.unit}", "recall", x, y)


@dataclass(frozen=True)
class Utility(TextMeasure):
    """Recall at a budget, averaged over all budgets up to B: relevant text counts more if early."""

    name: ClassVar[str] = "U"
    facts: ClassVar[Facts] = Facts(
        "U-measure: mean recall over budgets",
        "Sakai and Dou 2013",
        "U@B = Σ max(0, 1 − pos/B) / T over new relevant characters, pos = units read before "
        "= mean of bR@b over b = 1 … B",
        NEEDS,
        _BUDGET_EDGES + " norm=ideal divides by the score of the relevant text alone.",
        example(
            "U@400",
            59.5625 / 200,
            "The relevant characters are read at 100–149, 200–249 and 350–399: their weights "
            "1 − pos/400 sum to 34.4375, 21.9375 and 3.1875.",
        ),
        laws=_BUDGET_LAWS,
        repeats="keep",
    )
    B: int = cut_off(4000, "the largest budget, in units")
    unit: Unit = unit_parameter()
    norm: Literal["none", "ideal"] = parameter(
        "none",
        "what it is divided by: nothing, or the score of the relevant text",
        ("none", "ideal"),
    )

    @property
    def laws(self) -> frozenset[Law]:
        """Divided by the ideal it may fall, and needs matter."""
        laws = self.facts.laws
        if self.unit == "tokens":
            laws -= {Law.RESULTS_MAY_BE_CUT}
        if self.norm == "ideal":
            laws -= {Law.GROWS_WITH_K, Law.NEEDS_MAY_BE_SPLIT, Law.ANY_COPY_WILL_DO}
        return laws

    @property
    def highest(self) -> float | None:
        """None against an ideal that counts words, which chunks may share out better."""
        return None if self.norm == "ideal" and self.unit != "characters" else self.facts.highest

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of bR."""
        read = reading_cost(ranking, self.unit, "full")
        shown = shown_by(read, self.B)
        positions = shown * read.position
        if read.by_character:
            positions = positions + shown * (shown - 1) // 2
        value = (shown * self.B - positions) / self.B * read.gain
        truth = ranking.truth
        total = best = truth.relevance_weights.total
        if self.norm == "ideal":
            best = ideal_utility(truth, self.unit, self.B)
        utility = sum_by_group(ranking.topic[read.row], value, len(truth.topics))
        return defined(ratio(utility, best), total)

    def curve(self, ranking: Ranking) -> Curve:
        """Return recall by budget."""
        return recall_by_budget(str(self), BudgetRecall(self.B, self.unit), ranking)


@dataclass(frozen=True)
class CostOfRecall(TextMeasure):
    """How much has to be read until a share x of the relevant text is shown, B if it never is."""

    name: ClassVar[str] = "Cost"
    facts: ClassVar[Facts] = Facts(
        "units read until recall x",
        "Cooper 1968; Sakai and Dou 2013",
        "Cost@B[x] = the fewest units that show x·T, at most B",
        NEEDS,
        _BUDGET_EDGES + " A run that never reaches x costs B units, so that failing is not cheap.",
        example(
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
    unit: Unit = unit_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """Return the units read, by halving the interval in which they must lie."""
        read = reading_cost(ranking, self.unit, "full")
        total = ranking.truth.relevance_weights.total
        enough = float(self.x) * total - TOLERANCE
        topic = ranking.topic[read.row]
        least = np.where(enough > 0, 1, 0)
        most = np.where(enough > 0, self.B, 0)
        while (least < most).any():
            middle = (least + most) // 2
            shown = shown_by(read, middle[topic]) * read.gain
            is_enough = sum_by_group(topic, shown, len(total)) >= enough
            least, most = np.where(is_enough, least, middle + 1), np.where(is_enough, middle, most)
            least = np.minimum(least, most)
        return defined(most.astype(np.float64), total)
