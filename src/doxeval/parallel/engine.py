"""Engines: where many tasks are carried out, each on a value that all of them share.

    Local         this process, one task after another
    Processes     worker processes on this machine (processes.py)
    OnExecutor    any executor of `concurrent.futures`
    OnDask        a cluster of dask (dask.py)

All of them give the same results. The error of a task is a result like others: no engine takes it
for a failure of its own, and none repeats a task whose input is wrong.
"""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import count, islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from doxeval.errors import DoxevalError, EngineError, InputError, WorkerLost
from doxeval.messages import Parameter, quoted
from doxeval.parallel import PATIENCE
from doxeval.parallel.shared import Shared

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

# A function of the shared value and an item.
Task: TypeAlias = Callable[[Any, Any], Any]
# Returns what is wrong with the process that it is called in, in words.
Check: TypeAlias = Callable[[], Sequence[str]]
# What `engine=` takes: a name, an executor, a client of dask's, or an engine that is open already.
EngineLike: TypeAlias = Any

TASKS_AHEAD = 2  # for each worker of this machine
_WORKERS_IF_UNKNOWN = 16
_SECONDS_BETWEEN_LOOKS = 1.0
_DASK_PORT = 8786  # dask's default
_EXPECTED = "expected dask://HOST:PORT, tls://HOST:PORT or dask:FILE, a scheduler file"


class Work(NamedTuple):
    """What is to be done for each item: `task(value, item)`, with a value that all tasks share.

    Tasks are functions of modules that workers can import. A worker passes the `check` before its
    first task, or the whole work ends with an error that names the worker and what is wrong there.
    `name` says what to call an item in a message, `doing` what a worker was doing when it was lost.

    >>> Work(divmod, Shared.of(7)).name("a.run")
    "'a.run'"
    """

    task: Task
    shared: Shared
    check: Check | None = None
    name: Callable[[Any], str] = quoted
    doing: str = "working"

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
    """Where work is carried out for each of many items.

    Tasks of lost workers are carried out elsewhere if the engine can do so; nothing else is
    repeated.

    >>> Local().map(Work(divmod, Shared.of(7)), [2, 3])
    [(3, 1), (2, 1)]
    """

    def shared(self, value: Any, prepare: Callable[[Any], object] | None = None) -> Shared:
        """Return a value that tasks on this engine share; workers prepare it on arrival."""
        return Shared.of(value, prepare)

    @abstractmethod
    def begin(self, work: Work) -> AbstractContextManager[Tasks]:
        """Enter a context in which the work is carried out; whatever is unfinished ends with it."""

    def outcomes(
        self, work: Work, items: Iterable[Any], *, bounded: bool = False
    ) -> Generator[tuple[int, TaskResult], None, None]:
        """Yield the outcomes with the numbers of their items, as they come.

        If `bounded`, items are taken from their iterator no faster than workers are free for them.
        """
        remaining = enumerate(items)
        with self.begin(work) as tasks:
            tasks.submit(islice(remaining, tasks.ahead if bounded else None))
            while len(tasks):
                outcome = tasks.next_outcome()
                tasks.submit(islice(remaining, 1))
                yield outcome

    @contextmanager
    def in_order(
        self, work: Work, items: Iterable[Any], *, ahead: int | None = None
    ) -> Iterator[Iterator[Any]]:
        """Enter a context with the results in the order of the items; errors come in their turn.

        Only an error of the engine itself is raised as soon as it comes. The first tasks are begun
        before anything is done inside. With `ahead`, no more than so many tasks are begun before
        their results are taken; otherwise any number of results may wait for an earlier one.

        >>> with Local().in_order(Work(divmod, Shared.of(7)), [2, 3]) as results:
        ...     next(results)
        (3, 1)
        """
        with self.begin(work) as tasks:
            yield tasks.in_order(items, ahead=ahead)

    def map(self, work: Work, items: Iterable[Any]) -> list[Any]:
        """Return all results in the order of the items; raise the first error in that order."""
        with self.in_order(work, items) as results:
            return list(results)


class Tasks(ABC):
    """Tasks that an engine was given, and whose outcomes nobody has taken yet.

    `ahead` is how many of them keep all workers busy.
    """

    ahead = 1

    def in_order(self, items: Iterable[Any], *, ahead: int | None = None) -> Iterator[Any]:
        """Begin tasks for more items, and return the results in order (see Engine.in_order).

        All tasks that were begun before have been done.
        """
        remaining = enumerate(items)
        self.submit(islice(remaining, ahead or self.ahead))
        return self._in_order(remaining, ahead)

    def _in_order(
        self, remaining: Iterator[tuple[int, Any]], ahead: int | None
    ) -> Generator[Any, None, None]:
        waiting: dict[int, TaskResult] = {}
        for following in count():
            while following not in waiting:
                if not len(self):
                    return
                number, outcome = self.next_outcome()
                if isinstance(outcome.error, EngineError):  # no fault of the input
                    outcome.result()
                waiting[number] = outcome
                if ahead is None:
                    self.submit(islice(remaining, 1))
            if ahead is not None:
                self.submit(islice(remaining, 1))
            yield waiting.pop(following).result()

    @abstractmethod
    def submit(self, numbered: Iterable[tuple[int, Any]]) -> None:
        """Give items to the engine, with their numbers."""

    @abstractmethod
    def next_outcome(self) -> tuple[int, TaskResult]:
        """Wait for a task to finish; return the number of its item and its outcome."""

    @abstractmethod
    def __len__(self) -> int:
        """Return how many tasks there are."""


