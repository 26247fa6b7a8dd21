"""Walking over a parsed page, without recursion, past what no browser displays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# The contents of these are never displayed by a browser with scripts switched on: the standard's
# own style sheet hides them, or they stand in for what the browser shows in their place. (It hides
# the title too, but only because that is displayed above the page.)
UNSEEN = frozenset(
    "audio canvas datalist iframe noembed noframes noscript rp script style template video".split()
)


def walk(
    top: LexborNode, enters: Callable[[LexborNode], bool] | None = None
) -> Iterator[tuple[LexborNode, bool]]:
    """The nodes of a tree in document order, each with whether it ends there.

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
