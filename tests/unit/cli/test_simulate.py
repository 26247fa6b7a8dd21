"""The verb simulate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from doxeval.assessments import Assessments, Judgment, write_assessments
from doxeval.documents import Collection
from doxeval.runs import read_run
from doxeval.stereotypes import SYSTEMS, simulate
from helpers import Builder, doxeval
from making import ids_may_have_white_space
from simulating import HIGHLIGHTS, graded, listed, small_collection


@pytest.fixture(scope="module")
def collection() -> Collection:
    return small_collection()


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    path = tmp_path / "judged.jsonl"
    write_assessments(HIGHLIGHTS, path, "judgments")
    return path


def test_the_command_writes_one_run(collection: Collection, judged: Path, tmp_path: Path) -> None:
    out = tmp_path / "parent.xml"
    arguments = ("--system", "parent", "-a", judged, "--collection", collection.directory)
    result = doxeval("simulate", *arguments, "--out", out)
    assert (result.exit_code, result.stdout) == (0, f"{out}: 5 results for 2 topics\n")
    assert "warning: topics without relevant units, whose lists are empty: 9" in result.stderr
    expected = simulate(HIGHLIGHTS, collection, "parent")
    assert out.read_bytes().startswith(b"<inex-submission")
    assert list(read_run(out).results()) == list(expected.results())

    again = doxeval("simulate", *arguments, "--out", out, "--format", "jsonl")
    assert (again.exit_code, again.stdout) == (1, "")
    assert f"{out} exists; --force replaces it" in again.stderr
    assert (
        doxeval("simulate", *arguments, "--out", out, "--format", "jsonl", "--force").exit_code == 0
    )
    assert list(read_run(out, "jsonl").results()) == list(expected.results())
    directory = doxeval("simulate", *arguments, "--out", tmp_path, "--force")
    assert directory.exit_code == 1
    assert f"{tmp_path} is a directory; expected a file" in directory.stderr


def test_the_command_writes_all_runs_into_a_directory(
    collection: Collection, judged: Path, tmp_path: Path
) -> None:
    out = tmp_path / "runs"
    where = ("-a", judged, "--collection", collection.directory, "--out", out)
    result = doxeval("simulate", "--system", "all", *where, "--seed", 3, "--max-results", 2)
    assert result.exit_code == 0
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == [
        str(out / f"{system}.run") for system in SYSTEMS
    ]
    for system in SYSTEMS:
        expected = simulate(HIGHLIGHTS, collection, system, seed=3, max_results=2)
        assert list(read_run(out / f"{system}.run").results()) == list(expected.results())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["judged.jsonl", "runs"]

    several = ("--system", "perfect", "--system", "leaves", *where)
    assert doxeval("simulate", *several).exit_code == 1
    assert doxeval("simulate", *several, "--force", "--format", "csv").exit_code == 0
    assert sorted(path.name for path in out.glob("*.csv")) == ["leaves.csv", "perfect.csv"]
    files = [path.name for path in out.iterdir()]
    assert len([name for name in files if not name.endswith(".yaml")]) == len(SYSTEMS) + 2
    assert len(files) == 2 * (len(SYSTEMS) + 2), "and the metadata of each"
    into_file = doxeval("simulate", *several[:-1], judged, "--force")
    assert into_file.exit_code == 1
    assert f"{judged} is a file; expected a directory" in into_file.stderr


def test_the_command_knows_which_options_a_system_looks_at(
    collection: Collection, tmp_path: Path
) -> None:
    judged = Assessments(
        [graded("a", "/s[1]/q[1] 2E"), graded("b", "/s[1] 3E\n/s[1]/p[1] 3E\n/s[1]/p[2] 3E")]
    )
    choices: dict[str, Any] = {
        "seed": range(20),
        "unit": ["words", "characters"],
        "quant": ["gen", "strict"],
    }
    where = ("-a", "nowhere", "--collection", collection.directory, "--out", tmp_path / "run")
    for option, chosen in choices.items():
        for system in SYSTEMS:
            runs = [simulate(judged, collection, system, **{option: value}) for value in chosen]
            has_effect = any(listed(run) != listed(runs[0]) for run in runs)
            refused = doxeval("simulate", *where, "--system", system, f"--{option}", chosen[0])
            message = f"--{option} has no effect on {system}"
            assert has_effect == (message not in refused.stderr), (option, system)
            assert refused.exit_code == (1 if has_effect else 2)


def test_the_command_leaves_nothing_behind_when_it_fails(
    collection: Collection, tmp_path: Path, build: Builder
) -> None:
    with ids_may_have_white_space():
        spaced = build({"a b.xml": "<s><p>One.</p></s>"})
    for name, judgment in {
        "spaced": Judgment("7", "a b", ((0, 4),)),
        "none": Judgment("7", "c"),
    }.items():
        write_assessments([judgment], tmp_path / name, "judgments")
    before = sorted(tmp_path.iterdir())
    for systems in (["perfect"], ["perfect", "document"]):
        chosen = [part for system in systems for part in ("--system", system)]
        there = [*chosen, "--out", tmp_path / "out", "--collection"]
        lost = doxeval("simulate", *there, spaced.directory, "-a", tmp_path / "spaced")
        assert lost.exit_code == 1
        assert "hold white space" in lost.stderr
        empty = doxeval("simulate", *there, collection.directory, "-a", tmp_path / "none")
        assert empty.exit_code == 1
        assert "perfect returns nothing: no topic has relevant units" in empty.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_the_command_knows_all_systems_and_needs_a_collection(judged: Path) -> None:
    wrong = doxeval("simulate", "--system", "perfct", "-a", judged, "--out", "nowhere")
    assert wrong.exit_code == 2
    assert "--system: no simulated system 'perfct'; did you mean perfect?" in wrong.stderr
    result = doxeval("simulate", "--system", "perfect", "-a", judged, "--out", "nowhere")
    assert result.exit_code == 2
    assert "--collection DIR" in result.stderr
    help_text = doxeval("simulate", "--help").stdout
    assert max(map(len, help_text.splitlines())) <= 100
    assert all(f"\n    {system} " in help_text for system in SYSTEMS)
