"""Where the chunks of a document are in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from doxeval.arrays import Bools, Bytes, Floats, Ints
from doxeval.errors import InputError
from doxeval.locating.align import Placed, depths, distinct_texts, placed_by_level
from doxeval.locating.fuzzy import Altered, altered
from doxeval.locating.occurrences import most_places, occurrences
from doxeval.locating.offsets import Given, GivenOffsets, checked, shared_error
from doxeval.locating.report import How, LocatingReport, MissingChunk, OffsetsReport
from doxeval.locating.text import DenseText, DenseTexts
from doxeval.messages import Parameter
from doxeval.spans import Spans, merge_spans


@dataclass(frozen=True, eq=False)
class LocatedSpans:
    """Spans [start, end) of chunks `row`, ascending, and columns about all chunks."""

    row: Ints
    start: Ints
    end: Ints
    how: Bytes
    share: Floats
    ambiguous: Bools
    added: Ints

    def last_ends(self) -> Ints:
        """Return where each chunk ends in the text, -1 if it was not found."""
        ends = np.full(len(self.how), -1, dtype=np.int64)
        ends[self.row] = self.end
        return ends

    def columns(self) -> dict[str, Any]:
        """Return the columns, with the first span of each chunk for the chunk of each span."""
        counts = np.bincount(self.row, minlength=len(self.how))
        columns = {name: value for name, value in vars(self).items() if name != "row"}
        return {"begin": np.append(0, np.cumsum(counts)), **columns}


def unaltered(
    document: DenseText, dense_texts: DenseTexts, given: GivenOffsets | None, places: Placed
) -> LocatedSpans:
    """Return the spans of chunks found as they are, white space aside.

    If the white space is the same, too, that at both ends of a chunk belongs to it.
    """
    rows = np.flatnonzero(places.start >= 0)
    start = document.offsets[places.start[rows]]
    end = document.offsets[places.start[rows] + places.length[rows] - 1] + 1
    whole = ~places.broken[rows]
    exact = whole & _verbatim(document, dense_texts, rows, start, end)
    start = np.where(exact, start - dense_texts.lead[rows], start)
    end = np.where(exact, end + dense_texts.trail[rows], end)
    how = np.full(len(dense_texts), How.NOT_FOUND, dtype=np.uint8)
    how[dense_texts.lengths == 0] = How.BLANK
    how[places.too_many] = How.TOO_AMBIGUOUS
    how[rows] = np.where(exact, How.EXACT, np.where(whole, How.WHITE_SPACE, How.TRUNCATED))
    if given is not None:
        right = whole & (given.place[rows] == places.start[rows])
        how[rows[right]] = How.OFFSETS
        start = np.where(right, given.start[rows], start)
        end = np.where(right & (given.end[rows] >= 0), given.end[rows], end)
    none = np.zeros(len(dense_texts), dtype=np.int64)
    share = (how != How.NOT_FOUND).astype(np.float64)
    return LocatedSpans(rows, start, end, how, share, places.ambiguous, none)


def tiled_as_they_are(text: str, chunks: Sequence[str]) -> LocatedSpans | None:
    """Return the spans of chunks that follow each other in the text, white space aside.

    None if they do not, or leave anything but white space. This is what most splitters give, and
    needs no more than one look at each chunk.
    """
    rows, starts, ends = [], [], []
    how = np.full(len(chunks), How.BLANK, dtype=np.uint8)
    at = 0
    for row, chunk in enumerate(chunks):
        core = chunk.strip()
        if not core:
            continue
        while at < len(text) and text[at].isspace():
            at += 1
        if not text.startswith(core, at):
            return None
        first = at - chunk.index(core[0])
        exact = first >= 0 and text.startswith(chunk, first)
        at += len(core)
        rows.append(row)
        starts.append(first if exact else at - len(core))
        ends.append(first + len(chunk) if exact else at)
        how[row] = How.EXACT if exact else How.WHITE_SPACE
    if text[at:].strip():
        return None
    none = np.zeros(len(chunks), dtype=np.int64)
    row, start, end = np.array([rows, starts, ends], dtype=np.int64)
    return LocatedSpans(row, start, end, how, np.ones(len(chunks)), none.astype(np.bool_), none)


def _verbatim(
    document: DenseText, dense_texts: DenseTexts, rows: Ints, start: Ints, end: Ints
) -> Bools:
    """Return which chunks stand in the text character by character, white space included."""
    text, chunks = document.text, dense_texts.texts
    first = (start - dense_texts.lead[rows]).tolist()
    after = (end + dense_texts.trail[rows]).tolist()
    return np.fromiter(
        (
            a >= 0 and text[a:b] == chunks[row]
            for row, a, b in zip(rows.tolist(), first, after, strict=True)
        ),
        np.bool_,
        len(rows),
    )


def joined(spans: LocatedSpans, altered_chunks: Sequence[Altered]) -> LocatedSpans:
    """Return the spans with those of altered chunks."""
    how, share, ambiguous = spans.how.copy(), spans.share.copy(), spans.ambiguous.copy()
    added = spans.added.copy()
    for chunk in altered_chunks:
        share[chunk.row] = chunk.share
        if chunk.too_many:
            how[chunk.row] = How.TOO_AMBIGUOUS
        if chunk.spans:
            how[chunk.row], ambiguous[chunk.row] = How.FUZZY, chunk.ambiguous
            added[chunk.row] = chunk.added
    of_altered = [(chunk.row, *span) for chunk in altered_chunks for span in chunk.spans]
    row, start, end = np.array(of_altered, dtype=np.int64).reshape(-1, 3).T
    row = np.append(spans.row, row)
    order = np.argsort(row, kind="stable")
    return replace(
        spans,
        row=row[order],
        start=np.append(spans.start, start)[order],
        end=np.append(spans.end, end)[order],
        how=how,
        share=share,
        ambiguous=ambiguous,
        added=added,
    )


@dataclass(frozen=True, eq=False)
class Located:
    """The spans of chunks in one document, as columns with a row for each chunk.

    The spans of chunk i are rows `begin[i]` to `begin[i + 1]` of `start` and `end`: one usually,
    none if it is not found, too ambiguous or blank, several if its parts are apart in the text.
    `how` holds values of `How`; `share` is the share of its letters that were found (1 unless it is
    fuzzy); `added` counts its characters that the document does not have, all of them if it was not
    located. `ambiguous` chunks have other spans that are as good. `parents` are numbers of chunks,
    or -1.
    """

    begin: Ints
    start: Ints
    end: Ints
    how: Bytes
    share: Floats
    ambiguous: Bools
    added: Ints
    document: DenseText
    chunks: DenseTexts
    offsets: GivenOffsets | None = None
    parents: Ints | None = None
    in_order: bool = True

    def __len__(self) -> int:
        return len(self.how)

    def spans(self, number: int) -> tuple[tuple[int, int], ...]:
        """Return the spans of one chunk.

        >>> from doxeval.locating import locate_chunks
        >>> locate_chunks("to be or not", ["to be or", "or not"]).spans(1)
        ((6, 12),)
        """
        rows = slice(self.begin[number], self.begin[number + 1])
        return tuple(zip(self.start[rows].tolist(), self.end[rows].tolist(), strict=True))

    @property
    def first(self) -> Ints:
        """Where the first span of each chunk starts; -1 if it has none."""
        first = np.full(len(self), -1, dtype=np.int64)
        has_spans = np.diff(self.begin) > 0
        first[has_spans] = self.start[self.begin[:-1][has_spans]]
        return first

    @cached_property
    def repeated(self) -> Bools:
        """Which chunks have a text that stands more than once in the document."""
        number, first = distinct_texts(self.chunks)
        of_texts = occurrences(self.document, self.chunks, first, most_places(self.document))
        return ((of_texts.counts > 1) | of_texts.too_many)[number]

    @cached_property
    def report(self) -> LocatingReport:
        """What was found how."""
        counts = np.bincount(self.how, minlength=len(How)).tolist()
        return LocatingReport(
            chunks=len(self),
            how={how.word: counts[how] for how in How},
            repeated=int(self.repeated.sum()),
            ambiguous=int(self.ambiguous.sum()),
            characters=len(self.document),
            uncovered=self._uncovered(),
            offsets=self._offsets_report(),
            out_of_order=0 if self.in_order else 1,
            missing=tuple(map(self.missing_chunk, self.missing.tolist())),
        )

    @property
    def missing(self) -> Ints:
        """The numbers of the chunks of which it is not known where they stand."""
        return np.flatnonzero((self.how == How.NOT_FOUND) | (self.how == How.TOO_AMBIGUOUS))

    def missing_chunk(self, number: int) -> MissingChunk:
        """Return what is known of a chunk that has no place."""
        is_too_ambiguous = bool(self.how[number] == How.TOO_AMBIGUOUS)
        text, share = self.chunks.texts[number], float(self.share[number])
        return MissingChunk(None, number, text, share, is_too_ambiguous)

    def _uncovered(self) -> int:
        """Return how many non-space characters of the document are in no chunk."""
        spans = merge_spans(Spans(np.zeros_like(self.start), self.start, self.end))
        before = self.document.dense_before
        return len(self.document) - int((before(spans.end) - before(spans.start)).sum())

    def _offsets_report(self) -> OffsetsReport | None:
        if self.offsets is None:
            return None
        has_spans = np.diff(self.begin) > 0
        right = (self.how == How.OFFSETS) & has_spans
        missing = (self.offsets.start < 0) & (self.how != How.BLANK)
        wrong = ~right & ~missing & (self.how != How.BLANK)
        parent = None
        if self.parents is not None:
            parent = np.where(self.parents >= 0, self.first[self.parents], -1)
        note = shared_error(self.offsets, self.first, has_spans & wrong, parent)
        return OffsetsReport(int(right.sum()), int(missing.sum()), int(wrong.sum()), note)


Order = Literal["list", "none"]


def locate_chunks(
    text: str | DenseText,
    chunks: Sequence[str],
    *,
    offsets: Given | None = None,
    parents: Sequence[int] | None = None,
    order: Order = "list",
    min_share: float = 0.8,
) -> Located:
    """Find the chunks of one document in its text.

    `offsets` are the starts and ends that came with the chunks (ends may be None, missing ones None
    or -1). They are checked, and chunks that do not stand there are searched. With `order="list"`
    the chunks are in the order of the text, which decides which copy of a repeated text is meant;
    `parents`, the number of each chunk's parent in the list or -1, separate the levels of a tree. A
    chunk of which only part is found needs a share of `min_share`, unless all the rest of it stands
    before or after what was found.

    >>> located = locate_chunks("one two one two three", ["one two", "one  two", "three"])
    >>> [located.spans(i) for i in range(3)]
    [((0, 7),), ((8, 15),), ((16, 21),)]
    >>> print(located.report)
    3 chunks: 2 exact, 1 white space, 0 fuzzy, 0 not found · 2 occur more than once, 0 ambiguous · \
