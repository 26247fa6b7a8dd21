"""Where chunks stand in a document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from doxeval.arrays import Bools, Bytes, Floats, Ints
from doxeval.locating.how import How
from doxeval.locating.occurrences import most_places, occurrences
from doxeval.locating.own_offsets import OwnOffsets, own_note
from doxeval.locating.placing import distinct_texts
from doxeval.locating.report import LocatingReport, LostChunk, OwnReport
from doxeval.locating.solid import SolidPieces, SolidText
from doxeval.spans import Spans, merge_spans


@dataclass(frozen=True, eq=False)
class Located:
    """The places of chunks in one document, as columns with a row for each chunk.

    The ranges of chunk i are rows `begin[i]` to `begin[i + 1]` of `start` and `end`: one usually,
    none if it is lost, too ambiguous or blank, several if its parts stand apart in the text. `how`
    holds values of `How`; `share` is the share of its letters that were found (1 unless it was
    folded); `prefix` and `suffix` count its characters at both ends that the document does not have
    there.
    `ambiguous` chunks have other places that are as good. `parents` are numbers of chunks, or -1.
    """

    begin: Ints
    start: Ints
    end: Ints
    how: Bytes
    share: Floats
    ambiguous: Bools
    prefix: Ints
    suffix: Ints
    document: SolidText
    chunks: SolidPieces
    own: OwnOffsets | None = None
    parents: Ints | None = None
    in_order: bool = True

    def __len__(self) -> int:
        return len(self.how)

    def spans(self, number: int) -> tuple[tuple[int, int], ...]:
        """The ranges [start, end) of one chunk.

        >>> from doxeval.locating import locate_chunks
        >>> locate_chunks("to be or not", ["to be or", "or not"]).spans(1)
        ((6, 12),)
        """
        rows = slice(self.begin[number], self.begin[number + 1])
        return tuple(zip(self.start[rows].tolist(), self.end[rows].tolist(), strict=True))

    @property
    def first(self) -> Ints:
        """Where the first range of each chunk starts; -1 if it has none."""
        first = np.full(len(self), -1, dtype=np.int64)
        found = np.diff(self.begin) > 0
        first[found] = self.start[self.begin[:-1][found]]
        return first

    @cached_property
    def repeated(self) -> Bools:
        """Which chunks have a text that stands more than once in the document."""
        number, first = distinct_texts(self.chunks)
        found = occurrences(self.document, self.chunks, first, most_places(self.document))
        return ((found.counts > 1) | found.too_many)[number]

    @cached_property
    def report(self) -> LocatingReport:
        """What was found how."""
        counts = np.bincount(self.how, minlength=len(How)).tolist()
        return LocatingReport(
            chunks=len(self),
            found={how.word: counts[how] for how in How},
            repeated=int(self.repeated.sum()),
            ambiguous=int(self.ambiguous.sum()),
            solid=len(self.document),
            uncovered=self._uncovered(),
            own=self._own_report(),
            out_of_order=0 if self.in_order else 1,
            lost=tuple(map(self.lost_chunk, self.lost.tolist())),
        )

    @property
    def lost(self) -> Ints:
        """The numbers of the chunks of which it is not known where they stand."""
        return np.flatnonzero((self.how == How.LOST) | (self.how == How.TOO_AMBIGUOUS))

    def lost_chunk(self, number: int) -> LostChunk:
        """What is known of a chunk that has no place."""
        is_too_ambiguous = bool(self.how[number] == How.TOO_AMBIGUOUS)
        text, share = self.chunks.texts[number], float(self.share[number])
        return LostChunk(None, number, text, share, is_too_ambiguous)

    def _uncovered(self) -> int:
        """How many solid characters of the document are in no chunk."""
        spans = merge_spans(Spans(np.zeros_like(self.start), self.start, self.end))
        before = self.document.solid_before
        return len(self.document) - int((before(spans.end) - before(spans.start)).sum())

    def _own_report(self) -> OwnReport | None:
        if self.own is None:
            return None
        found = np.diff(self.begin) > 0
        right = (self.how == How.OWN) & found
        missing = (self.own.start < 0) & (self.how != How.BLANK)
        wrong = ~right & ~missing & (self.how != How.BLANK)
        parent = None
        if self.parents is not None:
            parent = np.where(self.parents >= 0, self.first[self.parents], -1)
        note = own_note(self.own, self.first, found & wrong, parent)
        return OwnReport(int(right.sum()), int(missing.sum()), int(wrong.sum()), note)
