"""`doxeval collection`: build and merge collections, verify, describe and search them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Literal

import click

from doxeval.cli.collection_build import build, merge
from doxeval.cli.options import (
    TableOrJson,
    collection_argument,
    format_option,
    max_results_option,
)
from doxeval.cli.output import (
    data,
    growing_bar,
    heading,
    json_data,
    line,
    note,
    print_figures,
    print_table,
    warn,
)
from doxeval.cli.verb import VerbGroup, in_options, refuse, verb
from doxeval.errors import MissingText
from doxeval.messages import escape, join_names, json_text, plural, short_path, truncate
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.documents import Collection, Element, TextMatch

TextOrRecords = Literal["text", "json", "jsonl"]


@click.group(cls=VerbGroup)
def collection() -> None:
    """Build collections of documents, and look at them.

    A collection is a directory. It may also be at a URL, such as s3://bucket/wiki: anything
    that fsspec opens (pip install 'doxeval[remote]' and, for S3, s3fs). What every command needs is
    then downloaded once and verified (see `doxeval collection cache`), and texts are read from the
    URL, one by one.
    """


@dataclass(frozen=True)
class CollectionInfoOptions:
    """How figures about a collection are printed."""

    format: TableOrJson = format_option("How to print the figures.")
    tags: int = option(
        15, "How many of the most frequent tags the table lists; JSON has all tags.", at_least=0
    )


@verb(CollectionInfoOptions)
@collection_argument
def info(directory: str, options: CollectionInfoOptions) -> None:
    """Print figures about a collection.

    These are the figures that INEX papers report: the numbers of documents, elements, tags and
    paths, depths and lengths, and the most frequent tags. The table ends with the options of the
    build, and with whether all files were compared with their hashes.
    """
    from doxeval.documents import Collection

    if options.format == "json":
        refuse({"tags"}, "is for the table; JSON has all tags")
    opened = Collection(directory)
    if options.format == "json":
        facts = {"collection": opened.location, **opened.statistics.as_dict()}
        facts["unverified_files"] = opened.files.unverified
        facts["options"] = opened.manifest["options"]
        if "merged" in opened.manifest:
            facts["merged"] = opened.manifest["merged"]
        json_data(facts, indent=1)
    else:
        print_statistics(opened, options.tags)
        print_options(opened)
        _print_verified(opened)


def _print_verified(opened: Collection) -> None:
    """Say which files were compared with their hashes when the collection was opened."""
    from doxeval.documents import VERIFIED_BYTES

    heading("verified")
    if opened.files.are_verified:
        line("  all files at opening, each text whenever it is read")
        return
    line(f"  {VERIFIED_BYTES >> 20} MiB at opening, each text whenever it is read; of")
    line(f"  {', '.join(opened.files.unverified)}")
    line("  only size and header; to verify everything:")
    line(f"  doxeval collection verify {opened.location}")


@verb()
@collection_argument
def verify(directory: str) -> None:
    """Compare a collection, or a package, with its hashes, byte for byte.

    Every file and every text is read and compared with the hash it had when the collection was
    built, and the trees, the paths and the index of ids are checked. Damaged files are listed,
    and the exit code is 1.

    When a collection is opened, up to 256 MiB of it are compared with their hashes, unless that
    was done before and the files have not changed; each text is compared when it is read. Use
    this command for larger collections, to check all texts at once, or if you do not trust a disk.

    Of a package that `doxeval assess package` wrote, all files are compared with SHA256SUMS.
    """
    from doxeval.datasets import is_package
    from doxeval.documents import current_manifest, verify_collection
    from doxeval.errors import CollectionError

    if is_package(directory):
        _verify_package(directory)
        return
    with growing_bar("Verifying") as (progress, resize):
        if resize is not None:
            files = current_manifest(directory)["files"].values()
            resize(sum(file["bytes"] for file in files))
        verified = verify_collection(directory, progress)
    for problem in verified.problems:
        note(f"damaged: {in_options(problem)}", "red")
    if verified.problems:
        raise CollectionError("the collection is damaged; build it again", directory)
    line(
        f"{directory}: {plural(verified.files, 'file')} ({verified.bytes / 1e6:,.1f} MB), "
        f"{plural(verified.documents, 'document')} and {plural(verified.elements, 'element')} "
        "are as they were built"
    )


def _verify_package(directory: str) -> None:
    from doxeval.datasets import verify_package
    from doxeval.errors import InputError

    checked = verify_package(directory)
    for problem in checked.problems:
        note(f"damaged: {problem}", "red")
    if checked.others:
        warn([f"no part of the package: {join_names(list(checked.others))}"])
    if checked.problems:
        raise InputError("the package is not as it was written; get it again", directory)
    size = f"{checked.bytes / 1e6:,.1f} MB"
    line(f"{directory}: {plural(checked.files, 'file')} ({size}) are as they were packaged")


@dataclass(frozen=True)
class ShowOptions:
    """What of a document is printed, and how."""

    format: Literal["text", "json"] = format_option(
        "How to print it; json is an object with doc, path, tag, start, end and text.", "text"
    )
    outline: bool = option(False, "Print the outline of the element, not its text.")
    depth: int | None = option(None, "How many levels of the outline to print.", at_least=1)
    everything: bool = option(False, "Include inline elements in the outline.", flags=("--all",))


@verb(ShowOptions)
@collection_argument
@click.argument("document", metavar="DOC")
@click.argument("path", metavar="[PATH]", required=False)
def show(directory: str, document: str, path: str | None, options: ShowOptions) -> None:
    """Print the outline of a document, or the text of an element.

    Without PATH, the document's outline is printed; with PATH, the text of the element at that
    path, under a line with its path and offsets.

    \b
    Examples:
      doxeval collection show wiki tides
      doxeval collection show wiki tides '/article[1]/body[1]/sec[2]'
      doxeval collection show wiki tides '/article[1]/body[1]' --outline --depth 1
    """
    from doxeval.documents import Collection

    if options.format == "json":
        refuse({"outline", "depth", "everything"}, "is for an outline, which is printed as text")
    if path is not None and not options.outline:
        refuse({"depth", "everything"}, "is for an outline; for the outline of PATH add --outline")
    opened = Collection(directory)
    element = opened.root(document) if path is None else opened.element(document, path)
    if options.format == "json":
        json_data(element.as_dict())
    elif options.outline or path is None:
        print_outline(element, options.depth, options.everything)
    else:
        print_element(element)


# Printing


_SNIPPET = 48
_NAME_WIDTH = 25


def print_statistics(collection: Collection, tags: int) -> None:
    """Print the figures that INEX papers report of a collection, and its most frequent tags."""
    facts = collection.statistics
    heading(collection.name)
    figures = [
        ("documents", f"{facts.documents:,}"),
        ("elements", f"{facts.elements:,}"),
        ("distinct tags", f"{facts.tags:,}"),
        ("distinct paths", f"{facts.paths:,}"),
        ("size of the sources", f"{facts.source_bytes / 1e6:,.2f} MB"),
        ("characters of text", f"{facts.characters:,}"),
        ("elements per document", f"{facts.elements_per_document:,.1f}"),
        ("mean depth of an element", f"{facts.mean_depth:,.2f} (a root is at depth 1)"),
        ("deepest element", f"{facts.deepest:,}"),
        ("mean length of a document", f"{facts.mean_document_length:,.1f} characters"),
        ("longest document", f"{facts.longest_document:,} characters"),
        ("mean length of an element", f"{facts.mean_element_length:,.1f} characters"),
    ]
    print_figures(figures, _NAME_WIDTH)
    most = list(facts.frequent_tags.items())[:tags]
    if most:
        heading("most frequent tags")
    print_figures(
        ((truncate(tag), f"{count:,} ({count / facts.elements:.1%})") for tag, count in most),
        _NAME_WIDTH,
    )


def print_options(collection: Collection) -> None:
    """Print the options that a collection was built with, but for those that are not set."""
    figures = []
    for name, value in collection.manifest["options"].items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        if name != "inline" and value not in (None, False, []):
            figures.append((truncate(name), truncate(text, 400)))
    for source in collection.manifest.get("merged", []):
        documents = plural(source["documents"], "document")
        figures.append(("merged from", f"{truncate(source['collection'], 400)} ({documents})"))
    heading("built with")
    print_figures(figures, _NAME_WIDTH)


def print_element(element: Element) -> None:
    """Print an element's text under a line with its path and offsets."""
    heading(_title(element))
    data(f"{element.text}\n")


