"""`doxeval collection build` and `merge`: how collections are made."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from doxeval.cli.options import (
    EngineOptions,
    force_option,
    format_option,
    jobs_option,
    out_option,
)
from doxeval.cli.output import growing_bar, line, note, warn
from doxeval.cli.verb import (
    LibraryOptions,
    given_options,
    in_options,
    library_options,
    part,
    refuse,
    verb,
)
from doxeval.messages import plural
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.documents import BuildOptions, BuildReport, Limits
    from doxeval.errors import DocumentError


@dataclass(frozen=True)
class BuildVerbOptions:
    """How documents are read, and where the collection is written."""

    out: Path = out_option("The directory to create.")
    id_rule: str = option(
        "stem",
        "Where document ids come from: the file's name without its suffix, the file's path (with "
        "suffixes where files would share an id otherwise), or an element or attribute in the "
        "document (//id, /doc/@id).",
        metavar="stem|path|XPATH",
        flags=("--id",),
    )
    format: Literal["auto", "xml", "html", "markdown", "text", "jsonl", "pdf"] = format_option(
        "Format of the files; auto means by their names.", "auto"
    )
    inline: str | None = option(
        None,
        "Tags of elements within a line of text, such as emphasis.",
        metavar="TAG,TAG…",
        shown_default="those of HTML and INEX",
    )
    build: LibraryOptions[BuildOptions] = library_options(
        "doxeval.documents:BuildOptions", but=("format",)
    )
    jobs: int | None = jobs_option()
    engine: EngineOptions = part(EngineOptions)
    force: bool = force_option("an existing collection")
    limits: LibraryOptions[Limits] = library_options(
        "doxeval.documents:Limits", "bytes", "elements", "depth", "lines"
    )
    chunks: str | None = option(
        None,
        "A chunk file for SOURCE: its chunks become the elements, nested by their parents.",
        metavar="FILE",
    )
    run: str | None = option(
        None, "With --chunks: a run of the chunks, to be written as elements.", metavar="RUN"
    )
    run_out: Path | None = option(None, "With --run: the run of elements.", metavar="FILE")


@verb(BuildVerbOptions)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
def build(sources: tuple[str, ...], options: BuildVerbOptions) -> None:
    """Build a collection from documents, in a new directory.

    A SOURCE is a directory, a glob, an archive (.tar, .tar.gz, .zip), a file (.xml, .html, .md,
    .txt, .pdf) or a file of many documents (.jsonl, or .xml with --record). Files may be compressed
    (.gz, .bz2, .xz, .zst). irds:NAME is a data set of ir_datasets.

    \b
    Examples:
      doxeval collection build articles/ --out wiki
      doxeval collection build dump.xml.gz --record page --id //page/@id --out wiki
      doxeval collection build 'docs/**/*.md' --id path --out docs-collection
      doxeval collection build site/ --root main --drop nav --drop .sidebar --out site-collection
      doxeval collection build help/ --drop //page/info --out help-collection
      doxeval collection build irds:cranfield --out cranfield
      doxeval collection build /shared/parts --engine dask://head:8786 --out /shared/wiki
      doxeval collection build handbook --chunks located.jsonl --out handbook-chunks
    """
    from doxeval.documents import INLINE_TAGS, IdRule, build_collection
    from doxeval.parallel import keep_freed_blocks

    if options.chunks is not None:
        of_chunks = {"sources", "out", "force", "chunks", "jobs", "run", "run_out"}
        without_effect = set(given_options()) - of_chunks
        refuse(without_effect, "has no effect with --chunks")
        _build_tree(sources, options)
        return
    refuse({"run", "run_out"}, "goes with --chunks")
    options.engine.check()
    _check_format(options.format)
    tags = INLINE_TAGS
    if options.inline is not None:
        tags = frozenset(filter(None, map(str.strip, options.inline.split(","))))
    chosen = options.build.value(
        id_rule=IdRule.parse(options.id_rule),
        format=None if options.format == "auto" else options.format,
        inline=tags,
        limits=options.limits.value(),
    )
    if not chosen.root:
        refuse({"root_missing"}, "has no effect without --root")
    started = time.perf_counter()
    keep_freed_blocks()
    broken: list[DocumentError] = []
    try:
        with options.engine.opened() as engine, growing_bar("Building") as (progress, planned):
            report = build_collection(
                sources,
                options.out,
                chosen,
                jobs=1 if engine is not None else options.jobs or os.cpu_count() or 1,
                engine=engine,
                force=options.force,
                progress=progress,
                planned=planned,
                on_broken=broken.append,
            )
    finally:
        for error in broken:
            note(f"skipped: {in_options(error)}", "yellow")
    warn(report.warnings)
    _print_report(report, options.out, time.perf_counter() - started)


def _build_tree(sources: tuple[str, ...], options: BuildVerbOptions) -> None:
    """Build a collection whose elements are chunks, and perhaps write a run of these elements."""
    from doxeval.chunks import as_elements, read_chunk_run, read_chunks, tree
    from doxeval.cli.chunks.inputs import FolderOptions
    from doxeval.files import outputs_together
    from doxeval.runs import write_run

    run, run_out = options.run, options.run_out
    if len(sources) > 1:
        raise click.UsageError("--chunks goes with one SOURCE, the documents of the chunks")
    if (run is None) != (run_out is None):
        raise click.UsageError("--run and --run-out go together")
    table = read_chunks(str(options.chunks), FolderOptions().documents(sources[0]))
    with outputs_together():  # the run is complete before the collection appears
        if run is not None and run_out is not None:
            of_chunks = read_chunk_run(run, table)
            warn(of_chunks.warnings)
            write_run(as_elements(of_chunks, table), run_out)
        collection = tree(table, options.out, force=options.force)
    line(f"{options.out}: {plural(len(table), 'chunk')} of {plural(len(collection), 'document')}")
    if run is not None:
        line(f"{run_out}: {plural(len(of_chunks), 'result')}")


def _check_format(format_: str) -> None:
    """Refuse options that have no effect on the format that was given."""
    if format_ not in ("auto", "xml"):
        refuse({"record"}, f"is for XML, and --format is {format_}")
    if format_ not in ("auto", "html", "xml"):
        refuse({"root", "root_missing", "drop"}, f"is for HTML and XML, and --format is {format_}")
    if format_ != "auto":
        refuse({"suffixes"}, "has no effect where --format is given")
    if format_ not in ("auto", "html", "markdown"):
        refuse({"sections"}, f"is for HTML and Markdown, and --format is {format_}")
    if format_ == "jsonl":
        refuse({"id_rule"}, 'has no effect on JSONL, where every line has an "id"')
        refuse({"encoding"}, "has no effect on JSONL, which is always UTF-8")


def _print_report(report: BuildReport, out: Path, seconds: float) -> None:
    skipped = f", {plural(len(report.broken), 'broken one')} left out" if report.broken else ""
    line(
        f"{out}: {plural(report.documents, 'document')} from "
        f"{report.source_bytes / 1e6:,.1f} MB{skipped}, in {seconds:.1f} s"
    )


@dataclass(frozen=True)
class MergeOptions:
    """Where the merged collection is written."""

    out: Path = out_option("The directory to create.")
    force: bool = force_option("an existing collection")


@verb(MergeOptions)
@click.argument("collections", nargs=-1, required=True, metavar="DIR|URL…")
def merge(collections: tuple[str, ...], options: MergeOptions) -> None:
    """Merge collections into one, in a new directory.

    The documents of all collections follow each other in the order given. Nothing is parsed
    again. The collections must have been built with the same --whitespace-nodes, --inline and
    --text, and may not have an id in common. To append to a collection, name it both first and
    with --out, and add --force.

    \b
    Examples:
      doxeval collection merge wiki-1 wiki-2 wiki-3 --out wiki
      doxeval collection merge wiki news --out wiki --force
    """
    from doxeval.documents import Collection, merge_collections

    started = time.perf_counter()
    opened = [Collection(location) for location in collections]
    files = [
        file["bytes"] for collection in opened for file in collection.manifest["files"].values()
    ]
    with growing_bar("Merging") as (progress, resize):
        if resize is not None:
            resize(sum(files))
        report = merge_collections(opened, options.out, force=options.force, progress=progress)
    line(
        f"{options.out}: {plural(report.documents, 'document')} and "
        f"{plural(report.elements, 'element')} from {report.collections} collections, "
        f"in {time.perf_counter() - started:.1f} s"
    )