0 of 17 non-space characters in no chunk · offsets: none given
    """
    if order not in ("list", "none"):
        raise InputError(Parameter("order", order) + ": expected 'list' or 'none'")
    if not 0 < min_share <= 1:
        raise InputError(
            Parameter("min_share", min_share) + ": expected a share above 0, at most 1"
        )
    document = text if isinstance(text, DenseText) else DenseText(text)
    dense_texts = DenseTexts(chunks)
    above = _parents(parents, len(dense_texts))
    depth = depths(above)
    given = checked(document, dense_texts, offsets)
    spans, in_order = None, True
    if order == "list" and given is None and not depth.any():
        spans = tiled_as_they_are(document.text, chunks)
    if spans is None:
        spans, in_order = _searched(document, dense_texts, given, depth, order, min_share)
    return Located(
        **spans.columns(),
        document=document,
        chunks=dense_texts,
        offsets=given,
        parents=None if parents is None else above,
        in_order=in_order,
    )


def _parents(given: Sequence[int] | None, count: int) -> Ints:
    """Return the number of each chunk's parent, -1 for none."""
    if given is None:
        return np.full(count, -1)
    try:
        parents = np.asarray(given, dtype=np.int64)
    except (TypeError, ValueError, OverflowError):
        raise InputError("parents= names a chunk that is not in the list") from None
    if parents.shape != (count,):
        raise InputError(f"parents= has {len(given):,} numbers for {count:,} chunks")
    return parents


def _searched(
    document: DenseText,
    dense_texts: DenseTexts,
    given: GivenOffsets | None,
    depth: Ints,
    order: Order,
    min_share: float,
) -> tuple[LocatedSpans, bool]:
    """Return the spans of chunks, and whether they are in the order of the text if required."""
    at_offsets = None if given is None else given.place
    places = placed_by_level(document, dense_texts, at_offsets, depth, order)
    spans = unaltered(document, dense_texts, given, places)
    missing = np.flatnonzero(spans.how == How.NOT_FOUND)
    if len(missing):
        ends = spans.last_ends()
        spans = joined(
            spans, altered(document, dense_texts, missing, ends, depth, order, min_share)
        )
    unlocated = np.flatnonzero((spans.how == How.NOT_FOUND) | (spans.how == How.TOO_AMBIGUOUS))
    added = spans.added.copy()
    added[unlocated] = [len(dense_texts.texts[row].strip()) for row in unlocated.tolist()]
    return replace(spans, added=added), places.in_order
