"""`doxeval index`: index the words of a collection, describe an index, look words up in it."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from doxeval.cli.options import (
    TableOrJson,
    collection_option,
    force_option,
    format_option,
    jobs_option,
    out_option,
)
from doxeval.cli.output import (
    heading,
    json_data,
    line,
    print_figures,
    print_table,
    staged_bar,
)
from doxeval.cli.verb import LibraryOptions, VerbGroup, library_options, verb
from doxeval.messages import plural, truncate

if TYPE_CHECKING:
    from doxeval.retrieve import Analysis, Index

_STAGES = {"reading": "Indexing words", "merging": "Merging"}

# An index, or the collection that has one.
_index_argument = click.argument("location", metavar="DIR|URL", type=click.Path())


@click.group(cls=VerbGroup)
def index() -> None:
    """Index the words of collections, for `doxeval search`."""


@dataclass(frozen=True)
class IndexBuildOptions:
    """How words are indexed, and where the index is written."""

    out: Path | None = out_option(
        "The directory to create.  [default: COLLECTION.index, for a URL in the cache]", None
    )
    analysis: LibraryOptions[Analysis] = library_options("doxeval.retrieve:Analysis")
    jobs: int | None = jobs_option()
    force: bool = force_option("an existing index")


@verb(IndexBuildOptions)
@click.argument("collection", metavar="COLLECTION", type=click.Path())
def build(collection: str, options: IndexBuildOptions) -> None:
    """Index the words of a collection.

    The index has the position of every word, so that any part of a document can be scored:
    elements, passages, chunks. It belongs to its collection: if the collection is built again, so
    must be the index.

    \b
    Examples:
      doxeval index build wiki
      doxeval index build wiki --stemmer english --out wiki-porter.index
    """
    from doxeval.retrieve import build_index

    started = time.perf_counter()
    with staged_bar(_STAGES) as progress:
        report = build_index(
            collection,
            options.out,
            stemmer=options.analysis.value().stemmer,
            jobs=options.jobs or os.cpu_count() or 1,
            force=options.force,
            progress=progress,
        )
    line(
        f"{report.directory}: {plural(report.words, 'word')}, {plural(report.terms, 'term')} "
        f"of {plural(report.documents, 'document')}, {report.bytes / 1e6:,.1f} MB, in "
        f"{time.perf_counter() - started:.1f} s"
    )


@dataclass(frozen=True)
class IndexOptions:
    """Where the collection of an index is, and how figures are printed."""

    collection: str | None = collection_option(
        "The collection, if it is not next to the index as wiki is next to wiki.index."
    )
    format: TableOrJson = format_option("How to print the figures.")


@verb(IndexOptions)
@_index_argument
def info(location: str, options: IndexOptions) -> None:
    """Print figures about an index."""
    opened = _open_index(location, options.collection)
    counts = opened.manifest["counts"]
    size = sum(file["bytes"] for file in opened.manifest["files"].values())
    if options.format == "json":
        facts = {name: opened.manifest[name] for name in ("collection", "stemmer", "unicode")}
        json_data({"index": str(opened.directory), **facts, **counts, "bytes": size}, indent=1)
        return
    heading(opened.directory.name)
    figures = [
        (
            "collection",
            f"{opened.collection.location} (checksum {opened.collection.checksum[:12]})",
        ),
        ("documents", f"{counts['documents']:,}"),
        ("elements", f"{counts['elements']:,}"),
        ("words", f"{counts['words']:,}"),
        ("distinct terms", f"{counts['terms']:,}"),
        ("words per document", f"{counts['words'] / counts['documents']:,.1f}"),
        ("stemmer", opened.analysis.stemmer),
        ("Unicode version", opened.manifest["unicode"]),
        ("size", f"{size / 1e6:,.2f} MB, {size / max(counts['words'], 1):.2f} bytes a word"),
    ]
    print_figures(figures)


@verb(IndexOptions)
@_index_argument
@click.argument("text", metavar="TEXT…", nargs=-1, required=True)
def words(location: str, text: tuple[str, ...], options: IndexOptions) -> None:
    """Show how a text is split into words and stemmed, and how often each term occurs.

    \b
    Example:
      doxeval index words wiki.index "The fog-horn's sound"
    """
    opened = _open_index(location, options.collection)
    given = " ".join(text)
    rows = []
    for word in opened.analysis.words(given):
        term = opened.analysis.stem(word)
        positions = opened.term(term)
        rows.append((word, term, len(positions), opened.count_documents(positions)))
    if options.format == "json":
        names = ("word", "term", "occurrences", "documents")
        json_data([dict(zip(names, row, strict=True)) for row in rows], indent=1)
        return
    if not rows:
        line(f"no words in {truncate(given)}")
        return
    cells = [
        [truncate(word, 40), truncate(term, 40), f"{occurrences:,}", f"{documents:,}"]
        for word, term, occurrences, documents in rows
    ]
    print_table(["word", "term", "occurrences", "documents"], cells, left=(0, 1))


def _open_index(location: str, collection: str | None) -> Index:
    """Open an index, given by its directory or by the collection next to it."""
    from doxeval.documents import COLLECTION, Collection
    from doxeval.retrieve import Index
    from doxeval.storage import is_stored, is_url

    if collection is None and (is_url(location) or is_stored(COLLECTION, Path(location))):
        return Index.of(location)
    return Index(location, None if collection is None else Collection(collection))


for command in (build, info, words):
    index.add_command(command)
