"""Retained results: what a report shows of a run, kept when the run is scored.

These are the spans that a run returns in relevant documents, which relevant units it hits there or
nearly misses, and how far readers get in the spans with some budgets. An evaluation keeps them
(`Keep(results=True)`), so that no run is read or resolved again for its report.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, cast

import numpy as np

from doxeval.arrays import Ints, last_true, sum_by_group
from doxeval.errors import MissingInput, MissingText
from doxeval.measures.base import Measure
from doxeval.measures.families.chunks.budgets import BudgetRecall
from doxeval.measures.families.chunks.text import default_unit
from doxeval.measures.families.esr.hits import SeenTrees, seen_trees
from doxeval.measures.families.esr.model import Esr
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking
from doxeval.measures.reading_cost import added_costs, costs
from doxeval.measures.registry import measure_named
from doxeval.measures.texts import UnitStarts
from doxeval.runs import Kind


class BudgetStops(NamedTuple):
    """Budgets, smallest first, their unit, and where readers stop in each returned span.

    They stop at the start of a span that they never come to.
    """

    sizes: tuple[int, ...]
    unit: str
    ends: Ints  # budgets × spans


@dataclass(frozen=True, eq=False)
class RetainedResults:
    """The spans that a run returns in relevant documents, by topic and there best first.

    pair: the judged pair of topic and document, as the ground truth numbers them.
    seen: what says which relevant units of `model` are hit, near or missed; None without a model.
    budget_stops: how far readers get in the spans; None if no measure has a budget.
    """

    pair: Ints
    start: Ints
    end: Ints
    rank: Ints
    seen: SeenTrees | None = None
    model: Esr | None = None
    budget_stops: BudgetStops | None = None


def retained_results(ranking: Ranking, measures: Sequence[Measure]) -> RetainedResults:
    """Return what a report on these measures shows of a run.

    Hits are as the first measure defines them whose users navigate, or else as the model of
    navigation that is given; without either, there are none.
    """
    truth = ranking.truth
    model = hits_model(measures)
    if model is None and truth.navigation is not None:
        model = cast(Esr, measure_named("Hits"))
    seen = None
    if model is not None:
        model = model.resolve_auto(truth)
        try:
            seen = seen_trees(ranking, model.readers)
        except (MissingInput, MissingText):  # nothing to hit, or no texts and thus no documents
            model = None
    rows, start, end = _spans(ranking)
    stops = None
    if len(rows) and not (ranking.resolved.run.kind == Kind.TREE).any():
        stops = _budget_stops(ranking, measures, rows, start, end)
    return RetainedResults(ranking.pair[rows], start, end, ranking.rank[rows], seen, model, stops)


def hits_model(measures: Iterable[Measure]) -> Esr | None:
    """Return the hits of the first measure whose users navigate; None if they never do.

    >>> hits_model(map(measure_named, ["MAiP", "PRUM[0.1]"])) is None
    True
    >>> hits_model(map(measure_named, ["ESRP@10(nav=none)", "ESRR@10"])).nav
    'none'
    """
    for measure in measures:
        nav = getattr(measure, "nav", None)
        if nav is None or (nav in ("none", "auto") and not hasattr(measure, "hits")):
            continue
        hits = cast(Esr, measure_named("Hits"))
        shared: dict[str, Any] = {
            spec.name: getattr(measure, spec.name)
            for spec in fields(hits)
            if spec.name not in ("k", "rel") and hasattr(measure, spec.name)
        }
        return hits(**shared)
    return None


def has_text_to_show(truth: GroundTruth) -> bool:
    """Whether anything inside documents was assessed: text highlighted, or elements graded."""
    return truth.has_highlights or truth.has_grades or truth.relevant.has_lists


# Spans


def _spans(ranking: Ranking) -> tuple[Ints, Ints, Ints]:
    """Return row, start and end of the spans that are returned in relevant documents.

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
    """Return the rows, starts and ends with each tree replaced by its innermost nodes."""
    trees = ranking.resolved.trees.rows(rows[of_trees])
    columns = ranking.truth.known_collection.nodes
    owner = np.repeat(of_trees, trees.counts)
    after = trees.nodes + columns.size[trees.nodes]
    is_last = np.append(owner[1:] != owner[:-1], True)
    innermost = np.flatnonzero(is_last | (np.append(trees.nodes[1:], 0) >= after))
    nodes, owner = trees.nodes[innermost], owner[innermost]
    others = np.setdiff1d(np.arange(len(rows)), of_trees)
    position = np.concatenate([others, owner])
    order = np.argsort(position, kind="stable")
    return (
        rows[position[order]],
        np.concatenate([start[others], columns.start[nodes]])[order].astype(np.int64),
        np.concatenate([end[others], columns.end[nodes]])[order].astype(np.int64),
    )


