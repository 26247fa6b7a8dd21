"""Scores that were computed elsewhere: what is read, and what is refused."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval import ScoreTable, compare, correlate, read_scores
from doxeval.errors import DoxevalError, DoxevalWarning, FormatError, InputError, SourceError
from doxeval.evaluation import is_score_file
from doxeval.scores import FORMATS, MeasureFacts, RunScores

LONG = """run,topic,measure,value
a,1,AP,0.5
a,1,P@5,0.2
a,2,AP,0.25
a,2,P@5,0.4
b,1,AP,0.75
b,1,P@5,0
b,2,AP,1
b,2,P@5,1
"""
WIDE = "run,topic,AP,P@5\na,1,.5,.2\na,2,.25,.4\nb,1,.75,0\nb,2,1e0,1\n"
SCORES = {
    "a": {"1": {"AP": 0.5, "P@5": 0.2}, "2": {"AP": 0.25, "P@5": 0.4}},
    "b": {"1": {"AP": 0.75, "P@5": 0.0}, "2": {"AP": 1.0, "P@5": 1.0}},
}


def read(folder: Path, text: str | bytes, name: str = "scores.csv") -> ScoreTable:
    file = folder / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_scores(file)


class TestLayouts:
    @pytest.mark.parametrize(
        "text",
        [
            LONG,
            WIDE,
            WIDE.replace(",", "\t"),
            WIDE.replace(",", ";"),
            WIDE.replace("\n", "\r\n"),
            "\ufeff" + WIDE,
            WIDE.replace("run,topic", "system, QID"),
            "".join(
                f"{at},{line}\n" if at else f",{line}\n" for at, line in enumerate(WIDE.split())
            ),
            "topic,AP,run,P@5\n1,.5,a,.2\n2,.25,a,.4\n\n1,.75,b,0\n2,1,b,1",
            LONG.replace("measure", "metric").replace("run,", '"name",'),
        ],
    )
    def test_all_of_them_are_the_same_scores(self, tmp_path: Path, text: str) -> None:
        table = read(tmp_path, text)
        assert table.topics() == SCORES
        assert is_score_file(str(tmp_path / "scores.csv"))

    def test_a_column_of_values_names_their_measure(self, tmp_path: Path) -> None:
        table = read(tmp_path, "run,topic,value\na,7,.5\n")
        assert table.topics() == {"a": {"7": {"value": 0.5}}}

    def test_a_file_without_runs_is_one_run(self, tmp_path: Path) -> None:
        text = "qid,AP\n1,.5\n2,.25\n"
        read(tmp_path, text, "lm.csv")
        assert list(read(tmp_path, text, "bm25.csv")) == ["bm25"]
        table = read_scores({"mine": tmp_path / "lm.csv", "base": tmp_path / "bm25.csv"})
        assert list(table) == ["mine", "base"]
        assert table.runs[0].file == str(tmp_path / "lm.csv")

    def test_files_come_together(self, tmp_path: Path) -> None:
        read(tmp_path, "run,topic,AP\na,1,.5\na,2,.25\nb,1,.75\nb,2,1\n", "AP.csv")
        read(tmp_path, "run,topic,P@5\na,1,.2\na,2,.4\nb,1,0\nb,2,1\n", "P.csv")
        table = read_scores([tmp_path / "AP.csv", tmp_path / "P.csv"])
        assert table.topics() == SCORES
        assert [run.file for run in table.runs] == [None, None]

    def test_compressed_files(self, tmp_path: Path) -> None:
        assert read(tmp_path, gzip.compress(LONG.encode()), "s.csv.gz").topics() == SCORES

    def test_undefined_scores_are_empty_or_nan(self, tmp_path: Path) -> None:
        with pytest.warns(DoxevalWarning, match="AP undefined for 2 of 3 topics"):
            table = read(tmp_path, "run,topic,AP\na,1,\na,2,NaN\na,3,.5\n")
        assert table["a"]["AP"] == 0.5
        assert table.undefined() == {"a": {"AP": ["1", "2"]}}


class TestFrames:
    @pytest.mark.parametrize("library", [pandas, polars])
    def test_long_and_wide(self, library: Any) -> None:
        rows = [
            (run, topic, measure, value)
            for run, topics in SCORES.items()
            for topic, scores in topics.items()
            for measure, value in scores.items()
        ]
        names = ["run", "qid", "measure", "value"]
        columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        assert read_scores(library.DataFrame(columns)).topics() == SCORES
        wide = library.DataFrame(
            {
                "name": ["a", "a", "b", "b"],
                "topic": [1, 2, 1, 2],
                "AP": [0.5, 0.25, 0.75, 1.0],
                "P@5": [0.2, 0.4, 0.0, 1.0],
            }
        )
        assert read_scores([wide]).topics() == SCORES

    @pytest.mark.parametrize("kind", ["pandas", "polars"])
    def test_what_a_table_gives_can_be_read(self, tmp_path: Path, kind: Any) -> None:
        table = read(tmp_path, LONG)
        assert read_scores(table.topic_frame(kind=kind)).topics() == SCORES
        frame = table.to_pandas() if kind == "pandas" else table.to_polars()
        assert read_scores(frame).topics() == SCORES

    def test_missing_values_of_pandas(self) -> None:
        values = pandas.array([1, None], dtype="Int64")
        frame = pandas.DataFrame({"topic": ["1", "2"], "AP": values})
        with pytest.warns(DoxevalWarning, match="undefined for 1 of 2 topics"):
            assert read_scores({"a": frame}).topics() == {"a": {"1": {"AP": 1}, "2": {"AP": None}}}

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ({"run": ["a"], "topic": [None], "AP": [1.0]}, "row 0 of the data frame: no topic"),
            ({"run": ["a"], "topic": [1.5], "AP": [1.0]}, "row 0 of the data frame: 1.5 is no to"),
            ({"run": ["a"], "topic": ["1"], "AP": ["x"]}, "row 0 of the data frame: 'x' is not a"),
            ({"run": ["a"], "topic": ["1"], "AP": [True]}, "True is not a number"),
            ({"run": ["a"], "topic": ["1"], "AP": [[1]]}, r"\[1\] is not a number"),
            ({"run": ["a"] * 2, "topic": ["1"] * 2, "AP": [1, 1]}, "given twice, first in row 0"),
            ({"run": ["a"], "AP": [1.0]}, "no column topic"),
            ({"run": [], "topic": [], "AP": []}, "no scores"),
        ],
    )
    def test_bad_frames(self, columns: dict[str, Any], message: str) -> None:
        with pytest.raises(FormatError, match=message):
            read_scores(pandas.DataFrame(columns))


BAD = {
    "": "scores.csv: an empty file; expected a first line with column names",
    "a,1,0.5\nb,1,0.5\n": "scores.csv:1: no column topic (or topic_id, qid, query_id, q_id, "
    "query-id) among a, 1, 0.5; expected a first line with column names",
    "run,AP\na,1\n": "scores.csv:1: no column topic",
    "run,topic\na,1\n": "scores.csv:1: columns run, topic: expected another with values",
    "run,topic,measure\na,1,AP\n": "scores.csv:1: columns run, topic, measure: expected another",
    "run,topic,measure,value,p\na,1,AP,1,2\n": "expected only one with values besides run, topic",
    "run,topic,AP,AP\na,1,1,1\n": "scores.csv:1: there are two columns 'AP'",
    "run,topic,qid,AP\na,1,1,1\n": "scores.csv:1: the columns 'topic' and 'qid' are both the topic",
    "run,topic,docno,AP\na,1,d,1\n": "scores.csv:1: a column 'docno', as runs and judgments have",
    "run,topic,AP\n": "scores.csv: no scores",
    "run,topic,AP\na,all,.5\n": "scores.csv: only means: expected the scores of topics",
    "run,topic,AP\na,1,.5\na,1,.5\n": "scores.csv:3: the score of 'a' for topic '1' by 'AP' is",
    "run,topic,AP\na,all,.5\na,all,.5\na,1,1\n": "scores.csv:3: the score of 'a' for topic 'all'",
    "run,topic,AP\na,1,half\n": "scores.csv:2: 'half' is not a number: expected a score by 'AP'",
    'run,topic,AP\na,1,"0,5"\n': "scores.csv:2: '0,5' is not a number",
    "run,topic,AP\na,1,1_0\n": "scores.csv:2: '1_0' is not a number",
    "run,topic,AP\na,1,٣\n": "scores.csv:2: '٣' is not a number",
    "run,topic,AP\na,1,-inf\n": "scores.csv:2: '-inf' is not a number",
    "run,topic,AP\na,1,1e999\n": "scores.csv:2: '1e999' is not a number",
    "run,topic,AP\na,1\n": "scores.csv:2: 2 fields: expected 3, as in line 1",
    "run,topic,AP\na,1,1,1\n": "scores.csv:2: 4 fields: expected 3",
    "run,topic,AP\n,1,1\n": "scores.csv:2: no run: expected a name",
    "run,topic,AP\na, ,1\n": "scores.csv:2: no topic: expected a name",
    "run,topic,measure,value\na,1,,1\n": "scores.csv:2: no measure: expected a name",
    'run,topic,AP\na,"1,1\n': "scores.csv:2: a quotation mark",
}


class TestBadFiles:
    @pytest.mark.parametrize("text", BAD)
    def test_the_error_says_where_and_what_is_expected(self, tmp_path: Path, text: str) -> None:
        with pytest.raises(FormatError) as error:
            read(tmp_path, text)
        assert BAD[text] in str(error.value)

    def test_bytes_that_are_not_text(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"scores\.csv"):
            read(tmp_path, b"run,topic,AP\na,1,\xff\n")

    def test_no_file_and_no_scores(self, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match="No such file"):
            read_scores(tmp_path / "none.csv")
        for nothing in (7, [7], []):
            with pytest.raises(InputError, match="expected a file"):
                read_scores(nothing)  # type: ignore[arg-type]

    def test_a_score_in_two_files_is_given_twice(self, tmp_path: Path) -> None:
        read(tmp_path, WIDE, "first.csv")
        read(tmp_path, WIDE, "second.csv")
        with pytest.raises(FormatError, match=r"second.csv:2: .* given twice, first .*first.csv:2"):
            read_scores([tmp_path / "first.csv", tmp_path / "second.csv"])

    def test_several_runs_cannot_have_one_name(self, tmp_path: Path) -> None:
        read(tmp_path, WIDE)
        with pytest.raises(FormatError, match=r"2 runs \(a, b\), which cannot all be 'mine'"):
            read_scores({"mine": tmp_path / "scores.csv"})

    def test_a_table_that_would_be_almost_empty_is_refused(self, tmp_path: Path) -> None:
        lines = "".join(f"r{n},t{n},m{n},1\n" for n in range(400))
        with pytest.raises(FormatError, match="only 400 of 64,000,000 scores"):
            read(tmp_path, f"run,topic,measure,value\n{lines}")


class TestWarnings:
    def test_topics_without_a_line_do_not_count_for_a_run(self, tmp_path: Path) -> None:
        text = "run,topic,AP\na,1,.5\na,2,.25\na,3,1\nb,2,.75\n"
        with pytest.warns(DoxevalWarning, match="b: no scores for 2 of 3 topics"):
            table = read(tmp_path, text)
        assert table.runs[1].warnings == (
            "no scores for 2 of 3 topics (1, 3), which do not count for this run",
        )
        assert table["b"]["AP"] == 0.75
        with pytest.warns(DoxevalWarning, match="one topic has a score by AP from both"):
            assert compare(table).pairs[0].topics == 1

    def test_means_are_those_of_the_topics(self, tmp_path: Path) -> None:
        with pytest.warns(DoxevalWarning) as warnings:
            table = read(tmp_path, "topic,AP,P\n1,.5,.1\n2,.25,.2\nall,.5,.1500\n")
        assert [str(warning.message) for warning in warnings] == [
            "the mean by AP is given as 0.5000, but that of the topics is 0.3750, which is used"
        ]
        assert table["scores"]["AP"] == 0.375


class TestMeasures:
    def test_what_is_known_by_name(self, tmp_path: Path) -> None:
        text = "topic,MAiP,Cost@4000[.5],latency,AP(duplicates=keep)\n1,.5,9,7,1\n"
        maip, cost, latency, precision = read(tmp_path, text).measures
        assert (maip.lowest, maip.highest, maip.higher_is_better) == (0, 1, True)
        assert (cost.higher_is_better, cost.highest) == (False, None)
        assert (latency.lowest, latency.highest) == (-np.inf, None)
        assert (latency.higher_is_better, precision.duplicates) == (True, "keep")
        assert precision.highest == 1

    def test_lower_is_better(self, tmp_path: Path) -> None:
        text = "run,topic,latency\na,1,5\na,2,6\nb,1,1\nb,2,2\n"
        read(tmp_path, text)
        file = tmp_path / "scores.csv"
        table = read_scores(file, lower_is_better="latency")
        assert [run.run for run in compare(table).ranking] == ["b", "a"]
        assert [run.run for run in compare(read_scores(file)).ranking] == ["a", "b"]
        with pytest.raises(DoxevalError, match="no scores by 'latencies'; did you mean latency"):
            read_scores(file, lower_is_better=["latencies"])


# Names that are stripped, or mean something, are other names when they are read.
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(
    lambda name: name == name.strip() and name != "all" and "\x00" not in name
)


@given(
    st.lists(NAMES, min_size=1, max_size=3, unique=True),
    st.lists(NAMES, min_size=1, max_size=3, unique=True),
    st.lists(NAMES, min_size=1, max_size=3, unique=True),
    st.data(),
)
def test_what_evaluate_writes_is_read_as_it_was(
    tmp_path_factory: pytest.TempPathFactory,
    runs: list[str],
    topics: list[str],
    labels: list[str],
    data: st.DataObject,
) -> None:
    score = st.floats(-1e6, 1e6)
    shape = len(labels), len(topics)
    counted = np.ones(len(topics), dtype=bool)
    scores = [
        RunScores(
            run,
            np.array(
                data.draw(
                    st.lists(score, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])
                )
            ).reshape(shape),
            counted,
        )
        for run in runs
    ]
    table = ScoreTable(
        tuple(MeasureFacts(label, label, "") for label in labels), tuple(topics), tuple(scores)
    )
    file = tmp_path_factory.mktemp("scores") / "s.csv"
    file.write_bytes(FORMATS["csv"](table, True))
    assert is_score_file(str(file))
    again = read_scores(file)
    assert again.topics() == table.topics()
    assert again.mean() == table.mean()


def test_scores_from_elsewhere_are_correlated(tmp_path: Path) -> None:
    (pair,) = correlate(read(tmp_path, LONG)).pairs
    assert (pair.first, pair.second, pair.systems, pair.tau.value) == ("AP", "P@5", 2, 1.0)
