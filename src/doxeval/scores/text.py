"""Scores and other results as short text for terminals, and as HTML for notebooks."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Literal, NamedTuple

from doxeval.messages import (
    cut_to,
    display_width,
    escape,
    join_names,
    middle_cut,
    plural,
    terminal_width,
    truncate,
    wrapped,
)

if TYPE_CHECKING:
    from doxeval.scores.table import ScoreTable

_MAX_ROWS = 10
MAX_MEASURES = 6
_MAX_VALUES = 8
_MAX_TOPICS = 10
_MAX_WARNINGS = 10
LONGEST_NAME = 40
_LONGEST_WARNING = 200
_SHORTEST_NAME = 12  # names are not cut below this to make room for columns
_READABLE_NAME = 36  # names are cut to this before columns are left out
_LEAST_PROSE = 20  # columns that make a text worth its place
_LEAST_INDENT = 4
_CELL_STYLE = "text-align:right;padding:2px 10px;white-space:nowrap"
_BAR_STYLE = "display:inline-block;height:.7em;background:#4c78a8;margin-right:6px"
_BAR_PIXELS = 60


class TextTable(NamedTuple):
    """A table of text with its title and warnings: the one form in which results are printed.

    noun: what a row is, to say how many more there are. longest: the longest cell in characters,
    None if all are shown in full. left: the columns that are aligned to the left; the others are
    to the right. best: cells, by row and column, that are marked with a star where lines have a
    width, that is for a person at a terminal. first_to_go: columns that are left out before others
    where there is not enough room; then the last ones go, but never the first two. prose: the last
    column is text, such as what runs are: without enough room it is cut ("cut", and left out if
    hardly anything fits), or goes on below ("wrap"). notes: sentences below the table. Without a
    header there are only rows.

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
    longest: int | None = LONGEST_NAME
    left: Collection[int] = (0,)
    best: Collection[tuple[int, int]] = ()
    first_to_go: Sequence[int] = ()
    prose: Literal["", "cut", "wrap"] = ""
    notes: Sequence[str] = ()

    def lines(self, max_rows: int | None = None, width: int | None = None) -> list[str]:
        """Return header and rows, with aligned columns: all of them, or as many as fit."""
        return self.fitted(width, max_rows)[0]

    def fitted(
        self, width: int | None = None, max_rows: int | None = None
    ) -> tuple[list[str], int]:
        """Return header and rows in lines of at most so many columns, and how many are left out.

        >>> table = TextTable(["run", "P", "R"], [["mine", "0.5", "0.7"], ["b", "0.25", "1"]])
        >>> table.fitted(12)
        (['run      P', 'mine   0.5', 'b     0.25'], 1)
        """
        cells = self._cells(max_rows, with_stars=width is not None)
        if not cells:
            return [], 0
        widths = [max(map(display_width, column)) for column in zip(*cells, strict=True)]
        chosen = list(range(len(widths)))
        if width is not None:
            chosen = self._chosen(_with_short_names(cells, widths), width)
            self._shorten(cells, widths, chosen, width)
        lines = []
        for row in cells:
            start = "  ".join(
                _aligned(row[at], widths[at], at in self.left) for at in chosen
            ).rstrip()
            if self.prose == "wrap" and width is not None and chosen[-1] == len(widths) - 1:
                lines += _with_hanging_text(start, row[-1], width)
            else:
                lines.append(start)
        return lines, len(widths) - len(chosen)

    def _cells(self, max_rows: int | None, with_stars: bool) -> list[list[str]]:
        """Return header and rows as they are shown if there is room."""
        rows = [*filter(None, [self.header]), *self.rows[:max_rows]]
        last = len(rows[0]) - 1 if rows else 0
        cells = [
            [
                escape(cell)
                if self.longest is None or (self.prose and at == last)
                else shortened(cell, self.longest)
                for at, cell in enumerate(row)
            ]
            for row in rows
        ]
        marked = {column for _, column in self.best} if with_stars else set()
        first = 1 if self.header else 0
        for at, row in enumerate(cells):
            for column in marked - set(self.left):
                row[column] += "*" if (at - first, column) in self.best else " "
        return cells

    def _chosen(self, widths: Sequence[int], width: int) -> list[int]:
        """Return the columns that fit; at least the first two."""
        chosen = list(range(len(widths)))
        last = len(widths) - 1

        def total() -> int:
            needed = (
                min(widths[at], _LEAST_PROSE) if self.prose and at == last else widths[at]
                for at in chosen
            )
            return sum(needed) + 2 * (len(chosen) - 1)

        to_go = [last] if self.prose == "cut" else []
        to_go += [at for at in (*self.first_to_go, *reversed(chosen)) if at not in to_go]
        for at in to_go:
            if total() <= width or len(chosen) <= 2:
                break
            if at > 1 and at in chosen:
                chosen.remove(at)
        return chosen

    def _shorten(
        self, cells: list[list[str]], widths: list[int], chosen: Sequence[int], width: int
    ) -> None:
        """Cut the text at the end, and names at the beginning, to the room that there is."""
        last = len(widths) - 1
        rest = width - sum(widths[at] + 2 for at in chosen if at != last)
        if self.prose == "cut" and chosen[-1] == last and widths[last] > rest:
            for row in cells:
                row[last] = cut_to(row[last], max(rest, 1))
            widths[last] = max(rest, 1)
        if self.prose == "wrap" and chosen[-1] == last:
            return
        room = max(width - sum(widths[at] + 2 for at in chosen[1:]), _SHORTEST_NAME)
        names = [middle_cut(row[0], room) for row in cells]
        # Names that would look alike stay as they are.
        if widths[0] > room and len(set(names)) == len({row[0] for row in cells}):
            for row, name in zip(cells, names, strict=True):
                row[0] = name
            widths[0] = max(map(display_width, names))

    def text(
        self,
        max_rows: int | None = _MAX_ROWS,
        width: int | None = None,
        wider: str = "in a wider terminal",
    ) -> str:
        """Return the title, the first rows, what is not shown, the notes and the warnings.

        width: that of the lines; None for lines as long as they are. wider: how to see the columns
        that do not fit.

        >>> print(TextTable(["run", "P", "R"], [["mine", "0.5", "0.7"]]).text(width=10))
        run     P
        mine  0.5
        1 more column in a wider terminal
        """
        lines = wrapped(self.title, width) if self.title else []
        shown, left_out = self.fitted(width, max_rows)
        lines += shown if self.header else []
        if max_rows is not None and len(self.rows) > max_rows:
            more = plural(len(self.rows) - max_rows, f"more {self.noun}")
            lines.append(f"… and {more}")
        if left_out:
            lines.append(f"{plural(left_out, 'more column')} {wider}")
        for sentence in (*self.notes, *warning_lines(self.warnings)):
            lines += wrapped(sentence, width)
        return "\n".join(lines)

    def html(self) -> str:
        """Return the table with all rows, its notes and its warnings as HTML.

        >>> TextTable(["run"], [["<b>"]], warnings=["a < b"]).html()
        '<table><tr><th>run</th></tr><tr><td>&lt;b&gt;</td></tr></table><p>warning: a &lt; b</p>'
        """
        head = "".join(f"<th>{_html(cell)}</th>" for cell in self.header)
        rows = ("".join(f"<td>{_html(cell)}</td>" for cell in row) for row in self.rows)
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        notes = "".join(f"<p>{_html(sentence)}</p>" for sentence in self.notes)
        return f"<table><tr>{head}</tr>{body}</table>{notes}" + _html_warnings(self.warnings)


