"""The data of a report as the page's script reads them: one JSON value inside the page.

Runs are in the order of the ranking by the first measure, topics and measures in that of the table;
everything else refers to them by their places.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from doxeval.comparison import TITLES, Comparison
from doxeval.measures import UnitOutcome
from doxeval.messages import plural
from doxeval.reports.contents import Contents
from doxeval.reports.documents.select import FIRST_RESULTS, LONGEST_TEXT
from doxeval.reports.documents.view import DocumentView, RelevantUnit
from doxeval.reports.escaping import readable, script_json
from doxeval.reports.figures.vega import Figure, Value, colour_of, dash_of
from doxeval.reports.tables import Cell, cells
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


# Documents


# More relevant units of one document are counted, but not listed.
_MOST_RELEVANT = 60


def documents_for_island(contents: Contents) -> list[dict[str, Any]]:
    """Each document as the page's script reads it; runs and topics are given by number.

    Runs are numbered by their ranking, topics as in the table.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> runs = (RunScores("mine", np.array([[0.5]]), np.ones(1, dtype=bool)),)
    >>> documents_for_island(Contents(ScoreTable((MeasureFacts("P", "P", "p"),), ("7",), runs)))
    []
    """
    runs = {name: number for number, name in enumerate(contents.ranking)}
    topics = {name: number for number, name in enumerate(contents.table.topic_ids)}
    navigation = next((view.navigation for view in contents.documents), None)
    return document_island(contents.documents, runs, topics, navigation)


def document_island(
    views: Sequence[DocumentView],
    runs: Mapping[str, int],
    topics: Mapping[str, int],
    navigation: str | None,
) -> list[dict[str, Any]]:
    """The documents of a report as plain values.

    `runs` and `topics` give the places of runs and topics in the page's lists; what is in neither
    is left out. `navigation` is None if nobody asked how users navigate: then there is nothing
    about it.
    """
    return [
        _document(view, topics[view.topic], runs, about_navigation=navigation is not None)
        for view in views
        if view.topic in topics
    ]


def documents_note(contents: Contents) -> str:
    """Which documents are shown, and why; empty if there are none."""
    if not contents.documents:
        return ""
    shown, of = len(contents.documents), contents.documents[0].of
    text = (
        "highlighted text"
        if all(view.highlights for view in contents.documents)
        else "highlighted text (or, where nothing is highlighted, of the whole text)"
    )
    if shown == of:
        every = f"All {of:,} relevant documents are" if of > 1 else "The one relevant document is"
        return f"{every} shown, with what the runs return there."
    return (
        f"{shown:,} of {plural(of, 'relevant document')} {'is' if shown == 1 else 'are'} shown: "
        f"those in which the runs differ most in how much of the {text} they return, first among "
        f"their first {FIRST_RESULTS} results, then among all; one document of each topic comes "
        "before a second one."
    )


def _document(
    view: DocumentView, topic: int, runs: Mapping[str, int], *, about_navigation: bool
) -> dict[str, Any]:
    text = readable(view.text[:LONGEST_TEXT])
    found: dict[str, Any] = {
        "topic": topic,
        "doc": readable(view.document),
        "text": text,
        "blocks": [
            [block.start, min(block.end, len(text)), "title" if block.is_title else "text"]
            for block in view.outline.blocks
            if block.start < len(text)
        ],
        "highlights": [list(pair) for pair in view.highlights],
        "grades": [{**grade._asdict(), "path": readable(grade.path)} for grade in view.grades],
        "bep": view.best_entry_point,
        "outline": [
            {
                **row._asdict(),
                "path": readable(row.path),
                "begins": readable(row.begins),
                "share": _rounded(row.share),
            }
            for row in view.outline.rows
        ],
        "outlineCut": view.outline.left_out,
        "results": [
            {"run": runs[layer.run], "units": [list(unit) for unit in layer.units]}
            | ({"cut": layer.left_out} if layer.left_out else {})
            | ({"read": [list(ends) for ends in layer.read]} if layer.read else {})
            for layer in view.layers
            if layer.units and layer.run in runs
        ],
        **({"budgets": list(view.budgets)} if view.budgets else {}),
        **_cuts(view, runs),
        "why": _why(view),
        "cut": len(view.text) - len(text),
    }
    return found | (_outcomes(view, runs) if about_navigation else {})


def _cuts(view: DocumentView, runs: Mapping[str, int]) -> dict[str, Any]:
    """The chunks of the document, once for all runs that have the same: gap and length of each."""
    found: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for layer in view.layers:
        if layer.chunks and layer.run in runs:
            found.setdefault(layer.chunks, []).append(runs[layer.run])
    cuts = []
    for ranges, own in found.items():
        starts = [0, *(start for start, _ in ranges)]
        flat = [
            number
            for before, (start, end) in zip(starts, ranges, strict=False)
            for number in (start - before, end - start)
        ]
        cuts.append({"runs": own, "ranges": flat})
    return {"cuts": cuts} if cuts else {}


def _why(view: DocumentView) -> str:
    """What the runs return of the text, as a range."""
    what = "its highlighted text" if view.highlights else "its text"
    if round(100 * view.least) == round(100 * view.most):
        one = len(view.layers) == 1
        return f"{'The run returns' if one else 'All runs return'} {view.most:.0%} of {what}."
    return f"Runs return from {view.least:.0%} to {view.most:.0%} of {what}."


def _outcomes(view: DocumentView, runs: Mapping[str, int]) -> dict[str, Any]:
    """The relevant units with their outcomes; nothing if nobody asked about navigation."""
    if view.navigation is None:
        return {}
    place = [runs.get(layer.run, -1) for layer in view.layers]
    return {
        "navigation": view.navigation,
        "outcomes": [_unit(unit, place) for unit in view.units[:_MOST_RELEVANT]],
        "outcomesCut": max(len(view.units) - _MOST_RELEVANT, 0),
    }


def _unit(unit: RelevantUnit, place: list[int]) -> dict[str, Any]:
    by_run: list[list[Any]] = [["miss"]] * (max(place) + 1)
    for run, outcome in zip(place, unit.outcomes, strict=True):
        if run >= 0:
            by_run[run] = _outcome(outcome)
    return {
        "unit": [unit.start, unit.end],
        "label": readable(unit.path),
        "share": _rounded(unit.share),
        "byRun": by_run,
    }


def _outcome(outcome: UnitOutcome) -> list[Any]:
    if outcome.hit_at is not None:
        return ["hit", outcome.hit_at]
    if outcome.reached_from is not None:
        return ["near", outcome.reached_from, _rounded(outcome.reached)]
    return ["miss"]


def _rounded(share: float | None) -> float | None:
    """Four significant digits are more than anybody sees; only 0 becomes 0 and only 1 becomes 1."""
    if share is None or share in (0.0, 1.0):
        return share
    return min(float(f"{share:.4g}"), 0.9999)
