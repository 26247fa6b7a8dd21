"""Ways to search chunks: by words, by embeddings, or both.

A search is a value. It makes a run from chunks and questions, so that the same search can be tried
on every chunking. Words are searched by any model of `doxeval.retrieve`, and every chunk with a
match is scored exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints, concatenated_ranges, distinct_below
from doxeval.chunks.chunks import Chunks, run_of_chunks
from doxeval.chunks.dataset import Dataset
from doxeval.chunks.transforms import ChunkRun
from doxeval.errors import InputError, warn
from doxeval.messages import escape, join_names, quoted
from doxeval.named import checked
from doxeval.retrieve import (
    ARTICLES,
    PLAIN_TEXT,
    Evidence,
    FeedbackResult,
    Item,
    Model,
    UnitStatistics,
    WordIndex,
    as_model,
    expand,
    round_scores,
    score_units,
)
from doxeval.runs import METADATA, ChunkTable, Run, made_by_doxeval, retrieval_stage

K = 100
# What is called with the number of questions answered since the last call: first with 0, when the
# chunks are ready to be searched, and again with 0 after work for all questions together.
Progress = Callable[[int], object]


def _quiet(_: int) -> None:
    return None


class Timing(NamedTuple):
    """How long a search took, in seconds: to make its chunks ready, and for each question.

    >>> Timing(0.5, np.array([0.1, 0.3])).latency(50)
    0.2
    """

    building: float
    questions: Floats

    def latency(self, percentile: float) -> float:
        """Return a percentile of the seconds for a question; nan without questions."""
        if not len(self.questions):
            return float("nan")
        return float(np.percentile(self.questions, percentile))


class _Clock:
    """Takes the time between the calls of a search's progress."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._last = perf_counter()
        self._index: float | None = None
        self._shared = 0.0
        self._questions: list[float] = []

    def __call__(self, answered: int) -> None:
        now = perf_counter()
        passed, self._last = now - self._last, now
        if self._index is None:
            self._index = passed
        elif not answered:
            self._shared += passed
        else:
            self._questions += [passed / answered] * answered
        self._progress(answered)

    def timing(self) -> Timing:
        """Return what was taken; work for all questions together is shared among them."""
        each = self._shared / max(len(self._questions), 1)
        return Timing(self._index or 0.0, np.array(self._questions) + each)


@dataclass(frozen=True)
class ChunkSearch:
    """A way to search chunks."""

    def run(self, dataset: Dataset, chunks: Chunks, k: int = K, progress: Progress = _quiet) -> Run:
        """Return the best chunks for each question."""
        raise NotImplementedError

    def prepare(self, dataset: Dataset, chunks: Chunks) -> None:
        """Work out what does not depend on the chunking; this is not timed."""

    def timed(
        self, dataset: Dataset, chunks: Chunks, k: int = K, progress: Progress = _quiet
    ) -> tuple[Run, Timing]:
        """Return the best chunks for each question, and how long it took to find them."""
        self.prepare(dataset, chunks)
        clock = _Clock(progress)
        run = self.run(dataset, chunks, k, clock)
        return run, clock.timing()

    def __call__(self, chunks: Chunks, gold: Any, k: int = K, progress: Progress = _quiet) -> Run:
        """Return the best chunks for each question."""
        # Only the texts of the questions are needed, wherever their gold stands.
        dataset = Dataset(chunks.known_docs, gold, max_missing="100%")
        run = self.run(dataset, chunks, k, progress)
        run = replace(run, warnings=(*dataset.warnings, *run.warnings))
        warn(run.warnings)
        return run

    @property
    def name(self) -> str:
        """What its runs are called."""
        return type(self).__name__.lower()


