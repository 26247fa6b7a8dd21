"""Comparison: which systems differ on a measure, and whether measures rank systems alike.

This room sees tables of scores and nothing else, so every measure can be compared by.
"""

from doxeval.compare.comparing import compare
from doxeval.compare.comparison import Comparison, Pair, RunMean
from doxeval.compare.correlations import Coefficient, Correlations, MeasurePair, correlate

__all__ = [
    "Coefficient",
    "Comparison",
    "Correlations",
    "MeasurePair",
    "Pair",
    "RunMean",
    "compare",
    "correlate",
]
