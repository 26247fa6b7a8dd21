"""Building the shards of a plan: in this process, in others on this machine, or on an engine.

The three drivers `build_here`, `build_in_processes` and `build_on_engine` yield the same steps, in
the order of the plan: batches of documents that were read, and the results of shards.

A shard that another process builds becomes a small collection, which is then absorbed by the one
that is being built (see writer.py). Every attempt writes into a directory of its own, whose name is
part of the result. So it does not matter how often a shard is begun, or by how many: only the
attempt whose result is taken counts, and what the others leave is removed with everything
unfinished.
"""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

from doxeval.datasets import is_dataset
from doxeval.documents.build.batch import DocumentBatch, read_batch
from doxeval.documents.build.contents import RawDocument, SourceContents
from doxeval.documents.build.options import BuildOptions
from doxeval.documents.build.plan import Plan, Shard, Sizes, batches
from doxeval.documents.build.sources import SourceCounts, fixed_part
from doxeval.documents.build.writer import CollectionWriter
from doxeval.documents.layout import SHARD
from doxeval.documents.readers.selectors import SelectorUse
from doxeval.errors import DocumentError, DoxevalError, EngineError, SourceError
from doxeval.messages import truncate
from doxeval.parallel import Engine, Processes, Work

_READ_HERE = 4  # so many batches are done before other processes would have started
_MARK_FILE = "same-place"  # by which workers recognise the directory of the build
_Error = TypeVar("_Error", bound=DoxevalError)
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class BuildContext:
    """What all shards of a build have in common.

    directory: where they are built. base: what comes before relative paths of sources where the
    working directory is another one; nothing that is stored or reported has it.
    """

    options: BuildOptions
    sizes: Sizes
    directory: Path
    base: str = ""

    def worker_path(self, path: str) -> str:
        """Return where a file can be opened.

        >>> context = BuildContext(BuildOptions(), Sizes(), Path("shards"), "/home/ann/./")
        >>> context.worker_path("articles/a.xml"), context.worker_path("/data/b.xml")
        ('/home/ann/./articles/a.xml', '/data/b.xml')
        """
        return path if os.path.isabs(path) or is_dataset(path) else self.base + path

    def as_given(self, text: str) -> str:
        """Return a text that may name files, with their paths as they were given."""
        return text.replace(self.base, "") if self.base else text


class ShardResult(NamedTuple):
    """A shard that was built, or the end of one whose batches came one by one.

    name: the name of its directory; None if it has no documents of its own. weight: the bytes of
    the sources it accounts for. broken, selector_use, pattern_use, counts: as in the report of the
    whole build. notes: what a user should know about its documents. unreadable: the files that
    could not even be opened where it was built.
    """

    counts: SourceCounts
    name: str | None = None
    documents: int = 0
    weight: int = 0
    broken: Sequence[DocumentError] = ()
    selector_use: SelectorUse = SelectorUse()
    notes: Sequence[str] = ()
    unreadable: tuple[str, ...] = ()
    pattern_use: SelectorUse = SelectorUse()


# What a build is made of, in order.
BuildStep: TypeAlias = DocumentBatch | ShardResult

# A batch to be read, a shard to be built, the end of a shard whose batches came before, or the
# error that ends the build when all that came before it is done.
_Job: TypeAlias = list[RawDocument] | Shard | ShardResult | DoxevalError


def _do(context: BuildContext, job: _Job) -> BuildStep:
    if isinstance(job, DoxevalError):
        raise job
    if isinstance(job, Shard):
        return build_shard(context, job)
    return read_batch(job, context.options) if isinstance(job, list) else job


def _batches(context: BuildContext, shard: Shard) -> Iterator[list[RawDocument] | ShardResult]:
    """Yield the batches of a shard, not read yet, and its end."""
    files = shard.files
    if context.base:
        files = tuple(file._replace(path=context.worker_path(file.path)) for file in files)
    contents = SourceContents(context.options)
    yield from batches(contents.documents(files), context.sizes)
    counts = SourceCounts()
    counts.add(shard.counts)
    counts.add(contents.tally)
    yield ShardResult(counts)


