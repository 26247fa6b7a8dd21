"""The page of a report: all sections in one file that needs no other."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import resources
from typing import NamedTuple

from doxeval.reports.contents import Contents
from doxeval.reports.curves import curve_figures, left_out, share_figures
from doxeval.reports.document_island import documents_note
from doxeval.reports.escaping import items, listed, name, text
from doxeval.reports.figure import Figure
from doxeval.reports.leaderboard import leaderboard
from doxeval.reports.measure_figures import scatter_figures, scatters_left_out, tau_figure, tau_of
from doxeval.reports.summary import summary
from doxeval.reports.topic_figures import (
    difference_figures,
    differences_left_out,
    difficulty_figure,
)
from doxeval.wording import counted

_MOST_WARNINGS = 200


class Section(NamedTuple):
    """A part of the page, with an id to link to."""

    id: str
    title: str
    body: str


def figures(contents: Contents) -> dict[str, list[Figure]]:
    """The figures of each section; they are drawn when they are written.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> runs = (RunScores("mine", np.array([[0.5, 0.25]]), np.ones(2, dtype=bool)),)
    >>> found = figures(Contents(ScoreTable((facts,), ("7", "8"), runs)))
    >>> [figure.name for section in found.values() for figure in section]
    ['difficulty']
    """
    single = {"difficulty": difficulty_figure(contents), "tau": tau_figure(contents)}
    return {
        "curves": curve_figures(contents),
        "shares": list(share_figures(contents)),
        "differences": list(difference_figures(contents)),
        "scatter": list(scatter_figures(contents)),
        **{section: [] if figure is None else [figure] for section, figure in single.items()},
    }


def page(contents: Contents, drawn: Mapping[str, list[Figure]] | None = None) -> str:
    """The whole page; the figures may be given if they have been made already.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> runs = (RunScores("mine", np.array([[0.5, 0.25]]), np.ones(2, dtype=bool)),)
    >>> shown = page(Contents(ScoreTable((facts,), ("7", "8"), runs)))
    >>> shown[:15], "0.3750" in shown
    ('<!DOCTYPE html>', True)
    """
    drawn = figures(contents) if drawn is None else drawn
    bodies: dict[str, tuple[str, Callable[[], str]]] = {
        "summary": ("Summary", lambda: summary(contents)),
        "warnings": ("Warnings and undefined topics", lambda: _warnings(contents)),
        "leaderboard": ("Leaderboard", lambda: leaderboard(contents)),
        "curves": ("Curves", lambda: _curves(contents, drawn["curves"])),
        "shares": ("Hits, near-misses and misses by rank", lambda: _shares(drawn["shares"])),
        "differences": (
            "Differences by topic",
            lambda: _differences(contents, drawn["differences"]),
        ),
        "scatter": ("Measures against each other", lambda: _scatter(contents, drawn["scatter"])),
        "tau": ("Agreement of measures", lambda: _tau(contents)),
        "difficulty": ("Difficulty of topics", lambda: _difficulty(contents, drawn["difficulty"])),
        "documents": ("Documents", lambda: _documents(contents)),
    }
    return _whole(contents, [Section(id, title, body()) for id, (title, body) in bodies.items()])


def _whole(contents: Contents, sections: Iterable[Section]) -> str:
    sections = list(sections)
    assets = resources.files("doxeval.reports")
    style = (assets / "style.css").read_text(encoding="utf-8")
    script = (assets / "layers.js").read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    links = "".join(f'<li><a href="#{s.id}">{s.title}</a></li>' for s in sections)
    bodies = "".join(
        f'<section id="{s.id}" aria-labelledby="{s.id}-title"><h2 id="{s.id}-title">{s.title}</h2>'
        f"{s.body}</section>\n"
        for s in sections
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="generator" content="doxeval">'
        f"<title>{text(contents.title)}</title><style>{style}</style></head>\n<body>"
        f'<a class="skip" href="#main">Skip to the report</a><header><h1>{text(contents.title)}'
        f'</h1><nav aria-label="Sections"><ul>{links}</ul></nav></header>\n'
        f'<main id="main" tabindex="-1">{bodies}</main><script>{script}</script></body></html>\n'
    )


def _digest(asset: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(asset.encode()).digest()).decode()


def _figure(figure: Figure) -> str:
    note = f'<p class="note">{text(figure.note)}</p>' if figure.note else ""
    return (
        f"<figure><figcaption>{name(figure.title)}{note}</figcaption>"
        f'<div role="img" aria-label="{text(figure.title)}">{figure.svg()}</div></figure>'
    )


def _grid(found: Iterable[Figure]) -> str:
    return f'<div class="figures">{"".join(map(_figure, found))}</div>'


def _curves(contents: Contents, found: list[Figure]) -> str:
    if not found:
        return "<p>None of these measures has a curve.</p>"
    hidden = left_out(contents)
    note = (
        f"<p>The {len(contents.drawn)} best runs by {name(contents.table.labels[0])} are drawn, "
        f"always with the one that others are compared with; {hidden} are left out.</p>"
        if hidden
        else ""
    )
    return f"<p>Means over topics.</p>{note}{_grid(found)}"


def _shares(found: list[Figure]) -> str:
    if not found:
        return (
            "<p>These shares need a collection, and runs for which they can be computed; there are "
            "none here.</p>"
        )
    return (
        "<p>Shares of all relevance, up to each rank: units that the run returns (hits), units "
        "that readers may reach from its results (near-misses), what they see twice, and what they "
        f"miss. Ranks are on a log scale.</p>{_grid(found)}"
    )


def _differences(contents: Contents, found: list[Figure]) -> str:
    if not found:
        return "<p>Differences need two runs with scores for the same topics.</p>"
    label = contents.table.labels[0]
    why = "" if contents.baseline else ", the first run, because no baseline was given"
    hidden = differences_left_out(contents)
    note = f" {counted(hidden, 'lower run')} left out." if hidden else ""
    tests = ""
    if contents.comparisons:
        tests = items(_tested(contents, figure.title) for figure in found)
    return (
        f"<p>{name(label)} minus that of {name(contents.reference)}{why}; blue is better, orange "
        f"worse.{note}</p>{tests}{_grid(found)}"
    )


def _tested(contents: Contents, run: str) -> str:
    """The difference of a run from the reference, and whether it is significant."""
    pair = contents.comparisons[0].pair(run, contents.reference)
    if pair.difference is None:
        return f"{name(run)}: no topics in common"
    sign = 1 if pair.first == run else -1
    sentence = f"{name(run)}: {sign * pair.difference:+.4f} on average"
    if pair.corrected is not None:
        verdict = "significant" if pair.significant else "not significant"
        sentence += f", {verdict} (p = {pair.corrected:.3g} after Holm's correction for all pairs)"
    return sentence


def _scatter(contents: Contents, found: list[Figure]) -> str:
    if not found:
        return "<p>This needs two runs and two measures.</p>"
    hidden = scatters_left_out(contents)
    note = f" {counted(hidden, 'more measure')} in the table below." if hidden else ""
    return (
        "<p>Each point is a run: its means by two measures. The dashed line is the least-squares "
        f"line.{note}</p>{_grid(found)}"
    )


def _tau(contents: Contents) -> str:
    if contents.correlations is None:
        return "<p>This needs two runs and two measures.</p>"
    labels = contents.table.labels
    head = "".join(f'<th scope="col">{name(label)}</th>' for label in labels)
    body = "".join(
        f'<tr><th scope="row">{name(one)}</th>'
        f"{''.join(_tau_cell(tau_of(contents, one, two)) for two in labels)}</tr>"
        for one in labels
    )
    return (
        "<p>Kendall's τ between the rankings of runs by two measures: above 0.9 they are "
        "equivalent, below 0.8 noticeably different (Voorhees 2001).</p>"
        '<div class="scroll" tabindex="0" role="region" aria-label="Correlations"><table '
        f'class="matrix"><caption>Kendall\'s τ</caption><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _tau_cell(tau: float | None) -> str:
    if tau is None:
        return '<td class="number">–</td>'
    sign = "h" if tau >= 0 else "n"
    return f'<td class="number {sign}{round(abs(tau) * 10)}">{tau:.3f}</td>'


def _difficulty(contents: Contents, found: list[Figure]) -> str:
    if not found:
        return "<p>No topic has a score.</p>"
    return (
        "<p>Topics from the hardest to the easiest by the median over runs. Lines go from the "
        "lowest to the highest score, boxes hold the middle half, ticks mark the median.</p>"
        + _grid(found)
    )


def _documents(contents: Contents) -> str:
    if not contents.documents:
        return "<p>Documents are shown if there is a collection and highlighted text in it.</p>"
    return f'<p>{text(documents_note(contents))}</p><div id="document-view"></div>'


def _warnings(contents: Contents) -> str:
    lines = [
        f"{'' if run is None else name(run) + ': '}{text(warning)}"
        for run, warning in contents.warnings[:_MOST_WARNINGS]
    ]
    hidden = len(contents.warnings) - len(lines)
    if hidden:
        lines.append(f"{counted(hidden, 'more warning')}")
    return (items(lines) if lines else "<p>No warnings.</p>") + _undefined(contents)


def _undefined(contents: Contents) -> str:
    """The undefined topics; measures and runs that have the same ones share a row."""
    by_measure: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for run, measures in contents.table.undefined().items():
        for label, topics in measures.items():
            by_measure.setdefault((label, tuple(topics)), []).append(run)
    if not by_measure:
        return "<p>Every score is defined.</p>"
    together: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for (label, undefined), runs in by_measure.items():
        together.setdefault((tuple(runs), undefined), []).append(label)
    rows = "".join(
        f'<tr><th scope="row">{listed(labels, 20)}</th><td>{_some(contents, runs)}</td>'
        f'<td class="number">{len(topics)}</td><td>{listed(topics, 20)}</td></tr>'
        for (runs, topics), labels in list(together.items())[:_MOST_WARNINGS]
    )
    hidden = max(len(together) - _MOST_WARNINGS, 0)
    more = f"<p>{counted(hidden, 'more row')}.</p>" if hidden else ""
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Undefined scores"><table>'
        '<caption>Undefined scores</caption><thead><tr><th scope="col">measures</th>'
        '<th scope="col">runs</th><th scope="col">topics</th><th scope="col">which</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div>{more}"
    )


def _some(contents: Contents, runs: Sequence[str]) -> str:
    return "all runs" if len(runs) == len(contents.names) else listed(runs, 6)
