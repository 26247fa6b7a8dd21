"""Tests of paired differences: how likely differences as large are by chance alone.

    t              Student's paired t
    wilcoxon       Wilcoxon's signed ranks; topics without a difference keep ranks [Pratt 1959]
    sign           the exact sign test; topics without a difference are dropped
    bootstrap      the paired bootstrap by shift [Efron & Tibshirani 1993, Smucker et al. 2007]
    randomization  Fisher's randomization of signs; exact for up to 16 topics

All are two-sided. The interval is of the mean difference: Student's for the first three; for the
last two it holds exactly the differences that the test itself would not reject, and the observed
sample counts as one of the resamples (p is never 0).

Scores are put on a grid of twelve digits before they are subtracted or ranked: .3 - .2 and .2 - .1
are the same difference, which floating point does not know. Whole numbers of grid steps add up
exactly, so that equal sums are tied, and nothing depends on the order of topics.

Of many tests at once, p-values are corrected by Holm's method, and runs that are not shown to
differ share a letter.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Sequence
from string import ascii_letters
from typing import Literal, NamedTuple, get_args

import numpy as np

from doxeval.arrays import Bytes, Floats, Ints
from doxeval.errors import InputError
from doxeval.messages import utf8

Test = Literal["t", "wilcoxon", "sign", "bootstrap", "randomization"]
TESTS: tuple[Test, ...] = get_args(Test)
TITLES: dict[Test, str] = {
    "t": "paired t test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "sign": "sign test",
    "bootstrap": "paired bootstrap test",
    "randomization": "Fisher's randomization test",
}
RESAMPLES = 100_000
_DIGITS = 12
# Up to this number of topics all combinations of signs are tried.
EXACT_UP_TO = 16
_VALUES_AT_ONCE = 1 << 20
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")


class Significance(NamedTuple):
    """The result of a test; the interval is None if there are too few topics to bound it."""

    p: float
    interval: tuple[float, float] | None


def significance_of(
    test: Test, steps: Ints, alpha: float, resamples: int, random: np.random.Generator
) -> Significance | None:
    """Test differences and return the result, None for fewer than two topics.

    Runs that do not differ at all have p = 1 by every test, even with one topic.

    >>> significance_of("sign", np.array([-1, 0, 2, 3, 4, 5]), 0.05, 0, generator(0)).p
    0.375
    >>> significance_of("t", np.array([0, 0]), 0.05, 0, generator(0))
    Significance(p=1.0, interval=(0.0, 0.0))
    """
    if len(steps) and not steps.any():
        return Significance(1.0, (0.0, 0.0))
    if len(steps) < 2:
        return None
    if test == "bootstrap":
        return bootstrap(steps, alpha, resamples, random)
    if test == "randomization":
        return randomization(steps, alpha, resamples, random)
    p_of = {"t": t_probability, "wilcoxon": wilcoxon_probability, "sign": sign_probability}
    return Significance(p_of[test](steps), t_interval(steps, alpha))


def direction(test: Test, steps: Ints) -> int:
    """Return which run is ahead by a test: 1 for the first, -1 for the second, 0 for neither.

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


# Differences on a grid


class GridSteps(NamedTuple):
    """Numbers as whole steps of a grid; per_one is the number of steps from 0 to 1."""

    steps: Ints
    per_one: float


def on_grid(values: Floats) -> GridSteps:
    """Return numbers to twelve digits, counted from the first digit of the largest.

    >>> on_grid(np.array([0.3 - 0.2, 0.2 - 0.1, 0.5])).steps.tolist()
    [100000000000, 100000000000, 500000000000]
    """
    largest = float(np.abs(values).max(initial=0.0))
    exponent = math.ceil(math.log10(largest)) if largest > 0 else 0
    per_one = 10.0 ** min(_DIGITS - exponent, 300)
    return GridSteps(np.rint(values * per_one).astype(np.int64), per_one)


def rounded(values: Floats) -> Floats:
    """Return numbers to twelve digits.

    >>> rounded(np.array([0.3 - 0.2, 0.5])).tolist()
    [0.1, 0.5]
    """
    steps, per_one = on_grid(values)
    return steps / per_one


def differences(first: Floats, second: Floats) -> GridSteps:
    """Return first minus second for the topics where both are defined, smallest first.

    >>> a, b = np.array([0.5, 0.3, np.nan, 0.7]), np.array([0.25, 0.4, 0.5, np.nan])
    >>> steps, per_one = differences(a, b)
    >>> (steps / per_one).tolist()
    [-0.1, 0.25]
    """
    both = np.isfinite(first) & np.isfinite(second)
    steps, per_one = on_grid(np.concatenate([first[both], second[both]]))
    count = int(both.sum())
    return GridSteps(np.sort(steps[:count] - steps[count:]), per_one)


