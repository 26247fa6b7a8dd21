"""HTML: the tree a browser would build, its text nodes in document order.

The parser is lexbor (the WHATWG algorithm), so missing and misplaced tags are handled as in a
browser. Comments and the contents of `<template>` are not part of the tree's text; those of
`<script>` and `<style>` are text nodes like any other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from doxeval.documents.limits import Limits, check_elements
from doxeval.documents.marks import Marks, MarksBuilder
from doxeval.errors import DocumentError

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# A browser accepts nearly anything as a tag name, a path does not.
_NOT_IN_A_TAG = re.compile(r"[\s/\[\]()@*|,]")
_DECLARED = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.I)


def declared_encoding(data: bytes) -> str | None:
    """The encoding that a page names in its first 1024 bytes.

    >>> declared_encoding(b'<meta charset="iso-8859-1"><p>')
    'iso-8859-1'
    """
    found = _DECLARED.search(data[:1024])
    return found[1].decode() if found else None


def read_html(page: str, limits: Limits, origin: str, attribute: str | None = None) -> Marks:
    """The marks of a page, given as characters.

    >>> marks = read_html("<p>one<p>two", Limits(), "a.html")
    >>> marks.names, marks.text
    (['html', 'head', 'body', 'p', 'p'], [b'onetwo'])
    """
    from selectolax.lexbor import LexborHTMLParser

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
                raise DocumentError(
                    f"more than {limits.depth:,} elements inside each other "
                    "(--max-depth sets the limit)",
                    origin,
                )
            child = node.first_child
            if child is not None:
                node = child
                continue
        # Nothing below: close what ends here, and go on with the next node to the right.
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
    check_elements(len(marks), limits, origin)
    return marks.finish("".join(texts))


def _tag(node: LexborNode) -> str:
    return _NOT_IN_A_TAG.sub("_", node.tag or "_")
