"""HTML: the tree that a browser would build, and its text nodes in document order.

The parser is lexbor (the WHATWG algorithm), so missing and misplaced tags are handled as in a
browser. What a browser with scripts switched on never displays is not part of the text: comments,
and everything inside `script`, `style`, `template`, `noscript`, `iframe`, `noembed`, `noframes`,
`audio`, `video`, `canvas`, `datalist` and `rp`. (These hold code, or words for browsers that cannot
show the real thing: "please enable JavaScript".) Such an element stays in the tree, without text
and without elements inside it, so that the paths of a browser still hold. The `title` is part of
the text, and so is what style sheets hide; `drop=` leaves it out.

Headings (`h1` … `h6`) make sections, as in Markdown; `sections="none"` leaves the tree as it is:

    /html[1]/body[1]/section[1]/h1[1]
    /html[1]/body[1]/section[1]/section[2]/p[3]

A heading opens a `section` among its siblings, wherever it is. The section lasts until the next
heading of the same or a higher level among those siblings, or until the end of their parent. An
element that stands for its heading opens the section in its place, and has no sections inside:
`header`, `hgroup`, `summary` and `legend`, and a `div` or inline element with one heading and only
inline elements beside it. A `<section>` of the page stays; if it begins with a heading and has no
other of the same or a higher level, it is the section of that heading already. Sections of both
kinds are numbered together.

`root=` and `drop=` take CSS selectors. `drop=` leaves elements out, with all that is in them, as if
they were not in the page. The first element in document order that `root=` selects, and that is not
left out, becomes the document. A page without one is taken whole, and counted in a warning; with
`root_missing="error"` it is an error. Selectors see the whole page as it was written. They may use
tags, `*`, `#id`, `.class`, `[attribute]` in all its forms, `:not()`, `:is()` and `:where()` around
these, `:first-child`, `:last-child`, `:only-child`, `:empty`, `:root`, all combinators and commas.
Other pseudo-classes are refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from doxeval.documents.decoding import is_like_ascii
from doxeval.documents.headings import with_sections
from doxeval.documents.hostile_html import refuse_hostile
from doxeval.documents.limits import Limits, check_elements, too_deep
from doxeval.documents.marks import Marks, MarksBuilder
from doxeval.documents.page_parts import PageParts, SelectorUse
from doxeval.documents.page_walk import walk
from doxeval.errors import DocumentError
from doxeval.markup import codec_of

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from doxeval.documents.options import RootMissing, Sections

# A browser accepts nearly every character in a tag name, a path does not.
_NOT_IN_A_TAG = re.compile(r"[\s/\[\]()@*|,]")
_DECLARED = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.I)


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


def read_html(
    page: str,
    limits: Limits,
    origin: str,
    attribute: str | None = None,
    *,
    root: str | None = None,
    drop: Sequence[str] = (),
    sections: Sections = "headings",
    root_missing: RootMissing = "whole",
) -> Marks:
    """The marks of a page, given as characters.

    >>> marks = read_html("<h1>one</h1><script>x</script><p>two", Limits(), "a.html")
    >>> [name for name in marks.names if name]
    ['html', 'head', 'body', 'section', 'h1', 'script', 'p']
    >>> marks.texts
    [b'onetwo']
    """
    return HtmlReader(limits, attribute, root, drop, sections, root_missing).read(page, origin)


class HtmlReader:
    """Reads pages into marks, and remembers what the selectors found in them."""

    def __init__(
        self,
        limits: Limits,
        attribute: str | None = None,
        root: str | None = None,
        drop: Sequence[str] = (),
        sections: Sections = "headings",
        root_missing: RootMissing = "whole",
    ) -> None:
        self._limits = limits
        self._attribute = attribute
        self._parts = PageParts(root, drop, root_missing)
        self._sections = sections
        self.selector_use = SelectorUse()

    def read(self, page: str, origin: str) -> Marks:
        """The marks of a page, given as characters."""
        from selectolax.lexbor import LexborHTMLParser

        refuse_hostile(page, self._limits, origin)
        # The parser owns the tree, and must outlive it.
        parser = LexborHTMLParser(page)
        top, use = self._parts.cut_from(parser, origin)
        marks, text = self._marks(top, origin)
        check_elements(marks.elements, self._limits, origin)
        if self._sections == "headings":
            marks = with_sections(marks, text, self._limits, origin)
        self.selector_use += use
        return marks.finish(text)

    def _marks(self, top: LexborNode, origin: str) -> tuple[MarksBuilder, str]:
        marks = MarksBuilder()
        texts: list[str] = []
        length = depth = 0
        wanted = self._attribute
        for node, ends in walk(top):
            if ends:
                marks.close(length)
                depth -= 1
            elif node.is_text_node:
                texts.append(node.text_content or "")
                length += len(texts[-1])
            elif node.is_element_node:
                marks.open(_tag(node), length, node.attributes.get(wanted) if wanted else None)
                depth += 1
                if depth > self._limits.depth:
                    raise DocumentError(too_deep(self._limits), origin)
        return marks, "".join(texts)


def _tag(node: LexborNode) -> str:
    return _NOT_IN_A_TAG.sub("_", node.tag or "_")
