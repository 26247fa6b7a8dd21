"""`doxeval collection list` and `find`: the documents of a collection, and places in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.options import collection_argument
from doxeval.cli.terminal import data, note
from doxeval.cli.verb import refuse, verb
from doxeval.messages import escape, json_text, plural, short_path, truncate

if TYPE_CHECKING:
    from doxeval.documents import Collection, TextMatch

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
    """Find every place where a quote stands.

    For each place, its document, its offsets (in characters, the end not included), the path of
    the innermost element around it, and the text around it are printed. Places do not overlap.
    If there are none, the exit code is 1.

    In the text of a collection, nothing stands between one paragraph and the next unless it does
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
