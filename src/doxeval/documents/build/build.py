"""Building a collection: sources are read, here or by others, and written in the order of the plan.

Who reads what: see plan.py and shards.py. This file puts the pieces together; they come in order,
and so do the reports about them, whoever has read them.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path

from doxeval.documents.build.options import BuildOptions
from doxeval.documents.build.plan import Plan
from doxeval.documents.build.shards import (
    BuiltShard,
    Order,
    Piece,
    ReadBatch,
    ShardEnd,
    raw_batches,
    read_in_processes,
    read_on,
    read_weighed,
)
from doxeval.documents.build.sources import SUFFIXES, Source, Tally, recorded_path, source_paths
from doxeval.documents.build.writer import CollectionWriter
from doxeval.documents.collection import Collection
from doxeval.documents.readers.html import SelectorUse
from doxeval.errors import DocumentError, InputError, SourceError, warn
from doxeval.messages import Parameter, plural
from doxeval.named import checked
from doxeval.parallel import PATIENCE, EngineGiven, open_engine


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
    # What a user should know: files not read, pages without a root, selectors without effect.
    warnings: tuple[str, ...] = ()


@checked
def build_collection(
    sources: Source | Iterable[Source],
    out: str | os.PathLike[str],
    options: BuildOptions | None = None,
    *,
    jobs: int = 1,
    engine: EngineGiven | None = None,
    patience: float = PATIENCE,
    force: bool = False,
    progress: Callable[[int, int], object] | None = None,
    planned: Callable[[int], object] | None = None,
    on_broken: Callable[[DocumentError], object] | None = None,
) -> BuildReport:
    """Build a collection from its sources, or from one source, into the directory `out`.

    `progress` is called with the bytes read and the documents written since its last call,
    `on_broken` with each document that is left out. If `planned` is given, all sources are walked
    before anything is read, and it is called with the bytes that `progress` will report.

    `engine` is an executor, or a cluster of dask ("dask://HOST:PORT"), whose workers see the
    sources and `out` at the same paths as this process. They read the sources instead of `jobs`
    processes here, and the cluster may be without workers for `patience` seconds. The result is
    the same, byte for byte, for any number of jobs and on any engine.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.xml").write_text("<article><p>Hello.</p></article>")
    >>> build_collection(folder / "a.xml", folder / "collection").documents
    1
    """
    options = options or BuildOptions()
    paths = source_paths(sources)
    if engine is not None and jobs > 1:
        raise InputError("give an engine or " + Parameter("jobs") + ", not both")
    if options.record is not None and options.id_rule.pattern is None:
        raise SourceError(
            Parameter("record")
            + " needs "
            + Parameter("id_rule")
            + " with an XPath: records have no file names"
        )
    with CollectionWriter(Path(os.fsdecode(out)), force=force, id_rule=options.id_rule) as writer:
        plan = Plan(paths, options)
        if planned is not None:
            planned(plan.walked())
        order = Order(options, plan.sizes, writer.shards)
        building = _Building(writer, order, progress, on_broken)
        with ExitStack() as resources:
            if engine is not None:
                on = resources.enter_context(open_engine(engine, patience=patience))
                pieces = read_on(on, plan, order, paths)
            else:
                pieces = read_in_processes(plan, order, jobs) if jobs > 1 else _here(plan, order)
            # Whatever happens, other processes end now, not when the generator is collected.
            for piece in resources.enter_context(closing(pieces)):
                building.take(piece)
        report = building.report()
        _refuse_useless(report, options, " ".join(paths))
        report.warnings = tuple(_warnings(report, options))
        facts = {
            "sources": [recorded_path(path) for path in paths],
            "options": options.recorded(),
            "broken": len(report.broken),
            "suffixes_kept": report.suffixes_kept,
        }
        writer.finish(facts)
    skipped = () if on_broken is not None else (f"skipped: {error}" for error in report.broken)
    warn((*skipped, *report.warnings))
    return report


def _here(plan: Plan, order: Order) -> Generator[Piece, None, None]:
    for shard in plan.shards():
        for raw in raw_batches(order, shard):
            yield raw if isinstance(raw, ShardEnd) else read_weighed(raw, order.options)


class _Building:
    """Takes the pieces of a collection, in order, into the writer and the report."""

    def __init__(
        self,
        writer: CollectionWriter,
        order: Order,
        progress: Callable[[int, int], object] | None,
        on_broken: Callable[[DocumentError], object] | None,
    ) -> None:
        self._writer = writer
        self._order = order
        self._progress = progress
        self._on_broken = on_broken
        self._broken: list[DocumentError] = []
        self._selector_use = SelectorUse()
        self._tally = Tally()

    def take(self, piece: Piece) -> None:
        """Add a piece at the end."""
        if isinstance(piece, ReadBatch):
            batch = piece.batch
            self._note(batch.broken, batch.selector_use)
            if batch.ids:
                self._writer.append(batch)
            self._report(piece.weight, len(batch.ids))
            return
        if isinstance(piece, BuiltShard):
            self._note(piece.broken, piece.selector_use)
            if piece.name is not None:
                self._absorb(self._order.directory / piece.name)
            self._report(piece.weight, piece.documents)
        self._tally.add(piece.tally)
        self._writer.end_part()

    def report(self) -> BuildReport:
        """What was done."""
        return BuildReport(
            documents=self._writer.documents,
            source_bytes=self._writer.source_bytes,
            broken=self._broken,
            passed_over=self._tally.passed_over,
            suffixes_kept=self._tally.suffixes_kept,
            selector_use=self._selector_use,
        )

    def _note(self, broken: list[DocumentError], selector_use: SelectorUse) -> None:
        self._broken += broken
        self._selector_use += selector_use
        if self._on_broken is not None:
            for error in broken:
                self._on_broken(error)

    def _report(self, weight: int, documents: int) -> None:
        if self._progress is not None:
            self._progress(weight, documents)

    def _absorb(self, directory: Path) -> None:
        self._writer.absorb(Collection(directory), "moved")
        shutil.rmtree(directory, ignore_errors=True)


def _refuse_useless(report: BuildReport, options: BuildOptions, sources: str) -> None:
    """Refuse a build without documents, or with options that had no effect."""
    if not report.documents:
        raise SourceError(_nothing_found(report), sources)
    if (options.root or options.drop) and not report.selector_use.pages:
        selector = Parameter("root" if options.root else "drop")
        raise SourceError(selector + " is for HTML, and there are no documents in HTML", sources)
    if options.root and report.selector_use.without_root == report.selector_use.pages:
        raise SourceError(Parameter("root", options.root) + " selects nothing in any page", sources)


def _warnings(report: BuildReport, options: BuildOptions) -> Iterator[str]:
    use = report.selector_use
    if use.without_root:
        yield (
            Parameter("root", options.root)
            + f" selects nothing in {use.without_root:,} of {plural(use.pages, 'page')}: taken "
            "whole"
        )
    if use.several_roots:
        pages = plural(use.several_roots, "document")
        yield Parameter("root") + f" selects several elements in {pages}; the first was kept"
    for selector, count in zip(options.drop, use.dropped, strict=False):
        if not count:
            yield Parameter("drop", selector) + " selects nothing in any document"
    if report.suffixes_kept:
        yield (
            "ids with a suffix, needed to tell files of the same name apart: "
            f"{report.suffixes_kept:,}"
        )
    yield from Tally(report.passed_over).warnings


def _nothing_found(report: BuildReport) -> str:
    if report.broken:
        return f"all {len(report.broken):,} documents are broken"
    return f"no documents found; looked for files ending in {', '.join(SUFFIXES)} and in archives"
