"""Figures of curves, a line for each run, and of shares of hits, near-misses and misses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.comparison import mean_interval
from doxeval.messages import join_names, plural
from doxeval.reports.contents import ALPHA, Contents
from doxeval.reports.figures.vega import (
    BLUE,
    HEIGHT,
    IS_CHOSEN,
    ORANGE,
    PALE,
    PALE_PARAMETER,
    WIDTH,
    Figure,
    Value,
    best_and_baseline,
    choosing,
    colours_explained,
    marked_runs,
    quantitative,
    tooltip,
)
from doxeval.reports.overview import standing
from doxeval.scores import Curve, MeasureFacts, RunScores, axis_ends, mean_curve

_MAX_POINTS = 101
_MAX_CURVES = 12
# How the name of an axis of budgets begins.
_BUDGET = "budget"
# The shares of all relevance, from the bottom up, and their colours; misses are the rest.
SHARES = ("hits", "near-misses", "seen twice", "misses")
_SHARE_COLOURS = (BLUE, "#9cc4ea", ORANGE, PALE)
# The height of a name at the end of a line, how wide a letter of it is, and the room for names.
_LINE_HEIGHT, _LETTER, _MAX_NAME = 14, 6.6, 240
_LABELS = {"Hits": "hits", "NearMisses": "near-misses", "Misses": "misses"}


def curve_figures(contents: Contents) -> list[Figure]:
    """Draw each kind of curve in the table; measures with the same curves share a figure.

    >>> from doxeval.scores import MeasureFacts, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> curve = Curve("P", "recall", "precision", np.array([0.0, 1.0]), np.array([[1.0, 0.5]]))
    >>> run = RunScores("mine", np.array([[0.5]]), np.array([True]), curves=(curve,))
    >>> (figure,) = curve_figures(Contents(ScoreTable((facts,), ("7",), (run,))))
    >>> figure.title, figure.rows[1]["y"]
    ('mine: mean precision is 1.000 at recall 0 and 0.500 at recall 1', 0.5)
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


class _Line(NamedTuple):
    """The mean of a run's curve over topics, and its interval if the run is to stand out."""

    run: str
    curve: Curve
    mean: Floats
    low: list[Value]
    high: list[Value]


def _are_alike(lines: Sequence[_Line], others: Sequence[_Line]) -> bool:
    """Whether curves are the same, or one is where the other begins."""
    if [(line.run, *line.curve[1:3]) for line in lines] != [
        (line.run, *line.curve[1:3]) for line in others
    ]:
        return False
    for line, other in zip(lines, others, strict=True):
        (first, left), (second, right) = (line.curve, line.mean), (other.curve, other.mean)
        _, at, also = np.intersect1d(first.x, second.x, return_indices=True)
        if not len(at) or not np.allclose(left[at], right[also], 0, 1e-9, equal_nan=True):
            return False
        if len(at) < min(len(left), len(right)) and not _is_budget(first.x_name):
            return False  # budgets are taken in steps; all others have their points in common
    return True


def _reach(lines: Sequence[_Line]) -> float:
    return float(lines[0].curve.x[-1])


def _mean_curves(contents: Contents) -> dict[str, list[_Line]]:
    """Return the mean curves of the runs by measure: those that stand out first, then the best."""
    curves: dict[str, list[_Line]] = {}
    marked = marked_runs(contents)
    for run in sorted(contents.ranking, key=lambda run: run not in marked):
        scores = contents.scores(run)
        for whole in scores.curves:
            curve = _thin(whole)
            mean = np.array(mean_curve(curve, scores.counted), dtype=np.float64)
            low, high = _bands(contents, curve, scores) if run in marked else ([], [])
            curves.setdefault(curve.label, []).append(_Line(run, curve, mean, low, high))
    return {label: curves[label] for label in contents.table.labels if label in curves}


def _bands(contents: Contents, curve: Curve, scores: RunScores) -> tuple[list[Value], list[Value]]:
    """Return the ends of the interval of the mean at each point; None where there is none."""
    measure = contents.table.measures[contents.table.labels.index(curve.label)]
    facts = MeasureFacts(measure.label, "", "", measure.lowest, measure.highest)
    values = curve.y[scores.counted]
    pairs = [mean_interval(values[:, point], facts, ALPHA) for point in range(len(curve.x))]
    return [pair and pair[0] for pair in pairs], [pair and pair[1] for pair in pairs]


