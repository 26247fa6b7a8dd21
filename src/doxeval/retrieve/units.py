"""Retrieval units: elements, documents, windows of words, passages, and chunks given from outside.

A unit is a range of the collection's words. Each kind of unit knows which units have a match, and
where in their documents those are that are returned. Units are in document order; of two that
begin together, the outer one comes first.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints, concatenated_ranges, positions_in
from doxeval.documents import Collection, DocumentWords, PathPattern, PathPatterns
from doxeval.errors import FormatError, InputError
from doxeval.files import open_input
from doxeval.messages import Parameter, join_names, plural, quoted, truncate
from doxeval.retrieve.matches import MatchBlock, first_of_equals, matching_nodes, node_paths

if TYPE_CHECKING:
    from doxeval.retrieve.fields import WordWeights
    from doxeval.retrieve.index import Index

_MOST_OFFSET = 1 << 31
_ONE = 1 << 20


class MatchingUnits(NamedTuple):
    """Some units with a match, in document order.

    number: which of all units of its kind each is. article: its document, as a position in
    `MatchBlock.documents`. first, after: its words. tf: how often each item occurs in it.
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

    def some(self, which: Ints | Bools) -> MatchingUnits:
        """Return only some of them."""
        return MatchingUnits(*(column[which] for column in self))

    @classmethod
    def joined(cls, parts: Sequence[MatchingUnits]) -> MatchingUnits:
        """Return the units of several lists, one list after another."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))


class UnitSpans(NamedTuple):
    """Where units are: the document and the characters of each, and the paths of elements."""

    document: Ints
    start: Ints
    end: Ints
    paths: list[str] | None = None

    @classmethod
    def joined(cls, parts: Sequence[UnitSpans]) -> UnitSpans:
        """Return the spans of several lists, one list after another."""
        nothing: Ints = np.empty(0, dtype=np.int64)
        paths = [path for part in parts for path in part.paths or ()]
        return cls(
            np.concatenate([nothing, *(part.document for part in parts)]),
            np.concatenate([nothing, *(part.start for part in parts)]),
            np.concatenate([nothing, *(part.end for part in parts)]),
            paths if any(part.paths is not None for part in parts) else None,
        )

    def rows(self) -> Iterator[tuple[int, int, int, str | None]]:
        """Yield each unit's document, start, end and path; units but elements have none."""
        columns = (column.tolist() for column in (self.document, self.start, self.end))
        return zip(*columns, repeat(None) if self.paths is None else self.paths, strict=False)


class UnitCount(NamedTuple):
    """How many units of a kind there are, and how many words they have on average."""

    units: int
    mean_length: float


@dataclass(frozen=True, eq=False)
class RetrievalUnits:
    """All units of one kind in an indexed collection: the base of the kinds below."""

    index: Index

    @property
    def units_per_word(self) -> int:
        """In about how many units a word may be that are not inside each other."""
        return 1

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the units as a whole."""
        return ()

    def matching(self, block: MatchBlock, is_positive: Bools) -> MatchingUnits:
        """Return the units in which at least one positive item occurs."""
        raise NotImplementedError

    def count(self, words: WordWeights | None = None) -> UnitCount | None:
        """Count all units, and their words; None where models should count documents instead."""
        return None

    def overlap_ranges(self, units: MatchingUnits) -> tuple[Ints, Ints]:
        """Return ranges that overlap if and only if the units share text: by default words."""
        return units.first, units.after

    def spans(self, units: MatchingUnits, documents: Ints) -> UnitSpans:
        """Return where units are, given the document of each."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class ElementUnits(RetrievalUnits):
    """The elements whose path is allowed and that have enough words.

    is_allowed: for each path of the path summary, whether its elements may be returned.
    """

    is_allowed: Bools
    min_words: int = 1

    def matching(self, block: MatchBlock, is_positive: Bools) -> MatchingUnits:
        """Return the elements with a match that may be returned."""
        index = self.index
        rows = matching_nodes(index, block, is_positive)
        rows = rows[self.is_allowed[index.collection.nodes.path[rows]]]
        first, after = index.elements_first[rows], index.elements_after[rows]
        if self.min_words > 1:
            is_long = after.astype(np.int64) - first >= self.min_words
            rows, first, after = rows[is_long], first[is_long], after[is_long]
        begins = np.searchsorted(rows, index.collection.rows[block.documents])
        article = np.repeat(np.arange(len(begins)), np.diff(begins, append=len(rows)))
        return MatchingUnits(rows, article, first, after, block.tf(first, after))

    def spans(self, units: MatchingUnits, documents: Ints) -> UnitSpans:
        """Return where elements are, with their paths."""
        collection, rows = self.index.collection, units.number
        start, end = collection.nodes.start[rows], collection.nodes.end[rows]
        return UnitSpans(documents, start, end, node_paths(collection, rows, documents))


