"""Where the items of a query occur: all their positions in one order, counted item by item.

With the number of occurrences of each item before each place, the term frequencies of any range of
words are two searches and a difference. Queries with very many occurrences are answered for some
documents at a time, so that the memory they need is bounded.
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
