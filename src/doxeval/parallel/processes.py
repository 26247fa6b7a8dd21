"""Worker processes on this machine that never outlive the process that started them.

They are those of ProcessPoolExecutor. What is added here:

- Tasks and answers are pickled one by one, so that what cannot be pickled, or read again, is the
  error of its task alone. Errors arrive as they were raised, with their tracebacks as notes.
- A worker that is lost is an error that says how it ended. One that is killed in the middle of a
  long answer would leave the pool waiting for the rest of it; so the others are killed as well.
- After an error in this process, Ctrl-C included, workers are killed, not waited for. They write
  nothing, so nothing is left half done.
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
from concurrent import futures
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from multiprocessing import connection, resource_tracker
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Protocol, TypeVar, cast

from doxeval.errors import InputError, WorkerLost
from doxeval.messages import Parameter
from doxeval.parallel.engine import TaskResult, failed_result, unpack_result

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
StartMethod = Literal["fork", "spawn"]

_HELD = (signal.SIGINT, signal.SIGTERM)
_SECONDS_BETWEEN_LOOKS = 1.0
_SECONDS_TO_END = 5.0


class Workers(Executor):
    """Processes that carry out tasks: a context manager, which stops them at its end.

    `prepare` is called once in every worker with its `arguments`. Forked workers get these as they
    are, spawned ones get a pickled copy. Forking is safe only while this process has one thread.

    >>> with Workers(1, "spawn") as workers:
    ...     workers.submit(divmod, 7, 2).result()
    (3, 1)
    """

    def __init__(
        self,
        count: int,
        method: StartMethod,
        prepare: Callable[..., object] | None = None,
        arguments: tuple[Any, ...] = (),
    ) -> None:
        self._max_workers = count
        self._context = _Context(method)
        self._preparation = prepare, arguments
        self._unanswered: set[Future[Any]] = set()
        self._loss: str | None = None
        self._lock = threading.Lock()

    @property
    def has_lost_one(self) -> bool:
        """Whether a worker has ended too early; the others get nothing more to do."""
        return self._loss is not None

    def __enter__(self) -> Workers:
        if multiprocessing.current_process().daemon:
            raise InputError(
                Parameter("jobs")
                + " needs processes, and this one may not start any, because multiprocessing "
                "started it as a daemon; use " + Parameter("jobs", 1) + " here"
            )
        if os.name == "posix":
            # A process that multiprocessing adds. After starting it, some versions of Python let
            # signals through again, so it is started before they are held.
            resource_tracker.ensure_running()
        self._pool = ProcessPoolExecutor(
            self._max_workers, cast("BaseContext", self._context), _begin, self._preparation
        )
        self._ended, self._end = self._context.Pipe(duplex=False)
        self._watch: threading.Thread | None = None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.shutdown(wait=error is None)

    def submit(
        self,
        task: Callable[_Parameters, _Result],
        /,
        *arguments: _Parameters.args,
        **named: _Parameters.kwargs,
    ) -> Future[_Result]:
        """Run an importable function in a worker."""
        answer: Future[_Result] = Future()
        try:
            call = pickle.dumps((task, arguments, named), pickle.HIGHEST_PROTOCOL)
            with _signals_held():  # for workers that are started, until they handle them
                future = self._pool.submit(_carry_out, call)
        except Exception as error:  # usually, the task cannot be pickled
            is_lost = self.has_lost_one or isinstance(error, BrokenExecutor)
            answer.set_exception(self._lost() if is_lost else error)
        else:
            self._unanswered.add(answer)
            future.add_done_callback(partial(self._pass_on, answer))
            if self._watch is None:
                self._watch = threading.Thread(target=self._kill_all_with_one, daemon=True)
                self._watch.start()
        return answer

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let workers finish their tasks and end, or kill them at once."""
        has_ended = False
        try:
            if wait:
                futures.wait(list(self._unanswered))
                self._stop_watching()
                self._pool.shutdown()
                has_ended = True
        finally:
            if not has_ended:
                self._kill()
                self._stop_watching()
                self._pool.shutdown()
                # The pool's semaphores are in reference cycles. If this process ends without
                # collecting them, multiprocessing complains that they were leaked.
                gc.collect()
            for process in self._context.started:
                process.join()
                with suppress(ValueError):  # already reaped elsewhere; exit code unknown
                    process.close()
            self._context.started.clear()
            self._ended.close()
            self._end.close()

    def _pass_on(self, answer: Future[Any], future: Future[bytes]) -> None:
        """Give an answer that has come to the one who waits for it."""
        self._unanswered.discard(answer)
        if not answer.set_running_or_notify_cancel():
            return
        try:
            answer.set_result(unpack_result(future.result()).result())
        except BrokenExecutor:
            answer.set_exception(self._lost())
        except BaseException as error:  # that of the task
            answer.set_exception(error)

    # When a worker is lost

    def _kill_all_with_one(self) -> None:
        """Kill all workers once one has ended too early."""
        while True:
            watched = [*self._context.sentinels(), self._ended]
            ready = connection.wait(watched, _SECONDS_BETWEEN_LOOKS)
            if self._ended in ready:
                return
            if ready:
                self._lost()
                self._kill()
                return

    def _kill(self) -> None:
        for process in self._context.running():
            process.kill()
        # The pool may wait for the rest of an answer. It ends once nobody can write it any more:
        # this process has the other end of the pipe, too.
        with suppress(AttributeError, OSError):
            self._pool._result_queue._writer.close()  # type: ignore[attr-defined]

    def _stop_watching(self) -> None:
        if self._watch is not None:
            self._end.send(None)
            self._watch.join()
            self._watch = None

    def _lost(self) -> WorkerLost:
        """Return the error that a worker was lost; the first call finds out how it ended."""
        with self._lock:
            if self._loss is None:
                self._loss = _how_one_ended(self._context.running())
            return WorkerLost(f"a worker process {self._loss}")


