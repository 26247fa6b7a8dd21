"""The leaderboard: all means with their confidence intervals, and which runs differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from doxeval.comparison import mean_interval
from doxeval.comparison.significance import TITLES
from doxeval.reports.contents import ALPHA, MOST_TESTED, Contents
from doxeval.reports.escaping import name, text
from doxeval.wording import counted


class Cell(NamedTuple):
    """A mean, its interval, the run's letters, and the number of topics.

    undefined: for how many of the counted topics the measure is undefined.
    """

    mean: float | None
    interval: tuple[float, float] | None
    letters: str
    topics: int
    undefined: int
    is_best: bool


def cells(contents: Contents) -> dict[str, list[Cell]]:
    """The cells of each run, best run by the first measure first.

    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> runs = (RunScores("a", np.array([[0.5, 0.25, np.nan]]), np.ones(3, dtype=bool)),)
    >>> (cell,) = cells(Contents(ScoreTable((facts,), ("7", "8", "9"), runs)))["a"]
    >>> cell.mean, cell.topics, cell.undefined
    (0.375, 2, 1)
    """
    letters = [comparison.letters for comparison in contents.comparisons]
    rows: dict[str, list[Cell]] = {run: [] for run in contents.ranking}
    for number, column in enumerate(contents.columns):
        means = column.means
        defined = [mean for mean in means.values() if mean is not None]
        pick = max if column.facts.higher_is_better else min
        best = pick(defined) if defined else None
        for run, row in rows.items():
            values, mean = column.values[run], means[run]
            counted_topics = int(contents.scores(run).counted.sum())
            topics = int((~np.isnan(values)).sum())
            row.append(
                Cell(
                    mean,
                    mean_interval(values, column.facts, ALPHA),
                    letters[number].get(run, "") if letters else "",
                    topics,
                    counted_topics - topics,
                    mean is not None and mean == best and len(rows) > 1,
                )
            )
    return rows


def leaderboard(contents: Contents) -> str:
    """The table as part of a page."""
    rows = cells(contents)
    common = [_undefined_for_all(column) for column in zip(*rows.values(), strict=True)]
    head = "".join(
        f'<th scope="col" title="{text(facts.canonical)}: {text(facts.title)}">{name(facts.label)}'
        f"{'' if facts.higher_is_better else '<small>lower is better</small>'}"
        f"{_missing(undefined)}</th>"
        for facts, undefined in zip(contents.table.measures, common, strict=True)
    )
    body = "".join(
        f'<tr><td class="number">{rank}</td><th scope="row">{name(run)}{_role(contents, run)}</th>'
        f"{''.join(_cell(cell, not n) for cell, n in zip(row, common, strict=True))}</tr>"
        for rank, (run, row) in enumerate(rows.items(), 1)
    )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Leaderboard"><table '
        'class="leaderboard"><caption>Means over topics</caption><thead><tr><th scope="col">#</th>'
        f'<th scope="col">run</th>{head}</tr></thead><tbody>{body}</tbody></table></div>'
        f"<p>{_legend(contents)}</p>{_measures(contents)}"
    )


def _undefined_for_all(column: Sequence[Cell]) -> int:
    """How many topics are undefined, if that number is the same for every run; otherwise 0."""
    numbers = {cell.undefined for cell in column}
    return numbers.pop() if len(numbers) == 1 else 0


def _missing(count: int) -> str:
    if not count:
        return ""
    return f'<small class="undefined">{counted(count, "topic")} undefined</small>'


def _role(contents: Contents, run: str) -> str:
    return " <small>(baseline)</small>" if run == contents.baseline else ""


def _cell(cell: Cell, shows_undefined: bool) -> str:
    if cell.mean is None:
        return '<td class="number">undefined</td>'
    mean = f"{cell.mean:.4f}"
    shown = f"<strong>{mean}</strong>" if cell.is_best else mean
    letters = f' <span class="letters">{text(cell.letters)}</span>' if cell.letters else ""
    interval = (
        ""
        if cell.interval is None
        else f"<small>[{cell.interval[0]:.3f}, {cell.interval[1]:.3f}]</small>"
    )
    missing = _missing(cell.undefined) if shows_undefined else ""
    return f'<td class="number">{shown}{letters}{interval}{missing}</td>'


def _legend(contents: Contents) -> str:
    sentences = [
        "In brackets: the 95% confidence interval of the mean over topics (Student's; on the logit "
        "scale where it would leave the measure's range). The best mean of each measure is bold."
    ]
    if contents.comparisons:
        test = TITLES[contents.comparisons[0].test]
        sentences.append(
            "Runs that share a letter are not shown to differ by that measure: "
            f"{text(test)} of every pair, Holm's correction, α = {ALPHA}."
        )
    elif len(contents.names) > MOST_TESTED:
        sentences.append(
            f"There are no letters, because pairs are tested for up to {MOST_TESTED} runs, and "
            f"these are {len(contents.names)}."
        )
    sentences.append("Topics for which a measure is undefined are left out of its mean.")
    return " ".join(sentences)


def _measures(contents: Contents) -> str:
    rows = "".join(
        f"<dt>{name(facts.label)}</dt><dd>{text(facts.title)}; "
        f"<code>{text(facts.canonical)}</code></dd>"
        for facts in contents.table.measures
    )
    return f"<details><summary>What is measured</summary><dl>{rows}</dl></details>"