def print_outline(element: Element, depth: int | None, everything: bool) -> None:
    """Print the elements inside an element as a tree, with their offsets and first words."""
    heading(_title(element))
    hidden = frozenset() if everything else element.collection.inline_tags
    for row in _outline(element, "", depth, hidden):
        line(row)


def _title(element: Element) -> str:
    range_ = f"[{element.start:,}, {element.end:,})"
    return f"{element}  {range_}  {element.length:,} characters"


def _outline(
    element: Element, indent: str, depth: int | None, hidden: frozenset[str]
) -> Iterator[str]:
    """Yield a line for each element inside. Trees may be deep: a stack, not recursion."""
    levels = [(indent, _visible(element, hidden))]
    while levels:
        indent, children = levels[-1]
        child = next(children, None)
        if child is None:
            levels.pop()
            continue
        element, is_last = child
        ordinal = int(element.collection.nodes.ordinal[element.node])
        name = f"{truncate(element.tag)}[{ordinal}]"
        yield (
            f"{indent}{'└─' if is_last else '├─'} {name}  {element.start:,}–{element.end:,}"
            f"{_first_words(element)}"
        )
        if depth is None or len(levels) < depth:
            below = indent + ("   " if is_last else "│  ")
            levels.append((below, _visible(element, hidden)))


