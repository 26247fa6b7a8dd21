"""`doxeval collection`: build a collection, describe it, show its documents."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from doxeval.cli.flags import in_options
from doxeval.cli.terminal import progress_bar

if TYPE_CHECKING:
    from doxeval.documents import BuildOptions, BuildReport
    from doxeval.documents.options import Format
    from doxeval.errors import DocumentError


@click.group()
def collection() -> None:
    """Build, describe and show collections of documents."""


@collection.command()
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
    help="Where ids come from: the file's name without suffix, its path (with suffixes where they "
    "are needed to tell files apart), or a place inside the document (//id, /doc/@id).",
)
@click.option("--record", metavar="TAG", help="Each element TAG is a document of its own.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["auto", "xml", "html", "markdown", "text", "jsonl"]),
    default="auto",
    show_default=True,
    help="Format of the files; auto goes by their names.",
)
@click.option("--encoding", metavar="NAME", help="Encoding of files that do not declare theirs.")
@click.option(
    "--whitespace",
    type=click.Choice(["keep", "strip"]),
    default="keep",
    show_default=True,
    help="Whether text points count text nodes of white space; the text stays the same.",
)
@click.option(
    "--inline",
    metavar="TAG,TAG…",
    help="Tags that stand inside a line of text  [default: those of HTML and INEX]",
)
@click.option(
    "--text",
    type=click.Choice(["plain", "compressed", "none"]),
    default="plain",
    show_default=True,
    help="How the documents' text is kept.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=os.cpu_count() or 1,
    show_default="all cores",
    help="Processes to use.",
)
@click.option("--skip-broken", is_flag=True, help="List broken documents and leave them out.")
@click.option("--force", is_flag=True, help="Replace an existing collection.")
@click.option("--max-bytes", type=click.IntRange(1), help="Most bytes of one document.")
@click.option("--max-elements", type=click.IntRange(1), help="Most elements of one document.")
@click.option(
    "--max-depth", type=click.IntRange(1, 30_000), help="Most elements inside each other."
)
def build(sources: tuple[str, ...], out: Path, jobs: int, force: bool, **choices: Any) -> None:
    """Read documents and keep them as a collection in a new directory.

    A SOURCE is a directory, a glob, an archive (.tar, .tar.gz, .zip), a file (.xml, .html, .md,
    .txt) or a file of many documents (.jsonl, or .xml with --record). Files may be compressed
    (.gz, .bz2, .xz, .zst).

    \b
    Examples:
      doxeval collection build articles/ --out wiki
      doxeval collection build dump.xml.gz --record page --id //title --out wiki
      doxeval collection build 'docs/**/*.md' --id path --out docs-collection
    """
    from doxeval.documents.build import build_collection
    from doxeval.documents.sources import Walk

    options = _options(**choices)
    started = time.perf_counter()
    bar: Any = nullcontext()
    if sys.stderr.isatty():
        total = Walk(sources, options).total_bytes()
        bar = progress_bar("Building", total)
    broken: list[DocumentError] = []
    try:
        with bar as progress:
            report = build_collection(
                sources,
                out,
                options,
                jobs=jobs,
                force=force,
                progress=progress,
                on_broken=broken.append,
            )
    finally:
        for error in broken:
            click.secho(f"skipped: {in_options(str(error))}", fg="yellow", err=True)
    _tell(report, out, time.perf_counter() - started)


def _options(
    id_rule: str,
    format_: Format | Literal["auto"],
    inline: str | None,
    max_bytes: int | None,
    max_elements: int | None,
    max_depth: int | None,
    **plain: Any,
) -> BuildOptions:
    from doxeval.documents import BuildOptions, IdRule, Limits
    from doxeval.documents.options import INLINE_TAGS

    limits = {"bytes": max_bytes, "elements": max_elements, "depth": max_depth}
    tags = (
        INLINE_TAGS
        if inline is None
        else frozenset(filter(None, map(str.strip, inline.split(","))))
    )
    return BuildOptions(
        id_rule=IdRule.parse(id_rule),
        format=None if format_ == "auto" else format_,
        inline=tags,
        limits=Limits(**{name: value for name, value in limits.items() if value is not None}),
        **plain,
    )


def _tell(report: BuildReport, out: Path, seconds: float) -> None:
    if report.suffixes_kept:
        click.secho(
            "ids that keep a suffix, to tell files of the same name apart: "
            f"{report.suffixes_kept:,}",
            fg="yellow",
            err=True,
        )
    if report.passed_over:
        kinds = ", ".join(
            f"{kind} ({count:,})" for kind, count in report.passed_over.most_common(8)
        )
        click.secho(f"skipped, because they are not documents: {kinds}", fg="yellow", err=True)
    skipped = f", {len(report.broken):,} broken ones left out" if report.broken else ""
    click.echo(
        f"{out}: {report.documents:,} documents from {report.source_bytes / 1e6:,.1f} MB"
        f"{skipped}, in {seconds:.1f} s"
    )


@collection.command()
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--format", "format_", type=click.Choice(["table", "json"]), default="table")
@click.option("--tags", default=15, show_default=True, help="How many frequent tags to list.")
def info(directory: Path, format_: str, tags: int) -> None:
    """Print what a collection holds: counts, depths, lengths, frequent tags."""
    from doxeval.cli.describe import print_statistics
    from doxeval.documents import Collection

    opened = Collection(directory)
    if format_ == "json":
        facts = {"collection": str(directory), **opened.statistics.as_dict()}
        facts["options"] = opened.manifest["options"]
        click.echo(json.dumps(facts, ensure_ascii=False, indent=1))
    else:
        print_statistics(opened, tags)


@collection.command()
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("document", metavar="DOC")
@click.argument("path", metavar="[PATH]", required=False)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    help='json gives {"doc", "path", "tag", "start", "end", "text"}.',
)
@click.option("--outline", is_flag=True, help="Print the outline, even of a single element.")
@click.option("--depth", type=click.IntRange(1), help="How many levels of the outline to print.")
@click.option("--all", "everything", is_flag=True, help="Show inline elements in the outline, too.")
def show(
    directory: Path,
    document: str,
    path: str | None,
    format_: str,
    outline: bool,
    depth: int | None,
    everything: bool,
) -> None:
    """Print an element's text with its path and offsets, or a document's outline.

    \b
    Examples:
      doxeval collection show wiki tides
      doxeval collection show wiki tides '/article[1]/body[1]/sec[2]'
    """
    from doxeval.cli.describe import print_element, print_outline
    from doxeval.documents import Collection

    opened = Collection(directory)
    element = opened.root(document) if path is None else opened.element(document, path)
    if format_ == "json":
        click.echo(json.dumps(element.as_dict(), ensure_ascii=False))
    elif outline or path is None:
        print_outline(element, depth, everything)
    else:
        print_element(element)
