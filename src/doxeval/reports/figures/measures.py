"""Figures of measures: whether they agree about the runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple
from unicodedata import east_asian_width

from doxeval.comparison import Correlations, MeasurePair
from doxeval.messages import plural
from doxeval.reports.contents import Contents
from doxeval.reports.figures.vega import (
    IS_CHOSEN,
    Figure,
    Value,
    best_and_baseline,
    choosing,
    colours_explained,
    marked_runs,
    quantitative,
    tooltip,
)
from doxeval.scores import axis_ends

_MAX_SCATTERS = 3
_WIDTH, _HEIGHT = 290, 270


class _Point(NamedTuple):
    run: str
    x: float
    y: float


def scatter_figures(contents: Contents) -> Iterator[Figure]:
    """Draw the first measure against the next ones: a point for each run, and a line."""
    if contents.correlations is None:
        return
    labels = contents.table.labels
    for number, other in enumerate(labels[1 : 1 + _MAX_SCATTERS], 1):
        pair = contents.correlations.pair(labels[0], other)
        if pair.systems:
            yield _scatter(contents, number, pair)


def scatters_left_out(contents: Contents) -> int:
    """Return how many measures are not drawn against the first."""
    return max(len(contents.table.measures) - 1 - _MAX_SCATTERS, 0)


def _scatter(contents: Contents, number: int, pair: MeasurePair) -> Figure:
    first, second = contents.columns[0].means, contents.columns[number].means
    points = [
        _Point(shown, x, y)
        for run, shown in contents.shown.items()
        if (x := first[run]) is not None and (y := second[run]) is not None
    ]
    facts = contents.table.measures
    across = axis_ends(facts[0], [point.x for point in points])
    up = axis_ends(facts[number], [point.y for point in points])
    marked = marked_runs(contents)
    chosen = sorted(contents.chosen, key=lambda run: run not in marked)
    labels = place_labels(
        {p.run: (_pixel(p.x, across, _WIDTH), _HEIGHT - _pixel(p.y, up, _HEIGHT)) for p in points},
        (_WIDTH, _HEIGHT),
        first=[contents.shown[run] for run in chosen],
    )
    columns: dict[str, list[Value]] = {
        "run": [p.run for p in points],
        "x": [p.x for p in points],
        "y": [p.y for p in points],
        "label": [labels[p.run].side if p.run in labels else "none" for p in points],
    }
    names = (contents.labels[0], contents.labels[number])
    line = _line(pair, across, up)
    drawing = _scatter_drawn(contents, names, (across, up), line)
    system = contents.subject.run
    source = (
        f"Means of each {system} by {names[1]} and {names[0]}"
        f"{'; dashed: the least-squares line of all' if line else ', of'} "
        f"{plural(len(points), system)}. {_coefficients(pair)}. {colours_explained(contents)}"
    )
    alt = f"A point for each of {plural(len(points), system)}: {names[1]} by {names[0]}."
    title = _agreement_finding(pair, names, system)
    return Figure(
        f"scatter-{number}",
        "scatter",
        title,
        source.strip(),
        columns,
        drawing,
        alt,
        _WIDTH + 60,
    )


def _agreement_finding(pair: MeasurePair, names: tuple[str, str], system: str) -> str:
    """Return how alike two measures rank the runs."""
    both = f"{names[0]} and {names[1]}"
    if pair.tau.value is None or pair.agreement is None:
        return f"{both} do not give two rankings of the {system}s"
    how = {
        "equivalent": "equivalently",
        "in between": "neither equivalently nor noticeably differently",
        "noticeably different": "noticeably differently",
    }
    return (
        f"{both} rank the {system}s {how[pair.agreement]} (τ\N{NO-BREAK SPACE}{pair.tau.value:.2f})"
    )


def _pixel(value: float, ends: tuple[float, float], length: int) -> float:
    return (value - ends[0]) / (ends[1] - ends[0]) * length


def _line(
    pair: MeasurePair, across: tuple[float, float], up: tuple[float, float]
) -> list[dict[str, float]]:
    """Return the ends of the least-squares line, as far as it is in the figure."""
    if pair.slope is None or pair.intercept is None:
        return []
    ends = sorted({*across, *_crossings(pair.slope, pair.intercept, up)})
    inside = [x for x in ends if across[0] <= x <= across[1] and up[0] <= _height(pair, x) <= up[1]]
    return [{"x": x, "y": _height(pair, x)} for x in inside]


def _crossings(slope: float, intercept: float, up: tuple[float, float]) -> list[float]:
    """Return where a line crosses the upper and the lower edge, a hair inside of them."""
    hair = (up[1] - up[0]) * 1e-9
    return [(y - intercept) / slope for y in (up[0] + hair, up[1] - hair)] if slope else []


def _height(pair: MeasurePair, x: float) -> float:
    return (pair.intercept or 0.0) + (pair.slope or 0.0) * x


def _scatter_drawn(
    contents: Contents,
    names: tuple[str, str],
    ends: tuple[tuple[float, float], tuple[float, float]],
    line: list[dict[str, float]],
) -> dict[str, Any]:
    x, y = (
        quantitative(
            name,
            field,
            scale={"domain": list(domain), "nice": False},
            axis={"labelFlush": False, "tickCount": 5},
        )
        for name, field, domain in zip(names, ("x", "y"), ends, strict=True)
    )
    tips = [
        tooltip("run", contents.subject.run),
        tooltip("x", names[0], ".4f"),
        tooltip("y", names[1], ".4f"),
    ]
    runs = best_and_baseline(contents)
    texts: list[dict[str, Any]] = [
        {
            "transform": [
                IS_CHOSEN,
                {"filter": f"datum.label == '{side}'"},
            ],
            "mark": {**marks, "type": "text", "limit": Label.longest},
            "encoding": {"x": x, "y": y, "text": {"field": "run"}},
        }
        for side, marks in Label.marks.items()
    ]
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "params": [choosing([contents.shown[run] for run in contents.chosen])],
        "layer": [
            {
                "data": {"values": line},
                "mark": {"type": "line", "strokeDash": [5, 4], "color": "#888888", "opacity": 0.5},
                "encoding": {"x": x, "y": y},
            },
            {
                "transform": [IS_CHOSEN],
                "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
                "encoding": {"x": x, "y": y, "color": runs, "tooltip": tips},
            },
            *texts,
        ],
    }


def _coefficients(pair: MeasurePair) -> str:
    """Return the correlations that are defined, in words."""
    defined = [
        f"{symbol} = {coefficient.value:.3f}"
        for symbol, coefficient in (
            ("Kendall's τ", pair.tau),
            ("τ_AP", pair.tau_ap),
            ("Pearson's r", pair.pearson),
        )
        if coefficient.value is not None
    ]
    return ", ".join(defined) or "No correlation is defined"


def tau_figure(contents: Contents) -> Figure | None:
    """Draw Kendall's τ between the rankings of runs by all measures."""
    if contents.correlations is None:
        return None
    labels, names = contents.table.labels, contents.labels
    both = [(row, column) for row in range(len(labels)) for column in range(len(labels))]
    columns: dict[str, list[Value]] = {
        "first": [names[row] for row, _ in both],
        "second": [names[column] for _, column in both],
        "tau": [tau_of(contents, labels[row], labels[column]) for row, column in both],
    }
    step = 46 if len(labels) <= 16 else 24
    axis = {"type": "nominal", "sort": names, "title": None}
    angle = 0 if max(map(len, names)) * 7 + 6 < step else -40
    range_ = ["#d98a4b", "#e4e4e4", "#6f9fd8"]
    colour = quantitative("τ", "tau", scale={"domain": [-1, 0, 1], "range": range_})
    tips = [tooltip("first", "measure"), tooltip("second", "and"), tooltip("tau", "τ", ".3f")]
    number = {"test": "isValid(datum.tau)", **quantitative("τ", "tau", format=".2f")}
    drawing = {
        "width": {"step": step},
        "height": {"step": min(step, 30)},
        "encoding": {
            "x": {"field": "second", **axis, "axis": {"labelAngle": angle}},
            "y": {"field": "first", **axis},
            "tooltip": tips,
        },
        "layer": [
            {"mark": "rect", "encoding": {"color": colour}},
            {
                "mark": {"type": "text", "color": "#111111", "fontSize": 10},
                "encoding": {"text": {"condition": number, "value": "–"}},
            },
        ],
    }
    source = (
        f"Kendall's τ between the rankings of {plural(len(contents.names), contents.subject.run)} "
        "by two measures: above 0.9 they are equivalent, below 0.8 noticeably different (Voorhees "
        "2001)."
    )
    return Figure(
        "tau",
        "tau",
        _tau_finding(contents, contents.correlations),
        source,
        columns,
        drawing,
        "A square for each pair of measures; the table has the numbers.",
        max(len(labels) * step + 160, 360),
    )


