"""Postings on their way to disk: sorted by term some millions of words at a time, then merged.

A run holds the positions of one stretch of the collection's words, grouped by term. In the merge,
terms are taken in ranges: of each run, the positions of a range of terms are one slice, which is
read and scattered to its places. So all files are read and written from front to back, and memory
holds one range at a time, however large the collection is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints, concatenated_ranges

RUN_WORDS = 4 << 20
_MERGED_AT_ONCE = 8 << 20


class _Run(NamedTuple):
    """A run on disk: where its positions are, and how many each of its terms has."""

    path: Path
    first: int  # the position of its first word
    terms: Ints
    counts: Ints


class PostingRuns:
    """Takes the terms of a collection's words in order, and gives their positions by term."""

    def __init__(self, place: Callable[[str], Path], run_words: int = RUN_WORDS) -> None:
        self._place = place
        self._run_words = run_words
        self._waiting: list[Ints] = []
        self._waiting_words = 0
        self._runs: list[_Run] = []
        self.words = 0

    def append(self, terms: Ints) -> None:
        """Add words, given by the numbers of their terms."""
        self._waiting.append(terms)
        self._waiting_words += len(terms)
        if self._waiting_words >= self._run_words:
            self._write_run()

    def _write_run(self) -> None:
        terms = np.concatenate(self._waiting)
        self._waiting, self._waiting_words = [], 0
        positions, counts = _grouped(terms)
        path = self._place(f"run-{len(self._runs)}")
        with path.open("wb") as file:
            file.write(positions.astype("<i4", copy=False).data)
        present = np.flatnonzero(counts)
        self._runs.append(_Run(path, self.words, present.astype(np.int32), counts[present]))
        self.words += len(terms)

    def counts(self, terms: int) -> Ints:
        """How many positions each term has; no words can be added from now on."""
        if self._waiting_words:
            self._write_run()
        counts = np.zeros(terms, dtype=np.int64)
        for run in self._runs:
            counts[run.terms] += run.counts
        return counts

    def merged(self, counts: Ints) -> Iterator[Ints]:
        """All positions, term after term, ascending within a term, in pieces."""
        readers = [_RunReader(run) for run in self._runs]
        for first, after in _ranges(counts):
            if after == first + 1:  # perhaps the most frequent term of all: run by run
                yield from (reader.take(after)[2] for reader in readers)
            else:
                yield _scattered(readers, first, counts[first:after])


class _RunReader:
    """Reads a run from front to back."""

    def __init__(self, run: _Run) -> None:
        self._run = run
        self._positions = np.memmap(run.path, "<i4", "r")
        self._term = 0
        self._at = 0

    def take(self, after: int) -> tuple[Ints, Ints, Ints]:
        """The next terms up to `after`: their numbers, counts and positions."""
        run, begin = self._run, self._term
        self._term = int(np.searchsorted(run.terms, after))
        counts = run.counts[begin : self._term]
        end = self._at + int(counts.sum())
        positions = self._positions[self._at : end].astype(np.int64) + run.first
        self._at = end
        return run.terms[begin : self._term], counts, positions


def _grouped(terms: Ints) -> tuple[Ints, Ints]:
    """The places of each term, term after term, ascending; and how many each has."""
    from scipy.sparse import coo_array

    places = np.arange(len(terms), dtype=np.int32)
    shape = (int(terms.max(initial=0)) + 1, max(len(terms), 1))
    # Counting, which is linear; NumPy would sort.
    by_term = coo_array((places, (terms, places)), shape=shape).tocsr()
    return by_term.indices, np.diff(by_term.indptr)


def _ranges(counts: Ints) -> Iterator[tuple[int, int]]:
    """Ranges of terms that have so many positions together, or a single term that has more."""
    ends = np.cumsum(counts)
    first = 0
    while first < len(ends):
        before = int(ends[first - 1]) if first else 0
        after = int(np.searchsorted(ends, before + _MERGED_AT_ONCE, side="right"))
        yield first, max(after, first + 1)
        first = max(after, first + 1)


def _scattered(readers: list[_RunReader], first: int, counts: Ints) -> Ints:
    """The positions of a range of terms, from all runs."""
    merged = np.empty(int(counts.sum()), dtype=np.int64)
    place = np.cumsum(counts) - counts
    for reader in readers:
        terms, own, positions = reader.take(first + len(counts))
        merged[concatenated_ranges(place[terms - first], own)] = positions
        place[terms - first] += own
    return merged
