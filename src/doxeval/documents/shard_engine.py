"""Building the shards of a plan on an engine: any executor, or a cluster.

Workers must see the sources and the directory of the new collection at the same paths as this
process does. Sources with relative paths are sent with the directory in front that they are
relative to, and it is taken off again wherever they are named. So the collection is the same, byte
for byte, as one that is built here.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from doxeval.documents.globs import fixed_part
from doxeval.documents.plan import Plan, Shard
from doxeval.documents.shards import BuiltShard, Order, Piece, ShardEnd, build_shard
from doxeval.errors import DoxevalError, EngineError, SourceError
from doxeval.messages import truncate
from doxeval.parallel import Engine, Outcome, Work

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
    with closing(_in_order(outcomes)) as results:
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


def _in_order(outcomes: Iterator[tuple[int, Outcome]]) -> Generator[BuiltShard, None, None]:
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
