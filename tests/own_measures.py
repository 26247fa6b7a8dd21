"""Measures as users write them, in a module that other processes can import."""

from __future__ import annotations

import os
from dataclasses import dataclass
from multiprocessing import parent_process
from typing import ClassVar

import numpy as np

from doxeval.arrays import Floats
from doxeval.measures import Facts, Measure, Need, Ranking, cut_off

__all__ = ["AnotherUseful", "Deadly", "Raising", "Short", "Useful", "cut_off"]


@dataclass(frozen=True)
class Useful(Measure):
    """The share of the first k results that hold any highlighted text."""

    name: ClassVar[str] = "MyUseful"
    facts: ClassVar[Facts] = Facts(
        title="share of useful results",
        needs=frozenset({Need.HIGHLIGHTS, Need.RETRIEVED_TEXT}),
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """The share at k."""
        useful = (ranking.relevant > 0).astype(np.int64)
        found: Floats = ranking.at(self.k, ranking.cumulated(useful)) / self.k
        return found


@dataclass(frozen=True)
class AnotherUseful(Useful):
    """Another measure of the same name."""

    name: ClassVar[str] = "MyUseful"


@dataclass(frozen=True)
class Short(Measure):
    """A measure that forgets topics."""

    name: ClassVar[str] = "Short"

    def scores(self, ranking: Ranking) -> Floats:
        """One score too few."""
        return np.zeros(len(ranking.truth.topics) - 1)


@dataclass(frozen=True)
class Deadly(Measure):
    """A measure that ends a worker's process, as the system does when memory runs out."""

    name: ClassVar[str] = "Deadly"

    def scores(self, ranking: Ranking) -> Floats:
        """No return from a worker."""
        if parent_process() is not None:
            os._exit(9)
        return np.zeros(len(ranking.truth.topics))


@dataclass(frozen=True)
class Raising(Measure):
    """A measure that has a mistake in it, which shows in a single topic."""

    name: ClassVar[str] = "Raising"
    calls: ClassVar[list[tuple[str, ...]]] = []

    def scores(self, ranking: Ranking) -> Floats:
        """No score for topic 2."""
        self.calls.append(ranking.truth.topics)
        if "2" in ranking.truth.topics:
            raise ValueError("a mistake in topic 2")
        return np.zeros(len(ranking.truth.topics))
