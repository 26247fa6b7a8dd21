"""Strategies: in which order results come into a pool, and how many of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints, last_true
from doxeval.assessments import Assessments
from doxeval.errors import MissingInput
from doxeval.messages import Parameter
from doxeval.pooling.candidates import Candidates, is_first
from doxeval.pooling.pool import ADAPTIVE, Method


class Choice(NamedTuple):
    """A method, the most documents of a topic, a seed, and the judgments that it follows.

    >>> Choice("mtf", 50, 0, None).check()
    Traceback (most recent call last):
    doxeval.errors.MissingInput: method='mtf' follows judgments as they are made: give \
assessments=, or pool by depth or rrf as long as there are none
    """

    method: Method
    documents: int | None = None
    seed: int = 0
    assessments: Assessments | None = None

    def check(self) -> None:
        """An adaptive method without judgments to follow is an error."""
        if self.method in ADAPTIVE and self.assessments is None:
            raise MissingInput(
                Parameter("method", self.method)
                + " follows judgments as they are made: give "
                + Parameter("assessments")
                + ", or pool by depth or rrf as long as there are none"
            )

    @property
    def followed(self) -> tuple[str, ...]:
        """The files of the judgments that an adaptive method follows."""
        is_followed = self.method in ADAPTIVE and self.assessments is not None
        return self.assessments.origins if is_followed and self.assessments else ()

    def rows(self, candidates: Candidates) -> Ints:
        """The rows of results that are pooled, in the order of pooling, topic by topic."""
        self.check()
        if self.assessments is not None and self.method in ADAPTIVE:
            return replayed(candidates, self.method, self.documents, self.seed, self.assessments)
        if self.method == "rrf":
            return fused(candidates, self.documents)
        if self.documents is None:
            return by_rank(candidates)
        return in_turns(candidates, self.documents)


# Orders that need no judgments


def by_rank(candidates: Candidates) -> Ints:
    """All candidates: documents by their best rank; tied ones by their priority, then by id.

    Nothing depends on the order of the runs.
    """
    c = candidates
    order = np.lexsort((c.rank, c.pair))
    best = np.empty(len(c), dtype=np.int64)
    best[order] = c.rank[order][last_true(is_first(c.pair[order]))] if len(c) else 0
    return np.lexsort((c.unit, c.rank, c.document, -c.priority, best, c.topic))


def in_turns(candidates: Candidates, documents: int) -> Ints:
    """Down the ranks, the runs taking turns, until a topic has so many distinct documents.

    The runs take turns in the order in which they are named, which decides which documents of the
    last rank come in.
    """
    return _cut(candidates, np.arange(len(candidates)), documents)


def fused(candidates: Candidates, documents: int | None) -> Ints:
    """By the sum of 1 / (60 + rank) over runs, until a topic has so many distinct documents.

    Tied results come in the order of their best ranks, then of their documents' ids. Nothing
    depends on the order of the runs.
    """
    c = candidates
    place = c.topic * (int(c.unit.max(initial=0)) + 1) + c.unit
    score = c.sums_by(place, np.arange(len(c)))
    order = np.lexsort((c.rank, place))
    best = np.empty(len(c), dtype=np.int64)
    best[order] = c.rank[order][last_true(is_first(place[order]))] if len(c) else 0
    return _cut(c, np.lexsort((c.rank, c.unit, best, -score, c.topic)), documents)


def _cut(candidates: Candidates, rows: Ints, documents: int | None) -> Ints:
    """The rows until a topic has so many distinct documents; the same result stays together."""
    if documents is None or not len(rows):
        return rows
    pair, topic, unit = (
        column[rows] for column in (candidates.pair, candidates.topic, candidates.unit)
    )
    is_new = np.zeros(len(rows), dtype=np.bool_)
    is_new[np.unique(pair, return_index=True)[1]] = True
    before: Ints = np.cumsum(is_new) - is_new
    so_far: Ints = before - before[last_true(is_first(topic))]
    in_time = so_far[last_true(is_first(topic, unit))] < documents
    return rows[np.flatnonzero(in_time)]


# Orders that follow judgments


# The results of one run for a topic, best first: row and document of each.
Listed = list[tuple[int, int]]


def replayed(
    candidates: Candidates,
    method: Method,
    documents: int | None,
    seed: int,
    assessments: Assessments,
) -> Ints:
    """Rows of candidates in the order in which they are pooled, topic by topic.

    >>> from doxeval.pooling.candidates import candidates_of
    >>> from doxeval.pooling.units import WholeDocuments
    >>> from doxeval.runs import Run
    >>> good, bad = Run.from_dict({"7": ["a", "b", "c"]}), Run.from_dict({"7": ["x", "y", "z"]})
    >>> found, _ = candidates_of([good, bad], ["7"], WholeDocuments(), None)
    >>> judged = Assessments.from_dict({"7": {"a": 1, "b": 1, "c": 1, "x": 0}})
    >>> rows = replayed(found, "mtf", 4, 0, judged)
    >>> [found.documents[number] for number in found.document[rows]]
    ['x', 'a', 'b', 'c']
    """
    chosen: list[int] = []
    by_name = sorted(range(len(candidates.runs)), key=candidates.runs.__getitem__)
    replay = _move_to_front if method == "mtf" else _thompson
    for number, lists in _lists(candidates):
        topic = candidates.topics[number]
        judged = [one.document for one in assessments.of(topic) if one.is_relevant]
        relevant = _numbers(candidates.documents, judged)
        chance = np.random.default_rng([seed, *topic.encode()])
        most = len(candidates) + 1 if documents is None else documents
        chosen += replay([lists[run] for run in by_name], relevant, most, chance)
    return np.array(chosen, dtype=np.int64)


def _lists(candidates: Candidates) -> Iterator[tuple[int, list[Listed]]]:
    """For each topic with candidates, the list of every run."""
    topic, runs = candidates.topic, range(len(candidates.runs))
    begins = np.flatnonzero(is_first(topic)).tolist() if len(candidates) else []
    for begin, end in pairwise([*begins, len(candidates)]):
        run, document = candidates.run[begin:end], candidates.document[begin:end]
        own = [np.flatnonzero(run == number) for number in runs]
        lists = [(begin + rows, document[rows]) for rows in own]
        yield (
            int(topic[begin]),
            [list(zip(rows.tolist(), of.tolist(), strict=True)) for rows, of in lists],
        )


def _numbers(documents: Sequence[str], wanted: Iterable[str]) -> set[int]:
    """The positions of some documents among others, which are sorted."""
    found = ((name, bisect_left(documents, name)) for name in wanted)
    return {at for name, at in found if at < len(documents) and documents[at] == name}


def _move_to_front(
    lists: Sequence[Listed], relevant: Set[int], most: int, chance: np.random.Generator
) -> list[int]:
    reached = [0] * len(lists)
    priority = [0] * len(lists)
    # When each run last returned a relevant document, and when it last had its turn.
    success = [-1] * len(lists)
    turn = [int(place) - len(lists) for place in chance.permutation(len(lists))]
    waiting = {run for run, listed in enumerate(lists) if listed}
    chosen: list[int] = []
    pooled: set[int] = set()
    while waiting and len(pooled) < most:
        run = max(waiting, key=lambda one: (priority[one], success[one], -turn[one]))
        row, document = lists[run][reached[run]]
        chosen.append(row)
        pooled.add(document)
        turn[run] = len(chosen)
        if document in relevant:
            priority[run], success[run] = 0, len(chosen)
        else:
            priority[run] -= 1
        reached[run] += 1
        if reached[run] == len(lists[run]):
            waiting.remove(run)
    return chosen


def _thompson(
    lists: Sequence[Listed], relevant: Set[int], most: int, chance: np.random.Generator
) -> list[int]:
    reached = [0] * len(lists)
    successes, failures = np.ones(len(lists)), np.ones(len(lists))
    is_over = np.array([not listed for listed in lists])
    chosen: list[int] = []
    pooled: set[int] = set()
    while not is_over.all() and len(pooled) < most:
        drawn = chance.beta(successes, failures)
        run = int(np.where(is_over, -1.0, drawn).argmax())
        listed = lists[run]
        while reached[run] < len(listed):
            row, document = listed[reached[run]]
            reached[run] += 1
            chosen.append(row)
            if document not in pooled:
                pooled.add(document)
                (successes if document in relevant else failures)[run] += 1
                break
        is_over[run] = reached[run] == len(listed)
    return chosen
