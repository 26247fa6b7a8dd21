"""Tables of scores: looking things up, comparing, subsetting, naming runs, and writing them out."""

from __future__ import annotations

import csv
import io
import json
import pickle
import sys
from dataclasses import dataclass, replace
from operator import ne
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.errors import FormatError, InputError, UnknownName
from doxeval.scores import (
    FORMATS,
    Curve,
    MeasureFacts,
    RunScores,
    ScoreTable,
    as_latex,
    curves_as_csv,
    distinct_names,
    index_of_measure,
)
from strategies import score_tables


def table() -> ScoreTable:
    facts = (
        MeasureFacts("MAiP", "MAiP(alpha=0)", "average precision"),
        MeasureFacts("iP[.01]", "iP[0.01](alpha=0)", "precision", requested="iP[0.01](alpha=auto)"),
    )
    curve = Curve("MAiP", "recall", "iP", np.array([0.0, 1.0]), np.array([[1, np.nan], [0.5, 0]]))
    careful = RunScores(
        "careful", np.array([[0.5, 0.25], [1, np.nan]]), np.array([True, True]), None, (curve,)
    )
    broad = RunScores(
        "broad", np.array([[0.125, 0], [0, np.nan]]), np.array([True, False]), "b.run"
    )
    return ScoreTable(facts, ("7", "8"), (careful, broad))


@dataclass(frozen=True)
class Point:
    """A value that prints as the name of a measure."""

    at: str = "0.01"

    def __str__(self) -> str:
        return f"iP[{self.at}](alpha=0)"


class TestLookingUp:
    @pytest.mark.parametrize(
        "name",
        [
            "iP[.01]",
            "iP[0.01]",
            "iP[0.010]",
            "iP[ 1/100 ]",
            "iP[0.01](alpha=0)",
            "iP[.01](alpha=0.0)",
            "iP[0.01](alpha=auto)",
            Point(),
            Point(".0100"),
            Point,
        ],
    )
    def test_a_measure_by_any_of_its_names(self, name: object) -> None:
        scores = table()
        assert scores["careful"][name] == 1.0
        assert name in scores["careful"]
        assert scores["careful"].topics["7"][name] == 1.0
        assert scores["careful"].topics["8"][name] is None
        assert scores.only(measures=name).labels == ("iP[.01]",)

    def test_the_order_of_parameters_does_not_matter(self) -> None:
        facts = [MeasureFacts("MAgP(score=F,beta=.5)", "MAgP(score=F,beta=0.5,x=1)", "")]
        assert index_of_measure(facts, "MAgP(beta=0.50, score=F)") == 0
        assert index_of_measure(facts, "MAgP(x=1,beta=0.5,score=F)") == 0

    def test_numbers_in_names_stay_apart(self) -> None:
        labels = [
            "P@1",
            "P@10",
            "P@100",
            "P1",
            "P01",
            "iP[0.1]",
            "iP[0.01]",
            "iP[1/3]",
            "iP[0.333]",
        ]
        facts = [MeasureFacts(label, label, "") for label in labels]
        assert [index_of_measure(facts, label) for label in labels] == list(range(len(labels)))
        assert index_of_measure(facts, "P@010") == 1
        assert index_of_measure(facts, "iP[2/6]") == 7

    def test_a_label_comes_before_other_names(self) -> None:
        facts = [MeasureFacts("A", "B", ""), MeasureFacts("B", "C", "")]
        assert [index_of_measure(facts, name) for name in "ABC"] == [0, 1, 1]

    def test_what_is_not_there(self) -> None:
        scores = table()
        with pytest.raises(UnknownName, match=r"no scores by 'MAIP'; did you mean MAiP\?"):
            _ = scores["careful"]["MAIP"]
        with pytest.raises(InputError, match=r"no scores by 'x'; there are scores by MAiP, iP"):
            _ = scores["careful"]["x"]
        with pytest.raises(KeyError, match=r"no run 'carefull'; did you mean careful\?"):
            _ = scores["carefull"]
        with pytest.raises(UnknownName, match="no run 'x'; there are careful, broad"):
            scores.only(runs="x")
        with pytest.raises(UnknownName, match="there are none"):
            _ = ScoreTable((), (), ())["x"]
        assert "x" not in scores and "x" not in scores["careful"]
        assert scores["careful"].get("x") is None

    @given(score_tables())
    def test_views_agree_with_plain_dictionaries(self, scores: ScoreTable) -> None:
        assert list(scores) == [one.run for one in scores.runs]
        assert {run: dict(scores[run]) for run in scores} == scores.mean()
        assert dict(scores) == scores.mean()
        topics = {run: {t: dict(v) for t, v in scores[run].topics.items()} for run in scores}
        assert topics == scores.topics()
        for row in scores.rows():
            assert scores[row.run].topics[row.topic][row.measure] == row.value


