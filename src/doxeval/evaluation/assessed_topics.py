"""The part of a run that is about assessed topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.messages import join_names
from doxeval.runs import Run


class AssessedPart(NamedTuple):
    """Results of assessed topics, sorted by topic, and each one's topic by number.

    unknown: the topics that are not assessed. split: the numbers of topics whose results stand in
    several separate places of the run.
    """

    run: Run
    topic: Ints
    unknown: tuple[str, ...]
    split: tuple[int, ...]


def assessed_part(run: Run, numbers: Mapping[str, int]) -> AssessedPart:
    """The results of a run that belong to assessed topics, given the numbers of these.

    >>> from doxeval.runs.run import run_of
    >>> from doxeval.runs.run import Result
    >>> part = assessed_part(run_of([Result("8", "a"), Result("7", "b")]), {"7": 0})
    >>> len(part.run), part.topic.tolist(), part.unknown
    (1, [0], ('8',))
    """
    found = np.array([numbers.get(topic, -1) for topic in run.topics] + [-1], dtype=np.int64)
    topic = found[run.topic]
    unknown = tuple(name for name in run.topics if name not in numbers)
    if not unknown and (np.diff(topic) >= 0).all():
        return AssessedPart(run, topic, (), ())
    rows = np.flatnonzero(topic >= 0)
    rows = rows[np.argsort(topic[rows], kind="stable")]
    return AssessedPart(run.rows(rows), topic[rows], unknown, _split_topics(topic))


def _split_topics(topic: Ints) -> tuple[int, ...]:
    """The topics whose results stand in more than one place."""
    places = topic[np.append(True, np.diff(topic) != 0)] if len(topic) else topic
    numbers, counts = np.unique(places[places >= 0], return_counts=True)
    return tuple(numbers[counts > 1].tolist())


def about_unknown(unknown: Sequence[str]) -> tuple[str, ...]:
    """A warning about topics of a run that are not assessed, if there are any.

    >>> about_unknown(["8"])
    ('1 topic of the run is not assessed and is ignored: 8',)
    """
    if not unknown:
        return ()
    few = "1 topic of the run is not assessed and is ignored"
    many = f"{len(unknown):,} topics of the run are not assessed and are ignored"
    return (f"{few if len(unknown) == 1 else many}: {join_names(unknown)}",)


def about_split(split: Sequence[int], topics: Sequence[str]) -> tuple[str, ...]:
    """A warning about topics in several separate places, if there are any.

    >>> about_split([0], ["7", "8"])
    ('topics in several separate blocks: 7',)
    """
    if not split:
        return ()
    return (f"topics in several separate blocks: {join_names([topics[one] for one in split])}",)


def about_missing(has_results: Bools, topics: Sequence[str], average_over: str) -> tuple[str, ...]:
    """A warning about assessed topics for which a run has no results, if there are any."""
    missing = [topics[number] for number in np.flatnonzero(~has_results).tolist()]
    if not missing:
        return ()
    outcome = "are left out" if average_over == "retrieved" else "count as empty lists"
    return (
        f"no results for {len(missing):,} of {len(topics):,} assessed topics, which {outcome}: "
        f"{join_names(missing)}",
    )
