"""What can be returned: elements, documents, windows of words, and chunks given from outside.

A unit is a range of the collection's words. Each kind of unit knows which units have a match, and
where in their documents the units are that are returned. Units are in document order; of two that
begin together, the outer one comes first.

Chunks given from outside, as units: a file of JSONL with a range of characters on each line.

    {"doc": "a", "start": 0, "end": 512}

Offsets count code points, and chunks may overlap in any way. A word belongs to the chunks that hold
its first character. Other fields are ignored: a chunk's id or text is of no use here.

Passages: stretches of text with more of the query than elsewhere.

Every word costs δ, and an occurrence of an item earns its idf. The passages of a document are its
maximal segments (Ruzzo and Tompa, A linear time algorithm for finding all maximal scoring
subsequences, ISMB 1999), with both ends moved out to the nearest border of a block. δ is the idf of
all items together, divided by a number of words: all items, once in so many words, pay for
themselves.

Sums are exact: idf is taken as a multiple of 2^-20, and everything is multiplied by the number of
words.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Ints, concatenated_ranges, positions_in
from doxeval.errors import FormatError, InputError
from doxeval.files import open_input
from doxeval.messages import join_names, plural, quoted, truncate
from doxeval.retrieve.matches import Matches, paths_of, rows_with_match

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


_MOST_OFFSET = 1 << 31


class _Line(NamedTuple):
    number: int
    document: str
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Chunks:
    """The chunks of a file, each once, in document order."""

    index: Index
    origin: str
    document: Ints
    start: Ints
    end: Ints
    first: Ints
    after: Ints
    warnings: tuple[str, ...] = ()
    units_at_a_word: int = 1

    def __str__(self) -> str:
        return self.origin

    @classmethod
    def read(cls, path: str | os.PathLike[str], index: Index) -> Chunks:
        """The chunks of a file; one outside its document is an error."""
        origin = os.fspath(path)
        lines = list(_lines(path))
        if not lines:
            raise FormatError("no chunks in the file", origin)
        document = index.collection.find_documents([line.document for line in lines])
        start = np.array([line.start for line in lines], dtype=np.int64)
        end = np.array([line.end for line in lines], dtype=np.int64)
        _refuse_outside(index, origin, lines, document, end)
        order = np.lexsort((-end, start, document))
        is_new = np.ones(len(order), dtype=np.bool_)
        is_new[1:] = np.logical_or.reduce(
            [column[order[1:]] != column[order[:-1]] for column in (document, start, end)]
        )
        warnings = []
        if not is_new.all():
            repeated = sorted(lines[row].number for row in order[~is_new].tolist())
            shown = join_names(list(map(str, repeated)), 5)
            warnings.append(
                f"{origin}: {plural(len(repeated), 'chunk')} given before, on the lines {shown}; "
                "each chunk is returned once"
            )
        order = order[is_new]
        columns = document[order], start[order], end[order]
        return cls(index, origin, *columns, *_words(index, *columns), tuple(warnings))

    def matching(self, matches: Matches, is_wanted: Bools) -> Units:
        """The chunks with a match."""
        article = positions_in(matches.documents, self.document)
        number = np.flatnonzero(article >= 0)
        first, after = self.first[number], self.after[number]
        units = Units(number, article[number], first, after, matches.tf(first, after))
        return units.some(has_wanted(units.tf, is_wanted))

    def count(self) -> Count:
        """All chunks of the file."""
        return Count(len(self.first), float((self.after - self.first).mean()))

    def extents(self, units: Units) -> tuple[Ints, Ints]:
        """Their characters: two chunks may share part of a word."""
        base = self.document[units.number] << 32
        return base + self.start[units.number], base + self.end[units.number]

    def places(self, units: Units, documents: Ints) -> list[Place]:
        """Exactly as they were given."""
        columns = (documents, self.start[units.number], self.end[units.number])
        return list(map(Place, *(column.tolist() for column in columns)))


def _lines(path: str | os.PathLike[str]) -> Iterator[_Line]:
    origin = os.fspath(path)
    with open_input(path) as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _parsed(line, origin, number)


def _parsed(line: bytes, origin: str, number: int) -> _Line:
    try:
        record: Any = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        expected = 'expected an object like {"doc": "a", "start": 0, "end": 512}'
        raise FormatError(expected, origin, number)
    document = record.get("doc")
    if isinstance(document, int) and not isinstance(document, bool):
        document = str(document)
    if not isinstance(document, str) or not document:
        message = f"doc is {quoted(document)}: expected the id of a document"
        raise FormatError(message, origin, number)
    start, end = (_offset(record, name, origin, number) for name in ("start", "end"))
    if end < start:
        raise FormatError(f"the chunk ends at {end} before it starts at {start}", origin, number)
    return _Line(number, document, start, end)


def _offset(record: dict[str, Any], name: str, origin: str, number: int) -> int:
    value = record.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _MOST_OFFSET:
        raise FormatError(
            f"{name} is {quoted(value)}: expected a whole number of characters, 0 or more",
            origin,
            number,
        )
    return value


def _refuse_outside(
    index: Index, origin: str, lines: list[_Line], document: Ints, end: Ints
) -> None:
    collection = index.collection
    unknown = np.flatnonzero(document < 0)
    if len(unknown):
        line = lines[int(unknown[0])]
        message = f"no document {quoted(line.document)} in {collection.location}"
        raise FormatError(message, origin, line.number)
    lengths = collection.nodes.end[collection.rows[document]]
    outside = np.flatnonzero(end > lengths)
    if len(outside):
        line, length = lines[int(outside[0])], int(lengths[outside[0]])
        raise FormatError(
            f"the chunk ends at {line.end:,}, and {truncate(line.document)} has "
            f"{plural(length, 'character')}",
            origin,
            line.number,
        )


def _words(index: Index, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """The words that start in each range; documents ascend."""
    first, after = np.empty(len(start), dtype=np.int64), np.empty(len(start), dtype=np.int64)
    begins = np.flatnonzero(np.diff(document, prepend=-1))
    for low, high in zip(begins.tolist(), [*begins[1:].tolist(), len(document)], strict=True):
        number = int(document[low])
        starts, base = index.starts(number), int(index.documents_first[number])
        first[low:high] = base + np.searchsorted(starts, start[low:high])
        after[low:high] = base + np.searchsorted(starts, end[low:high])
    return first, after


_ONE = 1 << 20


class Segment(NamedTuple):
    """A maximal segment: the first value, the one after the last, and their sum."""

    begin: int
    after: int
    total: int


class _Candidate(NamedTuple):
    """A segment that may still grow, and the sums of all values before it and up to its end."""

    begin: int
    after: int
    before: int
    until: int
    lower: int  # the last candidate before it with a smaller sum before it, or -1


def maximal_segments(values: Iterable[int]) -> list[Segment]:
    """All maximal segments of a sequence of whole numbers, from left to right.

    Such a segment is the one with the greatest sum, and, in the same way, those of what is left on
    both of its sides, as long as the sum is positive.

    >>> maximal_segments([4, -5, 3, -3, 1, 2, -2, 2, -2, 1, 5])
    [Segment(begin=0, after=1, total=4), Segment(begin=2, after=3, total=3), \
Segment(begin=4, after=11, total=7)]
    """
    found: list[_Candidate] = []
    total = 0
    for place, value in enumerate(values):
        before, total = total, total + value
        if value <= 0:
            continue
        begin = place
        while True:
            lower = len(found) - 1
            while lower >= 0 and found[lower].before >= before:
                lower = found[lower].lower
            if lower < 0 or found[lower].until >= total:
                break
            begin, before = found[lower].begin, found[lower].before
            del found[lower:]
        found.append(_Candidate(begin, place + 1, before, total, lower))
    return [Segment(one.begin, one.after, one.until - one.before) for one in found]


@dataclass(frozen=True, eq=False)
class Passages:
    """Passages in which all items, once in so many words, pay for themselves."""

    index: Index
    words: int = 100
    units_at_a_word: int = 1

    def __post_init__(self) -> None:
        if self.words < 1:
            raise InputError(f"passages(words={self.words}): expected 1 or more")

    def __str__(self) -> str:
        return f"passages(words={self.words})"

    def scored(
        self, matches: Matches, idf: npt.NDArray[np.float64], is_wanted: Bools
    ) -> tuple[Units, npt.NDArray[np.float64]]:
        """The passages of all documents, and the sums of their segments.

        `idf` is that of each item, multiplied by its weight.
        """
        values = np.rint(idf * _ONE).astype(np.int64)
        cost = int(values[is_wanted].sum())
        segments = list(self._segments(matches, values, cost))
        columns = np.array(segments, dtype=np.int64).reshape(-1, 4).T
        article, total = columns[0], columns[3] / (self.words * _ONE)
        first, after = self._moved_out(matches, *columns[1:3])
        order = np.lexsort((-total, -after, first))  # of equal passages the best comes first
        is_new = np.ones(len(order), dtype=np.bool_)
        is_new[1:] = (np.diff(first[order]) != 0) | (np.diff(after[order]) != 0)
        order = order[is_new]
        first, after = first[order], after[order]
        number = np.arange(len(order))
        units = Units(number, article[order], first, after, matches.tf(first, after))
        return units, total[order]

    def _segments(
        self, matches: Matches, values: Ints, cost: int
    ) -> Iterator[tuple[int, int, int, int]]:
        """The article, the first word, the word after the last, and the sum of each segment."""
        is_new = np.append(True, matches.at[1:] != matches.at[:-1])[: len(matches.at)]
        place = np.flatnonzero(is_new)
        at = matches.at[place].astype(np.int64)
        earned = np.add.reduceat(values[matches.item], place) if len(place) else values[:0]
        value = earned * self.words - cost
        gaps = -cost * (np.diff(at, append=at[-1:]) - 1)
        # An occurrence, the words up to the next one, the next one, …
        both = np.stack([value, gaps], axis=1).ravel()
        bounds = 2 * np.searchsorted(place, matches.bounds)
        for article, (low, high) in enumerate(pairwise(bounds.tolist())):
            for begin, after, total in maximal_segments(both[low : high - 1].tolist()):
                words = at[(low + begin) // 2], at[(low + after - 1) // 2] + 1
                yield article, int(words[0]), int(words[1]), total

    def _moved_out(self, matches: Matches, first: Ints, after: Ints) -> tuple[Ints, Ints]:
        """Ranges of words, with their ends moved out to the borders of blocks."""
        index, collection = self.index, self.index.collection
        begins = collection.rows[matches.documents]
        rows = concatenated_ranges(begins, collection.rows[matches.documents + 1] - begins)
        tags = collection.summary.tags
        is_block = np.array([tag not in collection.inline_tags for tag in tags], dtype=np.bool_)
        rows = rows[is_block[collection.summary.tag_of][collection.nodes.path[rows]]]
        edges = [
            index.elements_first[rows],
            index.elements_after[rows],
            index.documents_first[matches.documents],
            index.documents_first[matches.documents + 1],
        ]
        borders = np.sort(np.concatenate([edge.astype(np.int64) for edge in edges]))
        return (
            borders[np.searchsorted(borders, first, side="right") - 1],
            borders[np.searchsorted(borders, after)],
        )

    def extents(self, units: Units) -> tuple[Ints, Ints]:
        """Their words: no other word is in a block that a passage holds."""
        return units.first, units.after

    def places(self, units: Units, documents: Ints) -> list[Place]:
        """From the border of a block before the first word to that after the last word."""
        start, end = characters(self.index, units, documents)
        collection = self.index.collection
        edges: dict[int, Ints] = {}
        for document in dict.fromkeys(documents.tolist()):
            whole = [0, int(collection.nodes.end[collection.rows[document]])]
            edges[document] = np.sort(np.append(self.index.borders.borders(document), whole))
        found = []
        for at, document in enumerate(documents.tolist()):
            own = edges[document]
            before = own[np.searchsorted(own, start[at], side="right") - 1]
            found.append(Place(document, int(before), int(own[np.searchsorted(own, end[at])])))
        return found
