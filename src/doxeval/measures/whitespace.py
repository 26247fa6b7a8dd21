"""Offsets that ignore white space: each as the number of non-space characters before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from doxeval.arrays import Ints, rows_by_key
from doxeval.assessments import JudgmentColumns, Needs
from doxeval.measures.texts import Texts
from doxeval.runs import ResolvedRun, is_not_found
from doxeval.spans import Spans, merge_spans


class NonSpaceOffsets:
    """What turns offsets of documents into numbers of non-space characters.

    Documents whose text is not known keep their offsets, unless `strict`, which is an error. So do
    texts that were not found in any document.
    """

    def __init__(self, texts: Texts, *, strict: bool) -> None:
        self._texts = texts
        self._strict = strict

    def before(self, names: Sequence[str], document: Ints, offset: Ints) -> Ints:
        """Count the non-space characters before each offset of a document, given by its number."""
        counts = np.array(offset, dtype=np.int64)
        for number, rows in rows_by_key(document).items():
            if number < 0:
                continue
            name = names[number]
            is_optional = not self._strict or is_not_found(name)
            if is_optional and self._texts.find(name) is None:
                continue
            given, non_space = counts[rows], self._texts.non_space(name)
            # Offsets that are not in the text go on counting before it and behind it.
            outside = np.minimum(given, 0) + np.maximum(given - non_space.length, 0)
            counts[rows] = non_space.before(given) + outside
        return counts

    def columns(self, columns: JudgmentColumns) -> JudgmentColumns:
        """Return judgments with their highlights counted this way."""
        group, start, end = columns.highlights
        names, document = columns.documents, columns.document[group]
        start, end = self.before(names, document, start), self.before(names, document, end)
        length = self.before(names, np.asarray(columns.document), columns.length)
        return replace(columns, highlights=merge_spans(Spans(group, start, end)), length=length)

    def needs(self, needs: Needs, columns: JudgmentColumns) -> Needs:
        """Return the needs with their spans counted this way, the shortest first again."""
        names, document = columns.documents, columns.document[needs.pair]
        counted = replace(
            needs,
            start=self.before(names, document, needs.start),
            end=self.before(names, document, needs.end),
        )
        return counted.shortest_first([names[number] for number in document.tolist()])

    def resolved(self, resolved: ResolvedRun) -> ResolvedRun:
        """Return results with their spans counted this way; unresolved ones stay as they are."""
        run = resolved.run
        document = np.array(run.document, dtype=np.int64)
        missing = np.array([problem.row for problem in resolved.unresolved], dtype=np.int64)
        document[missing] = -1
        spans = resolved.spans
        if spans is not None:
            owner = document[spans.owner]
            start, end = (self.before(run.documents, owner, edge) for edge in spans[1:])
            spans = spans._replace(start=start, end=end)
        return replace(
            resolved,
            start=self.before(run.documents, document, resolved.start),
            end=self.before(run.documents, document, resolved.end),
            spans=spans,
        )
