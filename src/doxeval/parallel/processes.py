"""Worker processes that never outlive the process that started them.

Every worker has a pipe of its own. A thread of this process hands it one task after another and
waits for the answers, so a worker that is killed is noticed at once. A worker in turn watches the
process that started it, and ends when that process does, even if it was killed. Workers ignore
Ctrl-C, which a terminal sends to all processes: the process that started them stops them.

Nothing is left behind in this process: no threads, no handlers of signals.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing import resource_tracker
from queue import SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, ParamSpec, Protocol, TypeVar, cast

from doxeval.errors import DoxevalError, InputError, WorkerLost
from doxeval.messages import Parameter

__all__ = ["WorkerLost", "Workers", "in_order"]

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkContext, SpawnContext
    from multiprocessing.process import BaseProcess

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

_HELD = (signal.SIGINT, signal.SIGTERM)
_SECONDS_BETWEEN_LOOKS = 1.0
_SECONDS_TO_END = 5.0


class _Worker(NamedTuple):
    process: BaseProcess
    connection: Connection[Any, Any]


class Workers:
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
        method: Literal["fork", "spawn"],
        prepare: Callable[..., object] | None = None,
        arguments: tuple[Any, ...] = (),
    ) -> None:
        self._count = count
        self._method = method
        self._context = cast("ForkContext | SpawnContext", multiprocessing.get_context(method))
        self._preparation = (prepare, arguments)
        self._workers: list[_Worker] = []
        self._idle: SimpleQueue[_Worker | None] = SimpleQueue()
        self._threads = ThreadPoolExecutor(count, "doxeval-worker")
        self.has_lost_one = False

    def __enter__(self) -> Workers:
        if multiprocessing.current_process().daemon:
            raise InputError(
                Parameter("jobs")
                + " needs processes, and this one may not start any, because multiprocessing "
                "started it as a daemon; use " + Parameter("jobs", 1) + " here"
            )
        try:
            if self._method == "spawn" and os.name == "posix":
                # A process that multiprocessing adds. After starting it, some versions of Python
                # let signals through again, so it is started before they are held.
                resource_tracker.ensure_running()
            for _ in range(self._count):
                self._start()
        except BaseException:
            self._kill()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self._end()
        self._kill()

    def submit(
        self,
        task: Callable[_Parameters, _Result],
        *arguments: _Parameters.args,
        **named: _Parameters.kwargs,
    ) -> Future[_Result]:
        """Have a function called in a worker; it must be one that the worker can import."""
        return self._threads.submit(self._answer, task, arguments, named)

    def _start(self) -> None:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=_work, args=(theirs, *self._preparation), daemon=True
        )
        worker = _Worker(process, ours)
        with _signals_held():  # for the worker, until it has settled how it takes them
            self._workers.append(worker)
            process.start()
        theirs.close()
        self._idle.put(worker)

    def _answer(self, *task: Any) -> Any:
        """Send a task to a worker that has nothing to do, and wait for its answer."""
        worker = self._idle.get()
        if worker is None or self.has_lost_one:  # the others get nothing more to do
            self._idle.put(worker)
            raise WorkerLost("another worker process was lost")
        try:
            worker.connection.send(task)
            is_done, answer, trace = worker.connection.recv()
        except (EOFError, OSError):
            self.has_lost_one = True
            self._idle.put(None)
            raise WorkerLost(f"a worker process {_how_it_ended(worker.process)}") from None
        except BaseException:  # the task or its answer cannot be pickled; the worker is fine
            self._idle.put(worker)
            raise
        self._idle.put(worker)
        if is_done:
            return answer
        answer.add_note(trace)
        raise answer

    def _end(self) -> None:
        """Let idle workers end by themselves."""
        self._threads.shutdown()
        for worker in self._workers:
            try:
                worker.connection.send(None)
            except OSError:  # it has ended already
                continue
        for worker in self._workers:
            worker.process.join(_SECONDS_TO_END)

    def _kill(self) -> None:
        """End all workers at once. They write nothing, so nothing is left half done."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        started = [worker for worker in self._workers if worker.process.pid is not None]
        for worker in started:
            worker.process.kill()
        for worker in started:
            worker.process.join()
        self._threads.shutdown()  # their workers gone, threads wait for nothing
        for worker in self._workers:
            worker.connection.close()
        for worker in started:
            with suppress(ValueError):  # somebody else has waited for it, so its end is not known
                worker.process.close()


class Submits(Protocol):
    """Workers, or something that hands tasks on to them."""

    def submit(self, task: Callable[..., _Result], *arguments: Any) -> Future[_Result]:
        """Have a function called in a worker."""


def in_order(
    workers: Submits,
    task: Callable[..., _Result],
    arguments: Iterable[tuple[Any, ...]],
    ahead: int,
) -> Iterator[_Result]:
    """The results of a task for each of many arguments, in the order of the arguments.

    The first `ahead` tasks are handed to the workers at once, and each of the others when a result
    is taken. So the workers are busy while the caller is, and never more than `ahead` results wait
    for the caller.

    >>> with Workers(2, "spawn") as workers:
    ...     list(in_order(workers, divmod, [(7, 2), (9, 4), (6, 3)], ahead=2))
    [(3, 1), (2, 1), (2, 0)]
    """
    remaining = iter(arguments)
    waiting: deque[Future[_Result]] = deque()

    def submit(count: int) -> None:
        for each in islice(remaining, count):
            waiting.append(workers.submit(task, *each))

    def results() -> Iterator[_Result]:
        while waiting:
            future = waiting.popleft()
            submit(1)
            yield future.result()

    submit(ahead)
    return results()


def _how_it_ended(process: BaseProcess) -> str:
    process.join(_SECONDS_TO_END)
    code = process.exitcode
    if code is None or code >= 0:
        return "ended unexpectedly"
    return f"was killed by signal {-code}"


@contextmanager
def _signals_held() -> Iterator[None]:
    """Signals that would end a process come later; processes started meanwhile inherit this."""
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


def _work(
    connection: Connection[Any, Any],
    prepare: Callable[..., object] | None,
    arguments: tuple[Any, ...],
) -> None:
    """Carry out tasks until there are no more."""
    _settle_signals()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    unprepared: Exception | None = None
    try:
        if prepare is not None:
            prepare(*arguments)
    except Exception as error:  # the answer to every task
        unprepared = error
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        except Exception as error:  # what was sent cannot be unpickled here
            _send(connection, False, error)
            continue
        if task is None:
            return
        if unprepared is not None:
            _send(connection, False, unprepared)
        else:
            _carry_out(connection, *task)


def _carry_out(
    connection: Connection[Any, Any],
    task: Callable[..., Any],
    arguments: tuple[Any, ...],
    named: dict[str, Any],
) -> None:
    try:
        answer = task(*arguments, **named)
    except Exception as error:
        _send(connection, False, error)
    else:
        _send(connection, True, answer)


def _send(connection: Connection[Any, Any], is_done: bool, answer: Any) -> None:
    trace = "" if is_done else f"In a worker process: {''.join(traceback.format_exception(answer))}"
    try:
        connection.send((is_done, answer, trace))
    except OSError:  # nobody waits for it any more
        return
    except Exception as error:  # it cannot be pickled
        problem = f"the answer of a worker process cannot be sent back: {error}"
        connection.send((False, DoxevalError(problem), trace))


def _settle_signals() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HELD)


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
