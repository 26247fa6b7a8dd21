"""The page of a report: templates filled with its contents, in one file that needs no other."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from doxeval.comparison import TITLES
from doxeval.markup import page_templates
from doxeval.messages import plural, truncate
from doxeval.reports.contents import ALPHA, MAX_CHOSEN, MAX_TESTED, Contents, Subject
from doxeval.reports.data import documents_note, page_data, range_in_words
from doxeval.reports.figures.curves import curve_figures, shares_figure
from doxeval.reports.figures.losses import losses_figure
from doxeval.reports.figures.measures import scatter_figures, scatters_left_out, tau_figure, tau_of
from doxeval.reports.figures.sizes import sizes_figure
from doxeval.reports.figures.topics import MAX_NAMED, differences_figure, difficulty_figure
from doxeval.reports.figures.vega import Figure
from doxeval.reports.overview import digits_of, main_finding, ranks, verdicts_by_measure
from doxeval.reports.tables import (
    Cell,
    against_baseline,
    leaderboard,
    summary,
    topic_table,
    undefined_for_all,
    undefined_rows,
)
from doxeval.runs import metadata_rows
from doxeval.scores import JUDGED_DEPTH

if TYPE_CHECKING:
    from jinja2 import Environment

_MAX_WARNINGS = 200
_MOST_ROWS = 200  # of the metadata of a run


class Section(NamedTuple):
    """A part of the page: its id, which is also the name of its template, and its titles."""

    id: str
    short: str
    title: str


_SECTIONS = (
    Section("summary", "Summary", "Summary"),
    Section("warnings", "Warnings", "Warnings and undefined scores"),
    Section("leaderboard", "Leaderboard", "Leaderboard"),
    Section("curves", "Curves", "Curves"),
    Section("losses", "Losses", "What is lost by chunking and by retrieval"),
    Section("sizes", "Sizes", "Sizes and overlaps"),
    Section("shares", "Hits and misses", "Hits, near-misses and misses by rank"),
    Section("differences", "Differences", "Differences by {topic}"),
    Section("head-to-head", "Head to head", "Two {run}s head to head"),
    Section("topics", "{Topic}s", "{Topic}s"),
    Section("scatter", "Measures", "Measures against each other"),
    Section("tau", "Agreement", "Agreement of measures"),
    Section("difficulty", "Difficulty", "Difficulty of {topic}s"),
    Section("documents", "Documents", "Documents"),
)


def _worded(section: Section, subject: Subject) -> Section:
    """Return a section whose titles speak of what was compared."""
    words = {**subject._asdict(), "Topic": subject.topic.capitalize()}
    return Section(section.id, section.short.format(**words), section.title.format(**words))


def all_figures(contents: Contents) -> list[Figure]:
    """Return all figures of a report; each names its section.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> runs = (RunScores("mine", np.array([[0.5, 0.25]]), np.ones(2, dtype=bool)),)
    >>> [figure.name for figure in all_figures(Contents(ScoreTable((facts,), ("7", "8"), runs)))]
    ['difficulty']
    """
    single = (
        losses_figure(contents),
        sizes_figure(contents),
        shares_figure(contents),
        differences_figure(contents),
        difficulty_figure(contents),
        tau_figure(contents),
    )
    return [
        *curve_figures(contents),
        *scatter_figures(contents),
        *(figure for figure in single if figure is not None),
    ]


def page(contents: Contents, figures: Iterable[Figure] | None = None) -> str:
    """Return the whole page; the figures may be given if they have been made already.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> runs = (RunScores("mine", np.array([[0.5, 0.25]]), np.ones(2, dtype=bool)),)
    >>> shown = page(Contents(ScoreTable((facts,), ("7", "8"), runs)))
    >>> shown[:15], "0.3750" in shown
    ('<!DOCTYPE html>', True)
    """
    by_section: dict[str, list[Figure]] = {}
    for figure in all_figures(contents) if figures is None else figures:
        by_section.setdefault(figure.section, []).append(figure)
    in_order = [figure for section in _SECTIONS for figure in by_section.get(section.id, ())]
    cells, undefined = leaderboard(contents), undefined_rows(contents)
    verdicts = verdicts_by_measure(contents)
    style, script = _asset("report.css"), _asset("report.js")
    values = {
        "contents": contents,
        "sections": [
            _worded(each, contents.subject)
            for each in _SECTIONS
            if _is_there(each.id, contents, by_section, undefined)
        ],
        "figures": by_section,
        "undefined": undefined,
        "undefined_topics": list(dict.fromkeys(t for row in undefined for t in row.topics)),
        "policy": Markup(_policy(style, script)),  # noqa: S704  # our own text
        "style": Markup(style),  # noqa: S704
        "script": Markup(script),  # noqa: S704
        "data": Markup(  # noqa: S704  # escaped for scripts
            page_data(contents, in_order, cells, verdicts)
        ),
        "shown": lambda runs: [contents.shown[run] for run in runs],
        "system": contents.subject.run,
        "systems": f"{contents.subject.run}s",
        "topic": contents.subject.topic,
        "topics": f"{contents.subject.topic}s",
        "finding": main_finding(contents, verdicts[0]),
        "verdicts": verdicts[0].verdicts,
        **_numbers(contents, cells),
    }
    return _environment().get_template("page.html.j2").render(values)


def _numbers(contents: Contents, cells: Mapping[str, Sequence[Cell]]) -> dict[str, Any]:
    """Return what the sections show besides figures."""
    tested, topics = contents.tested[0] if contents.tested else None, topic_table(contents)
    labels = contents.table.labels
    return {
        "further": summary(contents),
        "digits": digits_of(contents.columns[0]),
        "ranks": ranks(contents.columns[0]),
        "cells": cells,
        "judged": [
            (run, share)
            for run in contents.ranking
            if (share := contents.scores(run).judged) is not None
        ],
        "common": [undefined_for_all(column) for column in zip(*cells.values(), strict=True)],
        "test": "" if tested is None else TITLES[tested.test],
        "tested_pairs": 0 if tested is None else len(tested.pairs),
        "against": against_baseline(contents),
        "metadata": _metadata(contents),
        "documents_note": documents_note(contents),
        "topic_runs": topics.runs,
        "topic_rows": topics.rows,
        "scatters_left_out": scatters_left_out(contents),
        "taus": [[tau_of(contents, row, column) for column in labels] for row in labels],
    }


def _metadata(contents: Contents) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return what is known of runs by the schema ir_metadata, in rows of a name and a text."""
    shown = []
    for run in contents.ranking:
        rows = metadata_rows(contents.scores(run).metadata or {})
        if len(rows) > _MOST_ROWS:
            more = f"{len(rows) - _MOST_ROWS:,} more"
            rows = [*rows[:_MOST_ROWS], ("…", more)]
        if rows:
            shown.append((run, [(truncate(name, 100), _line(text)) for name, text in rows]))
    return shown


