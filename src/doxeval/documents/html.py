"""HTML: the tree that a browser would build, and its text nodes in document order.

The parser is lexbor (the WHATWG algorithm), so missing and misplaced tags are handled as in a
browser. Comments and the contents of `<template>` are not part of the text; the contents of
`<script>` and `<style>` are ordinary text nodes.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from doxeval.documents.decoding import is_like_ascii
from doxeval.documents.limits import Limits, check_elements, too_deep
from doxeval.documents.marks import Marks, MarksBuilder
from doxeval.errors import DocumentError
from doxeval.markup.character_sets import codec_of

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# A browser accepts nearly every character in a tag name, a path does not.
_NOT_IN_A_TAG = re.compile(r"[\s/\[\]()@*|,]")
_DECLARED = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.I)
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)")
# Elements without an end tag, and elements that the next start tag may close.
_CLOSED_BY_OTHERS = frozenset(
    "area base br col dd dt embed hr img input li link meta option p param source tbody td tfoot "
    "th thead tr track wbr".split()
)
_FORMATTING = "a b big code em font i nobr s small strike strong tt u".split()
_MOST_OPEN = 20_000
_MOST_COPIES = 10_000_000
_MOST_COMPARISONS = 100_000_000
# The parser compares each attribute with all others of the same tag.
MOST_ATTRIBUTES = 2_000
_MOST_ODD_SCRIPTS = 10
_VALUE = r"(?:\s*+=\s*+(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>]*+))?+"
_ATTRIBUTE = re.compile(rf"(=?[^\s/>=]++|=){_VALUE}")
_COMMENT_OR_TAG = re.compile(
    rf"<!--(?:.*?-->|.*)|<([A-Za-z][^\s/>]*+)((?:[\s/]++|(?:=?[^\s/>=]++|=){_VALUE})*+)", re.DOTALL
)


def declared_encoding(data: bytes) -> str | None:
    """The encoding that a page declares in its first 1024 bytes.

    A declaration that can be read in ASCII is not in UTF-16: as the standard says, the page is in
    UTF-8 then.

    >>> declared_encoding(b'<meta charset="iso-8859-1"><p>')
    'iso-8859-1'
    >>> declared_encoding(b"<meta charset=utf-16>")
    'utf-8'
    """
    found = _DECLARED.search(data[:1024])
    if found is None:
        return None
    name = found[1].decode()
    return name if codec_of(name) is None or is_like_ascii(name) else "utf-8"


def read_html(page: str, limits: Limits, origin: str, attribute: str | None = None) -> Marks:
    """The marks of a page, given as characters.

    >>> marks = read_html("<p>one<p>two", Limits(), "a.html")
    >>> [name for name in marks.names if name], marks.texts
    (['html', 'head', 'body', 'p', 'p'], [b'onetwo'])
    """
    from selectolax.lexbor import LexborHTMLParser

    _refuse_explosive(page, limits, origin)
    _refuse_many_attributes(page, origin)
    root = LexborHTMLParser(page).root
    if root is None:
        raise DocumentError("the page has no tree", origin)
    marks = MarksBuilder()
    texts: list[str] = []
    length = 0
    depth = 0
    node: LexborNode | None = root
    while node is not None:
        if node.is_text_node:
            texts.append(node.text_content or "")
            length += len(texts[-1])
        elif node.is_element_node:
            marks.open(_tag(node), length, node.attributes.get(attribute) if attribute else None)
            depth += 1
            if depth > limits.depth:
                raise DocumentError(too_deep(limits), origin)
            child = node.first_child
            if child is not None:
                node = child
                continue
        # Nothing below: close the elements that end here, and go on with the next sibling.
        while node is not None:
            if node.is_element_node:
                marks.close(length)
                depth -= 1
            if depth == 0:
                node = None
            elif node.next is not None:
                node = node.next
                break
            else:
                node = node.parent
    check_elements(marks.elements, limits, origin)
    return marks.finish("".join(texts))


def _refuse_explosive(page: str, limits: Limits, origin: str) -> None:
    """Refuse a page on which the algorithm of the standard would take forever.

    There, every start tag looks through all open elements, every block reopens all unclosed
    formatting elements, and every option looks through its list. The count of open elements here
    is an upper bound.
    """
    if page.count("<") <= limits.depth:
        return
    still_open: Counter[str] = Counter()
    starts = deepest = 0
    listed: int | None = None  # the start tags in the open list of options
    comparisons = 0
    for slash, name in (match.groups() for match in _TAG.finditer(page)):
        tag = name.lower()
        if tag == "select":
            listed = None if slash else 0
        elif listed is not None and not slash:
            listed += 1
            comparisons += listed if tag == "option" else 0
        if slash:
            still_open[tag] -= still_open[tag] > 0
        elif tag not in _CLOSED_BY_OTHERS:
            still_open[tag] += 1
            starts += 1
            deepest = max(deepest, sum(still_open.values()) if starts % 1000 == 0 else 0)
    if deepest > max(_MOST_OPEN, limits.depth):
        raise DocumentError(too_deep(limits), origin)
    if deepest > _MOST_OPEN:
        raise DocumentError(f"more than {_MOST_OPEN:,} tags are open at once", origin)
    if comparisons > _MOST_COMPARISONS:
        raise DocumentError("a <select> has too many options", origin)
    formatting = sum(still_open[tag] for tag in _FORMATTING)
    if formatting > 200 and formatting * page.count("<") > _MOST_COPIES:
        raise DocumentError("unclosed formatting tags would make the tree explode", origin)


def _refuse_many_attributes(page: str, origin: str) -> None:
    """Refuse a page with too many attributes on one element.

    The attributes of all tags `<html>` and `<body>` end up on one element each. A script may look
    like such a tag.
    """
    fewest_characters = 3 * MOST_ATTRIBUTES
    if len(page) < fewest_characters:
        return
    of_root: set[str] = set()
    scripts = 0
    for tag in _COMMENT_OR_TAG.finditer(page):
        name, attributes = tag.groups()
        if name is None or (len(name) != 4 and len(attributes) < fewest_characters):
            continue
        if name.lower() in ("html", "body"):
            of_root.update(_ATTRIBUTE.findall(attributes))
            found = of_root
        else:
            found = set(_ATTRIBUTE.findall(attributes))
        if len(found) > MOST_ATTRIBUTES:
            scripts += 1
            if scripts < _MOST_ODD_SCRIPTS and _is_in_script(page, tag.start()):
                of_root.clear()
                continue
            message = f"more than {MOST_ATTRIBUTES:,} attributes on one element"
            raise DocumentError(message, origin)


def _is_in_script(page: str, position: int) -> bool:
    """Whether the parser takes what is at a position as part of a script."""
    from selectolax.lexbor import LexborHTMLParser

    mark = "<doxeval-was-here"
    scripts = LexborHTMLParser(page[:position] + mark).css("script")
    return bool(scripts) and mark in (scripts[-1].text() or "")


def _tag(node: LexborNode) -> str:
    return _NOT_IN_A_TAG.sub("_", node.tag or "_")
