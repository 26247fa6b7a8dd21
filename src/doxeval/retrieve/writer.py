"""Writing an index, batch by batch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

import numpy as np

from doxeval.arrays import Ints
from doxeval.errors import output_errors
from doxeval.retrieve.batches import Batch
from doxeval.retrieve.layout import INDEX, TERMS_FILE, position_type
from doxeval.retrieve.posting_runs import PostingRuns
from doxeval.storage import SealedWriter, give_up

_TERMS_AT_ONCE = 100_000
_ELEMENT_COLUMNS = ("elements.first", "elements.after")


class _Rows(NamedTuple):
    """The rows of a batch: how many, and the position of the batch's first word."""

    rows: int
    first_word: int


class IndexWriter:
    """Writes batches into a new index: a context manager, which leaves nothing half-written."""

    def __init__(self, out: Path, *, force: bool = False) -> None:
        self._named = out
        self._sealed = SealedWriter(INDEX, out, force=force)
        self._terms: dict[str, int] = {}
        self._of_reader: defaultdict[int, _Numbering] = defaultdict(_Numbering)
        self._rows: list[_Rows] = []
        self._document_words: list[Ints] = []
        self._far: list[tuple[Ints, Ints]] = []
        self.words = 0

    def __enter__(self) -> Self:
        with ExitStack() as resources:
            resources.enter_context(self._sealed)
            self._postings = PostingRuns(self._sealed.scratch)
            self._gaps = self._sealed.column("words.gaps", np.uint8)
            # Types of positions depend on how many words there will be.
            self._elements = [self._scratch(resources, name) for name in _ELEMENT_COLUMNS]
            self._resources = resources.pop_all()
        return self

    def _scratch(self, resources: ExitStack, name: str) -> BinaryIO:
        with output_errors(self._named):
            file = self._sealed.scratch(name).open("wb")
        resources.callback(give_up, file)
        return file

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._resources.__exit__(kind, error, trace)

    def append(self, reader: int, batch: Batch) -> None:
        """Add a batch at the end, with the number of the reader that made it."""
        numbering = self._of_reader[reader]
        numbering.add(batch.known, [self._number(term) for term in batch.new_terms])
        with output_errors(self._named):
            self._postings.append(numbering.of_all[batch.numbers])
            self._gaps.append(batch.gaps)
            for file, column in zip(
                self._elements, (batch.element_first, batch.element_after), strict=True
            ):
                file.write(column.astype("<i4", copy=False).data)
        self._rows.append(_Rows(len(batch.element_first), self.words))
        self._document_words.append(batch.document_words)
        self._far.append((batch.far_at + self.words, batch.far_gap))
        self.words += len(batch.numbers)

    def _number(self, term: str) -> int:
        return self._terms.setdefault(term, len(self._terms))

    def finish(self, facts: Mapping[str, Any], progress: Callable[[int], object]) -> dict[str, int]:
        """Write what is left, and put the index in its place; the counts of its manifest."""
        counts = {
            "documents": sum(map(len, self._document_words)),
            "elements": sum(rows.rows for rows in self._rows),
            "words": self.words,
            "terms": len(self._terms),
            "far": sum(len(at) for at, _ in self._far),
        }
        with output_errors(self._named):
            self._write_postings(progress)
            self._write_terms()
            self._write_elements()
            self._write_words()
        self._sealed.finish({**facts, "counts": counts})
        return counts

    def _write_postings(self, progress: Callable[[int], object]) -> None:
        counts = self._postings.counts(len(self._terms))
        column = self._sealed.column("postings", position_type(self.words))
        for positions in self._postings.merged(counts):
            column.append(positions)
            progress(len(positions))
        self._sealed.whole_column("terms.starts", np.concatenate(([0], np.cumsum(counts))))

    def _write_terms(self) -> None:
        # In the order of their code points, which is that of their bytes in UTF-8.
        in_order = sorted(self._terms)
        file, ends, numbers = self._sealed.file(TERMS_FILE), self._ends(), self._numbers()
        at = 0
        for first in range(0, len(in_order), _TERMS_AT_ONCE):
            terms = [term.encode() for term in in_order[first : first + _TERMS_AT_ONCE]]
            file.write(b"".join(terms))
            lengths = np.fromiter(map(len, terms), np.int64, len(terms))
            ends.append(at + np.cumsum(lengths))
            at += int(lengths.sum())
        numbers.append(np.fromiter(map(self._terms.__getitem__, in_order), np.int32, len(in_order)))

    def _ends(self) -> Any:
        return self._sealed.column("terms.ends", np.int64)

    def _numbers(self) -> Any:
        return self._sealed.column("terms.number", np.int32)

    def _write_elements(self) -> None:
        for file, name in zip(self._elements, _ELEMENT_COLUMNS, strict=True):
            file.close()
            column = self._sealed.column(name, position_type(self.words))
            for positions in self._positions(self._sealed.scratch(name)):
                column.append(positions)

    def _positions(self, path: Path) -> Iterator[Ints]:
        with path.open("rb") as file:
            for rows in self._rows:
                yield np.fromfile(file, "<i4", rows.rows).astype(np.int64) + rows.first_word

    def _write_words(self) -> None:
        words = np.concatenate([np.zeros(1, np.int64), *self._document_words])
        self._sealed.whole_column("documents.first", np.cumsum(words, dtype=np.int64))
        far_at, far_gap = (np.concatenate(column) for column in zip(*self._far, strict=True))
        self._sealed.whole_column("words.far_at", far_at.astype(np.int64))
        self._sealed.whole_column("words.far_gap", far_gap.astype(np.int32))


class _Numbering:
    """The numbers that a reader gives to terms, as the numbers of the index."""

    def __init__(self) -> None:
        self._numbers = np.empty(1 << 16, dtype=np.int32)
        self._count = 0

    @property
    def of_all(self) -> Ints:
        return self._numbers[: self._count]

    def add(self, known: int, numbers: list[int]) -> None:
        """Add the numbers of new terms; a reader that knew none before has begun anew."""
        self._count = known + len(numbers)
        if self._count > len(self._numbers):
            self._numbers = np.resize(self._numbers, 2 * self._count)
        self._numbers[known : self._count] = numbers