def _with_short_names(cells: Sequence[Sequence[str]], widths: Sequence[int]) -> list[int]:
    """Return the widths of columns if long names are cut, as far as they stay different."""
    names = {row[0] for row in cells}
    alike = len({middle_cut(name, _READABLE_NAME) for name in names}) < len(names)
    return [widths[0] if alike else min(widths[0], _READABLE_NAME), *widths[1:]]


def _aligned(cell: str, width: int, is_left: bool) -> str:
    space = " " * (width - display_width(cell))
    return cell + space if is_left else space + cell


def _with_hanging_text(start: str, text: str, width: int) -> list[str]:
    """Return a row whose last cell goes on below itself."""
    at = len(start) - len(text)
    if display_width(start) <= width or at < 1 or not start.endswith(text):
        return [start]
    room = width - at
    if room < _LEAST_PROSE:  # the name leaves no room beside it
        return [start[:at].rstrip(), *wrapped(" " * _LEAST_INDENT + text, width)]
    return [
        (start[:at] if index == 0 else " " * at) + line
        for index, line in enumerate(wrapped(text, room))
    ]


class ShownAsTable(ABC):
    """A result that shows itself as a table: its first rows in a terminal, all in a notebook."""

    @abstractmethod
    def as_table(self) -> TextTable:
        """Return the table to show."""

    def __repr__(self) -> str:
        return self.as_table().text(width=terminal_width(sys.stdout))

    def _repr_html_(self) -> str:
        return self.as_table().html()


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


