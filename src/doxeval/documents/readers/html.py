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

Pages on which a parser of HTML would take forever, refused before they are parsed.

Walking over a parsed page, without recursion, past what no browser displays.

CSS selectors, matched in one walk over a page, in time that grows linearly with it.

lexbor parses and matches the parts of a selector that concern one element alone (`div.nav`). What
stands between the parts (` `, `>`, `+`, `~`) is followed here, because lexbor tries every
combination of ancestors and siblings: on a page made for it, `x ~ p ~ p` takes hours. For the same
reason only pseudo-classes that look at one element are allowed.

    selector    chain , chain , …
    chain       part (combinator part)*
    part        tag  *  #id  .class  [attribute]  [attribute=value]  :not(…)  :first-child  …

The part of a page that becomes the document: what `root=` selects, without what `drop=` does.

Sections from headings: what belongs to a heading of HTML becomes a `section`.

    <h2>Tides</h2> <p>…</p> <h3>Causes</h3> <p>…</p>
    section[1]/h2[1]   section[1]/p[1]   section[1]/section[1]/h3[1]   section[1]/section[1]/p[1]

A heading opens a section among its siblings, wherever it is. The section lasts until the next
heading of the same or a higher level among those siblings, or until the end of their parent.

Some elements stand for the heading they hold, so that the section holds what follows them:

- `header`, `hgroup`, `summary` and `legend`, for the first heading in them (headings in an
  `article`, `aside`, `nav` or `section` inside do not count);
- a `div` or an inline element that holds one heading and beside it nothing but inline elements:
  `<div><h2>Tides</h2><a>edit</a></div>`.

There are no sections inside them. A `<section>` of the page that begins with a heading, and has no
other of the same or a higher level, already is the section of that heading, and gets no second one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from doxeval.documents.build.options import Limits, check_elements, too_deep
from doxeval.documents.readers.plain import is_like_ascii
from doxeval.documents.readers.tag_events import END, Marks, MarksBuilder
from doxeval.errors import DocumentError, InputError
from doxeval.markup import codec_of
from doxeval.messages import Parameter, quoted

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from doxeval.documents.build.options import RootMissing, Sections

_TAG = re.compile(r"[\s/\[\]()@*|,]")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)")
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
    """Return whether the parser takes what is at a position as part of a script."""
    from selectolax.lexbor import LexborHTMLParser

    mark = "<doxeval-was-here"
    scripts = LexborHTMLParser(page[:position] + mark).css("script")
    return bool(scripts) and mark in (scripts[-1].text() or "")


# The contents of these are never displayed by a browser with scripts switched on: the standard's
# own style sheet hides them, or they stand in for what the browser shows in their place. (It hides
# the title too, but only because that is displayed above the page.)
UNSEEN = frozenset(
    "audio canvas datalist iframe noembed noframes noscript rp script style template video".split()
)


def walk(
    top: LexborNode, enters: Callable[[LexborNode], bool] | None = None
) -> Iterator[tuple[LexborNode, bool]]:
    """Yield the nodes of a tree in document order, each with whether it ends there.

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


# Far longer than any selector that somebody writes.
LONGEST_SELECTOR = 1_000
_SPACE = r"[ \t\r\n\f]"
_NAME = rf"(?:[-\w]|[^\x00-\x7f]|\\[0-9a-fA-F]{{1,6}}{_SPACE}?|\\[^\n0-9a-fA-F])+"
_STRING = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_ATTRIBUTE_selectors = (
    rf"\[{_SPACE}*{_NAME}{_SPACE}*"
    rf"(?:[~|^$*]?={_SPACE}*(?:{_STRING}|{_NAME}){_SPACE}*[iIsS]?{_SPACE}*)?\]"
)
PSEUDO_CLASSES = ("empty", "first-child", "last-child", "only-child", "root")
_ALONE = rf":(?:{'|'.join(PSEUDO_CLASSES)})(?![-\w(])"
_SIMPLE = rf"(?:{_NAME}|\*|#{_NAME}|\.{_NAME}|{_ATTRIBUTE_selectors}|{_ALONE})"
_LIST = rf"{_SPACE}*{_SIMPLE}+{_SPACE}*(?:,{_SPACE}*{_SIMPLE}+{_SPACE}*)*"
_PART = re.compile(rf"(?:{_SIMPLE}|:(?:not|is|where)\({_LIST}\))+", re.ASCII)
_BETWEEN = re.compile(rf"{_SPACE}*([>+~,]){_SPACE}*|({_SPACE})+")


class Part(NamedTuple):
    """What one element must be, and how it stands to the element of the part before.

    combinator: one of ` > + ~`; empty in the first part of a chain.
    """

    combinator: str
    text: str


def parse_selector(selector: str) -> list[list[Part]]:
    """Return the chains of a selector; one of them must match.

    >>> parse_selector("main > p, .note")
    [[Part(combinator='', text='main'), Part(combinator='>', text='p')], \
[Part(combinator='', text='.note')]]
    >>> parse_selector("p:nth-child(2)")
    Traceback (most recent call last):
    doxeval.errors.InputError: expected a CSS selector, and cannot read it at character 2: \
