"""Whether each relevant unit is a hit, a near-miss or a miss, as the ESR measures define it.

A unit is a hit if a result is that very unit. A passage counts as the tree of its cover; passages
and trees also hit units that they surely show. A unit that is not hit is a near-miss if, by the
model of navigation, readers may reach it from a result, and a miss otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

from doxeval.measures.between import Between
from doxeval.measures.esr_model import Esr
from doxeval.measures.expectations import together
from doxeval.measures.overviews import Lists, overviews
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
        ranks = ranking.rank[rows].tolist()
        for view in overviews(Lists(between, rows, own, sight.certain[rows])):
            hit_by, first = view.hit_by(), view.first_reaching()
            reached = 1 - view.unseen_before(hit_by)
            columns = (own[view.targets], hit_by, first, reached)
            for unit, hit, begin, chance in zip(*(one.tolist() for one in columns), strict=True):
                if hit < view.results:
                    by_unit[unit] = Outcome(hit_at=ranks[hit])
                elif begin < view.results:
                    by_unit[unit] = Outcome(None, chance, ranks[begin])
    return by_unit
