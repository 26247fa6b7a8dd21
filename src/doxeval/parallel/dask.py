"""A cluster of dask as an engine.

Finished tasks put their numbers into a queue. Whoever waits for it looks from time to time whether
the scheduler and any workers are still there, so that no loss ends in waiting for ever. Results are
fetched as soon as they are there, and a worker that is lost later takes none of them along.

How tasks are sent: dask_calls.py. What is asked before: dask_preflight.py. Only the files whose
names begin with dask import distributed.

Connecting to a cluster of dask, with nothing of its logging on the terminal.

A connected cluster of dask: its workers, and questions to them that never wait for ever.

Whoever waits looks from time to time whether the scheduler is still there.

Calls as bytes, for the workers of a cluster of dask.

A task is sent as the bytes of a pickled call, and unpickling them carries it out: the function that
dask sees is `pickle.loads`. So the scheduler needs nothing of doxeval, and a worker without it
answers with an error instead of dying of the message. The bytes of the shared value are the result
of a task of their own, on which the others depend: each worker fetches them once, and if the
workers that have them are lost, dask makes them anew.

Whether the workers of a cluster of dask can do the work, asked before it begins.

Whether workers can do the work: all that is wrong is told at once, and by worker.

First come the versions, asked for by functions of the standard library alone, so that a worker
without doxeval answers, too. Then workers with the right versions go through the check of the work
itself, such as whether they see the same collection.
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
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, TypeVar

import distributed as dask_distributed

from doxeval.errors import EngineError, InputError
from doxeval.messages import Parameter, truncate
from doxeval.parallel.engine import (
    Engine,
    Outcome,
    Task,
    Work,
    carry_out,
    keep_freed_blocks,
    unpacked,
)
from doxeval.parallel.shared import Shared

_Found = TypeVar("_Found")
# Only some of dask has types.
Client = Any
Future = Any

SECONDS_TO_CLOSE = 5.0
SECONDS_BETWEEN_LOOKS = 1.0


class Cluster:
    """A scheduler and its workers, through a client of dask; `shown` is what messages call it.

    It may be without workers for `patience` seconds; `tell` is told what it waits for.
    """

    def __init__(
        self, client: Client, shown: str, patience: float, tell: Callable[[str], object]
    ) -> None:
        self.client = client
        self.shown = shown
        self.patience = patience
        self._tell = tell

    def awaited_workers(self) -> dict[str, Any]:
        """All workers; while there are none, waiting for the first."""
        begun = time.monotonic()
        told = False
        while not (workers := self.workers()):
            if not told:
                self._tell(f"waiting for workers at {self.shown}")
                told = True
            if time.monotonic() - begun > self.patience:
                raise self.without_workers()
            time.sleep(min(SECONDS_BETWEEN_LOOKS, self.patience) / 5)
        return workers

    def workers(self) -> dict[str, Any]:
        """The workers that the scheduler knows, with facts about each."""
        self.refuse_lost_scheduler()
        found: dict[str, Any] = self._within(
            # Some versions of dask name only five workers unless they are asked for all.
            lambda: self.client.scheduler_info(n_workers=-1)["workers"],
            "the scheduler gave no answer",
        )
        return found

    def asked(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> dict[str, Any]:
        """What all workers answer, or those in `workers=`, by their addresses."""
        found: dict[str, Any] = self._within(
            lambda: self.client.run(function, *arguments, on_error="return", **named),
            "not all workers answered",
        )
        return found

    def _within(self, call: Callable[[], _Found], otherwise: str) -> _Found:
        """What a call returns if it does so in time; the scheduler may be lost during the call."""
        answers: SimpleQueue[tuple[_Found | None, Exception | None]] = SimpleQueue()

        def work() -> None:
            try:
                answers.put((call(), None))
            except Exception as error:  # raised where the answer is awaited
                answers.put((None, error))

        threading.Thread(target=work, daemon=True).start()
        deadline = time.monotonic() + self.patience
        while True:
            try:
                found, error = answers.get(timeout=min(SECONDS_BETWEEN_LOOKS, self.patience))
            except Empty:
                self.refuse_lost_scheduler()
                if time.monotonic() > deadline:
                    problem = f"{self.shown}: {otherwise} for {self.patience:g} s ("
                    raise EngineError(problem + Parameter("patience") + ")") from None
                continue
            if error is None:
                return found  # type: ignore[return-value]
            self.refuse_lost_scheduler(SECONDS_TO_CLOSE)
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
        """The error that there were no workers for too long."""
        return EngineError(
            f"there was no worker at {self.shown} for {self.patience:g} s ("
            + Parameter("patience")
            + ")"
        )

    def cancel(self, futures: list[Future]) -> None:
        """Have the cluster forget tasks."""
        if self.client.status == "running":
            with suppress(Exception):  # the scheduler may be lost just now
                self.client.cancel(futures, force=False)


def worker_name(address: str, facts: dict[str, Any]) -> str:
    """What messages call a worker.

    >>> worker_name("tcp://10.0.0.7:4711", {"name": "w1"})
    '10.0.0.7:4711 (w1)'
    """
    name = facts.get("name")
    plain = address.partition("://")[2] or address
    return plain if name in (None, address) else f"{plain} ({name})"


def is_lost(answer: Any) -> bool:
    """Whether a worker was lost while it was asked: the others will do its work."""
    return isinstance(answer, OSError)


_MOST_TOLD = 10


class Ask(NamedTuple):
    """What to call on all workers to learn the version of something, and how much of it matters."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    parts: int | None

    def answer(self) -> str:
        """The version here."""
        return str(self.function(*self.arguments))

    def problem(self, there: Any, here: str) -> str | None:
        """What is wrong with the answer of a worker, which may be an exception.

        >>> ASKED[1].problem("3.10.2", "3.12.1")
        'Python is 3.10.2 there and 3.12.1 here'
        """
        if isinstance(there, Exception):
            return f"{self.name} cannot be imported there ({there})"
        if self._relevant(str(there)) != self._relevant(here):
            return f"{self.name} is {there} there and {here} here"
        return None

    def _relevant(self, version: str) -> list[str]:
        return version.split(".")[: self.parts]


