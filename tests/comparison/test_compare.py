"""Comparison of systems: tests against other programs, by hand and by enumeration; the verbs."""

from __future__ import annotations

import csv
import io
import json
import math
import pickle
from collections.abc import Sequence
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from conftest import doxeval as call
from conftest import write_files
from doxeval.arrays import Ints
from doxeval.comparison import Pair, compare, compare_all, correlate, mean_interval
from doxeval.comparison.ap_correlation import symmetric_tau_ap, tau_ap, tau_ap_probability
from doxeval.comparison.conclusions import agreements, conclusion
from doxeval.comparison.groups import groups, holm, letters
from doxeval.comparison.paired import Column
from doxeval.comparison.resampling import bootstrap, generator, randomization
from doxeval.comparison.significance import TESTS, Test, outcome
from doxeval.errors import InputError
from doxeval.scores import MeasureFacts, RunScores, ScoreTable
from doxeval.scores.table import Floats
from strategies import score_tables

# Student's data on sleep, as in R's `sleep`.
SLEEP = {
    "1": [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
    "2": [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
}
# Darwin's maize, differences in eighths of an inch: R. A. Fisher, The Design of Experiments, §21.
MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
DIFFERENCES = st.lists(st.integers(-6, 6), min_size=2, max_size=9).filter(any)


def table_of(
    scores: dict[str, list[float]], higher_is_better: bool = True, label: str = "M"
) -> ScoreTable:
    facts = MeasureFacts(label, f"{label}(x=1)", "a measure", higher_is_better=higher_is_better)
    count = len(next(iter(scores.values())))
    counted = np.ones(count, dtype=np.bool_)
    runs = tuple(RunScores(run, np.array([values]), counted) for run, values in scores.items())
    return ScoreTable((facts,), tuple(str(topic) for topic in range(count)), runs)


def only_pair(table: ScoreTable, test: Test = "t", **options: float) -> Pair:
    (pair,) = compare(table, "M", test, **options).pairs  # type: ignore[arg-type]
    return pair


def random_scores(count: int, topics: int, seed: int = 1) -> dict[str, list[float]]:
    random = np.random.default_rng(seed)
    topic = random.random(topics)
    return {
        f"run{place}": np.clip(topic + random.normal(place / 20, 0.2, topics), 0, 2).tolist()
        for place in range(count)
    }


def p_of(test: Test, steps: Sequence[int], seed: int = 0, resamples: int = 2000) -> float:
    found = outcome(test, np.array(steps), 0.05, resamples, lambda: generator(seed, "a", "b"))
    assert found is not None
    return found.p


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
        found = correlate(two_measures([(float(a), float(b)) for a, b in enumerate(order)]))
        assert found.pairs[0].tau.value == pytest.approx(tau, abs=0.002)
        assert found.pairs[0].tau.p == pytest.approx(p, abs=0.008)


class TestEnumeration:
    @given(DIFFERENCES)
    def test_randomization_tries_all_signs(self, steps: list[int]) -> None:
        sums = [
            abs(sum(s * d for s, d in zip(signs, steps, strict=True)))
            for signs in product((1, -1), repeat=len(steps))
        ]
        assert p_of("randomization", steps) == np.mean([s >= abs(sum(steps)) for s in sums])

    @given(DIFFERENCES)
    @settings(max_examples=30)
    def test_wilcoxon_with_zeros_and_ties_tries_all_signs(self, steps: list[int]) -> None:
        ranks = stats.rankdata(np.abs(steps)) * (np.array(steps) != 0)

        def lean(signs: Sequence[int] | Ints) -> float:
            return abs(float((np.array(signs) * ranks).sum()))

        sums = [lean(signs) for signs in product((1, -1), repeat=len(steps))]
        expected = np.mean([s >= lean(np.sign(steps)) - 1e-9 for s in sums])
        assert p_of("wilcoxon", steps) == pytest.approx(expected)

    def test_drawn_signs_come_close_to_all_signs(self) -> None:
        steps = np.random.default_rng(3).normal(0.5, 1, 17).round(2) * 100
        drawn = p_of("randomization", steps.astype(np.int64).tolist(), resamples=200_000)
        result = stats.permutation_test(
            (steps,), np.sum, permutation_type="samples", n_resamples=np.inf
        )
        error = math.sqrt(result.pvalue * (1 - result.pvalue) / 200_000)
        assert drawn == pytest.approx(result.pvalue, abs=4 * error)
        assert (drawn * 200_001) == pytest.approx(round(drawn * 200_001))

    def test_the_bootstrap_comes_close_to_all_samples(self) -> None:
        steps = [1, 5, -2, 7, 4]
        samples = [abs(sum(s) - sum(steps)) >= sum(steps) for s in product(steps, repeat=5)]
        expected = float(np.mean(samples))
        drawn = p_of("bootstrap", steps, resamples=200_000)
        assert drawn == pytest.approx(expected, abs=4 * math.sqrt(expected / 200_000))

    @given(DIFFERENCES, st.sampled_from([0.01, 0.05, 0.25, 0.5]))
    @settings(max_examples=200)
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

    @pytest.mark.parametrize("seed", range(3))
    def test_ap_correlation_tries_all_orders(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        one, other = random.integers(0, 5, (2, 6)).astype(np.float64)

        def size(scores: Floats) -> float:
            return abs(symmetric_tau_ap(one, scores) or 0)

        dealt = [size(other[list(order)]) for order in permutations(range(6))]
        expected = np.mean([value >= size(other) - 1e-9 for value in dealt])
        assert tau_ap_probability(one, other, 1, generator(0)) == pytest.approx(expected)

    def test_drawn_orders_come_close_to_all_orders(self) -> None:
        one = np.arange(8.0)
        other = np.array([2.0, 0, 1, 4, 6, 3, 5, 7])
        dealt = [symmetric_tau_ap(one, other[list(order)]) for order in permutations(range(8))]
        observed = symmetric_tau_ap(one, other)
        assert observed is not None
        expected = float(np.mean([abs(v or 0) >= abs(observed) - 1e-9 for v in dealt]))
        drawn = tau_ap_probability(one, other, 20_000, generator(0))
        assert drawn == pytest.approx(expected, abs=4 * math.sqrt(expected / 20_000))


class TestManyPairs:
    def test_holm_by_hand(self) -> None:
        # .005 · 4, .01 · 3, .03 · 2, then .04 · 1, which may not be less than before
        assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
        assert holm([0.9, None, 0.6]) == [1.0, None, 1.0]
        assert holm([]) == []

    @given(st.integers(1, 9), st.data())
    def test_two_runs_share_a_letter_iff_they_do_not_differ(
        self, count: int, data: st.DataObject
    ) -> None:
        runs = [f"r{place}" for place in range(count)]
        every = [frozenset(pair) for pair in combinations(runs, 2)]
        different = {pair for pair in every if data.draw(st.booleans())}
        found = groups(runs, different)
        spelt = letters(found)
        assert set(spelt) == set(runs)
        for one, other in combinations(runs, 2):
            is_shared = bool(set(spelt[one]) & set(spelt[other]))
            assert is_shared == (frozenset((one, other)) not in different)
        assert spelt["r0"][0] == "a"
        firsts = [runs.index(group[0]) for group in found]
        assert firsts == sorted(firsts)

    def test_letters_of_a_chain(self) -> None:
        different = {frozenset(pair) for pair in ("ac", "ad", "bd")}
        assert groups("abcd", different) == [("a", "b"), ("b", "c"), ("c", "d")]
        assert groups("ab", set()) == [("a", "b")]
        assert groups("ab", {frozenset("ab")}) == [("a",), ("b",)]

    def test_more_groups_than_letters(self) -> None:
        spelt = letters([(str(place),) for place in range(60)])
        assert (spelt["0"], spelt["51"], spelt["52"]) == ("a", "Z", "a2")
        assert len(set(spelt.values())) == 60

    @pytest.mark.parametrize("test", TESTS)
    def test_groups_follow_from_corrected_probabilities(self, test: Test) -> None:
        found = compare(table_of(random_scores(6, 30)), "M", test, resamples=5000)
        assert [run.mean for run in found.ranking] == sorted(
            (run.mean or 0 for run in found.ranking), reverse=True
        )
        assert len(found.pairs) == 15
        assert [p.corrected for p in found.pairs] == holm([p.p for p in found.pairs])
        for pair in found.pairs:
            assert pair.significant == ((pair.corrected or 0) < 0.05)
            is_together = any({pair.first, pair.second} <= set(group) for group in found.groups)
            assert is_together == (not pair.significant)
        assert any(pair.significant for pair in found.pairs)
        assert not all(pair.significant for pair in found.pairs)


class TestPolicies:
    @pytest.mark.parametrize("test", TESTS)
    def test_identical_runs_are_not_different(self, test: Test) -> None:
        for count in (1, 2, 20):
            scores = random_scores(1, count)["run0"]
            pair = only_pair(table_of({"a": scores, "b": list(scores)}), test, resamples=100)
            assert (pair.p, pair.corrected, pair.difference, pair.effect) == (1.0, 1.0, 0.0, 0.0)
            assert (pair.better, pair.significant, pair.interval) == (None, False, (0.0, 0.0))

    @pytest.mark.parametrize("test", TESTS)
    def test_undefined_topics_are_dropped_pair_by_pair(self, test: Test) -> None:
        scores = random_scores(3, 24)
        nan = float("nan")
        holes = {run: list(values) for run, values in scores.items()}
        holes["run0"][2] = holes["run1"][5] = holes["run1"][6] = nan
        found = compare(table_of(holes), "M", test, resamples=500)
        assert found.pair("run0", "run1").topics == 21
        assert found.pair("run2", "run0").topics == 23
        kept = [topic for topic in range(24) if topic not in (2, 5, 6)]
        whole = {run: [scores[run][topic] for topic in kept] for run in ("run0", "run1")}
        expected = compare(table_of(whole), "M", test, resamples=500).pair("run0", "run1")
        pair = found.pair("run0", "run1")
        assert (pair.p, pair.effect) == (expected.p, expected.effect)
        assert "own topics" in " ".join(found.notes)

    def test_topics_that_are_not_counted_are_not_paired(self) -> None:
        facts = MeasureFacts("M", "M", "a measure")
        values = np.array([[0.5, 0.1, 0.3]])
        one = RunScores("a", values, np.array([True, True, False]))
        other = RunScores("b", values / 2, np.array([False, True, True]))
        found = compare(ScoreTable((facts,), ("1", "2", "3"), (one, other)), "M")
        assert [pair.topics for pair in found.pairs] == [1]

    @pytest.mark.parametrize("test", TESTS)
    def test_too_few_common_topics_are_told(self, test: Test) -> None:
        nan = float("nan")
        scores = {"a": [1.0, 2.0, nan, nan], "b": [nan, nan, 3.0, 4.0], "c": [1.0, nan, 2.0, 5.0]}
        found = compare(table_of(scores), "M", test, resamples=100)
        assert found.pair("a", "b") == Pair("b", "a", 0)
        assert found.pair("a", "c").p == 1.0  # one topic, no difference
        told = " ".join(found.notes)
        assert "b and a are not tested: no topic has a score" in told
        assert any({"a", "b"} <= set(group) for group in found.groups)
        alone = compare(table_of({"a": [1.0, nan], "b": [2.0, 1.0]}), "M", test)
        assert alone.pairs[0].p is None
        assert alone.pairs[0].difference == -1.0 or alone.pairs[0].difference == 1.0
        assert "one topic has a score" in alone.notes[0]
        assert conclusion(alone).startswith("Nothing can be concluded")

    def test_lower_may_be_better(self) -> None:
        scores = {"near": [1.0, 2.0, 1.5, 1.2], "far": [4.0, 5.5, 4.5, 4.1]}
        found = compare(table_of(scores, higher_is_better=False), "M")
        assert [run.run for run in found.ranking] == ["near", "far"]
        (pair,) = found.pairs
        assert pair.difference == pytest.approx(-3.1)
        assert pair.effect is not None and pair.effect < 0
        assert (pair.better, pair.significant) == ("near", True)
        assert compare(table_of(scores), "M").pairs[0].better == "far"

    def test_ties_are_seen_through_rounding(self) -> None:
        scores = {"a": [0.3, 0.2, 0.7, 1.1], "b": [0.2, 0.1, 0.8, 1.0]}
        pair = only_pair(table_of(scores), "wilcoxon")
        assert pair.p == p_of("wilcoxon", [1, 1, -1, 1])
        constant = only_pair(table_of({"a": [0.3, 0.2, 1.1], "b": [0.2, 0.1, 1.0]}))
        assert (constant.p, constant.effect, constant.difference) == (0.0, None, 0.1)

    def test_better_is_what_the_test_looks_at(self) -> None:
        scores = {"often": [0.2] * 9 + [0.0], "once": [0.1] * 9 + [5.0]}
        assert only_pair(table_of(scores)).better == "once"
        found = compare(table_of(scores), "M", "sign")
        assert found.pairs[0].better == "often"
        assert "once, the first by its mean, is by this test significantly worse than often" in (
            conclusion(found)
        )

    def test_a_baseline(self) -> None:
        scores = random_scores(5, 30)
        every = compare(table_of(scores), "M", "randomization", resamples=999)
        found = compare(table_of(scores), "M", "randomization", resamples=999, baseline="run2")
        assert [(p.first, p.second) for p in found.pairs] == [
            (run.run, "run2") for run in every.ranking if run.run != "run2"
        ]
        assert found.groups == () and found.letters == {}
        for pair in found.pairs:
            other = every.pair(pair.first, "run2")
            sign = 1 if other.first == pair.first else -1
            assert (pair.p, pair.better) == (other.p, other.better)
            assert pair.difference == pytest.approx(sign * (other.difference or 0))
            assert pair.interval == pytest.approx(
                tuple(sorted(sign * end for end in other.interval or ()))
            )

    @pytest.mark.parametrize("test", ["bootstrap", "randomization"])
    def test_the_same_seed_gives_the_same_p(self, test: Test) -> None:
        scores = random_scores(5, 40)

        def p(of: dict[str, list[float]], seed: int = 7) -> float | None:
            found = compare(table_of(of), "M", test, resamples=3000, seed=seed)
            return found.pair("run1", "run2").p

        expected = p(scores)
        assert p(scores) == expected
        assert p(dict(reversed(scores.items()))) == expected
        assert p({run: scores[run] for run in ("run2", "run1")}) == expected
        assert p({run: values[::-1] for run, values in scores.items()}) == expected
        assert len({p(scores, seed) for seed in range(5)}) > 2

    def test_too_few_resamples_for_the_number_of_pairs(self) -> None:
        table = table_of(random_scores(6, 30))
        for test in ("bootstrap", "randomization"):
            notes = compare(table, "M", test, resamples=99).notes
            assert "take more resamples" in " ".join(notes)
            assert not compare(table, "M", test, resamples=999).notes
        few = table_of(random_scores(6, 12))
        assert not compare(few, "M", "randomization", resamples=9).notes  # all signs are tried

    def test_what_is_wrong_is_told(self) -> None:
        table = table_of(random_scores(2, 5))
        with pytest.raises(InputError, match="two runs or more, not 1"):
            compare(table_of(random_scores(1, 5)), "M")
        with pytest.raises(InputError, match="no scores by 'N'; there are scores by M"):
            compare(table, "N")
        with pytest.raises(InputError, match="no run 'x'; there are run0, run1"):
            compare(table, "M", baseline="x")
        with pytest.raises(InputError, match="no test 'z'"):
            compare(table, "M", "z")  # type: ignore[arg-type]
        with pytest.raises(InputError, match="alpha is between 0 and 1"):
            compare(table, "M", alpha=1.0)
        with pytest.raises(InputError, match="resamples is 0: expected 1 or more"):
            compare(table, "M", resamples=0)
        with pytest.raises(InputError, match="seed is -1: expected 0 or more"):
            compare(table, "M", seed=-1)
        with pytest.raises(InputError, match="several runs are called 'run0'"):
            compare(ScoreTable(table.measures, table.topic_ids, (table.runs[0],) * 2), "M")
        with pytest.raises(InputError, match="were not compared"):
            compare(table, "M(x=1)").pair("run0", "x")


def facts(lowest: float = 0.0, highest: float | None = 1.0) -> MeasureFacts:
    return MeasureFacts("M", "M(x=1)", "a measure", lowest, highest)


def student(values: Sequence[float], alpha: float = 0.05) -> tuple[float, float]:
    low, high = stats.ttest_1samp(values, 0).confidence_interval(1 - alpha)
    return float(low), float(high)


SCORES = st.lists(
    st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1)), min_size=2, max_size=9
)


class TestIntervals:
    @given(SCORES, st.sampled_from([0.001, 0.05, 0.5]))
    @settings(max_examples=300)
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
    @settings(max_examples=200)
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


class TestTopicsInCommon:
    def test_two_runs_that_share_one_topic(self) -> None:
        """All topics are scored, but the runs returned results for different ones."""
        values, topics = np.linspace(0, 1, 120), tuple(map(str, range(120)))
        first, second = np.arange(120) < 60, np.arange(120) >= 59
        runs = tuple(
            RunScores(run, np.where(has, values, 0)[None], np.ones(120, np.bool_), has_results=has)
            for run, has in (("a", first), ("b", second))
        )
        found = compare(ScoreTable((facts(),), topics, runs))
        (pair,) = found.pairs
        assert (pair.topics, pair.with_results) == (120, 1)
        assert {run.run: run.with_results for run in found.ranking} == {"a": 60, "b": 61}
        assert found.notes == (
            "not all runs have results for the same topics: both have results b and a for 1 of "
            "120 topics; topics without results still count, with the score of an empty list",
        )
        assert found.to_dict()["pairs"][0]["with_results"] == 1

    @given(score_tables(least_runs=2, most_runs=4))
    @settings(max_examples=200)
    def test_notes_tell_what_is_not_shared(self, table: ScoreTable) -> None:
        label = table.labels[0]
        found = compare(table, label)
        defined = {
            one.run: {
                topic
                for topic, is_counted, value in zip(
                    table.topic_ids, one.counted, one.values[0], strict=True
                )
                if is_counted and not math.isnan(value)
            }
            for one in table.runs
        }
        answered = {
            one.run: None
            if one.has_results is None
            else {t for t, has in zip(table.topic_ids, one.has_results, strict=True) if has}
            for one in table.runs
        }
        every = set().union(*defined.values())
        told = " ".join(found.notes)
        expected_scores, expected_results = [], []
        for pair in found.pairs:
            common = defined[pair.first] & defined[pair.second]
            assert pair.topics == len(common)
            one, other = answered[pair.first], answered[pair.second]
            both = None if one is None or other is None else len(common & one & other)
            assert pair.with_results == both
            if len(common) < len(every):
                expected_scores.append((pair, f"{len(common)} of {len(every)}"))
            if both is not None and both < len(common):
                expected_results.append((pair, f"for {both} of {len(common)} topics"))
        for expected in (expected_scores, expected_results):
            said = [f"{p.first} and {p.second} {how}" in told for p, how in expected]
            assert sum(said) == min(len(expected), 3)
        assert ("the same topics: means" in told) == bool(expected_scores)
        assert ("the same topics: both have" in told) == bool(expected_results)
        assert len(found.notes) <= 4

    def test_notes_do_not_grow_with_the_number_of_pairs(self) -> None:
        nan = math.nan
        scores = {f"r{n}": [0.5 if n == t else nan for t in range(12)] for n in range(12)}
        found = compare(table_of(scores), "M")
        assert len(found.pairs) == 66 and len(found.notes) == 2
        assert "and 63 more pairs are not tested: no topic has a score" in found.notes[0]
        assert all(len(note) < 300 for note in found.notes)


class TestSeveralMeasures:
    def table(self) -> ScoreTable:
        measures = (
            MeasureFacts("iP[.01]", "iP[0.01](alpha=0)", ""),
            MeasureFacts("MAiP", "MAiP(alpha=0)", ""),
        )
        random = np.random.default_rng(4)
        runs = tuple(
            RunScores(f"run{n}", random.random((2, 20)) / (n + 1), np.ones(20, np.bool_))
            for n in range(3)
        )
        return ScoreTable(measures, tuple(map(str, range(20))), runs)

    def test_each_measure_by_itself(self) -> None:
        table = self.table()
        every = compare_all(table, test="randomization", resamples=300, baseline="run1", alpha=0.2)
        assert every == tuple(
            compare(table, label, "randomization", resamples=300, baseline="run1", alpha=0.2)
            for label in table.labels
        )
        # Holm's correction does not know of the other measure
        assert every[:1] == compare_all(
            table.only(measures="iP[.01]"),
            None,
            "randomization",
            resamples=300,
            baseline="run1",
            alpha=0.2,
        )
        assert (
            compare_all(table, ["MAiP"]) == compare_all(table, "MAiP") == (compare(table, "MAiP"),)
        )
        assert len(compare_all(table, ["MAiP", "MAiP(alpha=0)"])) == 1

    def test_a_measure_by_any_of_its_names(self) -> None:
        table = self.table()
        assert compare(table, "iP[0.010]") == compare(table, "iP[.01]")
        assert compare(table.only(measures="MAiP")) == compare(table, "MAiP")
        with pytest.raises(InputError, match=r"measure= says by which of iP\[\.01\], MAiP"):
            compare(table)
        with pytest.raises(InputError, match=r"did you mean MAiP\?"):
            compare_all(table, ["MAP"])
        assert correlate(table, ["MAiP(alpha=0)", "iP[0.01]"]).pairs[0].first == "MAiP"

    def test_what_is_found_can_be_shown_and_pickled(self) -> None:
        table = self.table()
        found, correlated = compare(table, "MAiP"), correlate(table, resamples=9)
        for value in (
            found,
            correlated,
            *found.pairs,
            *correlated.pairs,
            Column.of(table, 0).facts,
        ):
            assert pickle.loads(pickle.dumps(value)) == value
            assert len(repr(value)) < 400 and "array" not in repr(value)
        assert repr(found).splitlines()[0].startswith("Comparison by MAiP, paired t test: ")
        assert repr(Pair("a", "b", 1)) == "<a - b, not tested, 1 topic>"
        many = compare(table_of(random_scores(30, 20)), "M")
        assert len(repr(many).splitlines()) == 13
        assert repr(many).endswith("… and 20 more runs")


def two_measures(
    means: Sequence[tuple[float | None, float | None]], second_is_better_higher: bool = True
) -> ScoreTable:
    """Systems of one topic by the measures A and B."""
    facts = (
        MeasureFacts("A", "A", "a measure"),
        MeasureFacts("B", "B", "another", higher_is_better=second_is_better_higher),
    )
    values = np.array(means, dtype=np.float64)
    runs = tuple(
        RunScores(f"s{place:03}", row[:, None], np.array([True]))
        for place, row in enumerate(values)
    )
    return ScoreTable(facts, ("1",), runs)


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


TOPICS = range(1, 9)
QRELS = "".join(f"{topic} Q0 a 200 1000 0 0:200\n" for topic in TOPICS)


def run_of(name: str, shift: int) -> str:
    """Passages that miss more and more of what is relevant, and some noise by topic."""
    return "".join(
        f"{topic} Q0 a 1 9 {name} {shift + topic * (5 + shift % 7)} 200\n" for topic in TOPICS
    )


@pytest.fixture
def files(tmp_path: Path) -> Path:
    runs = {"good.run": run_of("good", 0), "fair.run": run_of("fair", 9)}
    return write_files(tmp_path, {"qrels.txt": QRELS, "bad.run": run_of("bad", 90), **runs})


def arguments(files: Path, *names: str) -> list[object]:
    return [*(files / f"{name}.run" for name in names), "-a", files / "qrels.txt"]


class TestVerbs:
    def test_compare_as_a_table(self, files: Path) -> None:
        result = call("compare", *arguments(files, "bad", "good", "fair"), "-m", "cR@5")
        assert result.exit_code == 0, result.stderr
        lines = result.stdout.splitlines()
        assert lines[0] == "Paired t test of cR@5; Holm's correction for 3 pairs, alpha 0.05"
        assert [line.split()[0] for line in lines[3:6]] == ["good", "fair", "bad"]
        assert "good - bad" in result.stdout
        assert "95% interval" in result.stdout
        assert "good, the first by its mean, is significantly better than every other" in lines[-1]

    @pytest.mark.parametrize("test", TESTS)
    def test_compare_as_json_and_csv(self, files: Path, test: Test) -> None:
        command = ["compare", *arguments(files, "bad", "good", "fair"), "-m", "cR@5"]
        options = ["--test", test]
        if test in ("bootstrap", "randomization"):
            options += ["--resamples", "500", "--seed", "3"]
        (found,) = json.loads(call(*command, *options, "--format", "json").stdout)["comparisons"]
        assert (found["measure"], found["test"]) == ("cR@5", test)
        assert [run["run"] for run in found["runs"]] == ["good", "fair", "bad"]
        rows = list(csv.DictReader(io.StringIO(call(*command, *options, "--format", "csv").stdout)))
        assert [(row["first"], row["second"]) for row in rows] == [
            (pair["first"], pair["second"]) for pair in found["pairs"]
        ]
        assert [float(row["p"]) for row in rows] == [pair["p"] for pair in found["pairs"]]
        assert [row["significant"] for row in rows] == [
            str(pair["significant"]).lower() for pair in found["pairs"]
        ]

    def test_compare_with_a_baseline_by_id_or_file(self, files: Path) -> None:
        command = ["compare", *arguments(files, "bad", "good", "fair"), "-m", "cR@5"]
        by_id = call(*command, "--baseline", "fair", "--test", "randomization")
        by_file = call(*command, "--baseline", files / "fair.run", "--test", "randomization")
        assert by_id.exit_code == 0, by_id.stderr
        assert by_id.stdout == by_file.stdout
        assert by_id.stdout.startswith("Fisher's randomization test of cR@5, exact;")
        assert "Significantly better than fair: good; significantly worse than fair: bad." in (
            by_id.stdout
        )
        assert "letters" not in by_id.stdout

    def test_many_runs_are_summed_up(self, files: Path) -> None:
        names = [f"r{place}" for place in range(11)]
        write_files(files, {f"{n}.run": run_of(n, 3 * i) for i, n in enumerate(names)})
        result = call("compare", *arguments(files, *names), "-m", "cR@5")
        assert result.exit_code == 0, result.stderr
        assert "… and 45 more pairs: --format csv has them all" in result.stdout

    def test_correlate(self, files: Path) -> None:
        command = ["correlate", *arguments(files, "bad", "good", "fair")]
        command += ["-m", "cR@5", "-m", "cP@5", "-m", "iP[.01]"]
        result = call(*command)
        assert result.exit_code == 0, result.stderr
        assert result.stdout.split()[:4] == ["measures", "systems", "τ", "p"]
        assert "cR@5 and cP@5 rank the systems equivalently (τ above 0.9), but 3 systems" in (
            result.stdout
        )
        found = json.loads(call(*command, "--format", "json").stdout)
        assert len(found["pairs"]) == 3
        assert found["pairs"][0]["tau"] == {"value": 1.0, "p": pytest.approx(1 / 3)}
        assert found["pairs"][0]["agreement"] == "equivalent"
        rows = list(csv.DictReader(io.StringIO(call(*command, "--format", "csv").stdout)))
        assert [row["second"] for row in rows] == ["cP@5", "iP[.01]", "iP[.01]"]
        assert float(rows[0]["tau_ap"]) == 1

    def test_wrong_usage_and_wrong_input(self, files: Path) -> None:
        for verb in ("compare", "correlate"):
            alone = call(verb, *arguments(files, "good"), "-m", "cR@5")
            assert alone.exit_code == 2
            assert f"{verb} needs two runs or more" in alone.stderr
        both = arguments(files, "good", "bad")
        one = call("correlate", *both, "-m", "cR@5", "-m", "cR@5")
        assert one.exit_code == 2
        assert "two measures or more" in one.stderr
        assert call("compare", *both).exit_code == 2
        assert call("compare", *both, "-m", "cR@5", "--alpha", "1").exit_code == 2
        unknown = call("compare", *both, "-m", "cR@5", "--baseline", "other")
        assert unknown.exit_code == 1
        assert unknown.stderr == "Error: no run 'other'; there are good, bad\n"
        assert call("compare", *both, "-m", "nonsense").exit_code == 1

    def test_notes_are_told_on_stderr(self, files: Path) -> None:
        write_files(files, {"odd.run": "1 Q0 a 1 9 odd 0 100\n"})
        command = ["compare", *arguments(files, "good", "odd"), "-m", "cR@5"]
        result = call(*command, "--average-over", "retrieved", "--format", "json")
        assert result.exit_code == 0
        assert "are not tested: one topic has a score by cR@5 from both" in result.stderr
        (found,) = json.loads(result.stdout)["comparisons"]
        assert found["pairs"][0]["p"] is None

    def test_several_measures_are_all_compared(self, files: Path) -> None:
        command = ["compare", *arguments(files, "bad", "good"), "-m", "cR@5", "-m", "cP@5"]
        shown = call(*command).stdout
        assert "Paired t test of cR@5" in shown
        assert "Paired t test of cP@5" in shown
        found = json.loads(call(*command, "--format", "json").stdout)["comparisons"]
        assert [one["measure"] for one in found] == ["cR@5", "cP@5"]
        rows = list(csv.DictReader(io.StringIO(call(*command, "--format", "csv").stdout)))
        assert [row["measure"] for row in rows] == ["cR@5", "cP@5"]
        preset = ["compare", *arguments(files, "bad", "good"), "--preset", "inex2009-focused"]
        assert "of MAiP" in call(*preset).stdout

    @pytest.mark.parametrize("option", ["--seed", "--resamples"])
    def test_options_of_resampling_need_such_a_test(self, files: Path, option: str) -> None:
        command = ["compare", *arguments(files, "bad", "good"), "-m", "cR@5", option, "7"]
        result = call(*command)
        assert result.exit_code == 2
        assert f"{option} is for tests by resampling" in result.stderr
        assert call(*command, "--test", "bootstrap").exit_code == 0
