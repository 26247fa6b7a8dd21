"""The same tree, printed in another way."""

from __future__ import annotations

from doxeval.documents import INLINE_TAGS
from strategies import Node, Piece

_LINE = Piece("\n  ", "\n  ")


def pretty(node: Node) -> Node:
    """A tree with a line break at every border of an element that is not inline.

    Elements without text stay without: nothing is added inside them.
    """
    inside: list[Piece | Node] = []
    for item in node.inside:
        if isinstance(item, Piece):
            inside.append(item)
        elif item.tag in INLINE_TAGS:
            inside.append(pretty(item))
        elif node.text:
            inside += [_LINE, pretty(item), _LINE]
        else:
            inside.append(item)
    if node.text and node.tag not in INLINE_TAGS:
        inside = [_LINE, *inside, _LINE]
    return Node(node.tag, tuple(inside), node.attributes, node.self_closing)
