"""Printing collections, elements and outlines for people."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from doxeval.cli.terminal import data, heading, line
from doxeval.documents import Collection, Element
from doxeval.errors import MissingText
from doxeval.messages import plural, truncate

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
