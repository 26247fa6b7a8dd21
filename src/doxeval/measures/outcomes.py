"""Whether each relevant unit is a hit, a near-miss or a miss, as the ESR measures define it.

A unit is a hit if a result is that very unit. A passage counts as the tree of its cover; passages
and trees also hit units that they surely show. A unit that is not hit is a near-miss if, by the
model of navigation, readers may reach it from a result, and a miss otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from doxeval.measures.esr_model import Esr
from doxeval.measures.expectations import Between, together
from doxeval.measures.ranking import Ranking


class Outcome(NamedTuple):
    """The rank at which a unit is hit; if it is not, how likely readers reach it, and from where.

    reached_from: the first rank from which they may reach it.
    """

    hit_at: int | None = None
    reached: float = 0.0
    reached_from: int | None = None


def outcomes(ranking: Ranking, measure: Esr) -> list[Outcome]:
    """The outcome of each unit of a measure whose parameters are settled."""
    truth, sight = ranking.truth, measure.sight(ranking)
    units = measure.units(truth)
    by_unit = [Outcome()] * len(units.topic)
    between = Between(truth, ranking.trees, units.trees, measure.navigation(truth), sight.shared)
    for own, rows in together(ranking, units):
        reach = between.reach(rows, own)
        hit_by = reach.hit_by(sight.certain[rows, None])
        ranks = ranking.rank[rows]
        missed = np.prod(1 - reach.chance, axis=0)
        for column, unit in enumerate(own.tolist()):
            at = int(hit_by[column])
            if at < len(rows):
                by_unit[unit] = Outcome(hit_at=int(ranks[at]))
            elif reach.chance[:, column].any():
                first = int(np.argmax(reach.chance[:, column] > 0))
                by_unit[unit] = Outcome(None, float(1 - missed[column]), int(ranks[first]))
    return by_unit
