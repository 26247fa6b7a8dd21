"""Finding many elements at once around ranges of text.

In document order, elements begin at ascending offsets. So the last element that begins at or before
the start of a range is the innermost element around the range, or inside it.
"""

from __future__ import annotations

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents.nodes import NodeColumns
from doxeval.errors import CollectionError

_BLOCK = 100_000  # how many ranges are looked up together


def innermost_nodes(
    documents: Ints, starts: Ints, ends: Ints, columns: NodeColumns, rows: Ints
) -> Ints:
    """The row of the innermost element around each range, -1 if the document has no such range.

    `documents` are document numbers (-1: unknown), `rows` the first row of each document.
    """
    inside = (documents >= 0) & (starts >= 0) & (starts <= ends)
    inside[inside] = ends[inside] <= columns.end[rows[documents[inside]]]
    result = np.full(len(documents), -1, dtype=np.int64)
    document, beyond = documents[inside], ends[inside]
    root = rows[document]
    node = first_beginning(columns, root, rows[document + 1], starts[inside] + 1) - 1
    climbing = np.flatnonzero(columns.end[node] < beyond)
    while len(climbing):
        above = root[climbing] + columns.parent[node[climbing]]
        if (above >= node[climbing]).any():
            raise CollectionError(
                "a parent comes after its child; build the collection again", "nodes.parent.npy"
            )
        node[climbing] = above
        climbing = climbing[columns.end[node[climbing]] < beyond[climbing]]
    result[inside] = node
    return result


def first_beginning(columns: NodeColumns, low: Ints, high: Ints, offsets: Ints) -> Ints:
    """The first row of each document, [low, high), that begins at an offset or after it.

    If there is none, the result is `high`.

    >>> from doxeval.documents.examples import example_collection
    >>> nodes = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"}).nodes
    >>> whole, offsets = np.array([0, 0, 0]), np.array([0, 1, 5])
    >>> first_beginning(nodes, whole, whole + 3, offsets).tolist()
    [0, 2, 3]
    """
    found = np.empty(len(offsets), dtype=np.int64)
    for begin in range(0, len(offsets), _BLOCK):
        block = slice(begin, begin + _BLOCK)
        found[block] = _bisected(columns.start, low[block], high[block], offsets[block])
    return found


def _bisected(starts: Ints, low: Ints, high: Ints, offsets: Ints) -> Ints:
    """The same, for all documents at once: every step halves what is left of each."""
    last = len(starts) - 1
    for _ in range(int((high - low).max(initial=0)).bit_length()):
        middle = (low + high) >> 1
        is_before = (low < high) & (starts[np.minimum(middle, last)] < offsets)
        low = np.where(is_before, middle + 1, low)
        high = np.where(is_before, high, middle)
    return low
