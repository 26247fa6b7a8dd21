"""Scoring in other processes: every worker receives the evaluation once, then only runs.

On one machine, this process scores beside its workers. If it has a single thread and the system
can fork, workers inherit the evaluation without any copying; otherwise they are started afresh and
receive it when they start. An executor of the user's own gets the pickled evaluation with every
run, but each of its processes unpickles it only once.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from doxeval.errors import DoxevalError, InputError

if TYPE_CHECKING:
    from doxeval.evaluation.evaluation import Evaluation
    from doxeval.evaluation.sources import NamedSource
    from doxeval.scores import RunScores

Progress = Callable[[int], object]


def scored_in_processes(
    evaluation: Evaluation, sources: Sequence[NamedSource], processes: int, progress: Progress
) -> list[RunScores]:
    """The scores of all sources, in their order, from this process and others beside it."""
    import multiprocessing

    from doxeval.processes import Workers

    can_fork = "fork" in multiprocessing.get_all_start_methods() and _threads() == 1
    shared = evaluation if can_fork else _pickled(evaluation)
    with Workers(processes - 1, "fork" if can_fork else "spawn", _receive, (shared,)) as workers:
        futures = {
            number: workers.submit(_score, source)
            for number, source in enumerate(sources)
            if number % processes  # the others are for this process
        }
        for number in range(0, len(sources), processes):
            if workers.has_lost_one:
                break
            futures[number] = _scored_here(evaluation, sources[number])
        return _collected([futures[number] for number in sorted(futures)], progress)


def _scored_here(evaluation: Evaluation, source: NamedSource) -> Future[RunScores]:
    """The outcome of a source that this process scores itself: its scores, or the error."""
    done: Future[RunScores] = Future()
    try:
        done.set_result(evaluation.score(source))
    except Exception as error:  # raised again in the order of the sources
        done.set_exception(error)
    return done


def scored_on(
    executor: Executor, evaluation: Evaluation, sources: Sequence[NamedSource], progress: Progress
) -> list[RunScores]:
    """The scores of all sources, in their order, from an executor."""
    if isinstance(executor, ThreadPoolExecutor):
        futures = [executor.submit(evaluation.score, source) for source in sources]
        return _collected(futures, progress)
    data = _pickled(evaluation)
    key = hashlib.sha256(data).hexdigest()
    _HERE[key] = evaluation
    futures = [executor.submit(_score_by, key, data, source) for source in sources]
    return _collected(futures, progress)


def _collected(futures: Iterable[Future[RunScores]], progress: Progress) -> list[RunScores]:
    """All results in order; the first error in that order is raised, and the rest is cancelled."""
    from concurrent.futures import BrokenExecutor

    from doxeval.processes import WorkerLost

    waiting = list(futures)
    found = []
    try:
        for future in waiting:
            found.append(future.result())
            progress(1)
        return found
    except WorkerLost as error:
        raise WorkerLost(
            f"{error} while it was scoring runs, perhaps for lack of memory; try a smaller jobs="
        ) from None
    except BrokenExecutor:
        raise WorkerLost(
            "a process that was scoring runs ended unexpectedly: it was killed, memory ran out, or "
            "it could not import a measure of your own"
        ) from None
    finally:
        for future in waiting:
            future.cancel()


def _pickled(evaluation: Evaluation) -> bytes:
    try:
        return pickle.dumps(evaluation, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(
            f"the evaluation cannot be sent to other processes: {error}; a measure of your own "
            "must be defined in a module that they can import"
        ) from None


def _threads() -> int:
    """How many threads this process has; those of libraries count where the system tells."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return threading.active_count()


# In a worker

_received: Evaluation | None = None


def _receive(shared: Any) -> None:
    global _received
    _received = pickle.loads(shared) if isinstance(shared, bytes) else shared  # noqa: S301  # ours


def _score(source: NamedSource) -> RunScores:
    if _received is None:
        raise DoxevalError("a process was asked to score a run without an evaluation")
    return _received.score(source)


# In a process of somebody else's executor. Evaluations of this very process are found here, so
# that an executor of threads unpickles nothing; other processes keep the last one they received.

_HERE: WeakValueDictionary[str, Evaluation] = WeakValueDictionary()
_LAST: dict[str, Evaluation] = {}


def _score_by(key: str, data: bytes, source: NamedSource) -> RunScores:
    evaluation = _HERE.get(key) or _LAST.get(key)
    if evaluation is None:
        evaluation = pickle.loads(data)  # noqa: S301  # ours, made by scored_on
        _LAST.clear()
        _LAST[key] = evaluation
    return evaluation.score(source)
