"""From pooled results to the documents of a pool."""

from __future__ import annotations

import numpy as np

from doxeval.arrays import Ints
from doxeval.pooling.candidates import Candidates, is_first
from doxeval.pooling.parts import NO_KEY, NO_RANGE, Identifier
from doxeval.pooling.pool import PooledDocument, PooledElement


def assembled(
    candidates: Candidates, rows: Ints, identifier: Identifier
) -> dict[str, tuple[PooledDocument, ...]]:
    """The documents of each topic, given the rows of pooled results in the order of pooling."""
    c = candidates
    pair = c.pair[rows]
    first = np.sort(np.unique(pair, return_index=True)[1])
    own = rows[first]
    elements = _elements(c, rows, identifier)
    contributors = _contributors(c, pair)
    pooled: list[list[PooledDocument]] = [[] for _ in c.topics]
    columns = (pair[first], c.topic[own], c.document[own], c.priority[own])
    for number, topic, document, priority in zip(*(one.tolist() for one in columns), strict=True):
        parts, runs = elements.get(number, ()), contributors[number]
        pooled[topic].append(
            PooledDocument(c.documents[document], priority, tuple(parts), tuple(runs))
        )
    return {topic: tuple(own) for topic, own in zip(c.topics, pooled, strict=True)}


def _elements(
    candidates: Candidates, rows: Ints, identifier: Identifier
) -> dict[int, list[PooledElement]]:
    """The pooled parts of each document, distinct, in the order of pooling."""
    c = candidates
    place = c.topic[rows] * max(len(c.unit_key), 1) + c.unit[rows]
    first = rows[np.sort(np.unique(place, return_index=True)[1])]
    unit = c.unit[first]
    columns = (c.pair[first], c.unit_key[unit], c.unit_start[unit], c.unit_end[unit])
    by_key: dict[int, tuple[PooledElement, ...]] = {}
    found: dict[int, list[PooledElement]] = {}
    with_trees: set[int] = set()
    for pair, key, start, end in zip(*(one.tolist() for one in columns), strict=True):
        if start >= 0:
            found.setdefault(pair, []).append(PooledElement(None, start, end))
        elif key != NO_KEY and start == NO_RANGE:
            if key not in by_key:
                by_key[key] = tuple(map(PooledElement, identifier.paths(key)))
            found.setdefault(pair, []).extend(by_key[key])
            if len(by_key[key]) > 1:
                with_trees.add(pair)
    for pair in with_trees:  # an element of a tree may have been returned alone, too
        found[pair] = list(dict.fromkeys(found[pair]))
    return found


def _contributors(candidates: Candidates, pooled: Ints) -> dict[int, list[tuple[str, int]]]:
    """The runs that return each pooled document, with its best ranks: best first, then by name."""
    c = candidates
    own = np.flatnonzero(np.isin(c.pair, pooled))
    own = own[np.lexsort((c.rank[own], c.run[own], c.pair[own]))]
    best = own[is_first(c.pair[own], c.run[own])]
    by_name = np.argsort(np.argsort(np.array(c.runs)))
    best = best[np.lexsort((by_name[c.run[best]], c.rank[best], c.pair[best]))]
    found: dict[int, list[tuple[str, int]]] = {}
    columns = (c.pair[best], c.run[best], c.rank[best])
    for pair, run, rank in zip(*(one.tolist() for one in columns), strict=True):
        found.setdefault(pair, []).append((c.runs[run], rank))
    return found
