"""Orders that follow judgments: each document is chosen by how the earlier ones were judged.

Here they are replayed with judgments that exist already. A document without a judgment counts as
not relevant, as in the experiments that proposed these methods; it is pooled all the same, so that
it can be judged.

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
from itertools import pairwise

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments import Assessments
from doxeval.pooling.candidates import Candidates, is_first
from doxeval.pooling.pool import Method

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
    >>> from doxeval.pooling.parts import WholeDocuments
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
