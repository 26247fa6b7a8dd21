"""Effort-precision: how many ranks an ideal list needs for a gain, and how many a run needs.

All functions take cumulated gains, of the run and of the ideal list, and many gains at once.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from doxeval.measures.base import TOLERANCE, Floats
from doxeval.measures.ranking import ratio

Ranks = Literal["integer", "interpolated", "linear"]


def effort_precisions(run: Floats, ideal: Floats, gains: Floats, ranks: Ranks) -> Floats:
    """Effort-precision at gains above 0; 0 where the run never gains so much.

    integer: ranks are whole numbers. interpolated: they are read from the polygons that join
    (0, 0) and the cumulated gains. linear: between the gains that the run has at its own ranks,
    effort-precision itself is interpolated.

    >>> run, ideal = np.cumsum([0.5, 0, 1, 0.25]), np.cumsum([1, 0.75, 0.5, 0.25])
    >>> gains = np.array([0.5, 1, 1.5, 1.75, 2])
    >>> effort_precisions(run, ideal, gains, "integer").round(4).tolist()
    [1.0, 0.3333, 0.6667, 0.5, 0.0]
    >>> effort_precisions(run, ideal, gains, "interpolated").round(4).tolist()
    [0.5, 0.4, 0.5556, 0.5, 0.0]
    >>> effort_precisions(run, ideal, gains, "linear").round(4).tolist()
    [1.0, 0.8333, 0.6667, 0.5, 0.0]
    """
    if ranks == "linear":
        return _between_natural_points(run, ideal, gains)
    own = _ranks_at(run, gains, ranks == "interpolated")
    best = _ranks_at(ideal, gains, ranks == "interpolated")
    found = np.ones(len(gains))  # no effort is as little as the ideal's
    np.divide(best, own, out=found, where=own != 0)
    return np.nan_to_num(found, nan=0.0)


def _ranks_at(cumulated: Floats, gains: Floats, interpolated: bool) -> Floats:
    """The ranks at which gains are reached, nan where they never are."""
    before = np.searchsorted(cumulated, gains - TOLERANCE)
    ranks = before + 1.0
    if interpolated:
        edges = np.append(0.0, cumulated)
        low, high = edges[before], edges[np.minimum(before + 1, len(cumulated))]
        share = np.where(high > low, ratio(gains - low, high - low), 1.0)
        ranks = before + np.clip(share, 0.0, 1.0)
    return np.where(before < len(cumulated), ranks, np.nan)


def _between_natural_points(run: Floats, ideal: Floats, gains: Floats) -> Floats:
    natural = run[np.diff(run, prepend=0.0) > 0]
    if not len(natural):
        return np.zeros(len(gains))
    found = np.interp(gains, natural, effort_precisions(run, ideal, natural, "integer"))
    return np.where(gains > natural[-1] + TOLERANCE, 0.0, found)