def _curve_figure(
    contents: Contents, number: int, labels: Sequence[str], lines: Sequence[_Line]
) -> Figure:
    curve = lines[0].curve
    columns: dict[str, list[Value]] = {"run": [], "x": [], "y": [], "low": [], "high": []}
    for line in lines:
        points = np.flatnonzero(~np.isnan(line.mean)).tolist()
        columns["run"] += [contents.shown[line.run]] * len(points)
        columns["x"] += line.curve.x[points].tolist()
        columns["y"] += line.mean[points].tolist()
        for name, values in (("low", line.low), ("high", line.high)):
            columns[name] += [values[point] if values else None for point in points]
    is_log = _is_long_axis(curve.x) and not _is_budget(curve.x_name)
    return Figure(
        f"curve-{number}",
        "curves",
        _curve_finding(contents, labels[0], lines),
        _curve_source(contents, labels, lines, is_log=is_log),
        columns,
        _lines_drawn(contents, labels[0], lines, is_log=is_log, is_large=number == 1),
        _curve_in_words(contents, lines),
        WIDTH + 80 + min(max(map(len, contents.shown.values())) * _LETTER, _MAX_NAME),
    )


def _curve_finding(contents: Contents, label: str, lines: Sequence[_Line]) -> str:
    """Return which line is highest where, and whether the best run is shown to differ."""
    number, system = contents.table.labels.index(label), contents.subject.run
    curve, facts = lines[0].curve, contents.table.measures[number]
    x, y = curve.x_name, curve.y_name
    if len(lines) == 1:
        defined = np.flatnonzero(~np.isnan(lines[0].mean))
        name = contents.shown[lines[0].run]
        if not len(defined):
            return f"{name} has no {y} by {x}"
        ends = [f"{lines[0].mean[at]:.3f} at {_point(x, curve.x[at])}" for at in defined[[0, -1]]]
        return f"{name}: mean {y} is {' and '.join(dict.fromkeys(ends))}"
    leads = _leads(lines, higher=facts.higher_is_better)
    extreme = "highest" if facts.higher_is_better else "lowest"
    shown = contents.labels[number]
    if not leads:
        return f"All {len(lines):,} {system}s have the same {y} at every {_axis(x)}"
    best = contents.columns[number].ranking()[0]
    compared = standing(contents, number)
    if len(leads) == 1:
        first = f"{contents.shown[leads[0][0]]} has the {extreme} {y} at every {_axis(x)}"
    elif len(leads) == 2:
        (early, end), (late, _) = leads
        first = (
            f"{contents.shown[early]} has the {extreme} {y} up to {_point(x, end)}, "
            f"{contents.shown[late]} beyond"
        )
    else:
        most, points, of = _leading_most(lines, higher=facts.higher_is_better)
        first = (
            f"{contents.shown[most]} has the {extreme} {y} at {points:,} of {of:,} "
            f"{'budgets' if _is_budget(x) else f'points of {x}'}"
        )
        leads = [(most, of)]
    subject = "it" if len(leads) == 1 and leads[0][0] == best else contents.shown[best]
    return f"{first}; by {shown}, {subject} is {compared}" if compared else first


def _is_budget(x: str) -> bool:
    return x.startswith(_BUDGET)


def _axis(x: str) -> str:
    """Return what an axis counts: a budget in words is a budget."""
    return "budget" if _is_budget(x) else x


def _point(x: str, value: float) -> str:
    """Return a point of an axis in words: recall 0.5, a budget of 500 words."""
    return f"a budget of {value:,g} {x.split()[-1]}" if _is_budget(x) else f"{x} {value:,g}"


def _first_at(lines: Sequence[_Line], *, higher: bool) -> tuple[Floats, Bools]:
    """Return all points, and which lines are first there, alone or with others (lines × points)."""
    points = np.unique(np.concatenate([line.curve.x for line in lines]))
    values = np.full((len(lines), len(points)), np.nan)
    for row, line in zip(values, lines, strict=True):
        row[np.searchsorted(points, line.curve.x)] = line.mean if higher else -line.mean
    defined = ~np.isnan(values).all(axis=0)
    values = values[:, defined]
    return points[defined], values >= np.nanmax(values, axis=0) - 1e-12


def _leading_most(lines: Sequence[_Line], *, higher: bool) -> tuple[str, int, int]:
    """Return which run is first at most points, at how many, and of how many."""
    _, first = _first_at(lines, higher=higher)
    counts = first.sum(axis=1)
    return lines[int(np.argmax(counts))].run, int(counts.max()), first.shape[1]


def _leads(lines: Sequence[_Line], *, higher: bool) -> list[tuple[str, float]]:
    """Return which run is first from where the last one was up to where, from left to right.

    Where several are first, that is the one that was first before, or will be. The result is empty
    if no run is ever ahead of another.
    """
    points, first = _first_at(lines, higher=higher)
    if first.all():
        return []
    leads: list[tuple[str, float]] = []
    able = np.ones(len(lines), dtype=bool)
    for at in range(len(points)):
        if not (able & first[:, at]).any():
            leads.append((lines[int(np.argmax(able))].run, float(points[at - 1])))
            able = first[:, at]
        else:
            able = able & first[:, at]
    return [*leads, (lines[int(np.argmax(able))].run, float(points[-1]))]


