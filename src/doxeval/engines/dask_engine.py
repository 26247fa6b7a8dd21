"""A cluster of dask as an engine. Nothing else in doxeval imports distributed.

A task is sent as the bytes of a pickled call, and unpickling them carries it out: the function that
dask sees is `pickle.loads`. So the scheduler needs nothing of doxeval, and a worker without it
answers with an error instead of dying of the message. The bytes of the shared value are the result
of a task of their own, on which the others depend: each worker fetches them once, and if the
workers that have them are lost, dask makes them anew.

Finished tasks put their numbers into a queue. Whoever waits for it looks from time to time whether
the scheduler and any workers are still there, so that no loss ends in waiting for ever. Results are
fetched as soon as they are there, and a worker that is lost later takes none of them along.
"""

from __future__ import annotations

import logging
import pickle
import threading
import time
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import distributed as dask_distributed

from doxeval.engines.allocator import keep_freed_blocks
from doxeval.engines.engine import Engine
from doxeval.engines.outcomes import Check, Outcome, Task, carry_out, unpacked
from doxeval.engines.preflight import ASKED, in_words, own_versions, problems_here, versions_differ
from doxeval.engines.shared import Shared
from doxeval.errors import EngineError, InputError
from doxeval.wording import brief

_Found = TypeVar("_Found")
# Only some of dask has types.
distributed: Any = dask_distributed
Client = Any
Future = Any

_SECONDS_TO_CONNECT = 10.0
_SECONDS_TO_CLOSE = 5.0
_SECONDS_BETWEEN_LOOKS = 1.0
_AHEAD = 3  # tasks for each thread of a worker
_MORE_CHANCES = 4  # for a task that dask gives up, usually after four lost workers
_LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado", "asyncio")


