"""Building an index: documents are read in batches, in one process or several, and written here.

The result is the same, byte for byte, for any number of processes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

from doxeval.documents import Collection
from doxeval.errors import MissingText
from doxeval.messages import Parameter
from doxeval.named import checked
from doxeval.parallel import WorkerLost, Workers, in_order
from doxeval.retrieve.analysis import Analysis
from doxeval.retrieve.batches import Batch, BatchReader, batches_of
from doxeval.retrieve.layout import beside
from doxeval.retrieve.writer import IndexWriter

# Called with the name of a stage, how much of it was done since the last call, and all of it.
Progress = Callable[[str, int, int], object]

_WORTH_PROCESSES = 4  # fewer batches are done before other processes would have started
_AHEAD = 2  # batches that wait, for each process


class IndexReport(NamedTuple):
    """What was indexed."""

    directory: Path
    documents: int
    elements: int
    words: int
    terms: int
    bytes: int


@checked
def build_index(
    collection: Collection | str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    stemmer: str = "s",
    jobs: int = 1,
    force: bool = False,
    progress: Progress | None = None,
) -> IndexReport:
    """Index the words of a collection, into a directory beside it or into `out`.

    `stemmer` is `s` (plural forms of English), `none`, or a language of Snowball. `progress` is
    called with the name of a stage, how much was done since its last call, and how much there is.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>Fog horns.</p><p>Fog.</p></s>"})
    >>> report = build_index(collection)
    >>> report.words, report.terms, report.directory.name
    (3, 2, 'collection.index')
    """
    opened = collection if isinstance(collection, Collection) else Collection(collection)
    if opened.manifest["options"]["text"] == "none":
        raise MissingText(
            f"the collection {opened.location} was built without its text ("
            + Parameter("text", "none")
            + "), so there is nothing to index"
        )
    analysis = Analysis(stemmer)
    facts = {"collection": opened.seal, **analysis.recorded()}
    place = beside(opened.directory) if out is None else _path(out)
    report = progress or (lambda stage, done, total: None)
    characters = opened.text_totals.characters
    with (
        IndexWriter(place, force=force) as writer,
        # Whatever happens, other processes end now, not when the generator is collected.
        closing(_read_all(opened, stemmer, jobs)) as batches,
    ):
        for reader, batch in batches:
            writer.append(reader, batch)
            report("reading", batch.characters, characters)
        counts = writer.finish(facts, lambda done: report("merging", done, writer.words))
    size = sum(file.stat().st_size for file in place.iterdir())
    return IndexReport(
        place, counts["documents"], counts["elements"], counts["words"], counts["terms"], size
    )


def _path(given: str | os.PathLike[str]) -> Path:
    return Path(os.fsdecode(given))


def _read_all(
    collection: Collection, stemmer: str, jobs: int
) -> Generator[tuple[int, Batch], None, None]:
    """Each batch, in order, with the number of the reader that read it."""
    ranges = list(batches_of(collection))
    if jobs <= 1 or len(ranges) < _WORTH_PROCESSES:
        reader = BatchReader(collection, stemmer)
        for first, after in ranges:
            yield 0, reader.read(first, after)
        return
    try:
        with ExitStack() as resources:
            # Batches go round: each process is a pool of its own, so that it gets them in order.
            prepared = (_prepare, (collection, stemmer))
            pools = [resources.enter_context(Workers(1, "spawn", *prepared)) for _ in range(jobs)]
            results = in_order(_Turns(pools), _read, ranges, _AHEAD * jobs)
            for number, batch in enumerate(results):
                yield number % jobs, batch
    except WorkerLost as error:
        raise WorkerLost(
            f"{error} while it was reading documents, perhaps for lack of memory; try a smaller "
            + Parameter("jobs")
            + ". (A script of your own must call this below `if __name__ == '__main__':`.)"
        ) from None


class _Turns:
    """Pools of one worker each, which get tasks in turn."""

    def __init__(self, pools: list[Workers]) -> None:
        self._next = cycle(pools)

    def submit(self, task: Callable[..., Any], *arguments: Any) -> Any:
        return next(self._next).submit(task, *arguments)


# In a worker

_READER: list[BatchReader] = []


def _prepare(collection: Collection, stemmer: str) -> None:
    _READER[:] = [BatchReader(collection, stemmer)]


def _read(first: int, after: int) -> Batch:
    return _READER[0].read(first, after)
