"""Processes that try inputs, and the one that watches them.

A worker is told a block of inputs at a time. Before each input it writes down which one it is, in
memory that the watcher can read too: when a worker hangs or dies, its input is known.
"""

from __future__ import annotations

import mmap
import os
import signal
import struct
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from fuzzing.findings import Finding
from fuzzing.target import Target
from fuzzing.trials import SECONDS, Block, Tally, check_good, has_room, is_fit, prepare, tried

_HEAD = struct.Struct("dqq")  # when the input was begun, its number, its length
_PAGE = 4 << 20
# A worker that does nothing for so long hangs; other work on the machine may slow it down.
_HANGS = 6 * SECONDS

Known = Mapping[str, Sequence[bytes]]
_CONTEXT = get_context("fork")  # everything is imported once, and a new worker starts at once


class _Desk:
    """What a worker writes down for the watcher."""

    def __init__(self, connection: Connection | None = None) -> None:
        self._page = mmap.mmap(-1, _PAGE)
        self.connection = connection

    def begins(self, at: int, data: bytes) -> None:
        """An input is about to be read."""
        kept = data[: _PAGE - _HEAD.size]
        self._page[: _HEAD.size] = _HEAD.pack(time.monotonic(), at, len(kept))
        self._page[_HEAD.size : _HEAD.size + len(kept)] = kept

    def finds(self, finding: Finding) -> None:
        """An input ended in something that should not happen."""
        if self.connection is not None:
            self.connection.send(finding)

    def current(self) -> tuple[float, int, bytes]:
        """When the current input was begun, its number, and the input."""
        begun, at, length = _HEAD.unpack(self._page[: _HEAD.size])
        return begun, at, self._page[_HEAD.size : _HEAD.size + length]


class _Worker:
    """A process with its desk, and the block that it works on."""

    def __init__(self, targets: Mapping[str, Target], known: Known) -> None:
        self.desk = _Desk()
        self.connection, other = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(
            target=_work, args=(other, self.connection, self.desk, targets, known)
        )
        self.process.start()
        other.close()
        self.block: Block | None = None
        self.skip = 0

    def give(self, block: Block, skip: int) -> None:
        self.block, self.skip = block, skip
        self.desk.begins(skip - 1, b"")
        self.connection.send((block, skip))

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def _work(
    connection: Connection,
    other: Connection,
    desk: _Desk,
    targets: Mapping[str, Target],
    known: Known,
) -> None:
    """Try blocks until there are no more."""
    other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)  # what libraries print is of no interest
    prepare()
    desk.connection = connection
    checked: set[str] = set()
    while True:
        try:
            block, skip = connection.recv()
        except EOFError:
            return
        target = targets[block.target]
        if target.name not in checked:
            desk.begins(skip - 1, b"")
            try:
                check_good(target, desk)
            except ValueError as error:
                connection.send(error)
                return
            checked.add(target.name)
        tally = tried(target, block, known.get(target.name, ()), skip, desk)
        fit = is_fit() and has_room()
        connection.send((tally, fit))
        if not fit:
            return


def try_all(
    targets: Mapping[str, Target],
    blocks: Iterable[Block],
    known: Known,
    jobs: int,
    done: Callable[[Block, Tally], object],
    found: Callable[[Finding], object],
) -> None:
    """Try all blocks; `done` is called with parts of blocks, `found` with findings."""
    waiting: deque[tuple[Block, int]] = deque((block, 0) for block in blocks)
    workers = [_Worker(targets, known) for _ in range(jobs)]
    try:
        while waiting or any(worker.block is not None for worker in workers):
            for worker in workers:
                if worker.block is None and waiting:
                    worker.give(*waiting.popleft())
            ready = wait([worker.connection for worker in workers if worker.block], timeout=1)
            for at, worker in enumerate(workers):
                if worker.connection in ready:
                    fit = _heard(worker, waiting, done, found)
                elif worker.block and time.monotonic() - worker.desk.current()[0] > _HANGS:
                    fit = _lost(worker, f"hangs for more than {_HANGS} s", waiting, done, found)
                else:
                    continue
                if not fit:
                    worker.end()
                    workers[at] = _Worker(targets, known)
    finally:
        for worker in workers:
            worker.end()


Waiting = deque[tuple[Block, int]]


def _heard(
    worker: _Worker,
    waiting: Waiting,
    done: Callable[[Block, Tally], object],
    found: Callable[[Finding], object],
) -> bool:
    """Take what a worker sends; False if it cannot go on."""
    try:
        message: Any = worker.connection.recv()
    except (EOFError, ConnectionError):
        worker.process.join()
        return _lost(worker, f"died with {worker.process.exitcode}", waiting, done, found)
    if isinstance(message, Finding):
        found(message)
        return True
    if isinstance(message, Exception):
        raise message
    tally, fit = message
    assert worker.block is not None
    done(worker.block, tally)
    rest = worker.skip + tally.inputs
    if rest < worker.block.count:
        waiting.appendleft((worker.block, rest))
    worker.block = None
    return bool(fit)


def _lost(
    worker: _Worker,
    reason: str,
    waiting: Waiting,
    done: Callable[[Block, Tally], object],
    found: Callable[[Finding], object],
) -> bool:
    """A worker hangs or died: its input is a finding, and the block goes on after it."""
    _, at, data = worker.desk.current()
    assert worker.block is not None
    if at < worker.skip:
        raise RuntimeError(f"{worker.block.target}: {reason} while reading good files")
    found(Finding(worker.block.target, f"{reason}: {worker.block.target}", reason, data))
    done(worker.block, Tally(inputs=at + 1 - worker.skip))
    if at + 1 < worker.block.count:
        waiting.appendleft((worker.block, at + 1))
    return False
