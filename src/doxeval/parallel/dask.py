"""A cluster of dask as an engine; only this file imports distributed.

Before the work, all workers are asked for their versions and pass the check of the work; all that
is wrong is one error, by worker. Then each task is submitted, and finished tasks put their numbers
into a queue. Whoever waits for the queue looks from time to time whether the scheduler and any
workers are still there, so that no loss ends in waiting for ever. Results are fetched as soon as
they are there, so a worker that is lost later takes none of them along.

A task is sent as the bytes of a pickled call, and unpickling them carries it out: the function that
dask sees is `pickle.loads`. So the scheduler needs nothing of doxeval, and a worker without it
answers with an error instead of dying of the message.
"""

from __future__ import annotations

import logging
import pickle
import pkgutil
import platform
import threading
import time
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, TypeVar

import distributed as dask_distributed

from doxeval.errors import EngineError, InputError
from doxeval.messages import Parameter, truncate
from doxeval.parallel.engine import (
    Engine,
    FutureTasks,
    Task,
    TaskResult,
    Tasks,
    Work,
    carry_out,
    unpack_result,
)
from doxeval.parallel.memory import keep_freed_blocks
from doxeval.parallel.shared import Shared

# Only some of dask has types.
distributed: Any = dask_distributed
Client = Any
Future = Any
_Answer = TypeVar("_Answer")

_AHEAD = 3  # tasks for each thread of a worker
_MORE_CHANCES = 4  # for a task that dask gives up, usually after four lost workers
_SECONDS_TO_CONNECT = 10.0
_SECONDS_TO_CLOSE = 5.0
_SECONDS_BETWEEN_LOOKS = 1.0
_MOST_LISTED = 10  # workers, or problems, in a message
_LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado", "asyncio")


# Connecting


@contextmanager
def connect(
    address: str, shown: str, patience: float, tell: Callable[[str], object]
) -> Iterator[OnDask]:
    """Connect to the scheduler at an address; the connection is closed at the end."""
    with _quiet_logs(), _in_use():
        client = _new_client(address, shown, min(patience, _SECONDS_TO_CONNECT))
        try:
            yield OnDask(Cluster(client, shown, patience, tell))
        finally:
            with suppress(Exception):  # there may be nobody left to say goodbye to
                client.close(timeout=_SECONDS_TO_CLOSE)


@contextmanager
def use_client(client: Client, patience: float, tell: Callable[[str], object]) -> Iterator[OnDask]:
    """Use a client of the user's own, which stays open."""
    if client.asynchronous:
        raise InputError("the engine is an asynchronous client of dask: expected a synchronous one")
    with _quiet_logs(), _in_use():
        yield OnDask(Cluster(client, str(client.scheduler.address), patience, tell))


def _new_client(address: str, shown: str, seconds: float) -> Client:
    if address.startswith("tls://") and not _has_certificates():
        raise EngineError(
            f"{shown} needs certificates: dask's own configuration names them under "
            "distributed.comm.tls (ca-file, client.cert and client.key)"
        )
    try:
        with _quiet_warnings():
            return distributed.Client(
                address, timeout=seconds, set_as_default=False, name="doxeval"
            )
    except Exception as error:  # dask, tornado and ssl raise all kinds of errors
        cause = "" if "Timed out" in str(error) else f" ({type(error).__name__}: {error})"
        problem = f"no scheduler at {shown} answered within {seconds:g} s"
        raise EngineError(truncate(problem + cause, 1000)) from error


def _has_certificates() -> bool:
    try:
        settings = distributed.Security().get_connection_args("client")
    except OSError as error:
        raise EngineError(
            f"a certificate of distributed.comm.tls cannot be read: {error}"
        ) from None
    return settings.get("ssl_context") is not None


@contextmanager
def _quiet_logs() -> Iterator[None]:
    """Keep dask's logging off the terminal: what matters of it becomes an error."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [(logger, logger.handlers, logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.handlers, logger.propagate = [logging.NullHandler()], False
    try:
        yield
    finally:
        for logger, handlers, propagates in before:
            logger.handlers, logger.propagate = handlers, propagates


@contextmanager
def _quiet_warnings() -> Iterator[None]:
    """Ignore warnings of dask, such as those about large arguments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


