"""Search over chunks: any model of `doxeval.retrieve`, every chunk with a match scored exactly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints, concatenated_ranges
from doxeval.chunks.chunk_runs import run_of_chunks
from doxeval.chunks.word_index import WordIndex
from doxeval.messages import join_names
from doxeval.retrieve import (
    ARTICLES,
    Evidence,
    Item,
    Model,
    UnitStatistics,
    as_model,
    round_scores,
    score_units,
    stop_words,
)
from doxeval.runs import ChunkTable, Run

# What `bm25` without parameters means for chunks: the usual values, and the chunk's own words only.
PLAIN = "bm25(k1=1.2,b=0.75,context=0)"


class _Postings(NamedTuple):
    """The chunks in which an item occurs, ascending, and how often."""

    chunk: Ints
    tf: Ints


class ChunkSearch:
    """Chunks, ready to be searched."""

    def __init__(
        self,
        table: ChunkTable,
        index: WordIndex,
        model: str | Model = "bm25",
        stop: str = "english",
    ) -> None:
        self._table = table
        self._index = index
        self.model = as_model(PLAIN if model == "bm25" else model).resolve_auto("chunks")
        self._stop = stop_words(stop)
        owner = table.spans.owner
        first, after = (self._words(one) for one in (table.spans.start, table.spans.end))
        order = np.lexsort((after, first))
        self._owner, self._first, self._after = owner[order], first[order], after[order]
        self._reach = np.maximum.accumulate(self._after) if len(order) else self._after
        self._length = np.zeros(len(table), dtype=np.int64)
        np.add.at(self._length, owner, after - first)
        numbers = {name: number for number, name in enumerate(index.documents)}
        # A chunk that was not found may be of no known document; it has no words.
        of_table = np.array([numbers.get(name, 0) for name in table.documents], dtype=np.int64)
        self._document = of_table[table.document]
        self._known: dict[tuple[str, ...], _Postings] = {}

    def _words(self, offset: Ints) -> Ints:
        table = self._table
        document = table.document[table.spans.owner]
        found = np.zeros(len(offset), dtype=np.int64)
        for number, name in enumerate(table.documents):
            rows = np.flatnonzero(document == number)
            if len(rows):
                found[rows] = self._index.words_before(name, offset[rows])
        return found

    def ranked(self, question: str, k: int) -> tuple[Ints, Floats]:
        """The best chunks for a question, best first, and their scores; ties in the given order."""
        items = self._index.items(question, self._stop)
        if not items:
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        postings = [self._postings(item.terms) for item in items]
        chunks = np.unique(np.concatenate([one.chunk for one in postings]))
        tf = np.zeros((len(chunks), len(items)), dtype=np.int64)
        for column, one in enumerate(postings):
            tf[np.searchsorted(chunks, one.chunk), column] = one.tf
        df = np.array([len(one.chunk) for one in postings], dtype=np.int64)
        scores = round_scores(self._scores(items, chunks, tf, df))
        order = np.argsort(-scores, kind="stable")[:k]
        return chunks[order], scores[order]

    def _scores(self, items: tuple[Item, ...], chunks: Ints, tf: Ints, df: Ints) -> Floats:
        index = self._index
        documents, article = np.unique(self._document[chunks], return_inverse=True)
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
        articles = score_units(ARTICLES, evidence.articles)
        return score_units(self.model, evidence.with_articles_scored(articles))

    def _postings(self, terms: tuple[str, ...]) -> _Postings:
        if terms not in self._known:
            self._known[terms] = self._found(self._index.positions(terms))
        return self._known[terms]

    def _found(self, positions: Ints) -> _Postings:
        low = np.searchsorted(self._reach, positions, "right")
        high = np.searchsorted(self._first, positions, "right")
        counts = np.maximum(high - low, 0)
        if int(counts.sum()) > 4 * (len(self._first) + len(positions)):
            return self._counted(positions)  # long chunks around many short ones
        piece = concatenated_ranges(low, counts)
        inside = np.repeat(positions, counts) < self._after[piece]
        tf = np.bincount(self._owner[piece[inside]], minlength=len(self._table))
        chunk = np.flatnonzero(tf)
        return _Postings(chunk, tf[chunk])

    def _counted(self, positions: Ints) -> _Postings:
        found = np.searchsorted(positions, self._after) - np.searchsorted(positions, self._first)
        tf = np.zeros(len(self._table), dtype=np.int64)
        np.add.at(tf, self._owner, found)
        chunk = np.flatnonzero(tf)
        return _Postings(chunk, tf[chunk])


def search_chunks(
    search: ChunkSearch,
    table: ChunkTable,
    questions: Mapping[str, str],
    k: int = 100,
    run_id: str | None = None,
    progress: Callable[[int], object] = lambda _: None,
) -> Run:
    """A run: for each question its best chunks."""
    topics: list[str] = []
    chunks: list[Ints] = [np.zeros(0, dtype=np.int64)]
    scores: list[Floats] = [np.zeros(0)]
    empty = []
    for topic, question in questions.items():
        found, score = search.ranked(question, k)
        topics += [topic] * len(found)
        chunks.append(found)
        scores.append(score)
        empty += [] if len(found) else [topic]
        progress(1)
    name = run_id or search.model.name
    run = run_of_chunks(table, topics, np.concatenate(chunks), np.concatenate(scores), name)
    warnings = run.warnings
    if empty:
        said = f"questions for which nothing was found, whose lists are empty: {join_names(empty)}"
        warnings = (*warnings, said)
    return replace(run, facts={"model": str(search.model)}, warnings=warnings)