class TestValues:
    @given(score_tables())
    def test_equal_tables_have_equal_hashes(self, scores: ScoreTable) -> None:
        again = pickle.loads(pickle.dumps(scores))
        assert again == scores
        assert not ne(again, scores)
        assert hash(again) == hash(scores)
        assert again.runs[0] == scores.runs[0]

    @given(score_tables(), st.data())
    def test_one_changed_score_makes_a_difference(
        self, scores: ScoreTable, data: st.DataObject
    ) -> None:
        run = data.draw(st.sampled_from(scores.runs))
        values = run.values.copy()
        place = tuple(data.draw(st.integers(0, length - 1)) for length in values.shape)
        values[place] = 0.375 if np.isnan(values[place]) else np.nan
        changed = replace(run, values=values)
        runs = tuple(changed if one is run else one for one in scores.runs)
        assert changed != run
        assert replace(scores, runs=runs) != scores

    def test_everything_pickles(self) -> None:
        scores = table()
        parts = [scores, *scores.runs, *scores.measures, *scores.runs[0].curves, scores["careful"]]
        for part in [*parts, scores["careful"].topics["7"]]:
            again = pickle.loads(pickle.dumps(part))
            assert again == part and repr(again) == repr(part)

    def test_negative_zero_is_zero(self) -> None:
        one, other = (RunScores("a", np.array([[zero]]), np.array([True])) for zero in (0.0, -0.0))
        assert one == other and hash(one) == hash(other)

    def test_curves_and_what_has_results_are_compared(self) -> None:
        scores = table().runs[0]
        (curve,) = scores.curves
        same = curve._replace(y=curve.y.copy())
        assert same == curve and not ne(same, curve) and hash(same) == hash(curve)
        assert curve._replace(y=curve.y + 1) != curve
        assert curve._replace(x=curve.x + 1) != curve
        assert curve != "a curve" and scores != "scores"
        assert replace(scores, curves=()) != scores
        known = replace(scores, has_results=np.array([True, False]))
        assert known != scores and scores != known
        assert known != replace(known, has_results=np.array([True, True]))

    @given(score_tables(most_runs=3), st.data())
    def test_only_is_what_is_left_when_the_rest_is_crossed_out(
        self, scores: ScoreTable, data: st.DataObject
    ) -> None:
        runs = data.draw(st.lists(st.sampled_from(list(scores)), unique=True))
        labels = data.draw(st.lists(st.sampled_from(scores.labels), unique=True))
        left = scores.only(runs=runs, measures=labels)
        mean = scores.mean()
        assert left.mean() == {run: {label: mean[run][label] for label in labels} for run in runs}
        assert (list(left), list(left.labels)) == (runs, labels)
        assert scores.only() == scores
        assert left.topic_ids == scores.topic_ids

    def test_only_keeps_the_curves_of_what_is_left(self) -> None:
        assert len(table().only(measures="MAiP").runs[0].curves) == 1
        assert table().only(measures=["iP[0.01]"]).runs[0].curves == ()

    @given(score_tables())
    def test_undefined_scores_take_one_line_for_each_run(self, scores: ScoreTable) -> None:
        lines = scores.undefined_in_words()
        assert lines.keys() == scores.undefined().keys()
        for run, line in lines.items():
            assert "\n" not in line
            missing = scores.undefined()[run]
            assert all(topic in line for topics in missing.values() for topic in topics)
            together = {tuple(topics) for topics in missing.values()}
            assert line.count(" for ") == len(together)
            if len(missing) < len(scores.labels):
                assert all(label in line for label in missing)


