"""Comparison: which systems differ by a measure, and whether measures rank systems alike.

This room sees tables of scores and nothing else, so systems can be compared by any measure.
"""

from doxeval.comparison.comparing import compare, compare_all
from doxeval.comparison.comparison import Comparison, Pair, RunMean
from doxeval.comparison.correlations import Coefficient, Correlations, MeasurePair, correlate
from doxeval.comparison.intervals import mean_interval

__all__ = [
    "Coefficient",
    "Comparison",
    "Correlations",
    "MeasurePair",
    "Pair",
    "RunMean",
    "compare",
    "compare_all",
    "correlate",
    "mean_interval",
]
