"""Statistics of a pool: its size, how runs overlap in it, and what each of them contributes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from doxeval.assessments import AssessmentsGiven
from doxeval.documents import Collection, Offsets, Whitespace
from doxeval.errors import InputError
from doxeval.pooling.build import Pooling
from doxeval.pooling.candidates import RunSources
from doxeval.pooling.pool import Pool, PooledDocument

# Topics and documents.
Pairs = set[tuple[str, str]]


@dataclass(frozen=True)
class TopicSize:
    """The pool of a topic: how many documents and parts of documents, from how many runs."""

    documents: int
    elements: int
    runs: int


@dataclass(frozen=True)
class Contribution:
    """What a run contributed to the pool of all topics, in documents.

    documents: those of the pool that it returns, down to the depth that was considered. unique:
    those that no other run returns. lost: those that a pool made without it would not have; where
    the number of documents is limited, others take their places (gained). lost_relevant: how many
    of the lost ones are judged relevant; None if there are no judgments.
    """

    documents: int
    unique: int
    lost: int
    gained: int
    lost_relevant: int | None = None


@dataclass(frozen=True)
class PoolStatistics:
    """The size of a pool by topic, the contribution of each run, and the overlap of each two runs.

    overlap: for two runs the number of pooled documents that both return, and their share of those
    that either returns (the Jaccard coefficient; None if there are none).
    """

    topics: Mapping[str, TopicSize]
    runs: Mapping[str, Contribution]
    overlap: Mapping[tuple[str, str], tuple[int, float | None]]

    @property
    def documents(self) -> int:
        """The number of documents of all topics."""
        return sum(size.documents for size in self.topics.values())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        return {
            "documents": self.documents,
            "topics": {topic: asdict(size) for topic, size in self.topics.items()},
            "runs": {run: asdict(share) for run, share in self.runs.items()},
            "overlap": [
                {"runs": list(two), "documents": shared, "share": share}
                for two, (shared, share) in self.overlap.items()
            ],
        }


def pool_statistics(
    pool: Pool,
    runs: RunSources,
    *,
    assessments: AssessmentsGiven | None = None,
    collection: Collection | str | os.PathLike[str] | None = None,
    offsets: Offsets = "characters",
    whitespace: Whitespace | None = None,
    ends: bool = False,
) -> PoolStatistics:
    """Return statistics of a pool, given the runs, judgments and collection it was made of.

    What the pool would lose without a run is counted by pooling the others in the same way. A pool
    that was not made of these runs is an error.

    >>> from doxeval.pooling import pool_runs
    >>> runs = {"one": {"7": ["a", "b", "c"]}, "other": {"7": ["b", "d"]}}
    >>> statistics = pool_statistics(pool_runs(runs, depth=2), runs)
    >>> statistics.topics
    {'7': TopicSize(documents=3, elements=0, runs=2)}
    >>> statistics.runs["one"]
    Contribution(documents=2, unique=1, lost=1, gained=0, lost_relevant=None)
    >>> statistics.overlap
    {('one', 'other'): (1, 0.3333333333333333)}
    """
    pooling = Pooling.of(
        runs,
        pool.facts.options,
        assessments=assessments,
        collection=collection,
        topics=pool.topics,
        offsets=offsets,
        whitespace=whitespace,
        ends=ends,
    )
    if pooling.pool().documents != pool.documents:
        raise InputError("the pool was not made of these runs: pooling them makes another one")
    return statistics_of(pool, pooling)


def statistics_of(pool: Pool, pooling: Pooling) -> PoolStatistics:
    """Return statistics of the pool that a pooling made."""
    returned: dict[str, Pairs] = {run.name: set() for run in pool.facts.runs}
    unique: dict[str, int] = dict.fromkeys(returned, 0)
    for topic, documents in pool.documents.items():
        for pooled in documents:
            for run, _ in pooled.contributors:
                returned[run].add((topic, pooled.document))
            if len(pooled.contributors) == 1:
                unique[pooled.contributors[0][0]] += 1
    return PoolStatistics(
        {topic: _size(documents) for topic, documents in pool.documents.items()},
        {
            run: _contribution(pool, pooling, number, len(pairs), unique[run])
            for number, (run, pairs) in enumerate(returned.items())
        },
        _overlap(returned),
    )


def _size(documents: Sequence[PooledDocument]) -> TopicSize:
    runs = {run for pooled in documents for run, _ in pooled.contributors}
    return TopicSize(len(documents), sum(len(pooled.elements) for pooled in documents), len(runs))


def _contribution(
    pool: Pool, pooling: Pooling, run: int, documents: int, unique: int
) -> Contribution:
    whole = {(topic, each.document) for topic, of in pool.documents.items() for each in of}
    rest = pooling.candidates.without(run)
    rows = pooling.strategy.rows(rest)
    pairs = rows[np.unique(rest.pair[rows], return_index=True)[1]]
    others = {
        (rest.topics[topic], rest.documents[document])
        for topic, document in zip(
            rest.topic[pairs].tolist(), rest.document[pairs].tolist(), strict=True
        )
    }
    lost = whole - others
    relevant = _relevant(pooling, lost)
    return Contribution(documents, unique, len(lost), len(others - whole), relevant)


def _relevant(pooling: Pooling, pairs: Iterable[tuple[str, str]]) -> int | None:
    judged = pooling.strategy.assessments
    if judged is None:
        return None
    judgments = (judged.find(*pair) for pair in pairs)
    return sum(judgment is not None and judgment.is_relevant for judgment in judgments)


def _overlap(returned: Mapping[str, Pairs]) -> dict[tuple[str, str], tuple[int, float | None]]:
    overlap: dict[tuple[str, str], tuple[int, float | None]] = {}
    for (first, pairs), (second, others) in combinations(returned.items(), 2):
        shared, either = len(pairs & others), len(pairs | others)
        overlap[first, second] = shared, shared / either if either else None
    return overlap
