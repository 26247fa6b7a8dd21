"""Pools from runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments import AssessmentsGiven, as_assessments
from doxeval.documents import Collection, Offsets, Whitespace
from doxeval.errors import InputError, warn
from doxeval.files import date_of_sources
from doxeval.messages import Message, Parameter, plural
from doxeval.named import checked_but
from doxeval.pooling.candidates import (
    PoolCandidates,
    RunSources,
    candidates_of,
    is_first,
    name_in_messages,
    named_runs,
    pooled_topics,
    sha256_of,
)
from doxeval.pooling.pool import (
    Level,
    Method,
    Pool,
    PooledDocument,
    PooledElement,
    PoolFacts,
    PoolOptions,
)
from doxeval.pooling.strategies import PoolStrategy
from doxeval.pooling.units import (
    NO_KEY,
    NO_SPAN,
    ResolvedUnits,
    StatedUnits,
    UnitNumbering,
    WholeDocuments,
)
from doxeval.topics import Topic
from doxeval.version import __version__


@checked_but("runs")
def pool_runs(
    runs: RunSources,
    *,
    depth: int | None = None,
    documents: int | None = None,
    method: Method = "depth",
    level: Level = "element",
    seed: int = 0,
    assessments: AssessmentsGiven | None = None,
    collection: Collection | str | os.PathLike[str] | None = None,
    topics: Iterable[Topic | str] | None = None,
    offsets: Offsets = "characters",
    whitespace: Whitespace | None = None,
    ends: bool = False,
    date: datetime | None = None,
) -> Pool:
    """Return the documents to be judged for each topic, chosen from what several runs returned.

    depth: how many results of each run are considered for a topic. documents: how many distinct
    documents of a topic are pooled at most. One of them must be given.

    method: the order in which documents come into the pool.
    - depth: by rank. Without `documents` that is all results down to the depth; with it, runs take
      turns, rank by rank, in the order in which they are named.
    - rrf: by reciprocal rank fusion, the sum of 1 / (60 + rank) over runs.
    - mtf, bandit: by move-to-front and by Thompson sampling, which need judgments, `assessments`
      (see strategies.py). `seed` is that of their draws.

    level: what ranks count, and what the same result is. At the level of elements, results are
    parts of documents, and the pool says which parts were returned; at the level of documents, only
    the first result in each document counts. The order of a run's results is its ranking. A result
    that a run repeats counts once, and does not take a rank again.

    collection: paths are resolved in it, so that all spellings of an element are one, and results
    that do not resolve are left out. topics: those to pool for, in this order; else all topics of
    the runs. offsets, whitespace and ends are as for `evaluate` and `read_run`. date is now unless
    given, or SOURCE_DATE_EPOCH is set.

    >>> first = {"7": [("a", "/s[1]/p[1]"), ("b", "/s[1]"), ("c", "/s[1]")]}
    >>> second = {"7": [("b", "/s[1]/p[2]"), ("a", "/s/p")]}
    >>> pool = pool_runs({"one": first, "other": second}, depth=2)
    >>> [(pooled.document, pooled.contributors) for pooled in pool.documents["7"]]
    [('a', (('one', 1), ('other', 2))), ('b', (('other', 1), ('one', 2)))]
    >>> [part.path for part in pool.documents["7"][0].elements]
    ['/s[1]/p[1]']
    """
    options = PoolOptions(depth, documents, method, level, seed)
    pooling = Pooling.of(
        runs,
        options,
        assessments=assessments,
        collection=collection,
        topics=topics,
        offsets=offsets,
        whitespace=whitespace,
        ends=ends,
    )
    pool = pooling.pool(date)
    warn(pool.warnings)
    return pool


@dataclass(frozen=True, eq=False)
class Pooling:
    """Runs that are ready to be pooled: their candidates, and how results are chosen from them."""

    candidates: PoolCandidates
    numbering: UnitNumbering
    strategy: PoolStrategy
    facts: PoolFacts
    warnings: tuple[str, ...]

    @classmethod
    def of(
        cls,
        runs: RunSources,
        options: PoolOptions,
        *,
        assessments: AssessmentsGiven | None = None,
        collection: Collection | str | os.PathLike[str] | None = None,
        topics: Iterable[Topic | str] | None = None,
        offsets: Offsets = "characters",
        whitespace: Whitespace | None = None,
        ends: bool = False,
    ) -> Pooling:
        """Read runs, and resolve them if there is a collection."""
        judged = None if assessments is None else as_assessments(assessments)
        strategy = PoolStrategy(options, judged)
        if isinstance(collection, str | os.PathLike):
            collection = Collection(collection)
        read = named_runs(runs, ends)
        pooled = pooled_topics(read.runs, topics)
        numbering = _numbering(options.level, collection, offsets, whitespace)
        candidates, warnings = candidates_of(read.runs, pooled.ids, numbering, options.depth)
        followed = () if strategy.followed is None else strategy.followed.origins
        facts = PoolFacts(
            **asdict(options),
            runs=read.facts,
            judged=tuple((file, sha256_of(file)) for file in followed),
            collection=None if collection is None else collection.checksum,
            version=__version__,
        )
        of_files = tuple(
            Message(f"{name_in_messages(run)}: ", warning)
            for run in read.runs
            for warning in run.warnings
        )
        every = (*of_files, *pooled.warnings, *warnings)
        return cls(candidates, numbering, strategy, facts, every)

    def pool(self, date: datetime | None = None) -> Pool:
        """Return the pool."""
        rows = self.strategy.rows(self.candidates)
        documents = _pooled_documents(self.candidates, rows, self.numbering)
        when = (date_of_sources() or datetime.now(UTC)) if date is None else date.astimezone(UTC)
        facts = replace(self.facts, date=f"{when:%Y-%m-%dT%H:%M:%SZ}")
        return Pool(documents, facts, (*self.warnings, *self._unjudged_warnings(documents)))

    def _unjudged_warnings(self, pooled: Mapping[str, tuple[PooledDocument, ...]]) -> list[str]:
        """Return a warning if a method that follows judgments pooled documents without one."""
        judged = self.strategy.followed
        if judged is None:
            return []
        every = [(topic, each.document) for topic, several in pooled.items() for each in several]
        unjudged = sum(judged.find(*pair) is None for pair in every)
        if not unjudged:
            return []
        return [
            f"{unjudged:,} of {plural(len(every), 'pooled document')} have no judgment, and count "
            "as not relevant for the order; judge them and pool again"
        ]


def _numbering(
    level: Level,
    collection: Collection | None,
    offsets: Offsets,
    whitespace: Whitespace | None,
) -> UnitNumbering:
    if level == "document":
        return WholeDocuments(collection)
    if collection is not None:
        return ResolvedUnits(collection, offsets, whitespace)
    if offsets == "bytes":
        raise InputError("offsets in bytes can only be converted with the collection")
    if whitespace is not None:
        raise InputError(
            Parameter("whitespace") + " is for text points, which only a collection can resolve"
        )
    return StatedUnits()


# From pooled results to documents


def _pooled_documents(
    candidates: PoolCandidates, rows: Ints, numbering: UnitNumbering
) -> dict[str, tuple[PooledDocument, ...]]:
    """Return the documents of each topic, given the rows of results in the order of pooling."""
    c = candidates
    pair = c.pair[rows]
    first = np.sort(np.unique(pair, return_index=True)[1])
    firsts = rows[first]
    elements = _elements(c, rows, numbering)
    contributors = _contributors(c, pair)
    pooled: list[list[PooledDocument]] = [[] for _ in c.topics]
    columns = (pair[first], c.topic[firsts], c.document[firsts], c.priority[firsts])
    lists = (column.tolist() for column in columns)
    for number, topic, document, priority in zip(*lists, strict=True):
        parts, runs = elements.get(number, ()), contributors[number]
        pooled[topic].append(
            PooledDocument(c.documents[document], priority, tuple(parts), tuple(runs))
        )
    return {topic: tuple(several) for topic, several in zip(c.topics, pooled, strict=True)}


def _elements(
    candidates: PoolCandidates, rows: Ints, numbering: UnitNumbering
) -> dict[int, list[PooledElement]]:
    """Return the pooled parts of each document, distinct, in the order of pooling."""
    c = candidates
    result = c.topic[rows] * max(len(c.unit_key), 1) + c.unit[rows]
    first = rows[np.sort(np.unique(result, return_index=True)[1])]
    unit = c.unit[first]
    columns = (c.pair[first], c.unit_key[unit], c.unit_start[unit], c.unit_end[unit])
    by_key: dict[int, tuple[PooledElement, ...]] = {}
    by_pair: dict[int, list[PooledElement]] = {}
    with_trees: set[int] = set()
    for pair, key, start, end in zip(*(column.tolist() for column in columns), strict=True):
        if start >= 0:
            by_pair.setdefault(pair, []).append(PooledElement(None, start, end))
        elif key != NO_KEY and start == NO_SPAN:
            if key not in by_key:
                by_key[key] = tuple(map(PooledElement, numbering.paths(key)))
            by_pair.setdefault(pair, []).extend(by_key[key])
            if len(by_key[key]) > 1:
                with_trees.add(pair)
    for pair in with_trees:  # an element of a tree may have been returned alone, too
        by_pair[pair] = list(dict.fromkeys(by_pair[pair]))
    return by_pair


def _contributors(candidates: PoolCandidates, pooled: Ints) -> dict[int, list[tuple[str, int]]]:
    """Return the runs behind each pooled document with its best ranks: best first, then by name."""
    c = candidates
    rows = np.flatnonzero(np.isin(c.pair, pooled))
    rows = rows[np.lexsort((c.rank[rows], c.run[rows], c.pair[rows]))]
    best = rows[is_first(c.pair[rows], c.run[rows])]
    by_name = np.argsort(np.argsort(np.array(c.runs)))
    best = best[np.lexsort((by_name[c.run[best]], c.rank[best], c.pair[best]))]
    by_pair: dict[int, list[tuple[str, int]]] = {}
    columns = (c.pair[best], c.run[best], c.rank[best])
    for pair, run, rank in zip(*(column.tolist() for column in columns), strict=True):
        by_pair.setdefault(pair, []).append((c.runs[run], rank))
    return by_pair
