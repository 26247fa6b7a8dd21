"""Building an index.

The work is done in steps, each of many tasks, in this process or in several:

1. Documents are read in batches. Each reader numbers terms as it meets them, and puts the numbers
   of all words aside, with the terms that are new to it, sorted.
2. The terms of all batches are merged, one range of the alphabet after another. Now the terms of
   the collection are known, and they are numbered in the order of their first appearance.
3. Some millions of words at a time are sorted by term.
4. These sorted runs are merged, one range of terms after another.

What a task makes, it writes where it belongs: it is known how many words and terms come before. So
memory is bounded however large the collection is, this process has little to do itself, and the
index is the same, byte for byte, for any number of processes.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Bytes, Ints, concatenated_ranges
from doxeval.documents import Collection, DocumentWords
from doxeval.errors import MissingText, output_errors
from doxeval.messages import Parameter
from doxeval.named import checked
from doxeval.parallel import Local, Processes, Tasks, Work
from doxeval.retrieve.index import FAR, INDEX, TERMS_FILE, default_directory, position_type
from doxeval.retrieve.text import Analysis, words_and_starts
from doxeval.storage import StoreWriter, write_values

# Called with the name of a stage, how much of it was done since the last call, and all of it.
Progress = Callable[[str, int, int], object]

_BATCH_CHARACTERS = 4 << 20
_BATCH_DOCUMENTS = 5000
_MOST_WORDS = 2_000_000  # a dictionary with more words is given up for a new one
_WORTH_PROCESSES = 4  # fewer batches are done before other processes would have started
_TASKS_AHEAD = 2  # tasks that wait, for each process
_RUN_WORDS = 4 << 20
_MERGED_AT_ONCE = 2 << 20
_TERMS_AT_ONCE = 50_000  # merged together, about
_SAMPLED = 500  # of so many terms of a batch, one


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
    ranges = list(_batch_ranges(opened))
    # Forked processes would share the files that this one is writing, and their locks.
    is_large = jobs > 1 and len(ranges) >= _WORTH_PROCESSES
    engine = Processes(jobs, "spawn") if is_large else Local()
    with IndexWriter(directory, force=force) as writer:
        reader = BatchReader(opened, stemmer, writer.scratch_files())
        work = Work(_carry_out, engine.shared(reader), doing="reading documents")
        with engine.begin(work) as tasks:
            together = _Together(tasks, _TASKS_AHEAD * jobs)
            reading = [partial(_read, number, *edges) for number, edges in enumerate(ranges)]
            for batch in together.results(reading):
                writer.add(batch)
                report("reading", batch.characters, opened.text_totals.characters)
            writer.write_terms(together)
            for words in writer.write_postings(together):
                report("merging", words, writer.words)
        writer.finish(facts)
    size = sum(file.stat().st_size for file in directory.iterdir())
    counts = {name: writer.counts[name] for name in ("documents", "elements", "words", "terms")}
    return IndexReport(directory, **counts, bytes=size)


# A task is a function of the reader; each process has its own reader.
_Task = Callable[["BatchReader"], Any]


def _carry_out(reader: BatchReader, task: _Task) -> Any:
    return task(reader)


class _Together(NamedTuple):
    """Where tasks are carried out together."""

    tasks: Tasks
    ahead: int  # how many are begun before their results are taken

    def results(self, tasks: Iterable[_Task]) -> Iterator[Any]:
        """Return the results of tasks, in order; all of them before the next ones are begun."""
        return self.tasks.in_order(tasks, ahead=self.ahead)


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


class _ScratchFiles(NamedTuple):
    """Where tasks put aside what later ones need."""

    directory: Path
    out: Path  # the index itself, which messages are about

    def write(self, name: str, *arrays: Ints | Bytes) -> None:
        """Write arrays into a file, one after another."""
        with output_errors(self.out), (self.directory / name).open("wb") as file:
            for array in arrays:
                file.write(np.ascontiguousarray(array).data)

    def map(self, name: str, dtype: str) -> Ints:
        """Return the only array of a file, mapped into memory."""
        path = self.directory / name
        # An empty file cannot be mapped.
        return np.memmap(path, dtype, "r") if path.stat().st_size else np.empty(0, dtype)

    def remove(self, name: str) -> None:
        """Remove a file that is no longer needed."""
        (self.directory / name).unlink()


class WordBatch(NamedTuple):
    """How many words and rows a batch has, which are in a scratch file.

    reader: who numbered the terms. new_terms: how many it had not met before. far_at, far_gap: as
    in an index, counted from the start of the batch.
    """

    number: int
    reader: str
    new_terms: int
    words: int
    rows: int
    document_words: Ints
    far_at: Ints
    far_gap: Ints
    characters: int


def _read(number: int, first: int, after: int, reader: BatchReader) -> WordBatch:
    return reader.read(number, first, after)


class BatchReader:
    """Reads batches of documents and numbers their words by term.

    Terms are numbered in the order of their first appearance. There is a reader in each process,
    which takes the next batch that waits. So whatever is new to the collection is new to the reader
    that meets it, and the numbers that terms get in the index do not depend on how many readers
    there are.
    """

    def __init__(self, collection: Collection, stemmer: str, scratch: _ScratchFiles) -> None:
        self.scratch = scratch
        self._collection = collection
        self._analysis = Analysis(stemmer)
        self._document_words = DocumentWords(collection)
        self._numbers = _TermNumbers(self._analysis)
        self._restarts = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Begin anew in another process."""
        return BatchReader, (self._collection, self._analysis.stemmer, self.scratch)

    def read(self, number: int, first: int, after: int) -> WordBatch:
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
            self._restarts += 1
        numbers = np.fromiter(map(self._numbers.__getitem__, words), np.int32, len(words))
        document_first = before[begins]
        gaps, far_at, far_gap = _gaps(np.flatnonzero(starts), document_first, begins)
        self.scratch.write(f"words-{number}", numbers, before[starts_at], before[ends_at], gaps)
        return WordBatch(
            number,
            f"{os.getpid()}-{self._restarts}",
            self._put_new_terms_aside(f"terms-{number}"),
            len(words),
            len(starts_at),
            np.diff(document_first, append=len(words)),
            far_at,
            far_gap,
            int(lengths.sum()),
        )

    def _put_new_terms_aside(self, name: str) -> int:
        """Write the terms that are new, sorted, with their numbers; return how many there are."""
        terms = sorted(self._numbers.take_new())
        numbers = np.fromiter(map(self._numbers.of_term.__getitem__, terms), np.int32, len(terms))
        encoded = [term.encode() for term in terms]
        ends = np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)))
        text = np.frombuffer(b"".join(encoded), np.uint8)
        self.scratch.write(name, ends, numbers, text)
        return len(terms)


