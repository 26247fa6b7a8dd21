"""Scoring in several processes on one machine.

Where the system can fork, a worker is this process once more: it knows the assessments without
being told, and nothing has to be started. Each takes every n-th run and sends its scores back.
A process with several threads (a notebook, a server) must not be forked; there, workers are started
anew and told everything.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
from collections.abc import Callable, Sequence
from typing import BinaryIO, TypeVar

from doxeval.errors import DoxevalError

S = TypeVar("S")
T = TypeVar("T")


def scored_in_processes(
    score: Callable[[S], T],
    sources: Sequence[S],
    workers: int,
    progress: Callable[[int], object] = lambda _: None,
) -> list[T]:
    """The scores of all sources, in their order; the first error in that order is raised.

    progress is told now and then how many more are done, as far as this process can know.

    >>> scored_in_processes(abs, [-3, -2, -1], 2)
    [3, 2, 1]
    """
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return _in_new_processes(score, sources, workers, progress)
    shares = [range(first, len(sources), workers) for first in range(workers)]
    children = [_started(score, sources, share) for share in shares[1:]]
    # This process does its share; the others are as quick.
    outcomes = _outcomes(score, sources, shares[0], lambda: progress(workers))
    for pid, answer in children:
        with answer:
            try:
                outcomes.update(pickle.load(answer))  # noqa: S301  # from our own child
            except EOFError:
                raise DoxevalError("a process that scored runs ended without an answer") from None
            finally:
                os.waitpid(pid, 0)
    found: list[T] = []
    for place in range(len(sources)):
        outcome = outcomes[place]
        if isinstance(outcome, BaseException):
            raise outcome
        found.append(outcome)
    return found


def _in_new_processes(
    score: Callable[[S], T],
    sources: Sequence[S],
    workers: int,
    progress: Callable[[int], object],
) -> list[T]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    found = []
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        for scores in pool.map(score, sources):
            found.append(scores)
            progress(1)
    return found


def _outcomes(
    score: Callable[[S], T],
    sources: Sequence[S],
    share: range,
    each_time: Callable[[], object] = lambda: None,
) -> dict[int, T | Exception]:
    """What comes of each source: its scores, or the error."""
    found: dict[int, T | Exception] = {}
    for place in share:
        try:
            found[place] = score(sources[place])
        except Exception as error:
            found[place] = error
        each_time()
    return found


def _started(score: Callable[[S], T], sources: Sequence[S], share: range) -> tuple[int, BinaryIO]:
    """A child that works on its share, and where its answer comes from."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(reading)
            with os.fdopen(writing, "wb") as answer:
                pickle.dump(_outcomes(score, sources, share), answer, pickle.HIGHEST_PROTOCOL)
            status = 0
        finally:
            os._exit(status)  # nothing of the parent's is cleaned up here
    os.close(writing)
    return pid, os.fdopen(reading, "rb")