# The engine


class OnDask(Engine):
    """A connected cluster of dask."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def shared(self, value: Any, prepare: Callable[[Any], object] | None = None) -> Shared:
        """Return a value for the tasks, with what a notebook has defined and workers lack."""
        return Shared.of(value, prepare, by_value=True)

    @contextmanager
    def begin(self, work: Work) -> Iterator[Tasks]:
        """Enter a context, after all workers were checked."""
        tasks = _DaskTasks(self._cluster, work)
        try:
            yield tasks
        finally:
            self._cluster.cancel(tasks.unfinished())


class _DaskTasks(FutureTasks):
    """Tasks on a cluster.

    The bytes of the shared value are the result of a task of their own, on which the others depend:
    each worker fetches them once, and if the workers that have them are lost, dask makes them
    again.
    """

    def __init__(self, cluster: Cluster, work: Work) -> None:
        self._cluster = cluster
        self._work = work
        self._check = work.packed_check
        super().__init__(_AHEAD * preflight(cluster, self._check))
        self._prefix = (
            f"doxeval-{getattr(work.task, '__name__', 'task').strip('_')}-{uuid.uuid4().hex}"
        )
        self._numbers = count()
        self._given_up: Counter[int] = Counter()
        self._deserted: float | None = None  # since when there are no workers
        with _quiet_warnings():
            self._bytes = [
                cluster.client.submit(bytes, value.packed, key=f"doxeval-shared-{value.digest}")
                for value in (work.shared, self._check)
                if value is not None
            ]

    def start(self, item: Any) -> Future:
        shared = self._work.shared, self._check
        call = Call(_carry_out, versions_here(), self._work.task, *shared, item)
        data, _ = pickle_calls(call, *shared)
        with _quiet_warnings():
            return self._cluster.client.submit(
                pickle.loads,
                data,
                buffers=self._bytes,
                key=f"{self._prefix}-{next(self._numbers)}",
                pure=False,
                retries=0,
            )

    def look(self) -> None:
        """Raise an EngineError if nobody is left to finish a task."""
        if self._cluster.workers():
            self._deserted = None
            return
        self._deserted = self._deserted or time.monotonic()
        if time.monotonic() - self._deserted > self._cluster.patience:
            raise self._cluster.without_workers()

    def outcome(self, future: Future, number: int, item: Any) -> TaskResult | None:
        self._deserted = None
        if self._given_up[number] < _MORE_CHANCES and self._was_given_up(future):
            self._given_up[number] += 1
            return None
        name = self._work.name(item)
        has_failed = future.status in ("error", "cancelled")
        result = None if has_failed else self._result(future)  # perhaps lost again with its worker
        if result is not None:
            outcome = unpack_result(result)
        elif future.status == "error":
            outcome = TaskResult(None, self._failure(future.exception(), name))
        else:
            self._cluster.refuse_lost_scheduler(_SECONDS_TO_CLOSE)
            raise EngineError(f"{name} was cancelled on the cluster at {self._cluster.shown}")
        future.release()
        return outcome

    def _was_given_up(self, future: Future) -> bool:
        """Whether dask gave a task up because it was with several workers that were lost.

        It may just have waited there. Where workers are lost all the time, it gets more chances.
        """
        return (
            future.status == "error"
            and isinstance(future.exception(), distributed.scheduler.KilledWorker)
            and bool(self._cluster.workers())
        )

    def _result(self, future: Future) -> bytes | None:
        """Return the result of a task, which is repeated if its worker was just lost."""
        deadline = time.monotonic() + self._cluster.patience
        while time.monotonic() < deadline:
            try:
                result: bytes = future.result(timeout=_SECONDS_BETWEEN_LOOKS)
                return result
            except (TimeoutError, distributed.TimeoutError):
                if not self._cluster.workers():
                    continue
                deadline = time.monotonic() + self._cluster.patience
            except Exception as error:  # the status says whether the task or the way failed
                if future.status in ("error", "cancelled"):  # it has failed meanwhile
                    return None
                self._cluster.refuse_lost_scheduler(_SECONDS_TO_CLOSE)
                problem = f"a result cannot be fetched: {type(error).__name__}: {error}"
                raise EngineError(f"{self._cluster.shown}: {problem}") from error
        raise self._cluster.without_workers()

    def _failure(self, error: BaseException, name: str) -> EngineError:
        """Return why dask, and not the task itself, reports an error."""
        if isinstance(error, distributed.scheduler.KilledWorker):
            return EngineError(
                f"{name}: every worker that was given it was lost, the last one at "
                f"{getattr(error.last_worker, 'address', error.last_worker)}; perhaps it needs "
                "more memory than workers have"
            )
        try:
            preflight(self._cluster, self._check)  # a worker that came later may lack something
        except EngineError as problem:
            return problem
        return EngineError(f"{name}: the cluster reports {type(error).__name__}: {error}")


class Cluster:
    """A scheduler and its workers, through a client of dask; `shown` is what messages call it.

    It may be without workers for `patience` seconds; `tell` is called with what it waits for.
    """

    def __init__(
        self, client: Client, shown: str, patience: float, tell: Callable[[str], object]
    ) -> None:
        self.client = client
        self.shown = shown
        self.patience = patience
        self._tell = tell

    def wait_for_workers(self) -> dict[str, Any]:
        """Return all workers; while there are none, wait for the first."""
        begun = time.monotonic()
        is_waiting = False
        while not (workers := self.workers()):
            if not is_waiting:
                self._tell(f"waiting for workers at {self.shown}")
                is_waiting = True
            if time.monotonic() - begun > self.patience:
                raise self.without_workers()
            time.sleep(min(_SECONDS_BETWEEN_LOOKS, self.patience) / 5)
        return workers

    def workers(self) -> dict[str, Any]:
        """Return the workers that the scheduler knows, with facts about each."""
        self.refuse_lost_scheduler()
        workers: dict[str, Any] = self._in_time(
            # Some versions of dask name only five workers unless they are asked for all.
            lambda: self.client.scheduler_info(n_workers=-1)["workers"],
            "the scheduler gave no answer",
        )
        return workers

    def call(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> dict[str, Any]:
        """Call a function on all workers, or those in `workers=`; return answers by address."""
        answers: dict[str, Any] = self._in_time(
            lambda: self.client.run(function, *arguments, on_error="return", **named),
            "not all workers answered",
        )
        return answers

    def _in_time(self, call: Callable[[], _Answer], otherwise: str) -> _Answer:
        """Return what a call returns, in time; the scheduler may be lost meanwhile."""
        answers: SimpleQueue[tuple[_Answer | None, Exception | None]] = SimpleQueue()

        def work() -> None:
            try:
                answers.put((call(), None))
            except Exception as error:  # raised where the answer is awaited
                answers.put((None, error))

        threading.Thread(target=work, daemon=True).start()
        deadline = time.monotonic() + self.patience
        while True:
            try:
                answer, error = answers.get(timeout=min(_SECONDS_BETWEEN_LOOKS, self.patience))
            except Empty:
                self.refuse_lost_scheduler()
                if time.monotonic() > deadline:
                    problem = f"{self.shown}: {otherwise} for {self.patience:g} s ("
                    raise EngineError(problem + Parameter("patience") + ")") from None
                continue
            if error is None:
                return answer  # type: ignore[return-value]
            self.refuse_lost_scheduler(_SECONDS_TO_CLOSE)
            raise EngineError(f"{self.shown}: {type(error).__name__}: {error}") from error

    def refuse_lost_scheduler(self, seconds: float = 0) -> None:
        """Raise an error if the scheduler is lost, or turns out to be within some seconds."""
        deadline = time.monotonic() + seconds
        while True:
            if self.client.status != "running":
                raise EngineError(f"the scheduler at {self.shown} was lost")
            if time.monotonic() >= deadline:
                return
            time.sleep(0.05)

    def without_workers(self) -> EngineError:
        """Return the error that there were no workers for too long."""
        return EngineError(
            f"there was no worker at {self.shown} for {self.patience:g} s ("
            + Parameter("patience")
            + ")"
        )

    def cancel(self, futures: list[Future]) -> None:
        """Have the cluster forget tasks."""
        if futures and self.client.status == "running":
            with suppress(Exception):  # the scheduler may be lost just now
                self.client.cancel(futures, force=False)


def worker_name(address: str, facts: dict[str, Any]) -> str:
    """Return what messages call a worker.

    >>> worker_name("tcp://10.0.0.7:4711", {"name": "w1"})
    '10.0.0.7:4711 (w1)'
    """
    name = facts.get("name")
    plain = address.partition("://")[2] or address
    return plain if name in (None, address) else f"{plain} ({name})"


# Preflight. First come the versions, asked for by functions of the standard library alone, so that
# a worker without doxeval answers, too. Then workers with the right versions go through the check
# of the work itself, such as whether they see the same collection.


class Version(NamedTuple):
    """A version that must be the same everywhere: what to call for it, how much of it matters."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    parts: int | None

    def problem(self, there: Any, here: str) -> str | None:
        """Return what is wrong with the answer of a worker, which may be an exception.

        >>> VERSIONS[1].problem("3.10.2", "3.12.1")
        'Python is 3.10.2 there and 3.12.1 here'
        """
        if isinstance(there, Exception):
            return f"{self.name} cannot be imported there ({there})"
        if str(there).split(".")[: self.parts] != here.split(".")[: self.parts]:
            return f"{self.name} is {there} there and {here} here"
        return None


