"""Scores and other results as short text for terminals, and as HTML for notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

from doxeval.messages import escape, join_names, plural, truncate

if TYPE_CHECKING:
    from doxeval.scores.table import ScoreTable

_MAX_ROWS = 10
MAX_MEASURES = 6
_MAX_VALUES = 8
_MAX_TOPICS = 10
_MAX_WARNINGS = 10
_LONGEST_NAME = 40
_LONGEST_WARNING = 200
_CELL_STYLE = "text-align:right;padding:2px 10px;white-space:nowrap"
_BAR_STYLE = "display:inline-block;height:.7em;background:#4c78a8;margin-right:6px"
_BAR_PIXELS = 60


class TextTable(NamedTuple):
    """A table of text with its title and warnings: the one form in which results are printed.

    noun: what a row is, to say how many more there are. longest: the longest cell in characters,
    None if all are shown in full. left: the columns that are aligned to the left; the others are
    to the right. Without a header there are only rows.

    >>> rows = [[f"run{number}", "0.5"] for number in range(12)]
    >>> print(TextTable(["run", "P"], rows, "Means", noun="run").text(max_rows=1))
    Means
    run     P
    run0  0.5
    … and 11 more runs
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    noun: str = "row"
    warnings: Sequence[str] = ()
    longest: int | None = _LONGEST_NAME
    left: Collection[int] = (0,)

    def lines(self, max_rows: int | None = None) -> list[str]:
        """Return header and rows, with aligned columns."""
        cells = [
            [escape(cell) if self.longest is None else truncate(cell, self.longest) for cell in row]
            for row in (*filter(None, [self.header]), *self.rows[:max_rows])
        ]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return [
            "  ".join(
                cell.ljust(width) if column in self.left else cell.rjust(width)
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in cells
        ]

    def text(self, max_rows: int = _MAX_ROWS) -> str:
        """Return the title, the first rows, how many more there are, and the warnings."""
        lines = [self.title] if self.title else []
        lines += self.lines(max_rows) if self.header else []
        if len(self.rows) > max_rows:
            more = plural(len(self.rows) - max_rows, f"more {self.noun}")
            lines.append(f"… and {more}")
        return "\n".join([*lines, *warning_lines(self.warnings)])

    def html(self) -> str:
        """Return the table with all rows and its warnings as HTML.

        >>> TextTable(["run"], [["<b>"]], warnings=["a < b"]).html()
        '<table><tr><th>run</th></tr><tr><td>&lt;b&gt;</td></tr></table><p>warning: a &lt; b</p>'
        """
        head = "".join(f"<th>{_html(cell)}</th>" for cell in self.header)
        rows = ("".join(f"<td>{_html(cell)}</td>" for cell in row) for row in self.rows)
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><tr>{head}</tr>{body}</table>" + _html_warnings(self.warnings)


class ShownAsTable(ABC):
    """A result that shows itself as a table: its first rows in a terminal, all in a notebook."""

    @abstractmethod
    def _as_table(self) -> TextTable:
        """Return the table to show."""

    def __repr__(self) -> str:
        return self._as_table().text()

    def _repr_html_(self) -> str:
        return self._as_table().html()


def warning_lines(warnings: Sequence[str]) -> list[str]:
    """Return the lines about warnings with which a printed result ends; of many, the first.

    >>> warning_lines(["the run is empty"])
    ['warning: the run is empty']
    """
    shown = warnings[:_MAX_WARNINGS]
    lines = [f"warning: {truncate(warning, _LONGEST_WARNING)}" for warning in shown]
    more = len(warnings) - len(lines)
    return [*lines, f"… and {plural(more, 'more warning')}"] if more else lines


def format_score(value: float | None, style: str = ".4f") -> str:
    """Return a score or another figure, by default with four decimals; a dash if undefined.

    >>> format_score(0.123456), format_score(-0.25, "+.2f"), format_score(float("nan"))
    ('0.1235', '-0.25', '—')
    """
    return "—" if value is None or isnan(value) else format(value, style)


def shortened(name: str) -> str:
    """Return a name of at most 40 characters, with control characters made visible.

    >>> shortened("a\\x1b[2J")
    'a\\\\u001b[2J'
    """
    return truncate(name, _LONGEST_NAME)


# Scores


def values_as_text(values: Sequence[tuple[str, float | None]]) -> str:
    """Return named values on one line; of many, the first.

    >>> values_as_text([("MAiP", 0.5), ("iP[.01]", None)])
    'MAiP 0.5000, iP[.01] —'
    """
    shown = [f"{shortened(name)} {format_score(value)}" for name, value in values[:_MAX_VALUES]]
    return ", ".join([*shown, *(["…"] if len(values) > len(shown) else [])])


def undefined_in_words(topics_of: dict[str, list[str]], measures: int, topics: int) -> str:
    """Return which measures are undefined for which topics; those with the same topics together.

    >>> undefined_in_words({"MAiP": ["7"], "iP[.01]": ["7"], "gP@5": ["7", "8"]}, 4, 120)
    'MAiP, iP[.01] undefined for 1 of 120 topics (7); gP@5 for 2 (7, 8)'
    """
    labels_of: dict[tuple[str, ...], list[str]] = {}
    for label, topic_ids in topics_of.items():
        labels_of.setdefault(tuple(topic_ids), []).append(label)
    parts: list[str] = []
    for undefined, labels in labels_of.items():
        who = join_names([shortened(label) for label in labels], MAX_MEASURES)
        if len(labels) == measures > 1:
            who = f"all {measures} measures"
        verb, of = ("", "") if parts else (" undefined", f" of {plural(topics, 'topic')}")
        which = join_names([shortened(topic) for topic in undefined], _MAX_TOPICS)
        parts.append(f"{who}{verb} for {len(undefined):,}{of} ({which})")
    return "; ".join(parts)


def as_html(table: ScoreTable) -> str:
    """Return the means of all runs, each with a bar relative to the largest of its measure.

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
        f'<th style="{_CELL_STYLE}"><span title="{_html(f"{facts.canonical}: {facts.title}")}">'
        f"{_html(facts.label)}</span></th>"
        for facts in table.measures
    )
    rows = [
        f'<tr><td style="text-align:left">{_html(run)}</td>'
        + "".join(_html_cell(values[label], largest[label]) for label in table.labels)
        + "</tr>"
        for run, values in means.items()
    ]
    body = f'<table><tr><th style="text-align:left">run</th>{head}</tr>{"".join(rows)}</table>'
    return body + _html_warnings(table.all_warnings())


def _html_cell(value: float | None, largest: float) -> str:
    if value is None:
        return f'<td style="{_CELL_STYLE}">—</td>'
    width = round(_BAR_PIXELS * abs(value) / largest) if largest else 0
    bar = f'<span style="{_BAR_STYLE};width:{width}px"></span>'
    return f'<td style="{_CELL_STYLE}">{bar}{value:.4f}</td>'


def _html_warnings(warnings: Sequence[str]) -> str:
    return "".join(f"<p>{_html(line)}</p>" for line in warning_lines(warnings))


def _html(text: str) -> str:
    from html import escape  # loaded only where somebody looks at HTML

    return escape(text)
