"""Runs of chunks changed without a new search: neighbours added, parents for children, budgets.

Results keep their order, and the score of the one they come from. Ranks are given again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.chunks.chunks import Chunks, chunks_of_run
from doxeval.chunks.dataset import UNITS
from doxeval.errors import InputError
from doxeval.measures import CHARACTERS, Texts
from doxeval.messages import Parameter, plural, quoted, truncate
from doxeval.named import checked
from doxeval.runs import ChunkTable, Kind, Result, Run, is_not_found
from doxeval.spans import joined_spans

SpanTuple = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False, repr=False)
class ChunkRun(Run):
    """A run of chunks that knows them, so that it can be rewritten."""

    chunks: Chunks | None = None

    @classmethod
    def of(cls, run: Run, chunks: Chunks) -> ChunkRun:
        """Return a run together with its chunks."""
        names = [name for name in Run.__dataclass_fields__ if name != "chunks"]
        return cls(**{name: getattr(run, name) for name in names}, chunks=chunks)

    @property
    def _known(self) -> Chunks:
        if self.chunks is None:
            raise InputError("the run does not know its chunks")
        return self.chunks

    def expand(self, neighbours: int = 1) -> ChunkRun:
        """Add the neighbours of each result; see `expand`."""
        return expand(self, self._known, neighbours)

    def merge(self, share: float = 0.5) -> ChunkRun:
        """Replace results by their parents; see `merge`."""
        return merge(self, self._known, share)

    def join(self) -> ChunkRun:
        """Join results that follow each other; see `join`."""
        return join(self, self._known)

    def dedupe(self) -> ChunkRun:
        """Leave out results without anything new; see `dedupe`."""
        return dedupe(self, self._known)

    def threshold(self, min_score: float) -> ChunkRun:
        """Leave out results below a score; see `threshold`."""
        return ChunkRun.of(threshold(self, min_score), self._known)

    def budget(self, units: int, unit: str = "words", tokens: Any = None) -> ChunkRun:
        """Keep what a budget allows; see `budget`."""
        return budget(self, self._known, units, unit, tokens)


class _RewrittenResult(NamedTuple):
    """A rewritten result, before it has a rank."""

    document: str
    spans: SpanTuple
    tokens: int | None
    score: float | None
    added: int = 0


@checked
def expand(run: Run, chunks: Chunks, neighbours: int = 1) -> ChunkRun:
    """Return each result with this many chunks before and after it, of the same parent.

    >>> from doxeval import chunks
    >>> split = chunks.split({"a": "One. Two. Three. Four."}, "sentences:1:0")
    >>> run = chunks.search(split, {"7": "two"})
    >>> [(result.start, result.end, result.spans) for result in run.expand(1)]
    [(0, 16, ())]
    """
    if neighbours < 0:
        raise InputError(f"neighbours is {neighbours}: expected 0 or more")
    family, docs = ChunkFamily(chunks.table), chunks.known_docs

    def widened(chunk: int, score: float | None) -> _RewrittenResult:
        around = family.neighbours(chunk, neighbours) or [chunk]
        document = family.document(chunk)
        spans = [span for neighbour in around for span in family.spans[neighbour]]
        text = _without_gaps(spans, docs.get(document, ""))
        added = int(family.table.added[around].sum())
        return _RewrittenResult(document, text, family.tokens(around), score, added)

    rows = chunks_of_run(run, chunks.table).tolist()
    results = [widened(chunk, score) for chunk, score in zip(rows, _scores(run), strict=True)]
    return _rewritten(run, chunks, results)


@checked
def merge(run: Run, chunks: Chunks, share: float = 0.5) -> ChunkRun:
    """Replace results by their parent where it is returned in large part (auto-merging).

    If more than `share` of a chunk's children are among the results of a question, the chunk
    stands in place of the first of them. This is repeated up the tree.
    """
    if not 0 <= share <= 1:
        raise InputError(f"share is {share}: expected 0 to 1")
    family = ChunkFamily(chunks.table)
    if not family.children:
        raise InputError("the chunks have no parents to be merged into")
    chunk_of = chunks_of_run(run, chunks.table).tolist()
    scores = _scores(run)
    results: list[_RewrittenResult] = []
    topics: list[int] = []
    for topic, rows in _by_topic(run):
        for row, chunk in _merged([(row, chunk_of[row]) for row in rows], family, share):
            document, tokens = family.document(chunk), family.tokens([chunk])
            spans, added = family.spans[chunk], int(family.table.added[chunk])
            results.append(_RewrittenResult(document, spans, tokens, scores[row], added))
            topics.append(topic)
    return _rewritten(run, chunks, results, topics)


def _merged(
    results: list[tuple[int, int]], family: ChunkFamily, share: float
) -> list[tuple[int, int]]:
    while True:
        returned: dict[int, set[int]] = {}
        for _, chunk in results:
            parent = int(family.table.parent[chunk])
            if parent >= 0:
                returned.setdefault(parent, set()).add(chunk)
        whole = {
            parent
            for parent, children in returned.items()
            if len(children) > share * family.children[parent]
        }
        if not whole:
            return results
        seen: set[int] = set()
        merged: list[tuple[int, int]] = []
        for row, chunk in results:
            parent = int(family.table.parent[chunk])
            kept = parent if parent in whole else chunk
            if kept in whole:
                if kept in seen:
                    continue
                seen.add(kept)
            merged.append((row, kept))
        results = merged


@checked
def join(run: Run, chunks: Chunks) -> ChunkRun:
    """Join results that follow each other in the text of a document, with the rank of the first.

    Only white space may be between them. Results that overlap are joined too.

    >>> from doxeval import chunks
    >>> split = chunks.split({"a": "One. Two. Three. Four."}, "sentences:1:0")
    >>> run = chunks.search(split, {"7": "three two four"})
    >>> [(result.start, result.end) for result in run.join()]
    [(5, 22)]
    """
    docs = chunks.known_docs
    results: list[_RewrittenResult] = []
    topics: list[int] = []
    for topic, of_topic in _results_by_topic(run):
        joined = _joined(of_topic, docs)
        results += joined
        topics += [topic] * len(joined)
    return _rewritten(run, chunks, results, topics)


def _joined(results: Iterable[_RewrittenResult], docs: Mapping[str, str]) -> list[_RewrittenResult]:
    joined: list[_RewrittenResult] = []
    for result in results:
        row = len(joined)
        joined.append(result)
        while True:  # what has grown may touch more
            near = (
                other
                for other in range(len(joined))
                if other != row and _is_near(joined[other], joined[row], docs)
            )
            other = next(near, None)
            if other is None:
                break
            first, last = sorted((row, other))
            joined[first] = _together(joined[first], joined.pop(last), docs)
            row = first
    return joined


def _is_near(result: _RewrittenResult, other: _RewrittenResult, docs: Mapping[str, str]) -> bool:
    if result.document != other.document:
        return False
    text = docs.get(result.document, "")
    return any(
        max(a, c) <= min(b, d) or not text[min(b, d) : max(a, c)].strip()
        for a, b in result.spans
        for c, d in other.spans
    )


def _together(
    first: _RewrittenResult, second: _RewrittenResult, docs: Mapping[str, str]
) -> _RewrittenResult:
    spans = _without_gaps((*first.spans, *second.spans), docs.get(first.document, ""))
    both = first.tokens is not None and second.tokens is not None
    tokens = (first.tokens or 0) + (second.tokens or 0) if both else None
    added = first.added + second.added
    return _RewrittenResult(first.document, spans, tokens, first.score, added)


def _without_gaps(spans: Iterable[tuple[int, int]], text: str) -> SpanTuple:
    """Return spans in order, joined where nothing but white space is between them."""
    apart = joined_spans(spans)
    gaps = [(end, start) for (_, end), (start, _) in pairwise(apart)]
    return tuple(joined_spans([*apart, *(gap for gap in gaps if not text[slice(*gap)].strip())]))


@checked
def dedupe(run: Run, chunks: Chunks | None = None) -> ChunkRun | Any:
    """Leave out results whose whole text is in earlier results of the question.

    >>> from doxeval.runs import Run
    >>> run = Run.from_dict({"7": [("a", 0, 9), ("a", 3, 5), ("a", 8, 12)]})
    >>> len(dedupe(run))
    2
    """
    kept: list[int] = []
    for _, rows in _by_topic(run):
        read: dict[str, list[tuple[int, int]]] = {}
        for row in rows:
            result = run.result(row)
            spans = _spans(result)
            seen = read.setdefault(result.document, [])
            if _is_new(spans, seen):
                kept.append(row)
                read[result.document] = joined_spans([*seen, *spans])
    rest = replace(run.rows(np.array(kept, dtype=np.int64)), rank=None)
    return rest if chunks is None else ChunkRun.of(rest, chunks)


@checked
def threshold(run: Run, min_score: float) -> Run:
    """Leave out results whose score is below a limit, as if they had not been returned.

    A system that always returns something can be right about questions without an answer only in
    this way.

    >>> from doxeval.runs import Run
    >>> run = Run.from_dict({"7": {"a": 2.5, "b": 0.5}})
    >>> threshold(run, 1).warnings
    ('1 of 2 results has a score below 1 and is not returned',)
    """
    if run.score is None or np.isnan(run.score).any():
        raise InputError(
            Parameter("min_score", min_score) + " needs the score of each result, and "
            f"{truncate(run.run_id)} does not have them"
        )
    kept = np.flatnonzero(run.score >= min_score)
    left = len(run) - len(kept)
    verbs = ("has", "is") if left == 1 else ("have", "are")
    about = (
        f"{left:,} of {plural(len(run), 'result')} {verbs[0]} a score below {min_score:g} and "
        f"{verbs[1]} not returned"
    )
    warnings = (*run.warnings, *[about] * bool(left))
    return replace(run.rows(kept), rank=None, warnings=warnings)


def first_results(run: Run, k: int) -> Run:
    """Return the first `k` results of each question.

    >>> from doxeval.runs import Run
    >>> first_results(Run.from_dict({"7": ["a", "b"], "8": ["a"]}), 1).to_dict().keys()
    dict_keys(['7', '8'])
    """
    if k < 1:
        raise InputError(f"k is {k}: expected 1 or more")
    order = np.argsort(run.topic, kind="stable")
    topics = run.topic[order]
    place = np.arange(len(topics)) - np.searchsorted(topics, topics)
    return run.rows(np.sort(order[place < k]))


def _is_new(spans: Iterable[tuple[int, int]], read: list[tuple[int, int]]) -> bool:
    return any(not any(a <= start and end <= b for a, b in read) for start, end in spans)


@checked
def budget(
    run: Run, chunks: Chunks, units: int, unit: str = "words", tokens: Any = None
) -> ChunkRun:
    """Keep the results that a budget allows; the last of them ends where the budget does.

    >>> from doxeval import chunks
    >>> split = chunks.split({"a": "One two three. Four five six."}, "sentences:1:0")
    >>> run = chunks.search(split, {"7": "two five"})
    >>> [(result.start, result.end) for result in run.budget(6)]
    [(0, 14), (15, 25)]
    """
    if units < 1:
        raise InputError(f"units is {units}: expected 1 or more")
    if unit not in UNITS:
        raise InputError(f"unit is {quoted(unit)}: expected {', '.join(UNITS)}")
    texts = Texts(chunks.known_docs, tokens)
    starts: dict[str, list[int]] = {}
    results: list[_RewrittenResult] = []
    topics: list[int] = []
    for topic, of_topic in _results_by_topic(run):
        left = units
        for result in of_topic:
            if left <= 0:
                break
            states = unit == "tokens" and result.tokens is not None
            if unit != "characters" and not states and result.document not in starts:
                starts[result.document] = _starts(texts, result, unit)
            cost, kept = _within(result, left, unit, starts.get(result.document, []))
            left -= cost
            if kept.spans:
                results.append(kept)
                topics.append(topic)
    return _rewritten(run, chunks, results, topics)


def _starts(texts: Texts, result: _RewrittenResult, unit: str) -> list[int]:
    """Return where units begin in a document; as measures suppose it, if it has no text."""
    if is_not_found(result.document) and texts.find(result.document) is None:
        return list(range(0, result.spans[-1][1], CHARACTERS))
    starts: list[int] = texts.starts(result.document, unit).all().tolist()
    return starts


def _within(
    result: _RewrittenResult, left: int, unit: str, starts: list[int]
) -> tuple[int, _RewrittenResult]:
    """Return what a result costs, and as much of it as `left` units allow."""
    if unit == "tokens" and result.tokens is not None:
        return result.tokens, result if result.tokens <= left else _beginning(result, left)
    # Text that is in no document is read first.
    cost = result.added if unit == "characters" else -(-result.added // CHARACTERS)
    spans = []
    for start, end in result.spans:
        if unit == "characters":
            here = end - start
            stop = start + left - cost
        else:
            first = bisect_left(starts, start)
            here = bisect_left(starts, end) - first
            beyond = first + left - cost
            stop = starts[beyond] if beyond < len(starts) else end
        if cost < left:
            spans.append((start, min(end, stop)))
        cost += here
    if cost <= left:
        return cost, result
    return cost, result._replace(spans=tuple(spans), tokens=None)


def _beginning(result: _RewrittenResult, left: int) -> _RewrittenResult:
    """Return the first tokens of a result that states them; they are spread over its characters."""
    size = sum(end - start for start, end in result.spans)
    rest = -(-size * left // (result.tokens or 1))
    spans = []
    for start, end in result.spans:
        if rest > 0:
            spans.append((start, min(end, start + rest)))
        rest -= end - start
    return result._replace(spans=tuple(spans), tokens=left)


# Runs as results to be rewritten, and back


def _scores(run: Run) -> list[float | None]:
    return [None] * len(run) if run.score is None else run.score.tolist()


def _by_topic(run: Run) -> Iterator[tuple[int, list[int]]]:
    order = np.argsort(run.topic, kind="stable")
    edges = np.flatnonzero(np.diff(run.topic[order])) + 1
    for rows in np.split(order, edges):
        if len(rows):
            yield int(run.topic[rows[0]]), rows.tolist()


def _results_by_topic(run: Run) -> Iterator[tuple[int, list[_RewrittenResult]]]:
    for topic, rows in _by_topic(run):
        yield (
            topic,
            [
                _RewrittenResult(
                    result.document, _spans(result), result.tokens, result.score, result.added or 0
                )
                for result in map(run.result, rows)
            ],
        )


def _spans(result: Result) -> SpanTuple:
    if result.spans:
        return result.spans
    if result.start is None or result.end is None:
        raise InputError(f"the result {quoted(result.document)} is no range of text")
    return ((result.start, result.end),)


def _rewritten(
    run: Run,
    chunks: Chunks,
    rewritten: list[_RewrittenResult],
    topics: Iterable[int] | None = None,
) -> ChunkRun:
    numbers = run.topic.tolist() if topics is None else list(topics)
    ranks: dict[int, int] = {}
    results = []
    for topic, result in zip(numbers, rewritten, strict=True):
        ranks[topic] = ranks.get(topic, 0) + 1
        results.append(_result(run.topics[topic], result, ranks[topic]))
    changed = Run.from_results(results, run.run_id)
    return ChunkRun.of(replace(changed, facts=run.facts, warnings=run.warnings), chunks)


def _result(topic: str, result: _RewrittenResult, rank: int) -> Result:
    spans = tuple(joined_spans(result.spans))
    if len(spans) == 1:
        ((start, end),) = spans
        where: dict[str, Any] = {"kind": Kind.PASSAGE, "start": start, "end": end}
    else:
        where = {"kind": Kind.SPANS, "spans": spans}
    return Result(
        topic,
        result.document,
        rank=rank,
        score=result.score,
        tokens=result.tokens,
        added=result.added or None,
        **where,
    )


class ChunkFamily:
    """Chunks by their order in the text: neighbours, parents and children."""

    def __init__(self, table: ChunkTable) -> None:
        self.table = table = table.in_runs
        self.spans = table.spans.as_tuples()
        first = np.array([spans[0][0] if spans else -1 for spans in self.spans], dtype=np.int64)
        last = np.array([spans[-1][1] if spans else -1 for spans in self.spans], dtype=np.int64)
        order = np.lexsort((last, first, table.document, table.parent))
        self._order = order.tolist()
        position: Ints = np.empty(len(order), dtype=np.int64)
        position[order] = np.arange(len(order))
        self._position = position.tolist()
        keys = table.parent * (len(table.documents) + 1) + table.document
        self._key = keys.tolist()

    def neighbours(self, chunk: int, count: int) -> list[int]:
        """Return a chunk between those before and after it, which have the same parent."""
        at, key = self._position[chunk], self._key[chunk]
        around = self._order[max(0, at - count) : at + count + 1]
        return [near for near in around if self._key[near] == key and self.spans[near]]

    @cached_property
    def children(self) -> dict[int, int]:
        """How many children each chunk has."""
        parents, counts = np.unique(self.table.parent, return_counts=True)
        return {p: c for p, c in zip(parents.tolist(), counts.tolist(), strict=True) if p >= 0}

    def tokens(self, chunks: Iterable[int]) -> int | None:
        """Return what chunks cost together, if all of them say so."""
        costs = self.table.tokens[list(chunks)].tolist()
        return sum(costs) if costs and min(costs) >= 0 else None

    def document(self, chunk: int) -> str:
        """Return the document of a chunk."""
        return self.table.documents[int(self.table.document[chunk])]
