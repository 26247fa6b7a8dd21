"""`doxeval collection build` and `merge`: how collections are made."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.decorators import (
    check_engine,
    engine_of,
    engine_options,
    jobs_of_all_cores,
    options_of,
    value_of,
)
from doxeval.cli.output import growing_bar, is_watched, line, note, progress_bar, warn
from doxeval.cli.verb import in_options, refuse, verb
from doxeval.messages import plural

if TYPE_CHECKING:
    from doxeval.documents import BuildReport
    from doxeval.errors import DocumentError


@verb()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The directory to create."
)
@click.option(
    "--id",
    "id_rule",
    default="stem",
    show_default=True,
    metavar="stem|path|XPATH",
    help="Where document ids come from: the file's name without its suffix, the file's path (with "
    "suffixes where they are needed to tell files apart), or an element or attribute in the "
    "document (//id, /doc/@id).",
)
@options_of("doxeval.documents:BuildOptions", "record")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["auto", "xml", "html", "markdown", "text", "jsonl"]),
    default="auto",
    show_default=True,
    help="Format of the files; auto means by their names.",
)
@options_of("doxeval.documents:BuildOptions", "encoding", "whitespace")
@click.option(
    "--inline",
    metavar="TAG,TAG…",
    help="Tags of elements within a line of text, such as emphasis.  [default: those of HTML and "
    "INEX]",
)
@options_of("doxeval.documents:BuildOptions", "text", "sections", "root", "root_missing", "drop")
@jobs_of_all_cores
@engine_options
@options_of("doxeval.documents:BuildOptions", "skip_broken")
@click.option("--force", is_flag=True, help="Replace an existing collection.")
@options_of("doxeval.documents:Limits", "bytes", "elements", "depth", "lines")
@click.option(
    "--chunks",
    metavar="FILE",
    help="A chunk file for SOURCE: its chunks are the elements, nested as their parents say.",
)
@click.option(
    "--run", metavar="RUN", help="With --chunks: a run of the chunks, to be written as elements."
)
@click.option(
    "--run-out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With --run: the run of elements.",
)
def build(
    sources: tuple[str, ...],
    out: Path,
    jobs: int,
    engine: str | None,
    patience: float,
    force: bool,
    chunks: str | None,
    run: str | None,
    run_out: Path | None,
    **choices: Any,
) -> None:
    """Build a collection from documents, in a new directory.

    A SOURCE is a directory, a glob, an archive (.tar, .tar.gz, .zip), a file (.xml, .html, .md,
    .txt) or a file of many documents (.jsonl, or .xml with --record). Files may be compressed
    (.gz, .bz2, .xz, .zst).

    \b
    Examples:
      doxeval collection build articles/ --out wiki
      doxeval collection build dump.xml.gz --record page --id //page/@id --out wiki
      doxeval collection build 'docs/**/*.md' --id path --out docs-collection
      doxeval collection build site/ --root main --drop nav --drop .sidebar --out site-collection
      doxeval collection build /shared/parts --engine dask://head:8786 --out /shared/wiki
      doxeval collection build handbook --chunks located.jsonl --out handbook-chunks
    """
    from doxeval.documents import INLINE_TAGS, BuildOptions, IdRule, Limits, build_collection
    from doxeval.parallel import keep_freed_blocks

    if chunks is not None:
        refuse({"engine", "patience", *choices}, "has no effect with --chunks")
        _build_tree(sources, chunks, out, force, run, run_out)
        return
    refuse({"run", "run_out"}, "goes with --chunks")
    on = {"engine": engine, "patience": patience}
    check_engine(on)
    _check_format(choices["format_"])
    if choices["root"] is None:
        refuse({"root_missing"}, "has no effect without --root")
    inline = choices["inline"]
    tags = INLINE_TAGS if inline is None else filter(None, map(str.strip, inline.split(",")))
    options = value_of(
        BuildOptions,
        choices,
        id_rule=IdRule.parse(choices["id_rule"]),
        format=None if choices["format_"] == "auto" else choices["format_"],
        inline=frozenset(tags),
        limits=value_of(Limits, choices),
    )
    started = time.perf_counter()
    keep_freed_blocks()
    bar: Any = growing_bar("Building") if is_watched() else nullcontext((None, None))
    broken: list[DocumentError] = []
    try:
        with engine_of(on) as opened, bar as (progress, planned):
            report = build_collection(
                sources,
                out,
                options,
                jobs=1 if opened is not None else jobs,
                engine=opened,
                force=force,
                progress=progress,
                planned=planned,
                on_broken=broken.append,
            )
    finally:
        for error in broken:
            note(f"skipped: {in_options(error)}", "yellow")
    warn(report.warnings)
    _print_report(report, out, time.perf_counter() - started)


def _build_tree(
    sources: tuple[str, ...],
    chunks: str,
    out: Path,
    force: bool,
    run: str | None,
    run_out: Path | None,
) -> None:
    """Build a collection whose elements are chunks, and perhaps write a run of these elements."""
    from doxeval.chunks import as_elements, read_chunk_run, read_chunks, tree
    from doxeval.cli.chunks.inputs import docs_in
    from doxeval.files import outputs_together
    from doxeval.runs import write_run

    if len(sources) > 1:
        raise click.UsageError("--chunks goes with one SOURCE, the documents of the chunks")
    if (run is None) != (run_out is None):
        raise click.UsageError("--run and --run-out go together")
    table = read_chunks(chunks, docs_in(sources[0]))
    with outputs_together():  # the run is complete before the collection appears
        if run is not None and run_out is not None:
            of_chunks = read_chunk_run(run, table)
            warn(of_chunks.warnings)
            write_run(as_elements(of_chunks, table), run_out)
        collection = tree(table, out, force=force)
    line(f"{out}: {plural(len(table), 'chunk')} of {plural(len(collection), 'document')}")
    if run is not None:
        line(f"{run_out}: {plural(len(of_chunks), 'result')}")


def _check_format(format_: str) -> None:
    """Refuse options that have no effect on the format that was given."""
    if format_ not in ("auto", "xml"):
        refuse({"record"}, f"is for XML, and --format is {format_}")
    if format_ not in ("auto", "html"):
        refuse({"root", "root_missing", "drop"}, f"is for HTML, and --format is {format_}")
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


@verb()
@click.argument("collections", nargs=-1, required=True, metavar="DIR|URL…")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The directory to create."
)
@click.option("--force", is_flag=True, help="Replace an existing collection.")
def merge(collections: tuple[str, ...], out: Path, force: bool) -> None:
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
    bar: Any = nullcontext()
    if is_watched():
        files = [file["bytes"] for one in opened for file in one.manifest["files"].values()]
        bar = progress_bar("Merging", sum(files))
    with bar as progress:
        report = merge_collections(opened, out, force=force, progress=progress)
    line(
        f"{out}: {plural(report.documents, 'document')} and "
        f"{plural(report.elements, 'element')} from {report.collections} collections, "
        f"in {time.perf_counter() - started:.1f} s"
    )
