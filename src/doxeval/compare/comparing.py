"""Which runs differ on a measure: every pair tested, corrected, and summed up by letters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np

from doxeval.compare.comparison import RESAMPLES, Comparison, Pair, RunMean
from doxeval.compare.groups import groups, holm
from doxeval.compare.paired import Column, check_runs, differences, place_of
from doxeval.compare.resampling import EXACT_UP_TO, generator
from doxeval.compare.significance import TESTS, Test, direction, outcome, spread
from doxeval.errors import InputError
from doxeval.scores import ScoreTable


def compare(
    table: ScoreTable,
    label: str,
    test: Test = "t",
    *,
    baseline: str | None = None,
    alpha: float = 0.05,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Comparison:
    """Test which runs differ on a measure: all pairs, or all other runs against a baseline.

    Only topics where both runs of a pair have a score count. The bootstrap and randomization draw
    from the seed and the names of the two runs, so a pair's p is the same whatever else is
    compared, in any order.

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
    column = Column.of(table, place_of(table, label))
    _check(column, test, baseline, alpha, resamples, seed)
    ranking, means, topics = column.ranking(), column.means, column.topics
    examine = partial(_examined, column, test, alpha, resamples, seed)
    pairs = [examine(first, second) for first, second in _in_pairs(ranking, baseline)]
    corrected = holm([pair.p for pair in pairs])
    pairs = [
        replace(pair, corrected=p, significant=p is not None and p < alpha)
        for pair, p in zip(pairs, corrected, strict=True)
    ]
    different = {frozenset((pair.first, pair.second)) for pair in pairs if pair.significant}
    return Comparison(
        column.facts,
        test,
        alpha,
        tuple(RunMean(run, means[run], topics[run]) for run in ranking),
        tuple(pairs),
        () if baseline is not None else tuple(groups(ranking, different)),
        baseline,
        resamples,
        seed,
        tuple(_notes(column, pairs, test, alpha, resamples)),
    )


def _check(
    column: Column, test: str, baseline: str | None, alpha: float, resamples: int, seed: int
) -> None:
    if test not in TESTS:
        raise InputError(f"no test {test!r}; there are {', '.join(TESTS)}")
    if baseline is not None and baseline not in column.values:
        raise InputError(f"no run {baseline!r}; there are {', '.join(column.values)}")
    if not 0 < alpha < 1:
        raise InputError(f"alpha is between 0 and 1, not {alpha}")
    if resamples < 1:
        raise InputError(f"one resample or more, not {resamples}")
    if seed < 0:
        raise InputError(f"a seed is 0 or more, not {seed}")


def _in_pairs(ranking: list[str], baseline: str | None) -> Iterator[tuple[str, str]]:
    """The better run of each pair first; a baseline always last."""
    if baseline is None:
        yield from combinations(ranking, 2)
    else:
        yield from ((run, baseline) for run in ranking if run != baseline)


def _examined(
    column: Column, test: Test, alpha: float, resamples: int, seed: int, first: str, second: str
) -> Pair:
    """Two runs by themselves; always subtracted in the order of their names, then turned."""
    low, high = sorted((first, second))
    steps, per_one = differences(column.values[low], column.values[high])
    if not len(steps):
        return Pair(first, second, 0)
    unit = per_one if low == first else -per_one
    mean, deviation = int(steps.sum()) / len(steps), spread(steps)
    effect = mean / deviation if deviation else None if mean else 0.0
    found = outcome(test, steps, alpha, resamples, partial(generator, seed, low, high))
    ends = None if found is None else found.interval
    ahead = direction(test, steps) * (1 if column.facts.higher_is_better else -1)
    return Pair(
        first,
        second,
        len(steps),
        mean / unit + 0.0,
        effect if effect is None or low == first else -effect + 0.0,
        None if ends is None else _ordered(ends[0] / unit, ends[1] / unit),
        None if found is None else found.p,
        better=(None, low, high)[ahead],
    )


def _ordered(one: float, other: float) -> tuple[float, float]:
    return (min(one, other) + 0.0, max(one, other) + 0.0)


def _notes(
    column: Column, pairs: list[Pair], test: Test, alpha: float, resamples: int
) -> Iterator[str]:
    label = column.facts.label
    for pair in pairs:
        if pair.p is None:
            common = "one topic" if pair.topics else "no topic"
            yield (
                f"{pair.first} and {pair.second} are not tested: {common} has a score "
                f"by {label} from both"
            )
    defined = {tuple(np.isnan(values).tolist()) for values in column.values.values()}
    if len(defined) > 1:
        yield (
            f"not all runs have a score by {label} for the same topics: means are over each run's "
            "own topics, differences over common ones"
        )
    tested = sum(pair.p is not None for pair in pairs)
    is_drawn = test == "bootstrap" or (
        test == "randomization" and any(pair.topics > EXACT_UP_TO for pair in pairs)
    )
    if is_drawn and tested >= alpha * (resamples + 1):
        yield (
            f"with {resamples:,} resamples no p is below 1/{resamples + 1:,}, which Holm's "
            f"correction for {tested:,} pairs raises to alpha or above: take more resamples"
        )
