"""Effort-precision: how many ranks an ideal list needs for a gain, and how many a run needs.

All functions take cumulated gains, of the run and of the ideal list, and many gains at once.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.measures.base import TOLERANCE
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
    enough = gains - TOLERANCE
    own, best = run.searchsorted(enough), ideal.searchsorted(enough)  # ranks before
    reached = (own < len(run)) & (best < len(ideal))
    if ranks == "integer":
        return reached * ((best + 1) / (own + 1))
    return reached * ratio(_on_polygon(ideal, best, gains), _on_polygon(run, own, gains))


def _on_polygon(cumulated: Floats, before: Ints, gains: Floats) -> Floats:
    """Where the polygon of cumulated gains has these gains, given the ranks before."""
    edges = np.append(0.0, cumulated)
    low, high = edges[before], edges[np.minimum(before + 1, len(cumulated))]
    share = np.where(high > low, ratio(gains - low, high - low), 1.0)
    on_polygon: Floats = before + np.clip(share, 0.0, 1.0)
    return on_polygon


def _between_natural_points(run: Floats, ideal: Floats, gains: Floats) -> Floats:
    natural = run[np.diff(run, prepend=0.0) > 0]
    if not len(natural):
        return np.zeros(len(gains))
    found = np.interp(gains, natural, effort_precisions(run, ideal, natural, "integer"))
    return np.where(gains > natural[-1] + TOLERANCE, 0.0, found)
