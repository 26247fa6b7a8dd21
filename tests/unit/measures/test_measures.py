"""Every measure of the registry: its example, its name, its documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from doxeval.assessments import read_assessments
from doxeval.documents import example_collection
from doxeval.evaluation import evaluate
from doxeval.measures import MEASURES, measure_named
from doxeval.runs import read_run
from helpers import write_files


@pytest.mark.parametrize("name", MEASURES)
def test_the_worked_example_is_true(name: str, tmp_path: Path) -> None:
    example = MEASURES[name].facts.example
    assert example is not None
    collection = None if example.documents is None else example_collection(example.documents)
    files = write_files(tmp_path, {"assessments": example.assessments, "run": example.run})
    assessments = read_assessments(files / "assessments", collection=collection)
    run = read_run(files / "run")
    chunks = None
    if example.chunks is not None:
        chunks = write_files(tmp_path, {"chunks.jsonl": example.chunks}) / "chunks.jsonl"
    table = evaluate(run, assessments, [example.name], collection=collection, chunks=chunks)
    assert table.mean()["run"][example.name] == pytest.approx(example.value, abs=1e-12)
    assert measure_named(example.name).name == name
