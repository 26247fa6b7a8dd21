"""The part of a page that becomes the document: what `root=` selects, without what `drop=` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from doxeval.documents.page_walk import walk
from doxeval.documents.selectors import Selectors
from doxeval.errors import DocumentError
from doxeval.messages import Parameter

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from doxeval.documents.options import RootMissing


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
        """The element that becomes the document, after the others were removed from the page."""
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
        """The first root, whether there are others outside it, what is dropped, and how often."""
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
