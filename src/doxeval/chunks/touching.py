"""Which chunks touch which ranges of gold, and how much of them they show."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints, concatenated_ranges
from doxeval.assessments import Needs
from doxeval.measures import GroundTruth
from doxeval.runs import ChunkTable, SpanLists
from doxeval.spans import Spans

_GROUP = 1 << 32


class Pieces(NamedTuple):
    """Ranges of chunks: the chunk of each, and the range in its document (the group)."""

    owner: Ints
    text: Spans


class Gold(NamedTuple):
    """Ranges that answer needs: the need of each, its topic, and the range in its document.

    Documents are numbered as those of the chunks are; documents without chunks follow.
    """

    need: Ints
    topic: Ints
    text: Spans


class Touching(NamedTuple):
    """Ranges of gold and chunks that share characters: which range, which chunk, how many."""

    gold: Ints
    chunk: Ints
    shared: Ints


def pieces_of_chunks(table: ChunkTable) -> Pieces:
    """The ranges of all chunks."""
    owner = table.spans.owner
    return Pieces(owner, Spans(table.document[owner], table.spans.start, table.spans.end))


def gold_of(truth: GroundTruth, needs: Needs, documents: tuple[str, ...]) -> Gold:
    """The ranges of needs, with documents numbered as those of chunks."""
    numbers = {name: number for number, name in enumerate(documents)}
    for name in truth.documents:
        numbers.setdefault(name, len(numbers))
    of_judged = np.array([numbers[name] for name in truth.documents], dtype=np.int64)
    document = of_judged[truth.document[needs.pair]] if len(of_judged) else needs.pair
    owner = needs.owner
    return Gold(owner, needs.topic[owner], Spans(document, needs.start, needs.end))


def joined_pieces(pieces: Pieces, chunks: int) -> Pieces:
    """The ranges of each chunk, put together where they touch."""
    document = np.zeros(chunks, dtype=np.int64)
    document[pieces.owner] = pieces.text.group
    lists = SpanLists.merged(Spans(pieces.owner, pieces.text.start, pieces.text.end), chunks)
    return Pieces(lists.owner, Spans(document[lists.owner], lists.start, lists.end))


def touching(gold: Spans, pieces: Pieces) -> Touching:
    """The chunks that share at least a character with each range.

    >>> pieces = Pieces(np.array([0, 1]), Spans.of([(0, 0, 5), (0, 5, 9)]))
    >>> [one.tolist() for one in touching(Spans.of([(0, 4, 7), (0, 5, 6)]), pieces)]
    [[0, 0, 1], [0, 1, 1], [1, 2, 1]]
    """
    order = np.lexsort((pieces.text.start, pieces.text.group))
    text = Spans(*(column[order] for column in pieces.text))
    start = text.group * _GROUP + text.start
    reach = np.maximum.accumulate(text.group * _GROUP + text.end) if len(start) else start
    low = np.searchsorted(reach, gold.group * _GROUP + gold.start, "right")
    high = np.searchsorted(start, gold.group * _GROUP + gold.end, "left")
    counts = np.maximum(high - low, 0)
    row = np.repeat(np.arange(len(low)), counts)
    piece = concatenated_ranges(low, counts)
    shared = np.minimum(gold.end[row], text.end[piece]) - np.maximum(
        gold.start[row], text.start[piece]
    )
    kept = shared > 0
    return _together(row[kept], pieces.owner[order[piece[kept]]], shared[kept])


def _together(gold: Ints, chunk: Ints, shared: Ints) -> Touching:
    """One row for each range and chunk."""
    width = int(chunk.max(initial=0)) + 1
    keys, which = np.unique(gold * width + chunk, return_inverse=True)
    total = np.zeros(len(keys), dtype=np.int64)
    np.add.at(total, which, shared)
    return Touching(keys // width, keys % width, total)
