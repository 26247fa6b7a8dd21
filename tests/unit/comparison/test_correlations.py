"""Correlations of measures, against other programs, by hand and by enumeration."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from comparing import two_measures
from doxeval.arrays import Floats
from doxeval.comparison import (
    agreements,
    correlate,
    generator,
    symmetric_tau_ap,
    tau_ap,
    tau_ap_probability,
)
from doxeval.errors import InputError
from doxeval.scores import ScoreTable


class TestReferenceValues:
    def test_ap_correlation_of_ircor(self) -> None:
        # README of the R package ircor (Urbano): tauAP(x, y) with x the true ranking, then both
        # rounded to fifths, tau_b and tauAP_b
        x = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
        y = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])
        assert tau_ap(y, x) == pytest.approx(0.7491182, abs=5e-8)
        x, y = np.round(x * 5) / 5, np.round(y * 5) / 5
        assert symmetric_tau_ap(x, y) == pytest.approx(0.6269841, abs=5e-8)
        assert stats.kendalltau(x, y).statistic == pytest.approx(0.75)

    @pytest.mark.parametrize(
        ("systems", "tau", "p"),
        [
            (43, -0.25, 0.02),
            (43, 0.01, 0.92),
            (43, -0.072, 0.5),
            (43, 0.26, 0.01),
            (77, 0.17, 0.03),
        ],
    )
    def test_kendall_as_in_the_esr_paper(self, systems: int, tau: float, p: float) -> None:
        # Ali, Consens, Lalmas: Extended Structural Relevance Framework, tables 15 and 16
        swaps = round(systems * (systems - 1) * (1 - tau) / 4)
        order = list(range(systems))
        while swaps:
            for place in range(systems - 1):
                if swaps and order[place] < order[place + 1]:
                    order[place], order[place + 1] = order[place + 1], order[place]
                    swaps -= 1
        means = [(float(a), float(b)) for a, b in enumerate(order)]
        found = correlate(two_measures(means), resamples=9)  # which τ needs not
        assert found.pairs[0].tau.value == pytest.approx(tau, abs=0.002)
        assert found.pairs[0].tau.p == pytest.approx(p, abs=0.008)


class TestEnumeration:
    @pytest.mark.parametrize("seed", range(3))
    def test_ap_correlation_tries_all_orders(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        one, other = random.integers(0, 5, (2, 6)).astype(np.float64)

        def size(scores: Floats) -> float:
            return abs(symmetric_tau_ap(one, scores) or 0)

        dealt = [size(other[list(order)]) for order in permutations(range(6))]
        expected = np.mean([value >= size(other) - 1e-9 for value in dealt])
        assert tau_ap_probability(one, other, 1, generator(0)) == pytest.approx(expected)


class TestCorrelations:
    def test_scipy_on_the_same_numbers(self) -> None:
        random = np.random.default_rng(5)
        x = random.random(25).round(1)
        y = x + random.normal(0, 0.2, 25)
        (pair,) = correlate(two_measures(list(zip(x, y, strict=True))), resamples=200).pairs
        for found, expected in (
            (pair.tau, stats.kendalltau(x, y)),
            (pair.pearson, stats.pearsonr(x, y)),
            (pair.spearman, stats.spearmanr(x, y)),
        ):
            assert found.value == pytest.approx(expected.statistic, rel=1e-9)
            assert found.p == pytest.approx(expected.pvalue, rel=1e-6)
        line = stats.linregress(x, y)
        assert (pair.slope, pair.intercept) == pytest.approx((line.slope, line.intercept))
        assert pair.tau_ap_by_first == pytest.approx(tau_ap(y, x))
        assert pair.tau_ap_by_second == pytest.approx(tau_ap(x, y))
        assert pair.tau_ap.value == pytest.approx(symmetric_tau_ap(x, y))

    def test_ap_correlation_by_hand(self) -> None:
        # judged a c b d against a b c d: above c a (1/1); above b a, c of which a (1/2);
        # above d all (3/3): 2/3 · (1 + 1/2 + 1) - 1
        judged, reference = np.array([9.0, 7.0, 8.0, 1.0]), np.array([4.0, 3.0, 2.0, 1.0])
        assert tau_ap(judged, reference) == pytest.approx(2 / 3)
        assert tau_ap(-judged, judged) == -1
        # a mistake at the top weighs more than one at the bottom
        top, bottom = np.array([3.0, 4.0, 2.0, 1.0]), np.array([4.0, 3.0, 1.0, 2.0])
        assert (tau_ap(top, reference) or 0) < (tau_ap(bottom, reference) or 0)
        assert tau_ap(np.ones(3), np.arange(3.0)) is None

    def test_a_few_systems_by_enumeration(self) -> None:
        means = [(1.0, 1.5), (2.0, 2.5), (3.0, 3.5), (4.0, 4.7)]
        (pair,) = correlate(two_measures(means)).pairs
        for found in (pair.tau, pair.tau_ap, pair.spearman):
            assert found.value == pytest.approx(1)
            assert found.p == pytest.approx(2 / 24)

    def test_lower_is_better_is_turned_round(self) -> None:
        means = [(0.1, 9.0), (0.2, 7.0), (0.3, 8.0), (0.4, 2.0), (0.5, 1.0), (0.7, 0.5)]
        (agree,) = correlate(two_measures(means, second_is_better_higher=False)).pairs
        (disagree,) = correlate(two_measures(means)).pairs
        assert agree.tau.value == pytest.approx(13 / 15)
        assert disagree.tau.value == pytest.approx(-13 / 15)
        assert agree.pearson.value == pytest.approx(-(disagree.pearson.value or 0))
        assert agree.slope == disagree.slope and (agree.slope or 0) < 0
        assert agree.agreement == "in between"
        assert disagree.agreement == "noticeably different"

    def test_the_order_of_measures_and_runs_does_not_matter(self) -> None:
        random = np.random.default_rng(2)
        table = two_measures([(a, a + b) for a, b in random.random((12, 2))])
        (pair,) = correlate(table, ["A", "B"], resamples=500, seed=3).pairs
        (turned,) = correlate(table, ["B", "A"], resamples=500, seed=3).pairs
        mixed = ScoreTable(table.measures, table.topic_ids, table.runs[::-1])
        (again,) = correlate(mixed, resamples=500, seed=3).pairs
        assert pair == again
        assert (turned.first, turned.tau_ap, turned.tau) == ("B", pair.tau_ap, pair.tau)
        assert turned.tau_ap_by_first == pair.tau_ap_by_second
        (other,) = correlate(table, resamples=500, seed=4).pairs
        assert other.tau_ap.p != pair.tau_ap.p

    def test_systems_without_a_mean_and_measures_without_a_ranking(self) -> None:
        found = correlate(two_measures([(0.1, 0.2), (0.3, None), (0.2, 0.1), (0.4, 0.5)]))
        assert found.pairs[0].systems == 3
        assert found.notes == ("left out for lack of a mean by B: s001",)
        flat = correlate(two_measures([(0.1 + 0.2, 1.0), (0.3, 2.0)]))
        assert flat.pairs[0].tau.value is None and flat.pairs[0].agreement is None
        assert flat.notes == ("all systems have the same mean by A, so it gives no ranking",)
        both = correlate(two_measures([(0.5, 1.0), (0.5, 1.0)]))
        assert both.notes == ("all systems have the same mean by A, B, so they give no ranking",)
        assert agreements(flat) == ["A and B cannot be compared: they do not give two rankings."]
        two = correlate(two_measures([(1.0, 5.0), (2.0, 3.0)])).pairs[0]
        assert two.tau == two.pearson == two.spearman == two.tau_ap == (-1.0, None)

    def test_what_is_wrong_is_told(self) -> None:
        table = two_measures([(1.0, 2.0), (2.0, 3.0)])
        with pytest.raises(InputError, match="two measures or more, not 1"):
            correlate(table, ["A", "A"])
        with pytest.raises(InputError, match="no scores by 'C'; there are scores by A, B"):
            correlate(table, ["A", "C"])
        with pytest.raises(InputError, match="two runs or more"):
            correlate(two_measures([(1.0, 2.0)]))
        with pytest.raises(InputError, match="resamples is 0"):
            correlate(table, resamples=0)
        with pytest.raises(InputError, match="were not correlated"):
            correlate(table).pair("A", "C")

    def test_agreements_in_words(self) -> None:
        many = [(float(a), float(a)) for a in range(20)]
        assert agreements(correlate(two_measures(many), resamples=9)) == [
            "A and B rank the systems equivalently (τ above 0.9)."
        ]
        back = [(float(a), float(-a)) for a in range(20)]
        assert agreements(correlate(two_measures(back), resamples=9))[0].endswith(
            "noticeably differently (τ below 0.8) and are negatively correlated."
        )
        assert agreements(correlate(two_measures(many[:3])))[0].endswith(
            "but 3 systems do not rule out chance."
        )
