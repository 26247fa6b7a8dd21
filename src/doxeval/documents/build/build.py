"""Building a collection: sources are read, here or elsewhere, and written in the order of the plan.

plan.py says who reads what, shards.py does it, and this file puts the steps together. They come in
order, and so do the reports about them, whoever has done them.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path

from doxeval.documents.build.batch import DocumentBatch
from doxeval.documents.build.options import BuildOptions
from doxeval.documents.build.plan import Plan
from doxeval.documents.build.shards import (
    BuildContext,
    BuildStep,
    build_here,
    build_in_processes,
    build_on_engine,
)
from doxeval.documents.build.sources import (
    SUFFIXES,
    Source,
    SourceCounts,
    recorded_path,
    source_paths,
)
from doxeval.documents.build.writer import CollectionWriter
from doxeval.documents.collection import open_shard
from doxeval.documents.readers.selectors import SelectorUse
from doxeval.errors import DocumentError, InputError, SourceError, warn
from doxeval.messages import Parameter, plural
from doxeval.named import checked
from doxeval.parallel import PATIENCE, EngineLike, open_engine


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
    # What the selectors `root=` and `drop=` matched in pages of HTML.
    selector_use: SelectorUse = field(default_factory=SelectorUse)
    # What the path patterns `root=` and `drop=` matched in XML.
    pattern_use: SelectorUse = field(default_factory=SelectorUse)
    # What a user should know about single documents, such as pages of a PDF without text.
    notes: list[str] = field(default_factory=list)
    # What a user should know: files not read, pages without a root, selectors without effect.
    warnings: tuple[str, ...] = ()


@checked
def build_collection(
    sources: Source | Iterable[Source],
    out: str | os.PathLike[str],
    options: BuildOptions | None = None,
    *,
    jobs: int = 1,
    engine: EngineLike | None = None,
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
    report = BuildReport()
    with CollectionWriter(Path(os.fsdecode(out)), force=force, id_rule=options.id_rule) as writer:
        plan = Plan(paths, options)
        if planned is not None:
            planned(plan.total_weight())
        context = BuildContext(options, plan.sizes, writer.shards)
        with ExitStack() as resources:
            if engine is not None:
                opened = resources.enter_context(open_engine(engine, patience=patience))
                steps = build_on_engine(opened, plan, context, paths)
            elif jobs > 1:
                steps = build_in_processes(plan, context, jobs)
            else:
                steps = build_here(plan, context)
            # Whatever happens, other processes end now, not when the generator is collected.
            for step in resources.enter_context(closing(steps)):
                if on_broken is not None:
                    for error in step.broken:
                        on_broken(error)
                documents = _add_step(step, writer, report)
                if progress is not None and (documents or step.weight):
                    progress(step.weight, documents)
        report.documents, report.source_bytes = writer.documents, writer.source_bytes
        complete_report(report, options, " ".join(paths))
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


def _add_step(step: BuildStep, writer: CollectionWriter, report: BuildReport) -> int:
    """Write the documents of a step, add the rest to the report, and return how many there are."""
    report.broken += step.broken
    report.selector_use += step.selector_use
    report.pattern_use += step.pattern_use
    report.notes += step.notes
    if isinstance(step, DocumentBatch):
        if step.ids:
            writer.append(step)
        return len(step.ids)
    if step.name is not None:
        directory = writer.shards / step.name
        writer.absorb(open_shard(directory), "moved")
        shutil.rmtree(directory, ignore_errors=True)
    report.passed_over.update(step.counts.passed_over)
    report.suffixes_kept += step.counts.suffixes_kept
    writer.end_part()
    return step.documents


def complete_report(report: BuildReport, options: BuildOptions, sources: str) -> None:
    """Add its warnings to a report; refuse one without documents, or options without effect.

    >>> report = BuildReport(documents=1, suffixes_kept=2)
    >>> complete_report(report, BuildOptions(), "handbook")
    >>> report.warnings
    ('ids with a suffix, needed to tell files of the same name apart: 2',)
    """
    _refuse_useless(report, options, sources)
    report.warnings = tuple(_warnings(report, options))


def _refuse_useless(report: BuildReport, options: BuildOptions, sources: str) -> None:
    if report.broken and not report.documents and len(report.broken) == 1:
        raise report.broken[0]
    if report.broken and not report.documents:
        raise SourceError(f"all {len(report.broken):,} documents are broken", sources)
    if not report.documents:
        expected = ", ".join(SUFFIXES)
        message = f"no documents found; looked for files ending in {expected} and in archives"
        raise SourceError(message, sources)
    for name, use, root, drop in _uses(report, options):
        if root is None and not drop:
            continue
        given = Parameter("root", root) if root is not None else Parameter("drop", drop[0])
        if not use.pages:
            message = f" is for {name}, and there are no documents in {name}"
            raise SourceError(given + message, sources)
        if root is not None and use.without_root == use.pages:
            raise SourceError(given + f" selects nothing in any {_counted(name)}", sources)


def _uses(
    report: BuildReport, options: BuildOptions
) -> Iterator[tuple[str, SelectorUse, str | None, tuple[str, ...]]]:
    """Yield for HTML and XML what `root` and `drop` matched, and what they are."""
    yield "HTML", report.selector_use, *options.parts_of("html")
    yield "XML", report.pattern_use, *options.parts_of("xml")


def _counted(name: str) -> str:
    return "page" if name == "HTML" else "document"


def _warnings(report: BuildReport, options: BuildOptions) -> Iterator[str]:
    for name, use, root, drop in _uses(report, options):
        if use.without_root:
            of_all = plural(use.pages, _counted(name))
            message = f" selects nothing in {use.without_root:,} of {of_all}: taken whole"
            yield Parameter("root", root) + message
        if use.several_roots:
            documents = plural(use.several_roots, "document")
            message = f" selects several elements in {documents}; the first was kept"
            yield Parameter("root") + message
        for text, count in zip(drop, use.dropped, strict=False):
            if not count:
                yield Parameter("drop", text) + " selects nothing in any document"
    if report.suffixes_kept:
        yield (
            "ids with a suffix, needed to tell files of the same name apart: "
            f"{report.suffixes_kept:,}"
        )
    yield from report.notes
    yield from SourceCounts(report.passed_over).warnings
