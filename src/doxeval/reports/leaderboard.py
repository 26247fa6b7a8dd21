"""The leaderboard: all means, how sure they are, and which runs are told apart."""

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
    """A mean, its interval, the run's letters, and over how many topics."""

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
    found: dict[str, list[Cell]] = {run: [] for run in contents.ranking}
    for place, column in enumerate(contents.columns):
        means = column.means
        defined = [mean for mean in means.values() if mean is not None]
        pick = max if column.facts.higher_is_better else min
        best = pick(defined) if defined else None
        for run, row in found.items():
            values, mean = column.values[run], means[run]
            counted_topics = int(contents.scores(run).counted.sum())
            topics = int((~np.isnan(values)).sum())
            row.append(
                Cell(
                    mean,
                    mean_interval(values, column.facts, ALPHA),
                    letters[place].get(run, "") if letters else "",
                    topics,
                    counted_topics - topics,
                    mean is not None and mean == best and len(found) > 1,
                )
            )
    return found


def leaderboard(contents: Contents) -> str:
    """The table as part of a page."""
    found = cells(contents)
    common = [_undefined_for_all(column) for column in zip(*found.values(), strict=True)]
    head = "".join(
        f'<th scope="col" title="{text(facts.canonical)}: {text(facts.title)}">{name(facts.label)}'
        f"{'' if facts.higher_is_better else '<small>lower is better</small>'}"
        f"{_missing(undefined)}</th>"
        for facts, undefined in zip(contents.table.measures, common, strict=True)
    )
    body = "".join(
        f'<tr><td class="number">{place}</td><th scope="row">{name(run)}{_role(contents, run)}</th>'
        f"{''.join(_cell(cell, not n) for cell, n in zip(row, common, strict=True))}</tr>"
        for place, (run, row) in enumerate(found.items(), 1)
    )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Leaderboard"><table '
        'class="leaderboard"><caption>Means over topics</caption><thead><tr><th scope="col">#</th>'
        f'<th scope="col">run</th>{head}</tr></thead><tbody>{body}</tbody></table></div>'
        f"<p>{_legend(contents)}</p>{_measures(contents)}"
    )


def _undefined_for_all(column: Sequence[Cell]) -> int:
    """How many topics are undefined if it is the same number for every run, else 0."""
    numbers = {cell.undefined for cell in column}
    return numbers.pop() if len(numbers) == 1 else 0


def _missing(count: int) -> str:
    if not count:
        return ""
    return f'<small class="undefined">{counted(count, "topic")} undefined</small>'


def _role(contents: Contents, run: str) -> str:
    return " <small>(baseline)</small>" if run == contents.baseline else ""


def _cell(cell: Cell, tells_undefined: bool) -> str:
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
    missing = _missing(cell.undefined) if tells_undefined else ""
    return f'<td class="number">{shown}{letters}{interval}{missing}</td>'


def _legend(contents: Contents) -> str:
    said = [
        "In brackets: the 95% confidence interval of the mean over topics (Student's; on the logit "
        "scale where it would leave the measure's range). The best mean of each measure is bold."
    ]
    if contents.comparisons:
        test = TITLES[contents.comparisons[0].test]
        said.append(
            "Runs that share a letter are not shown to differ by that measure: "
            f"{text(test)} of every pair, Holm's correction, α = {ALPHA}."
        )
    elif len(contents.names) > MOST_TESTED:
        said.append(
            f"Pairs are tested for up to {MOST_TESTED} runs; here are {len(contents.names)}, so "
            "there are no letters."
        )
    said.append("Topics for which a measure is undefined are not in its mean.")
    return " ".join(said)


def _measures(contents: Contents) -> str:
    rows = "".join(
        f"<dt>{name(facts.label)}</dt><dd>{text(facts.title)}; "
        f"<code>{text(facts.canonical)}</code></dd>"
        for facts in contents.table.measures
    )
    return f"<details><summary>What is measured</summary><dl>{rows}</dl></details>"
