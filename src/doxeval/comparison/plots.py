"""A comparison as a figure: differences between runs, with their confidence intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from doxeval.messages import plural
from doxeval.scores import SCHEMA, Plot

if TYPE_CHECKING:
    from doxeval.comparison.comparison import Comparison, Pair

_ZERO = {"x": {"datum": 0, "type": "quantitative"}, "color": {"value": "#999999"}}
_COLOURS = {"significant": "#4c7fc0", "not significant": "#999999"}


def comparison_plot(found: Comparison) -> Plot:
    """The differences of all pairs with the baseline, or else with the best run."""
    best = found.ranking[0].run if found.ranking else None
    shown = [
        pair
        for pair in found.pairs
        if pair.difference is not None and (found.baseline is not None or pair.first == best)
    ]
    rows = [_row(pair) for pair in shown]
    label = found.measure.label
    x = {"type": "quantitative", "title": f"difference in {label}"}
    order = [row["pair"] for row in rows]
    y = {"field": "pair", "type": "nominal", "title": None, "sort": order}
    scale = {"domain": list(_COLOURS), "range": list(_COLOURS.values())}
    colour = {"field": "verdict", "type": "nominal", "title": None, "scale": scale}
    number = {"type": "quantitative", "format": "+.4f"}
    tips = [
        {"field": "pair", "type": "nominal"},
        *({"field": name, **number} for name in ("difference", "low", "high")),
        {"field": "p", "type": "quantitative", "format": ".4f"},
        {"field": "corrected", "type": "quantitative", "format": ".4f", "title": "p (Holm)"},
    ]
    told: dict[str, Any] = {"y": y, "tooltip": tips}
    spec = {
        "$schema": SCHEMA,
        "data": {"values": rows},
        "width": 420,
        "encoding": {"color": colour},
        "layer": [
            {"mark": {"type": "rule", "color": "#999999"}, "encoding": _ZERO},
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {**told, "x": {"field": "low", **x}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 70},
                "encoding": {**told, "x": {"field": "difference", **x}},
            },
        ],
    }
    return Plot(spec, f"differences in {label} of {plural(len(rows), 'pair')}")


def _row(pair: Pair) -> dict[str, Any]:
    low, high = (None, None) if pair.interval is None else pair.interval
    return {
        "pair": f"{pair.first} - {pair.second}",
        "difference": pair.difference,
        "low": low,
        "high": high,
        "p": pair.p,
        "corrected": pair.corrected,
        "verdict": "significant" if pair.significant else "not significant",
    }
