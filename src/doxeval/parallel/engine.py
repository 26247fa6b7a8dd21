"""Engines: where many tasks are carried out, each on a value that all of them share.

    Local         this process, one task after another
    Processes     worker processes on this machine
    OnExecutor    any executor of `concurrent.futures`
    OnDask        a cluster of dask (dask.py)

All of them give the same results. The error of a task is a result like others: no engine takes it
for a failure of its own, and none repeats a task whose input is wrong.
"""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from doxeval.errors import DoxevalError, EngineError, InputError, WorkerLost
from doxeval.messages import Parameter, quoted
from doxeval.parallel import PATIENCE
from doxeval.parallel.shared import Shared

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future
    from queue import SimpleQueue

# A function of the shared value and an item.
Task: TypeAlias = Callable[[Any, Any], Any]
# Returns what is wrong with the process that it is called in, in words.
Check: TypeAlias = Callable[[], Sequence[str]]
Progress: TypeAlias = Callable[[int], object]
# What `engine=` takes: a name, an executor, a client of dask's, or an engine that is open already.
EngineLike: TypeAlias = Any
_Coming: TypeAlias = Generator[tuple[int, "TaskResult"], None, None]

_AHEAD = 2  # tasks for each worker of an executor
_WORKERS_IF_UNKNOWN = 16
_SECONDS_BETWEEN_LOOKS = 1.0
_DASK_PORT = 8786  # dask's default
_EXPECTED = "expected dask://HOST:PORT, tls://HOST:PORT or dask:FILE, a scheduler file"


class Work(NamedTuple):
    """What is to be done for each item: `task(value, item)`, with a value that all tasks share.

    Tasks are functions of modules that workers can import. A worker passes the `check` before its
    first task, or the whole work ends with an error that names the worker and what is wrong there.
    `name` says what to call an item in a message.

    >>> Work(divmod, Shared.of(7)).name("a.run")
    "'a.run'"
    """

    task: Task
    shared: Shared
    check: Check | None = None
    name: Callable[[Any], str] = quoted

    @property
    def packed_check(self) -> Shared | None:
        """The check as workers receive it."""
        return None if self.check is None else Shared.of(self.check)


class TaskResult(NamedTuple):
    """The result of a task, or its error with the traceback in words.

    >>> TaskResult(3).result()
    3
    """

    value: Any = None
    error: Exception | None = None
    trace: str = ""

    def result(self) -> Any:
        """Return the result, or raise the error."""
        if self.error is None:
            return self.value
        if self.trace and not isinstance(self.error, DoxevalError):
            self.error.add_note(self.trace)
        raise self.error

    def packed(self) -> bytes:
        """Return this as bytes; what cannot be pickled becomes an error."""
        try:
            data = pickle.dumps(self, pickle.HIGHEST_PROTOCOL)
            if self.error is not None:
                pickle.loads(data)  # noqa: S301  # ours; exceptions may refuse only here
            return data
        except Exception as error:  # objects of others raise anything when they are pickled
            what = type(self.value if self.error is None else self.error).__name__
            problem = f"the answer of a worker cannot be sent back ({what}): {error}"
            return pickle.dumps(TaskResult(None, EngineError(problem), self.trace))


def unpack_result(data: bytes) -> TaskResult:
    """Return an outcome from its bytes.

    >>> unpack_result(TaskResult(3).packed())
    TaskResult(value=3, error=None, trace='')
    """
    try:
        outcome: TaskResult = pickle.loads(data)  # noqa: S301  # made by TaskResult.packed
    except Exception as error:  # and when they are unpickled
        return TaskResult(None, EngineError(f"the answer of a worker cannot be read: {error}"))
    return outcome


def run_task(task: Task, value: Any, item: Any) -> TaskResult:
    """Carry out a task in this process.

    >>> run_task(divmod, 7, 2).value
    (3, 1)
    >>> run_task(divmod, 7, 0).error
    ZeroDivisionError('integer division or modulo by zero')
    """
    try:
        return TaskResult(task(value, item))
    except Exception as error:  # errors are results like others
        return failed_result(error)


def failed_result(error: Exception) -> TaskResult:
    """Return the outcome of a task that raised an error.

    >>> failed_result(ValueError("no")).trace
    'In a worker process: ValueError: no\\n'
    """
    import traceback

    return TaskResult(
        None, error, f"In a worker process: {''.join(traceback.format_exception(error))}"
    )


