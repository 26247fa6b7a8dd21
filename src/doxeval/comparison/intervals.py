"""Confidence intervals that stay in a measure's range.

The interval of a mean is Student's if it stays in the range. Otherwise it is Student's on the logit
scale (on the log scale if the range has only one bound): the mean is transformed to a scale without
bounds, its standard error with it by the delta method, and the ends of the interval are transformed
back. They can come close to the bounds but never pass them.

The interval of a difference is the one that belongs to the test, without impossible differences. So
it still holds 0 exactly if the test does not reject.
"""

from __future__ import annotations

import math

import numpy as np

from doxeval.arrays import Floats
from doxeval.comparison.significance import on_grid, t_interval
from doxeval.scores import MeasureFacts

Interval = tuple[float, float]
_ANYTHING = (-math.inf, math.inf)
_TOLERANCE = 1e-9


def mean_interval(values: Floats, facts: MeasureFacts, alpha: float = 0.05) -> Interval | None:
    """Return the confidence interval of the mean of scores; None for fewer than two topics.

    >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
    >>> [round(end, 4) for end in mean_interval(np.array([0.1, 0.2, 0.3, 0.4, np.nan]), facts)]
    [0.0446, 0.4554]
    >>> [round(end, 4) for end in mean_interval(np.array([0.0, 0.0, 0.1]), facts)]  # no -0.11
    [0.0004, 0.7472]
    """
    defined = values[~np.isnan(values)]
    if len(defined) < 2:
        return None
    steps, per_one = on_grid(np.sort(defined))
    low, high = (end / per_one for end in t_interval(steps, alpha))
    lowest, highest = obeyed_range(facts, defined)
    if not lowest <= low <= high <= highest:
        mean = int(steps.sum()) / len(steps) / per_one
        low, high = _transformed(mean, (high - low) / 2, lowest, highest)
    low, high = max(low, lowest), min(high, highest)
    return (math.exp(low), math.exp(high)) if facts.average == "geometric" else (low, high)


def obeyed_range(facts: MeasureFacts, *scores: Floats) -> Interval:
    """Return the range of a measure; no bounds at all if any score lies outside it.

    >>> facts = MeasureFacts("gain", "gain", "a gain", 0.0, None)
    >>> obeyed_range(facts, np.array([0.5, 7.0])), obeyed_range(facts, np.array([-1.0]))
    ((0.0, inf), (-inf, inf))
    """
    lowest, highest = facts.lowest, math.inf if facts.highest is None else facts.highest
    for values in scores:
        defined = values[~np.isnan(values)]
        if ((defined < lowest - _TOLERANCE) | (defined > highest + _TOLERANCE)).any():
            return _ANYTHING
    return lowest, highest


def possible_part(interval: Interval, scores_range: Interval) -> Interval:
    """Return the part of a difference's interval that the range of the scores leaves possible.

    >>> possible_part((-0.25, 1.5), (0.0, 1.0))
    (-0.25, 1.0)
    """
    largest = scores_range[1] - scores_range[0]
    return max(interval[0], -largest), min(interval[1], largest)


def _transformed(mean: float, half: float, lowest: float, highest: float) -> Interval:
    """Return Student's interval on a scale without bounds, transformed back.

    half: half the width of the interval on the scale of the scores.
    """
    below, above = mean - lowest, highest - mean
    if below <= 0 or above <= 0:  # scores outside the range, by no more than the tolerance
        return mean - half, mean + half
    if math.isinf(above):
        return lowest + below * math.exp(-half / below), lowest + below * _exp(half / below)
    if math.isinf(below):
        return highest - above * _exp(half / above), highest - above * math.exp(-half / above)
    width = highest - lowest
    odds, stretched = below / above, half * width / (below * above)
    return (
        lowest + width / (1 + _exp(stretched) / odds),
        lowest + width / (1 + math.exp(-stretched) / odds),
    )


def _exp(power: float) -> float:
    """Return the exponential, infinite where it is too large for a number."""
    try:
        return math.exp(power)
    except OverflowError:
        return math.inf
