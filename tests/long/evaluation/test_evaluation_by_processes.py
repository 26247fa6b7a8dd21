"""Evaluation in several processes gives what one process gives."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from doxeval.assessments import Assessments, Judgment
from doxeval.documents import example_collection
from doxeval.errors import UnknownReference
from doxeval.evaluation import Evaluation, Keep, evaluate
from doxeval.runs import Run
from making import passage, paths
from small_world import DOCUMENTS, HIGHLIGHTED, TWO_TOPICS, several_tables


def test_processes_give_the_same_table() -> None:
    assert several_tables(jobs=2) == several_tables()
    assert several_tables(jobs=16) == several_tables()


def test_an_executor_of_processes_gives_the_same_table() -> None:
    with ProcessPoolExecutor(2) as executor:
        assert several_tables(executor=executor) == several_tables()


def test_an_error_in_another_process_comes_back_as_it_is() -> None:
    collection = example_collection(DOCUMENTS)
    runs = [Run.from_results(paths("/a[1]")), Run.from_results(paths("/a[1]/s[9]"))]
    with pytest.raises(UnknownReference, match="1 result does not resolve"):
        evaluate(runs, Assessments(HIGHLIGHTED), ["cP@1"], collection=collection, jobs=2)


def test_files_are_named_as_by_one_process(tmp_path: Path) -> None:
    files = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for length, file in zip((50, 100), files, strict=True):
        file.write_text(f"7 Q0 a 1 9 mine 0 {length}\n")
    table = evaluate(files, Assessments(TWO_TOPICS), ["cP@1"], jobs=2)
    assert table.mean() == {"mine (one)": {"cP@1": 0.5}, "mine (two)": {"cP@1": 0.25}}


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_in_other_processes(library: str) -> None:
    frames: Any = pytest.importorskip(library)
    run = {"7": {"a": 0.9, "b": 0.5}}
    frame = frames.DataFrame({"qid": ["7", "7"], "docno": ["a", "b"], "score": [0.9, 0.5]})
    judged = frames.DataFrame({"qid": ["7", "7"], "docno": ["a", "b"], "label": [0, 1]})
    table = evaluate({"one": frame, "two": run}, judged, "AP", jobs=2)
    assert table.mean() == {"one": {"AP": 0.5}, "two": {"AP": 0.5}}


def test_scores_of_documents_from_other_processes() -> None:
    judged = [Judgment("7", "a", ((0, 200),), 40, 1000), Judgment("7", "b")]
    results = [passage("a", 150, 220), passage("b", 0, 80)]
    runs = [Run.from_results(results, "one"), Run.from_results(results[:1], "two")]
    evaluation = Evaluation(Assessments(judged), "MAgP", keep=Keep(per_document=True))
    here, there = (evaluation.score_all(runs, jobs=jobs) for jobs in (1, 2))
    assert here == there
    assert hash(here.runs[0].documents[0]) == hash(there.runs[0].documents[0])
