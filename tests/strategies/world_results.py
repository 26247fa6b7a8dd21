"""What the systems of random worlds return."""

from __future__ import annotations

from random import Random

from doxeval.runs import Kind, Result
from strategies.trees import Node, located
from strategies.world_documents import random_tree


def returned_elements(
    random: Random, topic: str, documents: tuple[tuple[str, Node], ...], most: int
) -> list[Result]:
    """A ranked list of elements, each once; a root is returned by its path or as a document."""
    units = [(document, place) for document, node in documents for place in located(node)]
    found = []
    for rank, (document, place) in enumerate(random.sample(units, min(most, len(units))), 1):
        score = float(random.randrange(4))
        if place.parent is None and random.random() < 0.5:
            found.append(Result(topic, document, rank=rank, score=score))
        else:
            path = (place.path,)
            found.append(Result(topic, document, Kind.ELEMENT, None, None, path, rank, score))
    return found if random.random() < 0.9 else []


def returned_passages(
    random: Random, topic: str, documents: tuple[tuple[str, Node], ...], most: int
) -> list[Result]:
    """A ranked list of passages, each once; they overlap, and a few are empty."""
    found: dict[tuple[str, int, int], Result] = {}
    for _ in range(most):
        document, node = random.choice(documents)
        start, end = sorted(random.choices(range(len(node.text) + 1), k=2))
        score, rank = float(random.randrange(4)), len(found) + 1
        passage = Result(topic, document, Kind.PASSAGE, start, end, (), rank, score)
        found.setdefault((document, start, end), passage)
    return list(found.values()) if random.random() < 0.9 else []


def returned_chunks(
    random: Random, topic: str, documents: tuple[tuple[str, Node], ...], most: int
) -> list[Result]:
    """A ranked list of results with one range or several, some of them returned twice."""
    found: list[Result] = []
    for rank in range(1, most + 1):
        document, node = random.choice(documents)
        edges = sorted(random.choices(range(len(node.text) + 1), k=2 * random.randint(1, 3)))
        spans = tuple((a, b) for a, b in zip(edges[0::2], edges[1::2], strict=True) if b > a)
        tokens = random.choice([None, None, random.randrange(9)])
        chunk = Result(topic, document, Kind.SPANS, spans=spans, tokens=tokens)
        if not spans:
            chunk = Result(topic, document, Kind.PASSAGE, edges[0], edges[0], tokens=tokens)
        chunk = chunk._replace(added=random.choice([None, None, random.randint(1, 20)]))
        if found and random.random() < 0.2:
            chunk = random.choice(found)
        found.append(chunk._replace(rank=rank, score=float(random.randrange(4))))
    return found if random.random() < 0.9 else []


def returned_trees(
    random: Random, topic: str, documents: tuple[tuple[str, Node], ...], most: int
) -> list[Result]:
    """A ranked list of trees, each once."""
    found: dict[tuple[str, frozenset[str]], Result] = {}
    for _ in range(most):
        document, node = random.choice(documents)
        tree = random_tree(random, node)
        score, rank = float(random.randrange(4)), len(found) + 1
        result = Result(topic, document, Kind.TREE, None, None, tree, rank, score)
        found.setdefault((document, frozenset(tree)), result)
    return list(found.values()) if random.random() < 0.9 else []
