"""Hashing many files at once, in a few threads: hashlib lets the others run in the meantime."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from io import FileIO
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:  # most collections are small, and need no threads
    from concurrent.futures import Future

_BLOCK = 256 << 10
_MOST_THREADS = 4  # more would wait for the disk
_WORTH_THREADS = 16 << 20  # so many bytes are hashed in about ten milliseconds

Item = TypeVar("Item")
Result = TypeVar("Result")
# Called with the bytes that were hashed since the last call.
Progress: TypeAlias = Callable[[int], object]


class _Stopped(Exception):
    """The files are no longer needed."""


def digest(file: FileIO, progress: Progress | None = None) -> str:
    """The SHA-256 of an open file, from where it stands to its end.

    >>> import tempfile
    >>> with tempfile.TemporaryFile(buffering=0) as file:
    ...     digest(file)[:8]
    'e3b0c442'
    """
    sha256 = hashlib.sha256()
    block = memoryview(bytearray(_BLOCK))
    while count := file.readinto(block):
        sha256.update(block[:count])
        if progress is not None:
            progress(count)
    return sha256.hexdigest()


def in_threads(
    task: Callable[[Item, Progress], Result],
    items: Sequence[Item],
    sizes: Sequence[int],
    progress: Progress | None = None,
) -> list[Result]:
    """The results of a task for all items, in order; the first error in this order is raised.

    `sizes` are the bytes that each item takes to hash: the largest items are begun first. The task
    is called with an item and a function to tell its progress; `progress` itself is only called in
    this thread.

    >>> in_threads(lambda name, progress: name.upper(), ["a", "b"], [1, 1])
    ['A', 'B']
    """
    threads = min(_MOST_THREADS, _cores(), len(items))
    if threads < 2 or sum(sizes) < _WORTH_THREADS:
        return [task(item, progress or _ignored) for item in items]
    from concurrent.futures import ThreadPoolExecutor

    news: SimpleQueue[int | None] = SimpleQueue()  # bytes, or None for an item that is done
    is_stopped = False

    def told(count: int) -> None:
        if is_stopped:
            raise _Stopped
        news.put(count)

    with ThreadPoolExecutor(threads) as pool:
        futures: dict[int, Future[Result]] = {}
        try:
            for at in sorted(range(len(items)), key=lambda at: -sizes[at]):
                futures[at] = pool.submit(task, items[at], told)
                futures[at].add_done_callback(lambda _: news.put(None))
            left = len(items)
            while left:
                count = news.get()
                if count is None:
                    left -= 1
                elif progress is not None:
                    progress(count)
            return [futures[at].result() for at in range(len(items))]
        finally:
            is_stopped = True  # an interrupted caller does not wait for the rest
            pool.shutdown(wait=False, cancel_futures=True)


def _ignored(count: int) -> None:
    pass


def _cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
