"""The documents of random worlds."""

from __future__ import annotations

from functools import cache
from random import Random

from strategies.trees import Node, Piece, located

# What an evaluation world is made of.
_WORLD_TAGS = ["sec", "sec", "p", "p", "b", "collectionlink"]
_WORLD_TEXTS = ["a", "bb ", " ccc", "d e", "\n", "ff gg h", "é😀 ", "iiiii"]
_WORLD_DEPTH = 4


@cache
def library_of(number: int) -> tuple[tuple[str, Node], ...]:
    """One to three documents; the first has text; the lower the number, the smaller they are."""
    random = Random(number)
    pieces = number // 18
    return tuple((name, _grown(random, pieces, name == "a")) for name in "abc"[: number % 3 + 1])


def _grown(random: Random, pieces: int, needs_text: bool) -> Node:
    """A tree, nested at most four deep: again and again, something opens, closes or is said."""
    stack: list[tuple[str, list[Piece | Node]]] = [("article", [])]

    def close() -> None:
        tag, inside = stack.pop()
        stack[-1][1].append(Node(tag, tuple(inside)))

    for what in [*random.choices(["open", "close", "say"], [4, 2, 4], k=pieces), "say"]:
        if what == "open" and len(stack) < _WORLD_DEPTH:
            stack.append((random.choice(_WORLD_TAGS), []))
        elif what == "close" and len(stack) > 1:
            close()
        elif what == "say" and (pieces or needs_text):
            text = random.choice(_WORLD_TEXTS)
            stack[-1][1].append(Piece(text, text))
    while len(stack) > 1:
        close()
    return Node("article", tuple(stack[0][1]))


def random_tree(random: Random, node: Node) -> tuple[str, ...]:
    """One to three elements of a document, in its order; one alone is as likely as several."""
    paths = [place.path for place in located(node)]
    chosen = random.sample(paths, min(random.choice([1, 1, 2, 3]), len(paths)))
    return tuple(sorted(chosen, key=paths.index))


def random_ranges(random: Random, length: int) -> tuple[tuple[int, int], ...]:
    """Up to three ranges of a text that are apart from each other; none of an empty text."""
    edges = sorted(random.sample(range(length + 1), min(2 * random.randint(1, 3), length + 1)))
    return tuple(zip(edges[0::2], edges[1::2], strict=False))