class OnDask(Engine):
    """A connected cluster of dask; `shown` is what messages call it."""

    def __init__(
        self,
        client: Client,
        shown: str,
        patience: float,
        tell: Callable[[str], object],
    ) -> None:
        self._client = client
        self._shown = shown
        self._patience = patience
        self._tell = tell

    def shared(self, value: Any, prepare: Callable[[Any], object] | None = None) -> Shared:
        """A value for the tasks, with what a notebook has defined: workers do not have that."""
        return Shared.of(value, prepare, by_value=True)

    def outcomes(
        self,
        task: Task,
        items: Iterable[Any],
        *,
        shared: Shared,
        check: Check | None = None,
        name: Callable[[Any], str] = brief,
        bounded: bool = False,
    ) -> Iterator[tuple[int, Outcome]]:
        """The outcomes as they come, after all workers were checked."""
        packed_check = None if check is None else Shared.of(check)
        threads = self._preflight(packed_check)
        calls = _Calls(self._client, task, shared, packed_check)
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
                outcome = self._fetched(future, packed_check, name(item))
                future.release()
                submit_next(1)
                yield number, outcome
        finally:
            if waiting:
                self._cancel([future for future, _ in waiting.values()])

    def _next(self, finished: SimpleQueue[int]) -> int:
        """The number of a finished task; an EngineError if nobody is left to finish one."""
        deserted: float | None = None
        while True:
            try:
                return finished.get(timeout=_SECONDS_BETWEEN_LOOKS)
            except Empty:
                pass
            if self._workers():
                deserted = None
                continue
            deserted = deserted or time.monotonic()
            if time.monotonic() - deserted > self._patience:
                raise self._without_workers()

    def _was_unlucky(self, future: Future) -> bool:
        """Whether dask gave a task up because it was with several workers that were lost.

        It may just have waited there. Where workers are lost all the time, it gets more chances.
        """
        return (
            future.status == "error"
            and isinstance(future.exception(), distributed.scheduler.KilledWorker)
            and bool(self._workers())
        )

    def _fetched(self, future: Future, check: Shared | None, name: str) -> Outcome:
        """What became of a finished task."""
        if future.status not in ("error", "cancelled"):  # perhaps lost again with its worker
            found = self._result(future)
            if found is not None:
                return unpacked(found)
        if future.status == "error":
            return Outcome(None, self._failure(future.exception(), check, name))
        self._refuse_lost_scheduler(_SECONDS_TO_CLOSE)
        raise EngineError(f"{name} was cancelled on the cluster at {self._shown}")

    def _result(self, future: Future) -> bytes | None:
        """The result of a task, which is carried out again if its worker was just lost."""
        deadline = time.monotonic() + self._patience
        while time.monotonic() < deadline:
            try:
                result: bytes = future.result(timeout=_SECONDS_BETWEEN_LOOKS)
                return result
            except (TimeoutError, distributed.TimeoutError):
                if not self._workers():
                    continue
                deadline = time.monotonic() + self._patience
            except Exception as error:
                if future.status in ("error", "cancelled"):  # it has failed meanwhile
                    return None
                self._refuse_lost_scheduler(_SECONDS_TO_CLOSE)
                problem = f"a result cannot be fetched: {type(error).__name__}: {error}"
                raise EngineError(f"{self._shown}: {problem}") from error
        raise self._without_workers()

    def _failure(self, error: BaseException, check: Shared | None, name: str) -> EngineError:
        """Why dask, and not the task itself, reports an error."""
        if isinstance(error, distributed.scheduler.KilledWorker):
            return EngineError(
                f"{name}: every worker that was given it was lost, the last one at "
                f"{getattr(error.last_worker, 'address', error.last_worker)}; perhaps it needs "
                "more memory than workers have"
            )
        try:
            self._preflight(check)  # a worker that came later may lack something
        except EngineError as found:
            return found
        return EngineError(f"{name}: the cluster reports {type(error).__name__}: {error}")

    def _preflight(self, check: Shared | None) -> int:
        """Refuse workers that cannot do the work; returns the number of their threads."""
        workers = self._awaited_workers()
        if not self._all_fit(check):
            problems = self._problems(workers, check)
            if problems:
                raise EngineError(f"{self._shown}: {in_words(problems, len(workers))}")
        return sum(int(facts.get("nthreads", 1)) for facts in workers.values())

    def _all_fit(self, check: Shared | None) -> bool:
        """Whether all workers answer one question, about versions and the check, as they should."""
        asked = [_Call(ask.function, *ask.arguments) for ask in ASKED]
        if check is not None:
            asked.append(_Call(problems_here, check))
        expected = [*own_versions(), *([()] if check is not None else [])]
        call, buffers = _pickled(asked, check)
        answers = self._asked(pickle.loads, call, buffers=buffers)
        return all(answer == expected for answer in answers.values() if not _is_lost(answer))

    def _problems(self, workers: dict[str, Any], check: Shared | None) -> dict[str, list[str]]:
        """What is wrong with each worker, by its name."""
        names = {address: _name(address, facts) for address, facts in workers.items()}
        problems: dict[str, list[str]] = {}

        def add(address: str, found: Iterable[str]) -> None:
            problems.setdefault(names.get(address, _plain(address)), []).extend(found)

        for ask, here in zip(ASKED, own_versions(), strict=True):
            for address, answer in self._asked(ask.function, *ask.arguments).items():
                problem = None if _is_lost(answer) else ask.problem(answer, here)
                if problem is not None:
                    add(address, [problem])
        fit = [address for address, name in names.items() if name not in problems]
        if check is None or not fit:
            return problems
        call, buffers = _pickled(_Call(problems_here, check), check)
        for address, answer in self._asked(
            pickle.loads, call, buffers=buffers, workers=fit
        ).items():
            if isinstance(answer, Exception):
                answer = () if _is_lost(answer) else [f"{type(answer).__name__}: {answer}"]
            if answer:
                add(address, answer)
        return problems

    def _asked(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> dict[str, Any]:
        found: dict[str, Any] = self._within(
            lambda: self._client.run(function, *arguments, on_error="return", **named),
            "not all workers answered",
        )
        return found

    def _awaited_workers(self) -> dict[str, Any]:
        """All workers; while there are none, waiting for the first."""
        begun = time.monotonic()
        told = False
        while not (workers := self._workers()):
            if not told:
                self._tell(f"waiting for workers at {self._shown}")
                told = True
            if time.monotonic() - begun > self._patience:
                raise self._without_workers()
            time.sleep(min(_SECONDS_BETWEEN_LOOKS, self._patience) / 5)
        return workers

    def _workers(self) -> dict[str, Any]:
        """The workers that the scheduler knows, with facts about each."""
        self._refuse_lost_scheduler()
        found: dict[str, Any] = self._within(
            lambda: self._client.scheduler_info()["workers"], "the scheduler gave no answer"
        )
        return found

    def _within(self, call: Callable[[], _Found], otherwise: str) -> _Found:
        """What a call returns if it does so in time; the scheduler may be lost during the call."""
        answers: SimpleQueue[tuple[_Found | None, Exception | None]] = SimpleQueue()

        def work() -> None:
            try:
                answers.put((call(), None))
            except Exception as error:
                answers.put((None, error))

        threading.Thread(target=work, daemon=True).start()
        deadline = time.monotonic() + self._patience
        while True:
            try:
                found, error = answers.get(timeout=min(_SECONDS_BETWEEN_LOOKS, self._patience))
            except Empty:
                self._refuse_lost_scheduler()
                if time.monotonic() > deadline:
                    problem = f"{otherwise} for {self._patience:g} s (patience=)"
                    raise EngineError(f"{self._shown}: {problem}") from None
                continue
            if error is None:
                return found  # type: ignore[return-value]
            self._refuse_lost_scheduler(_SECONDS_TO_CLOSE)
            raise EngineError(f"{self._shown}: {type(error).__name__}: {error}") from error

    def _refuse_lost_scheduler(self, seconds: float = 0) -> None:
        """Raise an error if the scheduler is lost, or turns out to be within some seconds."""
        deadline = time.monotonic() + seconds
        while True:
            if self._client.status != "running":
                raise EngineError(f"the scheduler at {self._shown} was lost")
            if time.monotonic() >= deadline:
                return
            time.sleep(0.05)

    def _without_workers(self) -> EngineError:
        return EngineError(
            f"there was no worker at {self._shown} for {self._patience:g} s (patience=)"
        )

    def _cancel(self, futures: list[Future]) -> None:
        if self._client.status == "running":
            with suppress(Exception):  # the scheduler may be lost just now
                self._client.cancel(futures, force=False)


class _Calls:
    """Calls of a task on a cluster, with what they share."""

    def __init__(self, client: Client, task: Task, shared: Shared, check: Shared | None) -> None:
        self._client = client
        self._task = task
        self._shared = shared
        self._check = check
        self._prefix = f"doxeval-{getattr(task, '__name__', 'task').strip('_')}-{uuid.uuid4().hex}"
        self._count = 0
        with _quiet_warnings():
            self._bytes = [
                client.submit(bytes, one.packed, key=f"doxeval-shared-{one.digest}")
                for one in (shared, check)
                if one is not None
            ]

    def submit(self, item: Any) -> Future:
        """Have the task carried out for an item."""
        self._count += 1
        shared = self._shared, self._check
        call, _ = _pickled(_Call(_carry_out, own_versions(), self._task, *shared, item), *shared)
        with _quiet_warnings():
            return self._client.submit(
                pickle.loads,
                call,
                buffers=self._bytes,
                key=f"{self._prefix}-{self._count}",
                pure=False,
                retries=0,
            )


class _Call:
    """A call that is carried out when it is unpickled."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._parts = function, arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return self._parts


def _pickled(calls: _Call | list[_Call], *shared: Shared | None) -> tuple[bytes, list[bytes]]:
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
def connected(
    address: str, shown: str, patience: float, tell: Callable[[str], object]
) -> Iterator[OnDask]:
    """A connection to the scheduler at an address, closed at the end."""
    with _quiet_logs(), _marked_as_home():
        client = _client(address, shown, min(patience, _SECONDS_TO_CONNECT))
        try:
            yield OnDask(client, shown, patience, tell)
        finally:
            with suppress(Exception):  # there may be nobody left to say goodbye to
                client.close(timeout=_SECONDS_TO_CLOSE)


@contextmanager
def borrowed(client: Any, patience: float, tell: Callable[[str], object]) -> Iterator[OnDask]:
    """A client of the user's own, which stays open."""
    if client.asynchronous:
        raise InputError("engine= is an asynchronous client of dask: expected a synchronous one")
    with _quiet_logs(), _marked_as_home():
        yield OnDask(client, str(client.scheduler.address), patience, tell)


def _client(address: str, shown: str, seconds: float) -> Client:
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
    except Exception as error:
        problem = f"no scheduler at {shown} answered within {seconds:g} s"
        raise EngineError(f"{problem} ({brief(error)})") from error


def _has_certificates() -> bool:
    try:
        settings = distributed.Security().get_connection_args("client")
    except OSError as error:
        raise EngineError(
            f"a certificate of distributed.comm.tls cannot be read: {error}"
        ) from None
    return settings.get("ssl_context") is not None


@contextmanager
def _quiet_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


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


def _name(address: str, facts: dict[str, Any]) -> str:
    name = facts.get("name")
    return _plain(address) if name in (None, address) else f"{_plain(address)} ({name})"


def _plain(address: str) -> str:
    return address.partition("://")[2] or address


def _is_lost(answer: Any) -> bool:
    """Whether a worker was lost while it was asked: the others will do its work."""
    return isinstance(answer, OSError)


# In a worker. Threads of the process that uses the engine may be workers, too; its memory is left
# as it is.

_homes = 0


@contextmanager
def _marked_as_home() -> Iterator[None]:
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
    return f"worker {_name(worker.address, {'name': worker.name})}"
