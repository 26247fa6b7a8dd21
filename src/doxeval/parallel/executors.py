"""Any executor of `concurrent.futures` as an engine.

Each task carries the compressed bytes of the shared value, and each process unpickles them once:
that is all that an executor offers. Threads of this process get the value itself.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any

from doxeval.errors import EngineError, WorkerLost
from doxeval.parallel.engine import Engine, Work
from doxeval.parallel.outcomes import Outcome, carry_out, outcome_of, unpacked
from doxeval.parallel.shared import Shared

_AHEAD = 2  # tasks for each worker
_WORKERS_IF_UNKNOWN = 16
_SECONDS_BETWEEN_LOOKS = 1.0


class OnExecutor(Engine):
    """An executor of the user's own, which is left as it is.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as pool:
    ...     OnExecutor(pool).map(Work(divmod, Shared.of(7)), [2, 3])
    [(3, 1), (2, 1)]
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._in_this_process = isinstance(executor, ThreadPoolExecutor)

    def shared(self, value: Any, prepare: Callable[[Any], object] | None = None) -> Shared:
        """A value for the tasks; threads share it as it is."""
        return Shared.here(value) if self._in_this_process else Shared.of(value, prepare)

    def outcomes(
        self, work: Work, items: Iterable[Any], *, bounded: bool = False
    ) -> Iterator[tuple[int, Outcome]]:
        """The outcomes as they come; every process checks itself before its first task."""
        check = work.packed_check
        remaining = enumerate(items)
        finished: SimpleQueue[int] = SimpleQueue()
        waiting: dict[int, Future[Any]] = {}

        def submit(count: int | None) -> None:
            for number, item in islice(remaining, count):
                future = self._submitted(work, check, item)
                waiting[number] = future
                future.add_done_callback(lambda _, number=number: finished.put(number))  # type: ignore[misc]

        try:
            submit(self._ahead() if bounded else None)
            while waiting:
                number = self._next(finished)
                outcome = _outcome(waiting.pop(number))
                submit(1)
                yield number, outcome
        finally:
            for future in waiting.values():
                future.cancel()

    def _next(self, finished: SimpleQueue[int]) -> int:
        """The number of a finished task.

        Futures of dask's `get_executor()` may never be resolved once the scheduler is lost, so
        the client behind them is looked at from time to time.
        """
        while True:
            try:
                return finished.get(timeout=_SECONDS_BETWEEN_LOOKS)
            except Empty:
                client = getattr(self._executor, "_client", None)
                if getattr(client, "status", "running") != "running":
                    raise EngineError("the scheduler behind the executor was lost") from None

    def _ahead(self) -> int:
        workers = getattr(self._executor, "_max_workers", None)
        return _AHEAD * (workers if isinstance(workers, int) else _WORKERS_IF_UNKNOWN)

    def _submitted(self, work: Work, check: Shared | None, item: Any) -> Future[Any]:
        try:
            if self._in_this_process:
                return self._executor.submit(outcome_of, work.task, work.shared.value, item)
            return self._executor.submit(
                carry_out, work.task, work.shared, check, _this_process, item
            )
        except BrokenExecutor as error:
            failed: Future[Any] = Future()
            failed.set_exception(error)
            return failed


def _this_process() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def _outcome(future: Future[Any]) -> Outcome:
    try:
        found = future.result()
    except BrokenExecutor:
        return Outcome(
            None,
            WorkerLost(
                "a process of the executor ended unexpectedly: it was killed, memory ran out, or "
                "it could not import a measure or function of your own"
            ),
        )
    except CancelledError:
        problem = "tasks were cancelled: the executor was shut down, or its scheduler was lost"
        return Outcome(None, EngineError(problem))
    except Exception as error:  # executors of others raise anything
        return Outcome(None, error)
    return found if isinstance(found, Outcome) else unpacked(found)
