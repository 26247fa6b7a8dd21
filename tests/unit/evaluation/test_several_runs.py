"""Several runs, and the ways to give runs, measures and collections."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from doxeval.assessments import Assessments
from doxeval.documents import example_collection
from doxeval.errors import UnknownName
from doxeval.evaluation import Evaluation, RunOptions, evaluate
from doxeval.measures import MEASURES, iP
from doxeval.runs import Run
from making import passage, paths, scored
from small_world import DOCUMENTS, HIGHLIGHTED, TWO_TOPICS, several_tables


def test_threads_give_the_same_table() -> None:
    with ThreadPoolExecutor(2) as executor:
        assert several_tables(executor=executor) == several_tables()


def test_runs_with_one_id_are_told_apart(tmp_path: Path) -> None:
    assessments = Assessments(TWO_TOPICS)
    mine = Run.from_results([passage("a", 0, 60)], "mine")
    by_number = evaluate([mine, mine, Run.from_results([], "other"), mine], assessments, ["cP@1"])
    assert list(by_number.mean()) == ["mine", "mine #2", "other", "mine #3"]
    files = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for length, file in zip((50, 100), files, strict=True):
        file.write_text(f"7 Q0 a 1 9 mine 0 {length}\n")
    by_file = evaluate(files, assessments, ["cP@1"])
    assert list(by_file.mean()) == ["mine (one)", "mine (two)"]
    assert [scores["cP@1"] for scores in by_file.mean().values()] == [0.5, 0.25]
    same_file_twice = evaluate([files[0], files[0]], assessments, ["cP@1"])
    assert list(same_file_twice.mean()) == ["mine (one)", "mine (one) #2"]
    named = evaluate({"first": files[0], "second": files[1]}, assessments, "cP@1")
    assert named.mean() == {"first": {"cP@1": 0.5}, "second": {"cP@1": 0.25}}


def test_labels_stay_as_they_were_typed_and_measures_may_be_values() -> None:
    run, assessments = Run.from_results([passage("a", 0, 60)]), Assessments(TWO_TOPICS)
    table = evaluate(run, assessments, ["iP[.01]", "iP[0.01]", MEASURES["iP"](), "iP[.01]"])
    assert table.labels == ("iP[.01]", "iP[0.01]")
    assert len(set(table.mean()["run"].values())) == 1
    assert table["run"]["iP[0.01]"] == table["run"][iP[0.01]] == table["run"]["iP[.01]"]
    by_value = evaluate(run, assessments, iP(alpha=1)[0.1])
    assert by_value.labels == ("iP[0.1](alpha=1)",)
    assert by_value.measures[0].canonical == "iP[0.1](alpha=1,resize=full)"


def test_a_collection_is_given_as_a_value_or_by_its_directory() -> None:
    collection = example_collection(DOCUMENTS)
    found = [
        scored(paths("/a[1]/s[1]"), HIGHLIGHTED, "cP@1", "ERRU@1", collection=given)
        for given in (collection, collection.directory, str(collection.directory))
    ]
    assert found == [[1.0, 1.0]] * 3


def test_the_scores_of_one_run_answer_as_in_the_table() -> None:
    evaluation = Evaluation(
        Assessments(TWO_TOPICS), ["cP@1", "iP[.01]"], run_options=RunOptions(duplicates="keep")
    )
    run = Run.from_results([passage("a", 0, 60), passage("a", 0, 60)], "mine")
    scores, row = evaluation.score(run), evaluation.score_all(run)["mine"]
    assert scores["cP@1"] == row["cP@1"] == scores["cP@1(duplicates=keep)"]
    assert scores.mean == dict(row)
    assert scores.topics == row.topics
    assert scores == evaluation.score_all(run).runs[0]
    assert pickle.loads(pickle.dumps(scores)).mean == scores.mean
    with pytest.raises(UnknownName, match="no scores by 'cP@2'"):
        scores["cP@2"]
