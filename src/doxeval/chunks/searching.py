"""Ways to search chunks: by words, by embeddings, or both.

A search is a value. It makes a run from chunks and questions, so that the same search can be tried
on every cut.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.chunks.bench import Bench
from doxeval.chunks.chunk_runs import run_of_chunks
from doxeval.chunks.chunk_search import ChunkSearch, search_chunks
from doxeval.chunks.chunk_set import Chunks
from doxeval.chunks.rewriting import ChunkRun
from doxeval.errors import InputError, warn
from doxeval.messages import escape, quoted
from doxeval.named import checked
from doxeval.retrieve import Model
from doxeval.runs import Run

K = 100
Progress = Callable[[int], object]


def _quiet(_: int) -> None:
    return None


@dataclass(frozen=True)
class Search:
    """A way to search chunks."""

    def run(self, bench: Bench, chunks: Chunks, k: int = K, progress: Progress = _quiet) -> Run:
        """The best chunks for each question."""
        raise NotImplementedError

    def __call__(self, chunks: Chunks, gold: Any, k: int = K, progress: Progress = _quiet) -> Run:
        """The best chunks for each question."""
        # Only the texts of the questions are needed, wherever their gold stands.
        bench = Bench(chunks.known_docs, gold, max_lost="100%")
        found = self.run(bench, chunks, k, progress)
        found = replace(found, warnings=(*bench.warnings, *found.warnings))
        warn(found.warnings)
        return found

    @property
    def name(self) -> str:
        """What its runs are called."""
        return type(self).__name__.lower()


@dataclass(frozen=True)
class WordSearch(Search):
    """Search by words, with a model of `doxeval.retrieve`."""

    model: str | Model = "bm25"

    def run(self, bench: Bench, chunks: Chunks, k: int = K, progress: Progress = _quiet) -> Run:
        """The chunks with a word of the question, best first."""
        engine = ChunkSearch(chunks.table, bench.index, self.model)
        return search_chunks(engine, chunks.table, bench.questions, k, self.name, progress)

    @property
    def name(self) -> str:
        """The model."""
        return self.model if isinstance(self.model, str) else self.model.label


@dataclass(frozen=True)
class Dense(Search):
    """Search by embeddings: the chunks with the largest dot products, computed exactly."""

    embed: Callable[[list[str]], Any]
    batch: int = 256

    def run(self, bench: Bench, chunks: Chunks, k: int = K, progress: Progress = _quiet) -> Run:
        """The chunks nearest to the question, best first."""
        questions = bench.questions
        texts = list(chunks.given or chunks.texts)
        found = self._embedded(texts, "chunks")
        asked = self._embedded(list(questions.values()), "questions")
        if len(texts) and len(questions) and found.shape[1] != asked.shape[1]:
            raise InputError(
                f"embed gives vectors of {found.shape[1]:,} numbers for chunks and of "
                f"{asked.shape[1]:,} for questions"
            )
        topics: list[str] = []
        rows: list[Ints] = [np.zeros(0, dtype=np.int64)]
        scores: list[Floats] = [np.zeros(0)]
        for topic, vector in zip(questions, asked, strict=True):
            best, score = _nearest(found, vector, k)
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
class Hybrid(Search):
    """Several searches, their ranks fused: the sum of 1 / (constant + rank) [RRF]."""

    parts: tuple[Search, ...]
    constant: float = 60

    def run(self, bench: Bench, chunks: Chunks, k: int = K, progress: Progress = _quiet) -> Run:
        """The chunks with the best ranks."""
        deep = max(k, K)
        runs = [part.run(bench, chunks, deep) for part in self.parts]
        progress(len(bench.questions))
        return fused(runs, self.constant, k, self.name)


def fused(runs: list[Run], constant: float = 60, k: int = K, run_id: str = "hybrid") -> Run:
    """Runs fused by reciprocal ranks; of equal results that of the first run comes first.

    >>> one, other = Run.from_dict({"7": ["a", "b"]}), Run.from_dict({"7": ["b", "c"]})
    >>> [result.document for result in fused([one, other])]
    ['b', 'a', 'c']
    """
    if len(runs) < 2:
        raise InputError("hybrid takes at least two searches or runs")
    found: dict[str, dict[Any, float]] = {}
    first: dict[tuple[str, Any], Any] = {}
    for run in runs:
        ranks: dict[str, int] = {}
        for result in run:
            ranks[result.topic] = rank = ranks.get(result.topic, 0) + 1
            key = (result.document, result.kind, result.start, result.end, result.paths,
                   result.spans)  # fmt: skip
            scores = found.setdefault(result.topic, {})
            scores[key] = scores.get(key, 0.0) + 1 / (constant + rank)
            first.setdefault((result.topic, key), result)
    results = [
        first[topic, key]._replace(rank=rank, score=scores[key])
        for topic, scores in found.items()
        for rank, key in enumerate(sorted(scores, key=lambda key: -scores[key])[:k], 1)
    ]
    return Run.from_results(results, run_id)


def as_search(given: Any) -> Search:
    """A search given as a value, as the name of a model, or as a function that embeds texts.

    >>> as_search("bm25").name
    'bm25'
    """
    if isinstance(given, Search):
        return given
    if isinstance(given, str | Model) or (isinstance(given, type) and issubclass(given, Model)):
        from doxeval.retrieve import as_model

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
    k: int = K,
    model: Any = "bm25",
    *,
    run_id: str | None = None,
    progress: Progress = _quiet,
) -> ChunkRun:
    """Search chunks for each question: a run with the best `k` of them.

    `gold` are questions, or their texts by id. `model` is a model of `doxeval.retrieve` by name,
    such as "bm25" (which stands for bm25(k1=1.2,b=0.75,context=0) here) or "lm", `dense(embed)`,
    or `hybrid("bm25", dense(embed))`.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "Fog on the sea. A horn is heard. Nobody answers."})
    >>> run = chunks.search(chunks.cut(docs, "sentences:1:0"), {"7": "Who hears the horn?"})
    >>> [(result.document, result.start, result.end) for result in run]
    [('a', 16, 32)]
    """
    if k < 1:
        raise InputError(f"k is {k}: expected 1 or more")
    found = as_search(model)(chunks, gold, k, progress)
    warn(found.warnings)
    return ChunkRun.of(found if run_id is None else found.with_id(escape(run_id)), chunks)
