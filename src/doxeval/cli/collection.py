"""`doxeval collection`: build and merge collections, verify, describe and search them."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from doxeval.cli.cache import cache
from doxeval.cli.engines import check_engine, engine_of, engine_options
from doxeval.cli.flags import in_options
from doxeval.cli.listing import find, list_
from doxeval.cli.options import collection_argument, jobs_of_all_cores, table_or_json
from doxeval.cli.terminal import growing_bar, is_watched, json_data, line, note, progress_bar
from doxeval.cli.verb import Verb, refuse
from doxeval.wording import counted, shortened

if TYPE_CHECKING:
    from doxeval.documents import BuildOptions, BuildReport, Collection
    from doxeval.documents.options import Format
    from doxeval.errors import DocumentError


@click.group()
def collection() -> None:
    """Build collections of documents, and look at them.

    A collection is a directory. It may also be read at a URL, such as s3://bucket/wiki: anything
    that fsspec opens (pip install 'doxeval[remote]' and, for S3, s3fs). What every command needs is
    then downloaded once and verified (see `doxeval collection cache`), and texts are read from the
    URL, one by one.
    """


@collection.command(cls=Verb)
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
@click.option(
    "--record",
    metavar="TAG",
    help="Make a document of each element TAG of an XML file. Needs --id with an XPath.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["auto", "xml", "html", "markdown", "text", "jsonl"]),
    default="auto",
    show_default=True,
    help="Format of the files; auto means by their names.",
)
@click.option(
    "--encoding",
    metavar="NAME",
    help="Encoding of files that do not declare one.  [default: UTF-8]",
)
@click.option(
    "--whitespace",
    type=click.Choice(["keep", "strip"]),
    default="keep",
    show_default=True,
    help="Whether text points count text nodes that are only white space. The text itself stays "
    "the same.",
)
@click.option(
    "--inline",
    metavar="TAG,TAG…",
    help="Tags of elements within a line of text, such as emphasis.  [default: those of HTML and "
    "INEX]",
)
@click.option(
    "--text",
    type=click.Choice(["plain", "compressed", "none"]),
    default="plain",
    show_default=True,
    help="How to store the text of the documents.",
)
@click.option(
    "--sections",
    type=click.Choice(["headings", "none"]),
    default="headings",
    show_default=True,
    help="Whether headings of HTML and Markdown make sections: elements that hold a heading and "
    "what belongs to it.",
)
@click.option(
    "--root",
    metavar="SELECTOR",
    help="Of each page of HTML, keep only the first element that this CSS selector selects.",
)
@click.option(
    "--drop",
    multiple=True,
    metavar="SELECTOR",
    help="Leave out the elements of HTML that this CSS selector selects, such as navigation bars. "
    "May be repeated.",
)
@jobs_of_all_cores
@engine_options
@click.option("--skip-broken", is_flag=True, help="Report broken documents and leave them out.")
@click.option("--force", is_flag=True, help="Replace an existing collection.")
@click.option(
    "--max-bytes",
    type=click.IntRange(1),
    help="The most bytes that a document may have.  [default: 64 MiB]",
)
@click.option(
    "--max-elements",
    type=click.IntRange(1),
    help="The most elements that a document may have.  [default: 4,000,000]",
)
@click.option(
    "--max-depth",
    type=click.IntRange(1, 30_000),
    help="How deep elements may be nested.  [default: 1,000]",
)
@click.option(
    "--max-lines",
    type=click.IntRange(1),
    help="The most lines that a Markdown document may have.  [default: 100,000]",
)
@click.option(
    "--chunks",
    metavar="FILE",
    help="A chunk file for SOURCE: its chunks are the elements, nested as their parents say.",
)
def build(
    sources: tuple[str, ...],
    out: Path,
    jobs: int,
    engine: str | None,
    patience: float,
    force: bool,
    chunks: str | None,
    **choices: Any,
) -> None:
    """Build a collection from documents, in a new directory.

    A SOURCE is a directory, a glob, an archive (.tar, .tar.gz, .zip), a file (.xml, .html, .md,
    .txt) or a file of many documents (.jsonl, or .xml with --record). Files may be compressed
    (.gz, .bz2, .xz, .zst).

    \b
    Examples:
      doxeval collection build articles/ --out wiki
      doxeval collection build dump.xml.gz --record page --id //title --out wiki
      doxeval collection build 'docs/**/*.md' --id path --out docs-collection
      doxeval collection build site/ --root main --drop nav --drop .sidebar --out site-collection
      doxeval collection build /shared/parts --engine dask://head:8786 --out /shared/wiki
      doxeval collection build handbook --chunks located.jsonl --out handbook-chunks
    """
    from doxeval.documents.build import build_collection
    from doxeval.engines.allocator import keep_freed_blocks

    if chunks is not None:
        refuse({"engine", "patience", *choices}, "has no effect with --chunks")
        _build_tree(sources, chunks, out, force)
        return
    on = {"engine": engine, "patience": patience}
    check_engine(on)
    _check_format(choices["format_"])
    options = _options(**choices)
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
            note(f"skipped: {in_options(str(error))}", "yellow")
    _print_selected(report, options)
    _print_report(report, out, time.perf_counter() - started)


def _build_tree(sources: tuple[str, ...], chunks: str, out: Path, force: bool) -> None:
    """A collection whose elements are chunks."""
    from doxeval.chunks.chunk_reading import read_chunks
    from doxeval.chunks.trees import tree

    if len(sources) > 1:
        raise click.UsageError("--chunks goes with one SOURCE, the documents of the chunks")
    found = read_chunks(chunks, sources[0])
    documents = counted(len(tree(found, out, force=force)), "document")
    line(f"{out}: {counted(len(found), 'chunk')} of {documents}")


def _check_format(format_: str) -> None:
    """Refuse options that have no effect on the format that was given."""
    if format_ not in ("auto", "xml"):
        refuse({"record"}, f"is for XML, and --format is {format_}")
    if format_ not in ("auto", "html"):
        refuse({"root", "drop"}, f"is for HTML, and --format is {format_}")
    if format_ not in ("auto", "html", "markdown"):
        refuse({"sections"}, f"is for HTML and Markdown, and --format is {format_}")
    if format_ == "jsonl":
        refuse({"id_rule"}, 'has no effect on JSONL, where every line has an "id"')
        refuse({"encoding"}, "has no effect on JSONL, which is always UTF-8")


def _options(
    id_rule: str,
    format_: Format | Literal["auto"],
    inline: str | None,
    max_bytes: int | None,
    max_elements: int | None,
    max_depth: int | None,
    max_lines: int | None,
    **plain: Any,
) -> BuildOptions:
    from doxeval.documents import BuildOptions, IdRule, Limits
    from doxeval.documents.options import INLINE_TAGS

    limits = {
        "bytes": max_bytes,
        "elements": max_elements,
        "depth": max_depth,
        "lines": max_lines,
    }
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


def _print_selected(report: BuildReport, options: BuildOptions) -> None:
    """Say where selectors found more or less than expected."""
    use = report.selector_use
    if use.several_roots:
        pages = counted(use.several_roots, "document")
        note(f"--root selects several elements in {pages}; the first was kept", "yellow")
    for selector, count in zip(options.drop, use.dropped, strict=False):
        if not count:
            note(f"--drop {shortened(selector)} selects nothing in any document", "yellow")


def _print_report(report: BuildReport, out: Path, seconds: float) -> None:
    if report.suffixes_kept:
        note(
            "ids with a suffix, needed to tell files of the same name apart: "
            f"{report.suffixes_kept:,}",
            "yellow",
        )
    if report.passed_over:
        kinds = ", ".join(
            f"{shortened(kind)} ({count:,})" for kind, count in report.passed_over.most_common(8)
        )
        note(f"skipped, because they are not documents: {kinds}", "yellow")
    skipped = f", {counted(len(report.broken), 'broken one')} left out" if report.broken else ""
    line(
        f"{out}: {counted(report.documents, 'document')} from "
        f"{report.source_bytes / 1e6:,.1f} MB{skipped}, in {seconds:.1f} s"
    )


@collection.command(cls=Verb)
@click.argument("collections", nargs=-1, required=True, metavar="DIR|URL…")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The directory to create."
)
@click.option("--force", is_flag=True, help="Replace an existing collection.")
def merge(collections: tuple[str, ...], out: Path, force: bool) -> None:
    """Merge collections into one, in a new directory.

    The documents of all collections follow each other in the order given. Nothing is parsed again.
    The collections must have been built with the same --whitespace, --inline and --text, and may
    not have an id in common. To append to a collection, name it both first and with --out, and add
    --force.

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
        f"{out}: {counted(report.documents, 'document')} and "
        f"{counted(report.elements, 'element')} from {report.collections} collections, "
        f"in {time.perf_counter() - started:.1f} s"
    )


