"""A shared value: pickled once, unpickled once in each process, by executors of all kinds."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import pickle
import pkgutil
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest

from clusters import Cluster, cluster
from doxeval.errors import EngineError, InputError, WorkerLost
from doxeval.parallel import OnExecutor, Shared, Work, open_engine

unpickled = 0
prepared = 0


class Counted:
    """A value that knows how often it was unpickled in this process."""

    def __reduce__(self) -> tuple[Any, ...]:
        return arrived, ()


def arrived() -> Counted:
    global unpickled
    unpickled += 1
    return Counted()


def prepare(value: Counted) -> None:
    global prepared
    prepared += 1


def counts(value: Counted, item: int) -> tuple[int, int, int]:
    return os.getpid(), unpickled, prepared


def killed(value: object, item: int) -> None:
    os._exit(1)


class Plain(Executor):
    """An executor that is none of the standard library's: each task is pickled for itself."""

    def __init__(self) -> None:
        self._pool = ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))

    def submit(self, task: Any, /, *arguments: Any, **named: Any) -> Any:
        return self._pool.submit(task, *arguments, **named)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


def test_every_process_of_an_executor_unpickles_once() -> None:
    with Plain() as executor:
        engine = OnExecutor(executor)
        for _ in range(2):
            found = engine.map(Work(counts, engine.shared(Counted(), prepare)), range(12))
            assert {count for _, *count in map(list, found) for count in count} == {1}
        with pytest.raises(WorkerLost, match="a process of the executor ended unexpectedly"):
            engine.map(Work(killed, engine.shared(None)), range(2))
        with pytest.raises(WorkerLost):
            engine.map(Work(counts, engine.shared(None)), range(2))


def lost(running: Cluster, item: int) -> None:
    running.kill("scheduler")
    time.sleep(60)


def test_threads_of_a_worker_unpickle_once_and_its_executor_is_lost_with_the_scheduler() -> None:
    distributed: Any = importlib.import_module("distributed")
    with cluster(1, threads=4) as running:
        with open_engine(running.address) as engine:
            found = engine.map(Work(counts, engine.shared(Counted(), prepare)), range(12))
        assert len(set(found)) == 1
        assert found[0][1:] == (1, 1)
        client = distributed.Client(running.address.replace("dask", "tcp"), set_as_default=False)
        with client, pytest.raises(EngineError, match=r"scheduler (behind .*)?was lost"):
            executor = OnExecutor(client.get_executor(pure=False))
            executor.map(Work(lost, executor.shared(running)), [1])


def test_threads_of_this_process_share_the_value_itself() -> None:
    with ThreadPoolExecutor(2) as pool:
        engine = OnExecutor(pool)
        shared = engine.shared(lambda number: number + 1)
        assert engine.map(Work(call, shared), [1, 2]) == [2, 3]


def call(value: Any, item: int) -> int:
    return int(value(item))


def test_what_cannot_be_pickled_is_an_error() -> None:
    with pytest.raises(InputError, match="cannot be sent to other processes"):
        Shared.of(lambda: 1)
    by_value = Shared.of(lambda: 7, by_value=True)
    there = Shared(by_value.digest, by_value.packed)  # as another process sees it
    assert there.value() == 7
    assert pickle.loads(pickle.dumps(by_value, protocol=4)) is by_value


class Gone:
    def __reduce__(self) -> tuple[Any, ...]:
        return pkgutil.resolve_name, ("json:no_such_thing",)


def test_what_cannot_be_unpickled_names_the_place() -> None:
    shared = Shared.of(Gone())
    with pytest.raises(EngineError, match="cannot be read in another process"):
        _ = Shared(shared.digest, shared.packed).value


def test_items_are_taken_no_faster_than_they_are_needed() -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for number in range(100):
            taken += 1
            yield number

    with ThreadPoolExecutor(2) as pool:
        engine = OnExecutor(pool)
        for done, _ in enumerate(
            engine.outcomes(Work(divmod_of, engine.shared(7)), items(), bounded=True)
        ):
            assert taken <= done + 2 * 2 + 1


def divmod_of(value: int, item: int) -> tuple[int, int]:
    return divmod(item, value)
