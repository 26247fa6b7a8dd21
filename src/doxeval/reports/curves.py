"""Figures of curves, a line for each run, and of shares of hits, near-misses and misses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from doxeval.arrays import Ints
from doxeval.reports.contents import Contents
from doxeval.reports.figure import Figure, Row, by_run, quantitative
from doxeval.scores import RunScores
from doxeval.scores.table import Curve, Floats, mean_curve

_MOST_POINTS = 101
_MOST_CURVES = 12
# The shares of all relevance, from the bottom up, and their colours.
SHARES = ("hits", "near-misses", "seen twice", "misses")
_SHARE_COLOURS = ("#3f8f4f", "#e0a52e", "#8f86c8", "#c9584f")
_LABELS = {"Hits": "hits", "NearMisses": "near-misses", "Misses": "misses"}


def curve_figures(contents: Contents) -> list[Figure]:
    """A figure for each kind of curve in the table; measures with the same curves share one.

    >>> from doxeval.scores import MeasureFacts, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> curve = Curve("P", "recall", "precision", np.array([0.0, 1.0]), np.array([[1.0, 0.5]]))
    >>> run = RunScores("mine", np.array([[0.5]]), np.array([True]), curves=(curve,))
    >>> (figure,) = curve_figures(Contents(ScoreTable((facts,), ("7",), (run,))))
    >>> figure.title, figure.rows[1]
    ('precision by recall (P)', {'run': 'mine', 'x': 1.0, 'y': 0.5})
    """
    labels = dict.fromkeys(c.label for s in contents.table.runs for c in s.curves)
    together: dict[object, list[str]] = {}
    for label in labels:
        lines = _lines(contents, label)
        if lines:
            key = tuple((run, c.x_name, c.y_name, np.round(m, 12).tobytes()) for run, c, m in lines)
            together.setdefault(key, []).append(label)
    return [
        _curve_figure(contents, number, same)
        for number, same in enumerate(list(together.values())[:_MOST_CURVES], 1)
    ]


def left_out(contents: Contents) -> int:
    """How many runs have no line."""
    return len(contents.names) - len(contents.drawn)


def _lines(contents: Contents, label: str) -> list[tuple[str, Curve, Floats]]:
    """The mean curve of each drawn run."""
    found = []
    for run in contents.drawn:
        scores = contents.scores(run)
        found += [
            (run, c, np.array(mean_curve(c, scores.counted), dtype=np.float64))
            for c in scores.curves
            if c.label == label
        ]
    return found


def _curve_figure(contents: Contents, number: int, labels: Sequence[str]) -> Figure:
    lines = _lines(contents, labels[0])
    curve = lines[0][1]
    rows: list[Row] = [
        {"run": run, "x": float(c.x[at]), "y": float(mean[at])}
        for run, c, mean in lines
        for at in _thinned(c.x).tolist()
        if not np.isnan(mean[at])
    ]
    is_log = _is_long(curve.x)
    scale = {"type": "log"} if is_log else {}
    title = f"{curve.y_name} by {curve.x_name} ({', '.join(labels[:4])}{_more(labels)})"
    drawing = {
        "width": 380,
        "height": 270,
        "mark": {"type": "line", "strokeWidth": 2, "clip": True},
        "encoding": {
            "x": quantitative(curve.x_name, "x", scale={**scale, "nice": False}),
            "y": quantitative(f"mean {curve.y_name}", "y", scale={"zero": True}),
            **by_run(contents.drawn, dashes=True),
        },
    }
    return Figure(f"curve-{number}", title, rows, drawing, "ranks on a log scale" if is_log else "")


def share_figures(contents: Contents) -> Iterator[Figure]:
    """For each run, the shares of all relevance by rank, stacked."""
    for number, run in enumerate(contents.drawn, 1):
        shares = shares_by_rank(contents, run)
        if shares is None:
            continue
        ranks, values = shares
        rows: list[Row] = [
            {
                "run": run,
                "rank": int(ranks[at]),
                "share": SHARES[kind],
                "part": float(value),
                "order": kind,
            }
            for at in _thinned(ranks).tolist()
            for kind, value in enumerate(values[:, at])
        ]
        drawing = {
            "width": 290,
            "height": 170,
            "mark": {"type": "area"},
            "encoding": {
                "x": quantitative("results", "rank", scale={"type": "log", "nice": False}),
                "y": quantitative(
                    "share",
                    "part",
                    stack=True,
                    scale={"domain": [0, 1]},
                    axis={"format": ".0%"},
                ),
                "color": {
                    "field": "share",
                    "type": "nominal",
                    "scale": {"domain": list(SHARES), "range": list(_SHARE_COLOURS)},
                    "legend": {
                        "title": None,
                        "symbolType": "square",
                        "symbolSize": 120,
                        "orient": "bottom",
                    },
                },
                "order": {"field": "order", "type": "quantitative"},
            },
        }
        yield Figure(f"shares-{number}", run, rows, drawing)


def shares_by_rank(contents: Contents, run: str) -> tuple[Floats, Floats] | None:
    """The ranks, and the mean shares (kinds × ranks); None if the profile does not have them."""
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
    by_family = {curve.label.split("@")[0]: curve for curve in scores.curves}
    return {name: by_family[label] for label, name in _LABELS.items() if label in by_family}


def _filled(values: Sequence[float | None]) -> Floats:
    return np.array([value or 0.0 for value in values])


def _more(labels: Sequence[str]) -> str:
    return " …" if len(labels) > 4 else ""


def _is_long(x: Floats) -> bool:
    """Whether an axis counts ranks, and many of them."""
    return bool(len(x) > 100 and x[0] >= 1 and x[-1] > 100)


def _thinned(x: Floats) -> Ints:
    """The indices of about a hundred points at most, spread evenly over the axis."""
    if len(x) <= _MOST_POINTS + 1:
        return np.arange(len(x))
    if not _is_long(x):
        return np.unique(np.linspace(0, len(x) - 1, _MOST_POINTS).round().astype(np.int64))
    return np.unique(np.geomspace(1, len(x), _MOST_POINTS).round().astype(np.int64)) - 1