@collection.command(cls=Verb)
@collection_argument
@table_or_json("How to print the figures.")
@click.option(
    "--tags",
    type=click.IntRange(0),
    default=15,
    show_default=True,
    help="How many of the most frequent tags the table lists; JSON has all tags.",
)
def info(directory: str, format_: str, tags: int) -> None:
    """Print figures about a collection.

    These are the figures that INEX papers report: the numbers of documents, elements, tags and
    paths, depths and lengths, and the most frequent tags. The table ends with the options of the
    build, and with whether all files were compared with their hashes.
    """
    from doxeval.cli.describe import print_options, print_statistics
    from doxeval.documents import Collection

    if format_ == "json":
        refuse({"tags"}, "is for the table; JSON has all tags")
    opened = Collection(directory)
    if format_ == "json":
        facts = {"collection": opened.location, **opened.statistics.as_dict()}
        facts["unverified_files"] = opened.files.unverified
        facts["options"] = opened.manifest["options"]
        if "merged" in opened.manifest:
            facts["merged"] = opened.manifest["merged"]
        json_data(facts, indent=1)
    else:
        print_statistics(opened, tags)
        print_options(opened)
        _print_verified(opened)


def _print_verified(opened: Collection) -> None:
    """Say which files were compared with their hashes when the collection was opened."""
    from doxeval.cli.terminal import heading
    from doxeval.documents.limits import VERIFIED_BYTES

    heading("verified")
    if opened.files.are_verified:
        line("  all files at every opening, each text whenever it is read")
        return
    line(f"  {VERIFIED_BYTES >> 20} MiB at every opening, each text whenever it is read; of")
    line(f"  {', '.join(opened.files.unverified)}")
    line("  only size, header and time stamp; to verify everything:")
    line(f"  doxeval collection verify {opened.location}")


