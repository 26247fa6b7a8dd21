"""Building one shard of a plan: batch after batch, or into a small collection of its own.

A shard that another process builds becomes a collection, which is then absorbed by the one that is
being built (see writer.py). Every attempt writes into a directory of its own, whose name is part of
the result. So it does not matter how often a shard is begun, or by how many: only the attempt whose
result is taken counts, and what the others leave is removed with everything unfinished.

Reading the shards of a plan in several processes on this machine.

Files of directories are read batch by batch: this process names the files, another one reads them
and sends back what is to be stored. Files of many documents are read side by side, each shard by a
process that builds it into a collection of its own. Only if there is one such shard, with none
before or after it, it is unpacked here and its documents are parsed by the other processes: that
keeps at least two processes busy rather than one.

Building the shards of a plan on an engine: any executor, or a cluster.

Workers must see the sources and the directory of the new collection at the same paths as this
process does. Sources with relative paths are sent with the directory in front that they are
relative to, and it is taken off again wherever they are named. So the collection is the same, byte
for byte, as one that is built here.
"""

from __future__ import annotations

import os
import socket
import stat
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

from doxeval.documents.build.batch import Batch, read_batch
from doxeval.documents.build.contents import Contents, RawDocument
from doxeval.documents.build.options import BuildOptions
from doxeval.documents.build.plan import Plan, Shard, Sizes, batches
from doxeval.documents.build.sources import Tally, fixed_part
from doxeval.documents.build.writer import CollectionWriter
from doxeval.documents.readers.html import SelectorUse
from doxeval.errors import DocumentError, DoxevalError, EngineError, SourceError
from doxeval.messages import Parameter, truncate
from doxeval.parallel import Engine, Outcome, Work, WorkerLost, Workers, keep_freed_blocks

_Error = TypeVar("_Error", bound=DoxevalError)


class ReadBatch(NamedTuple):
    """A batch that has been read, and the bytes of the sources it accounts for."""

    weight: int
    batch: Batch


class BuiltShard(NamedTuple):
    """A shard that has been built.

    name: the name of its directory; None if it has no documents. weight: the bytes of the sources
    it accounts for. broken, selector_use, tally: as in the report of the whole build. unreadable:
    the files that could not even be opened where it was built.
    """

    name: str | None
    documents: int
    weight: int
    broken: list[DocumentError]
    selector_use: SelectorUse
    tally: Tally
    unreadable: tuple[str, ...] = ()


class ShardEnd(NamedTuple):
    """The end of a shard whose batches came one by one."""

    tally: Tally


# What a build is made of, in order.
Piece: TypeAlias = ReadBatch | BuiltShard | ShardEnd


@dataclass(frozen=True)
class Order:
    """What all shards of a build have in common.

    directory: where they are built. base: what stands before relative paths of sources where the
    working directory is another one; nothing that is stored or told has it.
    """

    options: BuildOptions
    sizes: Sizes
    directory: Path
    base: str = ""

    def there(self, path: str) -> str:
        """Where a file can be opened.

        >>> order = Order(BuildOptions(), Sizes(), Path("shards"), "/home/ann/./")
        >>> order.there("articles/a.xml"), order.there("/data/b.xml")
        ('/home/ann/./articles/a.xml', '/data/b.xml')
        """
        return path if os.path.isabs(path) else self.base + path

    def as_given(self, text: str) -> str:
        """A text that may name files, as if they had been opened by the paths that were given."""
        return text.replace(self.base, "") if self.base else text


def read_weighed(batch: list[RawDocument], options: BuildOptions) -> ReadBatch:
    """Read a batch.

    >>> raw = RawDocument("a.xml", "a", "xml", b"<p>hello</p>", 12)
    >>> read_weighed([raw], BuildOptions()).weight
    12
    """
    return ReadBatch(sum(document.weight for document in batch), read_batch(batch, options))


def raw_batches(order: Order, shard: Shard) -> Iterator[list[RawDocument] | ShardEnd]:
    """The batches of a shard, not read yet, and its end."""
    contents = Contents(order.options)
    yield from batches(contents.documents(shard.files), order.sizes)
    tally = Tally()
    tally.add(shard.tally)
    tally.add(contents.tally)
    yield ShardEnd(tally)


