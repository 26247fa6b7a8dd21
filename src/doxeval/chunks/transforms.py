"""Runs of chunks changed without a new search: neighbours added, parents for children, budgets.

Results keep their order, and the score of the one they come from. Ranks are given again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.chunks.chunks import Chunks, chunks_of_run
from doxeval.chunks.dataset import UNITS
from doxeval.errors import InputError
from doxeval.measures import CHARACTERS, Texts
from doxeval.messages import quoted
from doxeval.named import checked
from doxeval.runs import ChunkTable, Kind, Result, Run, is_not_found

Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False, repr=False)
class ChunkRun(Run):
    """A run of chunks that knows them, so that it can be rewritten."""

    chunks: Chunks | None = None

    @classmethod
    def of(cls, run: Run, chunks: Chunks) -> ChunkRun:
        """A run together with its chunks."""
        names = [name for name in Run.__dataclass_fields__ if name != "chunks"]
        return cls(**{name: getattr(run, name) for name in names}, chunks=chunks)

    @property
    def _known(self) -> Chunks:
        if self.chunks is None:
            raise InputError("the run does not know its chunks")
        return self.chunks

    def expand(self, neighbours: int = 1) -> ChunkRun:
        """Each result with its neighbours; see `expand`."""
        return expand(self, self._known, neighbours)

    def merge(self, share: float = 0.5) -> ChunkRun:
        """Results replaced by their parents; see `merge`."""
        return merge(self, self._known, share)

    def join(self) -> ChunkRun:
        """Adjacent results put together; see `join`."""
        return join(self, self._known)

    def dedupe(self) -> ChunkRun:
        """Results without anything new left out; see `dedupe`."""
        return dedupe(self, self._known)

    def budget(self, units: int, unit: str = "words", tokens: Any = None) -> ChunkRun:
        """Only what a budget allows; see `budget`."""
        return budget(self, self._known, units, unit, tokens)


class _Part(NamedTuple):
    """A rewritten result, and the chunks it is made of, if these are known."""

    document: str
    spans: Ranges
    tokens: int | None
    score: float | None


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

    def widened(chunk: int, score: float | None) -> _Part:
        own = family.neighbours(chunk, neighbours) or [chunk]
        spans = [span for one in own for span in family.ranges[one]]
        document = family.document(chunk)
        return _Part(document, _without_gaps(spans, docs[document]), family.tokens(own), score)

    found = chunks_of_run(run, chunks.table).tolist()
    parts = [widened(chunk, score) for chunk, score in zip(found, _scores(run), strict=True)]
    return _rewritten(run, chunks, parts)


@checked
def merge(run: Run, chunks: Chunks, share: float = 0.5) -> ChunkRun:
    """Auto-merging: results give way to their parent where it is returned in large part.

    If more than `share` of a chunk's children are among the results of a question, the chunk
    stands in place of the first of them. This is repeated up the tree.
    """
    if not 0 <= share <= 1:
        raise InputError(f"share is {share}: expected 0 to 1")
    family = ChunkFamily(chunks.table)
    if not family.children:
        raise InputError("the chunks have no parents to be merged into")
    found = chunks_of_run(run, chunks.table).tolist()
    scores = _scores(run)
    parts: list[_Part] = []
    topics: list[int] = []
    for topic, rows in _by_topic(run):
        for row, chunk in _merged([(row, found[row]) for row in rows], family, share):
            own = _Part(
                family.document(chunk), family.ranges[chunk], family.tokens([chunk]), scores[row]
            )
            parts.append(own)
            topics.append(topic)
    return _rewritten(run, chunks, parts, topics)


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
            parent for parent, own in returned.items() if len(own) > share * family.children[parent]
        }
        if not whole:
            return results
        seen: set[int] = set()
        merged: list[tuple[int, int]] = []
        for row, chunk in results:
            parent = int(family.table.parent[chunk])
            one = parent if parent in whole else chunk
            if one in whole:
                if one in seen:
                    continue
                seen.add(one)
            merged.append((row, one))
        results = merged


@checked
def join(run: Run, chunks: Chunks) -> ChunkRun:
    """Results of a document that follow each other in its text become one, with the first's rank.

    Only white space may be between them. Results that overlap are joined too.

    >>> from doxeval import chunks
    >>> split = chunks.split({"a": "One. Two. Three. Four."}, "sentences:1:0")
    >>> run = chunks.search(split, {"7": "three two four"})
    >>> [(result.start, result.end) for result in run.join()]
    [(5, 22)]
    """
    docs = chunks.known_docs
    parts: list[_Part] = []
    topics: list[int] = []
    for topic, own in _parts_by_topic(run):
        joined = _joined(own, docs)
        parts += joined
        topics += [topic] * len(joined)
    return _rewritten(run, chunks, parts, topics)


def _joined(parts: Iterable[_Part], docs: Mapping[str, str]) -> list[_Part]:
    joined: list[_Part | None] = []
    for part in parts:
        place = len(joined)
        joined.append(part)
        while True:  # what has grown may touch more
            own = joined[place]
            near = [
                at
                for at, one in enumerate(joined)
                if at != place and own is not None and one is not None and _is_near(one, own, docs)
            ]
            if own is None or not near:
                break
            first, last = min(place, near[0]), max(place, near[0])
            one, other = joined[first], joined[last]
            if one is not None and other is not None:
                joined[first], joined[last] = _together(one, other, docs), None
            place = first
    return [part for part in joined if part is not None]


def _is_near(one: _Part, other: _Part, docs: Mapping[str, str]) -> bool:
    if one.document != other.document:
        return False
    text = docs.get(one.document, "")
    return any(
        max(a, c) <= min(b, d) or not text[min(b, d) : max(a, c)].strip()
        for a, b in one.spans
        for c, d in other.spans
    )


def _together(one: _Part, other: _Part, docs: Mapping[str, str]) -> _Part:
    spans = _without_gaps((*one.spans, *other.spans), docs.get(one.document, ""))
    both = one.tokens is not None and other.tokens is not None
    tokens = (one.tokens or 0) + (other.tokens or 0) if both else None
    return _Part(one.document, spans, tokens, one.score)


def _without_gaps(ranges: Iterable[tuple[int, int]], text: str) -> Ranges:
    """Ranges put together where nothing but white space is between them."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if found and (start <= found[-1][1] or not text[found[-1][1] : start].strip()):
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return tuple(found)