def deviation_of(steps: Ints) -> float:
    """Return the standard deviation of differences, exactly 0 if all are the same.

    >>> deviation_of(np.array([1, 2, 3])), deviation_of(np.array([7, 7, 7]))
    (1.0, 0.0)
    """
    return float(np.std(steps, ddof=1)) if np.ptp(steps) else 0.0


# Student, Wilcoxon and the sign test


def t_probability(steps: Ints) -> float:
    """Return p of Student's paired t.

    >>> round(t_probability(np.array([1, 2, 3, 4])), 6)
    0.030466
    """
    from scipy import special  # what scipy.stats calls, which takes longer to import

    error = deviation_of(steps) / math.sqrt(len(steps))
    if not error:
        return 0.0
    return float(2 * special.stdtr(len(steps) - 1, -abs(float(np.mean(steps)) / error)))


def t_interval(steps: Ints, alpha: float) -> tuple[float, float]:
    """Return Student's confidence interval of the mean.

    >>> [round(bound, 4) for bound in t_interval(np.array([1, 2, 3, 4]), 0.05)]
    [0.4457, 4.5543]
    """
    from scipy import special

    mean = float(np.mean(steps))
    error = deviation_of(steps) / math.sqrt(len(steps))
    half = -float(special.stdtrit(len(steps) - 1, alpha / 2)) * error
    return (mean - half, mean + half)


def wilcoxon_probability(steps: Ints) -> float:
    """Return p of Wilcoxon's signed ranks, zeros by Pratt's method.

    Exact up to 50 topics if no two differences have the same size and none is 0, and up to 13 in
    any case; otherwise by the normal approximation, corrected for ties but not for continuity.

    >>> wilcoxon_probability(np.array([1, 2, 3, 4, 5, -6]))
    0.4375
    """
    from scipy import stats

    return float(stats.wilcoxon(steps.astype(np.float64), zero_method="pratt").pvalue)


def sign_probability(steps: Ints) -> float:
    """Return p of the exact sign test.

    >>> sign_probability(np.array([1, 1, 1, 1, 1, 0]))
    0.0625
    """
    from scipy import stats

    return float(stats.binomtest(int((steps > 0).sum()), int(np.count_nonzero(steps))).pvalue)


# Fisher's randomization and the bootstrap


def check_resampling(resamples: int, seed: int) -> None:
    """Raise an error unless there is at least one resample, and the seed is not negative.

    >>> check_resampling(0, 1)
    Traceback (most recent call last):
    doxeval.errors.InputError: resamples is 0: expected 1 or more
    """
    if resamples < 1:
        raise InputError(f"resamples is {resamples}: expected 1 or more")
    if seed < 0:
        raise InputError(f"seed is {seed}: expected 0 or more")


def generator(seed: int, *names: str) -> np.random.Generator:
    """Return random numbers that depend on the seed and on the compared names, in any order.

    >>> first, second = generator(1, "a", "b"), generator(1, "b", "a")
    >>> bool((first.integers(0, 1000, 5) == second.integers(0, 1000, 5)).all())
    True
    """
    digest = hashlib.sha256(utf8("\0".join(sorted(names)))).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:16], "big")])


def randomization(
    steps: Ints, alpha: float, resamples: int, random: np.random.Generator
) -> Significance:
    """Test by Fisher: how often is the sum as far from 0 if every sign is left to chance?

    All 2^n combinations of signs are tried for up to 16 topics. Flipping the signs of a set of
    topics makes the sum as large or larger exactly if the set's mean is not positive; so the
    bounds of the interval are extreme means of the flipped sets [Hartigan 1969].

    >>> randomization(np.array([1, 2, 3]), 0.3, 1000, generator(0))
    Significance(p=0.25, interval=(1.0, 3.0))
    """
    flipped = _sign_flips(len(steps), resamples, random)
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
    return Significance((count + 1) / (len(flipped) + 1), interval)