class Engine(ABC):
    """Carries out work for each of many items.

    Tasks of lost workers are carried out elsewhere if the engine can do so; nothing else is
    repeated.

    >>> Local().map(Work(divmod, Shared.of(7)), [2, 3])
    [(3, 1), (2, 1)]
    """

    def shared(self, value: Any, prepare: Callable[[Any], object] | None = None) -> Shared:
        """Return a value that tasks on this engine share; workers prepare it on arrival."""
        return Shared.of(value, prepare)

    @abstractmethod
    def outcomes(
        self, work: Work, items: Iterable[Any], *, bounded: bool = False
    ) -> Iterator[tuple[int, TaskResult]]:
        """Return the outcomes with the numbers of their items, as they come.

        If `bounded`, items are taken from their iterator no faster than workers are free for them.
        """

    def map(
        self,
        work: Work,
        items: Iterable[Any],
        *,
        progress: Progress = lambda _: None,
        each: Callable[[int, Any], object] = lambda number, result: None,
    ) -> list[Any]:
        """Return all results in the order of the items; raise the first error in that order.

        Only an error of the engine itself is raised as soon as it comes. `progress` is called with
        1 after each task, and `each` with the number of its item and the result.
        """
        outcomes: dict[int, TaskResult] = {}
        wrong: int | None = None
        with closing(cast(_Coming, self.outcomes(work, items))) as coming:
            for number, outcome in coming:
                outcomes[number] = outcome
                progress(1)
                if outcome.error is None:
                    each(number, outcome.value)
                elif isinstance(outcome.error, EngineError):  # no fault of the input
                    outcome.result()
                else:
                    wrong = number if wrong is None else min(number, wrong)
                if wrong is not None and all(earlier in outcomes for earlier in range(wrong)):
                    break
        if wrong is not None:
            outcomes[wrong].result()
        return [outcomes[number].value for number in range(len(outcomes))]


class Local(Engine):
    """The engine that is this process: it carries out one task after another.

    >>> Local().map(Work(divmod, Shared.of(7)), [])
    []
    """

    def shared(self, value: Any, prepare: Callable[[Any], object] | None = None) -> Shared:
        """Return the value itself."""
        return Shared.here(value)

    def outcomes(
        self, work: Work, items: Iterable[Any], *, bounded: bool = False
    ) -> Iterator[tuple[int, TaskResult]]:
        """Return the outcomes in the order of the items; there are no workers to check."""
        for number, item in enumerate(items):
            yield number, run_task(work.task, work.shared.value, item)


class OnExecutor(Engine):
    """An executor of the user's own, which is left as it is.

    Each task carries the compressed bytes of the shared value, and each process unpickles them
    once: that is all that an executor offers. Threads of this process get the value itself.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as pool:
    ...     OnExecutor(pool).map(Work(divmod, Shared.of(7)), [2, 3])
    [(3, 1), (2, 1)]
    """

    def __init__(self, executor: Executor) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self._executor = executor
        self._in_this_process = isinstance(executor, ThreadPoolExecutor)

    def shared(self, value: Any, prepare: Callable[[Any], object] | None = None) -> Shared:
        """Return a value for the tasks; threads share it as it is."""
        return Shared.here(value) if self._in_this_process else Shared.of(value, prepare)

    def outcomes(
        self, work: Work, items: Iterable[Any], *, bounded: bool = False
    ) -> Iterator[tuple[int, TaskResult]]:
        """Return the outcomes as they come; every process checks itself before its first task."""
        from queue import SimpleQueue

        check = work.packed_check
        remaining = enumerate(items)
        finished: SimpleQueue[int] = SimpleQueue()
        waiting: dict[int, Future[Any]] = {}

        def submit(count: int | None) -> None:
            for number, item in islice(remaining, count):
                future = self._submit(work, check, item)
                waiting[number] = future
                future.add_done_callback(lambda _, number=number: finished.put(number))  # type: ignore[misc]

        try:
            submit(self._ahead() if bounded else None)
            while waiting:
                number = self._next(finished)
                outcome = _result_of_future(waiting.pop(number))
                submit(1)
                yield number, outcome
        finally:
            for future in waiting.values():
                future.cancel()

    def _next(self, finished: SimpleQueue[int]) -> int:
        """Return the number of a finished task.

        Futures of dask's `get_executor()` may never be resolved once the scheduler is lost, so
        the client behind them is looked at from time to time.
        """
        from queue import Empty

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

    def _submit(self, work: Work, check: Shared | None, item: Any) -> Future[Any]:
        from concurrent.futures import BrokenExecutor, Future

        try:
            if self._in_this_process:
                return self._executor.submit(run_task, work.task, work.shared.value, item)
            return self._executor.submit(
                carry_out, work.task, work.shared, check, _this_process, item
            )
        except BrokenExecutor as error:
            failed: Future[Any] = Future()
            failed.set_exception(error)
            return failed