def _line(text: str) -> str:
    return truncate(" ".join(text.split()), 500)


def _is_there(
    section: str, contents: Contents, drawn: Mapping[str, list[Figure]], undefined: list[Any]
) -> bool:
    """Whether a section has anything to show."""
    if section in ("summary", "leaderboard", "topics"):
        return True
    if section == "warnings":
        return bool(contents.warnings or undefined)
    if section == "head-to-head":
        return "differences" in drawn
    return bool(contents.documents) if section == "documents" else section in drawn


def _policy(style: str, script: str) -> str:
    """Return what browsers allow the page: its own style and script, and nothing from anywhere."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _digest(asset: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(asset.encode()).digest()).decode()


def _asset(name: str) -> str:
    return (resources.files("doxeval.reports") / "assets" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = page_templates("doxeval.reports")
    environment.globals |= {
        "alpha": ALPHA,
        "counted": plural,
        "judged_depth": JUDGED_DEPTH,
        "most_judged": MAX_CHOSEN,
        "most_named": MAX_NAMED,
        "most_tested": MAX_TESTED,
        "most_warnings": _MAX_WARNINGS,
        "p": _probability,
        "range_in_words": range_in_words,
    }
    return environment


def _probability(p: float | None) -> str:
    if p is None:
        return "–"
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"
