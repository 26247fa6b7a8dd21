"""What retrieval of chunks loses: by how documents were split, and by how chunks were retrieved.

1 − score = (1 − score of the oracle), lost by chunking, + (score of the oracle − score), lost by
retrieval. The oracle is the best order of the same chunks. Both are scored without white space:
what a splitter strips at the edges of chunks is not lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from doxeval.reports.contents import Contents
from doxeval.reports.figures.vega import (
    IS_CHOSEN,
    WIDTH,
    Figure,
    Value,
    choosing,
    quantitative,
    tooltip,
)
from doxeval.scores import ScoreTable

_PARTS = ("shown", "lost by retrieval", "lost by chunking")
_COLOURS = ("#3f8f4f", "#e0a52e", "#b5473c")
_MAX_MEASURES = 4


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
    >>> from doxeval.scores import RunScores
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


def losses_figures(contents: Contents) -> list[Figure]:
    """Draw, for each measure, a bar for each run: shown, lost by retrieval, lost by chunking."""
    by_measure: dict[str, list[Loss]] = {}
    place = {run: number for number, run in enumerate(contents.ranking)}
    for loss in sorted(contents.losses, key=lambda loss: place[loss.run]):
        by_measure.setdefault(loss.measure, []).append(loss)
    # Recall at a budget is what an oracle is made for; other measures only if there is none.
    names = [name for name in contents.labels if name in by_measure]
    names = [name for name in names if name.startswith("bR")] or names
    return [
        _figure(contents, number, name, by_measure[name])
        for number, name in enumerate(names[:_MAX_MEASURES], 1)
    ]


def _figure(contents: Contents, number: int, measure: str, losses: Sequence[Loss]) -> Figure:
    columns: dict[str, list[Value]] = {"run": [contents.shown[loss.run] for loss in losses]}
    for part, name in zip(("shown", "retrieval", "chunking"), _PARTS, strict=True):
        columns[name] = [round(float(getattr(loss, part)), 9) for loss in losses]
    phrases = [
        f"{contents.shown[loss.run]} shows {loss.shown:.0%}, loses {loss.retrieval:.0%} by "
        f"retrieval and {loss.chunking:.0%} by chunking"
        for loss in losses
        if loss.run in contents.chosen
    ]
    return Figure(
        f"losses-{number}",
        "losses",
        f"{measure}: shown and lost",
        columns,
        _drawn(contents),
        alt=f"By {measure}: {'; '.join(phrases)}.",
    )


def _drawn(contents: Contents) -> dict[str, Any]:
    parts = list(_PARTS)
    order = [contents.shown[run] for run in contents.ranking]
    colour = {
        "field": "what",
        "type": "nominal",
        "scale": {"domain": parts, "range": list(_COLOURS)},
        "legend": {
            "title": None,
            "orient": "bottom",
            "direction": "vertical",
            "symbolType": "square",
            "symbolSize": 120,
        },
    }
    tips = [tooltip("run", "run"), *(tooltip(name, name, ".1%") for name in parts)]
    x = quantitative("share", "part", stack=True, scale={"domain": [0, 1]}, axis={"format": ".0%"})
    return {
        "width": WIDTH,
        "height": {"step": 24},
        "params": [choosing([contents.shown[run] for run in contents.chosen])],
        "transform": [
            IS_CHOSEN,
            {"fold": parts, "as": ["what", "part"]},
            {"calculate": f"indexof({parts!r}, datum.what)", "as": "order"},
        ],
        "mark": {"type": "bar"},
        "encoding": {
            "x": x,
            "y": {
                "field": "run",
                "type": "nominal",
                "title": None,
                "sort": order,
                "axis": {"labelLimit": 120},
            },
            "color": colour,
            "order": {"field": "order", "type": "quantitative"},
            "tooltip": tips,
        },
    }