@checked
def dedupe(run: Run, chunks: Chunks | None = None) -> ChunkRun | Any:
    """Results whose whole text earlier results of the question have are left out.

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
                read[result.document] = _union([*seen, *spans])
    found = replace(run.rows(np.array(kept, dtype=np.int64)), rank=None)
    return found if chunks is None else ChunkRun.of(found, chunks)


def _is_new(spans: Iterable[tuple[int, int]], read: list[tuple[int, int]]) -> bool:
    return any(not any(a <= start and end <= b for a, b in read) for start, end in spans)


def _union(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


@checked
def budget(
    run: Run, chunks: Chunks, units: int, unit: str = "words", tokens: Any = None
) -> ChunkRun:
    """The results that a budget allows, the last of them cut where the budget ends.

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
    parts: list[_Part] = []
    topics: list[int] = []
    for topic, own in _parts_by_topic(run):
        left = units
        for part in own:
            if left <= 0:
                break
            states = unit == "tokens" and part.tokens is not None
            if unit != "characters" and not states and part.document not in starts:
                starts[part.document] = _starts(texts, part, unit)
            cost, kept = _within(part, left, unit, starts.get(part.document, []))
            left -= cost
            if kept.spans:
                parts.append(kept)
                topics.append(topic)
    return _rewritten(run, chunks, parts, topics)


def _starts(texts: Texts, part: _Part, unit: str) -> list[int]:
    """Where units begin in the document of a result; as measures suppose it, if it has none."""
    if is_not_found(part.document) and texts.find(part.document) is None:
        return list(range(0, part.spans[-1][1], CHARACTERS))
    starts: list[int] = texts.starts(part.document, unit).tolist()
    return starts


def _within(part: _Part, left: int, unit: str, starts: list[int]) -> tuple[int, _Part]:
    """What a result costs, and as much of it as `left` units allow."""
    if unit == "tokens" and part.tokens is not None:
        return part.tokens, part if part.tokens <= left else _share(part, left)
    cost, spans = 0, []
    for start, end in part.spans:
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
        return cost, part
    return cost, part._replace(spans=tuple(spans), tokens=None)


