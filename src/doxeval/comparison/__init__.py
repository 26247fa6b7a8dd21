"""Comparison: which systems differ by a measure, and whether measures rank systems alike.

This room sees tables of scores and nothing else, so systems can be compared by any measure.
"""

from doxeval.comparison.comparing import compare, compare_all
from doxeval.comparison.comparison import Comparison, Pair, RunMean
from doxeval.comparison.correlations import Coefficient, Correlations, MeasurePair, correlate
from doxeval.comparison.intervals import mean_interval
from doxeval.comparison.told_apart import (
    Discrimination,
    SignificantAgreement,
    Verdicts,
    significant_agreement,
)

__all__ = [
    "Coefficient",
    "Comparison",
    "Correlations",
    "Discrimination",
    "MeasurePair",
    "Pair",
    "RunMean",
    "SignificantAgreement",
    "Verdicts",
    "compare",
    "compare_all",
    "correlate",
    "mean_interval",
    "significant_agreement",
]
