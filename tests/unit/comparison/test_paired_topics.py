"""Which topics and runs are compared, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from comparing import only_pair, p_of, random_scores, table_of
from doxeval.comparison import TESTS, Pair, Test, compare, conclusion
from doxeval.errors import InputError
from doxeval.scores import MeasureFacts, RunScores, ScoreTable


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