def _share(part: _Part, left: int) -> _Part:
    """The beginning of a result that states its tokens, which are spread over its characters."""
    size = sum(end - start for start, end in part.spans)
    rest = -(-size * left // (part.tokens or 1))
    spans = []
    for start, end in part.spans:
        if rest > 0:
            spans.append((start, min(end, start + rest)))
        rest -= end - start
    return part._replace(spans=tuple(spans), tokens=left)


# Runs as parts, and back


def _scores(run: Run) -> list[float | None]:
    return [None] * len(run) if run.score is None else run.score.tolist()


def _by_topic(run: Run) -> Iterator[tuple[int, list[int]]]:
    order = np.argsort(run.topic, kind="stable")
    edges = np.flatnonzero(np.diff(run.topic[order])) + 1
    for rows in np.split(order, edges):
        if len(rows):
            yield int(run.topic[rows[0]]), rows.tolist()


def _parts_by_topic(run: Run) -> Iterator[tuple[int, list[_Part]]]:
    for topic, rows in _by_topic(run):
        results = map(run.result, rows)
        yield topic, [_Part(one.document, _spans(one), one.tokens, one.score) for one in results]


def _spans(result: Result) -> Ranges:
    if result.spans:
        return result.spans
    if result.start is None or result.end is None:
        raise InputError(f"the result {quoted(result.document)} is no range of text")
    return ((result.start, result.end),)


def _rewritten(
    run: Run, chunks: Chunks, parts: list[_Part], topics: Iterable[int] | None = None
) -> ChunkRun:
    numbers = run.topic.tolist() if topics is None else list(topics)
    ranks: dict[int, int] = {}
    results = []
    for topic, part in zip(numbers, parts, strict=True):
        ranks[topic] = ranks.get(topic, 0) + 1
        results.append(_result(run.topics[topic], part, ranks[topic]))
    found = Run.from_results(results, run.run_id)
    return ChunkRun.of(replace(found, facts=run.facts, warnings=run.warnings), chunks)


def _result(topic: str, part: _Part, rank: int) -> Result:
    spans = tuple(_union(part.spans))
    if len(spans) == 1:
        ((start, end),) = spans
        where: dict[str, Any] = {"kind": Kind.PASSAGE, "start": start, "end": end}
    else:
        where = {"kind": Kind.SPANS, "spans": spans}
    return Result(topic, part.document, rank=rank, score=part.score, tokens=part.tokens, **where)


class ChunkFamily:
    """Chunks by their order in the text: neighbours, parents and children."""

    def __init__(self, table: ChunkTable) -> None:
        self.table = table
        self.ranges = table.spans.as_tuples()
        first = np.array([own[0][0] if own else -1 for own in self.ranges], dtype=np.int64)
        last = np.array([own[-1][1] if own else -1 for own in self.ranges], dtype=np.int64)
        order = np.lexsort((last, first, table.document, table.parent))
        self._order = order.tolist()
        place: Ints = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        self._place = place.tolist()
        keys = table.parent * (len(table.documents) + 1) + table.document
        self._key = keys.tolist()

    def neighbours(self, chunk: int, count: int) -> list[int]:
        """A chunk between those before and after it, which have the same parent."""
        at, key = self._place[chunk], self._key[chunk]
        around = self._order[max(0, at - count) : at + count + 1]
        return [one for one in around if self._key[one] == key and self.ranges[one]]

    @cached_property
    def children(self) -> dict[int, int]:
        """How many children each chunk has."""
        parents, counts = np.unique(self.table.parent, return_counts=True)
        return {p: c for p, c in zip(parents.tolist(), counts.tolist(), strict=True) if p >= 0}

    def tokens(self, chunks: Iterable[int]) -> int | None:
        """What chunks cost together, if all of them say so."""
        costs = [int(self.table.tokens[one]) for one in chunks]
        return sum(costs) if costs and min(costs) >= 0 else None

    def document(self, chunk: int) -> str:
        """The document of a chunk."""
        return self.table.documents[int(self.table.document[chunk])]
