"""Runs and assessments as data frames, and arguments in the order of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import polars
import pytest

import doxeval
from doxeval import Assessments, DoxevalWarning, Run, evaluate
from doxeval.errors import DoxevalError, FormatError
from doxeval.runs import LooksLikeAssessments

QRELS = {"7": {"a": 1, "b": 0, "c": 2}, "8": {"a": 1}}
RUN = {"7": {"a": 0.9, "b": 0.5, "c": 0.1}, "8": {"a": 0.3}}
EXPECTED = evaluate(RUN, QRELS, "AP").mean()
ROWS = [(topic, doc, score) for topic, own in RUN.items() for doc, score in own.items()]
GRADES = [(topic, doc, grade) for topic, own in QRELS.items() for doc, grade in own.items()]
LIBRARIES = pytest.mark.parametrize("library", [pandas, polars])


def run_frame(library: Any, topic: str = "qid", doc: str = "docno", score: str = "score") -> Any:
    columns = zip(*ROWS, strict=True)
    return library.DataFrame(dict(zip((topic, doc, score), map(list, columns), strict=True)))


def qrels_frame(library: Any, topic: str = "qid", doc: str = "docno", grade: str = "label") -> Any:
    columns = zip(*GRADES, strict=True)
    return library.DataFrame(dict(zip((topic, doc, grade), map(list, columns), strict=True)))


@LIBRARIES
@pytest.mark.parametrize(
    "names",
    [
        ("qid", "docno", "score"),
        ("query_id", "doc_id", "score"),
        ("query_id", "docno", "sim"),
        ("topic", "document", "rsv"),
        ("topic", "doc", "score"),
    ],
)
@pytest.mark.filterwarnings("error::doxeval.DoxevalWarning")
def test_data_frames_are_runs_and_assessments(library: Any, names: tuple[str, str, str]) -> None:
    assert evaluate(run_frame(library, *names), QRELS, "AP").mean() == EXPECTED
    for grade in ("label", "relevance", "rel", "grade"):
        judged = qrels_frame(library, *names[:2], grade)
        assert evaluate(RUN, judged, "AP").mean() == EXPECTED
        assert evaluate(run_frame(library, *names), judged, "AP").mean() == EXPECTED


@LIBRARIES
def test_frames_by_name(library: Any) -> None:
    runs = {"one": run_frame(library), "two": RUN}
    found = evaluate(runs, qrels_frame(library), "AP").mean()
    assert found == {"one": EXPECTED["run"], "two": EXPECTED["run"]}


@LIBRARIES
def test_passages_in_frames(library: Any) -> None:
    run = library.DataFrame({"qid": ["7"], "docno": ["a"], "start": [0], "end": [20], "rank": [0]})
    gold = library.DataFrame({"topic": ["7"], "doc": ["a"], "start": [0], "end": [10]})
    assert evaluate(run, gold, "cP@1").mean() == {"run": {"cP@1": 0.5}}


@LIBRARIES
def test_extra_columns_are_ignored_with_one_warning(library: Any) -> None:
    """As PyTerrier has them: the question, its number of a document, and what others add."""
    columns = {"qid": ["7"] * 2, "docid": [4, 9], "docno": ["a", "b"], "rank": [0, 1]}
    more = {"score": [2.0, 1.0], "query": ["fog"] * 2, "features": [1, 2]}
    frame = library.DataFrame({**columns, **more})
    with pytest.warns(DoxevalWarning) as records:
        table = evaluate(frame, {"7": {"a": 1}}, "AP")
    (record,) = records
    assert "are ignored: docid, query, features" in str(record.message)
    assert table["run"]["AP"] == 1
    with pytest.warns(DoxevalWarning, match="are ignored: mood") as records:
        Assessments.from_frame(
            library.DataFrame({"qid": ["7"], "docno": ["a"], "label": [1], "mood": ["?"]})
        )
    assert len(records) == 1


@LIBRARIES
def test_pools_of_frames(library: Any) -> None:
    pool = doxeval.pool_runs({"one": run_frame(library), "two": RUN}, depth=1)
    assert [one.document for one in pool.documents["7"]] == ["a"]
    judged = qrels_frame(library)
    assert doxeval.pool_runs([RUN], depth=1, assessments=judged).documents.keys() == {"7", "8"}


class TestArgumentsInTheOrderOfOthers:
    """Assessments first, as ranx has it: recognised and refused by name, never scored."""

    @LIBRARIES
    def test_frames(self, library: Any) -> None:
        with pytest.raises(FormatError, match=r"looks like a run \(the column score\)"):
            evaluate(qrels_frame(library), run_frame(library), "AP")
        with pytest.raises(LooksLikeAssessments, match=r"the column label.*runs come first"):
            evaluate(qrels_frame(library), QRELS, "AP")
        run = library.DataFrame({"qid": ["7"], "docno": ["a"], "rank": [1], "run_id": ["x"]})
        with pytest.raises(FormatError, match=r"looks like a run \(the column rank\)"):
            evaluate(qrels_frame(library), run, "AP")

    def test_values(self) -> None:
        run: Any = Run.from_dict(RUN, "mine")
        judged: Any = Assessments.from_dict(QRELS)
        with pytest.raises(FormatError, match=r"a Run.*runs come first"):
            evaluate(judged, run, "AP")
        with pytest.raises(LooksLikeAssessments, match="given as a run: runs come first"):
            evaluate(judged, QRELS, "AP")
        with pytest.raises(LooksLikeAssessments, match="given as a run: runs come first"):
            evaluate([judged], QRELS, "AP")
        with pytest.raises(LooksLikeAssessments):
            doxeval.pool_runs(judged, depth=1)

    @pytest.mark.parametrize(
        "runs", [RUN, {"mine": RUN}, {"mine": "my.run"}, {"mine": Run.from_dict(RUN)}, {"7": ["a"]}]
    )
    def test_dicts(self, runs: Any) -> None:
        with pytest.raises(FormatError, match="runs come first"):
            evaluate(QRELS, runs, "AP")

    def test_files(self, tmp_path: Path) -> None:
        qrels = tmp_path / "qrels.txt"
        qrels.write_text("7 0 a 1\n")
        for name, line in (
            ("mine.run", "7 Q0 a 1 0.9 mine\n"),
            ("mine.jsonl", '{"topic": "7", "doc": "a", "score": 0.9}\n'),
            ("passages.jsonl", '{"topic": "7", "doc": "a", "start": 0, "end": 9, "rank": 1}\n'),
        ):
            run = tmp_path / name
            run.write_text(line)
            with pytest.raises(DoxevalError, match="this looks like a run"):
                evaluate(qrels, run, "AP")
            with pytest.raises(DoxevalError, match="this looks like assessments"):
                evaluate(qrels, qrels, "AP")
