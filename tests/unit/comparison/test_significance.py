"""Tests of significance against other programs, by hand and by enumeration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from comparing import only_pair, p_of, random_scores, table_of
from doxeval.arrays import Ints
from doxeval.comparison import bootstrap, generator, randomization
from levels import examples

# Student's data on sleep, as in R's `sleep`.
SLEEP = {
    "1": [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
    "2": [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
}
# Darwin's maize, differences in eighths of an inch: R. A. Fisher, The Design of Experiments, §21.
MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
DIFFERENCES = st.lists(st.integers(-6, 6), min_size=2, max_size=9).filter(any)


class TestReferenceValues:
    def test_student_on_sleep(self) -> None:
        # R 4: t.test(extra ~ group, data = sleep, paired = TRUE) prints t = -4.0621, df = 9,
        # p-value = 0.002833, interval -2.4598858 -0.7001142, mean of the differences -1.58
        pair = only_pair(table_of(SLEEP))
        assert (pair.first, pair.second, pair.better) == ("2", "1", "2")
        assert pair.p == pytest.approx(0.002833, abs=5e-7)
        assert pair.interval == pytest.approx((0.7001142, 2.4598858), abs=5e-8)
        assert pair.difference == pytest.approx(1.58)
        assert pair.effect == pytest.approx(4.0621 / math.sqrt(10), abs=5e-5)

    def test_wilcoxon_on_depression(self) -> None:
        # R, ?wilcox.test: V = 40, p-value = 0.01953 for one side (Hollander & Wolfe, 29f.)
        before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
        after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
        pair = only_pair(table_of({"before": before, "after": after}), "wilcoxon")
        assert pair.p == pytest.approx(2 * 0.01953125, abs=1e-12)

    def test_fisher_on_maize(self) -> None:
        # Fisher counts 1,726 of the 32,768 ways: 5.267 %; by t he finds 4.970 %.
        assert p_of("randomization", MAIZE) == 1726 / 32768
        assert p_of("t", MAIZE) == pytest.approx(0.04970, abs=5e-6)

    @pytest.mark.parametrize("seed", range(5))
    def test_scipy_on_the_same_numbers(self, seed: int) -> None:
        scores = random_scores(2, 40, seed)
        scores["run0"][3] = scores["run1"][3]
        one, two = scores["run1"], scores["run0"]
        table = table_of(scores)
        t = stats.ttest_rel(one, two)
        pair = only_pair(table)
        sign = 1 if pair.first == "run1" else -1
        assert pair.p == pytest.approx(t.pvalue, rel=1e-9)
        interval = sorted(sign * end for end in t.confidence_interval(0.95))
        assert pair.interval == pytest.approx(interval, rel=1e-9)
        wilcoxon = stats.wilcoxon(one, two, zero_method="pratt")
        assert only_pair(table, "wilcoxon").p == pytest.approx(wilcoxon.pvalue, rel=1e-9)
        won = sum(a > b for a, b in zip(one, two, strict=True))
        even = sum(a == b for a, b in zip(one, two, strict=True))
        assert even
        assert only_pair(table, "sign").p == stats.binomtest(won, 40 - even).pvalue

    def test_the_sign_test_by_hand(self) -> None:
        # five won, one lost, two even: 2 · (1 + 6) / 2^6
        assert p_of("sign", [3, 1, 4, 1, 5, -9, 0, 0]) == pytest.approx(14 / 64)


class TestEnumeration:
    @given(DIFFERENCES)
    def test_randomization_tries_all_signs(self, steps: list[int]) -> None:
        sums = [
            abs(sum(s * d for s, d in zip(signs, steps, strict=True)))
            for signs in product((1, -1), repeat=len(steps))
        ]
        assert p_of("randomization", steps) == np.mean([s >= abs(sum(steps)) for s in sums])

    @given(DIFFERENCES)
    @examples(30)
    def test_wilcoxon_with_zeros_and_ties_tries_all_signs(self, steps: list[int]) -> None:
        ranks = stats.rankdata(np.abs(steps)) * (np.array(steps) != 0)

        def lean(signs: Sequence[int] | Ints) -> float:
            return abs(float((np.array(signs) * ranks).sum()))

        sums = [lean(signs) for signs in product((1, -1), repeat=len(steps))]
        expected = np.mean([s >= lean(np.sign(steps)) - 1e-9 for s in sums])
        assert p_of("wilcoxon", steps) == pytest.approx(expected)

    def test_the_bootstrap_comes_close_to_all_samples(self) -> None:
        steps = [1, 5, -2, 7, 4]
        samples = [abs(sum(s) - sum(steps)) >= sum(steps) for s in product(steps, repeat=5)]
        expected = float(np.mean(samples))
        drawn = p_of("bootstrap", steps, resamples=200_000)
        assert drawn == pytest.approx(expected, abs=4 * math.sqrt(expected / 200_000))

    @given(DIFFERENCES, st.sampled_from([0.01, 0.05, 0.25, 0.5]))
    @examples(200)
    def test_intervals_hold_what_is_not_rejected(self, steps: list[int], alpha: float) -> None:
        for test in (randomization, bootstrap):
            p, interval = test(np.array(steps), alpha, 199, generator(0))
            holds_zero = interval is None or interval[0] <= 0 <= interval[1]
            assert holds_zero == (p >= alpha)
        assert interval is None or interval[0] <= np.mean(steps) <= interval[1]

    @given(DIFFERENCES, st.integers(-12, 12))
    def test_bounds_of_randomization(self, steps: list[int], twice: int) -> None:
        # a difference is in the interval if and only if the test does not reject it
        moved = np.array(steps) * 2 - twice
        _, interval = randomization(np.array(steps) * 2, 0.2, 0, generator(0))
        p, _ = randomization(moved, 0.2, 0, generator(0))
        assert (interval is None or interval[0] <= twice <= interval[1]) == (p >= 0.2)
