"""Processes that are killed in the middle of scoring."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

from doxeval.assessments import Assessments
from doxeval.evaluation import Keep, evaluate
from doxeval.parallel import WorkerLost
from doxeval.runs import Run
from making import passage
from seams import change
from small_world import TWO_TOPICS

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")
RUNS = [Run.from_results([passage("a", 0, 60)], f"run {number}") for number in range(4)]


def die_elsewhere(ranking: Any) -> None:
    if os.getpid() != int(os.environ["TEST_PROCESS"]):
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("method", ["fork", "spawn", "executor"])
def test_a_worker_killed_in_the_middle_of_scoring_is_an_error(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_PROCESS", str(os.getpid()))
    change(monkeypatch, worker_threads=lambda: 1 + (method == "spawn"))
    threads = threading.active_count()
    assessments = Assessments(TWO_TOPICS)
    if method == "executor":
        with (
            ProcessPoolExecutor(1) as pool,
            pytest.raises(WorkerLost, match="a process of the executor ended unexpectedly"),
        ):
            evaluate(RUNS, assessments, "cP@1", executor=pool, keep=Keep(of_ranking=die_elsewhere))
    else:
        with pytest.raises(WorkerLost, match="killed by signal 9 while it was scoring runs"):
            evaluate(RUNS, assessments, "cP@1", jobs=2, keep=Keep(of_ranking=die_elsewhere))
    assert threading.active_count() == threads
    again = evaluate(RUNS, assessments, "cP@1", jobs=2)
    assert again.mean() == evaluate(RUNS, assessments, "cP@1").mean()