# Values are pickled for workers: other versions of Python or NumPy may not read them.
ASKED = (
    Ask("doxeval", pkgutil.resolve_name, ("doxeval:__version__",), None),
    Ask("Python", platform.python_version, (), 2),
    Ask("NumPy", pkgutil.resolve_name, ("numpy:__version__",), 1),
)


@cache
def own_versions() -> tuple[str, ...]:
    """The versions in this process.

    >>> len(own_versions())
    3
    """
    return tuple(ask.answer() for ask in ASKED)


def versions_differ(expected: Sequence[str]) -> tuple[str, ...]:
    """What is wrong with the versions in this process, if it is a worker.

    >>> versions_differ(own_versions())
    ()
    """
    if tuple(expected) == own_versions():
        return ()
    compared = zip(ASKED, own_versions(), expected, strict=True)
    found = [ask.problem(there, here) for ask, there, here in compared]
    return tuple(problem for problem in found if problem is not None)


def problems_here(check: Shared) -> tuple[str, ...]:
    """What a check finds wrong with this process.

    >>> problems_here(Shared.of(tuple))
    ()
    """
    try:
        return tuple(check.value())
    except Exception as error:  # the answer is a sentence, whatever goes wrong
        return (str(error) or type(error).__name__,)


def in_words(problems: Mapping[str, Sequence[str]], workers: int) -> str:
    """All that is wrong, by worker; workers with the same problems stand together.

    >>> in_words({"a": ["no disk"], "b": ["no disk"]}, 3)
    '2 of 3 workers cannot do this work: a, b: no disk'
    """
    alike: dict[tuple[str, ...], list[str]] = {}
    for worker, found in problems.items():
        alike.setdefault(tuple(found), []).append(worker)
    told = [f"{_some(names)}: {_some(found, '; ')}" for found, names in alike.items()]
    count = f"{len(problems)} of {workers} workers" if workers > 1 else "the only worker"
    return f"{count} cannot do this work: {_some(told, '; ')}"


def _some(texts: Iterable[str], between: str = ", ") -> str:
    told = [truncate(text, 1000) for text in texts]
    more = len(told) - _MOST_TOLD
    return between.join(told[:_MOST_TOLD]) + (f" and {more} more" if more > 0 else "")


class Calls:
    """Calls of a task on a cluster, with what they share."""

    def __init__(self, client: Client, task: Task, shared: Shared, check: Shared | None) -> None:
        self._client = client
        self._task = task
        self._shared = shared
        self._check = check
        self._prefix = f"doxeval-{getattr(task, '__name__', 'task').strip('_')}-{uuid.uuid4().hex}"
        self._count = 0
        with quiet_warnings():
            self._bytes = [
                client.submit(bytes, one.packed, key=f"doxeval-shared-{one.digest}")
                for one in (shared, check)
                if one is not None
            ]

    def submit(self, item: Any) -> Future:
        """Have the task carried out for an item."""
        self._count += 1
        shared = self._shared, self._check
        call, _ = pickled(Call(_carry_out, own_versions(), self._task, *shared, item), *shared)
        with quiet_warnings():
            return self._client.submit(
                pickle.loads,
                call,
                buffers=self._bytes,
                key=f"{self._prefix}-{self._count}",
                pure=False,
                retries=0,
            )


class Call:
    """A call that is carried out when it is unpickled."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._parts = function, arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return self._parts


def pickled(calls: Call | list[Call], *shared: Shared | None) -> tuple[bytes, list[bytes]]:
    """Calls as bytes, and apart from them the bytes of shared values among their arguments."""
    packed = {id(one.packed): one.packed for one in shared if one is not None}
    apart: list[bytes] = []

    def stays_inside(buffer: pickle.PickleBuffer) -> bool:
        found = packed.get(id(buffer.raw().obj))
        if found is not None:
            apart.append(found)
        return found is None

    return pickle.dumps(calls, protocol=5, buffer_callback=stays_inside), apart


@contextmanager
def quiet_warnings() -> Iterator[None]:
    """No warnings of dask, such as those about large arguments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


