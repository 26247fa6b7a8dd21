"""Calls as bytes, for the workers of a cluster of dask.

A task is sent as the bytes of a pickled call, and unpickling them carries it out: the function that
dask sees is `pickle.loads`. So the scheduler needs nothing of doxeval, and a worker without it
answers with an error instead of dying of the message. The bytes of the shared value are the result
of a task of their own, on which the others depend: each worker fetches them once, and if the
workers that have them are lost, dask makes them anew.
"""

from __future__ import annotations

import pickle
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import distributed as dask_distributed

from doxeval.errors import EngineError
from doxeval.parallel.allocator import keep_freed_blocks
from doxeval.parallel.dask_cluster import Client, Future, worker_name
from doxeval.parallel.outcomes import Outcome, Task, carry_out
from doxeval.parallel.preflight import own_versions, versions_differ
from doxeval.parallel.shared import Shared

distributed: Any = dask_distributed  # only some of dask has types


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
