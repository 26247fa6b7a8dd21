"""What is scored in one go by some worker: a run, or a piece of a large one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from doxeval.evaluation.evaluation import Evaluation
    from doxeval.evaluation.pieces import PartScores, RunPiece
    from doxeval.evaluation.sources import NamedSource
    from doxeval.scores import RunScores

Progress = Callable[[int], object]


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


class Collecting:
    """The parts of runs as they come, put together as soon as a run has all of its parts."""

    def __init__(
        self,
        evaluation: Evaluation,
        sources: Sequence[NamedSource],
        units: Sequence[Unit],
        progress: Progress,
    ) -> None:
        self._evaluation = evaluation
        self._sources = sources
        self._units = units
        self._progress = progress
        self._parts: dict[int, dict[int, PartScores]] = {}
        self._scores: dict[int, RunScores] = {}

    def add(self, number: int, part: PartScores) -> None:
        """Take the scores of a unit."""
        run, piece = self._units[number]
        parts = self._parts.setdefault(run, {})
        parts[piece.number] = part
        if len(parts) == piece.of:
            in_order = [parts[place] for place in range(piece.of)]
            self._scores[run] = self._evaluation.joined(self._sources[run], in_order)
            del self._parts[run]
            self._progress(1)

    def scores(self) -> list[RunScores]:
        """The scores of all runs, in order."""
        return [self._scores[run] for run in range(len(self._sources))]


def prepare(evaluation: Evaluation) -> None:
    """Work out the ground truth of an evaluation that was unpickled, once for all threads."""
    _ = evaluation.truth