class _TermNumbers(dict[str, int]):
    """From words as they are written to the numbers of their terms.

    A word is added when it is first looked up, so its term is worked out once.
    """

    def __init__(self, analysis: Analysis) -> None:
        super().__init__()
        self._term_of = analysis.term
        self.of_term: dict[str, int] = {}
        self._new: list[str] = []

    def __missing__(self, word: str) -> int:
        term = self._term_of(word)
        number = self.of_term.get(term)
        if number is None:
            number = self.of_term[term] = len(self.of_term)
            self._new.append(term)
        self[word] = number
        return number

    def take_new(self) -> list[str]:
        """Return the terms that were added since the last call, in order."""
        new, self._new = self._new, []
        return new


def _gaps(starts: Ints, document_first: Ints, begins: Ints) -> tuple[Bytes, Ints, Ints]:
    """Return how far each word is from the one before it; and those too far for a byte."""
    gaps = np.diff(starts, prepend=0)
    has_words = np.diff(document_first, append=len(starts)) > 0
    firsts = document_first[has_words]
    gaps[firsts] = starts[firsts] - begins[has_words]
    far_at = np.flatnonzero(gaps >= FAR)
    return np.minimum(gaps, FAR).astype(np.uint8), far_at, gaps[far_at].astype(np.int32)


# Terms


class _NewTerms(Sequence[bytes]):
    """The terms that were new to the reader of a batch, sorted, as they were put aside.

    numbers: how the reader numbers them.
    """

    def __init__(self, scratch: _ScratchFiles, batch: int, count: int) -> None:
        data = scratch.map(f"terms-{batch}", "u1")
        self._ends = data[: 8 * count].view("<i8")
        self.numbers = data[8 * count : 12 * count].view("<i4")
        self._text = data[12 * count :]

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, at: Any) -> Any:
        return self.slice(at, at + 1)[0]

    def slice(self, first: int, after: int) -> list[bytes]:
        """Return the terms from `first` up to `after`."""
        begin = int(self._ends[first - 1]) if first else 0
        ends = (self._ends[first:after] - begin).tolist()
        text = self._text[begin : begin + ends[-1]].tobytes() if ends else b""
        return [text[start:end] for start, end in pairwise([0, *ends])]