class TestShowing:
    def test_a_table_of_means(self) -> None:
        assert repr(table()).splitlines() == [
            "Scores of 2 runs by 2 measures on 2 topics",
            "run        MAiP  iP[.01]",
            "careful  0.3750   1.0000",
            "broad    0.1250   0.0000",
            "warning: careful: iP[.01] undefined for 1 of 2 topics (8)",
        ]
        assert repr(table()["broad"]) == "<broad: MAiP 0.1250, iP[.01] 0.0000; 1 topic>"
        assert repr(ScoreTable((), (), ())) == "Scores of 0 runs by 0 measures on 0 topics"

    @given(score_tables())
    def test_nothing_shows_arrays_or_addresses(self, scores: ScoreTable) -> None:
        shown = [scores, *scores.runs, *scores.measures, *(scores[run] for run in scores)]
        shown += [topic for run in scores for topic in scores[run].topics.values()]
        for value in shown:
            assert "array" not in repr(value) and " at 0x" not in repr(value)
            lines = repr(value).splitlines()
            warnings = [line for line in lines if line.startswith("warning: ")]
            assert len("\n".join(lines[: len(lines) - len(warnings)])) < 600
            assert len(warnings) <= 10 and all(len(line) < 250 for line in warnings)

    def test_a_large_table_is_cut(self) -> None:
        facts = tuple(MeasureFacts(f"measure{n}", f"m{n}", "") for n in range(50))
        runs = tuple(
            RunScores("long " * 50 + str(n), np.zeros((50, 900)), np.ones(900, dtype=np.bool_))
            for n in range(300)
        )
        lines = repr(ScoreTable(facts, tuple(map(str, range(900))), runs)).splitlines()
        assert len(lines) == 13
        assert lines[-1] == "… and 290 more runs"
        assert all(len(line) < 120 for line in lines)
        assert lines[1].endswith("measure5  …")

    def test_names_cannot_steer_a_terminal(self) -> None:
        (scores,) = table().only(runs="careful").runs
        shown = repr(replace(table(), runs=(replace(scores, run="a\x1b[2Jb\nc"),)))
        assert "\x1b" not in shown and len(shown.splitlines()) == 4
        assert shown.splitlines()[-1].startswith("warning: ")


