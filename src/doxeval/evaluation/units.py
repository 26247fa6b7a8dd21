"""What is scored in one go by some worker: a run, or a piece of a large one."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from doxeval.parallel import Outcome

if TYPE_CHECKING:
    from doxeval.evaluation.evaluation import Evaluation
    from doxeval.evaluation.pieces import PartScores, RunPiece
    from doxeval.evaluation.sources import NamedSource
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

    >>> from doxeval.evaluation.pieces import RunPiece
    >>> from doxeval.evaluation.sources import NamedSource
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
