"""The leaderboard: all means with their confidence intervals, and which runs differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from doxeval.comparison import mean_interval
from doxeval.reports.contents import ALPHA, Contents


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


def undefined_for_all(column: Sequence[Cell]) -> int:
    """How many topics are undefined, if that number is the same for every run; otherwise 0.

    >>> undefined_for_all([Cell(0.5, None, "", 3, 2, False)] * 2)
    2
    """
    numbers = {cell.undefined for cell in column}
    return numbers.pop() if len(numbers) == 1 else 0