# Values are pickled for workers: other versions of Python or NumPy may not read them.
VERSIONS = (
    Version("doxeval", pkgutil.resolve_name, ("doxeval:__version__",), None),
    Version("Python", platform.python_version, (), 2),
    Version("NumPy", pkgutil.resolve_name, ("numpy:__version__",), 1),
)


@cache
def versions_here() -> tuple[str, ...]:
    """Return the versions in this process.

    >>> len(versions_here())
    3
    """
    return tuple(str(version.function(*version.arguments)) for version in VERSIONS)


def preflight(cluster: Cluster, check: Shared | None) -> int:
    """Refuse workers that cannot do the work; return the number of their threads."""
    workers = cluster.wait_for_workers()
    if not _all_fit(cluster, check):
        problems = _problems_by_worker(cluster, workers, check)
        if problems:
            raise EngineError(f"{cluster.shown}: {describe_problems(problems, len(workers))}")
    return sum(int(facts.get("nthreads", 1)) for facts in workers.values())


def _all_fit(cluster: Cluster, check: Shared | None) -> bool:
    """Whether all workers answer one question, about versions and the check, as they should."""
    calls = [Call(version.function, *version.arguments) for version in VERSIONS]
    expected: list[Any] = list(versions_here())
    if check is not None:
        calls.append(Call(problems_here, check))
        expected.append(())
    call, buffers = pickle_calls(calls, check)
    answers = cluster.call(pickle.loads, call, buffers=buffers)
    return all(answer == expected for answer in answers.values() if not _is_lost(answer))


