"""Comparisons as a whole: topics that runs share, and several measures."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given

from comparing import facts, only_pair, random_scores, table_of
from doxeval.comparison import (
    TESTS,
    MeasureColumn,
    Pair,
    Test,
    compare,
    compare_all,
    correlate,
)
from doxeval.errors import InputError
from doxeval.scores import MeasureFacts, RunScores, ScoreTable
from levels import examples
from strategies import score_tables


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
    @examples(120)
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
            MeasureColumn.of(table, 0).facts,
        ):
            assert pickle.loads(pickle.dumps(value)) == value
            assert len(repr(value)) < 400 and "array" not in repr(value)
        assert repr(found).splitlines()[0].startswith("Paired t test of MAiP; Holm's correction")
        assert repr(Pair("a", "b", 1)) == "<a - b, not tested, 1 topic>"
        many = compare(table_of(random_scores(30, 20)), "M")
        assert len(repr(many).splitlines()) == 13
        assert repr(many).endswith("… and 20 more runs")


@pytest.mark.parametrize("test", TESTS)
def test_runs_may_have_any_name(test: Test) -> None:
    names = ("a\ud800", "b\udcff\n")
    scores = {names[0]: [0.9, 0.8, 0.7, 0.6], names[1]: [0.1, 0.2, 0.1, 0.3]}
    pair = only_pair(table_of(scores), test, resamples=99)
    assert (pair.first, pair.second) == names and pair.p is not None
