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

from collections.abc import Iterator, Mapping, Sequence
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
    for number, lists in _lists(candidates):
        topic = candidates.topics[number]
        judged = {one.document: one.is_relevant for one in assessments.of(topic)}
        relevant = _relevant(candidates, lists, judged)
        chance = np.random.default_rng([seed, *topic.encode()])
        ordered = [lists[run] for run in by_name]
        replay = _move_to_front if method == "mtf" else _thompson
        # One more than there are lets every list come to its end.
        most = len(relevant) + 1 if documents is None else documents
        chosen += replay(ordered, relevant, most, chance)
    return np.array(chosen, dtype=np.int64)


def _lists(candidates: Candidates) -> Iterator[tuple[int, list[Listed]]]:
    """For each topic with candidates, the list of every run."""
    topic = candidates.topic
    begins = np.flatnonzero(is_first(topic)).tolist() if len(candidates) else []
    for begin, end in pairwise([*begins, len(candidates)]):
        lists: list[Listed] = [[] for _ in candidates.runs]
        own = (candidates.run[begin:end].tolist(), candidates.document[begin:end].tolist())
        for row, run, document in zip(range(begin, end), *own, strict=True):
            lists[run].append((row, document))
        yield int(topic[begin]), lists


def _relevant(
    candidates: Candidates, lists: Sequence[Listed], judged: Mapping[str, bool]
) -> dict[int, bool]:
    documents = {document for listed in lists for _, document in listed}
    return {one: judged.get(candidates.documents[one], False) for one in documents}


def _move_to_front(
    lists: Sequence[Listed], relevant: Mapping[int, bool], most: int, chance: np.random.Generator
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
        if relevant[document]:
            priority[run], success[run] = 0, len(chosen)
        else:
            priority[run] -= 1
        reached[run] += 1
        if reached[run] == len(lists[run]):
            waiting.remove(run)
    return chosen


def _thompson(
    lists: Sequence[Listed], relevant: Mapping[int, bool], most: int, chance: np.random.Generator
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
                (successes if relevant[document] else failures)[run] += 1
                break
        is_over[run] = reached[run] == len(listed)
    return chosen
