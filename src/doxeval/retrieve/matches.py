"""Where the items of a query occur: all their positions in one order, counted item by item.

With the number of occurrences of each item before each place, the term frequencies of any range of
words are two searches and a difference. Queries with very many occurrences are answered for some
documents at a time, so that the memory they need is bounded.

Rows of the node table: those with a match, and their paths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.retrieve.query import Item

if TYPE_CHECKING:
    from doxeval.documents import Collection
    from doxeval.retrieve.index import Index

# So many occurrences are handled at once; fewer if there are more than five items.
MOST_OCCURRENCES = 5_000_000
_MOST_COUNTS = 5 * MOST_OCCURRENCES


@dataclass(frozen=True, eq=False)
class Matches:
    """The occurrences of all items in some documents.

    `at` has their positions, ascending; `item` says of which item each is, and `before` (one row
    more, one column per item) how many of each item come before it. `documents` are the documents
    with an occurrence; those of document i are `bounds[i]` to `bounds[i + 1]`.
    """

    at: Ints
    item: Ints
    before: Ints
    documents: Ints
    bounds: Ints

    @property
    def document_tf(self) -> Ints:
        """How often each item occurs in each of the documents."""
        return self._between(self.bounds[:-1], self.bounds[1:])

    def tf(self, first: Ints, after: Ints) -> Ints:
        """How often each item occurs in ranges of words."""
        return self._between(self._places(first), self._places(after))

    def _between(self, low: Ints, high: Ints) -> Ints:
        """How many of each item are between places of `at`: item by item, as memory has them."""
        counts = np.empty((len(low), self.before.shape[1]), dtype=np.int32, order="F")
        for item in range(counts.shape[1]):
            column = self.before[:, item]
            np.subtract(column.take(high), column.take(low), out=counts[:, item])
        return counts

    def _places(self, words: Ints) -> Ints:
        # In the type of the positions: NumPy would convert all of them otherwise.
        return np.searchsorted(self.at, words.astype(self.at.dtype, copy=False))


@dataclass(frozen=True, eq=False)
class Occurrences:
    """The positions of each item, in how many documents it occurs (df) and how often (cf)."""

    index: Index
    items: tuple[Item, ...]
    positions: tuple[Ints, ...]
    df: Ints
    cf: Ints
    parts: tuple[Matches, ...]
    cuts: tuple[int, ...]

    @property
    def weight(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """The weight of each item."""
        return np.array([item.weight for item in self.items], dtype=np.float64)

    @property
    def is_wanted(self) -> Bools:
        """Whether an item is more than unwanted: what matches has at least one such item."""
        return self.weight > 0

    def matches(self) -> Iterator[Matches]:
        """The occurrences, for some documents at a time, in document order."""
        if self.parts:
            yield from self.parts
            return
        for first, beyond in pairwise(self.cuts):
            yield _matches(self.index, self.positions, first, beyond)

    def within(self, document: int) -> Matches:
        """The occurrences in one document."""
        return _matches(self.index, self.positions, document, document + 1)


def find_occurrences(
    index: Index, items: Sequence[Item], most: int = MOST_OCCURRENCES
) -> Occurrences:
    """Where the items occur; those that do not occur at all are left out.

    `most` is how many occurrences are handled at once.
    """
    found = [(item, own) for item in items if len(own := _positions(index, item))]
    items, positions = [item for item, _ in found], tuple(own for _, own in found)
    cf = np.array([len(own) for own in positions], dtype=np.int64)
    most = max(1, min(most, _MOST_COUNTS // max(len(items), 1)))
    if int(cf.sum()) <= most:
        whole = _matches(index, positions, 0, len(index.collection))
        df = np.count_nonzero(whole.document_tf, axis=0)
        return Occurrences(index, tuple(items), positions, df, cf, (whole,), ())
    df = np.array([_documents_with(index, own, most) for own in positions], dtype=np.int64)
    cuts = tuple(_cuts(index, positions, most))
    return Occurrences(index, tuple(items), positions, df, cf, (), cuts)


def _positions(index: Index, item: Item) -> Ints:
    found = index.term(item.terms[0]) if len(item.terms) == 1 else index.phrase(item.terms)
    return found.astype(index.elements_first.dtype, copy=False)


def _matches(index: Index, positions: Sequence[Ints], first: int, beyond: int) -> Matches:
    """The occurrences in the documents from `first` up to `beyond`."""
    edges = index.documents_first[[first, beyond]].astype(index.elements_first.dtype)
    own = [one[slice(*np.searchsorted(one, edges).tolist())] for one in positions]
    at = np.concatenate(own) if own else np.empty(0, dtype=edges.dtype)
    item = np.repeat(np.arange(len(own), dtype=np.int32), [len(one) for one in own])
    if len(own) > 1:
        order = np.argsort(at, kind="stable")  # merges what is ascending already
        at, item = at[order], item[order]
    before = np.zeros((len(at) + 1, len(own)), dtype=np.int32, order="F")
    before[np.arange(1, len(at) + 1), item] = 1
    np.cumsum(before, axis=0, out=before)
    document = _documents_at(index, at)
    begins = np.flatnonzero(np.diff(document, prepend=-1))
    return Matches(at, item, before, document[begins], np.append(begins, len(at)))


def _documents_at(index: Index, positions: Ints) -> Ints:
    return np.searchsorted(index.documents_first, positions.astype(np.int64), side="right") - 1


def _documents_with(index: Index, positions: Ints, most: int) -> int:
    """In how many documents a long list of positions lies."""
    count, last = 0, -1
    for begin in range(0, len(positions), most):
        documents = _documents_at(index, positions[begin : begin + most])
        count += int(np.count_nonzero(np.diff(documents, prepend=last)))
        last = int(documents[-1])
    return count


def _cuts(index: Index, positions: Sequence[Ints], most: int) -> Iterator[int]:
    """The documents before which occurrences are divided: at most `most` between two of them.

    A document with more than that stays whole.
    """
    total = len(index.collection)
    document = 0
    while document < total:
        yield document
        done = _occurrences_before(index, positions, document)
        low, high = document + 1, total  # the last cut that is near enough, if there is one
        while low < high:
            middle = (low + high + 1) // 2
            if _occurrences_before(index, positions, middle) - done <= most:
                low = middle
            else:
                high = middle - 1
        document = low
    yield total


def _occurrences_before(index: Index, positions: Sequence[Ints], document: int) -> int:
    edge = index.documents_first[document : document + 1].astype(index.elements_first.dtype)
    return sum(int(np.searchsorted(own, edge)[0]) for own in positions)


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
