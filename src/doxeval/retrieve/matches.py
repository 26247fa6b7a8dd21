"""Where the items of a query occur: all their positions in one order, counted item by item.

With the number of occurrences of each item before each place, the term frequencies of any range of
words are two searches and a difference. Queries with very many occurrences are answered for some
documents at a time, so that the memory they need is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.retrieve.query import Item

if TYPE_CHECKING:
    from doxeval.documents import Collection
    from doxeval.retrieve.fields import WordWeights
    from doxeval.retrieve.index import Index

# So many occurrences are handled at once; fewer if there are more than five items.
MOST_OCCURRENCES = 5_000_000
_MOST_COUNTS = 5 * MOST_OCCURRENCES


@dataclass(frozen=True, eq=False)
class MatchBlock:
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

    @cached_property
    def document_tf(self) -> Ints:
        """How often each item occurs in each of the documents."""
        return self._tf_between(self.bounds[:-1], self.bounds[1:])

    def weighted(self, words: WordWeights) -> MatchBlock:
        """Return the same with each occurrence counted as its word is, in millionths."""
        before = np.zeros(self.before.shape, dtype=np.int64, order="F")
        before[np.arange(1, len(self.at) + 1), self.item] = words.at(self.at)
        return replace(self, before=np.cumsum(before, axis=0, out=before))

    def tf(self, first: Ints, after: Ints) -> Ints:
        """Count how often each item occurs in ranges of words."""
        # In the type of the positions: NumPy would convert all of them otherwise.
        low, high = (
            np.searchsorted(self.at, words.astype(self.at.dtype, copy=False))
            for words in (first, after)
        )
        return self._tf_between(low, high)

    def _tf_between(self, low: Ints, high: Ints) -> Ints:
        """Count the occurrences between places of `at`, item by item, as memory has them."""
        counts = np.empty((len(low), self.before.shape[1]), self.before.dtype, order="F")
        for item in range(counts.shape[1]):
            column = self.before[:, item]
            np.subtract(column.take(high), column.take(low), out=counts[:, item])
        return counts


@dataclass(frozen=True, eq=False)
class QueryOccurrences:
    """The positions of each item, in how many documents it occurs (df) and how often (cf).

    block: all occurrences, if there are not too many. Else document_bounds divide the documents
    into ranges with few enough of them.
    """

    index: Index
    items: tuple[Item, ...]
    positions: tuple[Ints, ...]
    df: Ints
    cf: Ints
    block: MatchBlock | None
    document_bounds: tuple[int, ...] = ()

    @cached_property
    def weight(self) -> Floats:
        """The weight of each item."""
        return np.array([item.weight for item in self.items], dtype=np.float64)

    @cached_property
    def is_positive(self) -> Bools:
        """Whether each item has a weight above 0: what matches has at least one such item."""
        return self.weight > 0

    def blocks(self) -> Iterator[MatchBlock]:
        """Yield the occurrences, for some documents at a time, in document order."""
        if self.block is not None:
            yield self.block
            return
        for first, after in pairwise(self.document_bounds):
            yield _match_block(self.index, self.positions, first, after)

    def in_document(self, document: int) -> MatchBlock:
        """Return the occurrences in a document."""
        return _match_block(self.index, self.positions, document, document + 1)


def find_occurrences(
    index: Index, items: Sequence[Item], most: int = MOST_OCCURRENCES
) -> QueryOccurrences:
    """Find where the items occur; those that do not occur at all are left out.

    `most` is how many occurrences are handled at once.
    """
    occurring: list[Item] = []
    lists: list[Ints] = []
    for item in items:
        at = index.term(item.terms[0]) if len(item.terms) == 1 else index.phrase(item.terms)
        if len(at):
            occurring.append(item)
            lists.append(at.astype(index.elements_first.dtype, copy=False))
    positions = tuple(lists)
    cf = np.array(list(map(len, positions)), dtype=np.int64)
    most = max(1, min(most, _MOST_COUNTS // max(len(positions), 1)))
    if int(cf.sum()) <= most:
        whole = _match_block(index, positions, 0, len(index.collection))
        df = np.count_nonzero(whole.document_tf, axis=0)
        return QueryOccurrences(index, tuple(occurring), positions, df, cf, whole)
    df = np.array([index.count_documents(each) for each in positions], dtype=np.int64)
    bounds = tuple(_document_bounds(index, positions, most))
    return QueryOccurrences(index, tuple(occurring), positions, df, cf, None, bounds)


def _match_block(index: Index, positions: Sequence[Ints], first: int, after: int) -> MatchBlock:
    """Return the occurrences in the documents from `first` up to `after`."""
    edges = index.documents_first[[first, after]].astype(index.elements_first.dtype)
    inside = [each[slice(*np.searchsorted(each, edges).tolist())] for each in positions]
    at = np.concatenate(inside) if inside else np.empty(0, dtype=edges.dtype)
    item = np.repeat(np.arange(len(inside), dtype=np.int32), list(map(len, inside)))
    if len(inside) > 1:
        order = np.argsort(at, kind="stable")  # merges what is ascending already
        at, item = at[order], item[order]
    before = np.zeros((len(at) + 1, len(inside)), dtype=np.int32, order="F")
    before[np.arange(1, len(at) + 1), item] = 1
    np.cumsum(before, axis=0, out=before)
    document = index.documents_at(at)
    begins = np.flatnonzero(np.diff(document, prepend=-1))
    return MatchBlock(at, item, before, document[begins], np.append(begins, len(at)))


def _document_bounds(index: Index, positions: Sequence[Ints], most: int) -> Iterator[int]:
    """Divide the documents so that at most `most` occurrences lie between two bounds.

    A document with more than that stays whole.
    """
    total = len(index.collection)
    document = 0
    while document < total:
        yield document
        done = _occurrences_before(index, positions, document)
        low, high = document + 1, total  # the last bound that is near enough, if there is one
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
    return sum(int(np.searchsorted(each, edge)[0]) for each in positions)


# Elements around occurrences


def matching_nodes(index: Index, block: MatchBlock, is_positive: Bools) -> Ints:
    """Return all elements, ascending, in which a positive item occurs.

    First the innermost element around each occurrence, then the elements around those, level by
    level.
    """
    collection = index.collection
    at = block.at
    root = np.repeat(collection.rows[block.documents], np.diff(block.bounds))
    if not is_positive.all():
        occurrences = is_positive[block.item]
        at, root = at[occurrences], root[occurrences]
    row = _innermost(index, at, root)
    parent = collection.nodes.parent
    levels = []
    while len(row):
        # Rows of a document stay in its place, so sorting them keeps them beside its root. They
        # almost ascend already, which a stable sort makes use of.
        row = np.sort(row, kind="stable")
        is_new = first_of_equals(row)
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
    distinct: Ints = rows[first_of_equals(rows)]
    return distinct


def first_of_equals(ascending: Ints) -> Bools:
    """Return whether each value differs from the one before it.

    >>> first_of_equals(np.array([3, 3, 7])).tolist()
    [True, False, True]
    """
    is_first = np.ones(len(ascending), dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=is_first[1:])
    return is_first


def _innermost(index: Index, at: Ints, root: Ints) -> Ints:
    """Return the innermost element around each position.

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


def node_paths(collection: Collection, rows: Ints, documents: Ints) -> list[str]:
    """Return the paths of many elements, given their documents.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p/><p><b/></p></s>"})
    >>> node_paths(collection, np.array([3, 0]), np.array([0, 0]))
    ['/s[1]/p[2]/b[1]', '/s[1]']
    """
    nodes, summary = collection.nodes, collection.summary
    roots = collection.rows[documents]
    row, left = np.asarray(rows, dtype=np.int64), np.arange(len(rows))
    paths = [""] * len(rows)
    while len(left):
        tags, ordinals = summary.tag_of[nodes.path[row]].tolist(), nodes.ordinal[row].tolist()
        for place, tag, ordinal in zip(left.tolist(), tags, ordinals, strict=True):
            paths[place] = f"/{summary.tags[tag]}[{ordinal}]{paths[place]}"
        above = nodes.parent[row]
        inside = above >= 0
        below, left = row[inside], left[inside]
        row = roots[left] + above[inside]
        collection.check_parents(below, row)
    return paths
