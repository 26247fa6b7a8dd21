"""The node table: one row per element, in document order.

Six columns of 32-bit integers say all there is to know about the tree:

    path     which path of the path summary
    ordinal  the number among siblings of the same tag, from 1
    parent   the parent's row, counted from the document's first row; -1 for a root
    size     rows of the subtree, the element itself included
    start    code points of the document's text before the element
    end      code points of the document's text up to its end

The subtree of row r is rows r … r + size − 1, and the next sibling, if there is one, is row
r + size. The columns are computed for many documents at once from the marks of their tags,
each by a few sorts and sums over whole arrays.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints, distinct_below, last_true
from doxeval.documents.limits import DEEPEST_POSSIBLE, LONGEST_DOCUMENT
from doxeval.documents.marks import Marks
from doxeval.documents.summary import NO_PARENT, PathSummary
from doxeval.documents.summary_builder import SummaryBuilder
from doxeval.documents.tag_names import END_NUMBER, numbered
from doxeval.errors import DocumentError

COLUMNS = ("path", "ordinal", "parent", "size", "start", "end")


class NodeColumns(NamedTuple):
    """The six columns."""

    path: Ints
    ordinal: Ints
    parent: Ints
    size: Ints
    start: Ints
    end: Ints


class NodeTable(NamedTuple):
    """The rows of some documents, how many rows each document has, and their own paths."""

    columns: NodeColumns
    rows: Ints
    summary: PathSummary


class _ByDepth(NamedTuple):
    """All rows sorted by depth, in document order within one depth.

    Rows of the same parent are neighbours in this order, and so are elements of one depth
    over all documents: most of what the table needs is a look at the neighbour.
    """

    row: Ints
    depth: Ints
    parent: Ints  # the parent's row over all documents, NO_PARENT for roots
    tag: Ints


def tabulate(marks: Marks) -> NodeTable:
    """The node table of the documents in `marks`.

    >>> from doxeval.documents.xml import XmlReader
    >>> reader = XmlReader()
    >>> reader.read(b"<s><p>one</p><p>two</p></s>", "a.xml")
    >>> table = tabulate(reader.take())
    >>> table.columns.ordinal.tolist(), table.columns.parent.tolist()
    ([1, 1, 2], [-1, 0, 0])
    >>> table.columns.start.tolist(), table.columns.end.tolist()
    ([0, 0, 3], [6, 3, 6])
    """
    if not len(marks.names):
        return _EMPTY
    names = numbered(marks.names)
    builder = SummaryBuilder()
    for name in names.distinct:
        builder.tag(name)
    tag_of_mark = names.numbers
    opens = tag_of_mark != END_NUMBER
    depth_of_mark = _depths(opens)
    by_depth = np.argsort(depth_of_mark, kind="stable")
    # At one depth, over all documents, start tags and end tags alternate.
    start_mark, end_mark = by_depth[0::2], by_depth[1::2]
    last_row_at = np.cumsum(opens, dtype=np.int32) - 1
    row = last_row_at[start_mark]
    depth = depth_of_mark[start_mark]
    order = _ByDepth(row, depth, _parents(row, depth), tag_of_mark[start_mark])

    roots = row[: np.searchsorted(depth, 2)]
    size = _scattered(row, last_row_at[end_mark] - row + 1)
    rows = size[roots]
    first_text = marks.positions[start_mark[: len(roots)]]
    if (marks.positions[end_mark[: len(roots)]] - first_text).max() > LONGEST_DOCUMENT:
        raise DocumentError(f"more than {LONGEST_DOCUMENT:,} characters of text in one document")
    columns = NodeColumns(
        path=_scattered(row, _paths(order, builder)),
        ordinal=_scattered(row, _ordinals(order)),
        parent=_relative(_scattered(row, order.parent), roots, rows),
        size=size,
        start=_scattered(row, marks.positions[start_mark]) - np.repeat(first_text, rows),
        end=_scattered(row, marks.positions[end_mark]) - np.repeat(first_text, rows),
    )
    return NodeTable(
        NodeColumns(*(column.astype(np.int32, copy=False) for column in columns)),
        rows.astype(np.int64),
        builder.finish(),
    )


_NO_ROWS = np.empty(0, dtype=np.int32)
_EMPTY = NodeTable(NodeColumns(*[_NO_ROWS] * 6), _NO_ROWS, PathSummary([], _NO_ROWS, _NO_ROWS))


def deepest(names: list[str]) -> int:
    """The depth of the deepest element, given the names of all tags (see Marks)."""
    opens = np.fromiter(map(bool, names), np.bool_, len(names))
    return int(np.cumsum(np.where(opens, 1, -1)).max(initial=0))


def _depths(opens: Bools) -> Ints:
    """The depth of the element that each mark opens or closes, small enough to sort fast."""
    after = np.cumsum(opens.astype(np.int8) * 2 - 1, dtype=np.int32)
    if after.max() > DEEPEST_POSSIBLE:
        raise DocumentError(f"elements nested more than {DEEPEST_POSSIBLE:,} deep")
    return (after + ~opens).astype(np.int16)


def _parents(row: Ints, depth: Ints) -> Ints:
    """The parent of each row, in depth order."""
    depth_in_text_order = _scattered(row, depth)
    first_child = np.ones(len(row), dtype=np.bool_)
    first_child[1:] = np.diff(depth_in_text_order) == 1
    # A first child's parent is the row before it; a later child's parent is that of the
    # sibling before it, which is its neighbour in depth order.
    parent = row[last_true(first_child[row])] - 1
    parent[depth == 1] = NO_PARENT
    return parent


def _ordinals(order: _ByDepth) -> Ints:
    """The number of each row among its siblings of the same tag, in depth order."""
    # Fewer than 2^15 tags is the common case, and numpy sorts 16-bit integers by radix.
    tag = order.tag if order.tag.max() >= 1 << 15 else order.tag.astype(np.int16)
    by_tag = np.argsort(tag, kind="stable")
    tag, parent = order.tag[by_tag], order.parent[by_tag]
    first = np.ones(len(tag), dtype=np.bool_)
    first[1:] = (np.diff(tag) != 0) | (np.diff(parent) != 0) | (parent[1:] == NO_PARENT)
    return _scattered(by_tag, np.arange(len(tag)) - last_true(first) + 1)


def _paths(order: _ByDepth, builder: SummaryBuilder) -> Ints:
    """The path of each row, in depth order, one depth after another."""
    paths = np.empty(len(order.row), dtype=np.int32)
    path_of_row = np.empty(len(order.row), dtype=np.int32)
    tags = builder.tag_count
    bounds = np.searchsorted(order.depth, np.arange(1, int(order.depth[-1]) + 2)).tolist()
    for low, high in pairwise(bounds):
        # Nothing is above a root, everything else has a path above it.
        above = path_of_row[order.parent[low:high]] if low else np.full(high, NO_PARENT)
        keys = (above.astype(np.int64) + 1) * tags + order.tag[low:high]
        distinct, which = distinct_below((len(builder) + 1) * tags, keys)
        found = [builder.child(key // tags - 1, key % tags) for key in distinct.tolist()]
        paths[low:high] = np.array(found, dtype=np.int32)[which]
        path_of_row[order.row[low:high]] = paths[low:high]
    return paths


def _relative(parent: Ints, roots: Ints, rows: Ints) -> Ints:
    """Parent rows counted from each document's first row."""
    return np.where(parent == NO_PARENT, NO_PARENT, parent - np.repeat(roots, rows))


def _scattered(where: Ints, values: Ints) -> Ints:
    """An array with `values[i]` at `where[i]`, `where` being a permutation."""
    result = np.empty(len(values), dtype=values.dtype)
    result[where] = values
    return result
