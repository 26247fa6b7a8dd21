"""Figures for notebooks: Vega-Lite specifications that notebooks draw and that can be saved."""

from __future__ import annotations

import json
import math
import os
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from doxeval.errors import InputError, MissingInput, output_errors
from doxeval.messages import plural, quoted

if TYPE_CHECKING:
    from doxeval.scores.table import MeasureFacts, ScoreTable

PlotKind = Literal["means", "topics"]
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
MIME = "application/vnd.vegalite.v5+json"


def renderer() -> Any:
    """Return the package that draws figures as files; an error if it is not installed."""
    try:
        import vl_convert
    except ImportError:
        raise MissingInput(
            "figures as files need vl-convert-python, which is missing here: "
            "pip install 'doxeval[figures]'"
        ) from None
    return vl_convert


# Vega looks names up in JavaScript objects, where these are always defined, and fails.
_RESERVED = frozenset(
    "__defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ constructor "
    "hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf".split()
)


def for_vega(value: Any) -> Any:
    """Return a specification with an invisible character before names that Vega cannot handle.

    >>> for_vega({"run": ["mine", "constructor"]})
    {'run': ['mine', '\\u2060constructor']}
    """
    if isinstance(value, str):
        return f"\N{WORD JOINER}{value}" if value in _RESERVED else value
    marked = value
    if isinstance(value, Mapping):
        marked = {key: for_vega(item) for key, item in value.items()}
    elif isinstance(value, list | tuple):
        marked = type(value)(map(for_vega, value))
    return value if marked == value else marked


def draw_figure(spec: Mapping[str, Any], kind: str) -> bytes:
    """Draw a Vega-Lite specification as svg, png or pdf."""
    whole = for_vega(dict(spec))
    if kind == "svg":
        return str(renderer().vegalite_to_svg(whole)).encode()
    if kind == "png":
        return bytes(renderer().vegalite_to_png(whole, scale=2))
    return bytes(renderer().vegalite_to_pdf(whole))


# About how wide a letter of a title and of the sentence below it is, in pixels.
_TITLE_LETTER, _SOURCE_LETTER = 8.0, 6.4


def titled(title: str, source: str, width: float) -> dict[str, Any]:
    """Return the title of a figure in lines that fit its width, with a sentence of source below.

    >>> titled("All is well", "Means over 3 topics.", 60)["text"]
    ['All is', 'well']
    """

    def lines(text: str, letter: float) -> list[str]:
        return textwrap.wrap(text, max(int(width / letter), 1), break_on_hyphens=False)

    return {
        "text": lines(title, _TITLE_LETTER),
        "subtitle": lines(source, _SOURCE_LETTER),
        "anchor": "start",
        "frame": "group",
        "fontSize": 15,
        "subtitleFontSize": 12,
        "subtitlePadding": 5,
        "offset": 12,
    }


def axis_ends(facts: MeasureFacts, values: Iterable[float]) -> tuple[float, float]:
    """Return the ends of an axis: the range of the measure, and of values beyond or without one.

    Zero is always between them.

    >>> from doxeval.scores import MeasureFacts
    >>> axis_ends(MeasureFacts("P", "P", "precision"), [0.2, 0.4])
    (0.0, 1.0)
    >>> axis_ends(MeasureFacts("x", "x", "", 0, None), [20.0, 40.0])
    (0.0, 42.0)
    """
    known = [value for value in values if math.isfinite(value)]
    low, high = min(0.0, *known, 0.0), max(0.0, *known, 0.0)
    if facts.highest is None or not math.isfinite(facts.highest):
        high += (high - low) * 0.05 or 1.0
    else:
        high = max(high, float(facts.highest))
    return (low if math.isinf(facts.lowest) else min(low, float(facts.lowest))), high


