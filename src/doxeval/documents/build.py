"""Building a collection: reading sources in batches, in one process or several, and writing it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

from doxeval.documents.batch import Batch, read_batch
from doxeval.documents.options import BuildOptions
from doxeval.documents.page_parts import SelectorUse
from doxeval.documents.raw import RawDocument
from doxeval.documents.sources import SUFFIXES, Source, Walk, recorded_path, source_paths
from doxeval.documents.writer import CollectionWriter
from doxeval.errors import DocumentError, SourceError
from doxeval.processes import WorkerLost, Workers, in_order

# The size of a batch: large enough that the overhead of NumPy calls is small, and small enough
# that a few batches per process fit in memory.
_BATCH_BYTES = 4 << 20
_BATCH_DOCUMENTS = 2000
_WORTH_PROCESSES = 4  # fewer batches are done before other processes would have started


@dataclass
class BuildReport:
    """What a build did: how much it wrote, and what it left out.

    >>> BuildReport(documents=3).broken
    []
    """

    documents: int = 0
    source_bytes: int = 0
    broken: list[DocumentError] = field(default_factory=list)
    # How many files were skipped because they are not documents, by suffix.
    passed_over: Counter[str] = field(default_factory=Counter)
    # How many ids keep the suffix of their file, to tell it apart from another file.
    suffixes_kept: int = 0
    # What the selectors `root=` and `drop=` found in pages of HTML.
    selector_use: SelectorUse = field(default_factory=SelectorUse)


def build_collection(
    sources: Source | Iterable[Source],
    out: str | os.PathLike[str],
    options: BuildOptions | None = None,
    *,
    jobs: int = 1,
    force: bool = False,
    progress: Callable[[int, int], object] | None = None,
    on_broken: Callable[[DocumentError], object] | None = None,
) -> BuildReport:
    """Build a collection from its sources, or from one source, into the directory `out`.

    `progress` is called with the bytes read and the documents written since its last call,
    `on_broken` with each document that is left out. The result is the same, byte for byte, for
    any number of jobs.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.xml").write_text("<article><p>Hello.</p></article>")
    >>> build_collection(folder / "a.xml", folder / "collection").documents
    1
    """
    options = options or BuildOptions()
    paths = source_paths(sources)
    if options.record is not None and options.id_rule.pattern is None:
        raise SourceError("record= needs id_rule= with an XPath: records have no file names")
    walk = Walk(paths, options)
    report = BuildReport(passed_over=walk.passed_over)
    with (
        CollectionWriter(Path(os.fsdecode(out)), force=force, id_rule=options.id_rule) as writer,
        # Whatever happens, other processes end now, not when the generator is collected.
        closing(_read_all(_batches(walk.documents()), options, jobs)) as batches,
    ):
        for weight, batch in batches:
            report.broken += batch.broken
            report.selector_use += batch.selector_use
            if on_broken is not None:
                for error in batch.broken:
                    on_broken(error)
            if batch.ids:
                writer.append(batch)
            if progress is not None:
                progress(weight, len(batch.ids))
        report.documents, report.source_bytes = writer.documents, writer.source_bytes
        report.suffixes_kept = walk.suffixes_kept
        if not writer.documents:
            raise SourceError(_nothing_found(report), " ".join(paths))
        if (options.root or options.drop) and not report.selector_use.pages:
            named = "root=" if options.root else "drop="
            message = f"{named} is for HTML, and there are no documents in HTML"
            raise SourceError(message, " ".join(paths))
        facts = {
            "sources": [recorded_path(path) for path in paths],
            "options": options.recorded(),
            "broken": len(report.broken),
            "suffixes_kept": report.suffixes_kept,
        }
        writer.finish(facts)
    return report


def _nothing_found(report: BuildReport) -> str:
    if report.broken:
        return f"all {len(report.broken):,} documents are broken"
    return f"no documents found; looked for files ending in {', '.join(SUFFIXES)} and in archives"


def _batches(documents: Iterable[RawDocument]) -> Iterator[list[RawDocument]]:
    batch: list[RawDocument] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += document.bytes_in_memory
        if size >= _BATCH_BYTES or len(batch) >= _BATCH_DOCUMENTS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _read_all(
    batches: Iterable[list[RawDocument]], options: BuildOptions, jobs: int
) -> Generator[tuple[int, Batch], None, None]:
    """Each batch with the bytes of the source it accounts for, in order."""
    batches = iter(batches)
    first = list(islice(batches, _WORTH_PROCESSES))
    if jobs <= 1 or len(first) < _WORTH_PROCESSES:
        for batch in chain(first, batches):
            yield _weighed(batch, options)
        return
    try:
        yield from _read_in_processes(first, batches, options, jobs)
    except WorkerLost as error:
        raise WorkerLost(
            f"{error} while it was reading documents, perhaps for lack of memory; try a smaller "
            "jobs=. (A script of your own must call this below `if __name__ == '__main__':`.)"
        ) from None


def _read_in_processes(
    first: list[list[RawDocument]],
    batches: Iterator[list[RawDocument]],
    options: BuildOptions,
    jobs: int,
) -> Iterator[tuple[int, Batch]]:
    """Each batch with its bytes; the first ones are read here, while the processes start."""
    # Spawned processes are the same on every system, and inherit no threads.
    with Workers(jobs, "spawn") as workers:
        others = in_order(workers, _weighed, ((batch, options) for batch in batches), 2 * jobs)
        for batch in first:
            yield _weighed(batch, options)
        yield from others


def _weighed(batch: list[RawDocument], options: BuildOptions) -> tuple[int, Batch]:
    """A batch that has been read, after the bytes of the source it accounts for."""
    return sum(document.weight for document in batch), read_batch(batch, options)