def build_shard(context: BuildContext, shard: Shard) -> ShardResult:
    """Build a shard into a new directory.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> shard = Shard.of(0, (), SourceCounts())
    >>> result = build_shard(BuildContext(BuildOptions(), Sizes(), folder), shard)
    >>> result.name, result.documents
    (None, 0)
    """
    name = f"{shard.number:06}-{os.urandom(4).hex()}"
    weight, broken, use, counts = 0, list[DocumentError](), SelectorUse(), SourceCounts()
    pattern_use = SelectorUse()
    notes: list[str] = []
    with CollectionWriter(
        context.directory / name, id_rule=context.options.id_rule, store_type=SHARD
    ) as writer:
        for step in _steps_of_shard(context, shard):
            if isinstance(step, ShardResult):
                counts = step.counts
                continue
            weight += step.weight
            broken += step.broken
            use += step.selector_use
            pattern_use += step.pattern_use
            notes += step.notes
            if step.ids:
                writer.append(step)
        if writer.documents:
            writer.finish({"options": context.options.recorded()})
    built = name if writer.documents else None
    return ShardResult(
        counts, built, writer.documents, weight, broken, use, notes, pattern_use=pattern_use
    )


def _steps_of_shard(context: BuildContext, shard: Shard) -> Iterator[BuildStep]:
    """Yield the batches of a shard and its end, with the paths of files as they were given."""
    try:
        for job in _batches(context, shard):
            step = _do(context, job)
            if context.base and isinstance(step, DocumentBatch):
                origins = [origin.removeprefix(context.base) for origin in step.origins]
                broken = [_with_given_paths(error, context) for error in step.broken]
                notes = list(map(context.as_given, step.notes))
                step = replace(step, origins=origins, broken=broken, notes=notes)
            yield step
    except DoxevalError as error:
        raise _with_given_paths(error, context) from None


def _with_given_paths(error: _Error, context: BuildContext) -> _Error:
    def restore(value: object) -> object:
        return context.as_given(value) if isinstance(value, str) else value

    if context.base:
        error.args = tuple(restore(value) for value in error.args)
        for name, value in vars(error).items():
            setattr(error, name, restore(value))
    return error


# In this process


def build_here(plan: Plan, context: BuildContext) -> Generator[BuildStep, None, None]:
    """Yield all steps of a build, in order."""
    for shard in plan.shards():
        for job in _batches(context, shard):
            yield _do(context, job)


# In processes: this one names the files, and others read them, each shard into a collection of its
# own. Only a large file of many documents that stands alone is unpacked here, and its documents are
# parsed by the other processes: that keeps at least two processes busy rather than one.


def build_in_processes(
    plan: Plan, context: BuildContext, jobs: int
) -> Generator[BuildStep, None, None]:
    """Yield all steps of a build, in order."""
    remaining = _jobs(plan, context)
    first, rest = _split_off_first(remaining)
    if not rest:
        for job in first:
            yield _do(context, job)
        return
    # Forked processes would share the files that this one is writing, and their locks.
    engine = Processes(jobs, "spawn")
    work = Work(_do, engine.shared(context), doing="reading documents")
    with engine.in_order(work, chain(rest, remaining), ahead=2 * jobs) as steps:
        for job in first:  # while the processes start
            yield _do(context, job)
        yield from steps


def _jobs(plan: Plan, context: BuildContext) -> Iterator[_Job]:
    """Yield what is to be done, in order."""
    before: Shard | DoxevalError | None = None
    for shard, following in pairwise(chain(_until_error(plan.shards()), [None])):
        if not isinstance(shard, Shard):
            yield from [] if shard is None else [shard]
            return
        if _is_for_one_process(shard, (before, following)):
            context.directory.mkdir(parents=True, exist_ok=True)
            yield shard
        else:
            yield from _until_error(_batches(context, shard))
        before = shard


def _until_error(items: Iterable[_Item]) -> Iterator[_Item | DoxevalError]:
    """Yield all items; an error becomes the last one, so that it is raised in its turn."""
    try:
        yield from items
    except DoxevalError as error:
        yield error


def _is_for_one_process(shard: Shard, neighbours: Sequence[object]) -> bool:
    """Return whether one process should read all of a shard that others come before or after."""
    others = [other for other in neighbours if isinstance(other, Shard) and other.has_files]
    if shard.is_large:
        others = [other for other in others if other.is_large]
    return bool(others) and all(map(_is_regular, shard.special))  # nobody else could read a pipe