class TestFrames:
    def test_means(self) -> None:
        frame = table().mean_frame()
        assert type(frame).__module__.startswith("pandas")
        assert (list(frame.index), list(frame.columns)) == (
            ["careful", "broad"],
            ["MAiP", "iP[.01]"],
        )
        assert frame.loc["careful", "MAiP"] == 0.375
        polars = table().mean_frame("polars")
        assert polars.columns == ["run", "MAiP", "iP[.01]"]
        assert polars.rows() == [("careful", 0.375, 1.0), ("broad", 0.125, 0.0)]

    def test_topics(self) -> None:
        frame = table().topic_frame("careful")
        assert frame["MAiP"].to_dict() == {"7": 0.5, "8": 0.25}
        assert np.isnan(frame.loc["8", "iP[.01]"])
        every = table().topic_frame()
        assert list(every.index) == [("careful", "7"), ("careful", "8"), ("broad", "7")]
        polars = table().topic_frame("careful", "polars")
        assert polars.rows() == [("7", 0.5, 1.0), ("8", 0.25, None)]
        assert table().topic_frame(kind="polars").columns == ["run", "topic", "MAiP", "iP[.01]"]

    @given(score_tables())
    def test_long_frames_have_every_score(self, scores: ScoreTable) -> None:
        rows = [tuple(row) for row in scores.rows()]
        assert scores.to_polars().rows() == rows
        pandas = scores.to_pandas()
        assert list(pandas.columns) == ["run", "topic", "measure", "value"]
        found = [
            (*names, None if np.isnan(value) else value)
            for *names, value in pandas.itertuples(index=False, name=None)
        ]
        assert found == rows

    def test_without_a_library(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pandas", None)
        assert type(table().mean_frame()).__module__.startswith("polars")
        with pytest.raises(FormatError, match="needs pandas, which is not installed"):
            table().to_pandas()
        monkeypatch.setitem(sys.modules, "polars", None)
        with pytest.raises(FormatError, match="needs pandas or polars, neither of which"):
            table().topic_frame()
        with pytest.raises(FormatError, match="kind='excel': expected 'pandas' or 'polars'"):
            table().mean_frame("excel")  # type: ignore[arg-type]


class TestFormats:
    def test_json_has_the_curves(self) -> None:
        curve = json.loads(FORMATS["json"](table(), True))["runs"][0]["curves"][0]
        assert curve["topics"] == {"7": [1.0, None], "8": [0.5, 0.0]}
        means = json.loads(FORMATS["json"](table(), False))["runs"][0]["curves"][0]
        assert (means["mean"], "topics" in means) == ([0.75, 0.0], False)

    def test_trec(self) -> None:
        lines = FORMATS["trec"](table().only(runs="careful"), True).decode().splitlines()
        assert lines[:3] == ["runid\tall\tcareful", "MAiP\t7\t0.5", "iP[.01]\t7\t1.0"]
        assert lines[4:] == ["iP[.01]\t8\tnan", "MAiP\tall\t0.375", "iP[.01]\tall\t1.0"]

    def test_curves_as_csv(self) -> None:
        rows = list(csv.reader(io.StringIO(curves_as_csv(table()).decode())))
        assert rows == [
            ["run", "topic", "measure", "x_name", "x", "y_name", "y"],
            ["careful", "7", "MAiP", "recall", "0.0", "iP", "1.0"],
            ["careful", "7", "MAiP", "recall", "1.0", "iP", ""],
            ["careful", "8", "MAiP", "recall", "0.0", "iP", "0.5"],
            ["careful", "8", "MAiP", "recall", "1.0", "iP", "0.0"],
            ["careful", "all", "MAiP", "recall", "0.0", "iP", "0.75"],
            ["careful", "all", "MAiP", "recall", "1.0", "iP", "0.0"],
        ]
        assert len(curves_as_csv(table(), per_topic=False).splitlines()) == 3

    def test_latex_with_topics(self) -> None:
        means, careful, broad = as_latex(table(), True).decode().split("\n\n")
        assert means == as_latex(table()).decode().rstrip("\n")
        assert careful.splitlines() == [
            r"\begin{tabular}{lrr}",
            r"\toprule",
            r"\multicolumn{3}{l}{careful} \\",
            r"\midrule",
            r"topic & MAiP & iP[.01] \\",
            r"\midrule",
            r"7 & 0.5000 & 1.0000 \\",
            r"8 & 0.2500 & -- \\",
            r"\midrule",
            r"mean & 0.3750 & 1.0000 \\",
            r"\bottomrule",
            r"\end{tabular}",
        ]
        assert broad.count(r"\\") == 4  # topic 8 does not count for this run


RUN_NAMES = st.lists(
    st.tuples(
        st.sampled_from(["run", "run #2", "run (a)", "other"]),
        st.one_of(
            st.none(),
            st.sampled_from(["a.run", "b.run", "x/a.run", "y/a.run", "y/a.txt", "./a.run"]),
        ),
    ),
    max_size=7,
)


class TestNamesOfRuns:
    @given(RUN_NAMES)
    def test_every_run_has_a_name_of_its_own(self, runs: list[tuple[str, str | None]]) -> None:
        names = distinct_names(runs)
        assert len(set(names)) == len(runs)
        ids = [run for run, _ in runs]
        for name, run in zip(names, ids, strict=True):
            assert name.startswith(run)
            if ids.count(run) == 1:
                assert name == run

    @pytest.mark.parametrize(
        ("files", "names"),
        [
            (["a.run", "b.run"], ["run (a)", "run (b)"]),
            (["a.run", "a.txt"], ["run (a.run)", "run (a.txt)"]),
            (["x/a.run", "y/a.run", "b.run"], ["run (x/a.run)", "run (y/a.run)", "run (b.run)"]),
            (["/x/1/a.run", "/y/1/a.run"], ["run (x/1/a.run)", "run (y/1/a.run)"]),
            (["a.run", "a.run"], ["run (a)", "run (a) #2"]),
            ([None, None, "a.run"], ["run", "run #2", "run (a)"]),
        ],
    )
    def test_by_file_or_number(self, files: list[Any], names: list[str]) -> None:
        assert distinct_names([("run", file) for file in files]) == names