def bootstrap(
    steps: Ints, alpha: float, resamples: int, random: np.random.Generator
) -> Significance:
    """Test by the bootstrap: how often is the mean of a resample as far from 0 as observed?

    Resamples are drawn from the differences after these are shifted to a mean of 0.

    >>> bootstrap(np.array([5, 5, 5, 5]), 0.05, 999, generator(0))
    Significance(p=0.001, interval=(5.0, 5.0))
    """
    count, total = len(steps), int(steps.sum())
    sums = []
    rows = max(_VALUES_AT_ONCE // count, 1)
    for first in range(0, resamples, rows):
        shape = (min(rows, resamples - first), count)
        sums.append(steps[random.integers(0, count, shape)].sum(axis=1))
    distance = np.abs(np.concatenate(sums) - total)
    p = (int((distance >= abs(total)).sum()) + 1) / (resamples + 1)
    allowed = _allowed(alpha, resamples)
    if not allowed:
        return Significance(p, None)
    half = -_smallest(-distance / count, allowed)
    return Significance(p, (total / count - half, total / count + half))


def _sign_flips(count: int, resamples: int, random: np.random.Generator) -> Bytes:
    """Return sets of topics whose signs are flipped, eight topics to a byte, one set per row.

    Flipping a set or its complement gives sums of the same size, so where all sets are tried the
    last topic is never flipped.
    """
    width = -(-count // 8)
    if count > EXACT_UP_TO:
        return random.integers(0, 256, (resamples, width), dtype=np.uint8)
    numbers = np.arange(1, 1 << (count - 1), dtype="<u4")
    return numbers.view(np.uint8).reshape(-1, 4)[:, :width]


def _set_sums(sets: Bytes, steps: Ints) -> Ints:
    """Return the sum over each set, by tables that have the sums of any of eight topics."""
    padded = np.zeros(sets.shape[1] * 8, dtype=np.int64)
    padded[: len(steps)] = steps
    tables = padded.reshape(-1, 8) @ _BITS.T.astype(np.int64)
    sums = np.zeros(len(sets), dtype=np.int64)
    for table, column in zip(tables, sets.T, strict=True):
        sums += table[column]
    return sums


def _means(sums: Ints, sizes: Ints) -> Floats:
    """Return the means of sets; nan for the empty set."""
    means = np.full(len(sums), np.nan)
    np.divide(sums, sizes, out=means, where=sizes > 0)
    return means


def _allowed(alpha: float, resamples: int) -> int:
    """Return how many resamples may be as extreme as the sample while p stays below alpha."""
    return math.ceil(alpha * (resamples + 1) - 1e-9) - 1


def _smallest(values: Floats, rank: int) -> float:
    """Return the value of this rank, counted from the smallest."""
    return float(np.partition(values, rank - 1)[rank - 1])


# Many tests at once


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p-values corrected for their number [Holm 1979]; None is a pair that was not tested.

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
    """Group runs so that two share at least one group if and only if they do not differ.

    Each group is as large as it can be, and grows from the best two runs that share none yet.

    >>> groups(["a", "b", "c"], {frozenset("ac")})
    [('a', 'b'), ('b', 'c')]
    """
    alike = {
        run: {other for other in ranking if frozenset((run, other)) not in different}
        for run in ranking
    }
    together: set[frozenset[str]] = set()
    result: list[tuple[str, ...]] = []
    for rank, run in enumerate(ranking):
        for other in ranking[rank:]:
            if other in alike[run] and frozenset((run, other)) not in together:
                group = _largest_group(ranking, alike, {run, other})
                together |= {frozenset((a, b)) for a in group for b in group}
                result.append(group)
    needed = _without_redundant(result)
    return sorted(needed, key=lambda group: [ranking.index(run) for run in group])


def _largest_group(
    ranking: Sequence[str], alike: dict[str, set[str]], group: set[str]
) -> tuple[str, ...]:
    """Return a group with every other run that differs from none in it, taken best first."""
    for run in ranking:
        if group <= alike[run]:
            group.add(run)
    return tuple(run for run in ranking if run in group)


def _without_redundant(groups: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the groups without those whose pairs are all in other groups."""
    kept = list(groups)
    for group in reversed(groups):
        others = [set(other) for other in kept if other is not group]
        if all(any({a, b} <= other for other in others) for a in group for b in group):
            kept.remove(group)
    return kept


def letters(groups: Sequence[tuple[str, ...]]) -> dict[str, str]:
    """Return the letters of each run: a for the first group, b for the second, and so on.

    >>> letters([("good", "fair"), ("fair", "bad")])
    {'good': 'a', 'fair': 'ab', 'bad': 'b'}
    """
    letters_of: dict[str, str] = {}
    for number, group in enumerate(groups):
        rounds, letter = divmod(number, len(ascii_letters))
        name = ascii_letters[letter] + (str(rounds + 1) if rounds else "")
        for run in group:
            letters_of[run] = letters_of.get(run, "") + name
    return letters_of
