"""`doxeval collection`: build and merge collections, verify, describe and search them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.collection_build import build, merge
from doxeval.cli.decorators import collection_argument, table_or_json
from doxeval.cli.output import data, heading, is_watched, json_data, line, note, progress_bar
from doxeval.cli.verb import Verb, VerbGroup, in_options, refuse, verb
from doxeval.errors import MissingText
from doxeval.messages import escape, json_text, plural, short_path, truncate

if TYPE_CHECKING:
    from doxeval.documents import Collection, Element, TextMatch


@click.group(cls=VerbGroup)
def collection() -> None:
    """Build collections of documents, and look at them.

    A collection is a directory. It may also be read at a URL, such as s3://bucket/wiki: anything
    that fsspec opens (pip install 'doxeval[remote]' and, for S3, s3fs). What every command needs is
    then downloaded once and verified (see `doxeval collection cache`), and texts are read from the
    URL, one by one.
    """


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
    from doxeval.documents import VERIFIED_BYTES

    heading("verified")
    if opened.files.are_verified:
        line("  all files at opening, each text whenever it is read")
        return
    line(f"  {VERIFIED_BYTES >> 20} MiB at opening, each text whenever it is read; of")
    line(f"  {', '.join(opened.files.unverified)}")
    line("  only size and header; to verify everything:")
    line(f"  doxeval collection verify {opened.location}")


@collection.command(cls=Verb)
@collection_argument
def verify(directory: str) -> None:
    """Compare a collection with its hashes, byte for byte.

    Every file and every text is read and compared with the hash it had when the collection was
    built, and the trees, the paths and the index of ids are checked. Damaged files are listed,
    and the exit code is 1.

    When a collection is opened, up to 256 MiB of it are compared with their hashes, unless that
    was done before and the files have not changed; each text is when it is read. This command is
    for larger collections, for all texts at once, and for disks that are in doubt.
    """
    from doxeval.documents import current_manifest, verify_collection
    from doxeval.errors import CollectionError

    bar: Any = nullcontext()
    if is_watched():
        files = current_manifest(directory)["files"].values()
        bar = progress_bar("Verifying", sum(file["bytes"] for file in files))
    with bar as progress:
        found = verify_collection(directory, progress)
    for problem in found.problems:
        note(f"damaged: {in_options(problem)}", "red")
    if found.problems:
        raise CollectionError("the collection is damaged; build it again", directory)
    line(
        f"{directory}: {plural(found.files, 'file')} ({found.bytes / 1e6:,.1f} MB), "
        f"{plural(found.documents, 'document')} and {plural(found.elements, 'element')} "
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


# Printing


_SNIPPET = 48


def print_statistics(collection: Collection, tags: int) -> None:
    """Print the figures that INEX papers report of a collection, and its most frequent tags."""
    facts = collection.statistics
    heading(collection.name)
    rows = [
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
    for name, value in rows:
        line(f"  {name:<27}{value}")
    most = list(facts.frequent_tags.items())[:tags]
    if most:
        heading("most frequent tags")
    for tag, count in most:
        line(f"  {truncate(tag):<27}{count:,} ({count / facts.elements:.1%})")


def print_options(collection: Collection) -> None:
    """Print the options that a collection was built with, but for those that are not set."""
    heading("built with")
    for name, value in collection.manifest["options"].items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        if name != "inline" and value not in (None, False, []):
            line(f"  {truncate(name):<27}{truncate(text, 400)}")
    for one in collection.manifest.get("merged", []):
        documents = plural(one["documents"], "document")
        line(f"  {'merged from':<27}{truncate(one['collection'], 400)} ({documents})")


def print_element(element: Element) -> None:
    """Print an element's text under a line with its path and offsets."""
    heading(_title(element))
    data(f"{element.text}\n")


