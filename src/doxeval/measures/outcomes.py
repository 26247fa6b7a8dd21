"""Whether each relevant unit is a hit, a near-miss or a miss, as the ESR measures define it.

A unit is a hit if a result is that very unit. A passage counts as the tree of its cover; passages
and trees also hit units that they surely show. A unit that is not hit is a near-miss if, by the
model of navigation, readers may reach it from a result, and a miss otherwise.

What a ranking must be asked for is cheap and is taken from it first, for all documents. Outcomes
take longer, and are worked out later, for a few documents.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.documents import Trees
from doxeval.measures.assessed_trees import pair_keys, rows_by_key
from doxeval.measures.between import Between
from doxeval.measures.esr_model import Esr
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.overviews import Lists, overviews
from doxeval.measures.ranking import Ranking


class Outcome(NamedTuple):
    """The rank at which a unit is hit; if it is not, how likely readers reach it, and from where.

    reached_from: the first rank from which they may reach it.
    """

    hit_at: int | None = None
    reached: float = 0.0
    reached_from: int | None = None


class SeenTrees(NamedTuple):
    """The results of a ranking in documents with relevant units, as trees, best first.

    key: topic and document as one number. shared, certain: what readers see with each result.
    """

    key: Ints
    rank: Ints
    trees: Trees
    shared: Bools
    certain: Bools


def seen_trees(ranking: Ranking, measure: Esr) -> SeenTrees:
    """What outcomes follow from; the parameters of the measure are settled."""
    sight, units = measure.sight(ranking), measure.units(ranking.truth)
    key = pair_keys(ranking.topic, ranking.tree_documents)
    rows = np.flatnonzero(np.isin(key, np.array(list(units.rows_by_pair), dtype=np.int64)))
    trees = ranking.trees.rows(rows)
    return SeenTrees(key[rows], ranking.rank[rows], trees, sight.shared[rows], sight.certain[rows])


def hit_outcomes(truth: GroundTruth, measure: Esr, seen: SeenTrees, wanted: Ints) -> list[Outcome]:
    """The outcomes of some units of a measure, given by their rows."""
    units = measure.units(truth)
    between = Between(truth, seen.trees, units.trees, measure.navigation(truth), seen.shared)
    results = rows_by_key(seen.key)
    found = [Outcome()] * len(wanted)
    for key, places in rows_by_key(pair_keys(units.topic, units.document)[wanted]).items():
        rows = results.get(key)
        if rows is None:
            continue
        ranks = seen.rank[rows].tolist()
        for view in overviews(Lists(between, rows, wanted[places], seen.certain[rows])):
            hit_by, first = view.hit_by(), view.first_reaching()
            reached = 1 - view.unseen_before(hit_by)
            columns = (places[view.targets], hit_by, first, reached)
            for place, hit, begin, chance in zip(*(one.tolist() for one in columns), strict=True):
                if hit < view.results:
                    found[place] = Outcome(hit_at=ranks[hit])
                elif begin < view.results:
                    found[place] = Outcome(None, chance, ranks[begin])
    return found
