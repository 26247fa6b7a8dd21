"""Pools from runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments import Assessments, AssessmentsGiven, as_assessments
from doxeval.columns import LARGEST_WHOLE
from doxeval.documents import Collection, Offsets, Whitespace
from doxeval.errors import InputError, warn
from doxeval.messages import Message, Parameter, plural
from doxeval.named import checked_but
from doxeval.pooling.candidates import (
    Candidates,
    RunSources,
    candidates_of,
    is_first,
    named_runs,
    place_of,
    pooled_topics,
    sha256_of,
)
from doxeval.pooling.pool import (
    ADAPTIVE,
    LEVELS,
    METHODS,
    Level,
    Method,
    Pool,
    PooledDocument,
    PooledElement,
    PoolFacts,
)
from doxeval.pooling.strategies import Choice
from doxeval.pooling.units import NO_KEY, NO_RANGE, Identifier, StatedParts, WholeDocuments
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
    """The documents that are to be judged for each topic, chosen from what several runs returned.

    depth: how many results of each run are considered for a topic. documents: how many distinct
    documents of a topic are pooled at most. One of them must be given.

    method: the order in which documents come into the pool.
    - depth: by rank. Without `documents` that is all results down to the depth; with it, runs take
      turns, rank by rank, in the order in which they are named.
    - rrf: by reciprocal rank fusion, the sum of 1 / (60 + rank) over runs.
    - mtf, bandit: by move-to-front and by Thompson sampling, which need judgments, `assessments`
      (see adaptive.py). `seed` is that of their draws.

    level: what ranks count, and what the same result is. At the level of elements, results are
    parts of documents, and the pool says which parts were returned; at the level of documents, only
    the first result in each document counts. The order of a run's results is its ranking. A result
    that a run repeats counts once, and does not take a rank again.

    collection: paths are resolved in it, so that all spellings of an element are one, and results
    that do not resolve are left out. topics: those to pool for, in this order; else all topics of
    the runs. offsets, whitespace and ends are as for `evaluate` and `read_run`. date is now unless
    given, or SOURCE_DATE_EPOCH is set.

    >>> one = {"7": [("a", "/s[1]/p[1]"), ("b", "/s[1]"), ("c", "/s[1]")]}
    >>> other = {"7": [("b", "/s[1]/p[2]"), ("a", "/s/p")]}
    >>> pool = pool_runs({"one": one, "other": other}, depth=2)
    >>> [(pooled.document, pooled.contributors) for pooled in pool.documents["7"]]
    [('a', (('one', 1), ('other', 2))), ('b', (('other', 1), ('one', 2)))]
    >>> [part.path for part in pool.documents["7"][0].elements]
    ['/s[1]/p[1]']
    """
    _check(method, level, depth, documents, seed)
    facts = PoolFacts(method, depth, documents, level, seed)
    pooling = Pooling.of(runs, facts, assessments, collection, topics, offsets, whitespace, ends)
    pool = pooling.pool(date)
    warn(pool.warnings)
    return pool


@dataclass(frozen=True, eq=False)
class Pooling:
    """Runs that are ready to be pooled: their candidates, and what is to be chosen of them."""

    candidates: Candidates
    identifier: Identifier
    choice: Choice
    facts: PoolFacts
    warnings: tuple[str, ...]

    @classmethod
    def of(
        cls,
        runs: RunSources,
        facts: PoolFacts,
        assessments: AssessmentsGiven | None,
        collection: Collection | str | os.PathLike[str] | None,
        topics: Iterable[Topic | str] | None,
        offsets: Offsets,
        whitespace: Whitespace | None,
        ends: bool,
    ) -> Pooling:
        """Read runs, and resolve them if there is a collection. The facts say how to pool."""
        judged = _judged(assessments)
        choice = Choice(facts.method or "depth", facts.documents, facts.seed or 0, judged)
        choice.check()
        if isinstance(collection, str | os.PathLike):
            collection = Collection(collection)
        read = named_runs(runs, ends)
        asked = pooled_topics(read.runs, topics)
        identifier = _identifier(facts.level or "element", collection, offsets, whitespace)
        candidates, warnings = candidates_of(read.runs, asked.ids, identifier, facts.depth)
        known = replace(
            facts,
            runs=read.facts,
            judged=tuple((one, sha256_of(one)) for one in choice.followed),
            collection=None if collection is None else collection.checksum,
            version=__version__,
        )
        about_files = tuple(
            Message(f"{place_of(run)}: ", warning) for run in read.runs for warning in run.warnings
        )
        return cls(candidates, identifier, choice, known, about_files + asked.warnings + warnings)

    def pool(self, date: datetime | None = None) -> Pool:
        """The pool."""
        rows = self.choice.rows(self.candidates)
        documents = assembled(self.candidates, rows, self.identifier)
        when = _now() if date is None else date.astimezone(UTC)
        facts = replace(self.facts, date=f"{when:%Y-%m-%dT%H:%M:%SZ}")
        return Pool(documents, facts, (*self.warnings, *self._about_judgments(documents)))

    def _about_judgments(self, pooled: Mapping[str, tuple[PooledDocument, ...]]) -> list[str]:
        """How many documents an adaptive method pooled that nobody has judged."""
        if self.choice.method not in ADAPTIVE or self.choice.assessments is None:
            return []
        judged = self.choice.assessments
        every = [(topic, one.document) for topic, several in pooled.items() for one in several]
        unjudged = sum(judged.find(*pair) is None for pair in every)
        if not unjudged:
            return []
        return [
            f"{unjudged:,} of {plural(len(every), 'pooled document')} have no judgment, and count "
            "as not relevant for the order; judge them and pool again"
        ]


def _check(method: str, level: str, depth: int | None, documents: int | None, seed: int) -> None:
    for name, value, known in (("method", method, METHODS), ("level", level, LEVELS)):
        if value not in known:
            raise InputError(Parameter(name, value) + f": expected {', '.join(known)}")
    if depth is None and documents is None:
        raise InputError(
            "give "
            + Parameter("depth")
            + " or "
            + Parameter("documents")
            + ": how much is to be pooled"
        )
    limits = (("depth", depth, 1), ("documents", documents, 1), ("seed", seed, 0))
    for name, number, least in limits:
        if number is None:
            continue
        if type(number) is not int or not least <= number <= LARGEST_WHOLE:
            raise InputError(Parameter(name, number) + f": expected a whole number from {least} on")


def _judged(given: AssessmentsGiven | None) -> Assessments | None:
    return None if given is None else as_assessments(given)


def _identifier(
    level: Level,
    collection: Collection | None,
    offsets: Offsets,
    whitespace: Whitespace | None,
) -> Identifier:
    if level == "document":
        return WholeDocuments(collection)
    if collection is not None:
        from doxeval.pooling.units import ResolvedParts

        return ResolvedParts(collection, offsets, whitespace)
    if offsets == "bytes":
        raise InputError("offsets in bytes can only be converted with the collection")
    if whitespace is not None:
        raise InputError(
            Parameter("whitespace") + " is for text points, which only a collection can resolve"
        )
    return StatedParts()


def _now() -> datetime:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)


# From pooled results to documents


def assembled(
    candidates: Candidates, rows: Ints, identifier: Identifier
) -> dict[str, tuple[PooledDocument, ...]]:
    """The documents of each topic, given the rows of pooled results in the order of pooling."""
    c = candidates
    pair = c.pair[rows]
    first = np.sort(np.unique(pair, return_index=True)[1])
    own = rows[first]
    elements = _elements(c, rows, identifier)
    contributors = _contributors(c, pair)
    pooled: list[list[PooledDocument]] = [[] for _ in c.topics]
    columns = (pair[first], c.topic[own], c.document[own], c.priority[own])
    for number, topic, document, priority in zip(*(one.tolist() for one in columns), strict=True):
        parts, runs = elements.get(number, ()), contributors[number]
        pooled[topic].append(
            PooledDocument(c.documents[document], priority, tuple(parts), tuple(runs))
        )
    return {topic: tuple(own) for topic, own in zip(c.topics, pooled, strict=True)}


def _elements(
    candidates: Candidates, rows: Ints, identifier: Identifier
) -> dict[int, list[PooledElement]]:
    """The pooled parts of each document, distinct, in the order of pooling."""
    c = candidates
    place = c.topic[rows] * max(len(c.unit_key), 1) + c.unit[rows]
    first = rows[np.sort(np.unique(place, return_index=True)[1])]
    unit = c.unit[first]
    columns = (c.pair[first], c.unit_key[unit], c.unit_start[unit], c.unit_end[unit])
    by_key: dict[int, tuple[PooledElement, ...]] = {}
    found: dict[int, list[PooledElement]] = {}
    with_trees: set[int] = set()
    for pair, key, start, end in zip(*(one.tolist() for one in columns), strict=True):
        if start >= 0:
            found.setdefault(pair, []).append(PooledElement(None, start, end))
        elif key != NO_KEY and start == NO_RANGE:
            if key not in by_key:
                by_key[key] = tuple(map(PooledElement, identifier.paths(key)))
            found.setdefault(pair, []).extend(by_key[key])
            if len(by_key[key]) > 1:
                with_trees.add(pair)
    for pair in with_trees:  # an element of a tree may have been returned alone, too
        found[pair] = list(dict.fromkeys(found[pair]))
    return found


def _contributors(candidates: Candidates, pooled: Ints) -> dict[int, list[tuple[str, int]]]:
    """The runs that return each pooled document, with its best ranks: best first, then by name."""
    c = candidates
    own = np.flatnonzero(np.isin(c.pair, pooled))
    own = own[np.lexsort((c.rank[own], c.run[own], c.pair[own]))]
    best = own[is_first(c.pair[own], c.run[own])]
    by_name = np.argsort(np.argsort(np.array(c.runs)))
    best = best[np.lexsort((by_name[c.run[best]], c.rank[best], c.pair[best]))]
    found: dict[int, list[tuple[str, int]]] = {}
    columns = (c.pair[best], c.run[best], c.rank[best])
    for pair, run, rank in zip(*(one.tolist() for one in columns), strict=True):
        found.setdefault(pair, []).append((c.runs[run], rank))
    return found