class FutureTasks(Tasks):
    """Tasks that are futures. What they are made by, and what becomes of them, engines say."""

    def __init__(self, ahead: int) -> None:
        from queue import SimpleQueue

        self.ahead = ahead
        self._finished: SimpleQueue[int] = SimpleQueue()
        self._futures: dict[int, tuple[Any, Any]] = {}  # with their items, by number

    def submit(self, numbered: Iterable[tuple[int, Any]]) -> None:
        """Make a future of each item."""
        for number, item in numbered:
            future = self.start(item)
            self._futures[number] = future, item
            future.add_done_callback(lambda _, number=number: self._finished.put(number))

    def next_outcome(self) -> tuple[int, TaskResult]:
        """Wait for a future; look from time to time whether anybody is left to finish one."""
        from queue import Empty

        while True:
            try:
                number = self._finished.get(timeout=_SECONDS_BETWEEN_LOOKS)
            except Empty:
                self.look()
                continue
            future, item = self._futures.pop(number)
            outcome = self.outcome(future, number, item)
            if outcome is not None:
                return number, outcome
            self.submit([(number, item)])

    def __len__(self) -> int:
        return len(self._futures)

    def unfinished(self) -> list[Any]:
        """Return the futures whose outcomes nobody has taken."""
        return [future for future, _ in self._futures.values()]

    @abstractmethod
    def start(self, item: Any) -> Any:
        """Have the task carried out for an item, and return its future."""

    @abstractmethod
    def outcome(self, future: Any, number: int, item: Any) -> TaskResult | None:
        """Return what became of a finished future; None if the task is to be begun again."""

    @abstractmethod
    def look(self) -> None:
        """See to it, while nothing finishes, that nobody waits for ever."""


def failed_future(error: Exception) -> Future[Any]:
    """Return the future of a task that could not be begun."""
    from concurrent.futures import Future

    failed: Future[Any] = Future()
    failed.set_exception(error)
    return failed


class Local(Engine):
    """The engine that is this process: it carries out one task after another.

    >>> Local().map(Work(divmod, Shared.of(7)), [])
    []
    """

    def shared(self, value: Any, prepare: Callable[[Any], object] | None = None) -> Shared:
        """Return the value itself."""
        return Shared.here(value)

    @contextmanager
    def begin(self, work: Work) -> Iterator[Tasks]:
        """Enter a context; there are no workers to check."""
        yield _LocalTasks(work)


class _LocalTasks(Tasks):
    """Tasks that are carried out when their outcomes are needed."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._items: deque[tuple[int, Any]] = deque()

    def submit(self, numbered: Iterable[tuple[int, Any]]) -> None:
        self._items.extend(numbered)

    def next_outcome(self) -> tuple[int, TaskResult]:
        number, item = self._items.popleft()
        try:
            return number, TaskResult(self._work.task(self._work.shared.value, item))
        except Exception as error:  # errors are results like others
            return number, TaskResult(None, error)

    def __len__(self) -> int:
        return len(self._items)


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

    @contextmanager
    def begin(self, work: Work) -> Iterator[Tasks]:
        """Enter a context; every process checks itself before its first task."""
        tasks = _ExecutorTasks(self._executor, self._in_this_process, work)
        try:
            yield tasks
        finally:
            for future in tasks.unfinished():
                future.cancel()


class _ExecutorTasks(FutureTasks):
    def __init__(self, executor: Executor, in_this_process: bool, work: Work) -> None:
        workers = getattr(executor, "_max_workers", None)
        super().__init__(
            TASKS_AHEAD * (workers if isinstance(workers, int) else _WORKERS_IF_UNKNOWN)
        )
        self._executor = executor
        if in_this_process:
            self._call: Callable[[Any], Any] = partial(run_task, work.task, work.shared.value)
        else:
            check = work.packed_check
            self._call = partial(carry_out, work.task, work.shared, check, this_process)

    def start(self, item: Any) -> Future[Any]:
        from concurrent.futures import BrokenExecutor

        try:
            return self._executor.submit(self._call, item)
        except BrokenExecutor as error:
            return failed_future(error)

    def outcome(self, future: Future[Any], number: int, item: Any) -> TaskResult:
        from concurrent.futures import BrokenExecutor, CancelledError

        try:
            result = future.result()
        except BrokenExecutor:
            problem: Exception = WorkerLost(
                "a process of the executor ended unexpectedly: it was killed, memory ran out, or "
                "it could not import a measure or function of your own"
            )
        except CancelledError:
            problem = EngineError(
                "tasks were cancelled: the executor was shut down, or its scheduler was lost"
            )
        except Exception as error:  # executors of others raise anything
            problem = error
        else:
            return result if isinstance(result, TaskResult) else unpack_result(result)
        return TaskResult(None, problem)

    def look(self) -> None:
        # Futures of dask's `get_executor()` may never be resolved once the scheduler is lost.
        client = getattr(self._executor, "_client", None)
        if getattr(client, "status", "running") != "running":
            raise EngineError("the scheduler behind the executor was lost")


# In a worker

# The checks that this process has passed, by their digests.
_PASSED: set[str] = set()


def carry_out(
    task: Task, shared: Shared, check: Shared | None, worker_name: Callable[[], str], item: Any
) -> bytes:
    """Carry out a task in a worker, which must pass a check before its first one."""
    try:
        refuse_unfit(check, worker_name)
        value = shared.value
    except EngineError as error:
        name, message = worker_name(), str(error)
        named = message if message.startswith(name) else f"{name}: {message}"
        return TaskResult(None, EngineError(named)).packed()
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


def this_process() -> str:
    """Return what messages call this process, if it is a worker."""
    import os
    import socket

    return f"process {os.getpid()} on {socket.gethostname()}"


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
