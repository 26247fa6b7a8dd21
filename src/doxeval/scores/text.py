"""Scores as short text, for a terminal.

Tables in HTML, as notebooks show them; a table of scores has a bar for each mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from math import isnan
from typing import TYPE_CHECKING

from doxeval.messages import join_names, plural
from doxeval.messages import truncate as cut

if TYPE_CHECKING:
    from doxeval.scores.table import MeasureFacts, ScoreTable

_MOST_RUNS = 10
_MOST_MEASURES = 6
_MOST_VALUES = 8
_MOST_TOPICS = 10
_LONGEST_NAME = 40
_MOST_WARNINGS = 10
_LONGEST_WARNING = 200


def as_text(table: ScoreTable) -> str:
    """The means of the first runs by the first measures, under a line with the totals.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
    >>> scores = RunScores("mine", np.array([[0.5, 0.25]]), np.array([True, True]))
    >>> print(as_text(ScoreTable((facts,), ("7", "8"), (scores,))))
    Scores of 1 run by 1 measure on 2 topics
    run     MAiP
    mine  0.3750
    """
    labels = table.labels[:_MOST_MEASURES]
    more = ["…"] if len(table.labels) > len(labels) else []
    views = [table.view(index) for index in range(min(len(table.runs), _MOST_RUNS))]
    rows = [[view.run, *(number(view[label]) for label in labels), *more] for view in views]
    lines = [
        f"Scores of {plural(len(table.runs), 'run')} by {plural(len(table.labels), 'measure')} "
        f"on {plural(len(table.topic_ids), 'topic')}"
    ]
    if rows:
        lines += aligned(["run", *labels, *more], rows)
    if len(table.runs) > len(rows):
        lines.append(f"… and {plural(len(table.runs) - len(rows), 'more run')}")
    return "\n".join([*lines, *warning_lines(table.all_warnings())])


def warning_lines(warnings: Sequence[str]) -> list[str]:
    """Return the lines about warnings with which a printed result ends; of many, the first.

    >>> warning_lines(["the run is empty"])
    ['warning: the run is empty']
    """
    shown = warnings[:_MOST_WARNINGS]
    lines = [f"warning: {shortened(warning, _LONGEST_WARNING)}" for warning in shown]
    more = len(warnings) - len(lines)
    return [*lines, f"… and {plural(more, 'more warning')}"] if more else lines


def values_as_text(values: Sequence[tuple[str, float | None]]) -> str:
    """Named values on one line; of many, the first.

    >>> values_as_text([("MAiP", 0.5), ("iP[.01]", None)])
    'MAiP 0.5000, iP[.01] —'
    """
    shown = [f"{shortened(name)} {number(value)}" for name, value in values[:_MOST_VALUES]]
    return ", ".join([*shown, *(["…"] if len(values) > len(shown) else [])])


def undefined_in_words(topics_of: dict[str, list[str]], measures: int, topics: int) -> str:
    """The topics for which measures are undefined; measures with the same topics come together.

    >>> undefined_in_words({"MAiP": ["7"], "iP[.01]": ["7"], "gP@5": ["7", "8"]}, 4, 120)
    'MAiP, iP[.01] undefined for 1 of 120 topics (7); gP@5 for 2 (7, 8)'
    """
    together: dict[tuple[str, ...], list[str]] = {}
    for label, topic_ids in topics_of.items():
        together.setdefault(tuple(topic_ids), []).append(label)
    parts: list[str] = []
    for undefined, labels in together.items():
        who = join_names([shortened(label) for label in labels], _MOST_MEASURES)
        if len(labels) == measures > 1:
            who = f"all {measures} measures"
        verb, of = ("", "") if parts else (" undefined", f" of {plural(topics, 'topic')}")
        which = join_names([shortened(topic) for topic in undefined], _MOST_TOPICS)
        parts.append(f"{who}{verb} for {len(undefined):,}{of} ({which})")
    return "; ".join(parts)


def aligned(
    header: Sequence[str], rows: Sequence[Sequence[str]], longest: int | None = _LONGEST_NAME
) -> list[str]:
    """The lines of a table: the first column to the left, the others to the right.

    Cells are shortened to `longest` characters; None leaves them as they are.

    >>> aligned(["run", "P"], [["mine", "0.5"]])
    ['run     P', 'mine  0.5']
    """
    cells = [list(row) for row in [header, *rows]]
    if longest is not None:
        cells = [[shortened(cell, longest) for cell in row] for row in cells]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]


def shortened(name: str, longest: int = _LONGEST_NAME) -> str:
    """A name cut to `longest` characters, with control characters made visible.

    >>> shortened("a\\x1b[2J")
    'a\\\\u001b[2J'
    """
    return cut(name, longest)


def number(value: float | None) -> str:
    """A score with four decimals; a dash if it is undefined.

    >>> number(0.123456), number(None), number(float("nan"))
    ('0.1235', '—', '—')
    """
    return "—" if value is None or isnan(value) else f"{value:.4f}"


_CELL_STYLE = "text-align:right;padding:2px 10px;white-space:nowrap"
_BAR_STYLE = "display:inline-block;height:.7em;background:#4c78a8;margin-right:6px"
_BAR_PIXELS = 60  # pixels


def as_html(table: ScoreTable) -> str:
    """The means of all runs; the length of a bar is relative to the largest mean of its measure.

    >>> from doxeval.scores import ScoreTable
    >>> as_html(ScoreTable((), (), ()))
    '<table><tr><th style="text-align:left">run</th></tr></table>'
    """
    means = table.mean()
    largest = {
        label: max([abs(values[label] or 0.0) for values in means.values()] or [0.0])
        for label in table.labels
    }
    head = "".join(
        f'<th style="{_CELL_STYLE}">{_html_title(facts)}</th>' for facts in table.measures
    )
    rows = [
        f'<tr><td style="text-align:left">{escape(run)}</td>'
        + "".join(_html_cell(values[label], largest[label]) for label in table.labels)
        + "</tr>"
        for run, values in means.items()
    ]
    shown = f'<table><tr><th style="text-align:left">run</th>{head}</tr>{"".join(rows)}</table>'
    return shown + html_warnings(table.all_warnings())


def _html_title(facts: MeasureFacts) -> str:
    explained = escape(f"{facts.canonical}: {facts.title}")
    return f'<span title="{explained}">{escape(facts.label)}</span>'


def _html_cell(value: float | None, largest: float) -> str:
    if value is None:
        return f'<td style="{_CELL_STYLE}">—</td>'
    width = round(_BAR_PIXELS * abs(value) / largest) if largest else 0
    bar = f'<span style="{_BAR_STYLE};width:{width}px"></span>'
    return f'<td style="{_CELL_STYLE}">{bar}{value:.4f}</td>'


def html_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], warnings: Sequence[str] = ()
) -> str:
    """A plain table, and warnings below it; every cell is text.

    >>> html_table(["run"], [["<b>"]])
    '<table><tr><th>run</th></tr><tr><td>&lt;b&gt;</td></tr></table>'
    """
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>" + html_warnings(warnings)


def html_warnings(warnings: Sequence[str]) -> str:
    """Return the warnings of a result as paragraphs below its table.

    >>> html_warnings(["a < b"])
    '<p>warning: a &lt; b</p>'
    """
    return "".join(f"<p>{escape(line)}</p>" for line in warning_lines(warnings))
