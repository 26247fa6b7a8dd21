"""Sizes and overlaps of chunkings against each other: a heat map for each way of splitting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from doxeval.messages import plural
from doxeval.reports.contents import Contents
from doxeval.reports.figures.vega import Figure, Value, quantitative, tooltip
from doxeval.reports.overview import digits_of

_STEP = 62
# Longer rows of letters have no room in a cell.
_MOST_LETTERS = 7
_RANGE = ["#f0f3f7", "#86aedb"]


class SizedRun(NamedTuple):
    """A run over chunks of known size and overlap.

    method: what else it is, such as "recursive with bm25", and the same for a whole heat map.
    """

    run: str
    method: str
    size: int
    overlap: int


def sizes_figure(contents: Contents) -> Figure | None:
    """Draw the first measure by size and overlap, for each method with several of both."""
    by_method = _by_method(contents)
    if not by_method:
        return None
    drawn = [cell for cells in by_method.values() for cell in cells]
    means, label = contents.columns[0].means, contents.labels[0]
    letters: Mapping[str, str] = contents.comparisons[0].letters if contents.comparisons else {}
    columns: dict[str, list[Value]] = {
        "run": [contents.shown[cell.run] for cell in drawn],
        "method": [cell.method for cell in drawn],
        "size": [cell.size for cell in drawn],
        "overlap": [cell.overlap for cell in drawn],
        "mean": [means[cell.run] for cell in drawn],
        "letters": [letters.get(cell.run, "") for cell in drawn],
    }
    source = f"Means over {plural(len(contents.table.topic_ids), contents.subject.topic)}."
    if any(letters.get(cell.run) for cell in drawn):
        source += f" Cells that share a letter are not shown to differ. {contents.test_in_words()}"
    widest = max(len({cell.size for cell in cells}) for cells in by_method.values())
    return Figure(
        "sizes",
        "sizes",
        _finding(contents, drawn),
        source.strip(),
        columns,
        _drawn(contents, label, list(by_method)),
        f"{label} for each size and overlap: "
        + "; ".join(f"{contents.shown[cell.run]} {_score(contents, cell)}" for cell in drawn)
        + ".",
        max(widest * _STEP + 120, 380),
    )


def _by_method(contents: Contents) -> dict[str, list[SizedRun]]:
    """Return the runs of each method that has several sizes and several overlaps."""
    by_method: dict[str, list[SizedRun]] = {}
    for sized in contents.sizes:
        by_method.setdefault(sized.method, []).append(sized)
    return {
        method: cells
        for method, cells in by_method.items()
        if len({cell.size for cell in cells}) > 1 and len({cell.overlap for cell in cells}) > 1
    }


def _score(contents: Contents, cell: SizedRun) -> str:
    mean = contents.columns[0].means[cell.run]
    return "undefined" if mean is None else f"{mean:.{digits_of(contents.columns[0])}f}"


def _finding(contents: Contents, drawn: Sequence[SizedRun]) -> str:
    """Return which size and overlap is best, and how many others are not shown to differ."""
    best = min(drawn, key=lambda cell: contents.ranking.index(cell.run))
    finding = (
        f"By {contents.labels[0]}, {contents.shown[best.run]} is best of {len(drawn):,} sizes and "
        f"overlaps ({_score(contents, best)})"
    )
    others = {cell.run for cell in drawn if cell is not best}
    tested = [
        pair
        for pair in (contents.comparisons[0].pairs if contents.comparisons else ())
        if pair.p is not None and best.run in (pair.first, pair.second)
        and others & {pair.first, pair.second}
    ]  # fmt: skip
    if not tested:
        return finding
    alike = sum(not pair.significant for pair in tested)
    if not alike:
        return f"{finding}, and shown to be better than all others"
    are = "is" if alike == 1 else "are"
    return f"{finding}; {alike:,} of the others {are} not shown to differ from it"


def _drawn(contents: Contents, label: str, methods: list[str]) -> dict[str, Any]:
    """Return a heat map for each method, one below the other, with the same colours."""
    digits = f".{digits_of(contents.columns[0])}f"
    axis = {"type": "ordinal", "axis": {"labelAngle": 0}}
    tips = [
        tooltip("run", contents.subject.run),
        tooltip("mean", label, ".4f"),
        tooltip("letters", "letters"),
    ]
    ink = {"type": "text", "color": "#111111"}
    scale = {"range": _RANGE, "zero": False}
    colour = quantitative(label, "mean", scale=scale, legend=None)
    map_of_method = {
        "width": {"step": _STEP},
        "height": {"step": 40},
        "encoding": {
            "x": {"field": "size", "title": "size", **axis},
            "y": {"field": "overlap", "title": "overlap", "sort": "descending", **axis},
            "tooltip": tips,
        },
        "layer": [
            {"mark": "rect", "encoding": {"color": colour}},
            {
                "mark": {**ink, "dy": -6, "fontSize": 12},
                "encoding": {"text": {"field": "mean", "type": "quantitative", "format": digits}},
            },
            {
                "transform": [{"filter": f"length(datum.letters) <= {_MOST_LETTERS}"}],
                "mark": {**ink, "dy": 9, "fontSize": 10},
                "encoding": {"text": {"field": "letters", "type": "nominal"}},
            },
        ],
    }
    return {
        "vconcat": [
            {
                "title": {"text": method, "anchor": "start", "fontSize": 13},
                "transform": [{"filter": {"field": "method", "equal": method}}],
                **map_of_method,
            }
            for method in methods
        ]
    }