@dataclass(frozen=True)
class WordSearch(ChunkSearch):
    """Search by words, with a model of `doxeval.retrieve`."""

    model: str | Model = "bm25"

    def run(self, dataset: Dataset, chunks: Chunks, k: int = K, progress: Progress = _quiet) -> Run:
        """Return the chunks with a word of the question, best first."""
        if chunks.are_searched_as_read:
            searched = chunks.table
            index = dataset.full_index if self._has_feedback else dataset.index
        else:
            searched, texts = _searched_texts(chunks)
            index = WordIndex(texts, dataset.questions.values(), every_term=self._has_feedback)
        ranking = ChunkIndex(searched, index, self.model)
        progress(0)
        return search_chunks(ranking, chunks.table, dataset.questions, k, self.name, progress)

    def prepare(self, dataset: Dataset, chunks: Chunks) -> None:
        """Find the words of all documents, once for all chunkings whose texts they are."""
        if chunks.are_searched_as_read:
            _ = dataset.full_index if self._has_feedback else dataset.index

    @property
    def _has_feedback(self) -> bool:
        return as_model(self.model).feedback_settings is not None

    @property
    def name(self) -> str:
        """The model."""
        return self.model if isinstance(self.model, str) else self.model.label


def _searched_texts(chunks: Chunks) -> tuple[ChunkTable, dict[str, str]]:
    """Return chunks as spans of the texts that are searched, and these by document.

    The texts of the chunks of a document are together one text: what is searched of it.
    """
    names = [chunks.documents[number] for number in chunks.document.tolist()]
    parts: dict[str, list[str]] = {}
    lengths = dict[str, int]()
    spans = []
    for name, text in zip(names, chunks.searched, strict=True):
        start = lengths.get(name, 0)
        parts.setdefault(name, []).append(text)
        spans.append([(start, start + len(text))])
        lengths[name] = start + len(text) + 1
    texts = {name: "\n".join(of_document) for name, of_document in parts.items()}
    return ChunkTable.of(chunks.ids, names, spans), texts


@dataclass(frozen=True)
class Dense(ChunkSearch):
    """Search by embeddings: the chunks with the largest dot products, computed exactly."""

    embed: Callable[[list[str]], Any]
    batch: int = 256

    def run(self, dataset: Dataset, chunks: Chunks, k: int = K, progress: Progress = _quiet) -> Run:
        """Return the chunks nearest to the question, best first."""
        questions = dataset.questions
        texts = list(chunks.searched)
        of_chunks = self._embedded(texts, "chunks")
        progress(0)
        of_questions = self._embedded(list(questions.values()), "questions")
        if len(texts) and len(questions) and of_chunks.shape[1] != of_questions.shape[1]:
            raise InputError(
                f"embed gives vectors of {of_chunks.shape[1]:,} numbers for chunks and of "
                f"{of_questions.shape[1]:,} for questions"
            )
        progress(0)
        topics: list[str] = []
        rows: list[Ints] = [np.zeros(0, dtype=np.int64)]
        scores: list[Floats] = [np.zeros(0)]
        for topic, vector in zip(questions, of_questions, strict=True):
            best, score = _nearest(of_chunks, vector, k)
            topics += [topic] * len(best)
            rows.append(best)
            scores.append(score)
            progress(1)
        every, values = np.concatenate(rows), np.concatenate(scores)
        return run_of_chunks(chunks.table, topics, every, values, self.name)

    def _embedded(self, texts: list[str], what: str) -> Floats:
        parts = []
        for begin in range(0, len(texts), self.batch):
            some = texts[begin : begin + self.batch]
            part = np.asarray(self.embed(some), dtype=np.float64)
            if part.ndim != 2 or len(part) != len(some):
                raise InputError(
                    f"embed gives an array of shape {part.shape} for {len(some):,} {what}: "
                    "expected a vector for each"
                )
            if not np.isfinite(part).all():
                raise InputError(f"embed gives numbers that are not finite for {what}")
            parts.append(part)
        return np.concatenate(parts) if parts else np.zeros((0, 0))


def _nearest(vectors: Floats, query: Floats, k: int) -> tuple[Ints, Floats]:
    # Row by row instead of a matrix product, whose last bits depend on the machine.
    score = np.einsum("ij,j->i", vectors, query) if len(vectors) else np.zeros(0)
    order = np.argsort(-score, kind="stable")[:k]
    return order, score[order]