def shortened(name: str, longest: int = LONGEST_NAME) -> str:
    """Return a name with control characters made visible; a long one loses its middle.

    >>> shortened("a\\x1b[2J"), shortened("a-long-name-of-run-7", 12)
    ('a\\\\u001b[2J', 'a-long…run-7')
    """
    return middle_cut(escape(name), longest)


# Scores


def best_first(means: Mapping[str, float | None], higher_is_better: bool = True) -> list[str]:
    """Return the names of means, best first; tied ones by name, and those without a mean last.

    >>> best_first({"b": 0.5, "a": 0.5, "none": None, "best": 0.7})
    ['best', 'a', 'b', 'none']
    """
    sign = -1 if higher_is_better else 1

    def key(run: str) -> tuple[bool, float, str]:
        mean = means[run]
        return (mean is None, sign * (mean or 0.0), run)

    return sorted(means, key=key)


def best_cells(
    rows: Sequence[Sequence[float | None]], higher_is_better: Sequence[bool]
) -> set[tuple[int, int]]:
    """Return the row and column of values that are the best of theirs, where not all are equal.

    >>> best_cells([[0.5, 2.0], [0.7, 2.0], [None, 2.0]], [True, True])
    {(1, 0)}
    """
    best = set()
    for column, is_higher in enumerate(higher_is_better):
        values = [row[column] for row in rows]
        defined = {value for value in values if value is not None}
        if len(defined) > 1:
            first = max(defined) if is_higher else min(defined)
            best |= {(row, column) for row, value in enumerate(values) if value == first}
    return best


def means_table(table: ScoreTable, with_descriptions: bool = True) -> TextTable:
    """Return the means of all runs, best first by the reference measure, with what runs are.

    >>> from doxeval.scores import ScoreTable
    >>> means_table(ScoreTable((), (), ())).rows
    []
    """
    labels, runs = table.labels, table.ranking()
    means = [table.means_of(table.index_of_run(run)) for run in runs]
    best = best_cells(means, [facts.higher_is_better for facts in table.measures])
    about = table.descriptions if with_descriptions else {}
    rows = [
        [run, *map(format_score, values), *([about.get(run, "")] if about else [])]
        for run, values in zip(runs, means, strict=True)
    ]
    return TextTable(
        ["run", *labels, *(["description"] if about else [])],
        rows,
        noun="run",
        longest=None,
        left=(0, len(labels) + 1),
        best={(row, column + 1) for row, column in best},
        prose="cut" if about else "",
    )


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
    by_run = table.mean()
    means = {run: by_run[run] for run in table.ranking()}
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
