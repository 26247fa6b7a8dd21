"""What becomes of a task in a worker: its result, or its error, as bytes on their way back.

Errors are results like others. No engine sees them as a failure of its own, and none repeats a task
whose input is wrong.

What an engine is, and the simplest one: this process.

Any executor of `concurrent.futures` as an engine.

Each task carries the compressed bytes of the shared value, and each process unpickles them once:
that is all that an executor offers. Threads of this process get the value itself.

Worker processes that never outlive the process that started them.

Every worker has a pipe of its own. A thread of this process hands it one task after another and
waits for the answers, so a worker that is killed is noticed at once. A worker in turn watches the
process that started it, and ends when that process does, even if it was killed. Workers ignore
Ctrl-C, which a terminal sends to all processes: the process that started them stops them.

Nothing is left behind in this process: no threads, no handlers of signals.

The memory of a process: freed blocks are kept for the next arrays.

Scoring makes and drops large arrays, run after run. The C library would give each back to the
system and ask for it anew, page by page, which takes longer than many a computation on them. Where
dask starts workers, it even asks the C library to do so early, and scoring takes several times as
long.

Commands, the processes of `jobs=` and the workers of an `engine=` may change that: they are there
for this work. The library changes nothing in the process that uses it, nor in those of an
`executor=`, which may do other things as well.

Engines by their names, opened for a while.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import signal
import socket
import threading
import traceback
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing import resource_tracker
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, ParamSpec, Protocol, TypeVar, cast
from urllib.parse import urlsplit

from doxeval.errors import DoxevalError, EngineError, InputError, WorkerLost
from doxeval.messages import Parameter, quoted
from doxeval.parallel import PATIENCE
from doxeval.parallel.shared import Shared

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkContext, SpawnContext
    from multiprocessing.process import BaseProcess

# A function of the shared value and an item.
Task = Callable[[Any, Any], Any]
# What is wrong with the process that it is called in, in words.
Check = Callable[[], Sequence[str]]


class Outcome(NamedTuple):
    """The result of a task, or its error with the traceback in words.

    >>> Outcome(3).result()
    3
    """

    value: Any = None
    error: Exception | None = None
    trace: str = ""

    def result(self) -> Any:
        """The result; an error is raised."""
        if self.error is None:
            return self.value
        if self.trace and not isinstance(self.error, DoxevalError):
            self.error.add_note(self.trace)
        raise self.error

    def packed(self) -> bytes:
        """As bytes; what cannot be pickled becomes an error."""
        try:
            data = pickle.dumps(self, pickle.HIGHEST_PROTOCOL)
            if self.error is not None:
                pickle.loads(data)  # noqa: S301  # ours; exceptions may refuse only here
            return data
        except Exception as error:  # objects of others raise anything when they are pickled
            what = type(self.value if self.error is None else self.error).__name__
            problem = f"the answer of a worker cannot be sent back ({what}): {error}"
            return pickle.dumps(Outcome(None, EngineError(problem), self.trace))


def unpacked(data: bytes) -> Outcome:
    """An outcome from its bytes.

    >>> unpacked(Outcome(3).packed())
    Outcome(value=3, error=None, trace='')
    """
    try:
        found: Outcome = pickle.loads(data)  # noqa: S301  # made by Outcome.packed
    except Exception as error:  # and when they are unpickled
        return Outcome(None, EngineError(f"the answer of a worker cannot be read: {error}"))
    return found


def outcome_of(task: Task, value: Any, item: Any) -> Outcome:
    """Carry out a task in this process.

    >>> outcome_of(divmod, 7, 2).value
    (3, 1)
    >>> outcome_of(divmod, 7, 0).error
    ZeroDivisionError('integer division or modulo by zero')
    """
    try:
        return Outcome(task(value, item))
    except Exception as error:  # errors are results like others
        trace = "".join(traceback.format_exception(error))
        return Outcome(None, error, f"In a worker process: {trace}")


# In a worker

# The checks that this process has passed, by their digests.
_PASSED: set[str] = set()


def carry_out(
    task: Task, shared: Shared, check: Shared | None, place: Callable[[], str], item: Any
) -> bytes:
    """Carry out a task in a worker, which must pass a check before its first one.

    `place` names the worker, for messages.
    """
    try:
        refuse_unfit(check, place)
        value = shared.value
    except EngineError as error:
        told = str(error) if str(error).startswith(place()) else f"{place()}: {error}"
        return Outcome(None, EngineError(told)).packed()
    except Exception as error:  # the value is refused, such as a collection that is another one
        return Outcome(None, _at(place(), error)).packed()
    return outcome_of(task, value, item).packed()


def refuse_unfit(check: Shared | None, place: Callable[[], str]) -> None:
    """Raise an EngineError if this process does not pass a check."""
    if check is None or check.digest in _PASSED:
        return
    problems = check.value()
    if problems:
        raise EngineError(f"{place()}: {'; '.join(problems)}")
    _PASSED.add(check.digest)


def _at(place: str, error: Exception) -> Exception:
    if isinstance(error, DoxevalError):
        return EngineError(f"{place}: {error}")
    error.add_note(f"on {place}")
    return error


Progress = Callable[[int], object]


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


class Engine(ABC):
    """Carries out work for each of many items.

    Tasks of lost workers are carried out elsewhere if the engine can do so; nothing else is
    repeated.

    >>> Here().map(Work(divmod, Shared.of(7)), [2, 3])
    [(3, 1), (2, 1)]
    """

    def shared(self, value: Any, prepare: Callable[[Any], object] | None = None) -> Shared:
        """A value that tasks on this engine share; workers prepare it when they receive it."""
        return Shared.of(value, prepare)

    @abstractmethod
    def outcomes(
        self, work: Work, items: Iterable[Any], *, bounded: bool = False
    ) -> Iterator[tuple[int, Outcome]]:
        """The outcomes with the numbers of their items, as they come.

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
        """All results in the order of the items; of several errors, the first in that order.

        Only an error of the engine itself is raised as soon as it comes. `progress` is told of
        each finished task, and `each` gets the number of its item with the result.
        """
        found: dict[int, Outcome] = {}
        wrong: int | None = None
        for number, outcome in self.outcomes(work, items):
            found[number] = outcome
            progress(1)
            if outcome.error is None:
                each(number, outcome.value)
            if isinstance(outcome.error, EngineError):  # no fault of the input
                outcome.result()
            if outcome.error is not None:
                wrong = number if wrong is None else min(number, wrong)
            if wrong is not None and all(earlier in found for earlier in range(wrong)):
                break
        if wrong is not None:
            found[wrong].result()
        return [found[number].value for number in range(len(found))]


