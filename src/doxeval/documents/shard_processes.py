"""Reading the shards of a plan in several processes on this machine.

Files of directories are read batch by batch: this process names the files, another one reads them
and sends back what is to be stored. Files of many documents are read side by side, each shard by a
process that builds it into a collection of its own. Only if there is one such shard, with none
before or after it, it is unpacked here and its documents are parsed by the other processes: that
keeps at least two processes busy rather than one.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future
from itertools import chain, islice, pairwise
from typing import TypeAlias, TypeVar

from doxeval.documents.plan import Plan, Shard
from doxeval.documents.raw import RawDocument
from doxeval.documents.shards import (
    Order,
    Piece,
    ShardEnd,
    build_shard,
    raw_batches,
    read_weighed,
)
from doxeval.errors import DoxevalError
from doxeval.messages import Parameter
from doxeval.parallel import WorkerLost, Workers, keep_freed_blocks

_READ_HERE = 4  # so many batches are done before other processes would have started

# A batch to be read, a shard to be built, the end of a shard whose batches came before, or the
# error that ends the build when all that came before it is done.
_Work: TypeAlias = list[RawDocument] | Shard | ShardEnd | DoxevalError
_Item = TypeVar("_Item")


def read_in_processes(plan: Plan, order: Order, jobs: int) -> Generator[Piece, None, None]:
    """All pieces of a build, in order."""
    work = _work(plan, order)
    first, rest = _begun(work)
    if not rest:
        for item in first:
            yield _done_here(item, order)
        return
    try:
        # Spawned processes are the same on every system, and inherit no threads.
        with Workers(jobs, "spawn", keep_freed_blocks) as workers:
            submitted = (_submitted(item, order, workers) for item in chain(rest, work))
            others = _in_order(submitted, 2 * jobs)
            for item in first:  # while the processes start
                yield _done_here(item, order)
            yield from others
    except WorkerLost as error:
        raise WorkerLost(
            f"{error} while it was reading documents, perhaps for lack of memory; try a smaller "
            + Parameter("jobs")
            + ". (A script of your own must call this below `if __name__ == '__main__':`.)"
        ) from None


def _work(plan: Plan, order: Order) -> Iterator[_Work]:
    """What is to be done, in order."""
    was_for_one = False
    for shard, following in pairwise(chain(_until_error(plan.shards()), [None])):
        if not isinstance(shard, Shard):
            yield from [] if shard is None else [shard]
            return
        is_for_one = _is_for_one(shard)
        if is_for_one and (was_for_one or _is_for_one(following)):
            order.directory.mkdir(parents=True, exist_ok=True)
            yield shard
        else:
            yield from _until_error(raw_batches(order, shard))
        was_for_one = is_for_one


def _until_error(items: Iterable[_Item]) -> Iterator[_Item | DoxevalError]:
    """All items; an error becomes the last one, so that it comes neither too early nor too late."""
    try:
        yield from items
    except DoxevalError as error:
        yield error


def _is_for_one(shard: Shard | DoxevalError | None) -> bool:
    """Whether one process should read all of a shard; nobody else could read a pipe."""
    if not isinstance(shard, Shard):
        return False
    many = [file.path for file in shard.files if file.holds_many]
    return bool(many) and all(map(_is_regular, many))


def _is_regular(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True  # the error is told when the file is opened


def _begun(work: Iterator[_Work]) -> tuple[list[_Work], list[_Work]]:
    """The first few batches, to be read here, and what comes next, if it is for processes."""
    first: list[_Work] = []
    batches = 0
    for item in work:
        batches += isinstance(item, list)
        if isinstance(item, Shard) or batches > _READ_HERE:
            return first, [item]
        first.append(item)
    return first, []


def _done_here(item: _Work, order: Order) -> Piece:
    if isinstance(item, DoxevalError):
        raise item
    if isinstance(item, ShardEnd):
        return item
    return (
        build_shard(order, item) if isinstance(item, Shard) else read_weighed(item, order.options)
    )


def _submitted(item: _Work, order: Order, workers: Workers) -> Future[Piece]:
    if isinstance(item, Shard):
        return workers.submit(_built, order, item)
    if isinstance(item, list):
        return workers.submit(_read, item, order)
    settled: Future[Piece] = Future()
    if isinstance(item, DoxevalError):
        settled.set_exception(item)
    else:
        settled.set_result(item)
    return settled


def _built(order: Order, shard: Shard) -> Piece:
    return build_shard(order, shard)


def _read(batch: list[RawDocument], order: Order) -> Piece:
    return read_weighed(batch, order.options)


def _in_order(futures: Iterator[Future[Piece]], ahead: int) -> Iterator[Piece]:
    """The results in order; the first `ahead` tasks are handed out at once."""
    waiting = deque(islice(futures, ahead))

    def results() -> Iterator[Piece]:
        while waiting:
            future = waiting.popleft()
            waiting.extend(islice(futures, 1))
            yield future.result()

    return results()
