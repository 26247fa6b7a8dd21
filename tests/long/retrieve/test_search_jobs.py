"""Topics that are answered in other processes, on executors and on a cluster."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import doxeval
from clusters import Cluster, cluster
from doxeval import read_topics, search
from doxeval.cli import main
from doxeval.documents import Collection, build_collection
from doxeval.errors import EngineError, InputError, SearchIndexError
from doxeval.parallel import WorkerLost
from doxeval.retrieve import Index, Model, build_index
from doxeval.runs import Run
from doxeval.topics import Topic
from seams import change

DEMO = Path(doxeval.__file__).parent / "demo_data"
WAYS: list[dict[str, Any]] = [
    {"task": "thorough"},
    {"task": "relevant-in-context", "articles": "best"},
    {"task": "documents"},
    {"task": "vvcas"},
    {"task": "focused", "units": "passages(50)", "stop": "none"},
]


def results_of(run: Run) -> list[Any]:
    """Return all that a run holds."""
    return [*run, run.run_id, run.facts, run.warnings]


@pytest.fixture(scope="module")
def sea(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo collection; its index is beside it."""
    out = tmp_path_factory.mktemp("demo") / "sea"
    build_collection([str(DEMO / "articles")], out)
    build_index(out)
    return out


@pytest.fixture(scope="module")
def index(sea: Path) -> Index:
    return Index.of(sea)


@pytest.fixture(scope="module")
def topics() -> list[Topic]:
    return read_topics(DEMO / "topics.xml")


@pytest.fixture(autouse=True)
def everything_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, search_worth_processes=0.0)


@pytest.fixture(scope="module")
def running() -> Iterator[Cluster]:
    with cluster() as started:
        yield started


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way["task"])
def test_any_number_of_jobs_gives_the_same_run(
    index: Index, topics: list[Topic], way: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, worker_threads=lambda: 1)
    seen: list[int] = []
    here = search(index, topics, **way)
    for jobs in (2, 30):
        there = search(index, topics, jobs=jobs, progress=seen.append, **way)
        assert results_of(there) == results_of(here)
    assert sum(seen) == 2 * len(topics)


def test_spawned_processes_give_the_same_run(
    index: Index, topics: list[Topic], monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, worker_threads=lambda: 2)
    assert results_of(search(index, topics, jobs=2)) == results_of(search(index, topics))


def test_executors_and_a_cluster_give_the_same_run(
    index: Index, topics: list[Topic], running: Cluster
) -> None:
    here = results_of(search(index, topics))
    with ThreadPoolExecutor(2) as threads:
        assert results_of(search(index, topics, executor=threads)) == here
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        assert results_of(search(index, topics, executor=processes)) == here
    assert results_of(search(index, topics, engine=running.address)) == here


def test_files_of_options_are_read_here(
    index: Index, topics: list[Topic], running: Cluster, tmp_path: Path
) -> None:
    """Workers in other directories need neither the chunks nor the stop words."""
    collection = index.collection
    chunks, stop = tmp_path / "chunks.jsonl", tmp_path / "stop.txt"
    names = [collection.id_of(number) for number in range(len(collection))]
    chunks.write_text("".join(f'{{"doc": "{name}", "start": 0, "end": 90}}\n' for name in names))
    stop.write_text("the\nof\n")
    way: dict[str, Any] = {"units": str(chunks), "stop": str(stop), "model": "bm25"}
    here = results_of(search(index, topics, **way))
    assert results_of(search(index, topics, engine=running.address, **way)) == here


def test_the_command_writes_the_same_file(sea: Path, running: Cluster, tmp_path: Path) -> None:
    contents = set()
    ways = [["--jobs", "1"], ["--jobs", "3"], [], ["--engine", running.address]]
    for way in ways:
        out = tmp_path / "my.run"
        words = ["search", str(sea), str(DEMO / "topics.xml"), "--out", str(out), "--force", *way]
        assert CliRunner().invoke(main, words, catch_exceptions=False).exit_code == 0
        contents.add(out.read_bytes())
    assert len(contents) == 1


@dataclass(frozen=True)
class ModelOfTests(Model):
    """Fails in a worker, or is killed there."""

    name = "OfTests"
    fault: str = ""

    def by_item(self, evidence: Any) -> Any:
        if os.getpid() != int(os.environ["TEST_PROCESS"]):
            if self.fault == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            raise InputError("no such weather")
        return (np.ones(len(evidence.length)) for _ in evidence.items)


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_worker_that_is_killed_is_an_error(
    method: str, index: Index, topics: list[Topic], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_PROCESS", str(os.getpid()))
    change(monkeypatch, worker_threads=lambda: 1 + (method == "spawn"))
    threads = threading.active_count()
    with pytest.raises(WorkerLost, match="killed by signal 9 while it was answering topics"):
        search(index, topics, model=ModelOfTests("killed"), jobs=2)
    assert threading.active_count() == threads
    assert results_of(search(index, topics, jobs=2)) == results_of(search(index, topics))


def test_an_error_of_a_worker_is_raised_as_it_is(
    index: Index, topics: list[Topic], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_PROCESS", str(os.getpid()))
    with (
        ProcessPoolExecutor(1) as pool,
        pytest.raises(InputError, match=r"^no such weather$"),
    ):
        search(index, topics, model=ModelOfTests("wrong"), executor=pool)


@pytest.fixture
def copied(sea: Path, tmp_path: Path) -> Index:
    """An index that tests may replace."""
    build_index(sea, tmp_path / "index")
    return Index(tmp_path / "index", Collection(sea))


def test_another_index_on_the_worker_is_refused(
    copied: Index, topics: list[Topic], running: Cluster
) -> None:
    build_index(copied.collection, copied.directory, stemmer="none", force=True)
    with pytest.raises(EngineError, match="the index is not the one that was pickled"):
        search(copied, topics, engine=running.address)
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(EngineError, match="the index is not the one that was pickled"),
    ):
        search(copied, topics, executor=pool)


def test_no_index_on_the_worker_is_refused(
    copied: Index, topics: list[Topic], running: Cluster
) -> None:
    copied.directory.rename(copied.directory.with_name("moved"))
    with pytest.raises(EngineError, match=r"workers cannot do this work.*no such directory"):
        search(copied, topics, engine=running.address)


def test_an_index_that_was_pickled_is_opened_again(index: Index, copied: Index) -> None:
    again = pickle.loads(pickle.dumps(index))
    assert (again.checksum, again.collection.checksum) == (
        index.checksum,
        again.collection.checksum,
    )
    data = pickle.dumps(copied)
    build_index(copied.collection, copied.directory, stemmer="none", force=True)
    with pytest.raises(SearchIndexError, match="the index is not the one that was pickled"):
        pickle.loads(data)
