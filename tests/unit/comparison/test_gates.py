"""Limits of scores, and drops since an earlier evaluation."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparing import random_scores, table_of
from doxeval.comparison import (
    Check,
    Drop,
    EarlierRun,
    EarlierScores,
    Gates,
    check_scores,
    compare,
    junit_xml,
    read_earlier,
)
from doxeval.errors import FormatError, InputError, UnknownName
from doxeval.scores import MeasureFacts, RunScores, ScoreTable, as_json

NAN = float("nan")


def states(gates: Gates) -> list[str]:
    return [check.state for check in gates.checks]


def with_topics(scores: dict[str, float], run: str = "a") -> ScoreTable:
    facts = MeasureFacts("M", "M(x=1)", "a measure")
    values, counted = np.array([list(scores.values())]), np.ones(len(scores), dtype=np.bool_)
    return ScoreTable((facts,), tuple(scores), (RunScores(run, values, counted),))


class TestLimits:
    def test_a_mean_equal_to_the_limit_is_within_it(self) -> None:
        table = table_of({"a": [0.1, 0.2, 0.3]})  # whose sum is not .6 in floating point
        assert check_scores(table, {"M": 0.2}).passed

    def test_the_message_says_by_how_much(self) -> None:
        found = check_scores(table_of({"a": [0.5, 0.6], "b": [0.9, 0.9]}), {"M": 0.8})
        assert states(found) == ["failed", "passed"]
        assert found.failures[0].message == "M is 0.5500, 0.2500 below the limit of 0.8"
        assert found.failures[0].run == "a"

    def test_the_topics_below_the_limit_are_named_with_their_tags_worst_first(self) -> None:
        scores = {"q1": 0.9, "q2": 0.1, "q3": NAN, "q4": 0.5}
        table = replace(with_topics(scores), tags={"q2": ("law", "fees")})
        (check,) = check_scores(table, {"M": 0.8}).checks
        assert check.lines(9)[1:] == ["  q2 (law, fees): 0.1000", "  q4: 0.5000"]
        assert check.lines(1)[1:] == ["  q2 (law, fees): 0.1000", "  and 1 more"]
        (check,) = check_scores(table, {"M": 0.2}).checks
        assert check.lines(9)[1:] == [], "the mean is fine"

    def test_where_lower_is_better_a_limit_is_an_upper_one(self) -> None:
        table = table_of({"a": [300.0, 500.0]}, higher_is_better=False)
        assert check_scores(table, {"M": 400}).passed
        (failure,) = check_scores(table, {"M": 399}).failures
        assert failure.message == "M is 400.0000, 1.0000 above the limit of 399"

    def test_undefined_scores_fail(self) -> None:
        assert states(check_scores(table_of({"a": [NAN, NAN]}), {"M": 0})) == ["failed"]

    def test_an_unknown_measure_is_an_error(self) -> None:
        with pytest.raises(UnknownName, match="no scores by 'N'"):
            check_scores(table_of({"a": [0.5]}), {"N": 0.1})

    def test_a_miss_is_never_shown_as_the_limit_itself(self) -> None:
        (failure,) = check_scores(table_of({"a": [0.84999999]}), {"M": 0.85}).failures
        assert failure.message.startswith("M is 0.84999999,")


class TestDrops:
    def test_topics_are_matched_by_id_whatever_their_order(self) -> None:
        before = EarlierScores.of(with_topics({"7": 0.1, "8": 0.9, "9": 0.5}))
        now = with_topics({"9": 0.5, "8": 0.9, "10": 0.0})
        found = check_scores(now, baseline=before, max_drop=0.0)
        assert found.passed, "the topic that is new and low is not compared"
        assert found.warnings == (
            "1 topic only in the baseline: 7; not compared",
            "1 topic not in the baseline: 10; not compared",
        )
        assert "on 2 topics" in found.checks[0].message

    @pytest.mark.parametrize(("drop", "passes"), [(".1", True), (".0999", False), ("20%", True)])
    def test_how_much_may_drop(self, drop: str, passes: bool) -> None:
        before = EarlierScores.of(with_topics({"7": 0.4, "8": 0.6}))
        found = check_scores(with_topics({"7": 0.3, "8": 0.5}), baseline=before, max_drop=drop)
        assert found.passed == passes
        if not passes:
            told = "M dropped by 0.1000 from 0.5000 to 0.4000 on 2 topics; 0.0999 is allowed"
            assert found.failures[0].message == told

    def test_where_lower_is_better_a_rise_is_a_drop(self) -> None:
        before = EarlierScores.of(table_of({"a": [1.0, 2.0]}, higher_is_better=False))
        worse = table_of({"a": [2.0, 2.0]}, higher_is_better=False)
        better = table_of({"a": [0.0, 0.0]}, higher_is_better=False)
        assert not check_scores(worse, baseline=before).passed
        assert check_scores(better, baseline=before).passed

    @given(st.integers(6, 40), st.integers(0, 1000))
    def test_a_significant_drop_is_one_that_a_comparison_finds(
        self, topics: int, seed: int
    ) -> None:
        scores = random_scores(2, topics, seed)
        before, now = table_of({"a": scores["run1"]}), table_of({"a": scores["run0"]})
        found = check_scores(now, baseline=EarlierScores.of(before), significant=True)
        pair = compare(table_of(scores), test="randomization", seed=7).pair("run0", "run1")
        assert pair.p is not None
        # Up to 16 topics the test is exact; beyond, random numbers decide close cases.
        if topics <= 16 or abs(pair.p - 0.05) > 0.01:
            assert found.passed != (pair.better == "run1" and pair.p < 0.05)

    def test_few_topics_confirm_nothing_and_it_is_said(self) -> None:
        before = EarlierScores.of(table_of({"a": [1.0] * 5}))
        found = check_scores(table_of({"a": [0.0] * 5}), baseline=before, significant=True)
        assert found.passed
        assert "fewer than 6 topics cannot confirm any drop" in found.checks[0].message
        six = EarlierScores.of(table_of({"a": [1.0] * 6}))
        assert not check_scores(table_of({"a": [0.0] * 6}), baseline=six, significant=True).passed

    def test_a_drop_within_the_allowance_passes_however_significant(self) -> None:
        before = EarlierScores.of(table_of({"a": [0.5] * 20}))
        now = table_of({"a": [0.49] * 20})
        given_room = check_scores(now, baseline=before, max_drop=0.02, significant=True)
        assert given_room.passed
        assert not check_scores(now, baseline=before, significant=True).passed

    def test_scores_that_vanished_fail_and_those_that_never_were_are_skipped(self) -> None:
        some, none = table_of({"a": [0.5]}), table_of({"a": [NAN]})
        assert states(check_scores(none, baseline=EarlierScores.of(some))) == ["failed"]
        assert states(check_scores(some, baseline=EarlierScores.of(none))) == ["skipped"]

    def test_means_alone_are_compared_with_a_warning(self, tmp_path: Path) -> None:
        file = tmp_path / "last.json"
        file.write_bytes(as_json(table_of({"a": [0.5, 0.7]}), per_topic=False))
        found = check_scores(table_of({"a": [0.5, 0.5]}), baseline=read_earlier(file))
        assert found.failures[0].message == (
            "M dropped by 0.1000 from 0.6000 to 0.5000; 0 is allowed"
        )
        assert "topics could not be matched" in found.warnings[0]
        with pytest.raises(InputError, match="per_topic=True"):
            check_scores(table_of({"a": [0.5]}), baseline=read_earlier(file), significant=True)


class TestWhatIsShared:
    def test_runs_are_matched_by_name(self) -> None:
        before = EarlierScores.of(table_of({"a": [0.5], "b": [0.9]}))
        found = check_scores(table_of({"a": [0.5], "c": [0.1]}), baseline=before)
        assert [check.run for check in found.checks] == ["a"]
        assert found.warnings == (
            "not in the baseline, and not compared: c",
            "in the baseline, but not scored now: b",
        )
        with pytest.raises(InputError, match="no run 'x', 'y'; there are 'a', 'b'"):
            check_scores(table_of({"x": [0.5], "y": [0.1]}), baseline=before)

    def test_a_single_run_may_have_changed_its_name(self) -> None:
        found = check_scores(
            table_of({"new": [0.1]}), baseline=EarlierScores.of(table_of({"old": [0.5]}))
        )
        assert states(found) == ["failed"]
        assert found.warnings == ("new is compared with old, the only run of the baseline",)

    def test_measures_are_matched_with_all_their_parameters(self) -> None:
        now = table_of({"a": [0.5]})
        before = EarlierScores.of(now)
        other = EarlierScores({"M": "M(x=2)"}, before.runs, "last.json")
        with pytest.raises(InputError, match=r"last.json: no scores by M; .* by M\(x=2\)"):
            check_scores(now, baseline=other)
        renamed = EarlierScores({"N": "M(x=1)"}, {"a": _run({"N": 0.9})})
        assert states(check_scores(now, baseline=renamed)) == ["failed"]

    def test_no_topic_in_common_is_an_error(self) -> None:
        before = EarlierScores.of(with_topics({"7": 0.5}))
        with pytest.raises(InputError, match="no topic in common"):
            check_scores(with_topics({"8": 0.5}), baseline=before)


def _run(scores: dict[str, float]) -> EarlierRun:
    return EarlierRun(scores, {"0": scores})


class TestFiles:
    def test_what_was_written_is_read_back(self, tmp_path: Path) -> None:
        table = table_of({"a": [0.1, NAN, 0.7], "b": [0.5, 0.5, 0.5]})
        file = tmp_path / "last.json"
        file.write_bytes(as_json(table))
        found = read_earlier(file)
        assert (found.canonical, found.runs) == (
            EarlierScores.of(table).canonical,
            EarlierScores.of(table).runs,
        )
        assert check_scores(table, baseline=found).passed

    @pytest.mark.parametrize(
        "contents",
        [
            "",
            "[]",
            "{}",
            "not JSON",
            '{"canonical": {}, "runs": {}}',
            '{"canonical": {"M": 1}, "runs": []}',
            '{"canonical": {}, "runs": [1]}',
            '{"canonical": {}, "runs": [{"mean": {}}]}',
            '{"canonical": {}, "runs": [{"run": "a", "mean": {"M": "high"}}]}',
            '{"canonical": {}, "runs": [{"run": "a", "mean": {"M": NaN}}]}',
            '{"canonical": {}, "runs": [{"run": "a", "mean": {"M": true}}]}',
            '{"canonical": {}, "runs": [{"run": "a", "mean": {}, "topics": {"7": 1}}]}',
            '{"canonical": {}, "runs": [{"run": "a", "mean": {}}, {"run": "a", "mean": {}}]}',
        ],
    )
    def test_other_files_are_refused(self, tmp_path: Path, contents: str) -> None:
        file = tmp_path / "last.json"
        file.write_text(contents)
        with pytest.raises(FormatError, match=r"last\.json"):
            read_earlier(file)

    @pytest.mark.parametrize("text", ["", "-1", "many", "nan", "inf", "%"])
    def test_a_wrong_allowance_is_refused(self, text: str) -> None:
        with pytest.raises(InputError, match="max_drop="):
            Drop.parsed(text)


class TestJUnit:
    def test_counts_and_cases(self) -> None:
        checks = (
            Check("a", "M", "limit", "failed", "too low"),
            Check("a", "M", "drop", "passed", ""),
            Check("b", "M", "drop", "skipped", "new"),
        )
        root = ElementTree.fromstring(junit_xml(Gates(checks, ("mind this",))))
        assert root.attrib == {
            "name": "doxeval",
            "tests": "3",
            "failures": "1",
            "errors": "0",
            "skipped": "1",
        }
        assert [suite.get("name") for suite in root] == ["a", "b"]
        assert root.findtext("testsuite/system-err") == "mind this"
        assert [case.get("name") for case in root.iter("testcase")] == [
            "M, limit",
            "M, drop since the baseline",
            "M, drop since the baseline",
        ]

    @given(st.text(), st.text())
    def test_any_name_makes_xml(self, run: str, message: str) -> None:
        gates = Gates((Check(run, "M", "limit", "failed", message),), (message,))
        assert len(list(ElementTree.fromstring(junit_xml(gates)).iter("testcase"))) == 1


def test_json_is_read_as_written_by_hand() -> None:
    """The fields that a baseline needs are those of the documented format."""
    plain = json.loads(as_json(table_of({"a": [0.5]})))
    assert set(plain) >= {"canonical", "runs"}
    assert set(plain["runs"][0]) >= {"run", "mean", "topics"}


class TestTopicsThatFell:
    BEFORE = with_topics({"q1": 1.0, "q2": 0.5, "q3": 0.5, "q4": 0.2})
    NOW = with_topics({"q1": 0.25, "q2": 0.5, "q3": NAN, "q4": 0.1})

    def test_they_are_named_worst_first(self) -> None:
        (check,) = check_scores(self.NOW, baseline=EarlierScores.of(self.BEFORE)).checks
        assert check.lines(9)[1:] == [
            "  q3: from 0.5000 to no score",
            "  q1: from 1.0000 to 0.2500",
            "  q4: from 0.2000 to 0.1000",
        ]

    def test_where_lower_is_better_rises_are_named(self) -> None:
        facts = self.NOW.measures[0]._replace(higher_is_better=False)
        before, now = (replace(table, measures=(facts,)) for table in (self.NOW, self.BEFORE))
        (check,) = check_scores(now, baseline=EarlierScores.of(before)).checks
        assert [topic.topic for topic in check.fallen] == ["q1", "q4"]

    def test_means_alone_name_no_topics(self) -> None:
        earlier = EarlierScores({"M": "M(x=1)"}, {"a": EarlierRun({"M": 0.9})})
        (check,) = check_scores(self.NOW, baseline=earlier).checks
        assert check.lines(9) == [check.message]

    def test_junit_has_a_case_for_each_on_request(self) -> None:
        gates = check_scores(self.NOW, {"M": 0}, baseline=EarlierScores.of(self.BEFORE))
        suite = ElementTree.fromstring(junit_xml(gates, per_topic=True))[0]
        names = [case.get("name") for case in suite if case.find("failure") is not None]
        drop = "M, drop since the baseline"
        assert names == [drop, f"{drop}, q3", f"{drop}, q1", f"{drop}, q4"]
        assert (suite.get("tests"), suite.get("failures")) == ("9", "4")
        assert len(ElementTree.fromstring(junit_xml(gates))[0]) == 2 + bool(gates.warnings)
