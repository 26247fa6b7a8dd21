"""Figures of topics: on which ones runs differ from a baseline, and which ones are hard.

Up to a certain number, topics stand side by side, each with its name. More topics are counted on an
axis that can be zoomed; none is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.messages import plural
from doxeval.reports.contents import Contents
from doxeval.reports.figures.vega import (
    BLUE,
    IS_CHOSEN,
    ORANGE,
    WIDE,
    Figure,
    Value,
    choosing,
    quantitative,
    tooltip,
)
from doxeval.reports.overview import standing
from doxeval.scores import axis_ends

MAX_NAMED = 120
# Names are written below their topics as long as there is room for them.
_MAX_WRITTEN = 60
_STEP = 14
# More panels than these have to share a row.
_MAX_ALONE = 4
_LETTER = 10  # the room that a letter of an id needs, in pixels, with the space around ids


def difficulty_figure(contents: Contents) -> Figure | None:
    """Draw each topic as a line from its lowest to its highest score, with a box and the median."""
    hard = contents.difficulty
    if not hard.topics:
        return None
    column, ids = contents.columns[0], contents.table.topic_ids
    order = np.array([ids.index(topic) for topic in hard.topics])
    runs = [run for run in contents.ranking if not np.isnan(column.values[run]).all()]
    columns = _scores_in_order(contents, {run: column.values[run] for run in runs}, order)
    del columns["place"]  # it is that among the runs which are chosen
    system, noun = contents.subject
    label, median = contents.labels[0], hard.spread[:, 2].tolist()
    across = [contents.shown_topics[topic] for topic in hard.topics]
    ends = [f"{noun} {across[at]} (median {median[at]:.4f})" for at in (0, -1)]
    return Figure(
        "difficulty",
        "difficulty",
        _difficulty_finding(contents, across, median, len(runs)),
        f"{label} of each {noun} over the {system}s that are chosen, hardest first by their "
        "median. Lines: lowest to highest score; boxes: the middle half; ticks: the median.",
        columns,
        _difficulty_drawn(contents, hard.topics, label),
        f"{len(order)} {noun}s from the hardest, {ends[0]}, to the easiest, {ends[1]}.",
        WIDE + 60,
    )


def _difficulty_finding(
    contents: Contents, topics: Sequence[str], medians: Sequence[float], runs: int
) -> str:
    """Return which topics are hardest and easiest over all runs."""
    system, noun = contents.subject
    label = contents.labels[0]
    over = f"over all {runs:,} {system}s" if runs > 1 else f"for the one {system}"
    if len(topics) == 1:
        return f"{noun.capitalize()} {topics[0]}: median {label} {medians[0]:.2f} {over}"
    if medians[0] == medians[-1]:
        return f"All {len(topics):,} {noun}s have the same median {label}, {medians[0]:.2f}, {over}"

    def end(at: int, what: str) -> str:
        alike = sum(median == medians[at] for median in medians)
        who = f"{noun} {topics[at]} is" if alike == 1 else f"{alike:,} {noun}s are"
        return f"{who} {what} (median {label} {medians[at]:.2f})"

    finding = f"{end(0, 'hardest')} and {end(-1, 'easiest')} {over}"
    return finding[0].upper() + finding[1:]


def _difficulty_drawn(contents: Contents, topics: Sequence[str], label: str) -> dict[str, Any]:
    values = [value for scores in contents.columns[0].values.values() for value in scores.tolist()]
    facts = contents.columns[0].facts
    bounds = axis_ends(facts, values)
    spread = {"lowest": "min", "q1": "q1", "median": "median", "q3": "q3", "highest": "max"}
    across = _across(contents, topics, f"{contents.subject.topic}s, hardest first", by_field=True)
    hardest: Any = {"order": "ascending" if facts.higher_is_better else "descending"}
    tips = [*_topic_tips(contents), *(tooltip(name, name, ".4f") for name in spread)]

    def y(field: str) -> dict[str, Any]:
        return quantitative(label, field, scale={"domain": list(bounds), "nice": False})

    box: dict[str, Any] = {"mark": {"type": "bar", "color": BLUE}}
    tick: dict[str, Any] = {"mark": {"type": "tick", "color": ORANGE, "thickness": 3, "opacity": 1}}
    if across.is_named:
        box["mark"]["width"] = tick["mark"]["width"] = {"band": 0.7}
    else:
        tick["mark"] = {"type": "rule", "color": ORANGE, "strokeWidth": 2}
    ends, opacity = across.ends, 1 if across.is_named else 0.4
    return {
        "width": WIDE,
        "height": 240,
        "params": [choosing([contents.shown[run] for run in contents.chosen])],
        "transform": [
            IS_CHOSEN,
            {
                "aggregate": [
                    {"op": op, "field": "score", "as": name}
                    for name, op in {**spread, "mean": "mean"}.items()
                ],
                "groupby": ["topic"],
            },
            {
                "window": [{"op": "row_number", "as": "place"}],
                "sort": [{"field": name, **hardest} for name in ("median", "mean")],
            },
            *across.transform,
        ],
        "layer": [
            {
                "params": across.zoom,
                "mark": {"type": "rule", "opacity": opacity},
                "encoding": {
                    "x": across.middle,
                    "y": y("lowest"),
                    "y2": {"field": "highest"},
                    "tooltip": tips,
                },
            },
            {
                **box,
                "encoding": {**ends, "y": y("q1"), "y2": {"field": "q3"}, "tooltip": tips},
            },
            {**tick, "encoding": {**ends, "y": y("median"), "tooltip": tips}},
        ],
    }


def differences_figure(contents: Contents) -> Figure | None:
    """Draw the differences of topics from the reference by the first measure, a panel for each run.

    The topics have the same place in all panels, by their mean difference over runs.
    """
    column, ids = contents.columns[0], contents.table.topic_ids
    base = column.values[contents.reference]
    steps = {
        run: column.values[run] - base
        for run in contents.ranking
        if run != contents.reference and not np.isnan(column.values[run] - base).all()
    }
    if not steps:
        return None
    every = np.stack(list(steps.values()))
    defined = np.flatnonzero(~np.isnan(every).all(axis=0))
    sign = 1 if column.facts.higher_is_better else -1
    order = defined[np.argsort(-sign * np.nanmean(every[:, defined], axis=0), kind="stable")]
    columns = _scores_in_order(contents, steps, order, "difference")
    gains = [sign * float(step or 0) for step in columns["difference"]]
    columns["which"] = [
        "better" if gain > 0 else "worse" if gain < 0 else "equal" for gain in gains
    ]
    words = [
        f"{contents.shown[run]} {better} to {worse}"
        for run, (better, worse) in ((run, contents.wins[run]) for run in steps)
        if run in contents.chosen
    ]
    shown = contents.shown[contents.reference]
    system, noun = contents.subject
    return Figure(
        "differences",
        "differences",
        _differences_finding(contents, list(steps)),
        f"{contents.labels[0]} of each {noun} minus that of {contents.shown[contents.reference]}"
        f"{'' if sign > 0 else ' (lower is better)'}; {noun}s have the same place in all panels, "
        f"from the largest gain to the largest loss on average over all {len(steps):,} "
        f"{system}s. {contents.test_in_words()}".strip(),
        columns,
        _differences_drawn(contents, [ids[at] for at in order.tolist()], [*steps], every),
        f"{noun.capitalize()}s better and worse than {shown}: {'; '.join(words)}.",
        60 + _columns(len(order), len(steps)) * (_panel_width(len(order), len(steps)) + 20),
    )


def _differences_finding(contents: Contents, runs: Sequence[str]) -> str:
    """Return on how many topics the best of the other runs is better than the reference."""
    system, noun = contents.subject
    reference = contents.shown[contents.reference]
    if not any(sum(contents.wins[run]) for run in runs):
        return f"No {system} differs from {reference} on any {noun}"
    best = runs[0]
    better, worse = contents.wins[best]
    column = contents.columns[0]
    both = column.values[best] - column.values[contents.reference]
    topics = plural(int((~np.isnan(both)).sum()), noun)
    finding = f"{contents.shown[best]} is better than {reference} on {better:,} of {topics}"
    if worse:
        finding += f" and worse on {worse:,}"
    compared = standing(contents, 0, best, contents.reference)
    return f"{finding}; on average it is {compared}"


def _panel_width(topics: int, runs: int) -> int:
    """Return how wide the panel of a run is: with many panels, two or three stand side by side."""
    return min(max(topics * _STEP, 230), 720 if runs <= _MAX_ALONE else 350)


def _columns(topics: int, runs: int) -> int:
    return min(max(750 // _panel_width(topics, runs), 1), runs)


def _differences_drawn(
    contents: Contents, topics: Sequence[str], runs: Sequence[str], steps: Floats
) -> dict[str, Any]:
    defined = steps[~np.isnan(steps)]
    low, high = min(0.0, float(defined.min())), max(0.0, float(defined.max()))
    ends = [low, high] if low < high else [-1, 1]
    across = _across(contents, topics, f"{contents.subject.topic}s")
    width = _panel_width(len(topics), len(runs))
    tips = [
        tooltip("run", contents.subject.run),
        *_topic_tips(contents),
        tooltip("difference", "difference", "+.4f"),
    ]
    colour = {
        "field": "which",
        "type": "nominal",
        "scale": {"domain": ["better", "worse"], "range": [BLUE, ORANGE]},
        "legend": {"title": None, "orient": "top", "symbolType": "square"},
    }
    order = [contents.shown[run] for run in runs]
    header = {"labelOrient": "top", "labelAnchor": "start", "labelFontWeight": "bold"}
    return {
        "params": [choosing([contents.shown[run] for run in contents.chosen])],
        "transform": [IS_CHOSEN, *across.transform],
        "facet": {
            "field": "run",
            "type": "nominal",
            "title": None,
            "sort": order,
            "header": header,
        },
        "columns": _columns(len(topics), len(runs)),
        "spacing": {"row": 8, "column": 20},
        "spec": {
            "width": width,
            "height": 90,
            "params": across.zoom,
            "mark": {"type": "bar"},
            "encoding": {
                **across.ends,
                "y": quantitative("", "difference", scale={"domain": ends}, axis={"tickCount": 4}),
                **({} if across.is_named else {"y2": {"datum": 0}}),
                "color": colour,
                "tooltip": tips,
            },
        },
    }


# The axis of topics


class _Across(NamedTuple):
    """How topics are laid out from left to right: by name, or counted, with room to zoom."""

    is_named: bool
    transform: list[dict[str, Any]]
    middle: dict[str, Any]
    ends: dict[str, Any]
    zoom: list[dict[str, Any]]


def _across(
    contents: Contents, topics: Sequence[str], title: str, *, by_field: bool = False
) -> _Across:
    """Lay out topics in the given order, or by the field `place` of their rows."""
    names = [contents.shown_topics[topic] for topic in topics]
    titles = [
        {"topic": name, "title": contents.topics.title(topic)}
        for topic, name in zip(topics, names, strict=True)
    ]
    source = {"data": {"values": titles}, "key": "topic", "fields": ["title"]}
    transform: list[dict[str, Any]] = []
    if contents.topics.known:
        transform.append({"lookup": "topic", "from": source})
    if len(topics) <= MAX_NAMED:
        upright = f"bandwidth('x') < {_LETTER * min(max(map(len, names)), 10)}"
        axis: dict[str, Any] = {"labelLimit": 70, "grid": False, "labelOverlap": "greedy"}
        axis |= {"title": title, "labelAngle": {"expr": f"{upright} ? -90 : 0"}}
        axis |= {"labelAlign": {"expr": f"{upright} ? 'right' : 'center'"}}
        axis |= {"labelBaseline": {"expr": f"{upright} ? 'middle' : 'top'"}}
        if len(topics) > _MAX_WRITTEN:
            axis |= {"labels": False, "ticks": False}
        sort: Any = {"field": "place", "op": "min"} if by_field else names
        x = {"field": "topic", "type": "nominal", "sort": sort, "axis": axis}
        return _Across(True, transform, x, {"x": x}, [])
    transform += [
        {"calculate": "datum.place - 0.5", "as": "left"},
        {"calculate": "datum.place + 0.5", "as": "right"},
    ]
    scale = {"domain": [0.5, len(topics) + 0.5], "nice": False, "zero": False}
    axis = {"grid": False, "format": ",d", "tickMinStep": 1, "title": title}
    left = {"field": "left", "type": "quantitative", "scale": scale, "axis": axis}
    middle = {**left, "field": "place"}
    zoom = {
        "name": "zoom",
        "select": {"type": "interval", "encodings": ["x"]},
        "bind": "scales",
    }
    return _Across(False, transform, middle, {"x": left, "x2": {"field": "right"}}, [zoom])


def _topic_tips(contents: Contents) -> list[dict[str, Any]]:
    tips = [tooltip("topic", contents.subject.topic)]
    return [*tips, tooltip("title", "title")] if contents.topics.known else tips


def _scores_in_order(
    contents: Contents,
    values: dict[str, Floats],
    order: Ints,
    name: str = "score",
) -> dict[str, list[Value]]:
    """Return the defined scores of runs on topics in this order, by column."""
    columns: dict[str, list[Value]] = {"run": [], "topic": [], "place": [], name: []}
    topics = [contents.shown_topics[contents.table.topic_ids[at]] for at in order.tolist()]
    for run, scores in values.items():
        sorted_scores = scores[order]
        kept = np.flatnonzero(np.isfinite(sorted_scores)).tolist()
        columns["run"] += [contents.shown[run]] * len(kept)
        columns["topic"] += [topics[at] for at in kept]
        columns["place"] += [at + 1 for at in kept]
        columns[name] += sorted_scores[kept].tolist()
    return columns
