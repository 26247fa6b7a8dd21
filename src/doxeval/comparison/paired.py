"""The scores of runs by one measure, paired by topic for comparison.

Scores are put on a grid of twelve digits before they are subtracted or ranked: .3 - .2 and .2 - .1
are the same difference, which floating point does not know. Whole numbers of grid steps add up
exactly, so that equal sums are tied, and nothing depends on the order of topics.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.errors import InputError
from doxeval.messages import quoted
from doxeval.scores import MeasureFacts, ScoreTable, mean_of

_DIGITS = 12


class Steps(NamedTuple):
    """Numbers as whole steps of a grid; per_one is the number of steps from 0 to 1."""

    steps: Ints
    per_one: float


def on_grid(values: Floats) -> Steps:
    """Numbers to twelve digits, counted from the first digit of the largest.

    >>> on_grid(np.array([0.3 - 0.2, 0.2 - 0.1, 0.5])).steps.tolist()
    [100000000000, 100000000000, 500000000000]
    """
    largest = float(np.abs(values).max(initial=0.0))
    exponent = math.ceil(math.log10(largest)) if largest > 0 else 0
    per_one = 10.0 ** min(_DIGITS - exponent, 300)
    return Steps(np.rint(values * per_one).astype(np.int64), per_one)


def rounded(values: Floats) -> Floats:
    """Numbers to twelve digits.

    >>> rounded(np.array([0.3 - 0.2, 0.5])).tolist()
    [0.1, 0.5]
    """
    steps, per_one = on_grid(values)
    return steps / per_one


def differences(first: Floats, second: Floats) -> Steps:
    """First minus second for the topics where both are defined, smallest first.

    >>> a, b = np.array([0.5, 0.3, np.nan, 0.7]), np.array([0.25, 0.4, 0.5, np.nan])
    >>> steps, per_one = differences(a, b)
    >>> (steps / per_one).tolist()
    [-0.1, 0.25]
    """
    both = np.isfinite(first) & np.isfinite(second)
    found, per_one = on_grid(np.concatenate([first[both], second[both]]))
    count = int(both.sum())
    return Steps(np.sort(found[:count] - found[count:]), per_one)


@dataclass(frozen=True)
class Column:
    """The scores of all runs by one measure.

    has_results says for which topics a run returned anything, where that is known.

    >>> from doxeval.scores import RunScores
    >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
    >>> values, counted = np.array([[0.5, 0.1]]), np.array([True, False])
    >>> column = Column.of(ScoreTable((facts,), ("7", "8"), (RunScores("a", values, counted),)), 0)
    >>> column.means, column.topics["a"]
    ({'a': 0.5}, 1)
    """

    facts: MeasureFacts
    values: dict[str, Floats]  # by topic; nan where undefined or not counted
    has_results: dict[str, Bools] = field(default_factory=dict)

    @classmethod
    def of(cls, table: ScoreTable, number: int) -> Column:
        """The measure with this number in a table, from 0."""
        return cls(
            table.measures[number],
            {
                scores.run: np.where(scores.counted, scores.values[number], np.nan)
                for scores in table.runs
            },
            {
                scores.run: scores.has_results
                for scores in table.runs
                if scores.has_results is not None
            },
        )

    @property
    def means(self) -> dict[str, float | None]:
        """The mean of each run over its own topics, as it is reported."""
        return {run: mean_of(values) for run, values in self.values.items()}

    @property
    def topics(self) -> dict[str, int]:
        """For how many topics each run has a score."""
        return {run: int((~np.isnan(values)).sum()) for run, values in self.values.items()}

    @property
    def scored_topics(self) -> int:
        """For how many topics at least one run has a score."""
        return int((~np.isnan(np.array(list(self.values.values())))).any(axis=0).sum())

    def with_results(self, *runs: str) -> int | None:
        """For how many topics all these runs have a score and results; None if not known."""
        if not self.has_results.keys() >= set(runs):
            return None
        answered = [~np.isnan(self.values[run]) & self.has_results[run] for run in runs]
        return int(np.logical_and.reduce(answered).sum())

    def ranking(self) -> list[str]:
        """The runs, best first; tied ones by name, and those without a mean last."""
        means, sign = self.means, -1 if self.facts.higher_is_better else 1

        def key(run: str) -> tuple[bool, float, str]:
            mean = means[run]
            return (mean is None, sign * (mean or 0.0), run)

        return sorted(means, key=key)


def check_runs(table: ScoreTable, purpose: str) -> None:
    """An error unless there are two runs or more, each with a name of its own."""
    names = [scores.run for scores in table.runs]
    if len(names) < 2:
        raise InputError(f"{purpose} needs two runs or more, not {len(names)}")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"several runs are called {quoted(twice[0])}")
