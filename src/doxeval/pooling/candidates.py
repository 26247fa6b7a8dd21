"""PoolCandidates: the results of all runs that may be pooled, distinct within a run, and ranked.

Runs are read and named, topics are chosen, and results become columns.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints, repeated_rows
from doxeval.assessments import Assessments
from doxeval.errors import InputError, SourceError
from doxeval.messages import Message, join_names, truncate
from doxeval.pooling.pool import PooledRun
from doxeval.pooling.units import ResultUnits, UnitNumbering
from doxeval.runs import Run, RunGiven, as_run, is_one_run, listed_run, not_a_run_error, read_run
from doxeval.scores import distinct_names
from doxeval.topics import Topic

# Results as columns


# The constant of reciprocal rank fusion (Cormack, Clarke & Büttcher 2009).
FUSION = 60


@dataclass(frozen=True, eq=False)
class PoolCandidates:
    """Results that may be pooled, sorted by topic, rank and run.

    topic and run are positions in `topics` and `runs`. rank counts from 1, without duplicates.
    document is a position in `documents`, which are sorted. unit numbers the distinct parts of
    documents; key, start and end of each unit say what it is (see units.py). No number depends on
    the order of runs, except that of the run itself.
    """

    topics: tuple[str, ...]
    runs: tuple[str, ...]
    documents: Sequence[str]
    topic: Ints
    run: Ints
    rank: Ints
    document: Ints
    unit: Ints
    unit_key: Ints
    unit_start: Ints
    unit_end: Ints

    def __len__(self) -> int:
        return len(self.topic)

    @cached_property
    def pair(self) -> Ints:
        """A number for the topic and the document of each row, together."""
        return self.topic * max(len(self.documents), 1) + self.document

    @cached_property
    def priority(self) -> Floats:
        """For each row that of its document: the sum of 1 / (60 + best rank) over runs."""
        order = np.lexsort((self.rank, self.run, self.pair))
        best = order[is_first(self.pair[order], self.run[order])]
        return self.sums_by(self.pair, best)

    def sums_by(self, group: Ints, rows: Ints) -> Floats:
        """Return for each candidate the sum of 1 / (60 + rank) over those of the rows in its group.

        The summands are added from the largest to the smallest, so that the order of runs does not
        change the last digit.
        """
        groups, which = np.unique(group, return_inverse=True)
        rows = rows[np.argsort(self.rank[rows], kind="stable")]
        shares = 1 / (FUSION + self.rank[rows])
        sums = np.bincount(which[rows], shares, len(groups)).astype(np.float64)
        return sums[which]

    def without(self, run: int) -> PoolCandidates:
        """Return the candidates of all runs but one, as if it had never been there."""
        rest = self.rows(np.flatnonzero(self.run != run))
        runs = (*self.runs[:run], *self.runs[run + 1 :])
        return replace(rest, runs=runs, run=rest.run - (rest.run > run))

    def rows(self, rows: Ints) -> PoolCandidates:
        """Return only these rows."""
        names = ("topic", "run", "rank", "document", "unit")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})


def is_first(*columns: Ints) -> Bools:
    """Return which rows are the first of several equal ones that follow each other.

    >>> is_first(np.array([1, 1, 2]), np.array([5, 5, 5])).tolist()
    [True, False, True]
    """
    changed = np.ones(len(columns[0]), dtype=np.bool_)
    changed[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return changed


class _Ranked(NamedTuple):
    """The distinct results of a run: topics, ranks, units, and the ids of documents.

    The documents of the units are positions in the ids.
    """

    topic: Ints
    rank: Ints
    units: ResultUnits
    document_ids: list[str]


def candidates_of(
    runs: Sequence[Run], topics: Sequence[str], numbering: UnitNumbering, depth: int | None
) -> tuple[PoolCandidates, tuple[str, ...]]:
    """Return the candidates of runs for these topics, to a depth, and warnings.

    >>> from doxeval.pooling.units import WholeDocuments
    >>> runs = [Run.from_dict({"7": ["b", "a"]}), Run.from_dict({"7": ["a", "c"]})]
    >>> candidates, _ = candidates_of(runs, ["7"], WholeDocuments(), 1)
    >>> [candidates.documents[number] for number in candidates.document]
    ['b', 'a']
    """
    ranked = [_ranked(run, topics, numbering, depth) for run in runs]
    documents, document = _documents(ranked)
    key = _joined([of_run.units.key for of_run in ranked])
    start = _joined([of_run.units.start for of_run in ranked])
    end = _joined([of_run.units.end for of_run in ranked])
    unit, example = _units(document, numbering.in_order(key), start, end)
    candidates = PoolCandidates(
        topics=tuple(topics),
        runs=tuple(run.run_id for run in runs),
        documents=documents,
        topic=_joined([of_run.topic for of_run in ranked]),
        run=np.repeat(np.arange(len(runs)), [len(of_run.topic) for of_run in ranked]),
        rank=_joined([of_run.rank for of_run in ranked]),
        document=document,
        unit=unit,
        unit_key=key[example],
        unit_start=start[example],
        unit_end=end[example],
    )
    warnings = [
        Message(f"{name_in_messages(run)}: ", warning)
        for run, of_run in zip(runs, ranked, strict=True)
        for warning in of_run.units.warnings
    ]
    order = np.lexsort((candidates.run, candidates.rank, candidates.topic))
    return candidates.rows(order), tuple(warnings)


def _units(*columns: Ints) -> tuple[Ints, Ints]:
    """Return a number for each row, the same for equal rows; and a row for each number."""
    order = np.lexsort(columns[::-1])
    first = is_first(*(column[order] for column in columns))
    unit = np.empty(len(order), dtype=np.int64)
    unit[order] = np.cumsum(first) - 1
    return unit, order[first]


def _joined(columns: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, dtype=np.int64), *columns]).astype(np.int64, copy=False)


def _documents(ranked: Sequence[_Ranked]) -> tuple[list[str], Ints]:
    """Return the ids of all documents, sorted, and for each row the position of its document."""
    distinct = sorted({name for of_run in ranked for name in of_run.document_ids})
    number = {name: position for position, name in enumerate(distinct)}
    columns = []
    for of_run in ranked:
        ids = of_run.document_ids
        numbers = np.fromiter(map(number.__getitem__, ids), np.int64, len(ids))
        columns.append(numbers[of_run.units.document])
    return distinct, _joined(columns)


def _ranked(
    run: Run, topics: Sequence[str], numbering: UnitNumbering, depth: int | None
) -> _Ranked:
    """Return the distinct results of a run for some topics, to a depth.

    Resolving is what takes long. So it begins with as many results of a topic as are needed, and
    only where some of them are duplicates or do not resolve are more looked at.
    """
    topic = run.topic_labels.find(list(topics))
    position = _positions(topic)
    longest = int(position.max(initial=-1)) + 1
    taken = longest if depth is None else min(depth, longest)
    while True:
        rows = np.flatnonzero((topic >= 0) & (position < taken))
        ranked = _distinct(run.rows(rows), topic[rows], numbering)
        if depth is None or taken >= longest or _is_enough(ranked.topic, topic, depth, taken):
            break
        taken = min(2 * taken, longest)
    return _to_depth(ranked, depth)


def _is_enough(ranked: Ints, topic: Ints, depth: int, taken: int) -> bool:
    """Return whether every topic with more results than were taken has enough distinct ones."""
    size = int(topic.max(initial=-1)) + 1
    total = np.bincount(topic[topic >= 0], minlength=size)
    return bool((np.bincount(ranked, minlength=size)[total > taken] >= depth).all())


def _positions(topic: Ints) -> Ints:
    """Return for each row how many rows of the same topic are before it."""
    order = np.argsort(topic, kind="stable")
    begins = np.flatnonzero(is_first(topic[order]))
    position = np.empty(len(topic), dtype=np.int64)
    lengths = np.diff(np.append(begins, len(topic)))
    position[order] = np.arange(len(topic)) - np.repeat(begins, lengths)
    return position


def _distinct(run: Run, topic: Ints, numbering: UnitNumbering) -> _Ranked:
    units = numbering.units_of(run)
    keep = units.document >= 0
    keep[repeated_rows(topic, units.document, units.key, units.start, units.end)] = False
    rows = np.flatnonzero(keep)
    kept = units.rows(rows)
    numbers, which = np.unique(kept.document, return_inverse=True)
    ids = numbering.document_ids(run, numbers)
    return _Ranked(topic[rows], _positions(topic[rows]) + 1, kept._replace(document=which), ids)


def _to_depth(ranked: _Ranked, depth: int | None) -> _Ranked:
    if depth is None:
        return ranked
    rows = np.flatnonzero(ranked.rank <= depth)
    units = ranked.units.rows(rows)
    return _Ranked(ranked.topic[rows], ranked.rank[rows], units, ranked.document_ids)


# Runs


RunSource = RunGiven

# Runs one after another, some of them with names; or all by name.
RunSources = Iterable[RunSource | tuple[str | None, RunSource]] | Mapping[str, RunSource]


class NamedRuns(NamedTuple):
    """Runs under distinct names, and what a pool says about each."""

    runs: tuple[Run, ...]
    facts: tuple[PooledRun, ...]


def named_runs(given: RunSources, ends: bool) -> NamedRuns:
    """Read runs. Each has the name that it is given, in a mapping or a pair, or else its id.

    Runs with the same id are distinguished by their files, or by number.

    >>> from doxeval.runs import Run
    >>> named_runs([Run.from_dict({"7": ["a"]}, "mine")] * 2, False).facts
    (PooledRun('mine', results=1), PooledRun('mine #2', results=1))
    """
    given = listed_run(given)
    several: Any = [given] if is_one_run(given) else given
    if not isinstance(several, Iterable) or isinstance(several, Assessments):
        raise not_a_run_error(several)
    pairs = several.items() if isinstance(several, Mapping) else map(_pair, several)
    read = [_read(source, name, ends) for name, source in pairs]
    if not read:
        raise InputError("there are no runs to pool")
    names = distinct_names([(run.run_id, facts.file) for run, facts in read])
    return NamedRuns(
        tuple(run.with_id(name) for (run, _), name in zip(read, names, strict=True)),
        tuple(
            PooledRun(name, facts.results, facts.file, facts.sha256)
            for (_, facts), name in zip(read, names, strict=True)
        ),
    )


def _pair(given: Any) -> tuple[str | None, RunSource]:
    return given if isinstance(given, tuple) and len(given) == 2 else (None, given)


def _read(source: RunSource, name: str | None, ends: bool) -> tuple[Run, PooledRun]:
    # The hash comes first, so that a file which changes later never matches it.
    if isinstance(source, str | os.PathLike):
        file: str | None = os.fspath(source)
        digest = sha256_of(file) if file is not None else None
        run = read_run(source, ends=ends)
    elif isinstance(source, Run):
        run, file = source, source.origin
        digest = None if file is None else sha256_of(file)
    else:
        run, file, digest = as_run(source), None, None
    named = run if name is None else run.with_id(str(name))
    return named, PooledRun(named.run_id, len(named), file, digest)


def name_in_messages(run: Run) -> str:
    """Return what a message calls a run: its file, or else its name.

    >>> name_in_messages(Run.from_dict({"7": ["a"]}, "mine"))
    'mine'
    """
    return truncate(run.origin or run.run_id, 200)


def sha256_of(file: str) -> str | None:
    """Return the SHA-256 of a file; None if it is not a file (any more), such as a pipe.

    >>> sha256_of("/dev/null") is None
    True
    """
    try:
        if not os.path.isfile(file):
            return None
        with open(file, "rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(error.strerror or str(error), file) from error
    except ValueError:  # a null character or a lone surrogate in the name
        return None


# Topics


class PooledTopics(NamedTuple):
    """Ids of topics, in order, and warnings."""

    ids: tuple[str, ...]
    warnings: tuple[str, ...]


def pooled_topics(runs: Sequence[Run], requested: Iterable[Topic | str] | None) -> PooledTopics:
    """Return the requested topics in their order, or else all topics of the runs, sorted.

    Warnings are about topics that no run has, that a run lacks, and that were not requested.

    >>> runs = [Run.from_dict({"10": ["a"], "9": ["a"]}, "one"), Run.from_dict({"9": ["b"]})]
    >>> pooled_topics(runs, None)
    PooledTopics(ids=('9', '10'), warnings=('run: no results for topic 10',))
    """
    of_runs = [set(run.topics) for run in runs]
    every: set[str] = set().union(*of_runs)
    ids = sorted(every, key=_order) if requested is None else _ids(requested)
    missing = [topic for topic in ids if topic not in every]
    warnings = [f"no run has results for {_named(missing)}"] if missing else []
    for run, of_run in zip(runs, of_runs, strict=True):
        lacking = [topic for topic in ids if topic in every and topic not in of_run]
        if not of_run:
            warnings.append(f"{name_in_messages(run)}: the run is empty")
        elif lacking:
            warnings.append(f"{name_in_messages(run)}: no results for {_named(lacking)}")
    others = sorted(every - set(ids), key=_order)
    if others:
        warnings.append(f"results for {_named(others)} are left out")
    return PooledTopics(tuple(ids), tuple(warnings))


def _named(topics: Sequence[str]) -> str:
    return f"topic{'' if len(topics) == 1 else 's'} {join_names(topics)}"


def _ids(topics: Iterable[Topic | str]) -> list[str]:
    ids = (topic.id if isinstance(topic, Topic) else str(topic) for topic in topics)
    return list(dict.fromkeys(ids))


def _order(topic: str) -> tuple[bool, int, str]:
    """Return what topics are sorted by: numbers by their values, then everything else."""
    is_number = topic.isascii() and topic.isdecimal() and len(topic) < 19
    return not is_number, int(topic) if is_number else 0, topic