def returnable_paths(
    collection: Collection, elements: str | None, target: PathPattern | None = None
) -> Bools:
    """Return, for each path of the summary, whether its elements may be returned.

    Elements that are inline, such as `b`, are not, unless their tag is named by `elements` or by
    the target of the query. If no element at all fits `elements`, that is an error.
    """
    summary = collection.summary
    is_inline = np.array([tag in collection.inline_tags for tag in summary.tags], dtype=np.bool_)
    patterns = () if elements is None else PathPatterns.parse(elements).patterns
    targets = () if target is None else (target,)
    naming = tuple(pattern for pattern in (*patterns, *targets) if pattern.steps[-1].tags)
    allowed: Bools = ~is_inline[summary.tag_of]
    if naming:
        allowed |= PathPatterns(naming).matches(summary)
    if not patterns:
        return allowed
    fits = PathPatterns(patterns).matches(summary)
    if not fits.any():
        raise InputError(
            Parameter("elements", elements) + ": no element of the collection matches this"
        )
    return allowed & fits


@dataclass(frozen=True, eq=False)
class DocumentUnits(RetrievalUnits):
    """Whole documents."""

    def matching(self, block: MatchBlock, is_positive: Bools) -> MatchingUnits:
        """Return the documents with a match."""
        tf, documents, first = block.document_tf, block.documents, self.index.documents_first
        article = np.arange(len(documents))
        units = MatchingUnits(documents, article, first[documents], first[documents + 1], tf)
        return units.some(_have_positive(tf, is_positive))

    def spans(self, units: MatchingUnits, documents: Ints) -> UnitSpans:
        """Return documents from beginning to end."""
        collection = self.index.collection
        ends = collection.nodes.end[collection.rows[documents]]
        return UnitSpans(documents, np.zeros(len(documents), dtype=np.int64), ends)


