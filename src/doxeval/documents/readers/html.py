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
element that represents its heading opens the section in its place, and has no sections inside:
`header`, `hgroup`, `summary` and `legend`, and a `div` or inline element with one heading and only
inline elements next to it. A `<section>` of the page stays; if it begins with a heading and has no
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
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from doxeval.documents.build.options import BuildOptions, Limits, check_limit, too_deep
from doxeval.documents.readers.attributes import KeptAttributes
from doxeval.documents.readers.plain import is_like_ascii
from doxeval.documents.readers.selectors import PageParts, SelectorUse, walk
from doxeval.documents.readers.tag_events import END, TagEvents, TagEventsBuilder
from doxeval.errors import DocumentError
from doxeval.markup import python_codec

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from doxeval.documents.build.options import RootMissing, Sections

# A browser accepts nearly every character in a tag name, a path does not.
_NOT_IN_A_TAG = re.compile(r"[\s/\[\]()@*|,]")
# Elements with attributes that may be kept.
_WITH_ATTRIBUTES = (
    "[dir],[lang],[xml\\:lang],td[rowspan],td[colspan],th[rowspan],th[colspan],"
    "ol[start],ol[type],ol[reversed],li[value],img[src],img[alt],math[display]"
)
_DECLARED = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.I)


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
    *,
    root: str | None = None,
    drop: Sequence[str] = (),
    sections: Sections = "headings",
    root_missing: RootMissing = "whole",
) -> TagEvents:
    """Return the tag events of a page, given as characters.

    >>> events = read_html("<h1>one</h1><script>x</script><p>two", Limits(), "a.html")
    >>> [name for name in events.names if name]
    ['html', 'head', 'body', 'section', 'h1', 'script', 'p']
    >>> events.texts
    [b'onetwo']
    """
    options = BuildOptions(
        root=root or (),
        drop=drop,
        sections=sections,
        root_missing=root_missing,
        limits=limits,
    )
    return HtmlReader(options).read(page, origin)


class HtmlReader:
    """Reads pages into tag events, and remembers what the selectors matched."""

    def __init__(self, options: BuildOptions) -> None:
        self._limits = options.limits
        self._identifying = options.id_rule.attribute
        self._kept_names = KeptAttributes(self._identifying)
        self._parts = PageParts(*options.parts_of("html"), options.root_missing)
        self._sections = options.sections
        self.selector_use = SelectorUse()

    def read(self, page: str, origin: str) -> TagEvents:
        """Return the tag events of a page, given as characters."""
        from selectolax.lexbor import LexborHTMLParser

        _refuse_explosive(page, self._limits, origin)
        _refuse_many_attributes(page, origin)
        # The parser owns the tree, and must outlive it.
        parser = LexborHTMLParser(page)
        top, use = self._parts.cut_from(parser, origin)
        events, text = self._events(parser, top, origin)
        check_limit("elements", events.elements, self._limits, origin)
        if self._sections == "headings":
            events = with_sections(events, text, self._limits, origin)
        self.selector_use += use
        return events.finish(text)

    def _events(
        self, page: LexborHTMLParser, top: LexborNode, origin: str
    ) -> tuple[TagEventsBuilder, str]:
        events = TagEventsBuilder()
        texts: list[str] = []
        length = depth = 0
        has_identifying = self._identifying is not None
        with_attributes = {node.mem_id for node in page.css(_WITH_ATTRIBUTES)}
        for node, ends in walk(top):
            if ends:
                events.close(length)
                depth -= 1
            elif node.is_text_node:
                texts.append(node.text_content or "")
                length += len(texts[-1])
            elif node.is_element_node:
                tag = _NOT_IN_A_TAG.sub("_", node.tag or "_")
                keeps = has_identifying or node.mem_id in with_attributes
                events.open(tag, length, self._kept(node, tag) if keeps else ())
                depth += 1
                if depth > self._limits.depth:
                    raise DocumentError(too_deep(self._limits), origin)
        return events, "".join(texts)

    def _kept(self, node: LexborNode, tag: str) -> list[tuple[str, str]]:
        """Return the attributes of an element that are kept."""
        attributes, kept = node.attributes, self._kept_names[tag]
        if "lang" in attributes:  # what a browser goes by
            attributes.pop("xml:lang", None)
        return [
            (name, value or "")
            for name, value in attributes.items()
            if name in kept and (value is not None or name == "reversed")
        ]


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


def _refuse_explosive(page: str, limits: Limits, origin: str) -> None:
    """Refuse a page on which the algorithm of the standard would take forever.

    There, every start tag looks through all open elements, every block reopens all unclosed
    formatting elements, and every option looks through its list. The count of open elements here
    is an upper bound.
    """
    if page.count("<") <= limits.depth:
        return
    still_open: Counter[str] = Counter()
    open_tags = deepest = 0
    listed: int | None = None  # the start tags in the open list of options
    comparisons = 0
    for slash, name in (match.groups() for match in _START_OR_END_TAG.finditer(page)):
        tag = name.lower()
        if tag == "select":
            listed = None if slash else 0
        elif listed is not None and not slash:
            listed += 1
            comparisons += listed if tag == "option" else 0
        if not slash and tag not in _CLOSED_BY_OTHERS:
            still_open[tag] += 1
            open_tags += 1
            deepest = max(deepest, open_tags)
        elif slash and still_open[tag]:
            still_open[tag] -= 1
            open_tags -= 1
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


