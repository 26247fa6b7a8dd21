"""How far readers get in what a run returns before their budget is spent.

A budget counts characters, words or tokens, as measures of chunks do. The result at the edge of
the budget is read up to there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.measures import (
    BudgetRecall,
    GroundTruth,
    Measure,
    Ranking,
    costs,
    default_unit,
    measure_named,
)


@dataclass(frozen=True)
class Budgets:
    """Budgets, smallest first, and the unit that they count (auto: as the ground truth allows).

    >>> budgets_of(["bR@1000", "bR@500(unit=words)", "AP"])
    Budgets(sizes=(500, 1000), unit='auto')
    """

    sizes: tuple[int, ...] = ()
    unit: str = "auto"

    def resolve_auto(self, truth: GroundTruth) -> Budgets:
        """With the unit that is counted."""
        unit = default_unit(truth) if self.unit == "auto" else self.unit
        return Budgets(self.sizes, unit)


NO_BUDGETS = Budgets()


class Reading(NamedTuple):
    """For each budget, where readers stop in each returned range: its start if they never come."""

    budgets: Budgets
    ends: Ints  # budgets × ranges


def budgets_of(measures: Iterable[Measure | str]) -> Budgets:
    """The budgets of all measures of recall at a budget, in the unit of the first of them."""
    named = (measure_named(one) if isinstance(one, str) else one for one in measures)
    found = [one for one in named if isinstance(one, BudgetRecall)]
    sizes = sorted({one.B for one in found})
    return Budgets(tuple(sizes), found[0].unit if found else "auto")


def reading_ends(ranking: Ranking, budgets: Budgets, rows: Ints, start: Ints, end: Ints) -> Reading:
    """Where readers stop in ranges of results, given the row of each range.

    The ranges of a result come one after another, and all of them are there.
    """
    settled = budgets.resolve_auto(ranking.truth)
    cost = costs(ranking, settled.unit, "full")
    before = ranking.cumulated(cost) - cost
    ends = np.empty((len(settled.sizes), len(rows)), dtype=np.int64)
    for which, size in enumerate(settled.sizes):
        left = size - before[rows]
        ends[which] = np.where(left >= cost[rows], end, start)
        at_edge = np.flatnonzero((left > 0) & (left < cost[rows]))
        for row in np.unique(rows[at_edge]).tolist():
            own = at_edge[rows[at_edge] == row]
            left_over = size - int(before[row])
            ends[which, own] = _stops(ranking, settled.unit, row, start[own], end[own], left_over)
    return Reading(settled, ends)


def _stops(ranking: Ranking, unit: str, row: int, start: Ints, end: Ints, left: int) -> list[int]:
    """Where readers stop in the ranges of one result, with so many units left."""
    tokens = ranking.resolved.run.tokens
    if unit == "tokens" and tokens is not None and tokens[row] >= 0:
        left = -(-left * int((end - start).sum()) // max(int(tokens[row]), 1))
        unit = "characters"  # stated tokens are spread evenly over the characters
    stops = []
    for first, last in zip(start.tolist(), end.tolist(), strict=True):
        if unit == "characters":
            stop = min(last, first + left)
            left -= stop - first
        else:
            document = ranking.resolved.run.documents[int(ranking.document[row])]
            starts = ranking.truth.known_texts.starts(document, unit)
            begun, after = np.searchsorted(starts, [first, last]).tolist()
            whole = last if left else first
            stop = whole if after - begun <= left else int(starts[begun + left]) if left else first
            left -= min(after - begun, left)
        stops.append(stop)
    return stops
