"""What can be returned: elements, documents, windows of words, and chunks given from outside.

A unit is a range of the collection's words. Each kind of unit knows which units have a match, and
where in their documents the units are that are returned. Units are in document order; of two that
begin together, the outer one comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from doxeval.arrays import Bools, Ints, concatenated_ranges
from doxeval.errors import InputError
from doxeval.retrieve.matches import Matches
from doxeval.retrieve.rows import paths_of, rows_with_match

if TYPE_CHECKING:
    from doxeval.retrieve.index import Index


@dataclass(frozen=True, eq=False)
class Units:
    """Some units with a match, in document order.

    number: which of all units of its kind each is. article: its document, as a position in
    `Matches.documents`. first, after: its words. tf: how often each item occurs in it.
    """

    number: Ints
    article: Ints
    first: Ints
    after: Ints
    tf: Ints

    @property
    def length(self) -> Ints:
        """How many words each has."""
        return self.after.astype(np.int64) - self.first.astype(np.int64)

    @property
    def _columns(self) -> tuple[Ints, ...]:
        return self.number, self.article, self.first, self.after, self.tf

    def some(self, which: Ints | Bools) -> Units:
        """Only some of them."""
        return Units(*(column[which] for column in self._columns))

    @classmethod
    def joined(cls, parts: Sequence[Units]) -> Units:
        """Units of several lists, one list after another."""
        if len(parts) == 1:
            return parts[0]
        columns = zip(*(part._columns for part in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))


class Place(NamedTuple):
    """Where a unit is: its document, its characters, and its path if it is an element."""

    document: int
    start: int
    end: int
    path: str | None = None


class Count(NamedTuple):
    """How many units of a kind there are, and how many words they have on average."""

    units: int
    mean_length: float


class UnitKind(Protocol):
    """A kind of unit."""

    @property
    def units_at_a_word(self) -> int:
        """In about how many units a word may be that are not inside each other."""

    def matching(self, matches: Matches, is_wanted: Bools) -> Units:
        """The units in which at least one wanted item occurs."""

    def count(self) -> Count | None:
        """How many there are; None if they are nested, so that counting says nothing."""

    def extents(self, units: Units) -> tuple[Ints, Ints]:
        """Ranges that overlap if and only if the units share text."""

    def places(self, units: Units, documents: Ints) -> list[Place]:
        """Where units are, given the document of each."""


@dataclass(frozen=True, eq=False)
class Elements:
    """The elements whose path is allowed and that have at least so many words."""

    index: Index
    is_allowed: Bools  # for each path of the summary
    min_words: int = 1
    units_at_a_word: int = 1

    def matching(self, matches: Matches, is_wanted: Bools) -> Units:
        """The elements with a match that may be returned."""
        index = self.index
        rows = rows_with_match(index, matches, is_wanted)
        rows = rows[self.is_allowed[index.collection.nodes.path[rows]]]
        first, after = index.elements_first[rows], index.elements_after[rows]
        if self.min_words > 1:
            is_long = after.astype(np.int64) - first >= self.min_words
            rows, first, after = rows[is_long], first[is_long], after[is_long]
        begins = np.searchsorted(rows, index.collection.rows[matches.documents])
        article = np.repeat(np.arange(len(begins)), np.diff(begins, append=len(rows)))
        return Units(rows, article, first, after, matches.tf(first, after))

    def count(self) -> None:
        """Elements are nested."""

    def extents(self, units: Units) -> tuple[Ints, Ints]:
        """Their words: an element with a match shares words with those that share its text."""
        return units.first, units.after

    def places(self, units: Units, documents: Ints) -> list[Place]:
        """With their paths."""
        nodes = self.index.collection.nodes
        rows = units.number
        columns = (documents, nodes.start[rows], nodes.end[rows])
        paths = paths_of(self.index.collection, rows, documents)
        return list(map(Place, *(column.tolist() for column in columns), paths))


@dataclass(frozen=True, eq=False)
class Documents:
    """Whole documents."""

    index: Index
    units_at_a_word: int = 1

    def matching(self, matches: Matches, is_wanted: Bools) -> Units:
        """The documents with a match."""
        tf, documents, first = matches.document_tf, matches.documents, self.index.documents_first
        units = Units(
            documents, np.arange(len(documents)), first[documents], first[documents + 1], tf
        )
        return units.some(has_wanted(tf, is_wanted))

    def count(self) -> None:
        """Models know the documents already."""

    def extents(self, units: Units) -> tuple[Ints, Ints]:
        """Their words."""
        return units.first, units.after

    def places(self, units: Units, documents: Ints) -> list[Place]:
        """From beginning to end."""
        collection = self.index.collection
        ends = collection.nodes.end[collection.rows[documents]]
        return [
            Place(number, 0, end)
            for number, end in zip(documents.tolist(), ends.tolist(), strict=True)
        ]


def has_wanted(tf: Ints, is_wanted: Bools) -> Bools:
    """Whether at least one wanted item occurs."""
    return np.asarray(tf[:, is_wanted].any(axis=1), dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows of so many words, the next of which begins `step` words later.

    The last window of a document ends with it.
    """

    index: Index
    words: int
    step: int

    def __post_init__(self) -> None:
        if not 1 <= self.step <= self.words:
            raise InputError(
                f"windows of {self.words} words, {self.step} apart: expected windows(words,step) "
                "with a step from 1 to the number of words"
            )

    def __str__(self) -> str:
        return f"windows(words={self.words},step={self.step})"

    @property
    def units_at_a_word(self) -> int:
        """Windows overlap if their step is smaller than they are."""
        return -(-self.words // self.step)

    def matching(self, matches: Matches, is_wanted: Bools) -> Units:
        """The windows with a match."""
        documents_first = self.index.documents_first
        occurrences = is_wanted[matches.item]
        article = np.repeat(np.arange(len(matches.documents)), np.diff(matches.bounds))[occurrences]
        begins = documents_first[matches.documents]
        counts = self._counts(documents_first[matches.documents + 1] - begins)
        base = np.cumsum(counts) - counts  # the first window of each document among them
        at = matches.at[occurrences].astype(np.int64) - begins[article]
        low = base[article] + np.maximum(-(-(at - self.words + 1) // self.step), 0)
        high = base[article] + np.minimum(at // self.step, counts[article] - 1)
        low[1:] = np.maximum(low[1:], high[:-1] + 1)  # each window once
        sizes = np.maximum(high - low + 1, 0)
        number, article = concatenated_ranges(low, sizes), np.repeat(article, sizes)
        first = begins[article] + (number - base[article]) * self.step
        after = np.minimum(first + self.words, documents_first[matches.documents + 1][article])
        return Units(number, article, first, after, matches.tf(first, after))

    def _counts(self, lengths: Ints) -> Ints:
        """How many windows documents of these lengths have."""
        more = -(-(lengths - self.words) // self.step)
        return np.where(lengths > 0, 1 + np.maximum(more, 0), 0)

    def count(self) -> Count:
        """All windows of the collection."""
        lengths = np.diff(self.index.documents_first)
        counts = self._counts(lengths)
        last = lengths - (counts - 1) * self.step  # the length of the last window of each
        words = int(((counts - 1) * self.words + last)[counts > 0].sum())
        total = int(counts.sum())
        return Count(total, words / total if total else 0.0)

    def extents(self, units: Units) -> tuple[Ints, Ints]:
        """Their words."""
        return units.first, units.after

    def places(self, units: Units, documents: Ints) -> list[Place]:
        """From the first character of the first word to the last of the last word."""
        start, end = characters(self.index, units, documents)
        return list(map(Place, documents.tolist(), start.tolist(), end.tolist()))


def characters(index: Index, units: Units, documents: Ints) -> tuple[Ints, Ints]:
    """The characters of units, from the first of their first word to the last of their last."""
    start, end = np.empty((2, len(documents)), dtype=np.int64)
    order = np.argsort(documents, kind="stable")  # each document is cut once
    edges = np.flatnonzero(np.diff(documents[order], prepend=-1, append=-1))
    for low, high in pairwise(edges.tolist()):
        which = order[low:high]
        document = int(documents[which[0]])
        begin, cut = index.documents_first[document], index.cut(document)
        start[which] = cut.start[units.first[which].astype(np.int64) - begin]
        end[which] = cut.end[units.after[which].astype(np.int64) - 1 - begin]
    return start, end