def _curve_source(
    contents: Contents, labels: Sequence[str], lines: Sequence[_Line], *, is_log: bool
) -> str:
    """Return what is drawn, from which scores, with which intervals and by which test."""
    curve, topic = lines[0].curve, contents.subject.topic
    topics = plural(int(contents.scores(lines[0].run).counted.sum()), topic)
    scale = ", on a log scale" if is_log else ""
    sentences = [
        f"Mean {curve.y_name} over {topics} by {curve.x_name}{scale}, of {join_names(labels, 4)}.",
        colours_explained(contents),
    ]
    if any(isinstance(value, float) for line in lines for value in line.low):
        sentences.append(f"Bands: {1 - ALPHA:.0%} intervals of these means over {topic}s.")
    sentences.append(contents.test_in_words(contents.table.labels.index(labels[0])))
    return " ".join(filter(None, sentences))


def _lines_drawn(
    contents: Contents, label: str, lines: Sequence[_Line], *, is_log: bool, is_large: bool
) -> dict[str, Any]:
    """Lines with names at their ends. The page lifts one, and shows its values at a point.

    The best run and the baseline are coloured, all others are grey. `lifted` is the run that is
    lifted, `near` the row whose values are shown, `room` how wide names may be.
    """
    curve, facts = lines[0].curve, contents.table.measures[contents.table.labels.index(label)]
    drawn = [value for line in lines for value in (*line.mean.tolist(), *line.low, *line.high)]
    ends = axis_ends(facts, [value for value in drawn if isinstance(value, float)])
    first, last = min(line.curve.x[0] for line in lines), max(line.curve.x[-1] for line in lines)
    across = [float(first if is_log else min(first, 0)), float(last)]
    scale = {**({"type": "log"} if is_log else {}), "domain": across, "nice": False}
    axis = {"tickCount": 8, "labelOverlap": True, "labelSeparation": 6, "labelFlush": False}
    x = quantitative(curve.x_name, "x", scale=scale, axis=axis)
    y = quantitative(f"mean {curve.y_name}", "y", scale={"domain": list(ends), "nice": False})
    own_best = contents.columns[contents.table.labels.index(label)].ranking()[0]
    named = list(dict.fromkeys([*marked_runs(contents), own_best]))
    faded = {"expr": "lifted ? 0.3 : 1"}
    is_lifted = {"filter": "datum.run === lifted"}
    line: dict[str, Any] = {
        "type": "line",
        "clip": True,
        "point": {"size": 30} if len(curve.x) == 1 else False,
    }
    all_lines: list[dict[str, Any]] = [
        {
            "transform": [{"filter": f"indexof(named, datum.run) {which} 0"}],
            "mark": {**line, "strokeWidth": 2, "opacity": faded},
            "encoding": {"y": y},
        }
        for which in ("<", ">=")  # the coloured lines above the grey ones
    ]
    return {
        "usermeta": {"wide": is_large},
        "width": WIDTH,
        "height": HEIGHT,
        "params": [
            choosing([contents.shown[run] for run in contents.chosen]),
            {"name": "lifted", "value": ""},
            {"name": "near", "value": None},
            {"name": "room", "value": _MAX_NAME},
            {"name": "named", "value": [contents.shown[run] for run in named]},
        ],
        "transform": [IS_CHOSEN],
        "encoding": {"x": x, "color": best_and_baseline(contents)},
        "layer": [
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "area", "opacity": 0.16, "clip": True},
                "encoding": {"y": {**y, "field": "low"}, "y2": {"field": "high"}},
            },
            *all_lines,
            {
                "transform": [is_lifted],
                "mark": {**line, "strokeWidth": 4},
                "encoding": {"y": y},
            },
            {
                "name": "near",
                "transform": [is_lifted, {"filter": "near && datum.x === near.x"}],
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
                "encoding": {
                    "y": y,
                    "tooltip": [
                        tooltip("run", contents.subject.run),
                        tooltip("x", curve.x_name, ".4~g"),
                        tooltip("y", curve.y_name, ".4f"),
                    ],
                },
            },
            _names_drawn(contents, ends, y, is_large=is_large),
        ],
    }


