"""Figures for notebooks: Vega-Lite specifications that notebooks draw and that can be saved."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from doxeval.errors import InputError, MissingInput, output_errors
from doxeval.messages import plural, quoted

if TYPE_CHECKING:
    from doxeval.scores.table import ScoreTable

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


@dataclass(frozen=True, repr=False)
class Plot:
    """A figure: notebooks draw it, `spec` is its Vega-Lite specification, `save` writes it.

    >>> plot = Plot({"mark": "bar", "data": {"values": [{"x": 1}]}}, "means of 1 run")
    >>> plot, plot.spec["mark"], sorted(plot._repr_mimebundle_())
    (<plot: means of 1 run>, 'bar', ['application/vnd.vegalite.v5+json', 'text/plain'])
    """

    spec: dict[str, Any]
    about: str

    def __repr__(self) -> str:
        return f"<plot: {self.about}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Return what notebooks draw, and text where they cannot."""
        return {MIME: for_vega(self.spec), "text/plain": repr(self)}

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
    label = table.labels[number]
    means = [(scores.run, table.means_of(at)[number]) for at, scores in enumerate(table.runs)]
    higher = table.measures[number].higher_is_better
    known = sorted(
        ((run, mean) for run, mean in means if mean is not None),
        key=lambda pair: -pair[1] if higher else pair[1],
    )
    bars: list[dict[str, Any]] = [{"run": run, "mean": mean} for run, mean in known]
    y = {"field": "run", "type": "nominal", "title": None, "sort": [run for run, _ in known]}
    about = f"{label} of {plural(len(means), 'run')}"
    if kind == "means":
        return Plot(_spec(bars, "bar", {"y": y, **_x("mean", f"mean {label}")}), about)
    points: list[dict[str, Any]] = [
        {"run": scores.run, "topic": topic, "score": values[number]}
        for at, scores in enumerate(table.runs)
        for topic, values in table.topics_of(at)
        if values[number] is not None
    ]
    spec = _spec(points, "tick", {"y": y, **_x("score", label, "topic")})
    return Plot(spec, f"{about} on {plural(len(table.topic_ids), 'topic')}")


def _x(field: str, title: str, *more: str) -> dict[str, Any]:
    """Return the axis of scores, and the tooltip: run, further fields, score."""
    names = [{"field": name, "type": "nominal"} for name in ("run", *more)]
    score = {"field": field, "type": "quantitative", "format": ".4f", "title": title}
    x = {"field": field, "type": "quantitative", "title": title}
    return {"x": x, "tooltip": [*names, score]}


def _spec(rows: list[dict[str, Any]], mark: str, encoding: dict[str, Any]) -> dict[str, Any]:
    data = {"values": rows}
    return {"$schema": SCHEMA, "data": data, "width": 420, "mark": mark, "encoding": encoding}
