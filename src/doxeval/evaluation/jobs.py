"""What is scored in one go by some worker: a run, or a piece of a large one.

Scoring in several processes of one machine: this one scores beside its workers.

Every worker receives the evaluation once, then only runs, or pieces of large ones. If this process
has a single thread and the system can fork, workers inherit the evaluation without any copying;
otherwise they are started afresh and receive it when they start.

Scoring on an engine: any executor, or a cluster, whose workers see the same files.

Files are sent by their absolute paths; scores and messages name them as they were given.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from doxeval.errors import DoxevalError, WorkerLost
from doxeval.messages import Parameter, join_names, truncate
from doxeval.parallel import (
    EngineGiven,
    Outcome,
    Shared,
    Work,
    keep_freed_blocks,
    open_engine,
    outcome_of,
)

if TYPE_CHECKING:
    from doxeval.evaluation.evaluation import Evaluation
    from doxeval.evaluation.inputs import NamedSource
    from doxeval.evaluation.scoring import PartScores, RunPiece
    from doxeval.scores import RunScores

Progress = Callable[[int], object]
# A tenth of a second of work, and how many runs at most that may be.
_WORTH_A_TASK = 14 << 20
_MOST_TOGETHER = 8


class Unit(NamedTuple):
    """A piece of a run, and the number of that run."""

    run: int
    piece: RunPiece


def units_of(evaluation: Evaluation, sources: Sequence[NamedSource]) -> list[Unit]:
    """All pieces of all runs, in order."""
    return [
        Unit(number, piece)
        for number, source in enumerate(sources)
        for piece in evaluation.pieces(source)
    ]


def grouped(units: Sequence[Unit]) -> list[list[Unit]]:
    """Units one after another, several small ones together: a task has its price on a cluster.

    >>> from doxeval.evaluation.scoring import RunPiece
    >>> from doxeval.evaluation.inputs import NamedSource
    >>> small = [Unit(number, RunPiece(NamedSource("no.run"))) for number in range(20)]
    >>> [len(group) for group in grouped(small)]
    [8, 8, 4]
    """
    groups: list[list[Unit]] = []
    room = 0
    for unit in units:
        if room <= 0 or len(groups[-1]) == _MOST_TOGETHER:
            groups.append([])
            room = _WORTH_A_TASK
        groups[-1].append(unit)
        room -= _bytes(unit)
    return groups


def _bytes(unit: Unit) -> int:
    """About how much there is to read."""
    piece = unit.piece
    if piece.source.file is None:
        return _WORTH_A_TASK
    if piece.end is not None:
        return piece.end - piece.begin
    try:
        return os.path.getsize(piece.source.file)
    except OSError:  # only workers see it, or nobody
        return 0


class Collecting:
    """The outcomes of units as they come; a run is put together when it has all of its parts.

    Of several runs that are wrong, the first is told: as soon as all runs before it are done.
    """

    def __init__(
        self, evaluation: Evaluation, sources: Sequence[NamedSource], progress: Progress
    ) -> None:
        self._evaluation = evaluation
        self._sources = sources
        self._progress = progress
        self._parts: dict[int, dict[int, PartScores]] = {}
        self._scores: dict[int, RunScores] = {}
        self._wrong: dict[int, Outcome] = {}

    def add(self, unit: Unit, outcome: Outcome) -> None:
        """Take the outcome of a unit."""
        run, piece = unit
        if outcome.error is not None:
            self._wrong.setdefault(run, outcome)
        else:
            parts = self._parts.setdefault(run, {})
            parts[piece.number] = outcome.value
            if len(parts) == piece.of:
                self._join(run, [parts[place] for place in range(piece.of)])
        self._refuse_wrong()

    def _join(self, run: int, parts: Sequence[PartScores]) -> None:
        del self._parts[run]
        try:
            self._scores[run] = self._evaluation.joined(self._sources[run], parts)
        except Exception as error:  # told in the order of the runs
            self._wrong[run] = Outcome(None, error)
        else:
            self._progress(1)

    def _refuse_wrong(self) -> None:
        if self._wrong:
            first = min(self._wrong)
            if all(run in self._scores for run in range(first)):
                self._wrong[first].result()

    def scores(self) -> list[RunScores]:
        """The scores of all runs, in order."""
        return [self._scores[run] for run in range(len(self._sources))]


def prepare(evaluation: Evaluation) -> None:
    """Work out the ground truth of an evaluation that was unpickled, once for all threads."""
    _ = evaluation.truth


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


_MOST_FILES_TOLD = 3


def scored_on(
    engine: EngineGiven | None,
    evaluation: Evaluation,
    sources: Sequence[NamedSource],
    progress: Progress,
    patience: float,
) -> list[RunScores]:
    """The scores of all sources, in their order, from an engine."""
    with open_engine(engine, patience=patience) as found:
        absolute = [_absolute(source) for source in sources]
        as_given = _Names(sources, absolute)
        groups = grouped(units_of(evaluation, absolute))
        collecting = Collecting(evaluation, absolute, progress)

        def collect(number: int, outcomes: Sequence[Outcome]) -> None:
            for unit, outcome in zip(groups[number], outcomes, strict=True):
                collecting.add(unit, outcome)

        try:
            work = Work(
                _score_on_engines,
                found.shared(evaluation, prepare),
                check=required(evaluation, absolute),
                name=lambda group: join_names([_name(sources[unit.run]) for unit in group]),
            )
            found.map(work, groups, each=collect)
            return as_given.in_scores(collecting.scores())
        except DoxevalError as error:
            as_given.in_error(error)
            raise


def _score_on_engines(evaluation: Evaluation, group: Sequence[Unit]) -> list[Outcome]:
    return [outcome_of(_scored, evaluation, unit.piece) for unit in group]


def _scored(evaluation: Evaluation, piece: RunPiece) -> PartScores:
    return evaluation.score_piece(piece)


def _absolute(source: NamedSource) -> NamedSource:
    if source.file is None:
        return source
    chunks = None if source.chunks is None else os.path.abspath(source.chunks)
    return source._replace(source=os.path.abspath(source.file), chunks=chunks)


def _name(source: NamedSource) -> str:
    return truncate(source.file or source.name or "a run")


class _Names:
    """Absolute paths in scores and messages, replaced by the paths that were given."""

    def __init__(self, given: Sequence[NamedSource], absolute: Sequence[NamedSource]) -> None:
        self._files = [source.file for source in given]
        self._names: dict[str, str] = {}
        for before, after in zip(given, absolute, strict=True):
            for short, long in ((before.file, after.file), (before.chunks, after.chunks)):
                if short is not None and long is not None and short != long:
                    self._names[long] = short

    def in_scores(self, scores: Sequence[RunScores]) -> list[RunScores]:
        return [
            replace(one, file=file, warnings=tuple(map(self._in_text, one.warnings)))
            for one, file in zip(scores, self._files, strict=True)
        ]

    def in_error(self, error: DoxevalError) -> None:
        error.args = tuple(map(self._in_text, error.args))
        for name, value in vars(error).items():
            setattr(error, name, self._in_text(value))

    def _in_text(self, value: Any) -> Any:
        if isinstance(value, str):
            for long, short in self._names.items():
                value = value.replace(long, short)
        return value


# What workers must have


class _File(NamedTuple):
    path: str
    size: int


@dataclass(frozen=True)
class Requirements:
    """What a worker must see as this process does; called on the worker, it says what is wrong.

    collection: a function that opens the collection, with its arguments.
    """

    collection: tuple[Callable[..., object], tuple[Any, ...]] | None
    files: tuple[_File, ...]

    def __call__(self) -> list[str]:
        """All that is wrong here."""
        return [*self._about_collection(), *self._about_files()]

    def _about_collection(self) -> list[str]:
        if self.collection is None:
            return []
        reopen, arguments = self.collection
        try:
            reopen(*arguments)
        except DoxevalError as error:
            return [str(error)]
        return []

    def _about_files(self) -> list[str]:
        wrong: dict[str, list[str]] = {}
        for path, size in self.files:
            problem = _problem_with(path, size)
            if problem is not None:
                wrong.setdefault(problem, []).append(path)
        return [
            f"{join_names(paths, _MOST_FILES_TOLD)}: {problem}" for problem, paths in wrong.items()
        ]


def required(evaluation: Evaluation, sources: Sequence[NamedSource]) -> Requirements:
    """What workers must see: the same collection, and all files of runs that are readable here."""
    reduced: Any = None if evaluation.collection is None else evaluation.collection.__reduce__()
    named = [file for source in sources for file in (source.file, source.chunks) if file]
    files = [_File(path, os.path.getsize(path)) for path in named if os.path.isfile(path)]
    return Requirements(None if reduced is None else reduced[:2], tuple(files))


def _problem_with(path: str, size: int) -> str | None:
    try:
        with open(path, "rb") as stream:
            there = os.fstat(stream.fileno()).st_size
    except OSError as error:
        return f"cannot be read there: {error.strerror or error}"
    return None if there == size else f"other contents there ({there:,} bytes, not {size:,})"