def print_outline(element: Element, depth: int | None, everything: bool) -> None:
    """Print the elements inside an element as a tree, with their offsets and first words."""
    heading(_title(element))
    hidden = frozenset() if everything else element.collection.inline_tags
    for one in _outline(element, "", depth, hidden):
        line(one)


def _title(element: Element) -> str:
    range_ = f"[{element.start:,}, {element.end:,})"
    return f"{element}  {range_}  {element.length:,} characters"


def _outline(
    element: Element, indent: str, depth: int | None, hidden: frozenset[str]
) -> Iterator[str]:
    """One line for each element inside. Trees may be deep, so this is a stack, not recursion."""
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
    """The children that the outline shows, each with whether it is the last."""
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
    """The beginning of an element's text, with a space at each edge of an element not inline."""
    edges = {element.start}
    for inner in element.descendants():
        if inner.start > element.start + most:
            break
        if inner.tag not in element.collection.inline_tags:
            edges |= {inner.start, inner.end}
    text = element.text[:most]
    cuts = sorted(edge - element.start for edge in edges if edge - element.start < len(text))
    return " ".join(text[start:end] for start, end in pairwise([*cuts, len(text)]))


# Lists and quotes


_AT_ONCE = 1000
CONTEXT = 40  # characters on either side of a place
_SPACE = re.compile(r"\s+")


@verb(name="list")
@collection_argument
@click.option("--long", is_flag=True, help="Add the numbers of elements and of characters.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "jsonl"]),
    default="text",
    show_default=True,
    help="How to print them; json and jsonl have doc, elements and characters.",
)
def list_(directory: str, long: bool, format_: str) -> None:
    """Print the ids of the documents, one per line.

    With --long, the id is followed by the number of elements and the number of characters, with
    tabs between them.

    \b
    Examples:
      doxeval collection list wiki
      doxeval collection list wiki --long | sort -t $'\\t' -k 3 -n | tail
    """
    from doxeval.documents import Collection

    if format_ != "text":
        refuse({"long"}, f"is for text; {format_} always has the numbers")
    opened = Collection(directory)
    if format_ == "text":
        _print_lines(_document_lines(opened, long))
    else:
        _print_lines(_record_lines(_document_records(opened), format_))


@verb()
@collection_argument
@click.argument("quote", metavar="QUOTE")
@click.option("--doc", "document", metavar="ID", help="Look only in this document.")
@click.option(
    "--ignore-whitespace", is_flag=True, help="Ignore white space, even where it is absent."
)
@click.option("--ignore-case", is_flag=True, help="Capital and small letters count as the same.")
@click.option(
    "-k", "--max-results", type=click.IntRange(1), metavar="N", help="Stop after N places."
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "jsonl"]),
    default="text",
    show_default=True,
    help="How to print the places; json and jsonl have doc, start, end, path, before, text, after.",
)
def find(
    directory: str,
    quote: str,
    document: str | None,
    ignore_whitespace: bool,
    ignore_case: bool,
    max_results: int | None,
    format_: str,
) -> None:
    """Find every occurrence of a quote.

    For each place, its document, its offsets (in characters, the end not included), the path of
    the innermost element around it, and the text around it are printed. Places do not overlap.
    If there are none, the exit code is 1.

    In the text of a collection, nothing is between one paragraph and the next unless it is
    in the source. For a quote of several paragraphs, use --ignore-whitespace.

    \b
    Examples:
      doxeval collection find wiki 'spring tide'
      doxeval collection find wiki 'spring tide' --doc tides --ignore-case --format jsonl
    """
    from doxeval.documents import Collection, quote_not_found

    opened = Collection(directory)
    places = opened.find_text(
        quote,
        documents=None if document is None else [document],
        ignore_whitespace=ignore_whitespace,
        ignore_case=ignore_case,
        context=CONTEXT,
    )
    first = next(places, None)
    if first is None:
        raise quote_not_found(quote, opened.location, document, ignore_whitespace)
    found = chain([first], places)
    shown = found if max_results is None else islice(found, max_results)
    if format_ == "text":
        _print_lines(_place_lines(shown))
    else:
        _print_lines(_record_lines((place.as_dict() for place in shown), format_))
    if max_results is not None and next(found, None) is not None:
        note(f"stopped after {plural(max_results, 'place')}; there are more", "yellow")


