"""A cluster of dask as an engine.

Finished tasks put their numbers into a queue. Whoever waits for it looks from time to time whether
the scheduler and any workers are still there, so that no loss ends in waiting for ever. Results are
fetched as soon as they are there, and a worker that is lost later takes none of them along.

How tasks are sent: dask_calls.py. What is asked before: dask_preflight.py. Only the files whose
names begin with dask import distributed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any

import distributed as dask_distributed

from doxeval.errors import EngineError
from doxeval.parallel.dask_calls import Calls
from doxeval.parallel.dask_cluster import SECONDS_BETWEEN_LOOKS, SECONDS_TO_CLOSE, Cluster, Future
from doxeval.parallel.dask_preflight import preflight
from doxeval.parallel.engine import Engine, Work
from doxeval.parallel.outcomes import Outcome, unpacked
from doxeval.parallel.shared import Shared

distributed: Any = dask_distributed  # only some of dask has types

_AHEAD = 3  # tasks for each thread of a worker
_MORE_CHANCES = 4  # for a task that dask gives up, usually after four lost workers


class OnDask(Engine):
    """A connected cluster of dask."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def shared(self, value: Any, prepare: Callable[[Any], object] | None = None) -> Shared:
        """A value for the tasks, with what a notebook has defined: workers do not have that."""
        return Shared.of(value, prepare, by_value=True)

    def outcomes(
        self, work: Work, items: Iterable[Any], *, bounded: bool = False
    ) -> Iterator[tuple[int, Outcome]]:
        """The outcomes as they come, after all workers were checked."""
        check = work.packed_check
        threads = preflight(self._cluster, check)
        calls = Calls(self._cluster.client, work.task, work.shared, check)
        remaining = enumerate(items)
        finished: SimpleQueue[int] = SimpleQueue()
        waiting: dict[int, tuple[Future, Any]] = {}
        unlucky: Counter[int] = Counter()

        def submit(number: int, item: Any) -> None:
            future = calls.submit(item)
            waiting[number] = (future, item)
            future.add_done_callback(lambda _: finished.put(number))

        def submit_next(count: int | None) -> None:
            for number, item in islice(remaining, count):
                submit(number, item)

        try:
            submit_next(_AHEAD * threads if bounded else None)
            while waiting:
                number = self._next(finished)
                future, item = waiting.pop(number)
                if unlucky[number] < _MORE_CHANCES and self._was_unlucky(future):
                    unlucky[number] += 1
                    submit(number, item)
                    continue
                outcome = self._fetched(future, check, work.name(item))
                future.release()
                submit_next(1)
                yield number, outcome
        finally:
            if waiting:
                self._cluster.cancel([future for future, _ in waiting.values()])

    def _next(self, finished: SimpleQueue[int]) -> int:
        """The number of a finished task; an EngineError if nobody is left to finish one."""
        deserted: float | None = None
        while True:
            try:
                return finished.get(timeout=SECONDS_BETWEEN_LOOKS)
            except Empty:
                pass
            if self._cluster.workers():
                deserted = None
                continue
            deserted = deserted or time.monotonic()
            if time.monotonic() - deserted > self._cluster.patience:
                raise self._cluster.without_workers()

    def _was_unlucky(self, future: Future) -> bool:
        """Whether dask gave a task up because it was with several workers that were lost.

        It may just have waited there. Where workers are lost all the time, it gets more chances.
        """
        return (
            future.status == "error"
            and isinstance(future.exception(), distributed.scheduler.KilledWorker)
            and bool(self._cluster.workers())
        )

    def _fetched(self, future: Future, check: Shared | None, name: str) -> Outcome:
        """What became of a finished task."""
        if future.status not in ("error", "cancelled"):  # perhaps lost again with its worker
            found = self._result(future)
            if found is not None:
                return unpacked(found)
        if future.status == "error":
            return Outcome(None, self._failure(future.exception(), check, name))
        self._cluster.refuse_lost_scheduler(SECONDS_TO_CLOSE)
        raise EngineError(f"{name} was cancelled on the cluster at {self._cluster.shown}")

    def _result(self, future: Future) -> bytes | None:
        """The result of a task, which is carried out again if its worker was just lost."""
        deadline = time.monotonic() + self._cluster.patience
        while time.monotonic() < deadline:
            try:
                result: bytes = future.result(timeout=SECONDS_BETWEEN_LOOKS)
                return result
            except (TimeoutError, distributed.TimeoutError):
                if not self._cluster.workers():
                    continue
                deadline = time.monotonic() + self._cluster.patience
            except Exception as error:  # the status says whether the task or the way failed
                if future.status in ("error", "cancelled"):  # it has failed meanwhile
                    return None
                self._cluster.refuse_lost_scheduler(SECONDS_TO_CLOSE)
                problem = f"a result cannot be fetched: {type(error).__name__}: {error}"
                raise EngineError(f"{self._cluster.shown}: {problem}") from error
        raise self._cluster.without_workers()

    def _failure(self, error: BaseException, check: Shared | None, name: str) -> EngineError:
        """Why dask, and not the task itself, reports an error."""
        if isinstance(error, distributed.scheduler.KilledWorker):
            return EngineError(
                f"{name}: every worker that was given it was lost, the last one at "
                f"{getattr(error.last_worker, 'address', error.last_worker)}; perhaps it needs "
                "more memory than workers have"
            )
        try:
            preflight(self._cluster, check)  # a worker that came later may lack something
        except EngineError as found:
            return found
        return EngineError(f"{name}: the cluster reports {type(error).__name__}: {error}")
