"""Pieces of a run: what may be scored in several places, and put together again."""

from __future__ import annotations

from typing import NamedTuple

from doxeval.evaluation.sources import NamedSource
from doxeval.scores import RunScores


class RunPiece(NamedTuple):
    """A part of a run: all of it, or the bytes [begin, end) of its file.

    number, of: which piece it is, from 0, and how many there are.
    """

    source: NamedSource
    begin: int = 0
    end: int | None = None
    number: int = 0
    of: int = 1


class PartScores(NamedTuple):
    """The scores of a piece of a run; `joined` makes scores of the run of them."""

    whole: RunScores
