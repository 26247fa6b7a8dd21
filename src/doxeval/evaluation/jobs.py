"""Scoring elsewhere: in other processes of this machine, or on an engine (an executor, a cluster).

A job is a run, or a piece of a large one. Workers receive the evaluation once, then only jobs.
`Collector` puts runs together from the outcomes of their jobs; scores, warnings and errors are
those of a single process that reads run after run in order.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from doxeval.errors import DoxevalError
from doxeval.messages import join_names, truncate
from doxeval.parallel import EngineLike, TaskResult, Work, open_engine, run_task

if TYPE_CHECKING:
    from doxeval.evaluation.evaluation import Evaluation
    from doxeval.evaluation.inputs import RunInput
    from doxeval.evaluation.scoring import PieceScores, RunPiece
    from doxeval.scores import RunScores

Progress = Callable[[int], object]
# A tenth of a second of work, and how many runs at most that may be.
_WORTH_A_TASK = 14 << 20
_MOST_TOGETHER = 8
_MOST_FILES_SHOWN = 3


class ScoringJob(NamedTuple):
    """A piece of a run, and the number of that run."""

    run: int
    piece: RunPiece


def scoring_jobs(evaluation: Evaluation, sources: Sequence[RunInput]) -> list[ScoringJob]:
    """Return jobs for all pieces of all runs, in order."""
    return [
        ScoringJob(number, piece)
        for number, source in enumerate(sources)
        for piece in evaluation.pieces(source)
    ]


class Collector:
    """The outcomes of jobs as they come; a run is put together when it has all of its pieces.

    The error of a run is that of its lowest piece that has one. Of several runs with errors, the
    first one's is raised, as soon as all runs before it are done.
    """

    def __init__(
        self, evaluation: Evaluation, sources: Sequence[RunInput], progress: Progress
    ) -> None:
        self._evaluation = evaluation
        self._sources = sources
        self._progress = progress
        self._outcomes: dict[int, dict[int, TaskResult]] = {}
        self._scores: dict[int, RunScores] = {}
        self._errors: dict[int, TaskResult] = {}

    def add(self, job: ScoringJob, outcome: TaskResult) -> None:
        """Take the outcome of a job."""
        outcomes = self._outcomes.setdefault(job.run, {})
        outcomes[job.piece.number] = outcome
        pieces: list[PieceScores] = []
        for number in range(job.piece.of):
            if number not in outcomes:
                return
            if outcomes[number].error is not None:
                self._errors.setdefault(job.run, outcomes[number])
                break
            pieces.append(outcomes[number].value)
        else:
            del self._outcomes[job.run]
            self._join(job.run, pieces)
        self._raise_first_error()

    def _join(self, run: int, pieces: Sequence[PieceScores]) -> None:
        try:
            self._scores[run] = self._evaluation.joined(self._sources[run], pieces)
        except Exception as error:  # raised in the order of the runs
            self._errors[run] = TaskResult(None, error)
        else:
            self._progress(1)

    def _raise_first_error(self) -> None:
        if self._errors:
            first = min(self._errors)
            if all(run in self._scores for run in range(first)):
                self._errors[first].result()

    def scores(self) -> list[RunScores]:
        """Return the scores of all runs, in order."""
        return [self._scores[run] for run in range(len(self._sources))]


def prepare(evaluation: Evaluation) -> None:
    """Work out the ground truth of an evaluation that was unpickled, once for all threads."""
    _ = evaluation.truth


def score_in_processes(
    evaluation: Evaluation, sources: Sequence[RunInput], jobs: int, progress: Progress
) -> list[RunScores]:
    """Return the scores of all runs, in order, from processes of this machine."""
    from doxeval.parallel import Processes

    pieces = scoring_jobs(evaluation, sources)
    engine = Processes(min(jobs, len(pieces)), takes_part=True)
    work = Work(_score_job, engine.shared(evaluation, prepare), doing="scoring runs")
    collector = Collector(evaluation, sources, progress)
    with closing(engine.outcomes(work, pieces)) as outcomes:
        for number, outcome in outcomes:
            collector.add(pieces[number], outcome)
    return collector.scores()


def score_on_engine(
    engine: EngineLike | None,
    evaluation: Evaluation,
    sources: Sequence[RunInput],
    progress: Progress,
    patience: float,
) -> list[RunScores]:
    """Return the scores of all runs, in order, from an engine whose workers see the same files.

    Files are sent by their absolute paths; scores and messages name them as they were given.
    """
    with open_engine(engine, patience=patience) as opened:
        absolute = [_with_absolute_paths(source) for source in sources]
        as_given = _GivenNames(sources, absolute)
        groups = group_jobs(scoring_jobs(evaluation, absolute))
        collector = Collector(evaluation, absolute, progress)
        try:
            work = Work(
                _score_group,
                opened.shared(evaluation, prepare),
                check=requirements(evaluation, absolute),
                name=lambda group: join_names([_name_of(sources[job.run]) for job in group]),
            )
            with closing(opened.outcomes(work, groups)) as outcomes:
                for number, outcome in outcomes:
                    for job, scored in zip(groups[number], outcome.result(), strict=True):
                        collector.add(job, scored)
            return as_given.in_scores(collector.scores())
        except DoxevalError as error:
            as_given.in_error(error)
            raise


def _score_job(evaluation: Evaluation, job: ScoringJob) -> PieceScores:
    return evaluation.score_piece(job.piece)


def _score_group(evaluation: Evaluation, group: Sequence[ScoringJob]) -> list[TaskResult]:
    return [run_task(_score_job, evaluation, job) for job in group]


def _with_absolute_paths(source: RunInput) -> RunInput:
    if source.file is None:
        return source
    chunks = None if source.chunks is None else os.path.abspath(source.chunks)
    return source._replace(source=os.path.abspath(source.file), chunks=chunks)


def _name_of(source: RunInput) -> str:
    return truncate(source.file or source.name or "a run")


def group_jobs(jobs: Sequence[ScoringJob]) -> list[list[ScoringJob]]:
    """Group jobs one after another, several small ones together: a task has its price.

    >>> from doxeval.evaluation.inputs import RunInput
    >>> from doxeval.evaluation.scoring import RunPiece
    >>> small = [ScoringJob(number, RunPiece(RunInput("no.run"))) for number in range(20)]
    >>> [len(group) for group in group_jobs(small)]
    [8, 8, 4]
    """
    groups: list[list[ScoringJob]] = []
    room = 0
    for job in jobs:
        if room <= 0 or len(groups[-1]) == _MOST_TOGETHER:
            groups.append([])
            room = _WORTH_A_TASK
        groups[-1].append(job)
        room -= _bytes_to_read(job.piece)
    return groups


def _bytes_to_read(piece: RunPiece) -> int:
    if piece.source.file is None:
        return _WORTH_A_TASK
    if piece.end is not None:
        return piece.end - piece.begin
    try:
        return os.path.getsize(piece.source.file)
    except OSError:  # only workers see it, or nobody
        return 0


class _GivenNames:
    """Puts the paths that were given for absolute ones, in scores and messages."""

    def __init__(self, given: Sequence[RunInput], absolute: Sequence[RunInput]) -> None:
        self._files = [source.file for source in given]
        self._names: dict[str, str] = {}
        for before, after in zip(given, absolute, strict=True):
            for short, long in ((before.file, after.file), (before.chunks, after.chunks)):
                if short is not None and long is not None and short != long:
                    self._names[long] = short

    def in_scores(self, scores: Sequence[RunScores]) -> list[RunScores]:
        return [
            replace(run, file=file, warnings=tuple(map(self._in_text, run.warnings)))
            for run, file in zip(scores, self._files, strict=True)
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


class _File(NamedTuple):
    path: str
    size: int


@dataclass(frozen=True)
class ScoringRequirements:
    """What a worker must see as this process does; called on the worker, it says what is wrong.

    collection: a function that opens the collection, with its arguments.
    """

    collection: tuple[Callable[..., object], tuple[Any, ...]] | None
    files: tuple[_File, ...]

    def __call__(self) -> list[str]:
        """Return all that is wrong here."""
        problems = []
        if self.collection is not None:
            reopen, arguments = self.collection
            try:
                reopen(*arguments)
            except DoxevalError as error:
                problems.append(str(error))
        files: dict[str, list[str]] = {}
        for path, size in self.files:
            problem = _problem_with(path, size)
            if problem is not None:
                files.setdefault(problem, []).append(path)
        problems += [
            f"{join_names(paths, _MOST_FILES_SHOWN)}: {problem}" for problem, paths in files.items()
        ]
        return problems


def requirements(evaluation: Evaluation, sources: Sequence[RunInput]) -> ScoringRequirements:
    """Return what workers must see: the same collection, and all runs that are readable here."""
    reduced: Any = None if evaluation.collection is None else evaluation.collection.__reduce__()
    paths = [file for source in sources for file in (source.file, source.chunks) if file]
    files = [_File(path, os.path.getsize(path)) for path in paths if os.path.isfile(path)]
    return ScoringRequirements(None if reduced is None else reduced[:2], tuple(files))


def _problem_with(path: str, size: int) -> str | None:
    try:
        with open(path, "rb") as stream:
            there = os.fstat(stream.fileno()).st_size
    except OSError as error:
        return f"cannot be read there: {error.strerror or error}"
    return None if there == size else f"other contents there ({there:,} bytes, not {size:,})"