def _tau_finding(contents: Contents, correlations: Correlations) -> str:
    """Return which measures agree most and least."""
    names = dict(zip(contents.table.labels, contents.labels, strict=True))
    pairs = [pair for pair in correlations.pairs if pair.tau.value is not None]
    if not pairs:
        return f"No two measures give two rankings of the {contents.subject.run}s"

    def both(pair: MeasurePair) -> tuple[str, str]:
        return (names[pair.first], names[pair.second])

    if len(pairs) == 1:
        return _agreement_finding(pairs[0], both(pairs[0]), contents.subject.run)
    pairs.sort(key=lambda pair: pair.tau.value or 0.0)
    least, most = pairs[0], pairs[-1]
    if least.tau.value == most.tau.value:
        return f"All pairs of measures agree alike (τ\N{NO-BREAK SPACE}{most.tau.value:.2f})"
    return (
        f"{' and '.join(both(most))} agree most (τ\N{NO-BREAK SPACE}{most.tau.value:.2f}), "
        f"{' and '.join(both(least))} least ({least.tau.value:.2f})"
    )


def tau_of(contents: Contents, first: str, second: str) -> float | None:
    """Return Kendall's τ between two measures; 1 for a measure with itself."""
    if first == second:
        return 1.0
    if contents.correlations is None:
        return None
    return contents.correlations.pair(first, second).tau.value