class _TermRange(NamedTuple):
    """The terms of all batches that are in a range of the alphabet, sorted, without duplicates.

    ends: where each ends in the text. first: where each appears first: by the number of its batch,
    and in that, as its reader numbers it. of_reader: for each entry of a batch, its place among the
    numbers of all readers. places: its place among these terms.
    """

    text: bytes
    ends: Ints
    first: Ints
    of_reader: Ints
    places: Ints


class _TermsOfBatch(NamedTuple):
    """Where the new terms of a batch are; offset: of its reader among the numbers of all."""

    batch: int
    terms: int
    offset: int


def _merge_terms(
    batches: Sequence[_TermsOfBatch], low: bytes, high: bytes | None, reader: BatchReader
) -> _TermRange:
    """Merge the terms from `low` up to `high`."""
    number: dict[bytes, int] = {}
    entries: list[Ints] = []
    of_reader: list[Ints] = []
    first: list[Ints] = []
    for batch, count, offset in batches:
        new = _NewTerms(reader.scratch, batch, count)
        begin = bisect_left(new, low)
        end = count if high is None else bisect_left(new, high)
        known = len(number)
        in_batch = [number.setdefault(term, len(number)) for term in new.slice(begin, end)]
        entry = np.array(in_batch, dtype=np.int64)
        numbers = new.numbers[begin:end].astype(np.int64)
        entries.append(entry)
        of_reader.append(numbers + offset)
        first.append(numbers[entry >= known] + (batch << 32))
    in_order = sorted(number)
    numbered = np.fromiter(map(number.__getitem__, in_order), np.int64, len(in_order))
    place = np.empty(len(in_order), dtype=np.int32)
    place[numbered] = np.arange(len(in_order), dtype=np.int32)
    lengths = np.fromiter(map(len, in_order), np.int64, len(in_order))
    return _TermRange(
        b"".join(in_order),
        np.cumsum(lengths),
        np.concatenate(first)[numbered],
        np.concatenate(of_reader),
        place[np.concatenate(entries)],
    )


