"""The innermost element around each of many ranges."""

from __future__ import annotations

import numpy as np

from doxeval.arrays import Ints, concatenated_ranges
from doxeval.documents.nodes import NodeColumns


def innermost_nodes(
    documents: Ints, starts: Ints, ends: Ints, columns: NodeColumns, rows: Ints
) -> Ints:
    """The row of the innermost element around each range, -1 if it is not inside its document.

    In document order elements begin at ascending offsets, so the last element that begins at or
    before a range is the innermost one around it, or inside that one.
    """
    inside = (documents >= 0) & (starts >= 0) & (starts <= ends)
    inside[inside] = ends[inside] <= columns.end[rows[documents[inside]]]
    result = np.full(len(documents), -1, dtype=np.int64)
    touched, which = np.unique(documents[inside], return_inverse=True)
    if not len(touched):
        return result
    first = rows[touched]
    counts = rows[touched + 1] - first
    candidates = concatenated_ranges(first, counts)
    # One ascending key over all documents: the document, then the offset.
    document_of = np.repeat(np.arange(len(touched)), counts)
    keys = (document_of << 32) | columns.start[candidates]
    wanted = (which << 32) | starts[inside]
    node = candidates[np.searchsorted(keys, wanted, side="right") - 1]
    root = first[which]
    beyond = ends[inside]
    climbing = np.flatnonzero(columns.end[node] < beyond)
    while len(climbing):
        node[climbing] = root[climbing] + columns.parent[node[climbing]]
        climbing = climbing[columns.end[node[climbing]] < beyond[climbing]]
    result[inside] = node
    return result
