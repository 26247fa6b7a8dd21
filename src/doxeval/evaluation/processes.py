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


def scored_in_processes(score: Callable[[S], T], sources: Sequence[S], workers: int) -> list[T]:
    """The scores of all sources, in their order; the first error in that order is raised.

    >>> scored_in_processes(abs, [-3, -2, -1], 2)
    [3, 2, 1]
    """
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return _in_new_processes(score, sources, workers)
    shares = [range(first, len(sources), workers) for first in range(workers)]
    children = [_started(score, sources, share) for share in shares[1:]]
    outcomes = _outcomes(score, sources, shares[0])  # this process does its share
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


def _in_new_processes(score: Callable[[S], T], sources: Sequence[S], workers: int) -> list[T]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(score, sources))


def _outcomes(
    score: Callable[[S], T], sources: Sequence[S], share: range
) -> dict[int, T | Exception]:
    """What comes of each source: its scores, or the error."""
    found: dict[int, T | Exception] = {}
    for place in share:
        try:
            found[place] = score(sources[place])
        except Exception as error:
            found[place] = error
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
