"""What a run returns in relevant documents, and which relevant units it hits there.

This is taken from the ranking at the time it is scored, so that no run is read or resolved again
for the report.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, cast

import numpy as np

from doxeval.arrays import Ints
from doxeval.errors import MissingInput, MissingText, SyntaxProblem
from doxeval.measures import (
    BudgetRecall,
    Esr,
    GroundTruth,
    Measure,
    Ranking,
    SeenTrees,
    costs,
    default_unit,
    measure_named,
    seen_trees,
)
from doxeval.runs import Kind
from doxeval.scores import ScoreTable

# Budgets


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


# Results


@dataclass(frozen=True, eq=False)
class Returned:
    """The ranges that a run returns in relevant documents, by topic and there best first.

    pair: the judged pair of topic and document, as the ground truth numbers them.
    seen: what tells which relevant units of `model` are hit, near or missed; None without a model.
    reading: how far readers get in the ranges with some budgets; None if no measure has a budget.
    """

    pair: Ints
    start: Ints
    end: Ints
    rank: Ints
    seen: SeenTrees | None = None
    model: Esr | None = None
    reading: Reading | None = None


@dataclass(frozen=True)
class Keeping:
    """A function of the ranking for `Evaluation(keep=…)`: it keeps what a report shows of a run.

    model: how readers navigate and what is relevant; None: only if a model of navigation is given.
    budgets: how much readers read.

    >>> keeping(["MAiP"]).model is None, keeping(["MAiP", "ESRR@10(nav=hierarchical)"]).model.nav
    (True, 'hierarchical')
    """

    model: Esr | None = None
    budgets: Budgets = NO_BUDGETS

    def __call__(self, ranking: Ranking) -> Returned:
        """What the run returns, and what outcomes follow from if somebody asked for navigation."""
        model = self.model
        if model is None and ranking.truth.navigation is not None:
            model = _hits()
        return _kept(ranking, model, self.budgets)


def keeping(measures: Iterable[Measure | str]) -> Keeping:
    """What a report on these measures keeps: outcomes as the first with navigation defines them.

    >>> keeping(["ESRP@10(nav=none)", "ESRR@10"]).model.nav
    'none'
    """
    named = [measure_named(one) if isinstance(one, str) else one for one in measures]
    return Keeping(navigation_of(named), budgets_of(named))


def navigation_of(measures: Iterable[Measure | str]) -> Esr | None:
    """The hits of the first measure whose users navigate; None if they never do.

    >>> navigation_of(["MAiP", "PRUM[0.1]"]) is None
    True
    """
    for given in measures:
        measure = measure_named(given) if isinstance(given, str) else given
        nav = getattr(measure, "nav", None)
        if nav is None or (nav in ("none", "auto") and not hasattr(measure, "hits")):
            continue
        shared: dict[str, Any] = {
            one.name: getattr(measure, one.name)
            for one in fields(_hits())
            if one.name not in ("k", "rel") and hasattr(measure, one.name)
        }
        return _hits()(**shared)
    return None


def _hits() -> Esr:
    return cast(Esr, measure_named("Hits"))


def is_about_navigation(table: ScoreTable) -> bool:
    """Whether users navigate by any measure of a table."""
    return navigation_of(_known(table)) is not None


def _known(table: ScoreTable) -> Iterator[Measure]:
    """The measures of a table that have a name; those of other tools may have none here."""
    for facts in table.measures:
        with suppress(SyntaxProblem):
            yield measure_named(facts.measure)


def returned(ranking: Ranking) -> Returned:
    """What a report shows of a run in documents; an evaluation keeps it with the run's scores.

    Outcomes are those of the given model of navigation, or else of depth. `keeping` keeps them as
    the measures of the report define them.
    """
    return _kept(ranking, _hits())


def _kept(ranking: Ranking, model: Esr | None, budgets: Budgets = NO_BUDGETS) -> Returned:
    settled = None if model is None else model.resolve_auto(ranking.truth)
    seen = None
    if settled is not None:
        try:
            seen = seen_trees(ranking, settled.readers)
        except (MissingInput, MissingText):  # nothing to hit, or no texts and thus no documents
            settled = None
    rows, start, end = _ranges(ranking)
    reading = None
    if budgets.sizes and len(rows) and not (ranking.resolved.run.kind == Kind.TREE).any():
        reading = reading_ends(ranking, budgets, rows, start, end)
    return Returned(ranking.pair[rows], start, end, ranking.rank[rows], seen, settled, reading)


def has_text_to_show(truth: GroundTruth) -> bool:
    """Whether anything inside documents was assessed: text highlighted, or elements graded."""
    return truth.has_highlights or truth.has_grades or truth.relevant.has_lists


def _ranges(ranking: Ranking) -> tuple[Ints, Ints, Ints]:
    """Row, start and end of the ranges that are returned in relevant documents.

    A point is one character; a tree is its innermost nodes, each with the tree's rank.
    """
    truth = ranking.truth
    if not has_text_to_show(truth):
        nothing: Ints = np.zeros(0, dtype=np.int64)
        return nothing, nothing, nothing
    pair, kind = ranking.pair, ranking.resolved.run.kind
    rows: Ints = np.flatnonzero((pair >= 0) & (ranking.start >= 0))
    rows = rows[truth.is_relevant[pair[rows]]]
    which, start, end = ranking.resolved.pieces(rows)
    rows = rows[which]
    end = np.maximum(end, start + (kind[rows] == Kind.POINT))
    of_trees = np.flatnonzero(kind[rows] == Kind.TREE)
    if len(of_trees):
        rows, start, end = _with_trees(ranking, rows, start, end, of_trees)
    return rows, start, end


def _with_trees(
    ranking: Ranking, rows: Ints, start: Ints, end: Ints, of_trees: Ints
) -> tuple[Ints, Ints, Ints]:
    """The rows, starts and ends with each tree replaced by its innermost nodes."""
    trees = ranking.resolved.trees.rows(rows[of_trees])
    columns = ranking.truth.known_collection.nodes
    owner = np.repeat(of_trees, trees.counts)
    after = trees.nodes + columns.size[trees.nodes]
    is_last = np.append(owner[1:] != owner[:-1], True)
    innermost = np.flatnonzero(is_last | (np.append(trees.nodes[1:], 0) >= after))
    nodes, owner = trees.nodes[innermost], owner[innermost]
    others = np.setdiff1d(np.arange(len(rows)), of_trees)
    place = np.concatenate([others, owner])
    order = np.argsort(place, kind="stable")
    return (
        rows[place[order]],
        np.concatenate([start[others], columns.start[nodes]])[order].astype(np.int64),
        np.concatenate([end[others], columns.end[nodes]])[order].astype(np.int64),
    )
