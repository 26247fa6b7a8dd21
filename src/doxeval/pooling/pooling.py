"""Pools from runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from doxeval.arrays import Ints
from doxeval.assessments import Assessments
from doxeval.documents import Collection
from doxeval.documents.options import Offsets, Whitespace
from doxeval.errors import InputError, MissingInput
from doxeval.pooling.assembly import assembled
from doxeval.pooling.candidates import Candidates, candidates_of
from doxeval.pooling.orders import by_rank, fused, in_turns
from doxeval.pooling.parts import Identifier, StatedParts, WholeDocuments
from doxeval.pooling.pool import ADAPTIVE, LEVELS, METHODS, Level, Method, Pool, PoolFacts
from doxeval.pooling.sources import RunSource, named_runs, sha256_of
from doxeval.runs import Run
from doxeval.topics import Topic
from doxeval.wording import brief, listed


def pool_runs(
    runs: Iterable[RunSource] | Mapping[str, RunSource],
    *,
    depth: int | None = None,
    documents: int | None = None,
    method: Method = "depth",
    level: Level = "element",
    seed: int = 0,
    assessments: Assessments | None = None,
    collection: Collection | str | os.PathLike[str] | None = None,
    topics: Iterable[Topic | str] | None = None,
    offsets: Offsets = "characters",
    whitespace: Whitespace | None = None,
    ends: bool = False,
    date: datetime | None = None,
) -> Pool:
    """The documents that are to be judged for each topic, from what several runs returned.

    >>> one = {"7": [("a", "/s[1]/p[1]"), ("b", "/s[1]"), ("c", "/s[1]")]}
    >>> other = {"7": [("b", "/s[1]/p[2]"), ("a", "/s/p")]}
    >>> pool = pool_runs({"one": one, "other": other}, depth=2)
    >>> [(pooled.document, pooled.contributors) for pooled in pool.documents["7"]]
    [('a', (('one', 1), ('other', 2))), ('b', (('other', 1), ('one', 2)))]
    """
    _check(method, level, depth, documents, seed)
    if method in ADAPTIVE and assessments is None:
        raise MissingInput(
            f"method={method} follows judgments as they are made: give assessments=, or pool by "
            "depth or rrf as long as there are none"
        )
    read = named_runs(runs, ends)
    opened = (
        collection if isinstance(collection, Collection | None) else Collection(Path(collection))
    )
    asked, about_topics = _topics(read.runs, topics)
    identifier = _identifier(level, opened, offsets, whitespace)
    candidates, about_results = candidates_of(read.runs, asked, identifier, depth)
    rows = _rows(candidates, method, documents, seed, assessments)
    facts = PoolFacts(
        method,
        depth,
        documents,
        level,
        seed,
        read.facts,
        () if assessments is None else tuple((one, sha256_of(one)) for one in assessments.origins),
        None if opened is None else opened.seal,
        sys.modules[__name__.partition(".")[0]].__version__,
        f"{_now() if date is None else date.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
    )
    return Pool(assembled(candidates, rows, identifier), facts, about_topics + about_results)


def _check(method: str, level: str, depth: int | None, documents: int | None, seed: int) -> None:
    for name, value, known in (("method", method, METHODS), ("level", level, LEVELS)):
        if value not in known:
            raise InputError(f"{name}={brief(value)}: expected {', '.join(known)}")
    if depth is None and documents is None:
        raise InputError("give depth= or documents=: how much is to be pooled")
    for name, number, least in (
        ("depth", depth, 1),
        ("documents", documents, 1),
        ("seed", seed, 0),
    ):
        if number is not None and (not isinstance(number, int) or number < least):
            raise InputError(f"{name}={brief(number)}: expected a whole number from {least} on")


def _now() -> datetime:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)


def _identifier(
    level: Level,
    collection: Collection | None,
    offsets: Offsets,
    whitespace: Whitespace | None,
) -> Identifier:
    if level == "document":
        return WholeDocuments(collection)
    if collection is None:
        if offsets == "bytes":
            raise InputError("offsets in bytes can only be converted with the collection")
        return StatedParts()
    from doxeval.pooling.resolved_parts import ResolvedParts

    return ResolvedParts(collection, offsets, whitespace)


def _rows(
    candidates: Candidates,
    method: Method,
    documents: int | None,
    seed: int,
    assessments: Assessments | None,
) -> Ints:
    """The rows of pooled results, in the order of pooling."""
    if method == "rrf":
        return fused(candidates, documents)
    if method == "depth":
        return by_rank(candidates) if documents is None else in_turns(candidates, documents)
    raise InputError(f"method={method} is not there yet")


def _topics(
    runs: Sequence[Run], wanted: Iterable[Topic | str] | None
) -> tuple[list[str], tuple[str, ...]]:
    """The topics to pool for, and warnings about topics that runs lack or have beyond these."""
    every = set().union(*(run.topics for run in runs))
    asked = sorted(every, key=_topic_order) if wanted is None else _ids(wanted)
    warnings = []
    missing = [topic for topic in asked if topic not in every]
    if missing:
        warnings.append(f"no run has results for topics {listed(missing)}: their pools are empty")
    for run in runs:
        lacking = [topic for topic in asked if topic in every and topic not in set(run.topics)]
        if lacking:
            warnings.append(f"{run.origin or run.run_id}: no results for topics {listed(lacking)}")
    others = sorted(every - set(asked), key=_topic_order)
    if others:
        warnings.append(f"results for other topics are left out: {listed(others)}")
    return asked, tuple(warnings)


def _ids(topics: Iterable[Topic | str]) -> list[str]:
    return list(dict.fromkeys(one.id if isinstance(one, Topic) else str(one) for one in topics))


def _topic_order(topic: str) -> tuple[bool, int, str]:
    """Numbers by their values, then everything else."""
    is_number = topic.isascii() and topic.isdecimal() and len(topic) < 19
    return (not is_number, int(topic) if is_number else 0, topic)
