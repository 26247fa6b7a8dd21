"""Scoring in several processes of one machine: this one scores beside its workers.

Every worker receives the evaluation once, then only runs, or pieces of large ones. If this process
has a single thread and the system can fork, workers inherit the evaluation without any copying;
otherwise they are started afresh and receive it when they start.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING

from doxeval.errors import DoxevalError, WorkerLost
from doxeval.evaluation.units import Collecting, Progress, prepare, units_of
from doxeval.messages import Parameter
from doxeval.parallel import Outcome, Shared, keep_freed_blocks

if TYPE_CHECKING:
    from doxeval.evaluation.evaluation import Evaluation
    from doxeval.evaluation.pieces import PartScores, RunPiece
    from doxeval.evaluation.sources import NamedSource
    from doxeval.scores import RunScores


def scored_in_processes(
    evaluation: Evaluation, sources: Sequence[NamedSource], jobs: int, progress: Progress
) -> list[RunScores]:
    """The scores of all sources, in their order, from this process and others beside it."""
    import multiprocessing

    from doxeval.parallel import Workers

    units = units_of(evaluation, sources)
    processes = min(jobs, len(units))
    can_fork = "fork" in multiprocessing.get_all_start_methods() and _threads() == 1
    shared = Shared.here(evaluation) if can_fork else Shared.of(evaluation, prepare)
    with Workers(processes - 1, "fork" if can_fork else "spawn", _receive, (shared,)) as workers:
        futures = {
            number: workers.submit(_score, unit.piece)
            for number, unit in enumerate(units)
            if number % processes  # the others are for this process
        }
        for number in range(0, len(units), processes):
            if workers.has_lost_one:
                break
            futures[number] = _scored_here(evaluation, units[number].piece)
        collecting = Collecting(evaluation, sources, progress)
        parts = _collected([futures[number] for number in sorted(futures)])
        for unit, part in zip(units, parts, strict=True):
            collecting.add(unit, Outcome(part))
        return collecting.scores()


def _scored_here(evaluation: Evaluation, piece: RunPiece) -> Future[PartScores]:
    """The outcome of a piece that this process scores itself: its scores, or the error."""
    done: Future[PartScores] = Future()
    try:
        done.set_result(evaluation.score_piece(piece))
    except Exception as error:  # raised again in the order of the sources
        done.set_exception(error)
    return done


def _collected(futures: Iterable[Future[PartScores]]) -> Iterable[PartScores]:
    """All results in order; the first error in that order is raised, and the rest is cancelled."""
    waiting = list(futures)
    try:
        for future in waiting:
            yield future.result()
    except WorkerLost as error:
        raise WorkerLost(
            f"{error} while it was scoring runs, perhaps for lack of memory; try a smaller "
            + Parameter("jobs")
        ) from None
    finally:
        for future in waiting:
            future.cancel()


def _threads() -> int:
    """How many threads this process has; those of libraries count where the system tells."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return threading.active_count()


# In a worker

_received: Evaluation | None = None


def _receive(shared: Shared) -> None:
    global _received
    keep_freed_blocks()  # the process is ours
    _received = shared.value


def _score(piece: RunPiece) -> PartScores:
    if _received is None:
        raise DoxevalError("a process was asked to score a run without an evaluation")
    return _received.score_piece(piece)
