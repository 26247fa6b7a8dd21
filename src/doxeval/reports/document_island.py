"""Documents as the page's script reads them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from doxeval.reports.document_views import DocumentView

_MOST_SHOWN = 60_000


def document_island(
    views: Sequence[DocumentView],
    runs: Mapping[str, int],
    topics: Mapping[str, int],
    navigation: str | None,
) -> list[dict[str, Any]]:
    """The documents of a report as plain values.

    `runs` and `topics` give the places of runs and topics in the page's lists. `navigation` is the
    model of navigation, None if nobody asked for one: then there are no near-misses.
    """
    return [_plain(view, runs, topics, navigation) for view in views]


def _plain(
    view: DocumentView,
    runs: Mapping[str, int],
    topics: Mapping[str, int],
    navigation: str | None,
) -> dict[str, Any]:
    edges = sorted({*view.outline.blocks, len(view.text)})
    blocks = [
        (start, end, "title" if start in view.outline.titles else "text")
        for start, end in itertools.pairwise(edges)
    ]
    plain: dict[str, Any] = {
        "topic": topics[view.topic],
        "doc": view.document,
        "text": view.text[:_MOST_SHOWN],
        "blocks": [block for block in blocks if block[0] < _MOST_SHOWN],
        "highlights": view.highlights,
        "grades": [],
        "bep": None,
        "outline": [
            {"depth": row.depth, "path": row.path, "start": 0, "end": 0, "begins": row.begins,
             "share": row.share}
            for row in view.outline.rows
        ],
        "results": [
            {"run": runs[layer.run], "units": layer.units} for layer in view.layers if layer.units
        ],
        "outcomes": [
            {"unit": (unit.start, unit.end), "label": unit.path, "run": runs[layer.run],
             "outcome": _outcome(found, navigation)}
            for unit in view.units
            for layer, found in zip(view.layers, unit.found, strict=True)
        ],
        "cut": max(len(view.text) - _MOST_SHOWN, 0),
    }  # fmt: skip
    return plain if navigation is None else {**plain, "navigation": navigation}


def _outcome(found: Any, navigation: str | None) -> str:
    if found.hit_at is not None:
        return "hit"
    is_near = navigation is not None and found.reached_from is not None
    return "near" if is_near else "miss"
