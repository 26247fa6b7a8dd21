"""Figures of topics: on which ones runs differ from a baseline, and which ones are hard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.reports.contents import Contents
from doxeval.reports.figure import INK, Figure, Row, quantitative
from doxeval.scores.table import Floats

_MOST_TOPICS = 120
_MOST_DIFFERENCES = 6
_BETTER, _WORSE = "#4c7fc0", "#e8811a"


class Difficulty(NamedTuple):
    """The topics that have scores, hardest first, and the spread of their scores over runs."""

    topics: list[str]
    spread: Floats  # topics × (lowest, first quartile, median, third quartile, highest)


def difficulty(contents: Contents) -> Difficulty:
    """How hard topics are by the first measure.

    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> runs = (RunScores("a", np.array([[0.5, 0.1, np.nan]]), np.ones(3, dtype=bool)),)
    >>> difficulty(Contents(ScoreTable((facts,), ("7", "8", "9"), runs))).topics
    ['8', '7']
    """
    column = contents.columns[0]
    values = np.stack(list(column.values.values()))
    defined = np.flatnonzero(~np.isnan(values).all(axis=0))
    if not len(defined):
        return Difficulty([], np.empty((0, 5)))
    spread = np.nanquantile(values[:, defined], [0, 0.25, 0.5, 0.75, 1], axis=0).T
    sign = 1 if column.facts.higher_is_better else -1
    order = np.lexsort((sign * spread.mean(axis=1), sign * spread[:, 2]))
    return Difficulty([contents.table.topic_ids[at] for at in defined[order]], spread[order])


def difficulty_figure(contents: Contents) -> Figure | None:
    """Each topic as a line from its lowest to its highest score, with a box and the median."""
    found = difficulty(contents)
    if not found.topics:
        return None
    kept = _ends(len(found.topics))
    names = ("lowest", "q1", "median", "q3", "highest")
    rows: list[Row] = [
        {"topic": found.topics[at], **dict(zip(names, found.spread[at].tolist(), strict=True))}
        for at in kept.tolist()
    ]
    label = contents.columns[0].facts.label
    topics = [str(row["topic"]) for row in rows]

    def y(field: str) -> dict[str, Any]:
        return quantitative(label, field, scale={"zero": True})

    drawing = {
        "width": _width(len(rows)),
        "height": 260,
        "encoding": {"x": _topic_axis(topics)},
        "layer": [
            {
                "mark": {"type": "rule", "color": INK},
                "encoding": {"y": y("lowest"), "y2": {"field": "highest"}},
            },
            {
                "mark": {"type": "bar", "color": _BETTER, "opacity": 0.75, "width": {"band": 0.7}},
                "encoding": {"y": y("q1"), "y2": {"field": "q3"}},
            },
            {
                "mark": {"type": "tick", "color": _WORSE, "thickness": 3},
                "encoding": {"y": y("median")},
            },
        ],
    }
    note = f"the {len(rows)} hardest and easiest of {len(found.topics)} topics"
    is_cut = len(rows) < len(found.topics)
    return Figure("difficulty", f"{label} by topic", rows, drawing, note if is_cut else "")


def difference_figures(contents: Contents) -> Iterator[Figure]:
    """For the best runs, the difference of each topic from the reference, by the first measure."""
    others = [run for run in contents.ranking if run != contents.reference]
    for number, run in enumerate(others[:_MOST_DIFFERENCES], 1):
        figure = _difference_figure(contents, number, run)
        if figure is not None:
            yield figure


def differences_left_out(contents: Contents) -> int:
    """How many runs have no figure of differences."""
    return max(len(contents.names) - 1 - _MOST_DIFFERENCES, 0)


def _difference_figure(contents: Contents, number: int, run: str) -> Figure | None:
    column = contents.columns[0]
    steps = column.values[run] - column.values[contents.reference]
    defined = np.flatnonzero(~np.isnan(steps))
    if not len(defined):
        return None
    order = defined[np.argsort(-steps[defined], kind="stable")]
    kept = order[_ends(len(order))]
    sign = 1 if column.facts.higher_is_better else -1
    rows: list[Row] = [
        {
            "topic": contents.table.topic_ids[at],
            "difference": float(steps[at]),
            "which": "better" if sign * steps[at] > 0 else "worse",
        }
        for at in kept.tolist()
    ]
    drawing = {
        "width": _width(len(rows)),
        "height": 200,
        "mark": {"type": "bar"},
        "encoding": {
            "x": _topic_axis([str(row["topic"]) for row in rows]),
            "y": quantitative(f"difference in {column.facts.label}", "difference"),
            "color": {
                "field": "which",
                "type": "nominal",
                "scale": {"domain": ["better", "worse"], "range": [_BETTER, _WORSE]},
                "legend": None,
            },
        },
    }
    better = int((sign * steps[defined] > 0).sum())
    worse = int((sign * steps[defined] < 0).sum())
    note = f"better on {better}, worse on {worse}, equal on {len(defined) - better - worse} topics"
    if len(rows) < len(defined):
        note += f"; the {len(rows)} largest differences either way are drawn"
    return Figure(f"differences-{number}", run, rows, drawing, note)


def _topic_axis(topics: Sequence[str]) -> dict[str, Any]:
    axis: dict[str, Any] = {"labelAngle": -90, "labelOverlap": True, "grid": False}
    if len(topics) > 60:
        axis = {"labels": False, "ticks": False, "grid": False}
    return {"field": "topic", "type": "nominal", "sort": list(topics), "title": None, "axis": axis}


def _width(bars: int) -> int:
    return min(max(bars * 16, 240), 780)


def _ends(count: int) -> Ints:
    """The indices that are drawn: all, or as many from both ends."""
    if count <= _MOST_TOPICS:
        return np.arange(count)
    half = _MOST_TOPICS // 2
    return np.concatenate([np.arange(half), np.arange(count - half, count)])