def _visible(element: Element, hidden: frozenset[str]) -> Iterator[tuple[Element, bool]]:
    """Return the children that the outline shows, each with whether it is the last."""
    shown = [child for child in element.children() if child.tag not in hidden]
    return ((child, child is shown[-1]) for child in shown)


def _first_words(element: Element) -> str:
    try:
        words = " ".join(_spaced(element, 4 * _SNIPPET).split())
    except MissingText:
        return ""
    if not words:
        return ""
    return f"  {words[:_SNIPPET]}{'…' if len(words) > _SNIPPET else ''}"


def _spaced(element: Element, most: int) -> str:
    """Return the beginning of a text, with a space at the edges of elements that are not inline."""
    edges = {element.start}
    for inner in element.descendants():
        if inner.start > element.start + most:
            break
        if inner.tag not in element.collection.inline_tags:
            edges |= {inner.start, inner.end}
    text = element.text[:most]
    offsets = sorted(edge - element.start for edge in edges)
    inside = [offset for offset in offsets if offset < len(text)]
    return " ".join(text[start:end] for start, end in pairwise([*inside, len(text)]))


# Lists and quotes


_AT_ONCE = 1000
CONTEXT = 40  # characters on either side of an occurrence
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class ListOptions:
    """How documents are listed."""

    long: bool = option(False, "Add the numbers of elements and of characters.")
    format: TextOrRecords = format_option(
        "How to print them; json and jsonl have doc, elements and characters.", "text"
    )


@verb(ListOptions, name="list")
@collection_argument
def list_(directory: str, options: ListOptions) -> None:
    """Print the ids of the documents, one per line.

    With --long, the id is followed by the number of elements and the number of characters, with
    tabs between them.

    \b
    Examples:
      doxeval collection list wiki
      doxeval collection list wiki --long | sort -t $'\\t' -k 3 -n | tail
    """
    from doxeval.documents import Collection

    if options.format != "text":
        refuse({"long"}, f"is for text; {options.format} always has the numbers")
    opened = Collection(directory)
    if options.format == "text":
        _print_lines(_document_lines(opened, options.long))
    else:
        _print_lines(_record_lines(_document_records(opened), options.format))


@dataclass(frozen=True)
class FindOptions:
    """Where a quote is looked for, what counts as the same, and how occurrences are printed."""

    document: str | None = option(
        None, "Look only in this document.", metavar="ID", flags=("--doc",)
    )
    ignore_whitespace: bool = option(
        False, "Ignore white space, also where the quote has some and the text has none."
    )
    ignore_case: bool = option(False, "Do not distinguish capital and small letters.")
    max_results: int | None = max_results_option("Stop after N occurrences.", None, metavar="N")
    format: TextOrRecords = format_option(
        "How to print the occurrences; json and jsonl have doc, start, end, path, before, text, "
        "after.",
        "text",
    )


@verb(FindOptions)
@collection_argument
@click.argument("quote", metavar="QUOTE")
def find(directory: str, quote: str, options: FindOptions) -> None:
    """Find every occurrence of a quote.

    For each occurrence, its document, its offsets (in characters, the end not included), the path
    of the innermost element around it, and the text around it are printed. Occurrences do not
    overlap. If there are none, the exit code is 1.

    The text of a collection has nothing between one paragraph and the next unless the source does.
    For a quote of several paragraphs, use --ignore-whitespace.

    \b
    Examples:
      doxeval collection find wiki 'spring tide'
      doxeval collection find wiki 'spring tide' --doc tides --ignore-case --format jsonl
    """
    from doxeval.documents import Collection, quote_not_found

    opened = Collection(directory)
    document, limit = options.document, options.max_results
    further = opened.find_text(
        quote,
        documents=None if document is None else [document],
        ignore_whitespace=options.ignore_whitespace,
        ignore_case=options.ignore_case,
        context=CONTEXT,
    )
    first = next(further, None)
    if first is None:
        raise quote_not_found(quote, opened.location, document, options.ignore_whitespace)
    occurrences = chain([first], further)
    shown = islice(occurrences, limit)
    if options.format == "text":
        _print_lines(_occurrence_lines(shown))
    else:
        _print_lines(_record_lines((match.as_dict() for match in shown), options.format))
    if limit is not None and next(occurrences, None) is not None:
        note(f"stopped after {plural(limit, 'occurrence')}; there are more", "yellow")


