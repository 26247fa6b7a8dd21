"""Tests of paired differences: how likely differences as large are by chance alone.

t              Student's paired t
wilcoxon       Wilcoxon's signed ranks; topics without a difference keep their ranks [Pratt 1959]
sign           the exact sign test; topics without a difference are dropped
bootstrap      the paired bootstrap by shift [Efron & Tibshirani 1993, Smucker et al. 2007]
randomization  Fisher's randomization of signs; exact for up to 16 topics

All are two-sided. The interval is of the mean difference: Student's for the first three; for the
last two it holds the differences that the test itself would not reject.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from doxeval.arrays import Ints
from doxeval.comparison.resampling import Outcome, bootstrap, randomization

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
