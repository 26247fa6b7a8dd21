"""Strategies: which results come into a pool, and in which order.

Each function returns rows of the candidates in the order in which they are pooled, topic by topic.
Most orders need no judgments: by rank, in turns, or by fused rank. Two follow judgments: each
document is chosen by how the earlier ones were judged. Here they are replayed with judgments that
exist already. A document without a judgment counts as not relevant, as in the experiments that
proposed these methods; it is pooled all the same, so that it can be judged.

- mtf, move-to-front (Cormack, Palmer & Clarke 1998, section 6, "local"): the next result comes from
  the run with the highest priority. Priorities begin equal. If the result's document is relevant,
  whether it is judged now or was before, the run gets the highest priority there is; if not, its
  priority falls by 1. Of runs with the same priority, the one that most recently returned a
  relevant document comes first, then the one that waited longest; in the beginning, the order is
  drawn.
- bandit, Thompson sampling (Losada, Parapar & Barreiro 2016, stationary): each run draws a number
  from Beta(1 + r, 1 + n), r and n being how many relevant and other documents it brought in. The
  next document comes from the run with the largest number; results of documents in the pool already
  are passed over.

Draws depend on the seed and the topic, and on the names of runs, but not on their order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from doxeval.arrays import Ints, last_true
from doxeval.assessments import Assessments
from doxeval.errors import MissingInput
from doxeval.messages import Parameter
from doxeval.pooling.candidates import PoolCandidates, is_first
from doxeval.pooling.pool import PoolOptions


@dataclass(frozen=True, eq=False)
class PoolStrategy:
    """How results are chosen from candidates, and the judgments that the method follows, if any.

    >>> PoolStrategy(PoolOptions(documents=50, method="mtf"))
    Traceback (most recent call last):
    doxeval.errors.MissingInput: method='mtf' follows judgments as they are made: give \