def _have_positive(tf: Ints, is_positive: Bools) -> Bools:
    """Return whether at least one positive item occurs in each unit."""
    return np.asarray(tf[:, is_positive].any(axis=1), dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class WindowUnits(RetrievalUnits):
    """Windows of `words` words, the next of which begins `step` words later.

    The last window of a document ends with it.
    """

    words: int
    step: int

    def __post_init__(self) -> None:
        if not 1 <= self.step <= self.words:
            raise InputError(
                f"windows of {self.words} words, {self.step} apart: expected windows(words,step) "
                "with a step from 1 to the number of words"
            )

    @property
    def units_per_word(self) -> int:
        """Windows overlap if their step is smaller than they are."""
        return -(-self.words // self.step)

    def matching(self, block: MatchBlock, is_positive: Bools) -> MatchingUnits:
        """Return the windows with a match."""
        documents_first = self.index.documents_first
        occurrences = is_positive[block.item]
        article = np.repeat(np.arange(len(block.documents)), np.diff(block.bounds))[occurrences]
        begins = documents_first[block.documents]
        counts = self._counts(documents_first[block.documents + 1] - begins)
        base = np.cumsum(counts) - counts  # the first window of each document among them
        at = block.at[occurrences].astype(np.int64) - begins[article]
        low = base[article] + np.maximum(-(-(at - self.words + 1) // self.step), 0)
        high = base[article] + np.minimum(at // self.step, counts[article] - 1)
        low[1:] = np.maximum(low[1:], high[:-1] + 1)  # each window once
        sizes = np.maximum(high - low + 1, 0)
        number, article = concatenated_ranges(low, sizes), np.repeat(article, sizes)
        first = begins[article] + (number - base[article]) * self.step
        after = np.minimum(first + self.words, documents_first[block.documents + 1][article])
        return MatchingUnits(number, article, first, after, block.tf(first, after))

    def _counts(self, lengths: Ints) -> Ints:
        """Count the windows of documents of these lengths."""
        more = -(-(lengths - self.words) // self.step)
        return np.where(lengths > 0, 1 + np.maximum(more, 0), 0)

    def count(self, words: WordWeights | None = None) -> UnitCount:
        """Count all windows of the collection."""
        if words is not None:
            return self._weighted_count(words)
        lengths = np.diff(self.index.documents_first)
        counts = self._counts(lengths)
        last = lengths - (counts - 1) * self.step  # the length of the last window of each
        length = int(((counts - 1) * self.words + last)[counts > 0].sum())
        total = int(counts.sum())
        return UnitCount(total, length / total if total else 0.0)

    def _weighted_count(self, words: WordWeights) -> UnitCount:
        begins, ends = self.index.documents_first[:-1], self.index.documents_first[1:]
        counts = self._counts(ends - begins)
        first = np.repeat(begins, counts)
        first += self.step * concatenated_ranges(np.zeros_like(counts), counts)
        after = np.minimum(first + self.words, np.repeat(ends, counts))
        return UnitCount(len(first), words.mean_length(first, after))

    def spans(self, units: MatchingUnits, documents: Ints) -> UnitSpans:
        """Return windows from the first character of the first word to the last of the last."""
        return _word_span_of_units(self.index, units, documents)


def _word_span_of_units(index: Index, units: MatchingUnits, documents: Ints) -> UnitSpans:
    """Return units from the first character of their first word to the last of their last."""
    start, end = np.empty((2, len(documents)), dtype=np.int64)
    for document, which in _by_document(documents):
        begin, words = index.documents_first[document], index.word_spans(document)
        start[which] = words.start[units.first[which].astype(np.int64) - begin]
        end[which] = words.end[units.after[which].astype(np.int64) - 1 - begin]
    return UnitSpans(documents, start, end)


def _by_document(documents: Ints) -> Iterator[tuple[int, Ints]]:
    """Yield each document once, with the positions at which it is given."""
    order = np.argsort(documents, kind="stable")
    edges = np.flatnonzero(np.diff(documents[order], prepend=-1, append=-1))
    for low, high in pairwise(edges.tolist()):
        which = order[low:high]
        yield int(documents[which[0]]), which


# Passages


class MaximalSegment(NamedTuple):
    """A maximal segment: the first value, the one after the last, and their sum."""

    begin: int
    after: int
    total: int


class _OpenSegment(NamedTuple):
    """A segment that may still grow, and the sums of all values before it and up to its end."""

    begin: int
    after: int
    before: int
    until: int
    lower: int  # the last candidate before it with a smaller sum before it, or -1


def maximal_segments(values: Iterable[int]) -> list[MaximalSegment]:
    """Return all maximal segments of a sequence of whole numbers, from left to right.

    Such a segment is the one with the greatest sum, and, in the same way, those of what is left on
    both of its sides, as long as the sum is positive.

    >>> segments = maximal_segments([4, -5, 3, -3, 1, 2, -2, 2, -2, 1, 5])
    >>> [(segment.begin, segment.after, segment.total) for segment in segments]
    [(0, 1, 4), (2, 3, 3), (4, 11, 7)]
    """
    candidates: list[_OpenSegment] = []
    total = 0
    for place, value in enumerate(values):
        before, total = total, total + value
        if value <= 0:
            continue
        begin = place
        while True:
            lower = len(candidates) - 1
            while lower >= 0 and candidates[lower].before >= before:
                lower = candidates[lower].lower
            if lower < 0 or candidates[lower].until >= total:
                break
            begin, before = candidates[lower].begin, candidates[lower].before
            del candidates[lower:]
        candidates.append(_OpenSegment(begin, place + 1, before, total, lower))
    return [
        MaximalSegment(begin, after, until - before)
        for begin, after, before, until, _ in candidates
    ]


class Passages(NamedTuple):
    """Passages, and the segment that each was made of: its sum, its first word, and the one after.

    All columns have a row for each passage.
    """

    units: MatchingUnits
    total: Floats
    begin: Ints
    end: Ints


class SegmentParts(NamedTuple):
    """What the sum of a segment consists of.

    tf, items: how often each item occurs, and what it earns. words: what all words cost.
    """

    tf: Ints
    items: Floats
    words: float


@dataclass(frozen=True, eq=False)
class PassageUnits(RetrievalUnits):
    """Passages: stretches of text with more of the query than elsewhere.

    Every word costs δ, and an occurrence of an item earns its idf. The passages of a document are
    its maximal segments (Ruzzo and Tompa, A linear time algorithm for finding all maximal scoring
    subsequences, ISMB 1999), with both ends moved out to the nearest edge of a block. δ is the idf
    of all items together, divided by `words`: all items, once in so many words, pay for themselves.

    Sums are exact: idf is taken as a multiple of 2^-20, and everything is multiplied by `words`.
    """

    words: int = 100

    def __post_init__(self) -> None:
        if self.words < 1:
            raise InputError(f"passages(words={self.words}): expected 1 or more")

    def find(self, block: MatchBlock, idf: Floats, is_positive: Bools) -> Passages:
        """Find the passages of all documents.

        `idf` is that of each item, multiplied by its weight.
        """
        values = np.rint(idf * _ONE).astype(np.int64)
        cost = int(values[is_positive].sum())
        segments = list(self._segments(block, values, cost))
        columns = np.array(segments, dtype=np.int64).reshape(-1, 4).T
        article, total = columns[0], columns[3] / (self.words * _ONE)
        begin, end = columns[1:3]
        first, after = self._extend_to_blocks(block, begin, end)
        order = np.lexsort((-total, -after, first))  # of equal passages the best comes first
        order = order[first_of_equals(first[order]) | first_of_equals(after[order])]
        first, after = first[order], after[order]
        tf = block.tf(first, after)
        units = MatchingUnits(np.arange(len(order)), article[order], first, after, tf)
        return Passages(units, total[order], begin[order], end[order])

    def parts_of_segment(
        self, block: MatchBlock, idf: Floats, is_positive: Bools, begin: int, end: int
    ) -> SegmentParts:
        """Return what the sum of a segment consists of."""
        tf = block.tf(np.array([begin]), np.array([end]))[0]
        values = np.rint(idf * _ONE).astype(np.int64)
        cost = int(values[is_positive].sum())
        return SegmentParts(tf, tf * values / _ONE, -cost * (end - begin) / (self.words * _ONE))

    def _segments(
        self, block: MatchBlock, values: Ints, cost: int
    ) -> Iterator[tuple[int, int, int, int]]:
        """Yield the article, the first word, the word after the last, and the sum of segments."""
        place = np.flatnonzero(first_of_equals(block.at))
        at = block.at[place].astype(np.int64)
        earned = np.add.reduceat(values[block.item], place)
        value = earned * self.words - cost
        gaps = -cost * (np.diff(at, append=at[-1:]) - 1)
        # An occurrence, the words up to the next one, the next one, …
        both = np.stack([value, gaps], axis=1).ravel()
        bounds = 2 * np.searchsorted(place, block.bounds)
        for article, (low, high) in enumerate(pairwise(bounds.tolist())):
            for begin, after, total in maximal_segments(both[low : high - 1].tolist()):
                words = at[(low + begin) // 2], at[(low + after - 1) // 2] + 1
                yield article, int(words[0]), int(words[1]), total

    def _extend_to_blocks(self, block: MatchBlock, first: Ints, after: Ints) -> tuple[Ints, Ints]:
        """Return ranges of words with their ends moved out to the edges of blocks."""
        index, collection = self.index, self.index.collection
        begins = collection.rows[block.documents]
        rows = concatenated_ranges(begins, collection.rows[block.documents + 1] - begins)
        rows = rows[DocumentWords(collection).are_blocks(rows)]
        columns = [
            index.elements_first[rows],
            index.elements_after[rows],
            index.documents_first[block.documents],
            index.documents_first[block.documents + 1],
        ]
        edges = np.sort(np.concatenate([column.astype(np.int64) for column in columns]))
        return (
            edges[np.searchsorted(edges, first, side="right") - 1],
            edges[np.searchsorted(edges, after)],
        )

    def spans(self, units: MatchingUnits, documents: Ints) -> UnitSpans:
        """Return passages from the block edge before the first word to that after the last."""
        _, start, end, _ = _word_span_of_units(self.index, units, documents)
        collection = self.index.collection
        for document, which in _by_document(documents):
            whole = [0, int(collection.nodes.end[collection.rows[document]])]
            edges = np.sort(np.append(self.index.block_edges(document), whole))
            start[which] = edges[np.searchsorted(edges, start[which], side="right") - 1]
            end[which] = edges[np.searchsorted(edges, end[which])]
        return UnitSpans(documents, start, end)


# Chunks


@dataclass(frozen=True, eq=False)
class ChunkUnits(RetrievalUnits):
    """The chunks of a file, each once, in document order.

    The file is JSONL with a span of code points on each line, {"doc": "a", "start": 0, "end": 512}.
    Chunks may overlap in any way. A word belongs to the chunks that hold its first character. A
    chunk may have an id, by which its score can be explained; other fields are ignored.
    """

    document: Ints
    start: Ints
    end: Ints
    first: Ints
    after: Ints
    origin: str = ""
    warnings: tuple[str, ...] = ()

    @classmethod
    def read(cls, path: str | os.PathLike[str], index: Index) -> ChunkUnits:
        """Read the chunks of a file; one outside its document is an error."""
        origin = os.fspath(path)
        lines = list(_read_chunk_lines(path))
        if not lines:
            raise FormatError("no chunks in the file", origin)
        document = index.collection.find_documents([line.document for line in lines])
        start: Ints = np.array([line.start for line in lines], dtype=np.int64)
        end: Ints = np.array([line.end for line in lines], dtype=np.int64)
        _refuse_outside(index, origin, lines, document, end)
        order = np.lexsort((-end, start, document))
        columns = (document[order], start[order], end[order])
        is_new = np.logical_or.reduce([first_of_equals(column) for column in columns])
        warnings = []
        if not is_new.all():
            repeated = sorted(lines[row].number for row in order[~is_new].tolist())
            shown = join_names(list(map(str, repeated)), 5)
            warnings.append(
                f"{origin}: {plural(len(repeated), 'chunk')} given before, on the lines {shown}; "
                "each chunk is returned once"
            )
        document, start, end = (column[is_new] for column in columns)
        words = _words_in_spans(index, document, start, end)
        return cls(index, document, start, end, *words, origin, tuple(warnings))

    def find(self, name: str, document: str | None) -> tuple[str, str] | None:
        """Return the document and the span of a chunk, START-END, by its id in the file."""
        for line in _read_chunk_lines(self.origin):
            if line.id == name and document in (None, line.document):
                return line.document, f"{line.start}-{line.end}"
        return None

    def matching(self, block: MatchBlock, is_positive: Bools) -> MatchingUnits:
        """Return the chunks with a match."""
        article = positions_in(block.documents, self.document)
        number = np.flatnonzero(article >= 0)
        first, after = self.first[number], self.after[number]
        units = MatchingUnits(number, article[number], first, after, block.tf(first, after))
        return units.some(_have_positive(units.tf, is_positive))

    def count(self, words: WordWeights | None = None) -> UnitCount:
        """Count all chunks of the file."""
        if words is not None:
            return UnitCount(len(self.first), words.mean_length(self.first, self.after))
        return UnitCount(len(self.first), float((self.after - self.first).mean()))

    def overlap_ranges(self, units: MatchingUnits) -> tuple[Ints, Ints]:
        """Return characters: two chunks may share part of a word."""
        base = self.document[units.number] << 32
        return base + self.start[units.number], base + self.end[units.number]

    def spans(self, units: MatchingUnits, documents: Ints) -> UnitSpans:
        """Return chunks exactly as they were given."""
        return UnitSpans(documents, self.start[units.number], self.end[units.number])


class _ChunkLine(NamedTuple):
    number: int
    document: str
    start: int
    end: int
    id: str | None


def _read_chunk_lines(path: str | os.PathLike[str]) -> Iterator[_ChunkLine]:
    origin = os.fspath(path)
    with open_input(path) as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _parse_chunk_line(line, origin, number)


def _parse_chunk_line(line: bytes, origin: str, number: int) -> _ChunkLine:
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
    name = record.get("id")
    return _ChunkLine(number, document, start, end, None if name is None else str(name))


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
    index: Index, origin: str, lines: list[_ChunkLine], document: Ints, end: Ints
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


def _words_in_spans(index: Index, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Return the words that start in each span: the first, and the one after the last."""
    first, after = np.empty((2, len(document)), dtype=np.int64)
    for number, which in _by_document(document):
        starts, base = index.starts(number), int(index.documents_first[number])
        first[which] = base + np.searchsorted(starts, start[which])
        after[which] = base + np.searchsorted(starts, end[which])
    return first, after
