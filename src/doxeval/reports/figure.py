"""Figures: Vega-Lite specifications, rendered here without a browser or a network."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from doxeval.errors import MissingInput
from doxeval.reports.escaping import readable

Row = Mapping[str, str | float | None]
COLOURS = (
    "#4c7fc0", "#e8811a", "#d6484c", "#2fa39b", "#5a9e3a",
    "#b08a00", "#a868b5", "#d9669a", "#9c6b4f", "#808080",
)  # fmt: skip
DASHES = ([1, 0], [7, 3], [2, 2], [8, 3, 2, 3])
# Halfway between black and white, legible on both.
INK, GRID = "#777777", "#8888884d"
_LONGEST = 200
_CONFIG = {
    "aria": False,
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": GRID,
        "domainColor": INK,
        "tickColor": INK,
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 160,
    },
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "labelLimit": 200,
        "labelFontSize": 12,
        "symbolSize": 300,
        "symbolStrokeWidth": 2,
    },
    "header": {"labelColor": INK, "titleColor": INK},
    "text": {"color": INK},
}


@dataclass(frozen=True)
class Figure:
    """A figure: its data, how they are drawn, and a note on it.

    >>> rows = [{"run": "a", "x": 0.0, "y": 0.5}, {"run": "a", "x": 1.0, "y": 0.25}]
    >>> Figure("curve", "Precision", rows, {"mark": "line"}).csv().splitlines()
    ['run,x,y', 'a,0.0,0.5', 'a,1.0,0.25']
    """

    name: str
    title: str
    rows: Sequence[Row]
    drawing: Mapping[str, Any]
    note: str = ""

    def spec(self, background: str | None = None) -> dict[str, Any]:
        """The whole specification."""
        whole = {
            "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
            "background": background,
            "config": _CONFIG,
            "data": {"values": list(self.rows)},
            "padding": 4,
            **self.drawing,
        }
        return {key: _readable(value) for key, value in whole.items()}

    def svg(self) -> str:
        """As SVG with a transparent background.

        Ids inside it begin with the figure's name, so that figures on one page do not clash.
        """
        drawn: str = renderer().vegalite_to_svg(self.spec())
        drawn = re.sub(r'\bid="', f'id="{self.name}-', drawn)
        return drawn.replace("url(#", f"url(#{self.name}-")

    def png(self) -> bytes:
        """As PNG on white."""
        drawn: bytes = renderer().vegalite_to_png(self.spec("white"), scale=2)
        return drawn

    def csv(self) -> str:
        """The data."""
        file = io.StringIO()
        columns = list(dict.fromkeys(name for row in self.rows for name in row))
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return file.getvalue()


def _readable(value: Any) -> Any:
    """A specification without control characters and overlong names, which trouble the renderer."""
    if isinstance(value, str):
        return readable(value if len(value) <= _LONGEST else f"{value[:90]}…{value[-90:]}")
    if isinstance(value, Mapping):
        return {key: _readable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_readable(each) for each in value]
    return value


def renderer() -> Any:
    """The renderer of figures; if it is not installed, an error says what to install."""
    try:
        import vl_convert
    except ImportError:
        raise MissingInput(
            "figures need vl-convert-python, which is missing here: pip install vl-convert-python"
        ) from None
    return vl_convert


def quantitative(title: str, field: str, **more: Any) -> dict[str, Any]:
    """An encoding of numbers.

    >>> quantitative("recall", "x")["title"]
    'recall'
    """
    return {"field": field, "type": "quantitative", "title": title, **more}


def by_run(runs: Sequence[str], *, dashes: bool = False) -> dict[str, Any]:
    """The encodings of runs: each has the same colour in every figure.

    >>> by_run(["a", "b"])["color"]["scale"]["domain"]
    ['a', 'b']
    """
    domain = list(runs)
    legend = {"title": None, "orient": "right"}
    colours = [COLOURS[number % len(COLOURS)] for number in range(len(domain))]
    found: dict[str, Any] = {
        "color": {
            "field": "run",
            "type": "nominal",
            "scale": {"domain": domain, "range": colours},
            "legend": legend,
        }
    }
    if dashes:
        kinds = [DASHES[number % len(DASHES)] for number in range(len(domain))]
        found["strokeDash"] = {
            "field": "run",
            "type": "nominal",
            "scale": {"domain": domain, "range": kinds},
            "legend": legend,
        }
    return found
