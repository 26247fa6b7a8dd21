"""Figures of measures: whether they agree about the runs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from doxeval.comparison import MeasurePair
from doxeval.reports.contents import Contents
from doxeval.reports.figure import COLOURS, INK, Figure, Row, quantitative

_MOST_SCATTERS = 3
_MOST_NAMED = 12


def scatter_figures(contents: Contents) -> Iterator[Figure]:
    """The first measure against the next ones: a point for each run, and the line through them."""
    if contents.correlations is None:
        return
    labels = contents.table.labels
    for number, other in enumerate(labels[1 : 1 + _MOST_SCATTERS], 1):
        pair = contents.correlations.pair(labels[0], other)
        if pair.systems:
            yield _scatter(contents, number, pair)


def scatters_left_out(contents: Contents) -> int:
    """How many measures are not drawn against the first."""
    return max(len(contents.table.measures) - 1 - _MOST_SCATTERS, 0)


def _scatter(contents: Contents, number: int, pair: MeasurePair) -> Figure:
    first, second = (
        next(column for column in contents.columns if column.facts.label == label)
        for label in (pair.first, pair.second)
    )
    points = [
        (run, x, y)
        for run in contents.ranking
        if (x := first.means[run]) is not None and (y := second.means[run]) is not None
    ]
    rows: list[Row] = [
        {"run": run, "x": x, "y": y, "name": run if rank < _MOST_NAMED else "", "side": rank % 2}
        for rank, (run, x, y) in enumerate(points)
    ]
    ends = np.array([[x for _, x, _ in points]])
    line: list[Row] = []
    if pair.slope is not None and pair.intercept is not None:
        line = [
            {"x": float(x), "y": pair.intercept + pair.slope * float(x)}
            for x in (ends.min(), ends.max())
        ]
    x_axis = quantitative(pair.first, "x", scale={"zero": False, "padding": 24, "nice": False})
    y_axis = quantitative(pair.second, "y", scale={"zero": False, "padding": 14, "nice": False})
    drawing = {
        "width": 290,
        "height": 270,
        "layer": [
            {
                "data": {"values": line},
                "mark": {"type": "line", "color": INK, "strokeDash": [5, 4]},
                "encoding": {"x": x_axis, "y": y_axis},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 60, "color": COLOURS[0]},
                "encoding": {"x": x_axis, "y": y_axis},
            },
            *(
                {
                    "transform": [{"filter": f"datum.side == {side}"}],
                    "mark": {"type": "text", "align": "left", "dx": 5, "dy": dy, "limit": 130},
                    "encoding": {"x": x_axis, "y": y_axis, "text": {"field": "name"}},
                }
                for side, dy in ((0, -9), (1, 10))  # so that names of neighbours do not overlap
            ),
        ],
    }
    return Figure(
        f"scatter-{number}", f"{pair.second} by {pair.first}", rows, drawing, _coefficients(pair)
    )


def _coefficients(pair: MeasurePair) -> str:
    """The correlations that are defined, in words."""
    defined = [
        f"{symbol} = {coefficient.value:.3f}"
        for symbol, coefficient in (
            ("Kendall's τ", pair.tau),
            ("τ_AP", pair.tau_ap),
            ("Pearson's r", pair.pearson),
        )
        if coefficient.value is not None
    ]
    return ", ".join(defined) or "no correlation is defined"


def tau_figure(contents: Contents) -> Figure | None:
    """Kendall's τ between the rankings of runs by all measures."""
    if contents.correlations is None:
        return None
    labels = list(contents.table.labels)
    rows: list[Row] = []
    for one in labels:
        for two in labels:
            tau = tau_of(contents, one, two)
            rows.append({"first": one, "second": two, "tau": tau})
    step = 46 if len(labels) <= 16 else 24
    axis = {"type": "nominal", "sort": labels, "title": None}
    drawing = {
        "width": {"step": step},
        "height": {"step": step if step < 30 else 30},
        "encoding": {
            "x": {"field": "second", **axis, "axis": {"labelAngle": -40}},
            "y": {"field": "first", **axis},
        },
        "layer": [
            {
                "mark": "rect",
                "encoding": {
                    "color": {
                        "field": "tau",
                        "type": "quantitative",
                        "scale": {"domain": [-1, 0, 1], "range": ["#d98a4b", "#bbbbbb", "#6f9fd8"]},
                        "legend": {"title": "τ"},
                    }
                },
            },
            {
                "mark": {"type": "text", "color": "#111111", "fontSize": 10},
                "encoding": {"text": {"field": "tau", "type": "quantitative", "format": ".2f"}},
            },
        ],
    }
    return Figure("tau", "Kendall's τ between measures", rows, drawing)


def tau_of(contents: Contents, one: str, two: str) -> float | None:
    """Kendall's τ between two measures; 1 for a measure with itself."""
    if one == two:
        return 1.0
    return None if contents.correlations is None else contents.correlations.pair(one, two).tau.value