@dataclass(frozen=True)
class Hybrid(ChunkSearch):
    """Several searches, their ranks fused: the sum of 1 / (constant + rank) [RRF]."""

    parts: tuple[ChunkSearch, ...]
    constant: float = 60

    def run(self, dataset: Dataset, chunks: Chunks, k: int = K, progress: Progress = _quiet) -> Run:
        """Return the chunks with the best ranks."""
        return self.timed(dataset, chunks, k, progress)[0]

    def timed(
        self, dataset: Dataset, chunks: Chunks, k: int = K, progress: Progress = _quiet
    ) -> tuple[Run, Timing]:
        """Return the chunks with the best ranks; the times of all parts are added up."""
        timed = [part.timed(dataset, chunks, max(k, K)) for part in self.parts]
        began, questions = perf_counter(), len(dataset.questions)
        run = fused([run for run, _ in timed], self.constant, k, self.name)
        each = (perf_counter() - began) / max(questions, 1)
        progress(questions)
        timings = [timing for _, timing in timed]
        seconds = np.sum([timing.questions for timing in timings], axis=0) + each
        return run, Timing(sum(timing.building for timing in timings), seconds)


def fused(runs: list[Run], constant: float = 60, k: int = K, run_id: str = "hybrid") -> Run:
    """Fuse runs by reciprocal ranks; of equal results that of the first run comes first.

    >>> runs = [Run.from_dict({"7": ["a", "b"]}), Run.from_dict({"7": ["b", "c"]})]
    >>> [result.document for result in fused(runs)]
    ['b', 'a', 'c']
    """
    if len(runs) < 2:
        raise InputError("hybrid takes at least two searches or runs")
    by_topic: dict[str, dict[Any, float]] = {}
    first: dict[tuple[str, Any], Any] = {}
    for run in runs:
        ranks: dict[str, int] = {}
        for result in run:
            ranks[result.topic] = rank = ranks.get(result.topic, 0) + 1
            key = (result.document, result.kind, result.start, result.end, result.paths,
                   result.spans)  # fmt: skip
            scores = by_topic.setdefault(result.topic, {})
            scores[key] = scores.get(key, 0.0) + 1 / (constant + rank)
            first.setdefault((result.topic, key), result)
    results = [
        first[topic, key]._replace(rank=rank, score=scores[key])
        for topic, scores in by_topic.items()
        for rank, key in enumerate(sorted(scores, key=lambda key: -scores[key])[:k], 1)
    ]
    return Run.from_results(results, run_id)


def as_search(given: Any) -> ChunkSearch:
    """Return a search, given as such, as the name of a model, or as a function that embeds texts.

    >>> as_search("bm25").name
    'bm25'
    """
    if isinstance(given, ChunkSearch):
        return given
    if isinstance(given, str | Model) or (isinstance(given, type) and issubclass(given, Model)):
        as_model(given)  # an unknown name is an error now
        return WordSearch(given if isinstance(given, str) else as_model(given))
    if callable(given):
        return Dense(given)
    raise InputError(
        f"search is {quoted(given)}: expected the name of a model such as 'bm25', dense(embed), "
        "hybrid(…), or a function that embeds texts"
    )


@checked
def dense(embed: Callable[[list[str]], Any], *, batch: int = 256) -> Dense:
    """Search by embeddings: `embed` makes an array from a list of texts, a vector for each.

    The score of a chunk is the dot product of its vector with that of the question.

    >>> dense(lambda texts: [[len(text), 1.0] for text in texts]).name
    'dense'
    """
    if not callable(embed):
        raise InputError(f"embed is {quoted(embed)}: expected a function from texts to vectors")
    return Dense(embed, batch)


@checked
def hybrid(*parts: Any, constant: float = 60) -> Any:
    """Fuse searches, or runs, by reciprocal ranks (RRF).

    Of searches (`"bm25"`, `dense(embed)`) it makes a search; of runs a run.

    >>> hybrid("bm25", "lm").name
    'hybrid'
    """
    if parts and all(isinstance(part, Run) for part in parts):
        deep = max(len(part) for part in parts)
        return fused(list(parts), constant, deep)
    if len(parts) < 2:
        raise InputError("hybrid takes at least two searches or runs")
    return Hybrid(tuple(map(as_search, parts)), constant)