assessments=, or pool by depth or rrf as long as there are none
    """

    options: PoolOptions
    assessments: Assessments | None = None

    def __post_init__(self) -> None:
        if self.options.follows_judgments and self.assessments is None:
            raise MissingInput(
                Parameter("method", self.options.method)
                + " follows judgments as they are made: give "
                + Parameter("assessments")
                + ", or pool by depth or rrf as long as there are none"
            )

    @property
    def followed(self) -> Assessments | None:
        """The judgments, if the method follows them."""
        return self.assessments if self.options.follows_judgments else None

    def rows(self, candidates: PoolCandidates) -> Ints:
        """Return the rows of results that are pooled, in the order of pooling, topic by topic."""
        options, documents = self.options, self.options.documents
        if self.followed is not None:
            return replayed(candidates, options, self.followed)
        if options.method == "rrf":
            return fused(candidates, documents)
        return by_rank(candidates) if documents is None else round_robin(candidates, documents)


# Orders that need no judgments


def by_rank(candidates: PoolCandidates) -> Ints:
    """Return all candidates: documents by best rank; tied ones by priority, then by id.

    Nothing depends on the order of the runs.
    """
    c = candidates
    order = np.lexsort((c.rank, c.pair))
    best = np.empty(len(c), dtype=np.int64)
    best[order] = c.rank[order][last_true(is_first(c.pair[order]))] if len(c) else 0
    return np.lexsort((c.unit, c.rank, c.document, -c.priority, best, c.topic))


def round_robin(candidates: PoolCandidates, documents: int) -> Ints:
    """Go down the ranks, the runs taking turns, until a topic has so many distinct documents.

    The runs take turns in the order in which they are named, which decides which documents of the
    last rank come in.
    """
    return _limited(candidates, np.arange(len(candidates)), documents)


def fused(candidates: PoolCandidates, documents: int | None) -> Ints:
    """Order by the sum of 1 / (60 + rank) over runs, until a topic has so many documents.

    Tied results come in the order of their best ranks, then of their documents' ids. Nothing
    depends on the order of the runs.
    """
    c = candidates
    result = c.topic * (int(c.unit.max(initial=0)) + 1) + c.unit
    score = c.sums_by(result, np.arange(len(c)))
    order = np.lexsort((c.rank, result))
    best = np.empty(len(c), dtype=np.int64)
    best[order] = c.rank[order][last_true(is_first(result[order]))] if len(c) else 0
    return _limited(c, np.lexsort((c.rank, c.unit, best, -score, c.topic)), documents)


def _limited(candidates: PoolCandidates, rows: Ints, documents: int | None) -> Ints:
    """Return the rows until a topic has so many documents; the same result stays together."""
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
_Results = list[tuple[int, int]]


def replayed(candidates: PoolCandidates, options: PoolOptions, assessments: Assessments) -> Ints:
    """Return rows of candidates in the order in which they are pooled, topic by topic.

    >>> from doxeval.pooling.candidates import candidates_of
    >>> from doxeval.pooling.units import WholeDocuments
    >>> from doxeval.runs import Run
    >>> good, bad = Run.from_dict({"7": ["a", "b", "c"]}), Run.from_dict({"7": ["x", "y", "z"]})
    >>> candidates, _ = candidates_of([good, bad], ["7"], WholeDocuments(), None)
    >>> judged = Assessments.from_dict({"7": {"a": 1, "b": 1, "c": 1, "x": 0}})
    >>> rows = replayed(candidates, PoolOptions(documents=4, method="mtf"), judged)
    >>> [candidates.documents[number] for number in candidates.document[rows]]
    ['x', 'a', 'b', 'c']
    """
    chosen: list[int] = []
    by_name = sorted(range(len(candidates.runs)), key=candidates.runs.__getitem__)
    replay = _move_to_front if options.method == "mtf" else _thompson
    for number, lists in _lists(candidates):
        topic = candidates.topics[number]
        judged = assessments.of(topic)
        names = [judgment.document for judgment in judged if judgment.is_relevant]
        relevant = _numbers(candidates.documents, names)
        chance = np.random.default_rng([options.seed, *topic.encode()])
        most = len(candidates) + 1 if options.documents is None else options.documents
        chosen += replay([lists[run] for run in by_name], relevant, most, chance)
    return np.array(chosen, dtype=np.int64)


def _lists(candidates: PoolCandidates) -> Iterator[tuple[int, list[_Results]]]:
    """Yield for each topic with candidates the list of every run."""
    topic, runs = candidates.topic, range(len(candidates.runs))
    begins = np.flatnonzero(is_first(topic)).tolist() if len(candidates) else []
    for begin, end in pairwise([*begins, len(candidates)]):
        run, document = candidates.run[begin:end], candidates.document[begin:end]
        rows_of = [np.flatnonzero(run == number) for number in runs]
        lists = [(begin + rows, document[rows]) for rows in rows_of]
        yield (
            int(topic[begin]),
            [list(zip(rows.tolist(), of.tolist(), strict=True)) for rows, of in lists],
        )


def _numbers(documents: Sequence[str], names: Iterable[str]) -> set[int]:
    """Return the positions of some documents among others, which are sorted."""
    positions = ((name, bisect_left(documents, name)) for name in names)
    return {at for name, at in positions if at < len(documents) and documents[at] == name}


def _move_to_front(
    lists: Sequence[_Results], relevant: Set[int], most: int, chance: np.random.Generator
) -> list[int]:
    reached = [0] * len(lists)
    priority = [0] * len(lists)
    # When each run last returned a relevant document, and when its last result was taken.
    success = [-1] * len(lists)
    taken = [int(order) - len(lists) for order in chance.permutation(len(lists))]
    waiting = {run for run, listed in enumerate(lists) if listed}
    chosen: list[int] = []
    pooled: set[int] = set()
    while waiting and len(pooled) < most:
        run = max(waiting, key=lambda each: (priority[each], success[each], -taken[each]))
        row, document = lists[run][reached[run]]
        chosen.append(row)
        pooled.add(document)
        taken[run] = len(chosen)
        if document in relevant:
            priority[run], success[run] = 0, len(chosen)
        else:
            priority[run] -= 1
        reached[run] += 1
        if reached[run] == len(lists[run]):
            waiting.remove(run)
    return chosen


def _thompson(
    lists: Sequence[_Results], relevant: Set[int], most: int, chance: np.random.Generator
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
