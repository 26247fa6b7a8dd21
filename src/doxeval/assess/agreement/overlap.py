"""How the highlights of assessors overlap, counted in characters over many documents at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from doxeval.arrays import Ints
from doxeval.assess.agreement.coefficients import Table
from doxeval.spans import Spans, merged, shared_lengths

Ranges: TypeAlias = Sequence[tuple[int, int]]


def character_tables(
    first: Sequence[Ranges], second: Sequence[Ranges], lengths: Sequence[int]
) -> list[Table]:
    """A table for each document: the highlights of two assessors in it, and its length.

    >>> character_tables([[(0, 5)]], [[(3, 9)]], [20])
    [Table(both=2, first=3, second=4, neither=11)]
    """
    ones, others = _grouped(first), _grouped(second)
    count = len(lengths)
    both = _by_document(ones, shared_lengths(ones, others), count)
    only_first = _by_document(ones, ones.lengths(), count) - both
    only_second = _by_document(others, others.lengths(), count) - both
    neither = np.asarray(lengths, dtype=np.int64) - both - only_first - only_second
    columns = (column.tolist() for column in (both, only_first, only_second, neither))
    return [Table(*row) for row in zip(*columns, strict=True)]


def character_depths(
    highlights: Sequence[Sequence[Ranges]], lengths: Sequence[int]
) -> list[list[tuple[int, int, int]]]:
    """For each document, how many characters were highlighted by how many of its assessors.

    highlights: for each document, the ranges of each assessor who judged it. The result has rows
    as `krippendorff_alpha` takes them.

    >>> character_depths([[[(0, 5)], [(3, 9)]]], [20])
    [[(2, 0, 11), (2, 1, 7), (2, 2, 2)]]
    """
    edges = [
        (document, at, step)
        for document, assessors in enumerate(highlights)
        for ranges in assessors
        for start, end in ranges
        for at, step in ((start, 1), (end, -1))
    ]
    document, at, step = np.array(edges, dtype=np.int64).reshape(-1, 3).T
    order = np.lexsort((at, document))
    document, at = document[order], at[order]
    # Every range of a document ends in it, so the depth is 0 again where the next one begins.
    depth = np.cumsum(step[order])
    width = np.append(np.diff(at), 0)
    most = max((len(assessors) for assessors in highlights), default=0) + 1
    kept = np.flatnonzero(depth > 0)
    characters = np.zeros(len(highlights) * most, dtype=np.int64)
    np.add.at(characters, document[kept] * most + depth[kept], width[kept])
    table = characters.reshape(len(highlights), most)
    table[:, 0] = np.asarray(lengths, dtype=np.int64) - table.sum(axis=1)
    return [
        [(len(assessors), relevant, units) for relevant, units in enumerate(row) if units]
        for assessors, row in zip(highlights, table.tolist(), strict=True)
    ]


def _grouped(documents: Iterable[Ranges]) -> Spans:
    """Ranges grouped by document, merged."""
    return merged(
        Spans.of(
            [(group, start, end) for group, ranges in enumerate(documents) for start, end in ranges]
        )
    )


def _by_document(spans: Spans, values: Ints, count: int) -> Ints:
    found = np.zeros(count, dtype=np.int64)
    np.add.at(found, spans.group, values)
    return found