@collection.command(cls=Verb)
@collection_argument
def verify(directory: str) -> None:
    """Compare a collection with its hashes, byte for byte.

    Every file and every text is read and compared with the hash it had when the collection was
    built, and the trees, the paths and the index of ids are checked. Damaged files are listed,
    and the exit code is 1.

    Whenever a collection is opened, up to 256 MiB of it are compared with their hashes, and each
    text is when it is read. This command is for larger collections, and for all texts at once.
    """
    from doxeval.documents.collection_files import current_manifest
    from doxeval.documents.verification import verify_collection
    from doxeval.errors import CollectionError

    bar: Any = nullcontext()
    if is_watched():
        files = current_manifest(directory)["files"].values()
        bar = progress_bar("Verifying", sum(file["bytes"] for file in files))
    with bar as progress:
        found = verify_collection(directory, progress)
    for problem in found.problems:
        note(f"damaged: {in_options(str(problem))}", "red")
    if found.problems:
        raise CollectionError("the collection is damaged; build it again", directory)
    line(
        f"{directory}: {counted(found.files, 'file')} ({found.bytes / 1e6:,.1f} MB), "
        f"{counted(found.documents, 'document')} and {counted(found.elements, 'element')} "
        "are as they were built"
    )


@collection.command(cls=Verb)
@collection_argument
@click.argument("document", metavar="DOC")
@click.argument("path", metavar="[PATH]", required=False)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print it; json is an object with doc, path, tag, start, end and text.",
)
@click.option("--outline", is_flag=True, help="Print the outline of the element, not its text.")
@click.option("--depth", type=click.IntRange(1), help="How many levels of the outline to print.")
@click.option("--all", "everything", is_flag=True, help="Include inline elements in the outline.")
def show(
    directory: str,
    document: str,
    path: str | None,
    format_: str,
    outline: bool,
    depth: int | None,
    everything: bool,
) -> None:
    """Print the outline of a document, or the text of an element.

    Without PATH, the document's outline is printed; with PATH, the text of the element at that
    path, under a line with its path and offsets.

    \b
    Examples:
      doxeval collection show wiki tides
      doxeval collection show wiki tides '/article[1]/body[1]/sec[2]'
      doxeval collection show wiki tides '/article[1]/body[1]' --outline --depth 1
    """
    from doxeval.cli.describe import print_element, print_outline
    from doxeval.documents import Collection

    if format_ == "json":
        refuse({"outline", "depth", "everything"}, "is for an outline, which is printed as text")
    if path is not None and not outline:
        refuse({"depth", "everything"}, "is for an outline; for the outline of PATH add --outline")
    opened = Collection(directory)
    element = opened.root(document) if path is None else opened.element(document, path)
    if format_ == "json":
        json_data(element.as_dict())
    elif outline or path is None:
        print_outline(element, depth, everything)
    else:
        print_element(element)


collection.add_command(list_)
collection.add_command(find)
collection.add_command(cache)