# In a worker. Threads of the process that uses the engine may be workers, too; its memory is left
# as it is.

_homes = 0


@contextmanager
def marked_as_home() -> Iterator[None]:
    """Meanwhile, this process is one that uses an engine, not one of its workers alone."""
    global _homes
    _homes += 1
    try:
        yield
    finally:
        _homes -= 1


def _carry_out(
    expected: tuple[str, ...], task: Task, shared: Shared, check: Shared | None, item: Any
) -> bytes:
    """Carry out a task; a worker that came after the preflight looks at its versions, too."""
    if not _homes:
        keep_freed_blocks()
    different = versions_differ(expected)
    if different:
        return Outcome(None, EngineError(f"{_this_worker()}: {'; '.join(different)}")).packed()
    return carry_out(task, shared, check, _this_worker, item)


def _this_worker() -> str:
    worker = distributed.get_worker()
    return f"worker {worker_name(worker.address, {'name': worker.name})}"


def preflight(cluster: Cluster, check: Shared | None) -> int:
    """Refuse workers that cannot do the work; returns the number of their threads."""
    workers = cluster.awaited_workers()
    if not _all_fit(cluster, check):
        problems = _problems(cluster, workers, check)
        if problems:
            raise EngineError(f"{cluster.shown}: {in_words(problems, len(workers))}")
    return sum(int(facts.get("nthreads", 1)) for facts in workers.values())


def _all_fit(cluster: Cluster, check: Shared | None) -> bool:
    """Whether all workers answer one question, about versions and the check, as they should."""
    asked = [Call(ask.function, *ask.arguments) for ask in ASKED]
    if check is not None:
        asked.append(Call(problems_here, check))
    expected = [*own_versions(), *([()] if check is not None else [])]
    call, buffers = pickled(asked, check)
    answers = cluster.asked(pickle.loads, call, buffers=buffers)
    return all(answer == expected for answer in answers.values() if not is_lost(answer))


def _problems(
    cluster: Cluster, workers: dict[str, Any], check: Shared | None
) -> dict[str, list[str]]:
    """What is wrong with each worker, by its name."""
    names = {address: worker_name(address, facts) for address, facts in workers.items()}
    problems: dict[str, list[str]] = {}

    def add(address: str, found: Iterable[str]) -> None:
        problems.setdefault(names.get(address) or worker_name(address, {}), []).extend(found)

    for ask, here in zip(ASKED, own_versions(), strict=True):
        for address, answer in cluster.asked(ask.function, *ask.arguments).items():
            problem = None if is_lost(answer) else ask.problem(answer, here)
            if problem is not None:
                add(address, [problem])
    fit = [address for address, name in names.items() if name not in problems]
    if check is None or not fit:
        return problems
    call, buffers = pickled(Call(problems_here, check), check)
    for address, answer in cluster.asked(pickle.loads, call, buffers=buffers, workers=fit).items():
        if isinstance(answer, Exception):
            answer = () if is_lost(answer) else [f"{type(answer).__name__}: {answer}"]
        if answer:
            add(address, answer)
    return problems


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


_SECONDS_TO_CONNECT = 10.0
_LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado", "asyncio")


@contextmanager
def connected(
    address: str, shown: str, patience: float, tell: Callable[[str], object]
) -> Iterator[OnDask]:
    """A connection to the scheduler at an address, closed at the end."""
    with _quiet_logs(), marked_as_home():
        client = _client(address, shown, min(patience, _SECONDS_TO_CONNECT))
        try:
            yield OnDask(Cluster(client, shown, patience, tell))
        finally:
            with suppress(Exception):  # there may be nobody left to say goodbye to
                client.close(timeout=SECONDS_TO_CLOSE)


@contextmanager
def borrowed(client: Any, patience: float, tell: Callable[[str], object]) -> Iterator[OnDask]:
    """A client of the user's own, which stays open."""
    if client.asynchronous:
        raise InputError("the engine is an asynchronous client of dask: expected a synchronous one")
    with _quiet_logs(), marked_as_home():
        yield OnDask(Cluster(client, str(client.scheduler.address), patience, tell))


def _client(address: str, shown: str, seconds: float) -> Client:
    if address.startswith("tls://") and not _has_certificates():
        raise EngineError(
            f"{shown} needs certificates: dask's own configuration names them under "
            "distributed.comm.tls (ca-file, client.cert and client.key)"
        )
    try:
        with quiet_warnings():
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
    """What dask would log is told by errors; nothing else reaches the terminal."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [(logger, logger.handlers, logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.handlers, logger.propagate = [logging.NullHandler()], False
    try:
        yield
    finally:
        for logger, handlers, propagates in before:
            logger.handlers, logger.propagate = handlers, propagates