def build_shard(order: Order, shard: Shard) -> BuiltShard:
    """Build a shard into a new directory.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> built = build_shard(Order(BuildOptions(), Sizes(), folder), Shard(0, ()))
    >>> built.name, built.documents
    (None, 0)
    """
    name = f"{shard.number:06}-{os.urandom(4).hex()}"
    weight, broken, use, tally = 0, list[DocumentError](), SelectorUse(), Tally()
    with CollectionWriter(order.directory / name, id_rule=order.options.id_rule) as writer:
        for piece in _read_there(order, shard):
            if isinstance(piece, ShardEnd):
                tally = piece.tally
                continue
            weight += piece.weight
            broken += piece.batch.broken
            use += piece.batch.selector_use
            if piece.batch.ids:
                writer.append(piece.batch)
        if writer.documents:
            writer.finish({"options": order.options.recorded()})
    built = name if writer.documents else None
    return BuiltShard(built, writer.documents, weight, broken, use, tally)


def _read_there(order: Order, shard: Shard) -> Iterator[ReadBatch | ShardEnd]:
    """The batches of a shard and its end, with the paths of files as they were given."""
    files = tuple(file._replace(path=order.there(file.path)) for file in shard.files)
    try:
        for raw in raw_batches(order, replace(shard, files=files)):
            if isinstance(raw, ShardEnd):
                yield raw
            else:
                read = read_weighed(raw, order.options)
                yield read._replace(batch=_named_as_given(read.batch, order))
    except DoxevalError as error:
        raise _told_as_given(error, order) from None


def _named_as_given(batch: Batch, order: Order) -> Batch:
    if not order.base:
        return batch
    origins = [origin.removeprefix(order.base) for origin in batch.origins]
    broken = [_told_as_given(error, order) for error in batch.broken]
    return replace(batch, origins=origins, broken=broken)


def _told_as_given(error: _Error, order: Order) -> _Error:
    if order.base:
        error.args = tuple(_in_value(value, order) for value in error.args)
        for name, value in vars(error).items():
            setattr(error, name, _in_value(value, order))
    return error


def _in_value(value: object, order: Order) -> object:
    return order.as_given(value) if isinstance(value, str) else value


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


_MARK = "same-place"  # a file by which workers tell that they see the same directory


def read_on(
    engine: Engine, plan: Plan, order: Order, sources: Sequence[str]
) -> Generator[Piece, None, None]:
    """All pieces of a build, in order."""
    _refuse_pipes(sources)
    order = replace(order, base=_base(sources))
    planned = _Planned(plan)
    work = Work(
        _build,
        engine.shared(order),
        check=_required(order, sources),
        name=lambda shard: f"shard {shard.number} ({truncate(shard.files[0].path)})",
    )
    outcomes = engine.outcomes(work, planned.shards(), bounded=True)
    with closing(_in_order_shard_engine(outcomes)) as results:
        for built in results:
            _refuse_unread(built)
            yield built
    if planned.failure is not None:
        raise planned.failure
    yield from planned.ends


