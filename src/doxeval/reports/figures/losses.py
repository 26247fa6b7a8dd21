"""What retrieval of chunks loses: by how documents were split, and by how chunks were retrieved.

1 − score = (1 − score of the oracle), lost by chunking, + (score of the oracle − score), lost by
retrieval. The oracle is the best order of the same chunks. Both are scored without white space:
what a splitter strips at the edges of chunks is not lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from doxeval.messages import plural
from doxeval.reports.contents import Contents
from doxeval.reports.figures.vega import (
    BLUE,
    IS_CHOSEN,
    ORANGE,
    PALE,
    PALE_PARAMETER,
    Figure,
    Value,
    choosing,
    quantitative,
    tooltip,
)
from doxeval.reports.overview import standing
from doxeval.scores import ScoreTable

_PARTS = ("shown", "lost by retrieval", "lost by chunking")
_COLOURS = (BLUE, PALE, ORANGE)
# Smaller parts have no room for their percentage.
_MIN_WRITTEN = 0.06
_MAX_MEASURES = 4
_WIDTH = 290


class Loss(NamedTuple):
    """One run by one measure: what it shows, and what it loses; the three parts add up to 1."""

    run: str
    measure: str
    shown: float
    retrieval: float
    chunking: float


def losses(runs: ScoreTable, oracle: ScoreTable) -> tuple[Loss, ...]:
    """Return what runs lose, given their scores and, under the same names, those of the oracle.

    Where scores with white space ignored were kept (`Keep.without_whitespace`), these count.
    Measures that are no share, and undefined scores, are left out. An oracle that a run surpasses
    is as good as that run: it is greedy.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores
    >>> def table(score):
    ...     runs = (RunScores("mine", np.array([[score]]), np.array([True])),)
    ...     return ScoreTable((MeasureFacts("bR@9", "bR@9", "recall"),), ("7",), runs)
    >>> losses(table(0.5), table(0.75))
    (Loss(run='mine', measure='bR@9', shown=0.5, retrieval=0.25, chunking=0.25),)
    """
    runs, oracle = runs.without_whitespace(), oracle.without_whitespace()
    best = {facts.canonical: number for number, facts in enumerate(oracle.measures)}
    made = []
    for number, facts in enumerate(runs.measures):
        if facts.canonical not in best or not facts.is_share:
            continue
        for row, run in enumerate(runs):
            shown = runs.means_of(row)[number]
            if shown is None or run not in oracle:
                continue
            reached = oracle.means_of(oracle.index_of_run(run))[best[facts.canonical]]
            highest = shown if reached is None else max(reached, shown)
            made.append(Loss(run, facts.label, shown, highest - shown, 1 - highest))
    return tuple(made)


def losses_figure(contents: Contents) -> Figure | None:
    """Draw, for each measure, a bar for each run: shown, lost by retrieval, lost by chunking."""
    by_measure: dict[str, list[Loss]] = {}
    place = {run: number for number, run in enumerate(contents.ranking)}
    for loss in sorted(contents.losses, key=lambda loss: place[loss.run]):
        by_measure.setdefault(loss.measure, []).append(loss)
    # Recall at a budget is what an oracle is made for; other measures only if there is none.
    names = [name for name in contents.labels if name in by_measure]
    names = ([name for name in names if name.startswith("bR")] or names)[:_MAX_MEASURES]
    if not names:
        return None
    drawn = [loss for name in names for loss in by_measure[name]]
    columns: dict[str, list[Value]] = {
        "measure": [loss.measure for loss in drawn],
        "run": [contents.shown[loss.run] for loss in drawn],
    }
    for part, name in zip(("shown", "retrieval", "chunking"), _PARTS, strict=True):
        columns[name] = [round(float(getattr(loss, part)), 9) for loss in drawn]
    return Figure(
        "losses",
        "losses",
        _finding(contents, names[0], by_measure[names[0]]),
        f"Means over {plural(len(contents.table.topic_ids), contents.subject.topic)}, without "
        "white space. Lost by chunking: what the best order of the same chunks, a greedy oracle's, "
        f"does not show; lost by retrieval: the rest. {contents.test_in_words()}".strip(),
        columns,
        _drawn(contents, names),
        " ".join(_in_words(contents, name, by_measure[name]) for name in names),
        100 + min(len(names), 2) * (_WIDTH + 20),
    )


def _finding(contents: Contents, measure: str, losses: Sequence[Loss]) -> str:
    """Return what the run that shows most shows and loses."""
    parts = {(loss.shown, loss.chunking) for loss in losses}
    best = max(losses, key=lambda loss: loss.shown)
    lost = f"{best.retrieval:.0%} is lost by retrieval, {best.chunking:.0%} by chunking"
    if len(losses) > 1 and len(parts) == 1:
        system = contents.subject.run
        return f"By {measure}, all {len(losses):,} {system}s show {best.shown:.0%}; {lost}"
    most = " most" if len(losses) > 1 else ""
    finding = f"By {measure}, {contents.shown[best.run]} shows{most}, {best.shown:.0%}; {lost}"
    number = contents.labels.index(measure)
    compared = standing(contents, number, best.run)
    return f"{finding}. It is {compared}" if compared else finding


def _in_words(contents: Contents, measure: str, losses: Sequence[Loss]) -> str:
    phrases = [
        f"{contents.shown[loss.run]} shows {loss.shown:.0%}, loses {loss.retrieval:.0%} by "
        f"retrieval and {loss.chunking:.0%} by chunking"
        for loss in losses
        if loss.run in contents.chosen
    ]
    return f"By {measure}: {'; '.join(phrases)}."


def _drawn(contents: Contents, measures: list[str]) -> dict[str, Any]:
    parts = list(_PARTS)
    order = [contents.shown[run] for run in contents.ranking]
    colour = {
        "field": "what",
        "type": "nominal",
        "scale": {"domain": parts, "range": list(_COLOURS)},
        "legend": {"title": None, "orient": "top", "symbolType": "square", "symbolSize": 120},
    }
    tips = [tooltip("run", contents.subject.run), *(tooltip(name, name, ".1%") for name in parts)]
    across = {"scale": {"domain": [0, 1]}, "axis": {"format": ".0%", "tickCount": 5}}
    y = {
        "field": "run",
        "type": "nominal",
        "title": None,
        "sort": order,
        "axis": {"labelLimit": 200},
    }
    x = quantitative("share of what was to be found", "from", **across)
    written = {
        "condition": [
            {"test": f"datum.what == {parts[0]!r}", "value": "#ffffff"},
            {"test": f"datum.what == {parts[2]!r}", "value": "#1c1f24"},
        ]  # on grey it is that of all text
    }
    return {
        "usermeta": {"axis": 150},  # the room that the names of runs take
        "params": [choosing([contents.shown[run] for run in contents.chosen]), PALE_PARAMETER],
        "transform": [
            IS_CHOSEN,
            {"fold": parts, "as": ["what", "part"]},
            {"calculate": f"indexof({parts!r}, datum.what)", "as": "order"},
            {
                "stack": "part",
                "groupby": ["measure", "run"],
                "sort": [{"field": "order"}],
                "as": ["from", "to"],
            },
            {"calculate": "(datum.from + datum.to) / 2", "as": "middle"},
        ],
        "facet": {"field": "measure", "type": "nominal", "title": None, "sort": measures},
        "columns": 2,
        "spec": {
            "width": _WIDTH,
            "height": {"step": 26},
            "encoding": {"y": y},
            "layer": [
                {
                    "mark": {"type": "bar"},
                    "encoding": {"x": x, "x2": {"field": "to"}, "color": colour, "tooltip": tips},
                },
                {
                    "transform": [{"filter": f"datum.part >= {_MIN_WRITTEN}"}],
                    "mark": {"type": "text", "fontSize": 12},
                    "encoding": {
                        "x": {"field": "middle", "type": "quantitative"},
                        "text": {"field": "part", "type": "quantitative", "format": ".0%"},
                        "color": written,
                    },
                },
                {  # a small part at the end is written beside the bar
                    "transform": [
                        {
                            "filter": f"datum.what == {parts[2]!r} && datum.part >= 0.005 && "
                            f"datum.part < {_MIN_WRITTEN}"
                        }
                    ],
                    "mark": {"type": "text", "fontSize": 12, "align": "left", "dx": 4},
                    "encoding": {
                        "x": {"field": "to", "type": "quantitative"},
                        "text": {"field": "part", "type": "quantitative", "format": ".0%"},
                    },
                },
            ],
        },
    }
