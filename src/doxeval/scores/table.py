"""The table of scores: runs, topics, measures, and what there is to know about each.

A score is a number, or undefined (nan here, null outside) where a topic lacks what the measure
needs. Undefined scores are left out of means and listed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools
from doxeval.errors import UnknownName
from doxeval.scores.measure_names import place_of_measure
from doxeval.scores.text import as_text, undefined_in_words
from doxeval.scores.views import RunView
from doxeval.wording import counted, suggestion

if TYPE_CHECKING:
    from doxeval.scores.frames import Kind

Floats = npt.NDArray[np.float64]


class MeasureFacts(NamedTuple):
    """What readers of scores must know about a measure.

    label: its name as it was asked for. canonical: its name with every parameter as it was used.
    asked: its name with every parameter as it was asked for, where some parameters were settled
    only when the assessments were known; empty if it is the same as the canonical name.
    highest is None where there is no bound.

    >>> MeasureFacts("iP[.01]", "iP[0.01](alpha=0)", "interpolated precision")
    MeasureFacts('iP[.01]', 'iP[0.01](alpha=0)', 0 to 1, higher is better)
    """

    label: str
    canonical: str
    title: str
    lowest: float = 0.0
    highest: float | None = 1.0
    higher_is_better: bool = True
    asked: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """All its names, the label first."""
        return (self.label, self.canonical, self.asked or self.canonical)

    def __repr__(self) -> str:
        highest = "no bound" if self.highest is None else f"{self.highest:g}"
        better = "higher" if self.higher_is_better else "lower"
        return (
            f"MeasureFacts({self.label!r}, {self.canonical!r}, {self.lowest:g} to {highest}, "
            f"{better} is better)"
        )


class Curve(NamedTuple):
    """A measure along an axis, such as precision at points of recall, for each topic.

    >>> curve = Curve("MAiP", "recall", "iP", np.array([0.0, 1.0]), np.array([[1.0, np.nan]]))
    >>> curve, curve == curve._replace(y=curve.y.copy())
    (Curve('MAiP': iP by recall, 2 points, 1 topic), True)
    """

    label: str
    x_name: str
    y_name: str
    x: Floats
    y: Floats  # topics × points

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Curve):
            return NotImplemented
        return self[:3] == other[:3] and _same(self.x, other.x) and _same(self.y, other.y)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self[:3], self.y.shape))

    def __repr__(self) -> str:
        points, topics = counted(len(self.x), "point"), counted(len(self.y), "topic")
        return f"Curve({self.label!r}: {self.y_name} by {self.x_name}, {points}, {topics})"


@dataclass(frozen=True, eq=False, repr=False)
class RunScores:
    """The scores of one run: measures × topics.

    counted says which topics are in the means: all assessed ones, or those with results.
    has_results says for which topics the run returned anything; None if that is not known.
    kept is what an evaluation was asked to keep of the ranking, for a report.

    >>> RunScores("mine", np.array([[0.5, 0.25]]), np.array([True, True]))
    RunScores('mine': 1 measure, 2 topics)
    """

    run: str
    values: Floats
    counted: Bools
    file: str | None = None
    curves: tuple[Curve, ...] = ()
    warnings: tuple[str, ...] = ()
    has_results: Bools | None = None
    kept: Any = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RunScores):
            return NotImplemented
        return (
            (self.run, self.file, self.warnings, self.curves)
            == (other.run, other.file, other.warnings, other.curves)
            and _same(self.values, other.values)
            and _same(self.counted, other.counted)
            and _same(self.has_results, other.has_results)
        )

    def __hash__(self) -> int:
        return hash((self.run, self.file, self.values.shape))

    def __repr__(self) -> str:
        measures = counted(len(self.values), "measure")
        return f"RunScores({self.run!r}: {measures}, {counted(len(self.counted), 'topic')})"


class Row(NamedTuple):
    """One score, spelt out."""

    run: str
    topic: str
    measure: str
    value: float | None


@dataclass(frozen=True, repr=False)
class ScoreTable:
    """The scores of runs on topics by measures.

    >>> facts = MeasureFacts("iP[.01]", "iP[0.01](alpha=0,resize=full)", "interpolated precision")
    >>> scores = RunScores("mine", np.array([[0.5, 0.25, np.nan]]), np.array([True, True, True]))
    >>> table = ScoreTable((facts,), ("7", "8", "9"), (scores,))
    >>> table
    Scores of 1 run by 1 measure on 3 topics
    run   iP[.01]
    mine   0.3750

    By run and measure, with any of the measure's names:

    >>> table["mine"]["iP[0.01]"], table["mine"].topics["8"]["iP[.01]"]
    (0.375, 0.25)

    All at once, as plain dictionaries:

    >>> table.mean()
    {'mine': {'iP[.01]': 0.375}}
    >>> table.topics()["mine"]["8"]
    {'iP[.01]': 0.25}
    >>> table.undefined()
    {'mine': {'iP[.01]': ['9']}}
    """

    measures: tuple[MeasureFacts, ...]
    topic_ids: tuple[str, ...]
    runs: tuple[RunScores, ...]
    collection: str | None = None
    assessments: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    @property
    def labels(self) -> tuple[str, ...]:
        """The measures as they were asked for."""
        return tuple(facts.label for facts in self.measures)

    # By run

    def __getitem__(self, run: str) -> RunView:
        return self.view(self.place_of_run(run))

    def __iter__(self) -> Iterator[str]:
        return (scores.run for scores in self.runs)

    def __contains__(self, run: object) -> bool:
        return any(scores.run == run for scores in self.runs)

    def keys(self) -> Iterator[str]:
        """The names of the runs."""
        return iter(self)

    def view(self, place: int) -> RunView:
        """The scores of the run at this place."""
        return RunView(self, place)

    def place_of_run(self, run: str) -> int:
        """Which of the runs has this name."""
        names = list(self)
        if run in names:
            return names.index(run)
        raise UnknownName(f"no run {run!r}{suggestion(str(run), names)}")

    def place_of_measure(self, measure: object) -> int:
        """Which of the measures has this name: its label, its canonical name, or its value."""
        return place_of_measure(self.measures, measure)

    def only(
        self,
        runs: str | Iterable[str] | None = None,
        measures: object | Iterable[object] | None = None,
    ) -> ScoreTable:
        """The table with only some runs or measures, in the order asked for (None: all).

        >>> facts = tuple(MeasureFacts(name, name, "") for name in "AB")
        >>> scores = [RunScores(run, np.array([[0.5], [1]]), np.array([True])) for run in "xyz"]
        >>> ScoreTable(facts, ("7",), tuple(scores)).only(runs=["z", "x"], measures="B").mean()
        {'z': {'B': 1.0}, 'x': {'B': 1.0}}
        """
        rows = [self.place_of_run(str(run)) for run in _several(runs, self)]
        columns = [self.place_of_measure(one) for one in _several(measures, self.labels)]
        labels = {self.labels[column] for column in columns}
        return replace(
            self,
            measures=tuple(self.measures[column] for column in columns),
            runs=tuple(_only_measures(self.runs[row], columns, labels) for row in rows),
        )

    # Means and scores

    def means_of(self, place: int) -> list[float | None]:
        """The mean of each measure for the run at this place."""
        scores = self.runs[place]
        return [mean_of(values[scores.counted]) for values in scores.values]

    def mean(self) -> dict[str, dict[str, float | None]]:
        """The mean of each measure over the topics where it is defined, by run; None over none."""
        return {
            scores.run: dict(zip(self.labels, self.means_of(place), strict=True))
            for place, scores in enumerate(self.runs)
        }

    def topics_of(self, place: int) -> Iterator[tuple[str, list[float | None]]]:
        """The topics that count for the run at this place, each with its scores by measure."""
        scores = self.runs[place]
        for column in np.flatnonzero(scores.counted).tolist():
            values = scores.values[:, column].tolist()
            yield self.topic_ids[column], [_defined(value) for value in values]

    def topics(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """All scores by run, topic and measure."""
        return {
            scores.run: {
                topic: dict(zip(self.labels, values, strict=True))
                for topic, values in self.topics_of(place)
            }
            for place, scores in enumerate(self.runs)
        }

    def rows(self) -> Iterator[Row]:
        """The scores one by one."""
        for place, scores in enumerate(self.runs):
            for topic, values in self.topics_of(place):
                for label, value in zip(self.labels, values, strict=True):
                    yield Row(scores.run, topic, label, value)

    def undefined(self) -> dict[str, dict[str, list[str]]]:
        """The topics for which a measure is undefined, by run and measure; only where there are."""
        found = {}
        for scores in self.runs:
            missing = {
                label: [self.topic_ids[place] for place in np.flatnonzero(is_missing).tolist()]
                for label, values in zip(self.labels, scores.values, strict=True)
                if (is_missing := np.isnan(values) & scores.counted).any()
            }
            if missing:
                found[scores.run] = missing
        return found

    def undefined_in_words(self) -> dict[str, str]:
        """One line for each run that has undefined scores: which measures, for which topics.

        >>> facts = tuple(MeasureFacts(name, name, "") for name in "ABC")
        >>> values = np.array([[np.nan, 1], [np.nan, 1], [1, 1]])
        >>> table = ScoreTable(facts, ("7", "8"), (RunScores("x", values, np.array([True] * 2)),))
        >>> table.undefined_in_words()
        {'x': 'A, B undefined for 1 of 2 topics (7)'}
        """
        counts = {scores.run: int(scores.counted.sum()) for scores in self.runs}
        return {
            run: undefined_in_words(missing, len(self.measures), counts[run])
            for run, missing in self.undefined().items()
        }

    # Other forms

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        from doxeval.scores.formats import plain_values

        return plain_values(self)

    def to_pandas(self) -> Any:
        """One row per score, as a data frame of pandas (which must be installed)."""
        from doxeval.scores.frames import long_frame

        return long_frame(self, "pandas")

    def to_polars(self) -> Any:
        """One row per score, as a data frame of polars (which must be installed)."""
        from doxeval.scores.frames import long_frame

        return long_frame(self, "polars")

    def mean_frame(self, kind: Kind | None = None) -> Any:
        """One row per run, one column per measure; pandas if it is installed, else polars."""
        from doxeval.scores.frames import mean_frame

        return mean_frame(self, kind)

    def topic_frame(self, run: str | None = None, kind: Kind | None = None) -> Any:
        """One row per topic (of one run, or of every run), one column per measure."""
        from doxeval.scores.frames import topic_frame

        return topic_frame(self, run, kind)

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        """How notebooks show it."""
        from doxeval.scores.notebook import as_html

        return as_html(self)


def mean_of(values: Floats) -> float | None:
    """The mean of the defined values, whatever their order; None if none is defined.

    >>> mean_of(np.array([0.5, np.nan, 0.25]))
    0.375
    """
    defined = values[~np.isnan(values)]
    return math.fsum(defined.tolist()) / len(defined) if len(defined) else None


def mean_curve(curve: Curve, counted: Bools) -> list[float | None]:
    """A curve's mean over topics, point by point."""
    return [mean_of(curve.y[counted, place]) for place in range(len(curve.x))]


def _several(given: object, otherwise: Iterable[object]) -> list[object]:
    """What was given as a list; one thing by itself (a name, a measure) is a list of one."""
    if given is None:
        return list(otherwise)
    if isinstance(given, Iterable) and not isinstance(given, str):
        return list(given)
    return [given]


def _only_measures(scores: RunScores, columns: list[int], labels: set[str]) -> RunScores:
    curves = tuple(curve for curve in scores.curves if curve.label in labels)
    return replace(scores, values=scores.values[columns], curves=curves)


def _same(one: npt.NDArray[Any] | None, other: npt.NDArray[Any] | None) -> bool:
    """Whether two arrays hold the same values, undefined ones in the same places."""
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other, equal_nan=True)


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