# Sections from headings, by the rules above:
#
#     <h2>Tides</h2> <p>…</p> <h3>Causes</h3> <p>…</p>
#     section[1]/h2[1]  section[1]/p[1]  section[1]/section[1]/h3[1]  section[1]/section[1]/p[1]
#
# A first pass finds the headings and the elements that stand for them, a second one adds the tags.

SECTION = "section"
_LEVELS = {f"h{level}": level for level in range(1, 7)}
_STAND_FOR_HEADING = frozenset("header hgroup legend summary".split())
_SECTIONING = frozenset("article aside nav section".split())
# The inline elements of HTML, and those that show no text. These are fixed: the tree must not
# depend on which tags a user counts as inline when words are cut.
_INLINE = frozenset(
    "a abbr b bdi bdo big br button cite code data del dfn em font i img input ins kbd label mark "
    "meter picture progress q rp rt ruby s samp script small span strike strong style sub sup svg "
    "template time tt u var wbr".split()
)
_WRAPPERS = _INLINE | {"div"}
_NONE = 7  # below the lowest level


def with_sections(
    events: TagEventsBuilder, text: str, limits: Limits, origin: str
) -> TagEventsBuilder:
    """Add a section for each heading to the tag events of a page.

    >>> events = TagEventsBuilder()
    >>> for tag in ("body", "h1", "", "p", "", ""):
    ...     events.open(tag, 0) if tag else events.close(0)
    >>> [name for name in with_sections(events, "", Limits(), "a.html").names if name]
    ['body', 'section', 'h1', 'p']
    """
    if _LEVELS.keys().isdisjoint(events.names):
        return events
    levels, has_section = _heading_levels(events, text)
    result = TagEventsBuilder()
    attributes: dict[int, list[tuple[str, str]]] = {}
    for element, *pair in events.attributes:
        attributes.setdefault(element, []).append((pair[0], pair[1]))
    # For each open element, the levels of the sections that are open among its children.
    sections: list[list[int]] = []
    around_heading: int | None = None  # how many elements are open around the heading we are in
    depth = row = 0

    def close_sections(level: int, at: int) -> int:
        """Close the innermost sections of a level or a lower one; return how many there were."""
        count = 0
        while sections[-1] and sections[-1][-1] >= level:
            sections[-1].pop()
            result.close(at)
            count += 1
        return count

    for number, (name, at) in enumerate(zip(events.names, events.positions, strict=True)):
        if name == END:
            depth -= 1 + close_sections(0, at)
            sections.pop()
            result.close(at)
            if around_heading == len(sections):
                around_heading = None
            continue
        level = levels.get(number)
        if level and sections and around_heading is None:
            depth -= close_sections(level, at)
            if number not in has_section:
                result.open(SECTION, at)
                sections[-1].append(level)
                depth += 1
            around_heading = len(sections)
        result.open(name, at, attributes.get(row, ()))
        sections.append([])
        row += 1
        depth += 1
        if depth > limits.depth:
            raise DocumentError(too_deep(limits), origin)
    check_limit("elements", result.elements, limits, origin)
    return result


@dataclass(slots=True)
class _Open:
    """An open element, and what is known so far about the headings in it.

    number: that of its start tag. texts: how many stretches of text that are not only white space
    come before it. headings: how many there are at any depth. first: the level of the first that a
    `header` could stand for. only_inline: whether its children, except headings, are inline, and
    it has no text of its own. leading: the child, if it is a heading, with which it begins. rivals:
    the highest level of the other headings among its children.
    """

    number: int
    tag: str
    texts: int
    headings: int = 0
    first: int = 0
    holds_heading: bool = False
    only_inline: bool = True
    leading: int = -1
    rivals: int = _NONE


def _heading_levels(events: TagEventsBuilder, text: str) -> tuple[dict[int, int], set[int]]:
    """Return the level of each start tag that is a heading or stands for one.

    Return also those of them for which the `<section>` around them already is the section.
    """
    levels: dict[int, int] = {}
    has_section: set[int] = set()
    stack: list[_Open] = []
    before = texts = 0
    for number, (name, at) in enumerate(zip(events.names, events.positions, strict=True)):
        if text[before:at].strip():
            texts += 1
            stack[-1].only_inline = False
        before = at
        if name != END:
            stack.append(_Open(number, name, texts))
            continue
        element = stack.pop()
        level = _level(element)
        if level:
            levels[element.number] = level
        has_leading = element.tag == SECTION and element.leading >= 0
        if has_leading and levels[element.leading] < element.rivals:
            has_section.add(element.leading)
        if stack:
            _update_parent(stack[-1], element, level)
    return levels, has_section


def _level(element: _Open) -> int:
    """Return the level of the heading that an element is or stands for, or 0."""
    if element.tag in _LEVELS:
        return _LEVELS[element.tag]
    if element.tag in _STAND_FOR_HEADING:
        return element.first
    is_wrapper = element.tag in _WRAPPERS and element.only_inline
    return element.first if is_wrapper and element.holds_heading and element.headings == 1 else 0


def _update_parent(parent: _Open, element: _Open, level: int) -> None:
    """Add what is known about a closed element to what is known about its parent."""
    if element.tag not in _SECTIONING:
        parent.first = parent.first or level or element.first
    parent.headings += element.headings + (element.tag in _LEVELS)
    if not level:
        parent.only_inline &= element.tag in _INLINE
        return
    if not parent.holds_heading and element.texts == parent.texts:
        parent.leading = element.number
    else:
        parent.rivals = min(parent.rivals, level)
    parent.holds_heading = True
