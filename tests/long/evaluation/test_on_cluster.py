"""Evaluations on a cluster of dask: the same scores, and what workers must see."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from clusters import Cluster, cluster, import_path
from doxeval.assessments import Assessments, Judgment
from doxeval.cli import main
from doxeval.documents import Collection
from doxeval.errors import EngineError, FormatError, InputError
from doxeval.evaluation import Evaluation, Keep, evaluate
from doxeval.runs import Run, pieces_of_file
from making import passage, paths
from seams import change

TEXT = "<a><s><p>1234</p><p>5678</p></s><s>1234567890</s></a>"
JUDGED = "7 Q0 a 8 18 0 0:8\n8 Q0 a 4 18 8 8:4\n"
RUN = "7 Q0 a 1 .9 {name} 0 {end}\n8 Q0 a 1 .9 {name} 9 4\n"
MEASURES = ("MAiP", "iP[.01]", "cP@1")


@pytest.fixture(scope="module")
def running() -> Iterator[Cluster]:
    with cluster() as found:
        yield found


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of assessments and runs, in the directory that the test works in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judged").write_text(JUDGED)
    for number in range(5):
        text = RUN.format(name=f"run{number}", end=number + 4)
        (tmp_path / f"{number}.run").write_text(text)
    return tmp_path


RUNS = [f"{number}.run" for number in range(5)]


def test_the_same_table(running: Cluster, world: Path) -> None:
    evaluation = Evaluation("judged", MEASURES, keep=Keep(curves=True))
    seen: list[int] = []
    there = evaluation.score_all(RUNS, engine=running.address, progress=seen.append)
    assert there == evaluation.score_all(RUNS)
    assert [scores.file for scores in there.runs] == RUNS
    assert sum(seen) == len(RUNS)
    values = {"mine": Run.from_results([passage("a", 0, 6)]), "dict": {"7": {"a": 1.0}}}
    documents = Assessments.from_dict({"7": {"a": 1}})
    assert evaluate(values, documents, "AP", engine=running.address) == evaluate(
        values, documents, "AP"
    )


@pytest.mark.parametrize("verb", ["evaluate", "compare", "correlate"])
def test_commands_print_the_same(running: Cluster, world: Path, verb: str) -> None:
    here, there = (printed(verb, *options) for options in ([], ["--engine", running.address]))
    assert here == there


def test_reports_show_the_same(running: Cluster, world: Path) -> None:
    engine = ["--engine", running.address]
    for name, options in {"here": [], "there": engine}.items():
        printed("report", "--title", "Cluster", "--out", f"{name}.html", *options)
    there = Path("there.html").read_text().replace(f" {' '.join(engine)}", "")
    assert Path("here.html").read_text() == there.replace("there.html", "here.html")


def printed(verb: str, *options: str) -> str:
    measures = [word for name in MEASURES for word in ("-m", name)]
    words = [verb, *RUNS, "-a", "judged", *measures, *options]
    result = CliRunner().invoke(main, words, catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_wrong_input_is_told_as_it_is_here(running: Cluster, world: Path) -> None:
    (world / "3.run").write_text("7 Q0 a 1\n")
    (world / "4.run").write_text("7 Q0 b 1\n")
    told = []
    for options in ({}, {"engine": running.address}):
        with pytest.raises(FormatError) as caught:
            evaluate(RUNS, "judged", MEASURES, **options)  # type: ignore[arg-type]
        told.append((str(caught.value), caught.value.origin, caught.value.line))
    assert told[0] == told[1]
    assert told[0][1:] == ("3.run", 1)


@pytest.mark.parametrize("place", ["cluster", "processes", "threads"])
def test_large_runs_are_scored_in_pieces(
    running: Cluster, world: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    topics = "".join(RUN.replace("7 Q", f"{n} Q").partition("8 Q")[0] for n in range(10, 90))
    for number in range(2):
        name = f"large{number}"
        text = RUN.format(name=name, end=5) + topics.format(name=name, end=number + 2)
        (world / f"{number}.run").write_text(text)
    evaluation = Evaluation("judged", MEASURES)
    whole = evaluation.score_all(RUNS)
    change(monkeypatch, file_piece_bytes=300)
    assert len(pieces_of_file("0.run")) > 4
    monkeypatch.setattr(Evaluation, "score", None)  # nothing is scored as a whole
    with ThreadPoolExecutor(2) as pool:
        places: dict[str, dict[str, Any]] = {
            "cluster": {"engine": running.address},
            "processes": {"jobs": 2},
            "threads": {"executor": pool},
        }
        options = places[place]
        seen: list[int] = []
        assert evaluation.score_all(RUNS, progress=seen.append, **options) == whole
        assert sum(seen) == len(RUNS)
        assert evaluation.score_all(RUNS[0], **options).runs == whole.runs[:1]


def test_an_engine_excludes_jobs_and_executors(world: Path) -> None:
    with pytest.raises(InputError, match="give an engine or a number of jobs, not both"):
        evaluate(RUNS, "judged", MEASURES, engine="dask://a", jobs=2)
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(InputError, match="give an engine or an executor, not both"),
    ):
        evaluate(RUNS, "judged", MEASURES, engine="dask://a", executor=pool)
    with ThreadPoolExecutor(1) as pool:
        assert evaluate(RUNS, "judged", MEASURES, engine=pool) == evaluate(RUNS, "judged", MEASURES)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--engine", "dask://a", "--jobs", "2"], "--jobs is for this machine"),
        (["--patience", "3"], "--patience goes with --engine"),
        (["--engine", "dask://a", "--patience", "0"], "x>0"),
        (["--engine", "ray://a"], "--engine ray://a: expected dask://HOST:PORT"),
    ],
)
def test_wrong_options(world: Path, options: list[str], told: str) -> None:
    words = ["evaluate", *RUNS, "-a", "judged", "-m", "MAiP", *options]
    result = CliRunner().invoke(main, words)
    assert result.exit_code != 0
    assert told in result.output or told in str(result.exception)


# What workers see


def elements(build: Any) -> tuple[Collection, Evaluation]:
    collection = build({"a.xml": TEXT, "b.xml": TEXT})
    judged = Assessments([Judgment("7", "a", ((0, 8),))])
    return collection, Evaluation(judged, ["cP@1", "nxCG@1"], collection=collection)


def test_a_collection(running: Cluster, build: Any) -> None:
    _, evaluation = elements(build)
    run = Run.from_results(paths("/a[1]/s[1]"), "mine")
    assert evaluation.score_all(run, engine=running.address) == evaluation.score_all(run)


def test_another_collection_at_its_place(running: Cluster, build: Any) -> None:
    collection, evaluation = elements(build)
    run = Run.from_results(paths("/a[1]/s[1]"), "mine")
    place = collection.directory
    place.rename(place.with_name("moved"))
    with pytest.raises(EngineError) as caught:
        evaluation.score_all(run, engine=running.address)
    assert "2 of 2 workers cannot do this work" in str(caught.value)
    assert f"{place}: no such directory" in str(caught.value)
    build({"a.xml": TEXT}).directory.rename(place)
    with pytest.raises(EngineError) as caught:
        evaluation.score_all(run, engine=running.address)
    assert "is not the one that was pickled" in str(caught.value)


def test_files_that_a_worker_does_not_see(running: Cluster, world: Path) -> None:
    running.start_worker("blind", {"TEST_HIDDEN": str(world)})
    running.wait_for_workers("blind")
    try:
        with pytest.raises(EngineError) as caught:
            evaluate(RUNS, "judged", MEASURES, engine=running.address)
    finally:
        running.kill("blind")
    told = str(caught.value)
    assert "1 of 3 workers cannot do this work: 127.0.0.1:" in told
    names = "0.run, 1.run, 2.run and 2 more"
    assert told.endswith(f"(blind): {names}: cannot be read there: No such file or directory")


# Measures of one's own

OWN = """
import sys
from dataclasses import dataclass
import numpy as np
from doxeval import evaluate
from doxeval.measures import Measure

