"""What runs are given as: files, values, dicts or data frames, each perhaps with a name."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from doxeval.assessments import Assessments
from doxeval.runs import (
    Block,
    ChunkTable,
    Run,
    RunGiven,
    as_run,
    blocks_of,
    chunk_table_of,
    is_one_run,
    no_run,
    run_blocks,
)

Source = RunGiven


class NamedSource(NamedTuple):
    """A run to score, and the name it is to have; None leaves it to the run itself.

    chunks: the file of the chunks that it names by their ids, if it has one for itself.
    """

    source: Source
    name: str | None = None
    chunks: str | None = None

    @property
    def file(self) -> str | None:
        """The file it is read from, if it is one."""
        return os.fspath(self.source) if isinstance(self.source, str | os.PathLike) else None

    def read(self, *, ends: bool, chunks: ChunkTable | None = None) -> Run:
        """The run itself; chunks are those that it may name by their ids, if not its own ones."""
        return as_run(self.source, ends=ends, chunks=self.chunks or chunks)

    def blocks(
        self, rows: int, *, ends: bool, chunks: ChunkTable | None = None
    ) -> Generator[Block]:
        """The run in blocks of whole topics, of about so many rows."""
        if isinstance(self.source, str | os.PathLike):
            given = self.chunks or chunks
            yield from run_blocks(self.source, rows, ends=ends, chunks=given)
        else:
            yield from blocks_of(self.read(ends=ends, chunks=chunks), rows)

    def chunk_table(self, chunks: ChunkTable | None) -> ChunkTable | None:
        """The chunks that it may name by their ids: its own, if it has some, or those given."""
        return chunks if self.chunks is None else chunk_table_of(self.chunks)


def as_named(run: Source | NamedSource) -> NamedSource:
    """A run that may have no name yet.

    >>> as_named("a.run").file
    'a.run'
    """
    return run if isinstance(run, NamedSource) else NamedSource(run)


def about_same_file(run: str | None, assessments: Iterable[str]) -> Iterator[str]:
    """A warning if the file of a run is one of the files of the assessments.

    >>> list(about_same_file("runs/a.run", ["runs/judged.jsonl"]))
    []
    """
    if run is None:
        return
    place = os.path.realpath(run)
    if any(os.path.realpath(file) == place for file in assessments):
        yield "this run is a file of the assessments: the answers themselves are scored"


# One run, several, or several by name.
Sources = Source | Iterable[Source | NamedSource | tuple[str, Source]] | Mapping[str, Source]


def named_sources(runs: Any) -> list[NamedSource]:
    """All runs of an evaluation: one of them, several, or several by name.

    >>> [(one.source, one.name) for one in named_sources({"mine": "a.run"})]
    [('a.run', 'mine')]
    >>> [one.name for one in named_sources(["a.run", ("mine", "b.run")])]
    [None, 'mine']
    """
    if is_one_run(runs):
        return [NamedSource(runs)]
    if isinstance(runs, Mapping):
        return [_named(source, str(name)) for name, source in runs.items()]
    if not isinstance(runs, Iterable) or isinstance(runs, Assessments):
        raise no_run(runs)
    return [one if isinstance(one, NamedSource) else _from_pair(one) for one in runs]


def _from_pair(given: Any) -> NamedSource:
    if isinstance(given, tuple) and len(given) == 2:
        return _named(given[1], str(given[0]))
    return _named(given, None)


def _named(source: Any, name: str | None) -> NamedSource:
    if not is_one_run(source):
        raise no_run(source)
    return NamedSource(source, name)