':nth-child(2)'
    """
    if len(selector) > LONGEST_SELECTOR:
        raise InputError(f"expected a CSS selector of at most {LONGEST_SELECTOR:,} characters")
    text = selector.strip(" \t\r\n\f")
    chains: list[list[Part]] = [[]]
    combinator, at = "", 0
    while True:
        part = _PART.match(text, at)
        if part is None or not _is_valid(part[0]):
            raise InputError(_unreadable(text, at if part is None else part.start()))
        chains[-1].append(Part(combinator, part[0]))
        at = part.end()
        if at == len(text):
            return chains
        between = _BETWEEN.match(text, at)
        if between is None:
            raise InputError(_unreadable(text, at))
        combinator, at = between[1] or " ", between.end()
        if combinator == ",":
            chains.append([])
            combinator = ""


def _unreadable(text: str, at: int) -> str:
    if not text:
        return "expected a CSS selector, and it is empty"
    rest = quoted(text[at:]) if at < len(text) else "it ends there"
    return f"expected a CSS selector, and cannot read it at character {at + 1}: {rest}"


def _is_valid(part: str) -> bool:
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    try:
        LexborHTMLParser("").css(part)
    except (SelectolaxError, UnicodeEncodeError):
        return False
    return True


@dataclass
class _Level:
    """What was matched around the children of an element, as bits.

    above: by its ancestors and itself. parent: by itself. before: by the children so far.
    previous: by the last child.
    """

    above: int = 0
    parent: int = 0
    before: int = 0
    previous: int = 0


class Selectors:
    """Several selectors, each of whose parts is a bit of a number.

    >>> Selectors(["p > b", "i, u"]).found_by(0b100), Selectors(["p > b", "i, u"]).found_by(0b10)
    ([1], [0])
    """

    def __init__(self, selectors: Sequence[str]) -> None:
        self._parts: list[str] = []
        # The parts that may follow another part by each combinator; '' for those that come first.
        self._by: dict[str, int] = dict.fromkeys(("", " ", ">", "+", "~"), 0)
        self._last: list[int] = []  # for each selector, the last parts of its chains
        for selector in selectors:
            self._last.append(0)
            for chain in parse_selector(selector):
                for part in chain:
                    self._by[part.combinator] |= 1 << len(self._parts)
                    self._parts.append(part.text)
                self._last[-1] |= 1 << (len(self._parts) - 1)

    def found_by(self, matched: int) -> list[int]:
        """Return the numbers of the selectors that select an element which matched these parts."""
        return [number for number, last in enumerate(self._last) if matched & last]

    def on(self, page: LexborHTMLParser) -> SelectorWalk:
        """Return the selectors, ready for a walk over a page."""
        bits: dict[str, int] = {}
        for number, part in enumerate(self._parts):
            bits[part] = bits.get(part, 0) | 1 << number
        everywhere = bits.pop("*", 0)
        alone: dict[int, int] = {}
        for part, its_bits in bits.items():
            for node in page.css(part):
                alone[node.mem_id] = alone.get(node.mem_id, 0) | its_bits
        return SelectorWalk(self._by, alone, everywhere)


class SelectorWalk:
    """Matches the elements of a page, which must come in document order.

    by: the parts by the combinator before them. alone: the parts that each element matches,
    whatever stands around it. everywhere: the parts that every element matches.
    """

    def __init__(self, by: dict[str, int], alone: dict[int, int], everywhere: int) -> None:
        self._by = by
        self._alone = alone
        self._everywhere = everywhere
        self._levels = [_Level()]

    def start(self, node: LexborNode) -> int:
        """Return an element begins; returns the parts up to which it matches a chain."""
        level, by = self._levels[-1], self._by
        possible = (
            by[""]
            | (level.above << 1 & by[" "])
            | (level.parent << 1 & by[">"])
            | (level.previous << 1 & by["+"])
            | (level.before << 1 & by["~"])
        )
        matched = possible & (self._alone.get(node.mem_id, 0) | self._everywhere)
        level.before |= matched
        level.previous = matched
        self._levels.append(_Level(above=level.above | matched, parent=matched))
        return matched

    def end(self) -> None:
        """The element that began last, and has not ended, ends."""
        self._levels.pop()


@dataclass(frozen=True)
class SelectorUse:
    """What selectors found in some pages.

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
    """Selectors of the part of a page that is wanted.

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
                found = self._selectors.found_by(matching.start(node))
                by_drop = [number for number in found if number < len(self._drop)]
                for number in by_drop:
                    counts[number] += 1
                if by_drop:
                    dropped[node.mem_id] = node
                elif found and not roots:
                    roots.append(node)
                elif found:
                    several = several or root_ended
        return roots, several, dropped, counts


SECTION = "section"
_LEVELS = {f"h{level}": level for level in range(1, 7)}
_STANDING_FOR_A_HEADING = frozenset("header hgroup legend summary".split())
_SECTIONING = frozenset("article aside nav section".split())
# The inline elements of HTML, and those that show no text. These are fixed: the tree must not
# depend on which tags a user counts as inline when words are cut.
_BESIDE_A_HEADING = frozenset(
    "a abbr b bdi bdo big br button cite code data del dfn em font i img input ins kbd label mark "
    "meter picture progress q rp rt ruby s samp script small span strike strong style sub sup svg "
    "template time tt u var wbr".split()
)
_WRAPPERS = _BESIDE_A_HEADING | {"div"}
_NONE = 7  # below the lowest level


@dataclass(slots=True)
class _Open:
    """An open element, and what is known so far about the headings in it.

    headings: how many there are at any depth. first: the level of the first that a `header` could
    stand for. beside: whether its children, but for headings, are inline, and no text is loose.
    leading: the child, if it is a heading, with which it begins. rivals: the highest level of the
    other headings among its children. ink: how many stretches of text that are not only white
    space come before it.
    """

    mark: int
    tag: str
    ink: int
    headings: int = 0
    first: int = 0
    holds_heading: bool = False
    beside: bool = True
    leading: int = -1
    rivals: int = _NONE


def with_sections(marks: MarksBuilder, text: str, limits: Limits, origin: str) -> MarksBuilder:
    """Return the marks with a section for each heading.

    >>> marks = MarksBuilder()
    >>> for tag in ("body", "h1", "", "p", "", ""):
    ...     marks.open(tag, 0) if tag else marks.close(0)
    >>> [name for name in with_sections(marks, "", Limits(), "a.html").names if name]
    ['body', 'section', 'h1', 'p']
    """
    if _LEVELS.keys().isdisjoint(marks.names):
        return marks
    levels, own = _heading_levels(marks, text)
    result = MarksBuilder()
    attributes = dict(marks.attributes)
    parents: list[_Sections] = []
    depth = row = 0
    inside_heading: int | None = None  # how many elements are open around it
    for mark, (name, at) in enumerate(zip(marks.names, marks.positions, strict=True)):
        if name == END:
            depth -= 1 + parents.pop().close(result, at, 0)
            result.close(at)
            if inside_heading == len(parents):
                inside_heading = None
            continue
        level = levels.get(mark)
        if level and parents and inside_heading is None:
            depth -= parents[-1].close(result, at, level)
            if mark not in own:
                parents[-1].open(result, at, level)
                depth += 1
            inside_heading = len(parents)
        result.open(name, at, attributes.get(row))
        parents.append(_Sections())
        row += 1
        depth += 1
        if depth > limits.depth:
            raise DocumentError(too_deep(limits), origin)
    check_elements(result.elements, limits, origin)
    return result


@dataclass(slots=True)
class _Sections:
    """The levels of the sections that are open among the children of an element."""

    levels: list[int] = field(default_factory=list)

    def open(self, marks: MarksBuilder, at: int, level: int) -> None:
        """Open a section."""
        marks.open(SECTION, at)
        self.levels.append(level)

    def close(self, marks: MarksBuilder, at: int, level: int) -> int:
        """Close the sections of a level and of all lower ones; returns how many."""
        count = 0
        while self.levels and self.levels[-1] >= level:
            self.levels.pop()
            marks.close(at)
            count += 1
        return count


def _heading_levels(marks: MarksBuilder, text: str) -> tuple[dict[int, int], set[int]]:
    """Return the level of each start tag that is a heading or stands for one.

    Also those of them for which the `<section>` around them already is the section.
    """
    levels: dict[int, int] = {}
    own: set[int] = set()
    stack: list[_Open] = []
    before = ink = 0
    for mark, (name, at) in enumerate(zip(marks.names, marks.positions, strict=True)):
        if text[before:at].strip():
            ink += 1
            stack[-1].beside = False
        before = at
        if name != END:
            stack.append(_Open(mark, name, ink))
            continue
        element = stack.pop()
        level = _level(element)
        if level:
            levels[element.mark] = level
        has_leading = element.tag == SECTION and element.leading >= 0
        if has_leading and levels[element.leading] < element.rivals:
            own.add(element.leading)
        if stack:
            _tell_parent(stack[-1], element, level)
    return levels, own


def _level(element: _Open) -> int:
    """Return the level of the heading that an element is or stands for, or 0."""
    if element.tag in _LEVELS:
        return _LEVELS[element.tag]
    if element.tag in _STANDING_FOR_A_HEADING:
        return element.first
    is_wrapper = element.tag in _WRAPPERS and element.beside
    return element.first if is_wrapper and element.holds_heading and element.headings == 1 else 0


def _tell_parent(parent: _Open, element: _Open, level: int) -> None:
    """Add what is known about a closed element to what is known about its parent."""
    if element.tag not in _SECTIONING:
        parent.first = parent.first or level or element.first
    parent.headings += element.headings + (element.tag in _LEVELS)
    if not level:
        parent.beside &= element.tag in _BESIDE_A_HEADING
        return
    if not parent.holds_heading and element.ink == parent.ink:
        parent.leading = element.mark
    else:
        parent.rivals = min(parent.rivals, level)
    parent.holds_heading = True


# A browser accepts nearly every character in a tag name, a path does not.
_NOT_IN_A_TAG = re.compile(r"[\s/\[\]()@*|,]")
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
    """Return the marks of a page, given as characters.

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
