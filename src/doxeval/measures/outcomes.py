"""Whether each relevant unit is a hit, a near-miss or a miss, as the ESR measures define it.

A unit is a hit if a result is that very unit; a passage counts as the innermost element around it.
A unit that is not hit is a near-miss if, by the model of navigation, readers may reach it from a
result, and a miss otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from doxeval.measures.assessed_trees import AssessedTrees
from doxeval.measures.expectations import reaching, together
from doxeval.measures.ranking import Ranking
from doxeval.navigation import Navigation


class Outcome(NamedTuple):
    """The rank at which a unit is hit; if it is not, how likely readers reach it, and from where.

    reached_from: the first rank from which they may reach it.
    """

    hit_at: int | None = None
    reached: float = 0.0
    reached_from: int | None = None


def outcomes(ranking: Ranking, units: AssessedTrees, navigation: Navigation) -> list[Outcome]:
    """The outcome of each unit."""
    by_unit = [Outcome()] * len(units.topic)
    for own, rows in together(ranking, units):
        document = int(units.document[own[0]])
        sources, targets = ranking.trees.rows(rows), units.trees.rows(own)
        reach, hit_by = reaching(ranking.truth, document, sources, targets, navigation, False)
        ranks = ranking.rank[rows]
        missed = np.prod(1 - reach, axis=0)
        for column, unit in enumerate(own.tolist()):
            at = int(hit_by[column])
            if at < len(rows):
                by_unit[unit] = Outcome(hit_at=int(ranks[at]))
            elif reach[:, column].any():
                first = int(np.argmax(reach[:, column] > 0))
                by_unit[unit] = Outcome(None, float(1 - missed[column]), int(ranks[first]))
    return by_unit
