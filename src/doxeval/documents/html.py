"""HTML: the tree that a browser would build, and its text nodes in document order.

The parser is lexbor (the WHATWG algorithm), so missing and misplaced tags are handled as in a
browser. Comments and the contents of `<template>` are not part of the text; the contents of
`<script>` and `<style>` are ordinary text nodes.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from doxeval.documents.limits import Limits, check_elements, too_deep
from doxeval.documents.marks import Marks, MarksBuilder
from doxeval.errors import DocumentError

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


def declared_encoding(data: bytes) -> str | None:
    """The encoding that a page declares in its first 1024 bytes.

    >>> declared_encoding(b'<meta charset="iso-8859-1"><p>')
    'iso-8859-1'
    """
    found = _DECLARED.search(data[:1024])
    return found[1].decode() if found else None


def read_html(page: str, limits: Limits, origin: str, attribute: str | None = None) -> Marks:
    """The marks of a page, given as characters.

    >>> marks = read_html("<p>one<p>two", Limits(), "a.html")
    >>> [name for name in marks.names if name], marks.texts
    (['html', 'head', 'body', 'p', 'p'], [b'onetwo'])
    """
    from selectolax.lexbor import LexborHTMLParser

    _refuse_explosive(page, limits, origin)
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

    There, every start tag looks through all open elements, and every block reopens all unclosed
    formatting elements. The count of open elements here is an upper bound.
    """
    if page.count("<") <= limits.depth:
        return
    still_open: Counter[str] = Counter()
    starts = deepest = 0
    for slash, name in (match.groups() for match in _TAG.finditer(page)):
        tag = name.lower()
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
    formatting = sum(still_open[tag] for tag in _FORMATTING)
    if formatting > 200 and formatting * page.count("<") > _MOST_COPIES:
        raise DocumentError("unclosed formatting tags would make the tree explode", origin)


def _tag(node: LexborNode) -> str:
    return _NOT_IN_A_TAG.sub("_", node.tag or "_")