def _result_of_future(future: Future[Any]) -> TaskResult:
    from concurrent.futures import BrokenExecutor, CancelledError

    try:
        result = future.result()
    except BrokenExecutor:
        return TaskResult(
            None,
            WorkerLost(
                "a process of the executor ended unexpectedly: it was killed, memory ran out, or "
                "it could not import a measure or function of your own"
            ),
        )
    except CancelledError:
        problem = "tasks were cancelled: the executor was shut down, or its scheduler was lost"
        return TaskResult(None, EngineError(problem))
    except Exception as error:  # executors of others raise anything
        return TaskResult(None, error)
    return result if isinstance(result, TaskResult) else unpack_result(result)


class Processes(Engine):
    """Worker processes on this machine, started for each piece of work and ended after it.

    They receive the shared value once, when they start. If this process has a single thread and
    the system can fork, they inherit it without any copying.

    >>> engine = Processes(2)
    >>> engine.map(Work(divmod, engine.shared(7)), [2, 3])
    [(3, 1), (2, 1)]
    """

    def __init__(self, count: int) -> None:
        from doxeval.parallel.processes import start_method

        self._count = count
        self._method = start_method()

    def shared(self, value: Any, prepare: Callable[[Any], object] | None = None) -> Shared:
        """Return a value for the tasks; forked workers share it as it is."""
        return Shared.here(value) if self._method == "fork" else Shared.of(value, prepare)

    def outcomes(
        self, work: Work, items: Iterable[Any], *, bounded: bool = False
    ) -> Iterator[tuple[int, TaskResult]]:
        """Return the outcomes as they come; a worker that is lost ends the work."""
        from doxeval.parallel.processes import Workers

        with Workers(self._count, self._method, _begin, (work.shared,)) as workers:
            work = work._replace(shared=work.shared.reference())
            yield from OnExecutor(workers).outcomes(work, items, bounded=bounded)


# In a worker

# The checks that this process has passed, by their digests.
_PASSED: set[str] = set()


def _begin(shared: Shared) -> None:
    keep_freed_blocks()  # the process is ours
    shared.pin()


def carry_out(
    task: Task, shared: Shared, check: Shared | None, worker_name: Callable[[], str], item: Any
) -> bytes:
    """Carry out a task in a worker, which must pass a check before its first one."""
    try:
        refuse_unfit(check, worker_name)
        value = shared.value
    except EngineError as error:
        name, message = worker_name(), str(error)
        told = message if message.startswith(name) else f"{name}: {message}"
        return TaskResult(None, EngineError(told)).packed()
    except DoxevalError as error:  # the value is refused, such as a collection that is another one
        return TaskResult(None, EngineError(f"{worker_name()}: {error}")).packed()
    except Exception as error:
        error.add_note(f"on {worker_name()}")
        return TaskResult(None, error).packed()
    return run_task(task, value, item).packed()


def refuse_unfit(check: Shared | None, worker_name: Callable[[], str]) -> None:
    """Raise an EngineError if this process does not pass a check."""
    if check is None or check.digest in _PASSED:
        return
    problems = check.value()
    if problems:
        raise EngineError(f"{worker_name()}: {'; '.join(problems)}")
    _PASSED.add(check.digest)


def _this_process() -> str:
    import os
    import socket

    return f"process {os.getpid()} on {socket.gethostname()}"


