"""Figures of topics: on which ones runs differ from a baseline, and which ones are hard.

Up to a certain number, topics stand side by side, each with its name. More topics are counted on an
axis that can be zoomed; none is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.reports.contents import Contents
from doxeval.reports.figures.vega import (
    IS_CHOSEN,
    WIDTH,
    Figure,
    Value,
    bounds_of,
    choosing,
    quantitative,
    tooltip,
)

MAX_NAMED = 120
# Names are written below their topics as long as there is room for them.
_MAX_WRITTEN = 60
_BETTER, _WORSE = "#4c7fc0", "#e8811a"
_STEP = 14
_LETTER = 9  # about as wide as a letter of an id with the space around it, in pixels


def difficulty_figure(contents: Contents) -> Figure | None:
    """Draw each topic as a line from its lowest to its highest score, with a box and the median."""
    hard = contents.difficulty
    if not hard.topics:
        return None
    column, ids = contents.columns[0], contents.table.topic_ids
    order = np.array([ids.index(topic) for topic in hard.topics])
    runs = [run for run in contents.ranking if not np.isnan(column.values[run]).all()]
    columns = _scores_in_order(contents, {run: column.values[run] for run in runs}, order)
    label = contents.labels[0]
    spread = hard.spread[:, 2].tolist()
    system, noun = contents.subject
    ends = [
        f"{noun} {contents.shown_topics[hard.topics[at]]} (median {spread[at]:.4f})"
        for at in (0, -1)
    ]
    return Figure(
        "difficulty",
        "difficulty",
        f"{label} by {noun}",
        columns,
        _difficulty_drawn(contents, [ids[at] for at in order.tolist()], label),
        f"over the {system}s that are chosen; in the order of the median over all {system}s",
        f"{len(order)} {noun}s from the hardest, {ends[0]}, to the easiest, {ends[1]}.",
    )


def _difficulty_drawn(contents: Contents, topics: Sequence[str], label: str) -> dict[str, Any]:
    values = [value for scores in contents.columns[0].values.values() for value in scores.tolist()]
    bounds = bounds_of(contents.columns[0].facts, values)
    spread = {"lowest": "min", "q1": "q1", "median": "median", "q3": "q3", "highest": "max"}
    across = _across(contents, topics, f"{contents.subject.topic}s, hardest first")
    tips = [*_topic_tips(contents), *(tooltip(name, name, ".4f") for name in spread)]

    def y(field: str) -> dict[str, Any]:
        return quantitative(label, field, scale={"domain": list(bounds), "nice": False})

    box: dict[str, Any] = {"mark": {"type": "bar", "color": _BETTER, "opacity": 0.75}}
    tick: dict[str, Any] = {"mark": {"type": "tick", "color": _WORSE, "thickness": 3}}
    if across.is_named:
        box["mark"]["width"] = {"band": 0.7}
    else:
        tick["mark"] = {"type": "rule", "color": _WORSE, "strokeWidth": 2}
    ends, opacity = across.ends, 1 if across.is_named else 0.4
    return {
        "width": WIDTH,
        "height": 280,
        "params": [choosing([contents.shown[run] for run in contents.chosen])],
        "transform": [
            IS_CHOSEN,
            {
                "aggregate": [
                    {"op": op, "field": "score", "as": name} for name, op in spread.items()
                ],
                "groupby": ["topic", "place"],
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
    order = defined[np.argsort(-np.nanmean(every[:, defined], axis=0), kind="stable")]
    columns = _scores_in_order(contents, steps, order, "difference")
    sign = 1 if column.facts.higher_is_better else -1
    gains = [sign * float(step or 0) for step in columns["difference"]]
    columns["which"] = [
        "better" if gain > 0 else "worse" if gain < 0 else "equal" for gain in gains
    ]
    words = [
        f"{contents.shown[run]} {better} to {worse}"
        for run, (better, worse) in ((run, contents.wins[run]) for run in steps)
        if run in contents.chosen
    ]
    label, shown = contents.labels[0], contents.shown[contents.reference]
    noun = contents.subject.topic
    return Figure(
        "differences",
        "differences",
        f"{label} minus that of {shown}",
        columns,
        _differences_drawn(contents, [ids[at] for at in order.tolist()], [*steps], label),
        f"{noun}s have the same place in all panels, from the largest gain on average to the "
        "largest loss",
        f"{noun.capitalize()}s better and worse than {shown}: {'; '.join(words)}.",
    )


def _differences_drawn(
    contents: Contents, topics: Sequence[str], runs: Sequence[str], label: str
) -> dict[str, Any]:
    across = _across(contents, topics, f"{contents.subject.topic}s")
    width = min(max(len(topics) * _STEP, 240), 720)
    tips = [
        tooltip("run", contents.subject.run),
        *_topic_tips(contents),
        tooltip("difference", "difference", "+.4f"),
    ]
    colour = {
        "field": "which",
        "type": "nominal",
        "scale": {"domain": ["better", "worse"], "range": [_BETTER, _WORSE]},
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
        "columns": 1,
        "spacing": 8,
        "spec": {
            "width": width,
            "height": 90,
            "params": across.zoom,
            "mark": {"type": "bar"},
            "encoding": {
                **across.ends,
                "y": quantitative("", "difference"),
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


def _across(contents: Contents, topics: Sequence[str], title: str) -> _Across:
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
        fits = _LETTER * max(map(len, names)) * len(names) <= WIDTH
        axis: dict[str, Any] = {"labelAngle": 0 if fits else -90, "labelLimit": 70, "grid": False}
        axis |= {"labelOverlap": False, "title": title}
        if len(topics) > _MAX_WRITTEN:
            axis |= {"labels": False, "ticks": False}
        x = {"field": "topic", "type": "nominal", "sort": names, "axis": axis}
        return _Across(True, transform, x, {"x": x}, [])
    transform += [
        {"calculate": "datum.place - 0.5", "as": "left"},
        {"calculate": "datum.place + 0.5", "as": "right"},
    ]
    scale = {"domain": [0.5, len(topics) + 0.5], "nice": False, "zero": False}
    axis = {"grid": False, "format": ",d", "tickMinStep": 1, "title": f"{title}; scroll to zoom"}
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
