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
    elements = _elements(c, rows, identifier)
    contributors = _contributors(c, pair)
    pooled: dict[str, list[PooledDocument]] = {topic: [] for topic in c.topics}
    for row, number in zip(rows[first].tolist(), pair[first].tolist(), strict=True):
        document = PooledDocument(
            c.documents[int(c.document[row])],
            float(c.priority[row]),
            tuple(dict.fromkeys(elements.get(number, ()))),
            tuple(contributors[number]),
        )
        pooled[c.topics[int(c.topic[row])]].append(document)
    return {topic: tuple(documents) for topic, documents in pooled.items()}


def _elements(
    candidates: Candidates, rows: Ints, identifier: Identifier
) -> dict[int, list[PooledElement]]:
    """The pooled parts of each document, in the order of pooling."""
    c = candidates
    place = c.topic[rows] * max(len(c.unit_key), 1) + c.unit[rows]
    first = rows[np.sort(np.unique(place, return_index=True)[1])]
    known: dict[int, tuple[PooledElement, ...]] = {}
    found: dict[int, list[PooledElement]] = {}
    for pair, unit in zip(c.pair[first].tolist(), c.unit[first].tolist(), strict=True):
        if unit not in known:
            known[unit] = _parts_of(c, unit, identifier)
        found.setdefault(pair, []).extend(known[unit])
    return found


def _parts_of(
    candidates: Candidates, unit: int, identifier: Identifier
) -> tuple[PooledElement, ...]:
    """The elements of a unit, or its range; nothing for whole documents and unknown ranges."""
    key, start = int(candidates.unit_key[unit]), int(candidates.unit_start[unit])
    if start >= 0:
        return (PooledElement(None, start, int(candidates.unit_end[unit])),)
    if key == NO_KEY or start != NO_RANGE:
        return ()
    return tuple(PooledElement(path) for path in identifier.paths(key))


def _contributors(candidates: Candidates, pooled: Ints) -> dict[int, list[tuple[str, int]]]:
    """The runs that return each pooled document, with its best ranks: best first, then by name."""
    c = candidates
    own = np.flatnonzero(np.isin(c.pair, pooled))
    own = own[np.lexsort((c.rank[own], c.run[own], c.pair[own]))]
    best = own[is_first(c.pair[own], c.run[own])]
    found: dict[int, list[tuple[str, int]]] = {}
    columns = (c.pair[best].tolist(), c.run[best].tolist(), c.rank[best].tolist())
    for pair, run, rank in zip(*columns, strict=True):
        found.setdefault(pair, []).append((c.runs[run], rank))
    for several in found.values():
        several.sort(key=lambda one: (one[1], one[0]))
    return found
