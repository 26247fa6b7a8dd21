"""Rows of the node table: those with a match, and their paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.retrieve.matches import Matches

if TYPE_CHECKING:
    from doxeval.documents import Collection
    from doxeval.retrieve.index import Index


def rows_with_match(index: Index, matches: Matches, is_wanted: Bools) -> Ints:
    """All elements, ascending, in which a wanted item occurs.

    First the innermost element around each occurrence, then the elements around those, level by
    level.
    """
    collection = index.collection
    at = matches.at
    root = np.repeat(collection.rows[matches.documents], np.diff(matches.bounds))
    if not is_wanted.all():
        occurrences = is_wanted[matches.item]
        at, root = at[occurrences], root[occurrences]
    row = _innermost(index, at, root)
    parent = collection.nodes.parent
    levels = []
    while len(row):
        # Rows of a document stay in its place, so sorting them keeps them beside its root. They
        # almost ascend already, which a stable sort makes use of.
        row = np.sort(row, kind="stable")
        is_new = _first_of_equals(row)
        row, root = row[is_new], root[is_new]
        levels.append(row)
        above = parent[row]
        has_parent = above >= 0
        below, root = row[has_parent], root[has_parent]
        row = root + above[has_parent]
        collection.check_parents(below, row)
    if not levels:
        return np.empty(0, dtype=np.int64)
    rows: Ints = np.sort(np.concatenate(levels), kind="stable")
    distinct: Ints = rows[_first_of_equals(rows)]
    return distinct


def _first_of_equals(ascending: Ints) -> Bools:
    is_first = np.ones(len(ascending), dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=is_first[1:])
    return is_first


def _innermost(index: Index, at: Ints, root: Ints) -> Ints:
    """The innermost element around each position.

    It is the last one that begins there or before, or the first around that one which does not end
    before the position.
    """
    after, parent = index.elements_after, index.collection.nodes.parent
    row = np.searchsorted(index.elements_first, at, side="right") - 1
    left = np.flatnonzero(after[row] <= at)
    while len(left):
        above = root[left] + parent[row[left]]
        if ((above >= row[left]) | (above < root[left])).any():
            what = "a word lies outside of all elements of its document"
            raise index.files.damaged("elements.after.npy", what)
        row[left] = above
        left = left[after[above] <= at[left]]
    return row


def paths_of(collection: Collection, rows: Ints, documents: Ints) -> list[str]:
    """The paths of many elements, given their documents.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p/><p><b/></p></s>"})
    >>> paths_of(collection, np.array([3, 0]), np.array([0, 0]))
    ['/s[1]/p[2]/b[1]', '/s[1]']
    """
    nodes, summary = collection.nodes, collection.summary
    roots = collection.rows[documents]
    row, left = np.asarray(rows, dtype=np.int64), np.arange(len(rows))
    spelt = [""] * len(rows)
    while len(left):
        tags, ordinals = summary.tag_of[nodes.path[row]].tolist(), nodes.ordinal[row].tolist()
        for place, tag, ordinal in zip(left.tolist(), tags, ordinals, strict=True):
            spelt[place] = f"/{summary.tags[tag]}[{ordinal}]{spelt[place]}"
        above = nodes.parent[row]
        inside = above >= 0
        below, left = row[inside], left[inside]
        row = roots[left] + above[inside]
        collection.check_parents(below, row)
    return spelt