class Here(Engine):
    """In this process, one item after another.

    >>> Here().map(Work(divmod, Shared.of(7)), [])
    []
    """

    def shared(self, value: Any, prepare: Callable[[Any], object] | None = None) -> Shared:
        """The value itself."""
        return Shared.here(value)

    def outcomes(
        self, work: Work, items: Iterable[Any], *, bounded: bool = False
    ) -> Iterator[tuple[int, Outcome]]:
        """The outcomes in the order of the items; there are no workers to check."""
        for number, item in enumerate(items):
            yield number, outcome_of(work.task, work.shared.value, item)


# What `engine=` takes: a name, an executor, a client of dask's, or an engine that is open already.
EngineGiven = str | Executor | Engine | Any


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


__all__ = ["WorkerLost", "Workers", "in_order"]


_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

_HELD = (signal.SIGINT, signal.SIGTERM)
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


_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1  # as <malloc.h> numbers them
_LARGEST_BLOCK = 32 << 20
_KEPT = 256 << 20


def keep_freed_blocks() -> None:
    """Let the C library keep up to 256 MiB of freed blocks.

    Only the GNU C library can be told so; with others, nothing happens.
    """
    import ctypes

    try:
        adjust = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    adjust(_MMAP_THRESHOLD, _LARGEST_BLOCK)
    adjust(_TRIM_THRESHOLD, _KEPT)


_PORT = 8786  # dask's own
_EXPECTED = "expected dask://HOST:PORT, tls://HOST:PORT or dask:FILE, a scheduler file"


@contextmanager
def open_engine(
    engine: EngineGiven | None,
    *,
    patience: float = PATIENCE,
    tell: Callable[[str], object] = lambda _: None,
) -> Iterator[Engine]:
    """An engine by its name, an executor as an engine, or None for this process.

    The name is "dask://HOST:PORT", "tls://HOST:PORT" (with the certificates that dask's own
    configuration names under distributed.comm.tls) or "dask:FILE" with the file that a scheduler
    wrote. A cluster may be without workers for `patience` seconds; `tell` is told what it waits
    for. A client of dask's that is connected already is taken as it is.

    >>> from doxeval.parallel.engine import Work
    >>> from doxeval.parallel.shared import Shared
    >>> with open_engine(None) as engine:
    ...     engine.map(Work(divmod, Shared.of(7)), [2, 3])
    [(3, 1), (2, 1)]
    >>> with open_engine("dask://"):
    ...     pass
    Traceback (most recent call last):
    doxeval.errors.InputError: engine='dask://': expected dask://HOST:PORT, tls://HOST:PORT or \
dask:FILE, a scheduler file
    """
    if engine is None:
        yield Here()
    elif isinstance(engine, Engine):
        yield engine
    elif isinstance(engine, Executor):
        yield OnExecutor(engine)
    else:
        with _on_dask(engine, patience, tell) as on_dask:
            yield on_dask


@contextmanager
def _on_dask(engine: object, patience: float, tell: Callable[[str], object]) -> Iterator[Engine]:
    if not patience > 0:
        raise InputError(f"patience is {patience}: expected a number of seconds above 0")
    if isinstance(engine, str):
        address = address_of(engine)
        _import_dask()
        from doxeval.parallel.dask import connected

        with connected(address, engine, patience, tell) as on_dask:
            yield on_dask
        return
    if not type(engine).__module__.startswith("distributed"):
        raise InputError(Parameter("engine", engine) + f": {_EXPECTED}, or an executor")
    from doxeval.parallel.dask import borrowed

    with borrowed(engine, patience, tell) as on_dask:
        yield on_dask


def address_of(engine: str) -> str:
    """The address of a scheduler as dask writes it.

    >>> address_of("dask://head:8786"), address_of("dask://head"), address_of("tls://head:8786")
    ('tcp://head:8786', 'tcp://head:8786', 'tls://head:8786')
    """
    if engine.startswith("dask:") and not engine.startswith("dask://"):
        return _in_scheduler_file(engine.removeprefix("dask:"))
    try:
        parts = urlsplit(engine)
        host, port = parts.hostname, parts.port or _PORT
    except ValueError:  # a port that is no number
        host, port = None, 0
    protocol = {"dask": "tcp", "tcp": "tcp", "tls": "tls"}.get(engine.partition(":")[0])
    if protocol is None or not host or parts.path not in ("", "/") or "@" in parts.netloc:
        raise InputError(Parameter("engine", engine) + f": {_EXPECTED}")
    return f"{protocol}://{f'[{host}]' if ':' in host else host}:{port}"


def _in_scheduler_file(file: str) -> str:
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


def _import_dask() -> None:
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise EngineError(
            f"a cluster of dask needs the extra dask: pip install 'doxeval[dask]' ({error})"
        ) from None