def _names_drawn(
    contents: Contents, ends: tuple[float, float], y: dict[str, Any], *, is_large: bool
) -> dict[str, Any]:
    """Names at the ends of lines, moved apart where they would overlap, with fine lines to them.

    Names are sorted by where their lines end. The lowest heights from the bottom up, and the
    highest from the top down, keep a line of text between neighbours, and so does the mean of both,
    within the figure. If there is no room for all, the best run and the baseline are named.
    """
    low, high = ends
    step = f"({_LINE_HEIGHT} * {high - low} / height)"
    fits = f"datum.count * {_LINE_HEIGHT} <= height" if is_large else "false"

    def cumulative(op: str, frame: list[int | None]) -> dict[str, Any]:
        column = {"op": op, "field": "moved", "as": op}
        return {"window": [column], "sort": [{"field": "place"}], "frame": frame}

    return {
        "transform": [
            {"joinaggregate": [{"op": "max", "field": "x", "as": "last"}], "groupby": ["run"]},
            {"filter": "datum.x === datum.last"},
            {"joinaggregate": [{"op": "count", "as": "count"}]},
            {"filter": f"{fits} || indexof(named, datum.run) >= 0"},
            {"window": [{"op": "row_number", "as": "rank"}]},
            {
                "window": [{"op": "row_number", "as": "place"}],
                "sort": [{"field": "y"}, {"field": "rank", "order": "descending"}],
            },
            {"joinaggregate": [{"op": "count", "as": "count"}]},
            {"calculate": f"datum.y - datum.place * {step}", "as": "moved"},
            cumulative("max", [None, 0]),
            cumulative("min", [0, None]),
            {
                "calculate": f"max(min((datum.max + datum.min) / 2 + datum.place * {step}, "
                f"{high} - (datum.count - datum.place) * {step}), "
                f"{low} + (datum.place - 1) * {step})",
                "as": "height",
            },
        ],
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 0.7},
                "encoding": {
                    "y": y,
                    "x2": {"value": {"expr": "width + 10"}},
                    "y2": {"field": "height"},
                    "opacity": {"condition": {"test": "lifted", "value": 0.2}, "value": 0.8},
                },
            },
            {
                "mark": {"type": "text", "align": "left", "dx": 12, "limit": {"expr": "room"}},
                "encoding": {
                    "x": {"value": {"expr": "width"}},
                    "y": {**y, "field": "height"},
                    "text": {"field": "run", "type": "nominal"},
                    "opacity": {
                        "condition": {"test": "lifted && datum.run !== lifted", "value": 0.35},
                        "value": 1,
                    },
                },
            },
        ],
    }


def _curve_in_words(contents: Contents, lines: Sequence[_Line]) -> str:
    """Return where the lines of the chosen runs begin and end."""
    phrases = []
    for line in lines:
        defined = np.flatnonzero(~np.isnan(line.mean))
        if line.run in contents.chosen and len(defined):
            first, last = defined[[0, -1]].tolist()
            phrases.append(
                f"{contents.shown[line.run]} from {line.mean[first]:.3f} at "
                f"{line.curve.x[first]:g} to {line.mean[last]:.3f} at {line.curve.x[last]:g}"
            )
    curve, system = lines[0].curve, contents.subject.run
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
    last = {run: by_run[run][1][:, -1] for run in order}
    return Figure(
        "shares",
        "shares",
        _shares_finding(contents, last),
        f"Mean shares of all relevance over {contents.subject.topic}s, up to each number of "
        f"results on a log scale, most hits first. Readers move by "
        f"{contents.navigation or 'none'}; nothing is tested.",
        columns,
        _shares_drawn(contents, [contents.shown[run] for run in order]),
        "Hits, near-misses and misses with all results, most hits first: " + "; ".join(words) + ".",
        60 + 250 * min(len(contents.chosen), 3),
    )


def _shares_finding(contents: Contents, shares: dict[str, Floats]) -> str:
    """Return what the run with most hits hits and misses with all its results."""
    (first, values), system = next(iter(shares.items())), contents.subject.run
    hits, near, _, misses = (f"{value:.0%}" for value in values)
    if len(shares) > 1 and all(np.allclose(values, other) for other in shares.values()):
        return f"All {len(shares):,} {system}s hit {hits} of all relevance and miss {misses}"
    most = " most" if len(shares) > 1 else ""
    return (
        f"{contents.shown[first]} hits{most}: {hits} of all relevance with all its results, and "
        f"{near} nearly; it misses {misses}"
    )


def _shares_drawn(contents: Contents, order: list[str]) -> dict[str, Any]:
    kinds = list(SHARES)
    axis = {"values": [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000], "labelOverlap": True}
    x = quantitative("results", "rank", scale={"type": "log", "nice": False}, axis=axis)
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
        "params": [choosing([contents.shown[run] for run in contents.chosen]), PALE_PARAMETER],
        "transform": [IS_CHOSEN],
        "facet": {
            "field": "run",
            "type": "nominal",
            "title": None,
            "sort": order,
            "header": {"labelLimit": 230},
        },
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
