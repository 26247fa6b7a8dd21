"""Confidence intervals of means and of differences."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from comparing import facts, only_pair, table_of
from doxeval.comparison import TESTS, Test, compare, mean_interval
from doxeval.scores import ScoreTable
from levels import examples
from strategies import score_tables


def student(values: Sequence[float], alpha: float = 0.05) -> tuple[float, float]:
    low, high = stats.ttest_1samp(values, 0).confidence_interval(1 - alpha)
    return float(low), float(high)


SCORES = st.lists(
    st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1)), min_size=2, max_size=9
)


class TestIntervals:
    @given(SCORES, st.sampled_from([0.001, 0.05, 0.5]))
    @examples(300)
    def test_a_mean_has_its_interval_inside_the_range(
        self, values: list[float], alpha: float
    ) -> None:
        found = mean_interval(np.array(values), facts(), alpha)
        assert found is not None
        low, high = found
        assert 0 <= low <= np.mean(values) + 1e-9 and np.mean(values) - 1e-9 <= high <= 1
        if np.ptp(values) > 1e-6:
            expected = student(values, alpha)
            if expected[0] >= 0 and expected[1] <= 1:
                assert found == pytest.approx(expected, abs=1e-9)
            else:
                mean = np.mean(values)
                half = (expected[1] - expected[0]) / 2 / (mean * (1 - mean))
                ends = special.expit(special.logit(mean) + np.array([-half, half]))
                assert found == pytest.approx(tuple(ends), abs=1e-6)

    @given(SCORES, st.floats(-3, 3), st.sampled_from([0.5, 2.0, 40.0]))
    def test_ranges_can_be_moved_stretched_and_turned(
        self, values: list[float], by: float, width: float
    ) -> None:
        low, high = mean_interval(np.array(values), facts()) or (0, 0)
        moved = mean_interval(np.array(values) * width + by, facts(by, by + width))
        assert moved == pytest.approx((low * width + by, high * width + by), abs=1e-6)
        turned = mean_interval(1 - np.array(values), facts())
        assert turned == pytest.approx((1 - high, 1 - low), abs=1e-6)

    def test_a_range_with_one_bound(self) -> None:
        values = np.array([0.0, 0.0, 0.0, 0.0, 40.0])
        found = mean_interval(values, facts(0, None))
        mean, half = 8, (student(list(values))[1] - 8) / 8
        assert half > 1  # Student's would begin below 0
        assert found == pytest.approx((mean * math.exp(-half), mean * math.exp(half)))
        turned = mean_interval(-values, facts(-math.inf, 0.0))
        assert turned == pytest.approx((-mean * math.exp(half), -mean * math.exp(-half)))
        far = mean_interval(np.array([0.0, 1e300]), facts(0, None), alpha=1e-9)
        assert far is not None and far[0] >= 0 and far[1] == math.inf

    def test_a_range_that_scores_do_not_obey_means_nothing(self) -> None:
        values = [0.0, 0.1, 5.0]
        assert mean_interval(np.array(values), facts()) == pytest.approx(student(values))
        nearly = mean_interval(np.array([1.0, 1.0 + 1e-12, 1.0]), facts())
        assert nearly is not None and nearly[1] == 1

    def test_too_few_topics(self) -> None:
        assert mean_interval(np.array([0.5, math.nan]), facts()) is None
        assert mean_interval(np.array([0.5, 0.5]), facts()) == (0.5, 0.5)

    @given(score_tables(least_runs=2, most_runs=2), st.sampled_from(TESTS))
    @examples(120)
    def test_differences_stay_in_range_and_agree_with_p(
        self, table: ScoreTable, test: Test
    ) -> None:
        found = compare(table, table.labels[0], test, resamples=99, alpha=0.1)
        (pair,) = found.pairs
        if pair.interval is None:
            return
        low, high = pair.interval
        assert pair.difference is not None and pair.p is not None
        assert -1 <= low <= pair.difference + 1e-9 and pair.difference - 1e-9 <= high <= 1
        if test in ("t", "bootstrap", "randomization") and abs(pair.p - 0.1) > 1e-6:
            assert (low <= 1e-12 and high >= -1e-12) == (pair.p >= 0.1)

    def test_an_impossible_difference_is_cut_off(self) -> None:
        pair = only_pair(table_of({"a": [1.0, 1.0, 0.9], "b": [0.0, 0.6, 0.0]}))
        low, high = student([1.0, 0.4, 0.9])
        assert high > 1
        assert pair.interval == pytest.approx((low, 1.0))
        assert pair.interval is not None and pair.interval[1] == 1.0
