"""The part of a run that is about assessed topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.runs import Run
from doxeval.wording import listed


class AssessedPart(NamedTuple):
    """Results of assessed topics, sorted by topic; each one's topic by number; and warnings."""

    run: Run
    topic: Ints
    warnings: tuple[str, ...]


def assessed_part(run: Run, topics: Sequence[str]) -> AssessedPart:
    """The results of a run that belong to assessed topics.

    >>> from doxeval.runs.builder import run_of
    >>> from doxeval.runs.run import Result
    >>> part = assessed_part(run_of([Result("8", "a"), Result("7", "b")]), ["7"])
    >>> len(part.run), part.topic.tolist(), part.warnings
    (1, [0], ('1 topic of the run is not assessed and is ignored: 8',))
    """
    numbers = {topic: number for number, topic in enumerate(topics)}
    found = np.array([numbers.get(topic, -1) for topic in run.topics] + [-1], dtype=np.int64)
    topic = found[run.topic]
    unknown = [name for name, number in zip(run.topics, found.tolist(), strict=False) if number < 0]
    warnings = _about_unknown(unknown)
    if not unknown and (np.diff(topic) >= 0).all():
        return AssessedPart(run, topic, warnings)
    split = [topics[number] for number in _split_topics(topic)]
    if split:
        warnings += (f"topics in several separate blocks: {listed(split)}",)
    rows = np.flatnonzero(topic >= 0)
    rows = rows[np.argsort(topic[rows], kind="stable")]
    return AssessedPart(run.rows(rows), topic[rows], warnings)


def _about_unknown(unknown: Sequence[str]) -> tuple[str, ...]:
    if not unknown:
        return ()
    few = "1 topic of the run is not assessed and is ignored"
    many = f"{len(unknown):,} topics of the run are not assessed and are ignored"
    return (f"{few if len(unknown) == 1 else many}: {listed(unknown)}",)


def _split_topics(topic: Ints) -> list[int]:
    """The topics whose results stand in more than one block."""
    blocks = topic[np.append(True, np.diff(topic) != 0)] if len(topic) else topic
    numbers, counts = np.unique(blocks[blocks >= 0], return_counts=True)
    found: list[int] = numbers[counts > 1].tolist()
    return found


def about_missing(counts: Ints, topics: Sequence[str], average_over: str) -> tuple[str, ...]:
    """A warning about assessed topics for which a run has no results, if there are any."""
    missing = [topics[number] for number in np.flatnonzero(counts == 0).tolist()]
    if not missing:
        return ()
    outcome = "are left out" if average_over == "retrieved" else "count as empty lists"
    return (
        f"no results for {len(missing):,} of {len(topics):,} assessed topics, which {outcome}: "
        f"{listed(missing)}",
    )
