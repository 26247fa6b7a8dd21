"""Figures: Vega-Lite specifications, the one source of what the page and files show.

The page draws a specification with the Vega runtime that it carries. Files for papers are drawn by
vl-convert, with the runs that are chosen when the page is opened.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from doxeval.scores import SCHEMA, MeasureFacts, draw_figure

Value = str | float | None
# The best run and the baseline where all others are grey; colours that are told apart by everybody.
BLUE, ORANGE, GREY, LIGHT_GREY = "#3b76b8", "#e0812a", "#8d949e", "#cfd4db"
COLOURS = (
    "#4c7fc0", "#e8811a", "#d6484c", "#2fa39b", "#5a9e3a",
    "#b08a00", "#a868b5", "#d9669a", "#9c6b4f", "#808080",
)  # fmt: skip
DASHES = ([1, 0], [7, 3], [2, 2], [8, 3, 2, 3])
# The formats of files, besides the data as CSV.
FILES = ("svg", "png", "pdf")
CHOSEN = "chosen"
IS_CHOSEN = {"filter": f"indexof({CHOSEN}, datum.run) >= 0"}
# Of a figure that fills a column; the page fits it to its own.
WIDTH = 640
_INK, _GRID = "#444444", "#88888833"
# What files look like; the page has colours of its own, for light and dark.
_CONFIG = {
    "aria": False,
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": _INK,
        "titleColor": _INK,
        "gridColor": _GRID,
        "domainColor": _INK,
        "tickColor": _INK,
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 160,
    },
    "legend": {
        "labelColor": _INK,
        "titleColor": _INK,
        "labelLimit": 200,
        "labelFontSize": 12,
        "symbolSize": 300,
        "symbolStrokeWidth": 2,
    },
    "header": {"labelColor": _INK, "titleColor": _INK},
    "text": {"color": _INK},
    "rule": {"color": _INK},
}


@dataclass(frozen=True)
class Figure:
    """A figure: its data by column, how they are drawn, a note on it, and what it says in words.

    >>> columns = {"run": ["a", "a"], "x": [0.0, 1.0], "y": [0.5, None]}
    >>> figure = Figure("curve", "curves", "Precision", columns, {"mark": "line"})
    >>> figure.csv().splitlines()
    ['run,x,y', 'a,0.0,0.5', 'a,1.0,']
    >>> figure.rows[0]
    {'run': 'a', 'x': 0.0, 'y': 0.5}
    """

    name: str
    section: str
    title: str
    columns: Mapping[str, Sequence[Value]]
    drawing: Mapping[str, Any]
    note: str = ""
    alt: str = ""

    @property
    def rows(self) -> list[dict[str, Value]]:
        """The data row by row."""
        names = list(self.columns)
        values = zip(*self.columns.values(), strict=True)
        return [dict(zip(names, row, strict=True)) for row in values]

    @property
    def spec(self) -> dict[str, Any]:
        """The specification without data, as the page has it."""
        return {"$schema": SCHEMA, **self.drawing}

    def file(self, kind: str) -> bytes:
        """Return the figure as a file: svg, png, pdf, or its data as csv."""
        if kind == "csv":
            return self.csv().encode()
        whole = {
            **self.spec,
            "background": None if kind == "svg" else "white",
            "config": _CONFIG,
            "data": {"values": self.rows},
            "padding": 4,
        }
        return draw_figure(whole, kind)

    def csv(self) -> str:
        """Return the data."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(zip(*self.columns.values(), strict=True))
        return file.getvalue()


def quantitative(title: str, field: str, **more: Any) -> dict[str, Any]:
    """Return an encoding of numbers.

    >>> quantitative("recall", "x")["title"]
    'recall'
    """
    return {"field": field, "type": "quantitative", "title": title, **more}


def bounds_of(facts: MeasureFacts, values: Iterable[float]) -> tuple[float, float]:
    """Return the ends of an axis: the range of the measure, and of values beyond or without one.

    Zero is always between them.

    >>> bounds_of(MeasureFacts("P", "P", "precision"), [0.2, 0.4])
    (0.0, 1.0)
    >>> bounds_of(MeasureFacts("x", "x", "", 0, None), [20.0, 40.0])
    (0.0, 42.0)
    """
    known = [value for value in values if math.isfinite(value)]
    low, high = min(0.0, *known, 0.0), max(0.0, *known, 0.0)
    if facts.highest is None or not math.isfinite(facts.highest):
        high += (high - low) * 0.05 or 1.0
    else:
        high = max(high, float(facts.highest))
    return (low if math.isinf(facts.lowest) else min(low, float(facts.lowest))), high


def tooltip(field: str, title: str, style: str = "") -> dict[str, Any]:
    """Return a line of a tooltip; numbers have a format.

    >>> tooltip("y", "precision", ".4f")
    {'field': 'y', 'title': 'precision', 'type': 'quantitative', 'format': '.4f'}
    """
    if not style:
        return {"field": field, "title": title, "type": "nominal"}
    return {"field": field, "title": title, "type": "quantitative", "format": style}


def choosing(runs: Sequence[str]) -> dict[str, Any]:
    """Return the parameter that says which runs are shown; these are chosen at first.

    >>> choosing(["a"])
    {'name': 'chosen', 'value': ['a']}
    """
    return {"name": CHOSEN, "value": list(runs)}


def by_run(runs: Sequence[str], *, dashes: bool = False) -> dict[str, Any]:
    """Return the encodings of runs: each has the same colour in every figure, whatever is chosen.

    >>> by_run(["a", "b"])["color"]["scale"]["domain"]
    ['a', 'b']
    """
    legend = {"title": None, "orient": "right", "values": {"expr": CHOSEN}}
    encodings = {"color": _by_run(runs, [colour_of(n) for n in range(len(runs))], legend)}
    if dashes:
        encodings["strokeDash"] = _by_run(runs, [dash_of(n) for n in range(len(runs))], legend)
    return encodings


def colour_of(place: int) -> str:
    """Return the colour of the run with this place in the ranking."""
    return COLOURS[place % len(COLOURS)]


def dash_of(place: int) -> list[int]:
    """Return the dashes of the run with this place in the ranking."""
    return DASHES[place % len(DASHES)]


def _by_run(runs: Sequence[str], values: Sequence[Any], legend: Mapping[str, Any]) -> Any:
    scale = {"domain": list(runs), "range": list(values)}
    return {"field": "run", "type": "nominal", "scale": scale, "legend": dict(legend)}
