"""Comparison: which systems differ by a measure, and whether measures rank systems alike.

This room sees tables of scores and nothing else, so systems can be compared by any measure.
"""

from __future__ import annotations

from doxeval.doors import door

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
    "comparisons_as_latex",
    "correlate",
    "mean_interval",
    "read_earlier",
    "significant_agreement",
]

__getattr__, __dir__ = door(__name__, __file__)
