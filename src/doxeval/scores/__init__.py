"""Scores: the result of an evaluation, and the formats in which it can be written."""

from doxeval.scores.documents import DocumentRow, DocumentScores
from doxeval.scores.run_names import distinct_names, told_apart
from doxeval.scores.table import Curve, MeasureFacts, RunScores, ScoreTable, with_duplicates
from doxeval.scores.views import ByMeasure, RunView

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
    "told_apart",
    "with_duplicates",
]