# Names at points


_LINE_HEIGHT = 12.0  # of a line of text, in pixels
_CHARACTER = 6.2  # the mean width of a letter at that height, a little generously
_GAP = 7.0
_POINT = 5.0
_BEYOND = 3.0  # how far a name may reach over the edges without numbers
Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True)
class Label:
    """A name that found a place on one side of its point."""

    side: str
    box: Box
    # How each side is drawn.
    marks: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "right": {"align": "left", "baseline": "middle", "dx": _GAP},
        "left": {"align": "right", "baseline": "middle", "dx": -_GAP},
        "above": {"align": "center", "baseline": "bottom", "dy": -_GAP},
        "below": {"align": "center", "baseline": "top", "dy": _GAP},
    }
    longest: ClassVar[int] = 150


def place_labels(
    points: Mapping[str, tuple[float, float]], size: tuple[int, int], first: Sequence[str] = ()
) -> dict[str, Label]:
    """Return labels for as many names as there is room for; those in `first` choose before others.

    They keep away from each other's points, the others from all. Points are in pixels from the
    upper left corner of a figure of this size.

    >>> labels = place_labels({"a": (50, 50), "b": (50, 55), "c": (50, 52)}, (100, 100))
    >>> {name: label.side for name, label in labels.items()}
    {'a': 'right', 'b': 'left', 'c': 'above'}
    """
    labels: dict[str, Label] = {}
    taken: list[Box] = []
    early = [name for name in first if name in points]
    for names in (early, [name for name in points if name not in early]):
        taken += [_around(*points[name]) for name in names]
        for name in names:
            for side, box in _boxes(name, *points[name]):
                if _is_inside(box, size) and not any(_overlap(box, other) for other in taken):
                    labels[name] = Label(side, box)
                    taken.append(box)
                    break
    return labels


def _around(x: float, y: float) -> Box:
    return (x - _POINT, y - _POINT, x + _POINT, y + _POINT)


def _boxes(name: str, x: float, y: float) -> Iterable[tuple[str, Box]]:
    width, half = min(_width(name), float(Label.longest)), _LINE_HEIGHT / 2
    yield "right", (x + _GAP, y - half, x + _GAP + width, y + half)
    yield "left", (x - _GAP - width, y - half, x - _GAP, y + half)
    yield "above", (x - width / 2, y - _GAP - _LINE_HEIGHT, x + width / 2, y - _GAP)
    yield "below", (x - width / 2, y + _GAP, x + width / 2, y + _GAP + _LINE_HEIGHT)


def _width(name: str) -> float:
    """About how wide a name is; ideographs are as wide as they are high."""
    return sum(_LINE_HEIGHT if east_asian_width(letter) in "WF" else _CHARACTER for letter in name)


def _is_inside(box: Box, size: tuple[int, int]) -> bool:
    left, top, right, bottom = box
    return left >= 0 and top >= -_BEYOND and max(right - size[0], bottom - size[1]) <= _BEYOND


def _overlap(first: Box, second: Box) -> bool:
    return (
        first[0] < second[2]
        and second[0] < first[2]
        and first[1] < second[3]
        and second[1] < first[3]
    )