@dataclass(frozen=True)
class Mine(Measure):
    name = "Mine"

    def scores(self, ranking):
        return np.full(2, 0.75)

if __name__ == "__main__":
    print(evaluate(["0.run", "1.run"], "judged", Mine(), engine=sys.argv[1]).mean())
"""


def test_a_measure_of_a_script_goes_along(running: Cluster, world: Path) -> None:
    (world / "script.py").write_text(OWN)
    done = python(world, "script.py", running.address)
    assert (done.stdout, done.stderr) == ("{'run0': {'Mine': 0.75}, 'run1': {'Mine': 0.75}}\n", "")


def test_a_measure_that_workers_cannot_import(
    running: Cluster, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (world / "unseen_measures.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(world))
    import importlib

    mine = importlib.import_module("unseen_measures").Mine()
    with pytest.raises(EngineError) as caught:
        evaluate(RUNS, "judged", mine, engine=running.address)
    assert "worker 127.0.0.1:" in str(caught.value)
    assert (
        "No module named 'unseen_measures'; a measure, model or function of your own must be"
        in str(caught.value)
    )


# Commands as processes


def python(world: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        cwd=world,
        timeout=60,
        env={**os.environ, "PYTHONPATH": import_path()},
        check=False,
    )


def test_doxeval_imports_dask_only_for_an_engine(world: Path) -> None:
    code = (
        "import sys, doxeval; from doxeval.cli import VERBS; "
        "from doxeval.parallel import open_engine; "
        "doxeval.evaluate(['0.run', '1.run'], 'judged', 'MAiP', jobs=2); "
        "print([name for name in sys.modules if name.split('.')[0] in ('dask', 'distributed')])"
    )
    done = python(world, "-c", code)
    assert (done.stdout, done.stderr) == ("[]\n", "")


@contextmanager
def waiting_command(running: Cluster, world: Path) -> Iterator[subprocess.Popen[str]]:
    """A command, when a worker is reading a run of its that is a pipe and has no end yet."""
    os.mkfifo(world / "pipe.run")
    words = ["evaluate", "pipe.run", "0.run", "-a", "judged", "-m", "MAiP"]
    with (
        subprocess.Popen(
            [sys.executable, "-m", "doxeval", *words, "--engine", running.address],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=world,
            env={**os.environ, "PYTHONPATH": import_path()},
            start_new_session=True,
        ) as process,
        (world / "pipe.run").open("w"),
    ):  # it waits for somebody who reads
        yield process


def test_ctrl_c_leaves_the_cluster_usable(running: Cluster, world: Path) -> None:
    with waiting_command(running, world) as process:
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        output, errors = process.communicate(timeout=30)
    assert (process.returncode, output, errors) == (130, "", "Interrupted\n")
    assert evaluate(RUNS, "judged", MEASURES, engine=running.address) == evaluate(
        RUNS, "judged", MEASURES
    )


def test_a_lost_scheduler_ends_the_command_with_one_line(world: Path) -> None:
    with cluster(1) as lost, waiting_command(lost, world) as process:
        told = f"Error: the scheduler at {lost.address} was lost\n"
        lost.kill("scheduler")
        output, errors = process.communicate(timeout=30)
    assert (process.returncode, output, errors) == (1, "", told)
