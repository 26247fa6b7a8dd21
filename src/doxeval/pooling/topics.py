"""The topics that a pool is made for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from doxeval.messages import join_names
from doxeval.pooling.sources import place_of
from doxeval.runs import Run
from doxeval.topics import Topic


class PooledTopics(NamedTuple):
    """Ids of topics, in order, and warnings."""

    ids: tuple[str, ...]
    warnings: tuple[str, ...]


def pooled_topics(runs: Sequence[Run], wanted: Iterable[Topic | str] | None) -> PooledTopics:
    """The wanted topics in their order, or else all topics of the runs, sorted.

    Warned about are topics that no run has, that a run lacks, and that are not wanted.

    >>> runs = [Run.from_dict({"10": ["a"], "9": ["a"]}, "one"), Run.from_dict({"9": ["b"]})]
    >>> pooled_topics(runs, None)
    PooledTopics(ids=('9', '10'), warnings=('run: no results for topic 10',))
    """
    of_runs = [set(run.topics) for run in runs]
    every: set[str] = set().union(*of_runs)
    ids = sorted(every, key=_order) if wanted is None else _ids(wanted)
    missing = [one for one in ids if one not in every]
    warnings = [f"no run has results for {_named(missing)}"] if missing else []
    for run, own in zip(runs, of_runs, strict=True):
        lacking = [one for one in ids if one in every and one not in own]
        if not own:
            warnings.append(f"{place_of(run)}: the run is empty")
        elif lacking:
            warnings.append(f"{place_of(run)}: no results for {_named(lacking)}")
    others = sorted(every - set(ids), key=_order)
    if others:
        warnings.append(f"results for {_named(others)} are left out")
    return PooledTopics(tuple(ids), tuple(warnings))


def _named(topics: Sequence[str]) -> str:
    return f"topic{'' if len(topics) == 1 else 's'} {join_names(topics)}"


def _ids(topics: Iterable[Topic | str]) -> list[str]:
    return list(dict.fromkeys(one.id if isinstance(one, Topic) else str(one) for one in topics))


def _order(topic: str) -> tuple[bool, int, str]:
    """Numbers by their values, then everything else."""
    is_number = topic.isascii() and topic.isdecimal() and len(topic) < 19
    return not is_number, int(topic) if is_number else 0, topic
