"""Pools from runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from doxeval.assessments import Assessments, AssessmentsGiven, as_assessments
from doxeval.columns import LARGEST_WHOLE
from doxeval.documents import Collection, Offsets, Whitespace
from doxeval.errors import InputError, warn
from doxeval.messages import Message, Parameter, plural
from doxeval.named import checked_but
from doxeval.pooling.assembly import assembled
from doxeval.pooling.candidates import Candidates, candidates_of
from doxeval.pooling.choice import Choice
from doxeval.pooling.parts import Identifier, StatedParts, WholeDocuments
from doxeval.pooling.pool import (
    ADAPTIVE,
    LEVELS,
    METHODS,
    Level,
    Method,
    Pool,
    PooledDocument,
    PoolFacts,
)
from doxeval.pooling.sources import RunSources, named_runs, place_of, sha256_of
from doxeval.pooling.topics import pooled_topics
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
        from doxeval.pooling.resolved_parts import ResolvedParts

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
