"""Figures of curves, a line for each run, and of shares of hits, near-misses and misses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.reports.contents import Contents
from doxeval.reports.figures.vega import (
    BLUE,
    GREY,
    IS_CHOSEN,
    LIGHT_GREY,
    ORANGE,
    WIDTH,
    Figure,
    Value,
    bounds_of,
    choosing,
    quantitative,
    tooltip,
)
from doxeval.scores import Curve, RunScores, mean_curve

_MAX_POINTS = 101
_MAX_CURVES = 12
# How the name of an axis of budgets begins.
_BUDGET = "budget"
# The shares of all relevance, from the bottom up, and their colours; misses are the rest.
SHARES = ("hits", "near-misses", "seen twice", "misses")
_SHARE_COLOURS = (BLUE, "#9cc4ea", ORANGE, LIGHT_GREY)
# The height of the first figure of curves, of the others, and of a line of text in them.
_LARGE, _SMALL, _LINE_HEIGHT = 380, 280, 14
# The room for names at the ends of lines.
_NAMES = 110
_LABELS = {"Hits": "hits", "NearMisses": "near-misses", "Misses": "misses"}


def curve_figures(contents: Contents) -> list[Figure]:
    """Draw each kind of curve in the table; measures with the same curves share a figure.

    >>> from doxeval.scores import MeasureFacts, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> curve = Curve("P", "recall", "precision", np.array([0.0, 1.0]), np.array([[1.0, 0.5]]))
    >>> run = RunScores("mine", np.array([[0.5]]), np.array([True]), curves=(curve,))
    >>> (figure,) = curve_figures(Contents(ScoreTable((facts,), ("7",), (run,))))
    >>> figure.title, figure.rows[1]
    ('precision by recall (P)', {'run': 'mine', 'x': 1.0, 'y': 0.5})
    """
    curves = _mean_curves(contents)
    together: list[list[str]] = []
    for label, lines in curves.items():
        group = next((known for known in together if _are_alike(curves[known[0]], lines)), None)
        if group is None:
            together.append([label])
        elif _reach(lines) > _reach(curves[group[0]]):
            group.insert(0, label)  # the longest is drawn
        else:
            group.append(label)
    return [
        _curve_figure(
            contents, number, [name for name in curves if name in group], curves[group[0]]
        )
        for number, group in enumerate(together[:_MAX_CURVES], 1)
    ]


_Line = tuple[str, Curve, Floats]  # a run, its curve, and the mean of that over topics


def _are_alike(lines: Sequence[_Line], others: Sequence[_Line]) -> bool:
    """Whether curves are the same, or one is where the other begins."""
    if [(run, c.x_name, c.y_name) for run, c, _ in lines] != [
        (run, c.x_name, c.y_name) for run, c, _ in others
    ]:
        return False
    for (_, first, left), (_, second, right) in zip(lines, others, strict=True):
        _, at, also = np.intersect1d(first.x, second.x, return_indices=True)
        if not len(at) or not np.allclose(left[at], right[also], 0, 1e-9, equal_nan=True):
            return False
        if len(at) < min(len(left), len(right)) and not first.x_name.startswith(_BUDGET):
            return False  # budgets are taken in steps; all others have their points in common
    return True


def _reach(lines: Sequence[_Line]) -> float:
    return float(lines[0][1].x[-1])


def _mean_curves(contents: Contents) -> dict[str, list[_Line]]:
    """Return the mean curves of the runs by measure, best run first."""
    curves: dict[str, list[_Line]] = {}
    for run in contents.ranking:
        scores = contents.scores(run)
        for whole in scores.curves:
            curve = _thin(whole)
            mean = np.array(mean_curve(curve, scores.counted), dtype=np.float64)
            curves.setdefault(curve.label, []).append((run, curve, mean))
    return {label: curves[label] for label in contents.table.labels if label in curves}


def _curve_figure(
    contents: Contents, number: int, labels: Sequence[str], lines: Sequence[_Line]
) -> Figure:
    curve = lines[0][1]
    columns: dict[str, list[Value]] = {"run": [], "x": [], "y": []}
    for run, of_run, mean in lines:
        points = np.flatnonzero(~np.isnan(mean))
        columns["run"] += [contents.shown[run]] * len(points)
        columns["x"] += of_run.x[points].tolist()
        columns["y"] += mean[points].tolist()
    is_log = _is_long_axis(curve.x) and not curve.x_name.startswith(_BUDGET)
    title = f"{curve.y_name} by {curve.x_name} ({', '.join(labels[:4])}{_more(labels)})"
    return Figure(
        f"curve-{number}",
        "curves",
        title,
        columns,
        _lines_drawn(contents, labels[0], lines, is_log=is_log, is_large=number == 1),
        "ranks on a log scale" if is_log else "",
        _curve_in_words(contents, lines),
    )


def _lines_drawn(
    contents: Contents, label: str, lines: Sequence[_Line], *, is_log: bool, is_large: bool
) -> dict[str, Any]:
    """Lines with names at their ends; points that appear and tell their values under the pointer.

    The best run and the baseline are coloured, all others are grey.
    """
    curve, facts = lines[0][1], contents.table.measures[contents.table.labels.index(label)]
    ends = bounds_of(facts, [value for _, _, mean in lines for value in mean.tolist()])
    scale = {"type": "log"} if is_log else {}
    x = quantitative(curve.x_name, "x", scale={**scale, "nice": False})
    y = quantitative(f"mean {curve.y_name}", "y", scale={"domain": list(ends), "nice": False})
    tips = [
        tooltip("run", contents.subject.run),
        tooltip("x", curve.x_name, ".4~g"),
        tooltip("y", curve.y_name, ".4f"),
    ]
    near = {"type": "point", "on": "pointerover", "clear": "pointerout"}
    hover = {"name": "hover", "select": {**near, "fields": ["run", "x"]}}
    is_near = {"param": "hover", "empty": False}
    colour = _best_and_baseline(contents)
    return {
        "usermeta": {"wide": is_large},
        "width": WIDTH,
        "height": _LARGE if is_large else _SMALL,
        "params": [choosing([contents.shown[run] for run in contents.chosen])],
        "transform": [IS_CHOSEN],
        "encoding": {"x": x, "color": colour},
        "layer": [
            {
                "mark": {"type": "line", "strokeWidth": 2, "clip": True},
                "encoding": {"y": y},
            },
            {
                "params": [hover],
                "mark": {"type": "point", "filled": True, "size": 70},
                "encoding": {
                    "y": y,
                    "opacity": {"condition": {**is_near, "value": 1}, "value": 0},
                    "tooltip": tips,
                },
            },
            *([_names_drawn(contents, lines, y)] if is_large else []),
        ],
    }


def _names_drawn(contents: Contents, lines: Sequence[_Line], y: dict[str, Any]) -> dict[str, Any]:
    """Names at the ends of lines."""
    low, high = y["scale"]["domain"]
    names = _names_at_ends(contents, lines, (high - low) * _LINE_HEIGHT / _LARGE)
    return {
        "transform": [
            {
                "joinaggregate": [{"op": "max", "field": "x", "as": "last"}],
                "groupby": ["run"],
            },
            {"filter": "datum.x == datum.last"},
            {
                "lookup": "run",
                "from": {"data": {"values": names}, "key": "run", "fields": ["height"]},
            },
            {"filter": "isValid(datum.height)"},
        ],
        "mark": {"type": "text", "align": "left", "dx": 6, "limit": _NAMES},
        "encoding": {
            "y": {**y, "field": "height"},
            "text": {"field": "run", "type": "nominal"},
        },
    }


def _best_and_baseline(contents: Contents) -> dict[str, Any]:
    """Return the encoding of runs in which the best one and the baseline stand out."""
    colours = [GREY] * len(contents.ranking)
    if contents.baseline is not None:
        colours[contents.ranking.index(contents.baseline)] = ORANGE
    colours[0] = BLUE
    scale = {"domain": list(contents.shown.values()), "range": colours}
    return {"field": "run", "type": "nominal", "scale": scale, "legend": None}


def _names_at_ends(
    contents: Contents, lines: Sequence[_Line], line_height: float
) -> list[dict[str, Any]]:
    """Return how high the name of each chosen run stands: at the end of its line, or nearly so."""
    last = {
        run: float(mean[np.flatnonzero(~np.isnan(mean))[-1]])
        for run, _, mean in lines
        if run in contents.chosen and not np.isnan(mean).all()
    }
    heights: dict[str, float] = {}
    # Among lines that end nearly together, the better run stands above.
    place = {run: -number for number, run in enumerate(contents.ranking)}
    for run in sorted(last, key=lambda run: (round(last[run] / line_height), place[run])):
        lowest = max(heights.values(), default=-np.inf) + line_height
        heights[run] = max(last[run], lowest)
    return [
        {"run": contents.shown[run], "height": round(height, 4)} for run, height in heights.items()
    ]


def _curve_in_words(contents: Contents, lines: Sequence[_Line]) -> str:
    """Return where the lines of the chosen runs begin and end."""
    phrases = []
    for run, curve, mean in lines:
        defined = np.flatnonzero(~np.isnan(mean))
        if run in contents.chosen and len(defined):
            first, last = defined[[0, -1]].tolist()
            phrases.append(
                f"{contents.shown[run]} from {mean[first]:.3f} at {curve.x[first]:g} to "
                f"{mean[last]:.3f} at {curve.x[last]:g}"
            )
    curve, system = lines[0][1], contents.subject.run
    return f"Mean {curve.y_name} by {curve.x_name}, a line for each {system}: {'; '.join(phrases)}."


def shares_figure(contents: Contents) -> Figure | None:
    """Draw the shares of all relevance by rank, stacked, a panel for each run, all on one scale."""
    by_run = {}
    for run in contents.ranking:
        shares = shares_by_rank(contents, run)
        if shares is not None:
            by_run[run] = shares
    if not by_run:
        return None
    order = sorted(by_run, key=lambda run: -float(by_run[run][1][0, -1]))
    columns: dict[str, list[Value]] = {name: [] for name in ("run", "rank", *SHARES)}
    for run in order:
        ranks, values = by_run[run]
        columns["run"] += [contents.shown[run]] * len(ranks)
        columns["rank"] += ranks.astype(np.int64).tolist()
        for kind, name in enumerate(SHARES):
            columns[name] += values[kind].tolist()
    words = [
        f"{contents.shown[run]} {values[0, -1]:.0%}, {values[1, -1]:.0%} and {values[3, -1]:.0%}"
        for run, (_, values) in ((run, by_run[run]) for run in order)
        if run in contents.chosen
    ]
    return Figure(
        "shares",
        "shares",
        "Shares of all relevance by rank",
        columns,
        _shares_drawn(contents, [contents.shown[run] for run in order]),
        "ranks on a log scale",
        "Hits, near-misses and misses with all results, most hits first: " + "; ".join(words) + ".",
    )


def _shares_drawn(contents: Contents, order: list[str]) -> dict[str, Any]:
    kinds = list(SHARES)
    x = quantitative("results", "rank", scale={"type": "log", "nice": False})
    scale = {"domain": [0, 1]}
    y = quantitative("share", "part", stack=True, scale=scale, axis={"format": ".0%"})
    colour = {
        "field": "share",
        "type": "nominal",
        "scale": {"domain": kinds, "range": list(_SHARE_COLOURS)},
        "legend": {"title": None, "orient": "top", "symbolType": "square", "symbolSize": 120},
    }
    tips = [tooltip("run", contents.subject.run), tooltip("rank", "results", ",d")]
    tips += [tooltip(name, name, ".1%") for name in SHARES]
    return {
        "params": [choosing([contents.shown[run] for run in contents.chosen])],
        "transform": [IS_CHOSEN],
        "facet": {"field": "run", "type": "nominal", "title": None, "sort": order},
        "columns": 3,
        "spec": {
            "width": 230,
            "height": 130,
            "layer": [
                {
                    "transform": [
                        {"fold": kinds, "as": ["share", "part"]},
                        {"calculate": f"indexof({kinds!r}, datum.share)", "as": "order"},
                    ],
                    "mark": {"type": "area"},
                    "encoding": {
                        "x": x,
                        "y": y,
                        "color": colour,
                        "order": {"field": "order", "type": "quantitative"},
                    },
                },
                {  # nothing to see, but something to point at
                    "mark": {"type": "rule", "strokeWidth": 5, "opacity": 0},
                    "encoding": {"x": x, "tooltip": tips},
                },
            ],
        },
    }


def shares_by_rank(contents: Contents, run: str) -> tuple[Floats, Floats] | None:
    """Return some ranks, and the mean shares (kinds × ranks); None without a profile."""
    if contents.profile is None:
        return None
    scores = next((s for s in contents.profile.runs if s.run == run), None)
    curves = {} if scores is None else _share_curves(scores)
    if scores is None or set(curves) != set(_LABELS.values()):
        return None
    means = {name: _filled(mean_curve(c, scores.counted)) for name, c in curves.items()}
    hits, near, misses = (means[name] for name in _LABELS.values())
    twice = np.clip(1 - hits - near - misses, 0, None)
    return curves["hits"].x, np.stack([hits, near, twice, misses])


def _share_curves(scores: RunScores) -> dict[str, Curve]:
    by_family = {curve.label.split("@")[0]: _thin(curve) for curve in scores.curves}
    return {name: by_family[label] for label, name in _LABELS.items() if label in by_family}


def _filled(values: Sequence[float | None]) -> Floats:
    return np.array([value or 0.0 for value in values])


def _more(labels: Sequence[str]) -> str:
    return " …" if len(labels) > 4 else ""


def _is_long_axis(x: Floats) -> bool:
    """Whether an axis counts ranks, and many of them."""
    return bool(len(x) and x[0] >= 1 and x[-1] > 100)


def _thin(curve: Curve) -> Curve:
    """Return a curve with about a hundred of its points at most: its mean is taken only there."""
    kept = _thinned(curve.x)
    return curve._replace(x=curve.x[kept], y=curve.y[:, kept])


def _thinned(x: Floats) -> Ints:
    """Return the indices of about a hundred points at most, spread evenly over the axis."""
    if len(x) <= _MAX_POINTS + 1:
        return np.arange(len(x))
    if not _is_long_axis(x):
        return np.unique(np.linspace(0, len(x) - 1, _MAX_POINTS).round().astype(np.int64))
    return np.unique(np.geomspace(1, len(x), _MAX_POINTS).round().astype(np.int64)) - 1
