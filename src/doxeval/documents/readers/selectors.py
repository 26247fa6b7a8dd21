"""CSS selectors: which element of a page becomes the document, and which are left out.

Why by hand: lexbor's own matching tries every combination of ancestors and siblings, so that on 250
paragraphs `x ~ p ~ p ~ p` takes it 5 seconds, on 100,000 more than a lifetime. So lexbor parses and
matches the parts of a selector that concern one element alone (`div.nav`), and the combinators
between them (` `, `>`, `+`, `~`) are followed here, in one walk over the page, in time that grows
linearly with it. For the same reason only pseudo-classes that look at one element are allowed.

    selector    chain , chain , …
    chain       part (combinator part)*
    part        tag  *  #id  .class  [attribute]  [attribute=value]  :not(…)  :first-child  …
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from doxeval.errors import DocumentError, InputError
from doxeval.messages import Parameter, quoted

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from doxeval.documents.build.options import RootMissing


# Far longer than any selector that somebody writes.
LONGEST_SELECTOR = 1_000
_SPACE = r"[ \t\r\n\f]"
_NAME = rf"(?:[-\w]|[^\x00-\x7f]|\\[0-9a-fA-F]{{1,6}}{_SPACE}?|\\[^\n0-9a-fA-F])+"
_STRING = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_ATTRIBUTE = (
    rf"\[{_SPACE}*{_NAME}{_SPACE}*"
    rf"(?:[~|^$*]?={_SPACE}*(?:{_STRING}|{_NAME}){_SPACE}*[iIsS]?{_SPACE}*)?\]"
)
PSEUDO_CLASSES = ("empty", "first-child", "last-child", "only-child", "root")
_ALONE = rf":(?:{'|'.join(PSEUDO_CLASSES)})(?![-\w(])"
_SIMPLE = rf"(?:{_NAME}|\*|#{_NAME}|\.{_NAME}|{_ATTRIBUTE}|{_ALONE})"
_LIST = rf"{_SPACE}*{_SIMPLE}+{_SPACE}*(?:,{_SPACE}*{_SIMPLE}+{_SPACE}*)*"
_PART = re.compile(rf"(?:{_SIMPLE}|:(?:not|is|where)\({_LIST}\))+", re.ASCII)
_BETWEEN = re.compile(rf"{_SPACE}*([>+~,]){_SPACE}*|({_SPACE})+")
# The contents of these are never displayed by a browser with scripts switched on: the standard's
# own style sheet hides them, or they stand in for what the browser shows in their place. (It hides
# the title too, but only because that is displayed above the page.)
UNSEEN = frozenset(
    "audio canvas datalist iframe noembed noframes noscript rp script style template video".split()
)


class Part(NamedTuple):
    """What one element must be, and how it is related to the element of the part before.

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


class Selectors:
    """Several selectors; each of their parts has a number, and sets of parts are bits.

    >>> selectors = Selectors(["p > b", "i, u"])
    >>> selectors.selected_by(0b100), selectors.selected_by(0b10)
    ([1], [0])
    """

    def __init__(self, selectors: Sequence[str]) -> None:
        # The parts that may follow another part by each combinator; '' for those that come first.
        self._by: dict[str, int] = dict.fromkeys(("", " ", ">", "+", "~"), 0)
        self._bits: dict[str, int] = {}  # the parts that are written in the same way
        self._last: list[int] = []  # for each selector, the last parts of its chains
        bit = 1
        for selector in selectors:
            self._last.append(0)
            for chain in parse_selector(selector):
                for part in chain:
                    self._by[part.combinator] |= bit
                    self._bits[part.text] = self._bits.get(part.text, 0) | bit
                    bit <<= 1
                self._last[-1] |= bit >> 1
        self._everywhere = self._bits.pop("*", 0)

    def selected_by(self, matched: int) -> list[int]:
        """Return the numbers of the selectors that select an element which matched these parts."""
        return [number for number, last in enumerate(self._last) if matched & last]

    def on(self, page: LexborHTMLParser) -> SelectorWalk:
        """Return the selectors, ready for a walk over a page."""
        alone: dict[int, int] = {}
        for part, bits in self._bits.items():
            for node in page.css(part):
                alone[node.mem_id] = alone.get(node.mem_id, 0) | bits
        return SelectorWalk(self._by, alone, self._everywhere)


class SelectorWalk:
    """Matches the elements of a page, which must come in document order.

    by: the parts by the combinator before them. alone: the parts that each element matches,
    whatever is around it. everywhere: the parts that every element matches.
    """

    def __init__(self, by: dict[str, int], alone: dict[int, int], everywhere: int) -> None:
        self._by = by
        self._alone = alone
        self._everywhere = everywhere
        self._levels = [_MatchLevel()]

    def start(self, node: LexborNode) -> int:
        """Begin an element, and return the parts up to which it matches a chain."""
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
        self._levels.append(_MatchLevel(above=level.above | matched, parent=matched))
        return matched

    def end(self) -> None:
        """End the innermost element that has begun."""
        self._levels.pop()


@dataclass
class _MatchLevel:
    """What was matched around the children of an element, as bits.

    above: by its ancestors and itself. parent: by itself. before: by the children so far.
    previous: by the last child.
    """

    above: int = 0
    parent: int = 0
    before: int = 0
    previous: int = 0


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
        dropped = zip_longest(self.dropped, other.dropped, fillvalue=0)
        return SelectorUse(
            self.pages + other.pages,
            self.several_roots + other.several_roots,
            tuple(here + there for here, there in dropped),
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
        root: LexborNode | None = None
        root_ended = several_roots = False
        dropped: dict[int, LexborNode] = {}
        counts = [0] * len(self._drop)
        matching = self._selectors.on(page)
        # What is inside an element that is dropped is not looked at.
        for node, ends in walk(top, lambda node: node.mem_id not in dropped):
            if ends:
                matching.end()
                root_ended = root_ended or (root is not None and node.mem_id == root.mem_id)
            elif node.is_element_node:
                selected = self._selectors.selected_by(matching.start(node))
                by_drop = [number for number in selected if number < len(self._drop)]
                for number in by_drop:
                    counts[number] += 1
                if by_drop:
                    dropped[node.mem_id] = node
                elif selected and root is None:
                    root = node
                elif selected:
                    several_roots = several_roots or root_ended
        without_root = self._root is not None and root is None
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
        use = SelectorUse(1, int(several_roots), tuple(counts), int(without_root))
        return top if root is None else root, use


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
