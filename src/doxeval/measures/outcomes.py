"""What becomes of each relevant unit: a hit, a near-miss or a miss, as the ESR measures have it.

A unit is hit if a result is that very unit; a passage stands for the innermost element around it.
A unit that is not hit is a near-miss if readers may come to it from a result, as the model of
navigation says, and a miss otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from doxeval.measures.expectations import Assessed, reaching, together
from doxeval.measures.ranking import Ranking
from doxeval.navigation import Navigation


class Outcome(NamedTuple):
    """The rank of a unit that is hit; or else how likely readers reach it, and from which rank."""

    hit_at: int | None = None
    reached: float = 0.0
    reached_from: int | None = None


def outcomes(ranking: Ranking, units: Assessed, navigation: Navigation) -> list[Outcome]:
    """What becomes of each unit."""
    found = [Outcome()] * len(units.topic)
    for own, rows in together(ranking, units):
        document = int(units.document[own[0]])
        sources, targets = ranking.trees.rows(rows), units.trees.rows(own)
        reach, found_at = reaching(ranking.truth, document, sources, targets, navigation, False)
        ranks = ranking.rank[rows]
        missed = np.prod(1 - reach, axis=0)
        for column, unit in enumerate(own.tolist()):
            at = int(found_at[column])
            if at < len(rows):
                found[unit] = Outcome(hit_at=int(ranks[at]))
            elif reach[:, column].any():
                first = int(np.argmax(reach[:, column] > 0))
                found[unit] = Outcome(None, float(1 - missed[column]), int(ranks[first]))
    return found
