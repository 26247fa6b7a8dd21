"""The engine of worker processes on this machine, which never outlive the one that started them.

They are those of ProcessPoolExecutor. What is added here:

- Items and answers are pickled one by one, so that what cannot be pickled, or read again, is the
  error of its task alone. Errors arrive as they were raised, with their tracebacks as notes.
- A worker that is lost is an error that says how it ended. One that is killed in the middle of a
  long answer would leave the pool waiting for the rest of it; so the others are killed as well.
- After an error in this process, Ctrl-C included, workers are killed, not waited for.
- A worker watches the process that started it, and ends when that process does, even if it was
  killed. Workers ignore Ctrl-C, which a terminal sends to all processes.

Nothing is left behind in this process: no threads, no handlers of signals.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any, Literal, cast

from doxeval.errors import InputError, WorkerLost
from doxeval.messages import Parameter
from doxeval.parallel.engine import (
    TASKS_AHEAD,
    Engine,
    FutureTasks,
    TaskResult,
    Tasks,
    Work,
    failed_future,
    failed_result,
    refuse_unfit,
    run_task,
    this_process,
    unpack_result,
)
from doxeval.parallel.memory import keep_freed_blocks
from doxeval.parallel.shared import Shared

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

StartMethod = Literal["fork", "spawn"]

_HELD = (signal.SIGINT, signal.SIGTERM)
_SECONDS_BETWEEN_LOOKS = 1.0
_SECONDS_TO_END = 5.0
_SECONDS_FOR_THREADS = 0.1


class Processes(Engine):
    """Worker processes on this machine, started for each piece of work and ended after it.

    They receive the shared value once, when they start. Forked ones inherit it without any copying,
    and with it all that this process has open; that is safe only while it has a single thread, and
    then the default. Spawned ones are the same on every system. If this process takes part, it is
    one of the `count`, and carries out tasks itself while it waits for the others.

    >>> engine = Processes(2)
    >>> engine.map(Work(divmod, engine.shared(7)), [2, 3])
    [(3, 1), (2, 1)]
    """

    def __init__(
        self, count: int, method: StartMethod | None = None, *, takes_part: bool = False
    ) -> None:
        self._count = count
        self._takes_part = takes_part
        can_fork = hasattr(os, "fork") and _threads() == 1
        self._method: StartMethod = method or ("fork" if can_fork else "spawn")

    def shared(self, value: Any, prepare: Callable[[Any], object] | None = None) -> Shared:
        """Return a value for the tasks; forked workers share it as it is."""
        return Shared.here(value) if self._method == "fork" else Shared.of(value, prepare)

    @contextmanager
    def begin(self, work: Work) -> Iterator[Tasks]:
        """Enter a context with workers; one that is lost ends the work."""
        if multiprocessing.current_process().daemon:
            raise InputError(
                Parameter("jobs")
                + " needs processes, and this one may not start any, because multiprocessing "
                "started it as a daemon; use " + Parameter("jobs", 1) + " here"
            )
        if self._takes_part:
            tasks: _ProcessTasks = _SharedTasks(self._count - 1, self._method, work)
        else:
            tasks = _ProcessTasks(self._count, self._method, work)
        is_done = False
        try:
            yield tasks
            is_done = not len(tasks)
        finally:
            tasks.end(is_done)


def _threads() -> int:
    """Return how many threads this process has, with those of libraries if the system tells."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return threading.active_count()


class _ProcessTasks(FutureTasks):
    """Tasks on a pool of processes."""

    def __init__(self, count: int, method: StartMethod, work: Work) -> None:
        super().__init__(TASKS_AHEAD * count)
        if method == "spawn" and hasattr(os, "fork"):
            # A process that multiprocessing adds. After starting it, some versions of Python let
            # signals through again, so it is started before they are held.
            resource_tracker.ensure_running()
        self._work = work
        self._method = method
        self._threads_before = _threads()
        self._context = _Context(method)
        self._pool = ProcessPoolExecutor(
            count, cast("BaseContext", self._context), _begin, (work.shared, work.packed_check)
        )
        self._loss: str | None = None

    def start(self, item: Any) -> Future[bytes]:
        try:
            call = pickle.dumps((self._work.task, item), pickle.HIGHEST_PROTOCOL)
            with _signals_held():  # for workers that are started, until they handle them
                return self._pool.submit(_carry_out, call)
        except Exception as error:  # the item cannot be pickled, or a worker was lost
            return failed_future(error)

    def outcome(self, future: Future[bytes], number: int, item: Any) -> TaskResult:
        try:
            return unpack_result(future.result())
        except BrokenExecutor:
            return TaskResult(None, self._lost())
        except Exception as error:
            return TaskResult(None, error)

    def look(self) -> None:
        """Kill all workers if one has ended too early, perhaps in the middle of an answer."""
        if any(process.exitcode is not None for process in self._context.running()):
            self._lost()  # before the others end
            self._kill()

    def end(self, is_done: bool) -> None:
        """Let workers end that have done everything, or kill them at once."""
        has_ended = False
        try:
            if is_done:
                self._pool.shutdown()
                has_ended = True
        finally:
            if not has_ended:
                self._kill()
                self._pool.shutdown()
                # The pool's semaphores are in reference cycles. If this process ends without
                # collecting them, multiprocessing complains that they were leaked.
                gc.collect()
            for process in self._context.running():
                process.join()
                with suppress(ValueError):  # already reaped elsewhere; exit code unknown
                    process.close()
            # For the system, threads of the pool end a moment later than for Python. Until then
            # this process could not fork again.
            deadline = time.monotonic() + _SECONDS_FOR_THREADS
            while _threads() > self._threads_before and time.monotonic() < deadline:
                time.sleep(0.0005)

    def _kill(self) -> None:
        for process in self._context.running():
            process.kill()
        # The pool may wait for the rest of an answer. It ends once nobody can write it any more:
        # this process has the other end of the pipe, too.
        with suppress(AttributeError, OSError):
            self._pool._result_queue._writer.close()  # type: ignore[attr-defined]

    def _lost(self) -> WorkerLost:
        """Return the error that a worker was lost; the first call finds out how it ended."""
        if self._loss is None:
            self._loss = _how_one_ended(self._context.running())
        script = ". (A script of your own must call this below `if __name__ == '__main__':`.)"
        return WorkerLost(
            f"a worker process {self._loss} while it was {self._work.doing}, perhaps for lack of "
            "memory; try a smaller "
            + Parameter("jobs")
            + (script if self._method == "spawn" else "")
        )


