"""A run from its results, one after another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

import numpy as np

from doxeval.columns.labels import NO_LABEL, Labels
from doxeval.runs.run import Result, Run

T = TypeVar("T")


class Numbering(dict[T, int], Generic[T]):
    """Numbers given to values on first sight.

    >>> numbers = Numbering()
    >>> [numbers[value] for value in "abca"]
    [0, 1, 2, 0]
    """

    def __missing__(self, value: T) -> int:
        number = self[value] = len(self)
        return number


class RunBuilder:
    """Collects results."""

    def __init__(self) -> None:
        self._topics: Numbering[str] = Numbering()
        self._documents: Numbering[str] = Numbering()
        self._places: Numbering[tuple[str, ...]] = Numbering()
        self._rows: list[tuple[int, int, int, int, int, int, int]] = []
        self._ranks: list[int | None] = []
        self._scores: list[float | None] = []

    def add(self, result: Result, line: int) -> None:
        """One more result."""
        self._rows.append(
            (
                self._topics[result.topic],
                self._documents[result.document],
                int(result.kind),
                self._places[result.place] if result.place else NO_LABEL,
                -1 if result.start is None else result.start,
                -1 if result.end is None else result.end,
                line,
            )
        )
        self._ranks.append(result.rank)
        self._scores.append(result.score)

    def finish(
        self,
        run_id: str,
        facts: dict[str, Any] | None = None,
        warnings: Iterable[str] = (),
        origin: str | None = None,
    ) -> Run:
        """The run. Ranks and scores are kept only if every result has one."""
        columns = np.array(self._rows, dtype=np.int64).reshape(-1, 7).T
        topic, document, kind, place, start, end, line = columns
        warnings = list(warnings)
        has_rank = any(rank is not None for rank in self._ranks)
        has_score = any(score is not None for score in self._scores)
        if has_rank and None in self._ranks:
            warnings.append("some results have no rank; the ranks are not used")
        if has_score and None in self._scores:
            warnings.append("some results have no score; the scores are not used")
        return Run(
            run_id,
            Labels.of(tuple(self._topics), topic),
            Labels.of(tuple(self._documents), document),
            Labels.of(tuple(self._places), place),
            kind,
            start,
            end,
            np.array(self._ranks, dtype=np.int64) if has_rank and None not in self._ranks else None,
            np.array(self._scores, dtype=np.float64)
            if has_score and None not in self._scores
            else None,
            line,
            facts or {},
            tuple(warnings),
            origin,
        )


def run_of(results: Iterable[Result], run_id: str = "run") -> Run:
    """A run of results given one by one.

    >>> run_of([Result("1", "a")]).documents
    ('a',)
    """
    builder = RunBuilder()
    for number, result in enumerate(results, 1):
        builder.add(result, number)
    return builder.finish(run_id)
