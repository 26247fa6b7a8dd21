"""Batches of documents, read and cut into numbered words.

A word is first seen as it is written, and its term is worked out once: each reader keeps a
dictionary from words to the numbers of their terms. A batch names the terms that are new to its
reader, in the order of their first appearance. Whatever is new to the collection is new to the
reader that meets it, so the numbers that the writer gives to terms do not depend on how many
readers there are, as long as each reader takes its batches in order.

Postings on their way to disk: sorted by term some millions of words at a time, then merged.

A run holds the positions of one stretch of the collection's words, grouped by term. In the merge,
terms are taken in ranges: of each run, the positions of a range of terms are one slice, which is
read and scattered to its places. So all files are read and written from front to back, and memory
holds one range at a time, however large the collection is.

Writing an index, batch by batch.

Building an index: documents are read in batches, in one process or several, and written here.

The result is the same, byte for byte, for any number of processes.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, closing
from itertools import cycle
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

import numpy as np

from doxeval.arrays import Bytes, Ints, concatenated_ranges
from doxeval.documents import Collection, DocumentWords
from doxeval.errors import MissingText, output_errors
from doxeval.messages import Parameter
from doxeval.named import checked
from doxeval.parallel import WorkerLost, Workers, in_order
from doxeval.retrieve.index import FAR, INDEX, TERMS_FILE, beside, position_type
from doxeval.retrieve.text import Analysis, words_and_starts
from doxeval.storage import SealedWriter, give_up

_BATCH_CHARACTERS = 4 << 20
_BATCH_DOCUMENTS = 5000
_MOST_WORDS = 2_000_000  # a dictionary with more words is given up for a new one


class Batch(NamedTuple):
    """The words of some documents. Words and rows are counted from the start of the batch."""

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


class _Numbers(dict[str, int]):
    """From words to the numbers of their terms; new words are added when they are looked up."""

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
        """The terms that were added since the last call, in order."""
        new, self._new = self._new, []
        return new

    @property
    def terms(self) -> int:
        """How many terms there are."""
        return len(self._terms)


class BatchReader:
    """Reads batches of documents of one collection."""

    def __init__(self, collection: Collection, stemmer: str) -> None:
        self._collection = collection
        self._analysis = Analysis(stemmer)
        self._borders = DocumentWords(collection)
        self._numbers = _Numbers(self._analysis)

    def read(self, first: int, after: int) -> Batch:
        """The words of the documents from `first` up to `after`."""
        collection, rows = self._collection, self._collection.rows
        lengths = collection.nodes.end[rows[first:after]].astype(np.int64)
        # One line feed stands between documents, so that no word goes on in the next.
        begins = np.cumsum(lengths + 1) - lengths - 1
        text = "\n".join(map(collection.text_of, range(first, after)))
        row = slice(int(rows[first]), int(rows[after]))
        shift = np.repeat(begins, np.diff(rows[first : after + 1]))
        starts_at = collection.nodes.start[row] + shift
        ends_at = collection.nodes.end[row] + shift
        is_block = self._borders.are_blocks(row)
        borders = np.concatenate((starts_at[is_block], ends_at[is_block]))
        words, starts = words_and_starts(text, borders)
        before = np.zeros(len(starts) + 1, dtype=np.int32)
        np.cumsum(starts, out=before[1:])
        known, numbers = self._numbered(words)
        document_first = before[begins]
        gaps, far_at, far_gap = _gaps(np.flatnonzero(starts), document_first, begins)
        return Batch(
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

    def _numbered(self, words: list[str]) -> tuple[int, Ints]:
        if len(self._numbers) > _MOST_WORDS:
            self._numbers = _Numbers(self._analysis)
        known = self._numbers.terms
        return known, np.fromiter(map(self._numbers.__getitem__, words), np.int32, len(words))


def _gaps(starts: Ints, document_first: Ints, begins: Ints) -> tuple[Bytes, Ints, Ints]:
    """How far each word is from the one before it; and those that are too far for a byte."""
    gaps = np.diff(starts, prepend=0)
    has_words = np.diff(document_first, append=len(starts)) > 0
    firsts = document_first[has_words]
    gaps[firsts] = starts[firsts] - begins[has_words]
    far_at = np.flatnonzero(gaps >= FAR)
    return np.minimum(gaps, FAR).astype(np.uint8), far_at, gaps[far_at].astype(np.int32)


def batches_of(collection: Collection) -> Iterator[tuple[int, int]]:
    """The documents of each batch, as a range: so many characters, or so many documents."""
    roots, first = collection.rows[:-1], 0
    while first < len(roots):
        lengths = collection.nodes.end[roots[first : first + _BATCH_DOCUMENTS]]
        ends = np.cumsum(lengths, dtype=np.int64)
        count = int(np.searchsorted(ends, _BATCH_CHARACTERS)) + 1
        after = first + min(count, len(ends))
        yield first, after
        first = after


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


# Called with the name of a stage, how much of it was done since the last call, and all of it.
Progress = Callable[[str, int, int], object]

_WORTH_PROCESSES = 4  # fewer batches are done before other processes would have started
_AHEAD = 2  # batches that wait, for each process


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
    analysis = Analysis(stemmer)
    facts = {"collection": opened.seal, **analysis.recorded()}
    place = beside(opened.directory) if out is None else _path(out)
    report = progress or (lambda stage, done, total: None)
    characters = opened.text_totals.characters
    with (
        IndexWriter(place, force=force) as writer,
        # Whatever happens, other processes end now, not when the generator is collected.
        closing(_read_all(opened, stemmer, jobs)) as batches,
    ):
        for reader, batch in batches:
            writer.append(reader, batch)
            report("reading", batch.characters, characters)
        counts = writer.finish(facts, lambda done: report("merging", done, writer.words))
    size = sum(file.stat().st_size for file in place.iterdir())
    return IndexReport(
        place, counts["documents"], counts["elements"], counts["words"], counts["terms"], size
    )


def _path(given: str | os.PathLike[str]) -> Path:
    return Path(os.fsdecode(given))


def _read_all(
    collection: Collection, stemmer: str, jobs: int
) -> Generator[tuple[int, Batch], None, None]:
    """Each batch, in order, with the number of the reader that read it."""
    ranges = list(batches_of(collection))
    if jobs <= 1 or len(ranges) < _WORTH_PROCESSES:
        reader = BatchReader(collection, stemmer)
        for first, after in ranges:
            yield 0, reader.read(first, after)
        return
    try:
        with ExitStack() as resources:
            # Batches go round: each process is a pool of its own, so that it gets them in order.
            prepared = (_prepare, (collection, stemmer))
            pools = [resources.enter_context(Workers(1, "spawn", *prepared)) for _ in range(jobs)]
            results = in_order(_Turns(pools), _read, ranges, _AHEAD * jobs)
            for number, batch in enumerate(results):
                yield number % jobs, batch
    except WorkerLost as error:
        raise WorkerLost(
            f"{error} while it was reading documents, perhaps for lack of memory; try a smaller "
            + Parameter("jobs")
            + ". (A script of your own must call this below `if __name__ == '__main__':`.)"
        ) from None


class _Turns:
    """Pools of one worker each, which get tasks in turn."""

    def __init__(self, pools: list[Workers]) -> None:
        self._next = cycle(pools)

    def submit(self, task: Callable[..., Any], *arguments: Any) -> Any:
        return next(self._next).submit(task, *arguments)


# In a worker

_READER: list[BatchReader] = []


def _prepare(collection: Collection, stemmer: str) -> None:
    _READER[:] = [BatchReader(collection, stemmer)]


def _read(first: int, after: int) -> Batch:
    return _READER[0].read(first, after)
