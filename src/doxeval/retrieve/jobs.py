"""Answering queries elsewhere: in other processes of this machine, or on an engine.

A job is a few topics. Workers receive the index and the options once, then only queries. Answers
come back in the order of the topics, and are those that this process would give.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from doxeval.errors import InputError
from doxeval.messages import join_names
from doxeval.parallel import PATIENCE, EngineLike, Processes, Work, open_engine

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from doxeval.parallel import Engine
    from doxeval.retrieve.index import Index
    from doxeval.retrieve.query import TopicQuery
    from doxeval.retrieve.searching import Searcher, SearchResults

# Other processes are started for what is left after so many seconds of answering here.
WORTH_PROCESSES = 0.1
_JOBS = 256  # of few topics, if there are many
_MOST_TOGETHER = 8


class SearchPlace(NamedTuple):
    """Where queries are answered: in so many processes here, on an executor, or on an engine.

    >>> SearchPlace(jobs=2, engine="dask://head").check()
    Traceback (most recent call last):
    doxeval.errors.InputError: give an engine or a number of jobs, not both
    """

    jobs: int = 1
    executor: Executor | None = None
    engine: EngineLike | None = None
    patience: float = PATIENCE

    def check(self) -> None:
        """Refuse a number of jobs below 1, and more than one place."""
        if self.jobs < 1:
            raise InputError(f"jobs is {self.jobs}: expected 1 or more")
        if self.executor is not None and self.jobs > 1:
            raise InputError("give an executor or a number of jobs, not both")
        if self.engine is not None and (self.executor is not None or self.jobs > 1):
            other = "an executor" if self.executor is not None else "a number of jobs"
            raise InputError(f"give an engine or {other}, not both")


IN_THIS_PROCESS = SearchPlace()


def answers(
    searcher: Searcher,
    queries: Sequence[TopicQuery],
    place: SearchPlace,
    progress: Callable[[int], object],
) -> dict[str, SearchResults]:
    """Return the answer for each topic, in their order."""
    place.check()
    chosen = place.engine if place.executor is None else place.executor
    answered: dict[str, SearchResults] = {}
    if chosen is None:
        began = time.process_time()
        for topic, query in queries:
            left = len(queries) - len(answered)
            if min(place.jobs, left) > 1 and time.process_time() - began >= WORTH_PROCESSES:
                break
            answered[topic] = searcher.answer(query)
            progress(1)
        queries = queries[len(answered) :]
    if not queries:
        return answered
    # Workers get everything that options name by files or by registered names.
    options = searcher.options
    _ = searcher.units, options.unit_model, options.article_model, options.stop_words
    if chosen is None:
        engine = Processes(min(place.jobs, len(queries)), takes_part=True)
        given = _answered_on(engine, searcher, queries, progress)
    else:
        with open_engine(chosen, patience=place.patience) as opened:
            given = _answered_on(opened, searcher, queries, progress)
    return answered | given


def _answered_on(
    engine: Engine,
    searcher: Searcher,
    queries: Sequence[TopicQuery],
    progress: Callable[[int], object],
) -> dict[str, SearchResults]:
    answered: dict[str, SearchResults] = {}
    work = Work(
        _answer,
        engine.shared(searcher),
        check=_SameIndex(searcher.index),
        name=lambda group: "topics " + join_names([query.topic for query in group]),
        doing="answering topics",
    )
    with engine.in_order(work, _groups(queries)) as results:
        for group in results:
            answered |= group
            progress(len(group))
    return answered


@dataclass(frozen=True)
class _SameIndex:
    """What workers must see: the same index and collection, which are compared when they arrive."""

    index: Index

    def __call__(self) -> list[str]:
        """Return nothing: whoever has the index can open it."""
        return []


def _groups(queries: Sequence[TopicQuery]) -> Iterator[Sequence[TopicQuery]]:
    """Yield one topic after another, or a few together if there are very many."""
    together = min(_MOST_TOGETHER, 1 + len(queries) // _JOBS)
    return (queries[first : first + together] for first in range(0, len(queries), together))


def _answer(searcher: Searcher, group: Sequence[TopicQuery]) -> dict[str, SearchResults]:
    return {topic: searcher.answer(query) for topic, query in group}
