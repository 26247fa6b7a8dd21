"""A cluster of dask as an engine: tasks, errors, and what workers must have."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from clusters import Cluster, cluster
from doxeval.errors import DoxevalError, EngineError, InputError
from doxeval.parallel import Shared, TaskResult, Work, open_engine


@pytest.fixture(scope="module")
def running() -> Iterator[Cluster]:
    with cluster() as found:
        yield found


def multiplied(value: int, item: int) -> int:
    return value * item


def refused_above(value: int, item: int) -> int:
    if item > value:
        time.sleep(0.2 if item == value + 1 else 0)
        raise InputError(f"{item} is too large", "numbers.txt", item)
    return item


def broken(value: int, item: int) -> float:
    return value / item


def pid(value: Any, item: int) -> int:
    time.sleep(0.05)
    return os.getpid()


def wrong_there() -> Sequence[str]:
    return ["it is cold", "it is dark"]


def test_results_come_in_order(running: Cluster) -> None:
    with open_engine(running.address, patience=20) as engine:
        found = engine.map(Work(multiplied, Shared.of(7)), range(30))
        outcomes = dict(
            engine.outcomes(Work(multiplied, Shared.of(8)), iter(range(30)), bounded=True)
        )
        pids = engine.map(Work(pid, Shared.of(None)), range(8))
    assert found == [7 * number for number in range(30)]
    assert outcomes == {number: TaskResult(8 * number) for number in range(30)}
    assert len(set(pids)) == 2, "both workers have something to do"


def test_the_first_wrong_item_is_told_whichever_fails_first(running: Cluster) -> None:
    with open_engine(running.address) as engine, pytest.raises(InputError) as caught:
        engine.map(Work(refused_above, Shared.of(6)), range(12))
    assert str(caught.value) == "numbers.txt:7: 7 is too large"


def test_an_unexpected_error_comes_with_its_traceback(running: Cluster) -> None:
    with open_engine(running.address) as engine, pytest.raises(ZeroDivisionError) as caught:
        engine.map(Work(broken, Shared.of(6)), [1, 0])
    assert "return value / item" in "".join(caught.value.__notes__)


def test_what_is_wrong_is_told_by_worker(running: Cluster) -> None:
    with open_engine(running.address) as engine, pytest.raises(EngineError) as caught:
        engine.map(Work(multiplied, Shared.of(7), check=wrong_there), range(3))
    told = str(caught.value)
    assert told.startswith(f"{running.address}: 2 of 2 workers cannot do this work: 127.0.0.1:")
    assert "(w0)" in told and "(w1)" in told
    assert told.endswith(": it is cold; it is dark")


def test_nobody_at_an_address() -> None:
    with (
        pytest.raises(
            EngineError, match="no scheduler at dask://127\\.0\\.0\\.1:9 answered within"
        ),
        open_engine("dask://127.0.0.1:9", patience=0.5),
    ):
        pass


@pytest.mark.parametrize("name", ["dask://", "dask://a:b", "ray://a:1", "dask://a:1/x", "local"])
def test_other_names_of_engines_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="expected dask://HOST:PORT"), open_engine(name):
        pass


def test_a_scheduler_file(running: Cluster) -> None:
    with open_engine(f"dask:{running.scheduler_file}") as engine:
        assert engine.map(Work(multiplied, Shared.of(7)), [2]) == [14]
    log = running.folder / "w0.log"
    with pytest.raises(EngineError, match="this is no scheduler file"), open_engine(f"dask:{log}"):
        pass
    with (
        pytest.raises(DoxevalError, match="no scheduler file can be read"),
        open_engine("dask:none"),
    ):
        pass


def test_a_client_that_is_connected_already(running: Cluster) -> None:
    distributed: Any = importlib.import_module("distributed")
    address = running.address.replace("dask", "tcp")
    with distributed.Client(address, set_as_default=False) as client:
        with open_engine(client) as engine:
            assert engine.map(Work(multiplied, Shared.of(7)), [2]) == [14]
        assert client.submit(multiplied, 3, 4).result() == 12, "it stays open"
