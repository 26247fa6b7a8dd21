"""The scores of one run, by measure and by topic.

Everything is looked up when it is asked for, by any name of a measure (see measure_names).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from doxeval.scores.measure_names import place_of_measure
from doxeval.scores.text import shortened, values_as_text

if TYPE_CHECKING:
    from doxeval.scores.table import MeasureFacts, ScoreTable


class ByMeasure(Mapping[object, float | None]):
    """Values by measure; None where a measure is undefined. It equals the plain dictionary.

    >>> from doxeval.scores import MeasureFacts
    >>> found = ByMeasure([MeasureFacts("iP[.01]", "iP[0.01](alpha=0)", "")], [0.5])
    >>> found["iP[0.01]"], found["iP[0.01](alpha=0)"], list(found)
    (0.5, 0.5, ['iP[.01]'])
    >>> found
    <iP[.01] 0.5000>
    """

    def __init__(self, measures: Sequence[MeasureFacts], values: Sequence[float | None]) -> None:
        self._measures = tuple(measures)
        self._values = tuple(values)

    def __getitem__(self, measure: object) -> float | None:
        return self._values[place_of_measure(self._measures, measure)]

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

    def __init__(self, table: ScoreTable, place: int) -> None:
        self._table = table
        self._place = place
        super().__init__(table.measures, table.means_of(place))

    @property
    def run(self) -> str:
        """The name of the run."""
        return self._table.runs[self._place].run

    @property
    def file(self) -> str | None:
        """The file it was read from, if there is one."""
        return self._table.runs[self._place].file

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to be careful about."""
        return self._table.runs[self._place].warnings

    @property
    def topics(self) -> dict[str, ByMeasure]:
        """The scores of each topic that counts."""
        return {
            topic: ByMeasure(self._measures, values)
            for topic, values in self._table.topics_of(self._place)
        }

    def __repr__(self) -> str:
        count = int(self._table.runs[self._place].counted.sum())
        said = values_as_text(self._pairs())
        return f"<{shortened(self.run)}: {said}; {count:,} topic{'' if count == 1 else 's'}>"
