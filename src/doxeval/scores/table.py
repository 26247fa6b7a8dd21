"""The table of scores: runs, topics, measures, and all that is to be known about each.

A score is a number, or undefined (nan here, null outside) where a topic lacks what the measure
needs; undefined topics are left out of means and listed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools

Floats = npt.NDArray[np.float64]


class MeasureFacts(NamedTuple):
    """What readers of scores must know about a measure.

    label: its name as it was asked for. canonical: with every parameter. highest is None where
    there is no bound.
    """

    label: str
    canonical: str
    title: str
    lowest: float = 0.0
    highest: float | None = 1.0
    higher_is_better: bool = True


class Curve(NamedTuple):
    """A measure along an axis, such as precision at points of recall, for each topic."""

    label: str
    x_name: str
    y_name: str
    x: Floats
    y: Floats  # topics × points


@dataclass(frozen=True)
class RunScores:
    """The scores of one run: measures × topics.

    counted says which topics are evaluated: all assessed ones, or those with results.
    """

    run: str
    values: Floats
    counted: Bools
    file: str | None = None
    curves: tuple[Curve, ...] = ()
    warnings: tuple[str, ...] = ()


class Row(NamedTuple):
    """One score, spelt out."""

    run: str
    topic: str
    measure: str
    value: float | None


@dataclass(frozen=True)
class ScoreTable:
    """The scores of runs on topics by measures.

    >>> facts = MeasureFacts("iP[.01]", "iP[0.01](alpha=0,resize=full)", "interpolated precision")
    >>> scores = RunScores("mine", np.array([[0.5, 0.25, np.nan]]), np.array([True, True, True]))
    >>> table = ScoreTable((facts,), ("7", "8", "9"), (scores,))
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

    def mean(self) -> dict[str, dict[str, float | None]]:
        """The mean of each measure over the topics where it is defined, by run; None over none."""
        return {
            scores.run: {
                label: mean_of(values[scores.counted])
                for label, values in zip(self.labels, scores.values, strict=True)
            }
            for scores in self.runs
        }

    def topics(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """All scores by run, topic and measure."""
        return {
            scores.run: {
                topic: {
                    label: _defined(scores.values[measure, place])
                    for measure, label in enumerate(self.labels)
                }
                for place, topic in enumerate(self.topic_ids)
                if scores.counted[place]
            }
            for scores in self.runs
        }

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

    def rows(self) -> Iterator[Row]:
        """The scores one by one."""
        for run, topics in self.topics().items():
            for topic, values in topics.items():
                for label, value in values.items():
                    yield Row(run, topic, label, value)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        means, topics, undefined = self.mean(), self.topics(), self.undefined()
        return {
            "collection": self.collection,
            "assessments": list(self.assessments),
            "measures": list(self.labels),
            "canonical": {facts.label: facts.canonical for facts in self.measures},
            "warnings": list(self.warnings),
            "runs": [
                {
                    "run": scores.run,
                    "file": scores.file,
                    "mean": means[scores.run],
                    "topics": topics[scores.run],
                    "undefined": undefined.get(scores.run, {}),
                    "curves": [_curve(curve, self.topic_ids, scores) for curve in scores.curves],
                    "warnings": list(scores.warnings),
                }
                for scores in self.runs
            ],
        }

    def _repr_html_(self) -> str:
        """How notebooks show it."""
        from doxeval.scores.notebook import as_html

        return as_html(self)

    def to_pandas(self) -> Any:
        """One row per score, as a data frame of pandas (which must be installed)."""
        import pandas as pd

        return pd.DataFrame(list(self.rows()), columns=list(Row._fields))

    def to_polars(self) -> Any:
        """One row per score, as a data frame of polars (which must be installed)."""
        import polars as pl

        schema = {"run": pl.String, "topic": pl.String, "measure": pl.String, "value": pl.Float64}
        return pl.DataFrame(list(self.rows()), schema=schema, orient="row")


def mean_of(values: Floats) -> float | None:
    """The mean of the numbers that are defined, whatever their order; None if none is.

    >>> mean_of(np.array([0.5, np.nan, 0.25]))
    0.375
    """
    defined = values[~np.isnan(values)]
    return math.fsum(defined.tolist()) / len(defined) if len(defined) else None


def mean_curve(curve: Curve, counted: Bools) -> list[float | None]:
    """A curve's mean over topics, point by point."""
    return [mean_of(curve.y[counted, place]) for place in range(len(curve.x))]


def _curve(curve: Curve, topics: tuple[str, ...], scores: RunScores) -> dict[str, Any]:
    return {
        "measure": curve.label,
        "x": curve.x_name,
        "y": curve.y_name,
        "points": curve.x.tolist(),
        "mean": mean_curve(curve, scores.counted),
        "topics": {
            topic: [_defined(value) for value in curve.y[place]]
            for place, topic in enumerate(topics)
            if scores.counted[place]
        },
    }


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