@checked
def search(
    chunks: Chunks,
    gold: Any,
    search: Any = "bm25",
    *,
    k: int = K,
    run_id: str | None = None,
    progress: Progress = _quiet,
) -> ChunkRun:
    """Search chunks for each question: a run with the best `k` of them.

    `gold` are questions, or their texts by id. `search` is a model of `doxeval.retrieve` by name,
    such as "bm25", "bm25(feedback=5)" or "lm", `dense(embed)`, or `hybrid("bm25", dense(embed))`.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "Fog on the sea. A horn is heard. Nobody answers."})
    >>> run = chunks.search(chunks.split(docs, "sentences:1:0"), {"7": "Who hears the horn?"})
    >>> [(result.document, result.start, result.end) for result in run]
    [('a', 16, 32)]
    """
    if k < 1:
        raise InputError(f"k is {k}: expected 1 or more")
    run = as_search(search)(chunks, gold, k, progress)
    warn(run.warnings)
    return ChunkRun.of(run if run_id is None else run.with_id(escape(run_id)), chunks)


class _Postings(NamedTuple):
    """The chunks in which an item occurs, ascending, and how often."""

    chunk: Ints
    tf: Ints


class ChunkIndex:
    """Chunks, ready to be searched."""

    def __init__(
        self,
        table: ChunkTable,
        index: WordIndex,
        model: str | Model = "bm25",
    ) -> None:
        self._table = table
        self._index = index
        self.model = as_model(model).resolve_auto("chunks")
        if self.model.field_weights != PLAIN_TEXT:
            raise InputError(
                f"{self.model.label}: texts that are split into chunks have no fields; "
                "`doxeval search --units FILE` searches chunks of a collection, which has some"
            )
        owner = table.spans.owner
        # A chunk that was not found may be of no known document; it has no words.
        numbers = [max(index.number_of(name), 0) for name in table.documents]
        self._document = np.array(numbers, dtype=np.int64)[table.document]
        first, after = (
            index.words_before(self._document[owner], edge)
            for edge in (table.spans.start, table.spans.end)
        )
        order = np.lexsort((after, first))
        self._owner, self._first, self._after = owner[order], first[order], after[order]
        self._reach = np.maximum.accumulate(self._after) if len(order) else self._after
        self._length = np.zeros(len(table), dtype=np.int64)
        np.add.at(self._length, owner, after - first)
        self._known: dict[tuple[str, ...], _Postings] = {}

    def ranked(self, question: str, k: int) -> tuple[Ints, Floats]:
        """Return the best chunks for a question, and their scores; ties are in the given order."""
        items = self._index.items(question)
        feedback = self.model.feedback_settings
        if feedback is not None and items:
            first = self._ranked(self.model.without_feedback, items, len(self._table))
            results = self._best_apart(*first, feedback.results)
            items = expand(items, results, feedback, self._index.is_skipped)
        return self._ranked(self.model, items, k)

    def _best_apart(self, chunks: Ints, scores: Floats, count: int) -> list[FeedbackResult]:
        """Return the terms of the best chunks that have no word of a better one."""
        results: list[FeedbackResult] = []
        known: list[tuple[int, int]] = []
        for chunk, score in zip(chunks.tolist(), scores.tolist(), strict=True):
            if len(results) == count:
                break
            spans = self._words_of(chunk)
            if not any(first < b and a < after for first, after in spans for a, b in known):
                known += spans
                terms = [term for span in spans for term in self._index.terms_between(*span)]
                results.append(FeedbackResult(score, terms))
        return results

    def _words_of(self, chunk: int) -> list[tuple[int, int]]:
        """Return the positions of the words of a chunk, as ranges in order."""
        which = self._spans_of[self._first_span[chunk] : self._first_span[chunk + 1]]
        return list(zip(self._first[which].tolist(), self._after[which].tolist(), strict=True))

    @cached_property
    def _spans_of(self) -> Ints:
        """The spans of all chunks, chunk after chunk."""
        return np.argsort(self._owner, kind="stable")

    @cached_property
    def _first_span(self) -> Ints:
        return np.searchsorted(self._owner[self._spans_of], np.arange(len(self._table) + 1))

    def _ranked(self, model: Model, items: tuple[Item, ...], k: int) -> tuple[Ints, Floats]:
        if not items:
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        postings = [self._postings(item.terms) for item in items]
        every = np.concatenate([of_item.chunk for of_item in postings])
        chunks, row = distinct_below(len(self._table), every)
        df = np.array([len(of_item.chunk) for of_item in postings], dtype=np.int64)
        tf = np.zeros((len(chunks), len(items)), dtype=np.int64)
        column = np.repeat(np.arange(len(items)), df)
        tf[row, column] = np.concatenate([of_item.tf for of_item in postings])
        scores = round_scores(self._scores(model, items, chunks, tf, df))
        order = np.argsort(-scores, kind="stable")[:k]
        return chunks[order], scores[order]

    def _scores(
        self, model: Model, items: tuple[Item, ...], chunks: Ints, tf: Ints, df: Ints
    ) -> Floats:
        index = self._index
        documents, article = distinct_below(len(index.documents), self._document[chunks])
        counts = np.stack([index.document_counts(item.terms) for item in items], axis=1)
        mean = index.words / max(len(index.documents), 1)
        evidence = Evidence(
            items=tuple(item.text for item in items),
            weight=np.array([item.weight for item in items]),
            tf=tf,
            length=self._length[chunks],
            article=article,
            article_tf=counts[documents],
            article_length=index.lengths[documents],
            documents=len(index.documents),
            words=index.words,
            df=np.count_nonzero(counts, axis=0),
            cf=counts.sum(axis=0),
            mean_article=mean,
            units=UnitStatistics(len(self._table), df, float(self._length.mean())),
        )
        if model.needs_article_scores:
            evidence = evidence.with_articles_scored(score_units(ARTICLES, evidence.articles))
        return score_units(model, evidence)

    def _postings(self, terms: tuple[str, ...]) -> _Postings:
        if terms not in self._known:
            self._known[terms] = self._chunks_at(self._index.positions(terms))
        return self._known[terms]

    def _chunks_at(self, positions: Ints) -> _Postings:
        """Return the chunks that have words at some positions, and how many."""
        low = np.searchsorted(self._reach, positions, "right")
        high = np.searchsorted(self._first, positions, "right")
        counts = np.maximum(high - low, 0)
        if int(counts.sum()) > 4 * (len(self._first) + len(positions)):
            return self._counted(positions)  # long chunks that have many short ones in them
        span = concatenated_ranges(low, counts)
        is_inside = np.repeat(positions, counts) < self._after[span]
        tf = np.bincount(self._owner[span[is_inside]], minlength=len(self._table))
        chunk = np.flatnonzero(tf)
        return _Postings(chunk, tf[chunk])

    def _counted(self, positions: Ints) -> _Postings:
        """Return the same by counting the positions in every span."""
        counts = np.searchsorted(positions, self._after) - np.searchsorted(positions, self._first)
        tf = np.zeros(len(self._table), dtype=np.int64)
        np.add.at(tf, self._owner, counts)
        chunk = np.flatnonzero(tf)
        return _Postings(chunk, tf[chunk])


def search_chunks(
    index: ChunkIndex,
    table: ChunkTable,
    questions: Mapping[str, str],
    k: int = 100,
    run_id: str | None = None,
    progress: Progress = _quiet,
) -> Run:
    """Return a run: for each question its best chunks."""
    topics: list[str] = []
    chunks: list[Ints] = [np.zeros(0, dtype=np.int64)]
    scores: list[Floats] = [np.zeros(0)]
    empty = []
    for topic, question in questions.items():
        best, score = index.ranked(question, k)
        topics += [topic] * len(best)
        chunks.append(best)
        scores.append(score)
        empty += [] if len(best) else [topic]
        progress(1)
    name = run_id or index.model.name
    run = run_of_chunks(table, topics, np.concatenate(chunks), np.concatenate(scores), name)
    warnings = run.warnings
    if empty:
        about = f"questions for which nothing was found, whose lists are empty: {join_names(empty)}"
        warnings = (*warnings, about)
    method = {"automatic": True, "retrieval": [retrieval_stage("chunks", index.model)]}
    facts = {"model": str(index.model), METADATA: made_by_doxeval(method=method)}
    return replace(run, facts=facts, warnings=warnings)
