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
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from doxeval.documents.build.options import Limits, check_elements, too_deep
from doxeval.documents.readers.plain import is_like_ascii
from doxeval.documents.readers.tag_events import TagEvents, TagEventsBuilder
from doxeval.errors import DocumentError
from doxeval.markup import python_codec
from doxeval.messages import Parameter

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from doxeval.documents.build.options import RootMissing, Sections
from doxeval.documents.readers.sections import with_sections
from doxeval.documents.readers.selectors import Selectors

# A browser accepts nearly every character in a tag name, a path does not.
_NOT_IN_A_TAG = re.compile(r"[\s/\[\]()@*|,]")
_DECLARED = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.I)
# The contents of these are never displayed by a browser with scripts switched on: the standard's
# own style sheet hides them, or they stand in for what the browser shows in their place. (It hides
# the title too, but only because that is displayed above the page.)
UNSEEN = frozenset(
    "audio canvas datalist iframe noembed noframes noscript rp script style template video".split()
)


def declared_encoding(data: bytes) -> str | None:
    """Return the encoding that a page declares in its first 1024 bytes.

    A declaration that can be read in ASCII is not in UTF-16: as the standard says, the page is in
    UTF-8 then.

    >>> declared_encoding(b'<meta charset="iso-8859-1"><p>')
    'iso-8859-1'
    >>> declared_encoding(b"<meta charset=utf-16>")
    'utf-8'
    """
    declaration = _DECLARED.search(data[:1024])
    if declaration is None:
        return None
    name = declaration[1].decode()
    return name if python_codec(name) is None or is_like_ascii(name) else "utf-8"


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
) -> TagEvents:
    """Return the marks of a page, given as characters.

    >>> marks = read_html("<h1>one</h1><script>x</script><p>two", Limits(), "a.html")
    >>> [name for name in marks.names if name]
    ['html', 'head', 'body', 'section', 'h1', 'script', 'p']
    >>> marks.texts
    [b'onetwo']
    """
    return HtmlReader(limits, attribute, root, drop, sections, root_missing).read(page, origin)


class HtmlReader:
    """Reads pages into marks, and remembers what the selectors matched."""

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

    def read(self, page: str, origin: str) -> TagEvents:
        """Return the marks of a page, given as characters."""
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

    def _marks(self, top: LexborNode, origin: str) -> tuple[TagEventsBuilder, str]:
        marks = TagEventsBuilder()
        texts: list[str] = []
        length = depth = 0
        attribute = self._attribute
        for node, ends in walk(top):
            if ends:
                marks.close(length)
                depth -= 1
            elif node.is_text_node:
                texts.append(node.text_content or "")
                length += len(texts[-1])
            elif node.is_element_node:
                tag = _NOT_IN_A_TAG.sub("_", node.tag or "_")
                marks.open(tag, length, node.attributes.get(attribute) if attribute else None)
                depth += 1
                if depth > self._limits.depth:
                    raise DocumentError(too_deep(self._limits), origin)
        return marks, "".join(texts)


def walk(
    top: LexborNode, enters: Callable[[LexborNode], bool] | None = None
) -> Iterator[tuple[LexborNode, bool]]:
    """Yield the nodes of a tree in document order, each with whether it ends there; no recursion.

    Elements come twice, texts and comments once, as a beginning. Elements whose contents are never
    displayed, and those that `enters` refuses, come without what is inside.
    """
    node: LexborNode = top
    while True:
        yield node, False
        child = None
        if node.is_element_node and node.tag not in UNSEEN and (enters is None or enters(node)):
            child = node.first_child
        if child is not None:
            node = child
            continue
        # Nothing below: end the elements that end here, and go on with the next sibling.
        while True:
            if node.is_element_node:
                yield node, True
            if node.mem_id == top.mem_id:
                return
            following = node.next
            if following is not None:
                node = following
                break
            parent = node.parent
            if parent is None:
                return
            node = parent


# The part of a page that becomes the document: what `root=` selects, without what `drop=` does


@dataclass(frozen=True)
class SelectorUse:
    """What selectors matched in some pages.

    several_roots: in how many pages `root=` selected further elements outside the first.
    dropped: how many elements each selector of `drop=` left out. without_root: how many pages were
    taken whole, since `root=` selected nothing in them.

    >>> SelectorUse(1, 0, (2, 0)) + SelectorUse(1, 1, (0, 3))
    SelectorUse(pages=2, several_roots=1, dropped=(2, 3), without_root=0)
    """

    pages: int = 0
    several_roots: int = 0
    dropped: tuple[int, ...] = ()
    without_root: int = 0

    def __add__(self, other: SelectorUse) -> SelectorUse:
        pairs = zip(self.dropped or (0,) * len(other.dropped), other.dropped, strict=False)
        return SelectorUse(
            self.pages + other.pages,
            self.several_roots + other.several_roots,
            tuple(a + b for a, b in pairs) if other.dropped else self.dropped,
            self.without_root + other.without_root,
        )


