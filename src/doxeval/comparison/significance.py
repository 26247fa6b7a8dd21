"""The scores of runs by one measure, paired by topic for comparison.

Scores are put on a grid of twelve digits before they are subtracted or ranked: .3 - .2 and .2 - .1
are the same difference, which floating point does not know. Whole numbers of grid steps add up
exactly, so that equal sums are tied, and nothing depends on the order of topics.

Tests of paired differences: how likely differences as large are by chance alone.

t              Student's paired t
wilcoxon       Wilcoxon's signed ranks; topics without a difference keep their ranks [Pratt 1959]
sign           the exact sign test; topics without a difference are dropped
bootstrap      the paired bootstrap by shift [Efron & Tibshirani 1993, Smucker et al. 2007]
randomization  Fisher's randomization of signs; exact for up to 16 topics

All are two-sided. The interval is of the mean difference: Student's for the first three; for the
last two it holds the differences that the test itself would not reject.

Tests by resampling: Fisher's randomization and the bootstrap.

Both work on whole numbers, so no rounding makes equal sums differ. The observed sample counts as
one of the resamples (p is never 0), and the interval holds exactly the differences that the test
would not reject.

Many tests at once: Holm's correction, and letters for runs that are not shown to differ.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from string import ascii_letters
from typing import Literal, NamedTuple, get_args

import numpy as np

from doxeval.arrays import Bools, Bytes, Floats, Ints
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


# Up to this number of topics all combinations of signs are tried.
EXACT_UP_TO = 16
_AT_ONCE = 1 << 20
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")


class Outcome(NamedTuple):
    """The result of a test; the interval is None if there are too few topics to bound it."""

    p: float
    interval: tuple[float, float] | None


def check_resampling(resamples: int, seed: int) -> None:
    """An error unless there is at least one resample, and the seed is not negative.

    >>> check_resampling(0, 1)
    Traceback (most recent call last):
    doxeval.errors.InputError: resamples is 0: expected 1 or more
    """
    if resamples < 1:
        raise InputError(f"resamples is {resamples}: expected 1 or more")
    if seed < 0:
        raise InputError(f"seed is {seed}: expected 0 or more")


def generator(seed: int, *names: str) -> np.random.Generator:
    """Random numbers that depend on the seed and on the names that are compared, in any order.

    >>> first, second = generator(1, "a", "b"), generator(1, "b", "a")
    >>> bool((first.integers(0, 1000, 5) == second.integers(0, 1000, 5)).all())
    True
    """
    digest = hashlib.sha256("\0".join(sorted(names)).encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:16], "big")])


def randomization(
    steps: Ints, alpha: float, resamples: int, random: np.random.Generator
) -> Outcome:
    """Fisher's test: how often is the sum as far from 0 if every sign is left to chance?

    All 2^n combinations of signs are tried for up to 16 topics. Flipping the signs of a set of
    topics makes the sum as large or larger exactly if the set's mean is not positive; so the
    bounds of the interval are extreme means of the flipped sets [Hartigan 1969].

    >>> randomization(np.array([1, 2, 3]), 0.3, 1000, generator(0))
    Outcome(p=0.25, interval=(1.0, 3.0))
    """
    flipped = _flipped(len(steps), resamples, random)
    total = int(steps.sum())
    sums = _set_sums(flipped, steps)
    sizes = _set_sums(flipped, np.ones_like(steps))
    count = int((np.abs(total - 2 * sums) >= abs(total)).sum())
    means = np.concatenate([_means(sums, sizes), _means(total - sums, len(steps) - sizes)])
    interval = None
    allowed = _allowed(alpha, len(flipped))
    if allowed:
        low, high = np.nan_to_num(means, nan=-np.inf), np.nan_to_num(means, nan=np.inf)
        bounds = _smallest(low, allowed), -_smallest(-high, allowed)
        interval = bounds if all(map(math.isfinite, bounds)) else None
    return Outcome((count + 1) / (len(flipped) + 1), interval)


def bootstrap(steps: Ints, alpha: float, resamples: int, random: np.random.Generator) -> Outcome:
    """The paired bootstrap by shift: how often is the mean of a resample as far from 0 as observed?

    Resamples are drawn from the differences after these are shifted to a mean of 0.

    >>> bootstrap(np.array([5, 5, 5, 5]), 0.05, 999, generator(0))
    Outcome(p=0.001, interval=(5.0, 5.0))
    """
    count, total = len(steps), int(steps.sum())
    sums = []
    rows = max(_AT_ONCE // count, 1)
    for first in range(0, resamples, rows):
        shape = (min(rows, resamples - first), count)
        sums.append(steps[random.integers(0, count, shape)].sum(axis=1))
    moved = np.abs(np.concatenate(sums) - total)
    p = (int((moved >= abs(total)).sum()) + 1) / (resamples + 1)
    allowed = _allowed(alpha, resamples)
    if not allowed:
        return Outcome(p, None)
    half = -_smallest(-moved / count, allowed)
    return Outcome(p, (total / count - half, total / count + half))


def _flipped(count: int, resamples: int, random: np.random.Generator) -> Bytes:
    """Sets of topics whose signs are flipped, eight topics to a byte, one set in each row.

    Flipping a set or its complement gives sums of the same size, so where all sets are tried the
    last topic is never flipped.
    """
    width = -(-count // 8)
    if count > EXACT_UP_TO:
        return random.integers(0, 256, (resamples, width), dtype=np.uint8)
    numbers = np.arange(1, 1 << (count - 1), dtype="<u4")
    return numbers.view(np.uint8).reshape(-1, 4)[:, :width]


def _set_sums(sets: Bytes, steps: Ints) -> Ints:
    """The sum over each set, looked up byte by byte in tables of the sums of eight topics."""
    padded = np.zeros(sets.shape[1] * 8, dtype=np.int64)
    padded[: len(steps)] = steps
    tables = padded.reshape(-1, 8) @ _BITS.T.astype(np.int64)
    sums = np.zeros(len(sets), dtype=np.int64)
    for table, column in zip(tables, sets.T, strict=True):
        sums += table[column]
    return sums


def _means(sums: Ints, sizes: Ints) -> Floats:
    """Means of sets; nan for the empty set."""
    means = np.full(len(sums), np.nan)
    np.divide(sums, sizes, out=means, where=sizes > 0)
    return means


def _allowed(alpha: float, resamples: int) -> int:
    """How many resamples may be as extreme as the observed sample if p is to be below alpha."""
    return math.ceil(alpha * (resamples + 1) - 1e-9) - 1


def _smallest(values: Floats, rank: int) -> float:
    """The value of this rank, counted from the smallest."""
    return float(np.partition(values, rank - 1)[rank - 1])


Test = Literal["t", "wilcoxon", "sign", "bootstrap", "randomization"]
TESTS: tuple[Test, ...] = get_args(Test)
TITLES: dict[Test, str] = {
    "t": "paired t test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "sign": "sign test",
    "bootstrap": "paired bootstrap test",
    "randomization": "Fisher's randomization test",
}


def outcome(
    test: Test,
    steps: Ints,
    alpha: float,
    resamples: int,
    random: Callable[[], np.random.Generator],
) -> Outcome | None:
    """The outcome of a test of differences; None for fewer than two topics.

    Runs that do not differ at all have p = 1 by every test, even with one topic.

    >>> outcome("sign", np.array([-1, 0, 2, 3, 4, 5]), 0.05, 0, np.random.default_rng).p
    0.375
    >>> outcome("t", np.array([0, 0]), 0.05, 0, np.random.default_rng)
    Outcome(p=1.0, interval=(0.0, 0.0))
    """
    if len(steps) and not steps.any():
        return Outcome(1.0, (0.0, 0.0))
    if len(steps) < 2:
        return None
    if test == "bootstrap":
        return bootstrap(steps, alpha, resamples, random())
    if test == "randomization":
        return randomization(steps, alpha, resamples, random())
    p = {"t": t_probability, "wilcoxon": wilcoxon_probability, "sign": sign_probability}[test]
    return Outcome(p(steps), t_interval(steps, alpha))


def direction(test: Test, steps: Ints) -> int:
    """Which run is ahead by a test: 1 for the first, -1 for the second, 0 for neither.

    Most tests look at the mean; the sign test counts topics, and Wilcoxon's adds up ranks.

    >>> [direction(test, np.array([-2, -2, 9])) for test in ("t", "wilcoxon", "sign")]
    [1, 0, -1]
    """
    if test == "sign":
        return int(np.sign(np.sign(steps).sum()))
    if test == "wilcoxon":
        from scipy import stats

        return int(np.sign((np.sign(steps) * stats.rankdata(np.abs(steps))).sum()))
    return int(np.sign(steps.sum()))


def spread(steps: Ints) -> float:
    """The standard deviation of differences, exactly 0 if all are the same.

    >>> spread(np.array([1, 2, 3])), spread(np.array([7, 7, 7]))
    (1.0, 0.0)
    """
    return float(np.std(steps, ddof=1)) if np.ptp(steps) else 0.0


def t_probability(steps: Ints) -> float:
    """Student's paired t.

    >>> round(t_probability(np.array([1, 2, 3, 4])), 6)
    0.030466
    """
    from scipy import stats

    error = spread(steps) / math.sqrt(len(steps))
    if not error:
        return 0.0
    return float(2 * stats.t.sf(abs(float(np.mean(steps)) / error), len(steps) - 1))


def t_interval(steps: Ints, alpha: float) -> tuple[float, float]:
    """Student's confidence interval of the mean.

    >>> [round(bound, 4) for bound in t_interval(np.array([1, 2, 3, 4]), 0.05)]
    [0.4457, 4.5543]
    """
    from scipy import stats

    mean = float(np.mean(steps))
    error = spread(steps) / math.sqrt(len(steps))
    half = float(stats.t.isf(alpha / 2, len(steps) - 1)) * error
    return (mean - half, mean + half)


def wilcoxon_probability(steps: Ints) -> float:
    """Wilcoxon's signed ranks, zeros by Pratt's method.

    Exact up to 50 topics if no two differences have the same size and none is 0, and up to 13 in
    any case; otherwise by the normal approximation, corrected for ties but not for continuity.

    >>> wilcoxon_probability(np.array([1, 2, 3, 4, 5, -6]))
    0.4375
    """
    from scipy import stats

    return float(stats.wilcoxon(steps.astype(np.float64), zero_method="pratt").pvalue)


def sign_probability(steps: Ints) -> float:
    """The exact sign test.

    >>> sign_probability(np.array([1, 1, 1, 1, 1, 0]))
    0.0625
    """
    from scipy import stats

    return float(stats.binomtest(int((steps > 0).sum()), int(np.count_nonzero(steps))).pvalue)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """p-values corrected for their number [Holm 1979]; None stands for a pair that was not tested.

    The smallest of m is multiplied by m, the next by m - 1 and so on; none becomes smaller than
    the one before it, or larger than 1.

    >>> [None if p is None else round(p, 4) for p in holm([0.01, 0.04, None, 0.03])]
    [0.03, 0.06, None, 0.06]
    """
    tested = sorted((p, number) for number, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for smaller, (p, number) in enumerate(tested):
        largest = max(largest, min(p * (len(tested) - smaller), 1.0))
        corrected[number] = largest
    return corrected


def groups(ranking: Sequence[str], different: Collection[frozenset[str]]) -> list[tuple[str, ...]]:
    """Groups of runs: two runs share at least one group if and only if they do not differ.

    Each group is as large as it can be, and grows from the best two runs that share none yet.

    >>> groups(["a", "b", "c"], {frozenset("ac")})
    [('a', 'b'), ('b', 'c')]
    """
    alike = {
        run: {other for other in ranking if frozenset((run, other)) not in different}
        for run in ranking
    }
    together: set[frozenset[str]] = set()
    grown: list[tuple[str, ...]] = []
    for rank, run in enumerate(ranking):
        for other in ranking[rank:]:
            if other in alike[run] and frozenset((run, other)) not in together:
                group = _grown(ranking, alike, [run, other])
                together |= {frozenset((one, two)) for one in group for two in group}
                grown.append(group)
    return sorted(_needed(grown), key=lambda group: [ranking.index(run) for run in group])


def _grown(ranking: Sequence[str], alike: dict[str, set[str]], seed: list[str]) -> tuple[str, ...]:
    """The group of these runs with every other run that differs from none in it, best first."""
    group = set(seed)
    for run in ranking:
        if group <= alike[run]:
            group.add(run)
    return tuple(run for run in ranking if run in group)


def _needed(groups: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Without groups whose pairs are all in other groups."""
    kept = list(groups)
    for group in reversed(groups):
        others = [set(other) for other in kept if other is not group]
        if all(any({a, b} <= other for other in others) for a in group for b in group):
            kept.remove(group)
    return kept


def letters(groups: Sequence[tuple[str, ...]]) -> dict[str, str]:
    """The letters of each run: a for the first group, b for the second, and so on.

    >>> letters([("good", "fair"), ("fair", "bad")])
    {'good': 'a', 'fair': 'ab', 'bad': 'b'}
    """
    spelt: dict[str, str] = {}
    for number, group in enumerate(groups):
        rounds, letter = divmod(number, len(ascii_letters))
        name = ascii_letters[letter] + (str(rounds + 1) if rounds else "")
        for run in group:
            spelt[run] = spelt.get(run, "") + name
    return spelt
