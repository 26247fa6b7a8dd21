"""Figures: Vega-Lite specifications, the one source of what the page and files show.

The page draws a specification with the Vega runtime that it carries. Files for papers are drawn by
vl-convert, or saved from the page, with the runs that are chosen. A specification has the size of a
figure in a paper; the page gives it that of its place.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from doxeval.reports.contents import Contents
from doxeval.scores import SCHEMA, draw_figure, titled

Value = str | float | None
# The best run and the baseline where all others are grey; colours that are told apart by everybody.
BLUE, ORANGE, GREY, LIGHT_GREY = "#3b76b8", "#e0812a", "#8d949e", "#cfd4db"
# Of the other runs where each needs a colour: in documents.
COLOURS = (
    "#d6484c", "#2fa39b", "#5a9e3a", "#b08a00", "#a868b5", "#d9669a", "#9c6b4f", "#6c7a89",
)  # fmt: skip
# The formats of files, besides the data as CSV.
FILES = ("svg", "png", "pdf")
CHOSEN = "chosen"
# The light grey of areas, for which the page has another in the dark.
PALE_PARAMETER = {"name": "pale", "value": LIGHT_GREY}
PALE = {"expr": "pale"}
IS_CHOSEN = {"filter": f"indexof({CHOSEN}, datum.run) >= 0"}
# Of a figure across a column of a paper, and of one with many topics.
WIDTH, HEIGHT = 440, 275
WIDE = 640
_INK, _GRID = "#444444", "#88888833"
# What files look like; the page has colours of its own, for light and dark.
_CONFIG = {
    "aria": False,
    "font": "sans-serif",
    "view": {"stroke": None},
    "title": {"color": "#1c1f24", "subtitleColor": _INK},
    "axis": {
        "labelColor": _INK,
        "titleColor": _INK,
        "gridColor": _GRID,
        "domainColor": _INK,
        "tickColor": _INK,
        "labelFontSize": 12,
        "titleFontSize": 13,
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
    "header": {"labelColor": _INK, "titleColor": _INK, "labelFontSize": 12},
    "text": {"color": _INK, "fontSize": 12},
    "rule": {"color": _INK},
}


@dataclass(frozen=True)
class Figure:
    """A figure: what it states, where that comes from, its data by column, and how they are drawn.

    title: the finding. source: what is drawn, from which scores, with which interval or test.
    alt: what the figure shows, in words. width: about how wide it is, for the lines of its title.

    >>> columns = {"run": ["a", "a"], "x": [0.0, 1.0], "y": [0.5, None]}
    >>> figure = Figure("curve", "curves", "a is best", "Means.", columns, {"mark": "line"})
    >>> figure.csv().splitlines()
    ['run,x,y', 'a,0.0,0.5', 'a,1.0,']
    >>> figure.rows[0], figure.spec["title"]["text"]
    ({'run': 'a', 'x': 0.0, 'y': 0.5}, ['a is best'])
    """

    name: str
    section: str
    title: str
    source: str
    columns: Mapping[str, Sequence[Value]]
    drawing: Mapping[str, Any]
    alt: str = ""
    width: float = WIDTH + 60

    @property
    def rows(self) -> list[dict[str, Value]]:
        """The data row by row."""
        names = list(self.columns)
        values = zip(*self.columns.values(), strict=True)
        return [dict(zip(names, row, strict=True)) for row in values]

    @property
    def spec(self) -> dict[str, Any]:
        """The specification without data, as the page has it."""
        title = titled(self.title, self.source, self.width)
        return {"$schema": SCHEMA, "title": title, **self.drawing}

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


def best_and_baseline(contents: Contents) -> dict[str, Any]:
    """Return the encoding of runs in which the best one and the baseline stand out.

    No run is best if all have the same mean.
    """
    scale = {"domain": list(contents.shown.values()), "range": run_colours(contents)}
    return {"field": "run", "type": "nominal", "scale": scale, "legend": None}


def marked_runs(contents: Contents) -> dict[str, str]:
    """Return the colours of the best run by the first measure and of the baseline.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> counted, facts = np.ones(1, dtype=bool), (MeasureFacts("P", "P", "precision"),)
    >>> runs = tuple(RunScores(run, np.array([[0.5]]), counted) for run in "ab")
    >>> marked_runs(Contents(ScoreTable(facts, ("7",), runs)))
    {}
    """
    marked = {}
    if contents.baseline is not None:
        marked[contents.baseline] = ORANGE
    if not contents.is_tie:
        marked[contents.ranking[0]] = BLUE
    return marked


def colours_explained(contents: Contents) -> str:
    """Return a sentence about the colours of runs; empty if there is nothing to explain."""
    phrases = []
    for run, colour in sorted(marked_runs(contents).items(), key=lambda item: item[1]):
        name = "blue" if colour == BLUE else "orange"
        what = f"best by {contents.labels[0]}" if colour == BLUE else "the baseline"
        if colour == BLUE and run == contents.baseline:
            what += ", and the baseline"
        phrases.append(f"{name}: {contents.shown[run]}, {what}")
    sentence = "; ".join(phrases)
    return f"{sentence[0].upper()}{sentence[1:]}." if len(contents.ranking) > 1 and phrases else ""


def run_colours(contents: Contents) -> list[str]:
    """Return the colours of the runs in figures and tables, best first."""
    marked = marked_runs(contents)
    return [marked.get(run, GREY) for run in contents.ranking]


def text_colours(contents: Contents) -> list[str]:
    """Return the colours of the runs in documents, best first: neighbours have different ones."""
    marked = marked_runs(contents)
    return [
        marked.get(run) or COLOURS[place % len(COLOURS)]
        for place, run in enumerate(contents.ranking)
    ]