class PageParts:
    """The part of a page that becomes the document, by its selectors.

    >>> from selectolax.lexbor import LexborHTMLParser
    >>> page = LexborHTMLParser("<nav>x</nav><main>one<p class=ad>two</p></main>")
    >>> top, use = PageParts("main", (".ad", "p")).cut_from(page, "a.html")
    >>> top.html, use.dropped
    ('<main>one</main>', (1, 1))
    """

    def __init__(
        self, root: str | None, drop: Sequence[str], root_missing: RootMissing = "whole"
    ) -> None:
        self._root = root
        self._root_missing = root_missing
        self._drop = tuple(drop)
        # The selector of the root comes last, if there is one.
        self._selectors = Selectors([*drop, *([] if root is None else [root])])

    def cut_from(self, page: LexborHTMLParser, origin: str) -> tuple[LexborNode, SelectorUse]:
        """Return the element that becomes the document, without what was dropped."""
        top = page.root
        if top is None:
            raise DocumentError("the page has no tree", origin)
        if self._root is None and not self._drop:
            return top, SelectorUse(1)
        roots, several, dropped, counts = self._search(page, top)
        without_root = not roots and self._root is not None
        if without_root and self._root_missing == "error":
            raise DocumentError(
                Parameter("root", self._root) + " selects nothing in the page", origin
            )
        if top.mem_id in dropped:
            raise DocumentError(
                Parameter("drop") + " selects the root of the page, so nothing is left", origin
            )
        for node in dropped.values():
            node.decompose()
        use = SelectorUse(1, several, tuple(counts), int(without_root))
        return roots[0] if roots else top, use

    def _search(
        self, page: LexborHTMLParser, top: LexborNode
    ) -> tuple[list[LexborNode], bool, dict[int, LexborNode], list[int]]:
        """Return the first root, whether others are outside it, what is dropped, and how often."""
        dropped: dict[int, LexborNode] = {}
        counts = [0] * len(self._drop)
        roots: list[LexborNode] = []
        several = root_ended = False
        matching = self._selectors.on(page)
        for node, ends in walk(top, lambda node: node.mem_id not in dropped):
            if ends:
                matching.end()
                root_ended = root_ended or (bool(roots) and node.mem_id == roots[0].mem_id)
            elif node.is_element_node:
                selected = self._selectors.selected_by(matching.start(node))
                by_drop = [number for number in selected if number < len(self._drop)]
                for number in by_drop:
                    counts[number] += 1
                if by_drop:
                    dropped[node.mem_id] = node
                elif selected and not roots:
                    roots.append(node)
                elif selected:
                    several = several or root_ended
        return roots, several, dropped, counts


# Pages on which a parser of HTML would take forever are refused before they are parsed.

_START_OR_END_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)")
# Elements without an end tag, and elements that the next start tag may close.
_CLOSED_BY_OTHERS = frozenset(
    "area base br col dd dt embed hr img input li link meta option p param source tbody td tfoot "
    "th thead tr track wbr".split()
)
_FORMATTING = "a b big code em font i nobr s small strike strong tt u".split()
MOST_OPEN = 20_000
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


def refuse_hostile(page: str, limits: Limits, origin: str) -> None:
    """Refuse a page that would take the parser far longer than its size suggests."""
    _refuse_explosive(page, limits, origin)
    _refuse_many_attributes(page, origin)


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
    for slash, name in (match.groups() for match in _START_OR_END_TAG.finditer(page)):
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
    if deepest > max(MOST_OPEN, limits.depth):
        raise DocumentError(too_deep(limits), origin)
    if deepest > MOST_OPEN:
        raise DocumentError(f"more than {MOST_OPEN:,} tags are open at once", origin)
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
            distinct = of_root
        else:
            distinct = set(_ATTRIBUTE.findall(attributes))
        if len(distinct) > MOST_ATTRIBUTES:
            scripts += 1
            if scripts < _MOST_ODD_SCRIPTS and _is_in_script(page, tag.start()):
                of_root.clear()
                continue
            message = f"more than {MOST_ATTRIBUTES:,} attributes on one element"
            raise DocumentError(message, origin)


def _is_in_script(page: str, position: int) -> bool:
    """Return whether the parser takes what is at a position as part of a script."""
    from selectolax.lexbor import LexborHTMLParser

    mark = "<doxeval-was-here"
    scripts = LexborHTMLParser(page[:position] + mark).css("script")
    return bool(scripts) and mark in (scripts[-1].text() or "")