class _Context:
    """A context of multiprocessing that knows the processes started in it."""

    def __init__(self, method: StartMethod) -> None:
        self._context: Any = multiprocessing.get_context(method)
        self.started: list[BaseProcess] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def Process(self, **options: Any) -> BaseProcess:  # noqa: N802  # as the pool calls it
        process: BaseProcess = self._context.Process(daemon=True, **options)
        self.started.append(process)
        return process

    def running(self) -> list[BaseProcess]:
        """Return the processes that were started, some of which may have ended."""
        return [process for process in list(self.started) if process.pid is not None]

    def sentinels(self) -> list[int]:
        """Return what becomes ready when a process ends, of all that were started."""
        sentinels = []
        for process in self.running():
            with suppress(ValueError):  # it is being started
                sentinels.append(process.sentinel)
        return sentinels


def _how_one_ended(processes: list[BaseProcess]) -> str:
    """Return how the first of some processes ended; the pool may have terminated others since."""
    deadline = time.monotonic() + _SECONDS_TO_END
    codes: list[int] = []
    while not codes and time.monotonic() < deadline:
        codes = [code for process in processes if (code := process.exitcode) is not None]
        time.sleep(0 if codes else 0.005)
    killed = [code for code in codes if code < 0 and code != -signal.SIGTERM]
    if not killed and all(code == -signal.SIGTERM for code in codes):
        killed = codes
    return f"was killed by signal {-killed[0]}" if killed else "ended unexpectedly"


class Submits(Protocol):
    """Workers, or something that hands tasks on to them."""

    def submit(self, task: Callable[..., _Result], /, *arguments: Any) -> Future[_Result]:
        """Run a function in a worker."""


def in_order(
    workers: Submits,
    task: Callable[..., _Result],
    arguments: Iterable[tuple[Any, ...]],
    ahead: int,
) -> Iterator[_Result]:
    """Return the results of a task for each of many arguments, in the order of the arguments.

    The first `ahead` tasks are handed to the workers at once, and each of the others when a result
    is taken. So the workers are busy while the caller is, and never more than `ahead` results wait
    for the caller.

    >>> with Workers(2, "spawn") as workers:
    ...     list(in_order(workers, divmod, [(7, 2), (9, 4), (6, 3)], ahead=2))
    [(3, 1), (2, 1), (2, 0)]
    """
    remaining = iter(arguments)
    waiting = deque(workers.submit(task, *each) for each in islice(remaining, ahead))

    def results() -> Iterator[_Result]:
        while waiting:
            future = waiting.popleft()
            waiting.extend(workers.submit(task, *each) for each in islice(remaining, 1))
            yield future.result()

    return results()


def start_method() -> StartMethod:
    """Return how to start workers: forked, which copies nothing, if this process has one thread.

    >>> start_method() in ("fork", "spawn")
    True
    """
    try:
        threads = len(os.listdir("/proc/self/task"))  # those of libraries count, too
    except OSError:
        threads = threading.active_count()
    can_fork = "fork" in multiprocessing.get_all_start_methods() and threads == 1
    return "fork" if can_fork else "spawn"


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


# In a worker

_unprepared: Exception | None = None  # the answer to every task


def _begin(prepare: Callable[..., object] | None, arguments: tuple[Any, ...]) -> None:
    """Prepare a worker that was just started."""
    global _unprepared
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HELD)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        if prepare is not None:
            prepare(*arguments)
    except Exception as error:
        _unprepared = error


def _carry_out(call: bytes) -> bytes:
    try:
        if _unprepared is not None:
            raise _unprepared
        task, arguments, named = pickle.loads(call)  # noqa: S301  # made by Workers.submit
        outcome = TaskResult(task(*arguments, **named))
    except Exception as error:
        outcome = failed_result(error)
    return outcome.packed()


def _end_with_parent() -> None:
    """End this process when the one that started it does.

    Other processes that it forked may keep its end of a pipe open, so its id is looked at, too.
    """
    parent = multiprocessing.parent_process()
    while parent is not None and parent.is_alive():
        if os.name == "posix" and os.getppid() != parent.pid:
            break
        parent.join(_SECONDS_BETWEEN_LOOKS)
    os._exit(1)
