"""Comparison: which systems differ by a measure, and whether measures rank systems alike.

This room sees tables of scores and nothing else, so systems can be compared by any measure.
"""

from doxeval.compare.comparing import compare, compare_all
from doxeval.compare.comparison import Comparison, Pair, RunMean
from doxeval.compare.correlations import Coefficient, Correlations, MeasurePair, correlate
from doxeval.compare.intervals import mean_interval

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