class _Planned:
    """The shards of a plan for an engine; an error of the plan is kept until all are built."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.failure: DoxevalError | None = None
        self.ends: list[ShardEnd] = []

    def shards(self) -> Iterator[Shard]:
        try:
            for shard in self._plan.shards():
                if shard.files:
                    yield shard
                else:  # the last one
                    self.ends.append(ShardEnd(shard.tally))
        except DoxevalError as error:
            self.failure = error


def _in_order_shard_engine(
    outcomes: Iterator[tuple[int, Outcome]],
) -> Generator[BuiltShard, None, None]:
    """The results in the order of the shards; only an error of the engine is told at once."""
    waiting: dict[int, Outcome] = {}
    following = 0
    for number, outcome in outcomes:
        if isinstance(outcome.error, EngineError):
            outcome.result()
        waiting[number] = outcome
        while following in waiting:
            yield waiting.pop(following).result()
            following += 1


def _refuse_pipes(sources: Sequence[str]) -> None:
    for source in sources:
        if os.path.exists(source) and not os.path.isdir(source) and not os.path.isfile(source):
            raise SourceError("not a file: the workers of the engine cannot read it", source)


def _refuse_unread(built: BuiltShard) -> None:
    """Refuse to leave out documents that can be read, but not by the worker."""
    for path in built.unreadable:
        if _why_unreadable(path) is None:
            raise EngineError(f"{path}: a worker of the engine cannot read it")


def _base(sources: Sequence[str]) -> str:
    """A way to write the working directory that no source begins with."""
    base = os.path.join(os.getcwd(), ".", "")
    while any(source.startswith(base) for source in sources):
        base = os.path.join(base, ".", "")
    return base


# In a worker


def _build(order: Order, shard: Shard) -> BuiltShard:
    """Build a shard, if the files are the same here as where the plan was made."""
    if not order.directory.is_dir():  # the build has ended; nothing may be left behind
        raise EngineError(f"{order.directory}: no such directory on {socket.gethostname()}")
    for file in shard.files:
        problem = _difference(order.there(file.path), file.size) if file.size else None
        if problem is not None:
            raise EngineError(f"{file.path}: {problem} on {socket.gethostname()}")
    built = build_shard(order, shard)
    origins = {error.origin for error in built.broken}
    unreadable = [
        file.path
        for file in shard.files
        if file.path in origins and _why_unreadable(order.there(file.path)) is not None
    ]
    return built._replace(unreadable=tuple(unreadable))


@dataclass(frozen=True)
class _Requirements:
    """What a worker must see as this process does; called on the worker, it says what is wrong.

    directory: where shards are built, with a file that has the token. sources: paths and sizes;
    the size of a directory is -1.
    """

    directory: Path
    token: str
    sources: tuple[tuple[str, int], ...]

    def __call__(self) -> list[str]:
        """All that is wrong here."""
        problems = [self._about_directory(), *(_about_source(*one) for one in self.sources)]
        return [problem for problem in problems if problem is not None]

    def _about_directory(self) -> str | None:
        out = self.directory.parent.parent.parent
        try:
            if (self.directory / _MARK).read_text() != self.token:
                return f"{out}: another directory there, so collections cannot be written to it"
            probe = self.directory / os.urandom(4).hex()
            probe.touch()
            probe.unlink()
        except FileNotFoundError:
            return f"{out}: another directory there, or none; it must be shared by all workers"
        except OSError as error:
            return f"{out}: cannot be written there: {error.strerror or error}"
        return None


def _required(order: Order, sources: Sequence[str]) -> _Requirements:
    """What workers must see: the directory for the shards, and all sources that are there."""
    token = os.urandom(16).hex()
    order.directory.mkdir(parents=True)
    (order.directory / _MARK).write_text(token)
    places = [source if os.path.exists(source) else fixed_part(source) or "." for source in sources]
    known = dict.fromkeys(order.there(place) for place in places if os.path.exists(place))
    return _Requirements(
        order.directory,
        token,
        tuple((path, -1 if os.path.isdir(path) else os.path.getsize(path)) for path in known),
    )


def _about_source(path: str, size: int) -> str | None:
    if size >= 0:
        problem = _difference(path, size) or _why_unreadable(path)
        return None if problem is None else f"{path}: {problem} there"
    try:
        with os.scandir(path) as entries:
            next(entries, None)
    except OSError as error:
        return f"{path}: cannot be read there: {error.strerror or error}"
    return None


def _difference(path: str, size: int) -> str | None:
    """How a file differs from what it is for the process that made the plan."""
    try:
        found = os.stat(path).st_size
    except OSError as error:
        return error.strerror or str(error)
    if found != size:
        return f"{found:,} bytes, instead of {size:,}"
    return None if os.access(path, os.R_OK) else "it cannot be read"


def _why_unreadable(path: str) -> str | None:
    try:
        os.close(os.open(path, os.O_RDONLY))
    except OSError as error:
        return error.strerror or str(error)
    return None
