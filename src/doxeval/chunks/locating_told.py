"""What locating found how, counted when somebody asks for it.

Counting which texts stand more than once takes longer than locating chunks that tile a document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from doxeval.locating import Located, LocatingReport, LostChunk, total
from doxeval.spans import Spans, merge_spans


@dataclass(frozen=True)
class InDocument:
    """Chunks located in a document, and the ranges of chunks whose places were only stated."""

    document: str
    located: Located
    stated: Sequence[Sequence[tuple[int, int]]] = ()

    def report(self) -> LocatingReport:
        """What was found how in this document."""
        report = self.located.report.in_document(self.document)
        if not self.stated:
            return report
        found = dict(report.found) | {"own": report.found["own"] + len(self.stated)}
        count = report.chunks + len(self.stated)
        return replace(report, chunks=count, found=found, uncovered=self._uncovered())

    def _uncovered(self) -> int:
        """How many solid characters are in no chunk of either kind."""
        ranges = [(0, start, end) for own in self.stated for start, end in own]
        pairs = zip(self.located.start.tolist(), self.located.end.tolist(), strict=True)
        spans = merge_spans(Spans.of(ranges + [(0, start, end) for start, end in pairs]))
        before = self.located.document.solid_before
        covered = before(spans.end) - before(spans.start)
        return len(self.located.document) - int(np.sum(covered))


@dataclass(frozen=True)
class Told:
    """The report on all documents, and on chunks of which no document is known."""

    parts: tuple[InDocument, ...]
    nowhere: tuple[LostChunk, ...] = ()

    @cached_property
    def report(self) -> LocatingReport:
        """What was found how."""
        count = len(self.nowhere)
        rest = LocatingReport(count, {"lost": count}, 0, 0, 0, 0, lost=self.nowhere)
        return total([*(part.report() for part in self.parts), rest])
