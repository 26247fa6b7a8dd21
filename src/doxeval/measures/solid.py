"""Ranges of text counted without white space: every offset as the solid characters before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments.judgment_columns import JudgmentColumns
from doxeval.assessments.needs import Needs
from doxeval.measures.texts import Texts
from doxeval.runs.resolution import ResolvedRun
from doxeval.spans import Spans, merged


class Solid:
    """Offsets of documents as numbers of solid characters.

    Documents whose text is not known keep their offsets, unless `strict`, which is an error.
    """

    def __init__(self, texts: Texts, *, strict: bool) -> None:
        self._texts = texts
        self._strict = strict

    def before(self, names: Sequence[str], document: Ints, offset: Ints) -> Ints:
        """How many solid characters are before each offset of a document, given by its number."""
        found = np.array(offset, dtype=np.int64)
        order = np.argsort(document, kind="stable")
        edges = np.flatnonzero(np.diff(document[order])) + 1
        for rows in np.split(order, edges):
            if not len(rows) or document[rows[0]] < 0:
                continue
            name = names[int(document[rows[0]])]
            if not self._strict and self._texts.find(name) is None:
                continue
            given = offset[rows]
            blanks = np.searchsorted(self._texts.blanks(name), given)
            found[rows] = np.where(given < 0, given, given - blanks)
        return found

    def around(
        self, names: Sequence[str], document: Ints, start: Ints, end: Ints
    ) -> tuple[Ints, Ints]:
        """Return ranges widened over the white space next to them.

        >>> one = np.array([0])
        >>> solid = Solid(Texts({"a": "one  two"}), strict=False)
        >>> [edge.tolist() for edge in solid.around(["a"], one, one + 5, one + 8)]
        [[3], [8]]
        """
        wide_start, wide_end = np.array(start, dtype=np.int64), np.array(end, dtype=np.int64)
        for number in np.unique(document).tolist():
            if number < 0 or not self._texts.knows(names[number]):
                continue
            rows = np.flatnonzero((document == number) & (end > start) & (start >= 0))
            blanks = self._texts.blanks(names[number])
            solid = blanks - np.arange(len(blanks))  # characters before each that are not blank

            def after(count: Ints, solid: Ints = solid) -> Ints:
                """Return where the next solid character stands, after so many of them."""
                return count + np.searchsorted(solid, count, "right")

            before = start[rows] - np.searchsorted(blanks, start[rows])
            wide_start[rows] = np.where(before > 0, after(before - 1) + 1, 0)
            wide_end[rows] = after(end[rows] - np.searchsorted(blanks, end[rows]))
        return wide_start, wide_end

    def columns(self, columns: JudgmentColumns) -> JudgmentColumns:
        """Judgments with their highlights counted this way."""
        group, start, end = columns.highlights
        names, document = columns.documents, columns.document[group]
        start, end = self.before(names, document, start), self.before(names, document, end)
        every = np.arange(len(columns))
        length = self.before(names, columns.document[every], columns.length)
        return replace(columns, highlights=merged(Spans(group, start, end)), length=length)

    def needs(self, needs: Needs, columns: JudgmentColumns) -> Needs:
        """Return the needs with their ranges counted this way, the shortest first again."""
        names, document = columns.documents, columns.document[needs.pair]
        found = replace(
            needs,
            start=self.before(names, document, needs.start),
            end=self.before(names, document, needs.end),
        )
        return found.shortest_first([names[one] for one in document.tolist()])

    def resolved(self, resolved: ResolvedRun) -> ResolvedRun:
        """Results with their ranges counted this way; those that name nothing stay as they are."""
        run = resolved.run
        missing = np.array([one.row for one in resolved.unresolved], dtype=np.int64)
        document = np.array(run.document, dtype=np.int64)
        document[missing] = -1
        spans = resolved.spans
        if spans is not None:
            owner = document[spans.owner]
            start, end = (self.before(run.documents, owner, one) for one in spans[1:])
            spans = spans._replace(start=start, end=end)
        return replace(
            resolved,
            start=self.before(run.documents, document, resolved.start),
            end=self.before(run.documents, document, resolved.end),
            spans=spans,
        )