def _problems_by_worker(
    cluster: Cluster, workers: dict[str, Any], check: Shared | None
) -> dict[str, list[str]]:
    """Return what is wrong with each worker, by its name."""
    names = {address: worker_name(address, facts) for address, facts in workers.items()}
    problems: dict[str, list[str]] = {}

    def add(address: str, reasons: Iterable[str]) -> None:
        problems.setdefault(names.get(address) or worker_name(address, {}), []).extend(reasons)

    for version, here in zip(VERSIONS, versions_here(), strict=True):
        for address, answer in cluster.call(version.function, *version.arguments).items():
            problem = None if _is_lost(answer) else version.problem(answer, here)
            if problem is not None:
                add(address, [problem])
    fit = [address for address, name in names.items() if name not in problems]
    if check is None or not fit:
        return problems
    call, buffers = pickle_calls(Call(problems_here, check), check)
    for address, answer in cluster.call(pickle.loads, call, buffers=buffers, workers=fit).items():
        if isinstance(answer, Exception):
            answer = () if _is_lost(answer) else [f"{type(answer).__name__}: {answer}"]
        if answer:
            add(address, answer)
    return problems


def _is_lost(answer: Any) -> bool:
    """Whether a worker was lost while it was asked: the others will do its work."""
    return isinstance(answer, OSError)


