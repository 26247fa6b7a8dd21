"""Building an index.

Documents are read in batches, in this process or in several, and their words are numbered by term.
Here the batches are written in their order: positions are sorted by term some millions of words at
a time, and these sorted runs are merged at the end. So memory is bounded however large the
collection is, and the index is the same, byte for byte, for any number of processes.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Bytes, Ints, concatenated_ranges
from doxeval.documents import Collection, DocumentWords
from doxeval.errors import MissingText, output_errors
from doxeval.messages import Parameter
from doxeval.named import checked
from doxeval.parallel import Local, Processes, Work
from doxeval.retrieve.index import FAR, INDEX, TERMS_FILE, default_directory, position_type
from doxeval.retrieve.text import Analysis, words_and_starts
from doxeval.storage import StoreWriter

# Called with the name of a stage, how much of it was done since the last call, and all of it.
Progress = Callable[[str, int, int], object]

_BATCH_CHARACTERS = 4 << 20
_BATCH_DOCUMENTS = 5000
_MOST_WORDS = 2_000_000  # a dictionary with more words is given up for a new one
_WORTH_PROCESSES = 4  # fewer batches are done before other processes would have started
_BATCHES_AHEAD = 2  # batches that wait, for each process
RUN_WORDS = 4 << 20
_MERGED_AT_ONCE = 8 << 20
_TERMS_AT_ONCE = 100_000
_ELEMENT_COLUMNS = ("elements.first", "elements.after")


class IndexReport(NamedTuple):
    """What was indexed."""

    directory: Path
    documents: int
    elements: int
    words: int
    terms: int
    bytes: int


@checked
def build_index(
    collection: Collection | str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    stemmer: str = "s",
    jobs: int = 1,
    force: bool = False,
    progress: Progress | None = None,
) -> IndexReport:
    """Index the words of a collection, into a directory beside it or into `out`.

    `stemmer` is `s` (plural forms of English), `none`, or a language of Snowball. `progress` is
    called with the name of a stage, how much was done since its last call, and how much there is.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>Fog horns.</p><p>Fog.</p></s>"})
    >>> report = build_index(collection)
    >>> report.words, report.terms, report.directory.name
    (3, 2, 'collection.index')
    """
    opened = collection if isinstance(collection, Collection) else Collection(collection)
    if opened.manifest["options"]["text"] == "none":
        raise MissingText(
            f"the collection {opened.location} was built without its text ("
            + Parameter("text", "none")
            + "), so there is nothing to index"
        )
    facts = {"collection": opened.checksum, **Analysis(stemmer).recorded()}
    directory = default_directory(opened.directory) if out is None else Path(os.fsdecode(out))
    report = progress or (lambda stage, done, total: None)
    characters = opened.text_totals.characters
    ranges = list(_batch_ranges(opened))
    # Forked processes would share the files that this one is writing, and their locks.
    is_large = jobs > 1 and len(ranges) >= _WORTH_PROCESSES
    engine = Processes(jobs, "spawn") if is_large else Local()
    reading = Work(
        _read_batch, engine.shared(BatchReader(opened, stemmer)), doing="reading documents"
    )
    with (
        IndexWriter(directory, force=force, merging=partial(report, "merging")) as writer,
        engine.in_order(reading, ranges, ahead=_BATCHES_AHEAD * jobs) as batches,
    ):
        for batch in batches:
            writer.append(batch)
            report("reading", batch.characters, characters)
        writer.finish(facts)
    size = sum(file.stat().st_size for file in directory.iterdir())
    counts = {name: writer.counts[name] for name in ("documents", "elements", "words", "terms")}
    return IndexReport(directory, **counts, bytes=size)


# Reading


def _batch_ranges(collection: Collection) -> Iterator[tuple[int, int]]:
    """Divide the documents into ranges that are small enough for a batch."""
    roots, first = collection.rows[:-1], 0
    while first < len(roots):
        lengths = collection.nodes.end[roots[first : first + _BATCH_DOCUMENTS]]
        ends = np.cumsum(lengths, dtype=np.int64)
        count = int(np.searchsorted(ends, _BATCH_CHARACTERS)) + 1
        after = first + min(count, len(ends))
        yield first, after
        first = after


def _read_batch(reader: BatchReader, batch: tuple[int, int]) -> WordBatch:
    return reader.read(*batch)


class WordBatch(NamedTuple):
    """The words of some documents. Words and rows are counted from the start of the batch."""

    reader: int  # the process of its reader
    known: int  # how many terms its reader had numbered before
    new_terms: list[str]
    numbers: Ints  # the term of each word, as its reader numbers them
    document_words: Ints  # how many words each document has
    element_first: Ints
    element_after: Ints
    gaps: Bytes
    far_at: Ints
    far_gap: Ints
    characters: int


class BatchReader:
    """Reads batches of documents and numbers their words by term.

    A batch names the terms that are new to its reader, in the order of their first appearance.
    Whatever is new to the collection is new to the reader that meets it, so the numbers that the
    writer gives to terms do not depend on how many readers there are, as long as each reader takes
    its batches in order. There is one in each process, which takes the next batch that waits.
    """

    def __init__(self, collection: Collection, stemmer: str) -> None:
        self._collection = collection
        self._analysis = Analysis(stemmer)
        self._document_words = DocumentWords(collection)
        self._numbers = _TermNumbers(self._analysis)

    def __reduce__(self) -> tuple[Any, ...]:
        """Begin anew in another process."""
        return BatchReader, (self._collection, self._analysis.stemmer)

    def read(self, first: int, after: int) -> WordBatch:
        """Read the documents from `first` up to `after`."""
        collection, rows = self._collection, self._collection.rows
        lengths = collection.nodes.end[rows[first:after]].astype(np.int64)
        # One line feed stands between documents, so that no word goes on in the next.
        begins = np.cumsum(lengths + 1) - lengths - 1
        text = "\n".join(map(collection.text_of, range(first, after)))
        row = slice(int(rows[first]), int(rows[after]))
        shift = np.repeat(begins, np.diff(rows[first : after + 1]))
        starts_at = collection.nodes.start[row] + shift
        ends_at = collection.nodes.end[row] + shift
        is_block = self._document_words.are_blocks(row)
        block_edges = np.concatenate((starts_at[is_block], ends_at[is_block]))
        words, starts = words_and_starts(text, block_edges)
        before = np.zeros(len(starts) + 1, dtype=np.int32)
        np.cumsum(starts, out=before[1:])
        if len(self._numbers) > _MOST_WORDS:
            self._numbers = _TermNumbers(self._analysis)
        known = self._numbers.terms
        numbers = np.fromiter(map(self._numbers.__getitem__, words), np.int32, len(words))
        document_first = before[begins]
        gaps, far_at, far_gap = _gaps(np.flatnonzero(starts), document_first, begins)
        return WordBatch(
            os.getpid(),
            known,
            self._numbers.take_new(),
            numbers,
            np.diff(document_first, append=len(words)),
            before[starts_at],
            before[ends_at],
            gaps,
            far_at,
            far_gap,
            int(lengths.sum()),
        )


class _TermNumbers(dict[str, int]):
    """From words as they are written to the numbers of their terms.

    A word is added when it is first looked up, so its term is worked out once.
    """

    def __init__(self, analysis: Analysis) -> None:
        super().__init__()
        self._term_of = analysis.term
        self._terms: dict[str, int] = {}
        self._new: list[str] = []

    def __missing__(self, word: str) -> int:
        term = self._term_of(word)
        number = self._terms.get(term)
        if number is None:
            number = self._terms[term] = len(self._terms)
            self._new.append(term)
        self[word] = number
        return number

    def take_new(self) -> list[str]:
        """Return the terms that were added since the last call, in order."""
        new, self._new = self._new, []
        return new

    @property
    def terms(self) -> int:
        """The number of terms."""
        return len(self._terms)


def _gaps(starts: Ints, document_first: Ints, begins: Ints) -> tuple[Bytes, Ints, Ints]:
    """Return how far each word is from the one before it; and those too far for a byte."""
    gaps = np.diff(starts, prepend=0)
    has_words = np.diff(document_first, append=len(starts)) > 0
    firsts = document_first[has_words]
    gaps[firsts] = starts[firsts] - begins[has_words]
    far_at = np.flatnonzero(gaps >= FAR)
    return np.minimum(gaps, FAR).astype(np.uint8), far_at, gaps[far_at].astype(np.int32)


# Writing


class _BatchRows(NamedTuple):
    """How many rows a batch has, and the position of its first word."""

    rows: int
    first_word: int


class IndexWriter(StoreWriter):
    """Writes batches into a new index.

    `merging` is called with how many words were merged since its last call, and with all words.
    """

    def __init__(
        self,
        out: Path,
        *,
        force: bool = False,
        merging: Callable[[int, int], object] = lambda done, total: None,
    ) -> None:
        super().__init__(INDEX, out, force=force)
        self._merging = merging
        self._terms: dict[str, int] = {}
        self._of_reader: defaultdict[int, _ReaderTerms] = defaultdict(_ReaderTerms)
        self._batches: list[_BatchRows] = []
        self._document_words: list[Ints] = []
        self._far: list[tuple[Ints, Ints]] = []
        self._postings = PostingSorter(self.scratch)
        self._words = 0

    def begin(self) -> None:
        """Open what grows with every batch; types of positions depend on the number of words."""
        self._gaps = self.column("words.gaps", np.uint8)
        self._elements = [self.scratch_file(name) for name in _ELEMENT_COLUMNS]

    def append(self, batch: WordBatch) -> None:
        """Add a batch at the end."""
        number = self._terms.setdefault
        terms = self._of_reader[batch.reader]
        terms.add(batch.known, [number(term, len(self._terms)) for term in batch.new_terms])
        with output_errors(self.out):
            self._postings.append(terms.numbers[batch.numbers])
            self._gaps.append(batch.gaps)
            columns = (batch.element_first, batch.element_after)
            for file, column in zip(self._elements, columns, strict=True):
                file.write(column.astype("<i4", copy=False).data)
        self._batches.append(_BatchRows(len(batch.element_first), self._words))
        self._document_words.append(batch.document_words)
        self._far.append((batch.far_at + self._words, batch.far_gap))
        self._words += len(batch.numbers)

    @property
    def counts(self) -> dict[str, int]:
        """What there is in the index so far."""
        return {
            "documents": sum(map(len, self._document_words)),
            "elements": sum(batch.rows for batch in self._batches),
            "words": self._words,
            "terms": len(self._terms),
            "far": sum(len(at) for at, _ in self._far),
        }

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Write what is left, and put the index in its place."""
        with output_errors(self.out):
            self._write_postings()
            self._write_terms()
            self._write_elements()
            self._write_words()
        super().finish({**facts, "counts": self.counts})

    def _write_postings(self) -> None:
        counts = self._postings.counts(len(self._terms))
        column = self.column("postings", position_type(self._words))
        for positions in self._postings.merged(counts):
            column.append(positions)
            self._merging(len(positions), self._words)
        self.whole_column("terms.starts", np.concatenate(([0], np.cumsum(counts))))

    def _write_terms(self) -> None:
        # In the order of their code points, which is that of their bytes in UTF-8.
        in_order = sorted(self._terms)
        file = self.file(TERMS_FILE)
        ends = self.column("terms.ends", np.int64)
        numbers = self.column("terms.number", np.int32)
        at = 0
        for first in range(0, len(in_order), _TERMS_AT_ONCE):
            terms = [term.encode() for term in in_order[first : first + _TERMS_AT_ONCE]]
            file.write(b"".join(terms))
            lengths = np.fromiter(map(len, terms), np.int64, len(terms))
            ends.append(at + np.cumsum(lengths))
            at += int(lengths.sum())
        numbers.append(np.fromiter(map(self._terms.__getitem__, in_order), np.int32, len(in_order)))

    def _write_elements(self) -> None:
        for file, name in zip(self._elements, _ELEMENT_COLUMNS, strict=True):
            file.close()
            column = self.column(name, position_type(self._words))
            with self.scratch(name).open("rb") as scratch:
                for rows, first_word in self._batches:
                    column.append(np.fromfile(scratch, "<i4", rows).astype(np.int64) + first_word)

    def _write_words(self) -> None:
        words = np.concatenate([np.zeros(1, np.int64), *self._document_words])
        self.whole_column("documents.first", np.cumsum(words, dtype=np.int64))
        far_at, far_gap = (np.concatenate(column) for column in zip(*self._far, strict=True))
        self.whole_column("words.far_at", far_at.astype(np.int64))
        self.whole_column("words.far_gap", far_gap.astype(np.int32))