def _alphabet(scratch: _ScratchFiles, batches: Sequence[_TermsOfBatch]) -> list[bytes]:
    """Return where to divide the alphabet, so that about equally many terms are in each range."""
    sample: list[bytes] = []
    for batch, count, _ in batches:
        new = _NewTerms(scratch, batch, count)
        sample += [new[at] for at in range(_SAMPLED // 2, count, _SAMPLED)]
    sample.sort()
    each = max(1, _TERMS_AT_ONCE // _SAMPLED)
    return list(dict.fromkeys(sample[each::each]))


# Postings


class _BatchPlace(NamedTuple):
    """A batch, and where it begins: among all words, rows, and numbers of readers."""

    batch: int
    words: int
    rows: int
    first_word: int
    first_row: int
    offset: int


class _RunTerms(NamedTuple):
    """The terms that occur in a run, ascending, and how often."""

    terms: Ints
    counts: Ints


def _sort_run(
    run: int,
    batches: Sequence[_BatchPlace],
    columns: Sequence[Path],
    dtype: str,
    reader: BatchReader,
) -> _RunTerms:
    """Sort the words of some batches by term; write the rest of these batches into the columns."""
    scratch = reader.scratch
    in_index = scratch.map("numbers", "<i4")
    terms: list[Ints] = []
    for batch, words, rows, first_word, first_row, offset in batches:
        data = scratch.map(f"words-{batch}", "u1")
        edges = [0, *accumulate((4 * words, 4 * rows, 4 * rows, words))]
        numbers, first, after, gaps = (data[begin:end] for begin, end in pairwise(edges))
        terms.append(in_index[offset + numbers.view("<i4").astype(np.int64)])
        with output_errors(scratch.out):
            for path, values in zip(columns, (first, after), strict=False):
                write_values(
                    path, first_row, (values.view("<i4") + np.int64(first_word)).astype(dtype)
                )
            write_values(columns[-1], first_word, gaps)
        scratch.remove(f"words-{batch}")
    positions, counts = _sort_by_term(np.concatenate(terms))
    occurring = np.flatnonzero(counts).astype(np.int32)
    sorted_run = _RunTerms(occurring, counts[occurring])
    scratch.write(f"run-{run}", positions.astype("<i4", copy=False))
    scratch.write(f"run-{run}-terms", occurring)
    scratch.write(f"run-{run}-ends", np.cumsum(sorted_run.counts, dtype=np.int64))
    return sorted_run


def _sort_by_term(terms: Ints) -> tuple[Ints, Ints]:
    """Return the positions sorted by term, and the count of each term."""
    from scipy.sparse import coo_array

    positions = np.arange(len(terms), dtype=np.int32)
    shape = (int(terms.max(initial=0)) + 1, max(len(terms), 1))
    # Counting, which is linear; NumPy would sort.
    by_term = coo_array((positions, (terms, positions)), shape=shape).tocsr()
    return by_term.indices, np.diff(by_term.indptr)


class _Range(NamedTuple):
    """A range of terms, whose positions begin at `begin` in the index."""

    first: int
    after: int
    begin: int
    positions: int


def _term_ranges(ends: Ints) -> Iterator[_Range]:
    """Split the terms into ranges of few enough positions; a larger term has its own range."""
    first = begin = 0
    while first < len(ends):
        after = int(np.searchsorted(ends, begin + _MERGED_AT_ONCE, side="right"))
        after = max(after, first + 1)
        end = int(ends[after - 1])
        yield _Range(first, after, begin, end - begin)
        first, begin = after, end


def _merge_runs(
    runs: Sequence[int], of: _Range, path: Path, dtype: str, reader: BatchReader
) -> int:
    """Write the positions of a range of terms, from all runs, given by their first words."""
    if of.after == of.first + 1:  # perhaps the most frequent term of all: run by run
        begin = of.begin
        for run, first_word in enumerate(runs):
            _, _, positions = _of_run(reader.scratch, run, of, first_word)
            with output_errors(reader.scratch.out):
                write_values(path, begin, positions.astype(dtype))
            begin += len(positions)
        return of.positions
    parts = [_of_run(reader.scratch, run, of, first) for run, first in enumerate(runs)]
    counts = np.zeros(of.after - of.first, dtype=np.int64)
    for terms, in_run, _ in parts:
        counts[terms] += in_run
    place = np.cumsum(counts) - counts
    merged = np.empty(of.positions, dtype=dtype)
    for terms, in_run, positions in parts:
        merged[concatenated_ranges(place[terms], in_run)] = positions
        place[terms] += in_run
    with output_errors(reader.scratch.out):
        write_values(path, of.begin, merged)
    return of.positions


def _of_run(
    scratch: _ScratchFiles, run: int, of: _Range, first_word: int
) -> tuple[Ints, Ints, Ints]:
    """Return the terms of a range that are in a run, counted from the first one of the range.

    And how often each occurs, and all their positions.
    """
    terms, ends = scratch.map(f"run-{run}-terms", "<i4"), scratch.map(f"run-{run}-ends", "<i8")
    begin, end = (int(np.searchsorted(terms, term)) for term in (of.first, of.after))
    from_, to = (int(ends[at - 1]) if at else 0 for at in (begin, end))
    positions = scratch.map(f"run-{run}", "<i4")[from_:to].astype(np.int64) + first_word
    return terms[begin:end] - of.first, np.diff(ends[begin:end], prepend=from_), positions


# The index


class IndexWriter(StoreWriter):
    """Writes a new index from batches, in their order."""

    def __init__(self, out: Path, *, force: bool = False) -> None:
        super().__init__(INDEX, out, force=force)
        self._batches: list[WordBatch] = []
        self._terms = 0
        self.words = 0

    def scratch_files(self) -> _ScratchFiles:
        """Return where tasks put files aside until `finish`."""
        return _ScratchFiles(self.scratch("words").parent, self.out)

    def add(self, batch: WordBatch) -> None:
        """Add a batch at the end."""
        self._batches.append(batch)
        self.words += batch.words

    @property
    def counts(self) -> dict[str, int]:
        """What there is in the index so far."""
        return {
            "documents": sum(len(batch.document_words) for batch in self._batches),
            "elements": sum(batch.rows for batch in self._batches),
            "words": self.words,
            "terms": self._terms,
            "far": sum(len(batch.far_at) for batch in self._batches),
        }

    def write_terms(self, together: _Together) -> None:
        """Merge the terms of all batches, and number them."""
        scratch = self.scratch_files()
        offsets = self._reader_offsets()
        batches = [
            _TermsOfBatch(batch.number, batch.new_terms, offsets[batch.reader])
            for batch in self._batches
            if batch.new_terms
        ]
        edges = _alphabet(scratch, batches)
        tasks = [
            partial(_merge_terms, batches, low, high)
            for low, high in zip([b"", *edges], [*edges, None], strict=True)
        ]
        file, ends_column = self.file(TERMS_FILE), self.column("terms.ends", np.int64)
        first, of_reader, places = [], [], []
        end = 0
        for merged in together.results(tasks if batches else []):
            with output_errors(self.out):
                file.write(merged.text)
                ends_column.append(end + merged.ends)
            end += len(merged.text)
            first.append(merged.first)
            of_reader.append(merged.of_reader)
            places.append(merged.places + np.int32(self._terms))
            self._terms += len(merged.first)
        order = np.argsort(_joined(first, np.int64))
        number = np.empty(len(order), dtype=np.int32)
        number[order] = np.arange(len(order), dtype=np.int32)
        self.whole_column("terms.number", number)
        in_index = np.empty(sum(batch.new_terms for batch in self._batches), dtype=np.int32)
        for numbers, place in zip(of_reader, places, strict=True):
            in_index[numbers] = number[place]
        scratch.write("numbers", in_index)
        for batch in self._batches:
            scratch.remove(f"terms-{batch.number}")

    def _reader_offsets(self) -> dict[str, int]:
        """Return where the numbers of each reader begin, one reader after another."""
        terms = dict.fromkeys((batch.reader for batch in self._batches), 0)
        for batch in self._batches:
            terms[batch.reader] += batch.new_terms
        return dict(zip(terms, accumulate(terms.values(), initial=0), strict=False))

    def write_postings(self, together: _Together) -> Iterator[int]:
        """Sort all words by term; yield how many positions were written since the last time."""
        dtype = position_type(self.words).str
        names = ("elements.first", "elements.after")
        elements = [self.column(name, dtype) for name in names]
        gaps = self.column("words.gaps", np.uint8)
        for column in elements:
            column.reserve(self.counts["elements"])
        gaps.reserve(self.words)
        paths = [column.path for column in (*elements, gaps)]
        runs = self._runs()
        tasks = [partial(_sort_run, run, places, paths, dtype) for run, places in enumerate(runs)]
        counts = np.zeros(self._terms, dtype=np.int64)
        for run in together.results(tasks):
            counts[run.terms] += run.counts
        ends = np.cumsum(counts)
        self.whole_column("terms.starts", np.concatenate(([0], ends)))
        postings = self.column("postings", dtype)
        postings.reserve(self.words)
        first_words = [places[0].first_word for places in runs]
        yield from together.results(
            partial(_merge_runs, first_words, terms, postings.path, dtype)
            for terms in _term_ranges(ends)
        )

    def _runs(self) -> list[list[_BatchPlace]]:
        """Return the batches of each run, with as many words as are sorted together."""
        offsets = self._reader_offsets()
        runs: list[list[_BatchPlace]] = []
        words = rows = 0
        room = 0
        for batch in self._batches:
            if room <= 0:
                runs.append([])
                room = _RUN_WORDS
            counts = batch.words, batch.rows
            runs[-1].append(_BatchPlace(batch.number, *counts, words, rows, offsets[batch.reader]))
            words, rows, room = words + batch.words, rows + batch.rows, room - batch.words
        return runs

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Write what is left, and put the index in its place."""
        words = [np.zeros(1, np.int64), *(batch.document_words for batch in self._batches)]
        firsts = accumulate((batch.words for batch in self._batches), initial=0)
        far_at = [batch.far_at + first for batch, first in zip(self._batches, firsts, strict=False)]
        far_gap = [batch.far_gap for batch in self._batches]
        self.whole_column("documents.first", np.cumsum(_joined(words, np.int64), dtype=np.int64))
        self.whole_column("words.far_at", _joined(far_at, np.int64))
        self.whole_column("words.far_gap", _joined(far_gap, np.int32))
        super().finish({**facts, "counts": self.counts})


def _joined(arrays: Sequence[Ints], dtype: type) -> Ints:
    return np.concatenate([np.empty(0, dtype), *arrays]).astype(dtype, copy=False)
