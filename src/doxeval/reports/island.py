"""The data of a report as the page's script reads them: one JSON value inside the page.

Runs are in the order of the ranking by the first measure, topics and measures in that of the table;
everything else refers to them by their places.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from doxeval.comparison import TITLES, Comparison
from doxeval.reports.contents import Contents
from doxeval.reports.document_island import document_island
from doxeval.reports.escaping import script_json
from doxeval.reports.figure import Figure, Value, colour_of, dash_of
from doxeval.reports.leaderboard import Cell, cells
from doxeval.scores import MeasureFacts


def island(contents: Contents, figures: Iterable[Figure]) -> str:
    """The data as JSON that may stand inside a script element.

    >>> import json
    >>> import numpy as np
    >>> from doxeval.scores import RunScores, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> runs = (RunScores("mine", np.array([[0.5, np.nan]]), np.ones(2, dtype=bool)),)
    >>> data = json.loads(island(Contents(ScoreTable((facts,), ("7", "8"), runs)), ()))
    >>> data["scores"], data["cells"][0][0]["mean"], data["baseline"]
    ([[[0.5, None]]], 0.5, 0)
    """
    return script_json(
        {
            "title": contents.title,
            "runs": _runs(contents),
            "topics": [_topic(contents, topic) for topic in contents.table.topic_ids],
            "measures": _measures(contents),
            "baseline": contents.ranking.index(contents.reference),
            "baselineGiven": contents.baseline is not None,
            "scores": [
                [_numbers(column.values[run].tolist()) for run in contents.ranking]
                for column in contents.columns
            ],
            "cells": _cells(cells(contents)),
            "comparisons": [
                _comparison(contents, number, found)
                for number, found in enumerate(contents.comparisons)
            ],
            "figures": [_figure(figure) for figure in figures],
            "documents": _documents(contents),
        }
    )


def number(value: float | None) -> float | None:
    """A number to six significant digits; None if it is not finite.

    >>> number(1 / 3), number(float("nan")), number(2.0)
    (0.333333, None, 2)
    """
    if value is None or not math.isfinite(value):
        return None
    short = float(f"{value:.6g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def _numbers(values: Iterable[float | None]) -> list[float | None]:
    return [number(value) for value in values]


def _runs(contents: Contents) -> list[dict[str, Any]]:
    return [
        {
            "name": shown,
            "colour": colour_of(place),
            "dash": dash_of(place),
            "shown": run in contents.chosen,
        }
        for place, (run, shown) in enumerate(contents.shown.items())
    ]


def _topic(contents: Contents, topic: str) -> dict[str, str]:
    known = {
        "title": contents.topics.title(topic),
        "query": contents.topics.query(topic),
        "description": contents.topics.description(topic),
    }
    return {
        "id": contents.shown_topics[topic],
        **{key: text for key, text in known.items() if text},
    }


def range_in_words(facts: MeasureFacts) -> str:
    """The range of a measure.

    >>> range_in_words(MeasureFacts("P", "P", "precision"))
    '0 to 1'
    """
    highest = "∞" if facts.highest is None else f"{facts.highest:g}"
    return f"{facts.lowest:g} to {highest}"


def _measures(contents: Contents) -> list[dict[str, Any]]:
    return [
        {
            "label": label,
            "canonical": facts.canonical,
            "title": facts.title,
            **({"user": facts.user} if facts.user else {}),
            **({"formula": facts.formula} if facts.formula else {}),
            "range": range_in_words(facts),
            "lowest": number(facts.lowest),
            "highest": number(facts.highest),
            "higherIsBetter": facts.higher_is_better,
        }
        for label, facts in zip(contents.labels, contents.table.measures, strict=True)
    ]


def _cells(rows: Mapping[str, Sequence[Cell]]) -> list[list[dict[str, Any]]]:
    """By measure and run."""
    return [[_cell(cell) for cell in column] for column in zip(*rows.values(), strict=True)]


def _cell(cell: Cell) -> dict[str, Any]:
    low, high = (None, None) if cell.interval is None else cell.interval
    return {
        "mean": number(cell.mean),
        "low": number(low),
        "high": number(high),
        "letters": cell.letters,
        "topics": cell.topics,
        "undefined": cell.undefined,
        "best": cell.is_best,
    }


def _comparison(contents: Contents, measure: int, found: Comparison) -> dict[str, Any]:
    places = {run: place for place, run in enumerate(contents.ranking)}
    return {
        "measure": measure,
        "test": TITLES[found.test],
        "alpha": found.alpha,
        "pairs": [
            [
                places[pair.first],
                places[pair.second],
                *_numbers((pair.difference, pair.p, pair.corrected)),
            ]
            for pair in found.pairs
            if pair.p is not None
        ],
    }


def _figure(figure: Figure) -> dict[str, Any]:
    return {
        "id": figure.name,
        "section": figure.section,
        "title": figure.title,
        "note": figure.note,
        "alt": figure.alt,
        "columns": {name: _values(column) for name, column in figure.columns.items()},
        "spec": figure.spec,
    }


def _values(column: Sequence[Value]) -> list[Value]:
    return [value if isinstance(value, str | int) else number(value) for value in column]


def _documents(contents: Contents) -> list[dict[str, Any]]:
    runs = {run: place for place, run in enumerate(contents.ranking)}
    topics = {topic: place for place, topic in enumerate(contents.table.topic_ids)}
    found = document_island(contents.documents, runs, topics, contents.navigation)
    # Several topics may show the same document: its text is carried once.
    first: dict[str, int] = {}
    for number, view in enumerate(found):
        at = first.setdefault(view["text"], number)
        if at < number:
            view["textOf"] = at
            del view["text"]
    return found