def _print_lines(lines: Iterable[str]) -> None:
    """Print many lines, exactly in a file or a pipe."""
    rest = iter(lines)
    while some := list(islice(rest, _AT_ONCE)):
        data("".join(f"{one}\n" for one in some))


def _record_lines(records: Iterable[Mapping[str, Any]], format_: str) -> Iterator[str]:
    """Records as lines of JSON (one list) or JSONL.

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


def _document_records(collection: Collection) -> Iterator[dict[str, Any]]:
    """Each document with the numbers of its elements and characters."""
    rows, ends = collection.rows, collection.nodes.end
    for number, name in enumerate(collection.ids()):
        first, after = int(rows[number]), int(rows[number + 1])
        yield {"doc": name, "elements": after - first, "characters": int(ends[first])}


def _document_lines(collection: Collection, long: bool) -> Iterator[str]:
    """The ids; the long form has elements and characters, too. No id contains a tab."""
    if not long:
        return collection.ids()
    return ("\t".join(map(str, one.values())) for one in _document_records(collection))


def _place_lines(places: Iterable[TextMatch]) -> Iterator[str]:
    """Two lines for each place: where it is, and the text around it."""
    for place in places:
        yield f"{truncate(place.doc)}  [{place.start:,}, {place.end:,})  {short_path(place.path)}"
        yield f"  {_on_one_line(place)}"


def _on_one_line(place: TextMatch) -> str:
    """The text around a place, with one space for all white space."""
    before, text, after = (
        escape(_SPACE.sub(" ", part)) for part in (place.before, place.text, place.after)
    )
    begin = "" if len(place.before) == place.start else "…"
    end = "…" if len(place.after) == CONTEXT else ""
    return f"{begin}{before}»{text}«{after}{end}".strip()


# The cache


@verb()
@click.option(
    "--remove",
    "removed",
    multiple=True,
    metavar="CHECKSUM|URL|all",
    help="Remove a collection, with the index that was built of it, or all; may be repeated.",
)
@table_or_json("How to print the list.")
def cache(removed: tuple[str, ...], format_: str) -> None:
    """List the collections in the cache, or remove them.

    The columns of a collection at a URL are downloaded once, into the directory that the
    environment variable DOXEVAL_CACHE names, or else into doxeval in $XDG_CACHE_HOME or ~/.cache.
    A collection is kept there under its checksum, until it is removed; opened again, it is
    downloaded again. Its texts stay at the URL.

    \b
    Examples:
      doxeval collection cache
      doxeval collection cache --remove s3://bucket/wiki
      doxeval collection cache --remove 1f3a9c
    """
    from doxeval.storage import cache_directory, cached_collections, remove_cached, select_cached

    kept = cached_collections()
    if removed:
        refuse({"format_"}, "is for the list")
        going = {one.checksum: one for wanted in removed for one in select_cached(kept, wanted)}
        for one in going.values():
            remove_cached(one)
            line(f"removed {one.checksum[:12]}  {_megabytes(one.bytes)}  {truncate(one.url, 400)}")
        return
    if format_ == "json":
        json_data([one.as_dict() for one in kept], indent=1)
        return
    total = _megabytes(sum(one.bytes for one in kept))
    heading(f"{cache_directory()}: {plural(len(kept), 'collection')}, {total}")
    for one in kept:
        state = "" if one.is_complete else "  (incomplete)"
        line(f"  {one.checksum[:12]}  {_megabytes(one.bytes):>12}  {truncate(one.url, 400)}{state}")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


for command in (build, cache, find, list_, merge):
    collection.add_command(command)
