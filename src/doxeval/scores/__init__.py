"""Scores: the result of an evaluation, and the formats in which it can be written."""

from __future__ import annotations

from doxeval.doors import door

__all__ = [
    "ByMeasure",
    "Curve",
    "DocumentRow",
    "DocumentScores",
    "MeasureFacts",
    "RunScores",
    "RunView",
    "ScoreTable",
    "distinct_names",
    "with_duplicates",
    "with_unique_names",
]

__getattr__, __dir__ = door(__name__, __file__)