# Budgets


def _budget_stops(
    ranking: Ranking, measures: Iterable[Measure], rows: Ints, start: Ints, end: Ints
) -> BudgetStops | None:
    """Return where readers stop in spans of results, given the row of each span.

    The budgets are those of all measures of recall at a budget, in the unit of the first of them.
    The result at the edge of a budget is read up to there. The spans of a result come one after
    another, and all of them are there.
    """
    with_budgets = [measure for measure in measures if isinstance(measure, BudgetRecall)]
    if not with_budgets:
        return None
    sizes = sorted({measure.B for measure in with_budgets})
    unit: str = with_budgets[0].unit
    if unit == "auto":
        unit = default_unit(ranking.truth)
    cost = costs(ranking, unit, "full")
    before = ranking.cumulated(cost) - cost + added_costs(ranking, unit, "full")
    after = ranking.cumulated(cost)
    ends = np.empty((len(sizes), len(rows)), dtype=np.int64)
    for which, size in enumerate(sizes):
        left = size - before[rows]
        is_whole = after[rows] <= size
        ends[which] = np.where(is_whole, end, start)
        at_edge = np.flatnonzero((left > 0) & ~is_whole)
        columns = (column[at_edge] for column in (rows, start, end, left))
        ends[which, at_edge] = _stops(ranking, unit, *columns)
    return BudgetStops(tuple(sizes), unit, ends)


def _stops(ranking: Ranking, unit: str, row: Ints, start: Ints, end: Ints, left: Ints) -> Ints:
    """Return where readers stop in spans, with so many units left for the result of each."""
    stops = np.empty(len(row), dtype=np.int64)
    by_character = np.full(len(row), unit == "characters")
    tokens = ranking.resolved.run.tokens
    if unit == "tokens" and tokens is not None:
        by_character = tokens[row] >= 0  # stated tokens are spread evenly over the characters
        _, result = np.unique(row, return_inverse=True)
        length = sum_by_group(result, end - start, len(row))[result]
        stated = -(-left * length // np.maximum(tokens[row], 1))
        left = np.where(by_character, stated, left)
    some = np.flatnonzero(by_character)
    rest = _left_at(row[some], (end - start)[some], left[some])
    stops[some] = np.minimum(end[some], start[some] + rest)
    some = np.flatnonzero(~by_character)
    if not len(some):
        return stops
    names, document = np.unique(ranking.document[row[some]], return_inverse=True)
    documents = [ranking.document_names[number] for number in names.tolist()]
    starts = UnitStarts(ranking.truth.known_texts, documents, unit)
    begun, after = (starts.before(document, edge[some]) for edge in (start, end))
    rest = _left_at(row[some], after - begun, left[some])
    inside = np.where(rest > 0, starts.offsets(document, begun + rest), start[some])
    stops[some] = np.where((rest > 0) & (after - begun <= rest), end[some], inside)
    return stops


def _left_at(row: Ints, units: Ints, left: Ints) -> Ints:
    """Return what is left at each span after those of the same result before it are read."""
    if not len(row):
        return left
    before = np.cumsum(units) - units
    first = last_true(np.append(True, row[1:] != row[:-1]))
    return np.maximum(left - (before - before[first]), 0)
