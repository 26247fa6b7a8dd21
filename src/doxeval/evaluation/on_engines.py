"""Scoring on an engine: any executor, or a cluster, whose workers see the same files.

Files are sent by their absolute paths; scores and messages name them as they were given.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from doxeval.errors import DoxevalError
from doxeval.evaluation.units import Collecting, Progress, Unit, grouped, prepare, units_of
from doxeval.messages import join_names, truncate
from doxeval.parallel import EngineGiven, Outcome, Work, open_engine, outcome_of

if TYPE_CHECKING:
    from doxeval.evaluation.evaluation import Evaluation
    from doxeval.evaluation.pieces import PartScores, RunPiece
    from doxeval.evaluation.sources import NamedSource
    from doxeval.scores import RunScores

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
                _score,
                found.shared(evaluation, prepare),
                check=required(evaluation, absolute),
                name=lambda group: join_names([_name(sources[unit.run]) for unit in group]),
            )
            found.map(work, groups, each=collect)
            return as_given.in_scores(collecting.scores())
        except DoxevalError as error:
            as_given.in_error(error)
            raise


def _score(evaluation: Evaluation, group: Sequence[Unit]) -> list[Outcome]:
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
