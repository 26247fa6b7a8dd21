"""Tables in HTML, as notebooks show them; a table of scores has a bar for each mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from doxeval.scores.text import warning_lines

if TYPE_CHECKING:
    from doxeval.scores.table import MeasureFacts, ScoreTable

_CELL = "text-align:right;padding:2px 10px;white-space:nowrap"
_BAR = "display:inline-block;height:.7em;background:#4c78a8;margin-right:6px"
_LONGEST = 60  # pixels


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
    head = "".join(f'<th style="{_CELL}">{_title(facts)}</th>' for facts in table.measures)
    rows = [
        f'<tr><td style="text-align:left">{escape(run)}</td>'
        + "".join(_cell(values[label], largest[label]) for label in table.labels)
        + "</tr>"
        for run, values in means.items()
    ]
    shown = f'<table><tr><th style="text-align:left">run</th>{head}</tr>{"".join(rows)}</table>'
    return shown + html_warnings(table.all_warnings())


def _title(facts: MeasureFacts) -> str:
    explained = escape(f"{facts.canonical}: {facts.title}")
    return f'<span title="{explained}">{escape(facts.label)}</span>'


def _cell(value: float | None, largest: float) -> str:
    if value is None:
        return f'<td style="{_CELL}">—</td>'
    width = round(_LONGEST * abs(value) / largest) if largest else 0
    bar = f'<span style="{_BAR};width:{width}px"></span>'
    return f'<td style="{_CELL}">{bar}{value:.4f}</td>'


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