def _is_regular(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True  # the error is reported when the file is opened


def _split_off_first(work: Iterator[_Job]) -> tuple[list[_Job], list[_Job]]:
    """Return the first few batches, to be read here, and the job after them, for processes."""
    first: list[_Job] = []
    count = 0
    for job in work:
        count += isinstance(job, list)
        if isinstance(job, Shard) or count > _READ_HERE:
            return first, [job]
        first.append(job)
    return first, []


# On an engine, any executor or a cluster: workers must see the sources and the directory of the new
# collection at the same paths as this process does. Sources with relative paths are sent with the
# directory in front that they are relative to, and it is taken off again wherever they are named.
# So the collection is the same, byte for byte, as one that is built here.


def build_on_engine(
    engine: Engine, plan: Plan, context: BuildContext, sources: Sequence[str]
) -> Generator[BuildStep, None, None]:
    """Yield all steps of a build, in order."""
    for source in sources:
        if os.path.exists(source) and not os.path.isdir(source) and not os.path.isfile(source):
            raise SourceError("not a file: the workers of the engine cannot read it", source)
    context = replace(context, base=_base(sources))
    ends: list[ShardResult | DoxevalError] = []
    work = Work(
        _build_in_worker,
        engine.shared(context),
        check=_requirements(context, sources),
        name=lambda shard: f"shard {shard.number} ({truncate(shard.files[0].path)})",
    )
    with engine.in_order(work, _shards_with_files(plan, ends)) as results:
        for result in results:
            for path in result.unreadable:
                if _why_unreadable(path) is None:  # it must not be left out if it can be read
                    raise EngineError(f"{path}: a worker of the engine cannot read it")
            yield result
    for end in ends:
        yield _do(context, end)


def _shards_with_files(plan: Plan, ends: list[ShardResult | DoxevalError]) -> Iterator[Shard]:
    """Yield the shards for an engine; what remains to do when all are built is put into `ends`."""
    for shard in _until_error(plan.shards()):
        if isinstance(shard, Shard) and shard.has_files:
            yield shard
        else:  # the last one, or an error of the plan
            ends.append(ShardResult(shard.counts) if isinstance(shard, Shard) else shard)


def _base(sources: Sequence[str]) -> str:
    """Return a way to write the working directory that no source begins with."""
    base = os.path.join(os.getcwd(), ".", "")
    while any(source.startswith(base) for source in sources):
        base = os.path.join(base, ".", "")
    return base


def _requirements(context: BuildContext, sources: Sequence[str]) -> _BuildRequirements:
    """Return what workers must see: the directory for the shards, and all existing sources."""
    token = os.urandom(16).hex()
    context.directory.mkdir(parents=True)
    (context.directory / _MARK_FILE).write_text(token)
    paths = [source if os.path.exists(source) else fixed_part(source) or "." for source in sources]
    known = dict.fromkeys(context.worker_path(path) for path in paths if os.path.exists(path))
    return _BuildRequirements(
        context.directory,
        token,
        tuple((path, -1 if os.path.isdir(path) else os.path.getsize(path)) for path in known),
    )


# In a worker of an engine


def _build_in_worker(context: BuildContext, shard: Shard) -> ShardResult:
    """Build a shard, if the files are the same here as where the plan was made."""
    if not context.directory.is_dir():  # the build has ended; nothing may be left behind
        raise EngineError(f"{context.directory}: no such directory on {socket.gethostname()}")
    for file in shard.files:
        problem = _difference(context.worker_path(file.path), file.size) if file.size else None
        if problem is not None:
            raise EngineError(f"{file.path}: {problem} on {socket.gethostname()}")
    result = build_shard(context, shard)
    origins = {error.origin for error in result.broken}
    unreadable = [
        file.path
        for file in shard.files
        if file.path in origins and _why_unreadable(context.worker_path(file.path)) is not None
    ]
    return result._replace(unreadable=tuple(unreadable))


@dataclass(frozen=True)
class _BuildRequirements:
    """What a worker must see as this process does; called on the worker, it lists the problems.

    directory: where shards are built, with a file that has the token. sources: paths and sizes;
    the size of a directory is -1.
    """

    directory: Path
    token: str
    sources: tuple[tuple[str, int], ...]

    def __call__(self) -> list[str]:
        """Return all that is wrong here."""
        problems = [self._directory_problem()]
        problems += [_source_problem(path, size) for path, size in self.sources]
        return [problem for problem in problems if problem is not None]

    def _directory_problem(self) -> str | None:
        out = self.directory.parent.parent.parent
        try:
            if (self.directory / _MARK_FILE).read_text() != self.token:
                return f"{out}: another directory there, so collections cannot be written to it"
            probe = self.directory / os.urandom(4).hex()
            probe.touch()
            probe.unlink()
        except FileNotFoundError:
            return f"{out}: another directory there, or none; it must be shared by all workers"
        except OSError as error:
            return f"{out}: cannot be written there: {error.strerror or error}"
        return None


def _source_problem(path: str, size: int) -> str | None:
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
    """Return how a file differs from what it is for the process that made the plan."""
    try:
        size_here = os.stat(path).st_size
    except OSError as error:
        return error.strerror or str(error)
    if size_here != size:
        return f"{size_here:,} bytes, instead of {size:,}"
    return None if os.access(path, os.R_OK) else "it cannot be read"


def _why_unreadable(path: str) -> str | None:
    try:
        os.close(os.open(path, os.O_RDONLY))
    except OSError as error:
        return error.strerror or str(error)
    return None