def _print_lines(lines: Iterable[str]) -> None:
    """Print many lines, exactly in a file or a pipe."""
    rest = iter(lines)
    while some := list(islice(rest, _AT_ONCE)):
        data("".join(f"{text}\n" for text in some))


def _record_lines(records: Iterable[Mapping[str, object]], format_: str) -> Iterator[str]:
    """Yield records as lines of JSON (one list) or JSONL.

    >>> list(_record_lines([{"a": 1}, {"a": 2}], "json"))
    ['[', '{"a": 1},', '{"a": 2}', ']']
    >>> list(_record_lines([{"a": 1}, {"a": 2}], "jsonl"))
    ['{"a": 1}', '{"a": 2}']
    """
    texts = (json_text(record) for record in records)
    if format_ == "jsonl":
        yield from texts
        return
    yield "["
    before = next(texts, None)
    for text in texts:
        yield f"{before},"
        before = text
    if before is not None:
        yield before
    yield "]"


def _document_records(collection: Collection) -> Iterator[dict[str, str | int]]:
    """Yield each document with the numbers of its elements and characters."""
    rows, ends = collection.rows, collection.nodes.end
    for number, name in enumerate(collection.ids()):
        first, after = int(rows[number]), int(rows[number + 1])
        yield {"doc": name, "elements": after - first, "characters": int(ends[first])}


def _document_lines(collection: Collection, long: bool) -> Iterator[str]:
    """Return the ids; the long form has elements and characters, too. No id contains a tab."""
    if not long:
        return collection.ids()
    return ("\t".join(map(str, record.values())) for record in _document_records(collection))


def _occurrence_lines(matches: Iterable[TextMatch]) -> Iterator[str]:
    """Yield two lines for each occurrence: where it is, and the text around it."""
    for match in matches:
        yield f"{truncate(match.doc)}  [{match.start:,}, {match.end:,})  {short_path(match.path)}"
        yield f"  {_on_one_line(match)}"


def _on_one_line(match: TextMatch) -> str:
    """Return the text around an occurrence, with one space for all white space."""
    before, text, after = (
        escape(_SPACE.sub(" ", part)) for part in (match.before, match.text, match.after)
    )
    begin = "" if len(match.before) == match.start else "…"
    end = "…" if len(match.after) == CONTEXT else ""
    return f"{begin}{before}»{text}«{after}{end}".strip()


# The cache


@dataclass(frozen=True)
class CacheOptions:
    """What is removed from the cache, or how its list is printed."""

    remove: tuple[str, ...] = option(
        (),
        "Remove a collection, with the index that was built from it, or all; may be repeated.",
        metavar="CHECKSUM|URL|all",
    )
    format: TableOrJson = format_option("How to print the list.")


@verb(CacheOptions)
def cache(options: CacheOptions) -> None:
    """List the collections in the cache, or remove them.

    The columns of a collection at a URL are downloaded once, into the directory that the
    environment variable DOXEVAL_CACHE names, or else into doxeval in $XDG_CACHE_HOME or ~/.cache.
    A collection is kept there under its checksum, until it is removed; when it is opened again, it
    is downloaded again. Its texts stay at the URL.

    \b
    Examples:
      doxeval collection cache
      doxeval collection cache --remove s3://bucket/wiki
      doxeval collection cache --remove 1f3a9c
    """
    from doxeval.storage import cache_directory, cached_collections, remove_cached, select_cached

    cached = cached_collections()
    if options.remove:
        refuse({"format"}, "is for the list")
        chosen = [entry for name in options.remove for entry in select_cached(cached, name)]
        for entry in {entry.checksum: entry for entry in chosen}.values():
            remove_cached(entry)
            size, url = _megabytes(entry.bytes), truncate(entry.url, 400)
            line(f"removed {entry.checksum[:12]}  {size}  {url}")
        return
    if options.format == "json":
        json_data([entry.as_dict() for entry in cached], indent=1)
        return
    total = _megabytes(sum(entry.bytes for entry in cached))
    heading(f"{cache_directory()}: {plural(len(cached), 'collection')}, {total}")
    rows = [
        [
            entry.checksum[:12],
            _megabytes(entry.bytes),
            truncate(entry.url, 400) + ("" if entry.is_complete else "  (incomplete)"),
        ]
        for entry in cached
    ]
    if rows:
        print_table(["checksum", "size", "URL"], rows, left=(0, 2))


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


for command in (build, cache, find, info, list_, merge, show, verify):
    collection.add_command(command)