def describe_problems(problems: Mapping[str, Sequence[str]], workers: int) -> str:
    """Describe all that is wrong, by worker; workers with the same problems stand together.

    >>> describe_problems({"a": ["no disk"], "b": ["no disk"]}, 3)
    '2 of 3 workers cannot do this work: a, b: no disk'
    """
    alike: dict[tuple[str, ...], list[str]] = {}
    for worker, reasons in problems.items():
        alike.setdefault(tuple(reasons), []).append(worker)
    groups = [f"{_join(names)}: {_join(reasons, '; ')}" for reasons, names in alike.items()]
    count = f"{len(problems)} of {workers} workers" if workers > 1 else "the only worker"
    return f"{count} cannot do this work: {_join(groups, '; ')}"


def _join(texts: Iterable[str], between: str = ", ") -> str:
    short = [truncate(text, 1000) for text in texts]
    more = len(short) - _MOST_LISTED
    return between.join(short[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


# Calls as bytes


class Call:
    """A call that is carried out when it is unpickled."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._parts = function, arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return self._parts


def pickle_calls(calls: Call | list[Call], *shared: Shared | None) -> tuple[bytes, list[bytes]]:
    """Return calls as bytes, and apart from them the bytes of shared values among the arguments."""
    packed = {id(value.packed): value.packed for value in shared if value is not None}
    apart: list[bytes] = []

    def stays_inside(buffer: pickle.PickleBuffer) -> bool:
        data = packed.get(id(buffer.raw().obj))
        if data is not None:
            apart.append(data)
        return data is None

    return pickle.dumps(calls, protocol=5, buffer_callback=stays_inside), apart


# In a worker. Threads of a process that uses an engine may be workers, too; its memory is left as
# it is.

_engines_in_use = 0


@contextmanager
def _in_use() -> Iterator[None]:
    """Mark this process as one that uses an engine, not only one of its workers."""
    global _engines_in_use
    _engines_in_use += 1
    try:
        yield
    finally:
        _engines_in_use -= 1


def _carry_out(
    expected: tuple[str, ...], task: Task, shared: Shared, check: Shared | None, item: Any
) -> bytes:
    """Carry out a task; a worker that came after the preflight looks at its versions, too."""
    if not _engines_in_use:
        keep_freed_blocks()
    different = version_problems(expected)
    if different:
        return TaskResult(None, EngineError(f"{_this_worker()}: {'; '.join(different)}")).packed()
    return carry_out(task, shared, check, _this_worker, item)


def version_problems(expected: Sequence[str]) -> tuple[str, ...]:
    """Return what is wrong with the versions in this process, if it is a worker.

    >>> version_problems(versions_here())
    ()
    """
    if tuple(expected) == versions_here():
        return ()
    compared = zip(VERSIONS, versions_here(), expected, strict=True)
    problems = [version.problem(there, here) for version, there, here in compared]
    return tuple(problem for problem in problems if problem is not None)


def problems_here(check: Shared) -> tuple[str, ...]:
    """Return what a check finds wrong with this process.

    >>> problems_here(Shared.of(tuple))
    ()
    """
    try:
        return tuple(check.value())
    except Exception as error:  # the answer is a sentence, whatever goes wrong
        return (str(error) or type(error).__name__,)


def _this_worker() -> str:
    worker = distributed.get_worker()
    return f"worker {worker_name(worker.address, {'name': worker.name})}"
