"""`doxeval index`: index the words of a collection, describe an index, look words up in it."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from doxeval.cli.decorators import (
    WHERE,
    collection_option,
    jobs_of_all_cores,
    options_of,
    table_or_json,
)
from doxeval.cli.output import heading, is_watched, json_data, line, staged_bar
from doxeval.cli.verb import Verb, VerbGroup
from doxeval.messages import plural, truncate

if TYPE_CHECKING:
    from doxeval.retrieve import Index, Progress

_STAGES = {"reading": "Indexing words", "merging": "Merging"}

_collection_option = collection_option(
    "The collection, if it is not beside the index as wiki is beside wiki.index."
)


@click.group(cls=VerbGroup)
def index() -> None:
    """Index the words of collections, for `doxeval search`."""


@index.command(cls=Verb)
@click.argument("collection", metavar="COLLECTION", type=click.Path())
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="The directory to create.  [default: COLLECTION.index, for a URL in the cache]",
)
@options_of("doxeval.retrieve:Analysis")
@jobs_of_all_cores
@click.option("--force", is_flag=True, help="Replace an existing index.")
def build(collection: str, out: Path | None, stemmer: str, jobs: int, force: bool) -> None:
    """Index the words of a collection.

    The index has the place of every word, so that any part of a document can be scored: elements,
    passages, chunks. It belongs to its collection: if the collection is built again, so must be
    the index.

    \b
    Examples:
      doxeval index build wiki
      doxeval index build wiki --stemmer english --out wiki-porter.index
    """
    from doxeval.retrieve import build_index

    started = time.perf_counter()
    bar: AbstractContextManager[Progress | None] = (
        staged_bar(_STAGES) if is_watched() else nullcontext()
    )
    with bar as progress:
        report = build_index(
            collection, out, stemmer=stemmer, jobs=jobs, force=force, progress=progress
        )
    line(
        f"{report.directory}: {plural(report.words, 'word')}, {plural(report.terms, 'term')} "
        f"of {plural(report.documents, 'document')}, {report.bytes / 1e6:,.1f} MB, in "
        f"{time.perf_counter() - started:.1f} s"
    )


@index.command(cls=Verb)
@click.argument("place", **WHERE)
@_collection_option
@table_or_json("How to print the figures.")
def info(place: str, directory: str | None, format_: str) -> None:
    """Print figures about an index."""
    opened = _open_index(place, directory)
    counts = opened.manifest["counts"]
    size = sum(file["bytes"] for file in opened.manifest["files"].values())
    if format_ == "json":
        facts = {name: opened.manifest[name] for name in ("collection", "stemmer", "unicode")}
        json_data({"index": str(opened.directory), **facts, **counts, "bytes": size}, indent=1)
        return
    heading(opened.directory.name)
    rows = [
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
    for name, value in rows:
        line(f"  {name:<20}{value}")


@index.command(cls=Verb)
@click.argument("place", **WHERE)
@click.argument("text", metavar="TEXT…", nargs=-1, required=True)
@_collection_option
@table_or_json("How to print the words.")
def words(place: str, text: tuple[str, ...], directory: str | None, format_: str) -> None:
    """Show how a text is cut into words and stemmed, and how often each term occurs.

    \b
    Example:
      doxeval index words wiki.index "The fog-horn's sound"
    """
    opened = _open_index(place, directory)
    given = " ".join(text)
    rows = []
    for word in opened.analysis.words(given):
        term = opened.analysis.stem(word)
        positions = opened.term(term)
        rows.append((word, term, len(positions), opened.count_documents(positions)))
    if format_ == "json":
        names = ("word", "term", "occurrences", "documents")
        json_data([dict(zip(names, row, strict=True)) for row in rows], indent=1)
        return
    if not rows:
        line(f"no words in {truncate(given)}")
        return
    width = max(12, *(len(truncate(word, 40)) for word, *_ in rows)) + 2
    heading(f"{'word':<{width}}{'term':<{width}}{'occurrences':>12}{'documents':>12}")
    for word, term, occurrences, documents in rows:
        shown = f"{truncate(word, 40):<{width}}{truncate(term, 40):<{width}}"
        line(f"{shown}{occurrences:>12,}{documents:>12,}")


def _open_index(place: str, collection: str | None) -> Index:
    """Open an index, given by its directory or by the collection beside it."""
    from doxeval.documents import COLLECTION, Collection
    from doxeval.retrieve import Index
    from doxeval.storage import is_stored, is_url

    if collection is None and (is_url(place) or is_stored(COLLECTION, Path(place))):
        return Index.of(place)
    return Index(place, None if collection is None else Collection(collection))
