"""The scores of one run, by measure and by topic.

A measure can be looked up by any of its names (see measure_names).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from doxeval.messages import plural
from doxeval.scores.measure_names import index_of_measure
from doxeval.scores.text import shortened, values_as_text

if TYPE_CHECKING:
    from doxeval.scores.table import MeasureFacts, ScoreTable


class ByMeasure(Mapping[object, float | None]):
    """Scores by measure, None where a measure is undefined; equal to a dictionary by label.

    >>> from doxeval.scores import MeasureFacts
    >>> scores = ByMeasure([MeasureFacts("iP[.01]", "iP[0.01](alpha=0)", "")], [0.5])
    >>> scores["iP[0.01]"], scores["iP[0.01](alpha=0)"], list(scores)
    (0.5, 0.5, ['iP[.01]'])
    >>> scores == {"iP[.01]": 0.5}
    True
    >>> scores
    <iP[.01] 0.5000>
    """

    def __init__(self, measures: Sequence[MeasureFacts], values: Sequence[float | None]) -> None:
        self._measures = tuple(measures)
        self._values = tuple(values)

    def __getitem__(self, measure: object) -> float | None:
        return self._values[index_of_measure(self._measures, measure)]

    def __iter__(self) -> Iterator[str]:
        return (facts.label for facts in self._measures)

    def __len__(self) -> int:
        return len(self._measures)

    def __repr__(self) -> str:
        return f"<{values_as_text(self._pairs())}>"

    def _pairs(self) -> list[tuple[str, float | None]]:
        labels = [facts.label for facts in self._measures]
        return list(zip(labels, self._values, strict=True))


class RunView(ByMeasure):
    """The scores of one run of a table: means by measure, and the scores of each topic.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = MeasureFacts("iP[.01]", "iP[0.01](alpha=0)", "interpolated precision")
    >>> scores = RunScores("mine", np.array([[0.5, 0.25, np.nan]]), np.array([True, True, True]))
    >>> mine = ScoreTable((facts,), ("7", "8", "9"), (scores,))["mine"]
    >>> mine["iP[0.01]"], mine.topics["8"]["iP[.01]"], mine.topics["9"]["iP[.01]"]
    (0.375, 0.25, None)
    >>> mine
    <mine: iP[.01] 0.3750; 3 topics>
    """

    def __init__(self, table: ScoreTable, index: int) -> None:
        self._table = table
        self._index = index
        super().__init__(table.measures, table.means_of(index))

    @property
    def run(self) -> str:
        """The name of the run."""
        return self._table.runs[self._index].run

    @property
    def file(self) -> str | None:
        """The file that the run was read from, None if there is none."""
        return self._table.runs[self._index].file

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings about all runs of the table, then those about the run."""
        return (*self._table.warnings, *self._table.runs[self._index].warnings)

    def all_warnings(self) -> tuple[str, ...]:
        """The warnings about the run, those about all runs, and what is undefined."""
        return self._table.only(runs=self.run).all_warnings()

    @property
    def topics(self) -> dict[str, ByMeasure]:
        """The scores of each topic that counts."""
        return {
            topic: ByMeasure(self._measures, values)
            for topic, values in self._table.topics_of(self._index)
        }

    def __repr__(self) -> str:
        topics = plural(int(self._table.runs[self._index].counted.sum()), "topic")
        return f"<{shortened(self.run)}: {values_as_text(self._pairs())}; {topics}>"