# The memory of a process. Scoring makes and drops large arrays, run after run. The C library would
# give each back to the system and ask for it again, page by page, which takes longer than many a
# computation on them; where dask starts workers, it even asks the C library to do so early.
# Commands, the processes of `jobs=` and the workers of an `engine=` may change that: they are there
# for this work. The library changes nothing in the process that uses it, nor in those of an
# `executor=`, which may do other things as well.

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1  # as <malloc.h> numbers them
_LARGEST_BLOCK = 32 << 20
_KEPT_BYTES = 256 << 20


def keep_freed_blocks() -> None:
    """Let the C library keep up to 256 MiB of freed blocks, if it is the GNU C library."""
    import ctypes

    try:
        adjust = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    adjust(_MMAP_THRESHOLD, _LARGEST_BLOCK)
    adjust(_TRIM_THRESHOLD, _KEPT_BYTES)


# Engines by their names


@contextmanager
def open_engine(
    engine: EngineLike | None,
    *,
    patience: float = PATIENCE,
    tell: Callable[[str], object] = lambda _: None,
) -> Iterator[Engine]:
    """Open an engine by its name, an executor as an engine, or None for this process.

    The name is "dask://HOST:PORT", "tls://HOST:PORT" (with the certificates that dask's own
    configuration names under distributed.comm.tls) or "dask:FILE" with the file that a scheduler
    wrote. A cluster may be without workers for `patience` seconds; `tell` is called with what it
    waits for. A client of dask's that is connected already is taken as it is.

    >>> with open_engine(None) as engine:
    ...     engine.map(Work(divmod, Shared.of(7)), [2, 3])
    [(3, 1), (2, 1)]
    >>> with open_engine("dask://"):
    ...     pass
    Traceback (most recent call last):
    doxeval.errors.InputError: engine='dask://': expected dask://HOST:PORT, tls://HOST:PORT or \
dask:FILE, a scheduler file
    """
    from concurrent.futures import Executor

    if engine is None:
        yield Local()
    elif isinstance(engine, Engine):
        yield engine
    elif isinstance(engine, Executor):
        yield OnExecutor(engine)
    else:
        with _open_dask(engine, patience, tell) as on_dask:
            yield on_dask


@contextmanager
def _open_dask(engine: object, patience: float, tell: Callable[[str], object]) -> Iterator[Engine]:
    if not patience > 0:
        raise InputError(f"patience is {patience}: expected a number of seconds above 0")
    if isinstance(engine, str):
        address = scheduler_address(engine)
        try:
            import distributed  # noqa: F401
        except ImportError as error:
            raise EngineError(
                f"a cluster of dask needs the extra dask: pip install 'doxeval[dask]' ({error})"
            ) from None
        from doxeval.parallel.dask import connect

        with connect(address, engine, patience, tell) as on_dask:
            yield on_dask
        return
    if not type(engine).__module__.startswith("distributed"):
        raise InputError(Parameter("engine", engine) + f": {_EXPECTED}, or an executor")
    from doxeval.parallel.dask import use_client

    with use_client(engine, patience, tell) as on_dask:
        yield on_dask


def scheduler_address(engine: str) -> str:
    """Return the address of a scheduler as dask writes it.

    >>> scheduler_address("dask://head"), scheduler_address("tls://head:4711")
    ('tcp://head:8786', 'tls://head:4711')
    """
    from urllib.parse import urlsplit

    if engine.startswith("dask:") and not engine.startswith("dask://"):
        return _address_in_file(engine.removeprefix("dask:"))
    try:
        parts = urlsplit(engine)
        host, port = parts.hostname, parts.port or _DASK_PORT
    except ValueError:  # a port that is not a number
        host, port = None, 0
    protocol = {"dask": "tcp", "tcp": "tcp", "tls": "tls"}.get(engine.partition(":")[0])
    if protocol is None or not host or parts.path not in ("", "/") or "@" in parts.netloc:
        raise InputError(Parameter("engine", engine) + f": {_EXPECTED}")
    return f"{protocol}://{f'[{host}]' if ':' in host else host}:{port}"


def _address_in_file(file: str) -> str:
    import json

    try:
        with open(file, encoding="utf-8-sig") as stream:
            address = json.load(stream)["address"]
    except OSError as error:
        reason = error.strerror or str(error)
        raise EngineError(f"{file}: no scheduler file can be read there: {reason}") from None
    except (ValueError, LookupError, TypeError, RecursionError):
        address = None
    if not isinstance(address, str):
        raise EngineError(f"{file}: this is no scheduler file of dask")
    return address
