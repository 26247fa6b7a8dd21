"""Markdown: the source file itself is the text, including its markup, and blocks are elements.

Rendering would lose every offset, so nothing is rendered. Blocks become elements named as in
HTML (`p`, `ul`, `li`, `blockquote`, `pre`, `table`, `tr` …), each from the beginning of its
first line to the end of its last. A heading opens a `section` that extends to the next heading of
the same or a higher level, unless `sections="none"`. Emphasis, links, pictures and table cells are
not elements, because the parser gives no lines for them. The pictures of a block of ordinary size
are kept for display, with their texts, as facts of that block; so is the first number of a list.

    /document[1]/section[1]/h1[1]
    /document[1]/section[1]/section[2]/ul[1]/li[3]/p[1]
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from doxeval.documents.build.options import Limits, check_limit
from doxeval.documents.readers.attributes import MARKDOWN_ALT, MARKDOWN_PICTURE
from doxeval.documents.readers.plain import ROOT_TAG
from doxeval.documents.readers.tag_events import TagEvents, TagEventsBuilder

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from doxeval.documents.build.options import Sections

_LINE_END = re.compile(r"\r\n?|\n")
# The parser takes a time for brackets that may grow with their square.
_LONGEST_BLOCK = 10_000
_MOST_BRACKETS = 100
_NAMES = {"fence": "pre", "code_block": "pre", "html_block": "html"}


def read_markdown(
    text: str, limits: Limits, origin: str, sections: Sections = "headings"
) -> TagEvents:
    """Return the tag events of a Markdown text.

    >>> events = read_markdown("# A\\n\\nOne.\\n\\n## B\\n\\n- two\\n", Limits(), "a.md")
    >>> [name for name in events.names if name]
    ['document', 'section', 'h1', 'p', 'section', 'h2', 'ul', 'li', 'p']
    """
    blocks = _Blocks(text, sections)
    check_limit("lines", blocks.lines, limits, origin)
    references: dict[str, Any] = {}
    tokens = _parser().parse(text, references)
    for token, following in zip_longest(tokens, tokens[1:]):
        if token.nesting < 0:
            blocks.close()
        elif token.type != "inline":
            blocks.open(token, _attributes(token, following, references))
            if token.nesting == 0:
                blocks.close()
    check_limit("elements", blocks.elements, limits, origin)
    return blocks.finish()


def _attributes(
    token: Token, following: Token | None, references: dict[str, Any]
) -> list[tuple[str, str]]:
    """Return what display needs of a block, given the next token, which may be its text."""
    attributes = [(name, str(value)) for name, value in token.attrs.items() if name == "start"]
    if following is None or following.type != "inline" or "![" not in following.content:
        return attributes
    content = following.content
    if len(content) > _LONGEST_BLOCK or content.count("[") > _MOST_BRACKETS:
        return attributes
    inside: list[Token] = []
    parser = _parser()
    parser.inline.parse(content, parser, references, inside)
    for image in inside:
        if image.type == "image":
            attributes.append((MARKDOWN_PICTURE, str(image.attrs.get("src", ""))))
            attributes.append((MARKDOWN_ALT, image.content))
    return attributes


class _Blocks:
    """Turns the blocks of the parser, which have line numbers, into properly nested tag events."""

    def __init__(self, text: str, sections: Sections) -> None:
        self._text = text
        self._with_sections = sections == "headings"
        self._line_begins = [0, *(end.end() for end in _LINE_END.finditer(text)), len(text)]
        self._events = TagEventsBuilder()
        self._events.open(ROOT_TAG, 0)
        self._ends: list[int | None] = []  # the ends of the open blocks; None if it has no lines
        self._sections: list[int] = []  # the heading levels of the open sections
        self._at = 0  # all further tags are at this position or after it

    @property
    def lines(self) -> int:
        """The number of lines of the text."""
        return len(self._line_begins) - 1

    @property
    def elements(self) -> int:
        """The number of elements so far."""
        return self._events.elements

    def open(self, token: Token, attributes: Sequence[tuple[str, str]] = ()) -> None:
        """Begin a block."""
        if token.map is None:  # such as a cell
            self._ends.append(None)
            self._events.keep(attributes)
            return
        start, end = self._span(*token.map)
        # A heading inside a list or a quotation opens no section, which would end with the list.
        if token.type == "heading_open" and not self._ends and self._with_sections:
            level = int(token.tag[1])
            self._close_sections(level)
            self._events.open("section", start)
            self._sections.append(level)
        self._events.open(_NAMES.get(token.type, token.tag), start, attributes)
        self._ends.append(end)
        self._at = start

    def close(self) -> None:
        """End the innermost open block."""
        end = self._ends.pop()
        if end is not None:
            self._events.close(end)
            self._at = end

    def finish(self) -> TagEvents:
        """Return all events, including those of the document itself."""
        self._close_sections(0)
        self._events.close(len(self._text))
        return self._events.finish(self._text)

    def _close_sections(self, level: int) -> None:
        while self._sections and self._sections[-1] >= level:
            self._events.close(self._at)
            self._sections.pop()

    def _span(self, first: int, after: int) -> tuple[int, int]:
        """Return the span of lines first … after − 1, stripped at its end, in the open blocks."""
        begin = self._line_begins[min(first, len(self._line_begins) - 1)]
        beyond = self._line_begins[min(after, len(self._line_begins) - 1)]
        end = begin + len(self._text[begin:beyond].rstrip())
        around = next((end for end in reversed(self._ends) if end is not None), len(self._text))
        start = min(max(begin, self._at), around)
        return start, min(max(end, start), around)


@cache
def _parser() -> MarkdownIt:
    """Return a parser of CommonMark with tables, for blocks, and for the pictures in them."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.inline.ruler.enableOnly(["text", "escape", "backticks", "link", "image"])
    parser.inline.ruler2.enableOnly([])
    return parser
