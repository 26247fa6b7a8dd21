"""The verb pool."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest

from doxeval import read_pool
from helpers import doxeval

DEMO = Path(str(resources.files("doxeval") / "demo_data"))
RUNS = [DEMO / "runs" / f"{name}.run" for name in ("careful", "clerk", "driftwood")]
JUDGED = DEMO / "assessments.jsonl"


def test_a_pool_is_written(tmp_path: Path) -> None:
    out = tmp_path / "pool.jsonl"
    result = doxeval("pool", *RUNS, "--depth", 10, "--out", out)
    assert result.exit_code == 0, result.stderr
    pool = read_pool(out)
    assert result.stdout == f"{out}: {len(pool)} documents for 17 topics\n"
    assert result.stderr == ""
    assert (pool.facts.method, pool.facts.depth, len(pool.facts.runs)) == ("depth", 10, 3)
    again = doxeval("pool", *RUNS, "--depth", 10, "--out", out)
    assert again.exit_code == 1
    assert again.stderr.endswith("pool.jsonl exists; --force replaces it\n")
    assert doxeval("pool", *RUNS, "--depth", 5, "--out", out, "--force").exit_code == 0
    assert read_pool(out).facts.depth == 5


def test_runs_may_have_other_names(tmp_path: Path) -> None:
    out = tmp_path / "pool.jsonl"
    doxeval("pool", f"mine={RUNS[0]}", RUNS[1], "--documents", 3, "--out", out)
    assert [run.name for run in read_pool(out).facts.runs] == ["mine", "clerk"]
    assert {len(of) for of in read_pool(out).documents.values()} == {3}


@pytest.mark.parametrize("method", ["rrf", "mtf", "bandit"])
def test_methods(tmp_path: Path, method: str) -> None:
    judged = () if method == "rrf" else ("--judged", JUDGED, "--seed", 7)
    out = tmp_path / "pool.jsonl"
    words = ("pool", *RUNS, "--documents", 9, "--method", method, *judged)
    assert doxeval(*words, "--out", out).exit_code == 0
    pool = read_pool(out)
    assert {len(of) for of in pool.documents.values()} == {9}
    assert (pool.facts.method, len(pool.facts.judged)) == (method, 0 if method == "rrf" else 1)


def test_forms_for_assessors_say_what_they_leave_out(tmp_path: Path) -> None:
    words = ("pool", *RUNS, "--depth", 3, "--topics", DEMO / "topics.xml")
    result = doxeval(*words, "--out", tmp_path / "pool.txt")
    assert result.stderr == (
        "left out, as trec does not hold it: elements, priorities, contributions of "
        "runs, how the pool was made\n"
    )
    result = doxeval(*words, "--out", tmp_path / "pool", "--format", "inex")
    assert result.exit_code == 0, result.stderr
    assert len(list((tmp_path / "pool").iterdir())) == 17
    assert set(read_pool(tmp_path / "pool").topics) == set(read_pool(tmp_path / "pool.txt").topics)
    again = doxeval(*words, "--out", tmp_path / "pool", "--format", "inex", "--force")
    assert again.exit_code == 1
    assert again.stderr.endswith("pool exists; expected a new or an empty directory\n")


def test_statistics(tmp_path: Path) -> None:
    words = ("pool", *RUNS, "--depth", 10, "--judged", JUDGED, "--statistics")
    found = json.loads(doxeval(*words, "json").stdout)
    assert found["documents"] == sum(one["documents"] for one in found["topics"].values())
    assert set(found["runs"]) == {"careful", "clerk", "driftwood"}
    assert found["overlap"][0]["runs"] == ["careful", "clerk"]
    table = doxeval(*words, "table", "--out", tmp_path / "pool.jsonl").stdout
    assert f"{found['documents']:,} documents for 17 topics, from 3 runs\n" in table
    driftwood = found["runs"]["driftwood"]
    cells = [driftwood[name] for name in ("documents", "unique", "lost", "gained", "lost_relevant")]
    row = next(line for line in table.split("\n") if line.startswith("driftwood"))
    assert row.split() == ["driftwood", *map(str, cells)]
    assert (tmp_path / "pool.jsonl").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give --depth or --documents: how much is to be pooled"),
        (("--depth", 1), "say where to write the pool: --out FILE; or --statistics"),
        (
            ("--depth", 1, "--method", "mtf", "--out", "y"),
            "--method mtf follows judgments as they are made: give --judged, or pool by depth",
        ),
        (("--depth", 10**40), "expected at most"),
        (("--depth", 1, "--seed", 3), "--seed has no effect on --method depth"),
        (("--depth", 1, "--judged", "x", "--out", "y"), "--judged has no effect on --method depth"),
        (
            ("--depth", 1, "--merge", "union"),
            "--merge is about judgments; it has no effect",
        ),
        (("--depth", 1, "--offsets", "bytes"), "--offsets has no effect without --collection"),
        (("--depth", 1, "--statistics", "json", "--force"), "--force is about --out FILE"),
    ],
)
def test_calls_that_make_no_sense(words: tuple[object, ...], message: str) -> None:
    result = doxeval("pool", *RUNS, *words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_what_is_wrong_in_a_run_is_said(tmp_path: Path) -> None:
    (tmp_path / "bad.run").write_text("7 Q0 a\n")
    result = doxeval("pool", tmp_path / "bad.run", "--depth", 1, "--out", tmp_path / "p.jsonl")
    assert result.exit_code == 1
    assert "bad.run:1" in result.stderr
    assert not (tmp_path / "p.jsonl").exists()
