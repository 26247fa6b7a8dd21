"""Comparison: which systems differ by a measure, and whether measures rank systems alike.

This room sees tables of scores and nothing else, so systems can be compared by any measure.
"""

from doxeval.comparison.comparing import compare, compare_all
from doxeval.comparison.comparison import Comparison, Pair, RunMean
from doxeval.comparison.correlations import Coefficient, Correlations, MeasurePair, correlate
from doxeval.comparison.earlier import EarlierScores, read_earlier
from doxeval.comparison.gates import Check, Gates, check_scores
from doxeval.comparison.intervals import mean_interval
from doxeval.comparison.told_apart import (
    Discrimination,
    SignificantAgreement,
    Verdicts,
    significant_agreement,
)

__all__ = [
    "Check",
    "Coefficient",
    "Comparison",
    "Correlations",
    "Discrimination",
    "EarlierScores",
    "Gates",
    "MeasurePair",
    "Pair",
    "RunMean",
    "SignificantAgreement",
    "Verdicts",
    "check_scores",
    "compare",
    "compare_all",
    "correlate",
    "mean_interval",
    "read_earlier",
    "significant_agreement",
]