@dataclass(frozen=True, repr=False)
class Plot:
    """A figure: notebooks draw it, `spec` is its Vega-Lite specification, `save` writes it.

    >>> plot = Plot({"mark": "bar", "data": {"values": [{"x": 1}]}}, "means of 1 run")
    >>> plot, plot.spec["mark"]
    (<plot: means of 1 run>, 'bar')
    >>> "application/vnd.vegalite.v5+json" in plot._repr_mimebundle_()
    True
    """

    spec: dict[str, Any]
    about: str

    def __repr__(self) -> str:
        return f"<plot: {self.about}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Return what notebooks draw, and text where they cannot.

        With vl-convert (the extra `figures`), it has an SVG, too: for nbconvert and for pages that
        show notebooks without running anything.
        """
        bundle: dict[str, Any] = {MIME: for_vega(self.spec), "text/plain": repr(self)}
        try:
            renderer()
        except MissingInput:
            return bundle
        svg = draw_figure({**self.spec, "background": "white"}, "svg")
        return {**bundle, "image/svg+xml": svg.decode()}

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it as .svg, .png, .pdf (these need the extra `figures`) or .json.

        >>> import tempfile
        >>> target = Path(tempfile.mkdtemp()) / "means.json"
        >>> Plot({"mark": "bar"}, "means").save(target).name
        'means.json'
        """
        target = Path(path)
        kind = target.suffix.lower().lstrip(".")
        if kind not in ("svg", "png", "pdf", "json"):
            raise InputError(
                f"{quoted(os.fspath(target))}: expected a name that ends in .svg, .png, .pdf or "
                ".json"
            )
        if kind == "json":
            data = json.dumps(self.spec, indent=1).encode()
        else:
            data = draw_figure({**self.spec, "background": "white"}, kind)
        with output_errors(target):
            target.write_bytes(data)
        return target


def scores_plot(table: ScoreTable, measure: object = None, kind: PlotKind = "means") -> Plot:
    """Return the scores of runs by one measure: a bar per mean, or a tick per topic."""
    if kind not in get_args(PlotKind):
        raise InputError(f"kind is {quoted(kind)}: expected {' or '.join(get_args(PlotKind))}")
    number = 0 if measure is None else table.index_of_measure(measure)
    facts, label = table.measures[number], table.labels[number]
    means = [(scores.run, table.means_of(at)[number]) for at, scores in enumerate(table.runs)]
    known = sorted(
        ((run, mean) for run, mean in means if mean is not None),
        key=lambda pair: -pair[1] if facts.higher_is_better else pair[1],
    )
    bars: list[dict[str, Any]] = [{"run": run, "mean": mean} for run, mean in known]
    y = {"field": "run", "type": "nominal", "title": None, "sort": [run for run, _ in known]}
    about = f"{label} of {plural(len(means), 'run')}"
    topics = plural(len(table.topic_ids), "topic")
    title = _finding(facts, known)
    if kind == "means":
        ends = axis_ends(facts, [mean for _, mean in known])
        encoding = {"y": y, **_x("mean", f"mean {label}", ends)}
        source = f"Means over {topics}; differences are not tested here."
        return Plot(_spec(bars, "bar", encoding, titled(title, source, _WIDTH)), about)
    points: list[dict[str, Any]] = [
        {"run": scores.run, "topic": topic, "score": values[number]}
        for at, scores in enumerate(table.runs)
        for topic, values in table.topics_of(at)
        if values[number] is not None
    ]
    ends = axis_ends(facts, [point["score"] for point in points])
    encoding = {"y": y, **_x("score", label, ends, "topic")}
    source = f"A tick for each of {topics}, runs in the order of their means; nothing is tested."
    return Plot(
        _spec(points, "tick", encoding, titled(title, source, _WIDTH)), f"{about} on {topics}"
    )


_WIDTH = 420


def _finding(facts: MeasureFacts, means: list[tuple[str, float]]) -> str:
    """Return what means say, best first."""
    if not means:
        return f"No run has a mean {facts.label}"
    (best, highest), worst = means[0], means[-1][1]
    if len(means) == 1:
        return f"{best} has a mean {facts.label} of {highest:.3g}"
    if highest == worst:
        return f"All {len(means):,} runs have the same mean {facts.label}, {highest:.3g}"
    which = "highest" if facts.higher_is_better else "lowest (best)"
    return f"{best} has the {which} mean {facts.label}, {highest:.3g}"


def _x(field: str, title: str, ends: tuple[float, float], *more: str) -> dict[str, Any]:
    """Return the axis of scores, and the tooltip: run, further fields, score."""
    names = [{"field": name, "type": "nominal"} for name in ("run", *more)]
    score = {"field": field, "type": "quantitative", "format": ".4f", "title": title}
    scale = {"domain": list(ends), "nice": False}
    x = {"field": field, "type": "quantitative", "title": title, "scale": scale}
    return {"x": x, "tooltip": [*names, score]}


def _spec(
    rows: list[dict[str, Any]], mark: str, encoding: dict[str, Any], title: dict[str, Any]
) -> dict[str, Any]:
    data = {"values": rows}
    return {
        "$schema": SCHEMA,
        "title": title,
        "data": data,
        "width": _WIDTH,
        "mark": mark,
        "encoding": encoding,
    }