class _SharedTasks(_ProcessTasks):
    """Tasks on a pool of processes, some of which this process carries out itself.

    Scoring ten runs in two processes takes 5 % less processor time than with a second worker: each
    worker copies what it changes of the memory that it shares with this process.
    """

    def __init__(self, count: int, method: StartMethod, work: Work) -> None:
        super().__init__(count, method, work)
        self._most_elsewhere = self.ahead
        self.ahead += 1
        self._waiting: deque[tuple[int, Any]] = deque()

    def submit(self, numbered: Iterable[tuple[int, Any]]) -> None:
        self._waiting.extend(numbered)
        while len(self._waiting) > 1 and super().__len__() < self._most_elsewhere:
            super().submit([self._waiting.popleft()])  # the last one is for this process

    def next_outcome(self) -> tuple[int, TaskResult]:
        if self._waiting and self._finished.empty():
            number, item = self._waiting.popleft()
            return number, run_task(self._work.task, self._work.shared.value, item)
        outcome = super().next_outcome()
        self.submit(())
        return outcome

    def __len__(self) -> int:
        return len(self._waiting) + super().__len__()


class _Context:
    """A context of multiprocessing that knows the processes started in it."""

    def __init__(self, method: StartMethod) -> None:
        self._context: Any = multiprocessing.get_context(method)
        self._started: list[BaseProcess] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def Process(self, **options: Any) -> BaseProcess:  # noqa: N802  # as the pool calls it
        process: BaseProcess = self._context.Process(daemon=True, **options)
        self._started.append(process)
        return process

    def running(self) -> list[BaseProcess]:
        """Return the processes that were started, some of which may have ended."""
        return [process for process in list(self._started) if process.pid is not None]


def _how_one_ended(processes: list[BaseProcess]) -> str:
    """Return how the first of some processes ended; the pool terminates the others."""
    deadline = time.monotonic() + _SECONDS_TO_END
    while True:
        codes = [code for process in processes if (code := process.exitcode) is not None]
        others = [code for code in codes if code != -signal.SIGTERM]
        if others or len(codes) == len(processes) or time.monotonic() > deadline:
            break
        time.sleep(0.005)
    first = (others or codes or [0])[0]
    return f"was killed by signal {-first}" if first < 0 else "ended unexpectedly"


@contextmanager
def _signals_held() -> Iterator[None]:
    """Let signals that would end a process come later; processes started meanwhile inherit this."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, _HELD)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# In a worker, which serves a single piece of work

_shared: Shared
_check: Shared | None


def _begin(shared: Shared, check: Shared | None) -> None:
    """Prepare a worker that was just started."""
    global _shared, _check
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HELD)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    keep_freed_blocks()
    _shared, _check = shared, check


def _carry_out(call: bytes) -> bytes:
    try:
        task, item = pickle.loads(call)  # noqa: S301  # made by _ProcessTasks.start
        refuse_unfit(_check, this_process)
        value = _shared.value
    except Exception as error:
        return failed_result(error).packed()
    return run_task(task, value, item).packed()


def _end_with_parent() -> None:
    """End this process when the one that started it does.

    Other processes that it forked may keep its end of a pipe open, so its id is looked at, too.
    """
    parent = multiprocessing.parent_process()
    while parent is not None and parent.is_alive():
        if hasattr(os, "getppid") and os.getppid() != parent.pid:
            break
        parent.join(_SECONDS_BETWEEN_LOOKS)
    os._exit(1)