class _ReaderTerms:
    """For each term as a reader numbers them, its number in the index."""

    def __init__(self) -> None:
        self._numbers = np.empty(1 << 16, dtype=np.int32)
        self._count = 0

    @property
    def numbers(self) -> Ints:
        return self._numbers[: self._count]

    def add(self, known: int, numbers: list[int]) -> None:
        """Add the numbers of new terms; a reader that knew none before has begun again."""
        self._count = known + len(numbers)
        if self._count > len(self._numbers):
            self._numbers = np.resize(self._numbers, 2 * self._count)
        self._numbers[known : self._count] = numbers


# External sorting of positions by term


class _SortedRun(NamedTuple):
    """The positions of one stretch of words on disk, sorted by term, and each term's count."""

    path: Path
    first: int  # the position of its first word
    terms: Ints
    counts: Ints


class PostingSorter:
    """Takes the terms of a collection's words in order, and gives their positions by term.

    In the merge, terms are taken in ranges: in each run, the positions of a range of terms are one
    slice, which is read and scattered to its places. So all files are read and written from front
    to back, and memory holds one range at a time.
    """

    def __init__(self, scratch: Callable[[str], Path], run_words: int = RUN_WORDS) -> None:
        self._scratch = scratch
        self._run_words = run_words
        self._waiting: list[Ints] = []
        self._waiting_words = 0
        self._runs: list[_SortedRun] = []
        self._words = 0

    def append(self, terms: Ints) -> None:
        """Add words, given by the numbers of their terms."""
        self._waiting.append(terms)
        self._waiting_words += len(terms)
        if self._waiting_words >= self._run_words:
            self._write_run()

    def _write_run(self) -> None:
        terms = np.concatenate(self._waiting)
        self._waiting, self._waiting_words = [], 0
        positions, counts = _sort_by_term(terms)
        path = self._scratch(f"run-{len(self._runs)}")
        with path.open("wb") as file:
            file.write(positions.astype("<i4", copy=False).data)
        occurring = np.flatnonzero(counts)
        run = _SortedRun(path, self._words, occurring.astype(np.int32), counts[occurring])
        self._runs.append(run)
        self._words += len(terms)

    def counts(self, terms: int) -> Ints:
        """Count the positions of each term; no words can be added from now on."""
        if self._waiting_words:
            self._write_run()
        counts = np.zeros(terms, dtype=np.int64)
        for run in self._runs:
            counts[run.terms] += run.counts
        return counts

    def merged(self, counts: Ints) -> Iterator[Ints]:
        """Yield all positions, sorted by term, ascending within a term, in several arrays."""
        readers = [_RunReader(run) for run in self._runs]
        for first, after in _term_ranges(counts):
            if after == first + 1:  # perhaps the most frequent term of all: run by run
                yield from (reader.take(after)[2] for reader in readers)
            else:
                yield _merge_range(readers, first, counts[first:after])


