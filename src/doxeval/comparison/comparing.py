"""Which runs differ by a measure: tests of every pair, their correction, and groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

from doxeval.comparison.comparison import RESAMPLES, Comparison, Pair, RunMean
from doxeval.comparison.groups import groups, holm
from doxeval.comparison.intervals import obeyed_range, possible_part
from doxeval.comparison.notes import notes
from doxeval.comparison.paired import Column, check_runs, differences
from doxeval.comparison.resampling import check_resampling, generator
from doxeval.comparison.significance import TESTS, Test, direction, outcome, spread
from doxeval.errors import InputError, UnknownName, warn
from doxeval.messages import quoted, suggestion
from doxeval.named import checked
from doxeval.scores import ScoreTable


@checked
def compare(
    table: ScoreTable,
    measure: object = None,
    test: Test = "t",
    *,
    baseline: str | None = None,
    alpha: float = 0.05,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Comparison:
    """Test which runs differ by a measure: all pairs, or all other runs against a baseline.

    The measure is given by any of its names or as a value, and may be omitted if the table has
    only one. Only topics where both runs of a pair have a score count. The random numbers of the
    bootstrap and of randomization depend on the seed and on the names of the two runs, so a
    pair's p does not depend on what else is compared, or in which order.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores
    >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
    >>> scores = {"mine": [0.3, 0.5, 0.4, 0.7, 0.6], "base": [0.1, 0.4, 0.1, 0.5, 0.4]}
    >>> counted = np.ones(5, dtype=bool)
    >>> runs = tuple(RunScores(run, np.array([v]), counted) for run, v in scores.items())
    >>> table = ScoreTable((facts,), ("1", "2", "3", "4", "5"), runs)
    >>> (pair,) = compare(table, "MAiP").pairs
    >>> pair.first, pair.second, pair.topics, round(pair.difference, 4), round(pair.p, 4)
    ('mine', 'base', 5, 0.2, 0.0032)
    """
    check_runs(table, "a comparison")
    column = Column.of(table, _measure_number(table, measure))
    _check(column, test, baseline, alpha, resamples, seed)
    ranking = column.ranking()
    examine = partial(_examined, column, test, alpha, resamples, seed)
    pairs = [examine(first, second) for first, second in _in_pairs(ranking, baseline)]
    corrected = holm([pair.p for pair in pairs])
    pairs = [
        replace(pair, corrected=p, significant=p is not None and p < alpha)
        for pair, p in zip(pairs, corrected, strict=True)
    ]
    different = {frozenset((pair.first, pair.second)) for pair in pairs if pair.significant}
    careful = tuple(notes(column, pairs, test, alpha, resamples))
    warn(careful)
    return Comparison(
        column.facts,
        test,
        alpha,
        tuple(_run_means(column, ranking)),
        tuple(pairs),
        () if baseline is not None else tuple(groups(ranking, different)),
        baseline,
        resamples,
        seed,
        careful,
    )


@checked
def compare_all(
    table: ScoreTable,
    measures: Sequence[object] | None = None,
    test: Test = "t",
    *,
    baseline: str | None = None,
    alpha: float = 0.05,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[Comparison, ...]:
    """Compare runs by several measures, one by one (by default, by all measures of the table).

    Holm's correction is for the pairs of runs by one measure, not for the number of measures: it
    does not cover looking at many measures and reporting the one that is significant.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores
    >>> facts = tuple(MeasureFacts(name, name, "a measure") for name in "AB")
    >>> values = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.7]])
    >>> runs = tuple(RunScores(run, values, np.ones(3, dtype=bool)) for run in "xy")
    >>> [found.measure.label for found in compare_all(ScoreTable(facts, ("1", "2", "3"), runs))]
    ['A', 'B']
    """
    wanted = table.labels if measures is None else measures
    wanted = [wanted] if isinstance(wanted, str) else wanted
    chosen = dict.fromkeys(table.index_of_measure(measure) for measure in wanted)
    found = tuple(
        compare(
            table,
            table.labels[number],
            test,
            baseline=baseline,
            alpha=alpha,
            resamples=resamples,
            seed=seed,
        )
        for number in chosen
    )
    warn(note for comparison in found for note in comparison.notes)
    return found


def _measure_number(table: ScoreTable, measure: object) -> int:
    if measure is not None:
        return table.index_of_measure(measure)
    if len(table.measures) != 1:
        raise InputError(
            f"measure= says by which of {', '.join(table.labels)} to compare; compare_all compares "
            "by all of them"
        )
    return 0


def _run_means(column: Column, ranking: Sequence[str]) -> Iterator[RunMean]:
    means, topics = column.means, column.topics
    for run in ranking:
        yield RunMean(run, means[run], topics[run], column.with_results(run))


def _check(
    column: Column, test: str, baseline: str | None, alpha: float, resamples: int, seed: int
) -> None:
    if test not in TESTS:
        raise InputError(f"no test {quoted(test)}; there are {', '.join(TESTS)}")
    if baseline is not None and baseline not in column.values:
        raise UnknownName(
            f"no run {quoted(baseline)}{suggestion(str(baseline), list(column.values))}"
        )
    if not 0 < alpha < 1:
        raise InputError(f"alpha is between 0 and 1, not {alpha}")
    check_resampling(resamples, seed)


def _in_pairs(ranking: list[str], baseline: str | None) -> Iterator[tuple[str, str]]:
    """Pairs with the better run first; a baseline is always second."""
    if baseline is None:
        yield from combinations(ranking, 2)
    else:
        yield from ((run, baseline) for run in ranking if run != baseline)


def _examined(
    column: Column, test: Test, alpha: float, resamples: int, seed: int, first: str, second: str
) -> Pair:
    """One pair, before correction.

    Scores are always subtracted in the order of the runs' names, and the sign is turned at the
    end, so that the same random numbers give the same p in either order.
    """
    low, high = sorted((first, second))
    steps, per_one = differences(column.values[low], column.values[high])
    if not len(steps):
        return Pair(first, second, 0, with_results=column.with_results(low, high))
    unit = per_one if low == first else -per_one
    mean, deviation = int(steps.sum()) / len(steps), spread(steps)
    effect = mean / deviation if deviation else None if mean else 0.0
    found = outcome(test, steps, alpha, resamples, partial(generator, seed, low, high))
    ends = None if found is None else found.interval
    limits = obeyed_range(column.facts, column.values[low], column.values[high])
    ahead = direction(test, steps) * (1 if column.facts.higher_is_better else -1)
    return Pair(
        first,
        second,
        len(steps),
        mean / unit + 0.0,
        effect if effect is None or low == first else -effect + 0.0,
        None if ends is None else possible_part(_ordered(ends[0] / unit, ends[1] / unit), limits),
        None if found is None else found.p,
        better=(None, low, high)[ahead],
        with_results=column.with_results(low, high),
    )


def _ordered(one: float, other: float) -> tuple[float, float]:
    return (min(one, other) + 0.0, max(one, other) + 0.0)
