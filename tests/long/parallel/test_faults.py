"""What is lost or wrong on a cluster of dask: the work is finished, or ends with a clear error."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from clusters import NOTHING, Cluster, cluster
from doxeval.errors import EngineError
from doxeval.parallel import Shared, Work, open_engine

PATIENCE = 20.0


@pytest.fixture(scope="module")
def running() -> Iterator[Cluster]:
    """A cluster whose scheduler knows nothing of doxeval, and gives a task two chances."""
    failures = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
    with cluster(0, settings={"TEST_MISSING": "doxeval", **failures}) as found:
        yield found


@contextmanager
def workers(
    running: Cluster, *names: str, threads: int = 1, settings: Mapping[str, str] = NOTHING
) -> Iterator[None]:
    """Workers that are there for one test."""
    for name in names:
        running.start_worker(name, settings, threads=threads)
    running.wait_for_workers(*names)
    try:
        yield
    finally:
        for name in set(names) & set(running.processes):
            running.kill(name)


@dataclass(frozen=True)
class Places:
    """Tasks leave a file in a folder when they begin, and wait for another one before they end."""

    folder: Path

    def begun(self) -> list[str]:
        return sorted(path.name for path in self.folder.glob("*.begun"))

    def wait_for_beginning(self, count: int = 1) -> None:
        deadline = time.monotonic() + 30
        while len(self.begun()) < count and time.monotonic() < deadline:
            time.sleep(0.01)

    def go_on(self) -> None:
        (self.folder / "go").touch()


def patient(places: Places, item: int) -> int:
    (places.folder / f"{item}-{os.getpid()}.begun").touch()
    while not (places.folder / "go").exists():
        time.sleep(0.01)
    return item * item


def deadly(places: Places, item: int) -> int:
    if item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def thread_of(value: object, item: int) -> int:
    time.sleep(0.1)
    return threading.get_ident()


def cold_at_noon() -> Sequence[str]:
    return ["it is cold"] if os.environ.get("TEST_NOON") else []


SQUARES = [number * number for number in range(8)]


class InThread(threading.Thread):
    """A map on a cluster, in a thread, whose end can be waited for."""

    def __init__(self, running: Cluster, places: Places, patience: float = PATIENCE) -> None:
        super().__init__(daemon=True)
        self.running, self.places, self.patience = running, places, patience
        self.found: list[int] | EngineError | None = None
        self.told: list[str] = []
        self.start()

    def run(self) -> None:
        try:
            with open_engine(
                self.running.address, patience=self.patience, tell=self.told.append
            ) as engine:
                work = Work(patient, Shared.of(self.places), check=cold_at_noon)
                self.found = engine.map(work, range(8))
        except EngineError as error:
            self.found = error

    def outcome(self, seconds: float = 30) -> list[int] | EngineError | None:
        self.join(seconds)
        return self.found


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def test_a_lost_worker_changes_nothing(running: Cluster, places: Places) -> None:
    with workers(running, "a", "b"):
        work = InThread(running, places)
        places.wait_for_beginning(2)
        running.kill("a")
        places.go_on()
        assert work.outcome() == SQUARES


def test_all_workers_lost_and_others_in_their_place(running: Cluster, places: Places) -> None:
    with workers(running, "c"):
        work = InThread(running, places)
        places.wait_for_beginning()
        running.kill("c")
    with workers(running, "d", threads=4):
        places.go_on()
        assert work.outcome() == SQUARES


def test_all_workers_lost_for_too_long(running: Cluster, places: Places) -> None:
    with workers(running, "e"):
        work = InThread(running, places, patience=1.5)
        places.wait_for_beginning()
        running.kill("e")
        found = work.outcome()
    expected = f"there was no worker at {running.address} for 1.5 s (patience=)"
    assert isinstance(found, EngineError) and str(found) == expected


def test_a_cluster_without_workers_yet(running: Cluster, places: Places) -> None:
    places.go_on()
    work = InThread(running, places)
    running.wait_for(lambda: work.told, "word about waiting")
    assert work.told == [f"waiting for workers at {running.address}"]
    with workers(running, "f"):
        assert work.outcome() == SQUARES


def test_a_task_that_ends_every_worker_is_named(running: Cluster, places: Places) -> None:
    with (
        workers(running, "g", "h"),
        open_engine(running.address, patience=PATIENCE) as engine,
        pytest.raises(EngineError, match="run 3: every worker that was given it was lost"),
    ):
        engine.map(Work(deadly, Shared.of(places), name=lambda item: f"run {item}"), [3])


WRONG = {
    "missing": ({"TEST_MISSING": "doxeval"}, "doxeval cannot be imported there (No module named"),
    "version": ({"TEST_VERSION": "0.0.1"}, "doxeval is 0.0.1 there and "),
    "check": ({"TEST_NOON": "1"}, "it is cold"),
}


def test_everything_that_is_wrong_is_told_at_once(running: Cluster, places: Places) -> None:
    names = list(WRONG)
    for name, (settings, _) in WRONG.items():
        running.start_worker(name, settings)
    with workers(running, "fine"):
        running.wait_for_workers(*names)
        found = InThread(running, places).outcome()
        told = str(found)
        assert f"{running.address}: 3 of 4 workers cannot do this work: 127.0.0.1:" in told
        for name, (_, problem) in WRONG.items():
            assert f"({name}): {problem}" in told
        assert not places.begun(), "no task was begun"
        assert all(running.processes[name].is_running for name in names), "no worker died"
    for name in names:
        running.kill(name)


@pytest.mark.parametrize("fault", list(WRONG))
def test_a_worker_that_joins_later_is_checked_too(
    running: Cluster, places: Places, fault: str
) -> None:
    settings, problem = WRONG[fault]
    with workers(running, "first"):
        work = InThread(running, places)
        places.wait_for_beginning()
        running.kill("first")
    with workers(running, "later", settings=settings):
        found = work.outcome()
        assert isinstance(found, EngineError)
        assert "(later): " in str(found) and problem in str(found)
        assert running.processes["later"].is_running, "the worker did not die of it"


def test_threads_of_one_worker_share_the_value(running: Cluster) -> None:
    with workers(running, "i", threads=4), open_engine(running.address) as engine:
        threads = engine.map(Work(thread_of, Shared.of(None)), range(8))
        assert len(set(threads)) == 4


def test_a_lost_scheduler_is_an_error(running: Cluster, places: Places) -> None:
    with workers(running, "j"):
        work = InThread(running, places)
        places.wait_for_beginning()
        address = running.address
        running.kill("scheduler")
        found = work.outcome()
    running.scheduler_file.unlink()
    running.start_scheduler()  # for tests that come later in another order
    running.wait_for(running.scheduler_file.exists, "scheduler")
    expected = f"the scheduler at {address} was lost"
    assert isinstance(found, EngineError) and str(found) == expected