def _sort_by_term(terms: Ints) -> tuple[Ints, Ints]:
    """Return the positions sorted by term, and the count of each term."""
    from scipy.sparse import coo_array

    positions = np.arange(len(terms), dtype=np.int32)
    shape = (int(terms.max(initial=0)) + 1, max(len(terms), 1))
    # Counting, which is linear; NumPy would sort.
    by_term = coo_array((positions, (terms, positions)), shape=shape).tocsr()
    return by_term.indices, np.diff(by_term.indptr)


def _term_ranges(counts: Ints) -> Iterator[tuple[int, int]]:
    """Split the terms into ranges of few enough positions; a larger term has its own range."""
    ends = np.cumsum(counts)
    first = 0
    while first < len(ends):
        before = int(ends[first - 1]) if first else 0
        after = int(np.searchsorted(ends, before + _MERGED_AT_ONCE, side="right"))
        after = max(after, first + 1)
        yield first, after
        first = after


class _RunReader:
    """Reads a run from front to back."""

    def __init__(self, run: _SortedRun) -> None:
        self._run = run
        self._positions = np.memmap(run.path, "<i4", "r")
        self._term = 0
        self._at = 0

    def take(self, after: int) -> tuple[Ints, Ints, Ints]:
        """Return the next terms up to `after`: their numbers, counts and positions."""
        run, begin = self._run, self._term
        self._term = int(np.searchsorted(run.terms, after))
        counts = run.counts[begin : self._term]
        end = self._at + int(counts.sum())
        positions = self._positions[self._at : end].astype(np.int64) + run.first
        self._at = end
        return run.terms[begin : self._term], counts, positions


def _merge_range(readers: list[_RunReader], first: int, counts: Ints) -> Ints:
    """Return the positions of a range of terms, from all runs."""
    merged = np.empty(int(counts.sum()), dtype=np.int64)
    place = np.cumsum(counts) - counts
    for reader in readers:
        terms, in_run, positions = reader.take(first + len(counts))
        merged[concatenated_ranges(place[terms - first], in_run)] = positions
        place[terms - first] += in_run
    return merged
