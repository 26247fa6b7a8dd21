"""The relevance of results inferred from their elements, less what readers have seen before.

    gain(t_i) = rel(t_i)·(1 − p(t_i; R before it)), rel the mean relevance of the result's elements

(Ali, Consens and Lalmas 2012, eq 12.)
"""

from __future__ import annotations

import numpy as np

from doxeval.arrays import Floats, Ints, positions_in
from doxeval.measures.assessed_trees import AssessedTrees, pair_keys, rows_by_key
from doxeval.measures.between import Between
from doxeval.measures.esr_model import Esr
from doxeval.measures.overviews import Lists, overviews
from doxeval.measures.ranking import Ranking, ratio


def inferred_gains(measure: Esr, ranking: Ranking) -> list[Floats]:
    """The gain of each result, by topic; made once for each model."""
    key = ("inferred gains", *measure.model_key)
    return ranking.remembered(key, lambda: ranking.by_topic(_gains(measure, ranking)))


def _gains(measure: Esr, ranking: Ranking) -> Floats:
    inferred = _inferred(measure, ranking)
    gains = np.zeros(len(ranking))
    keys = pair_keys(ranking.topic, ranking.tree_documents)
    relevant = np.flatnonzero(np.isin(keys, keys[inferred > 0]))
    truth, trees, shared = ranking.truth, ranking.trees, measure.sight(ranking).shared
    between = Between(truth, trees, trees, measure.navigation(truth), shared)
    for at in rows_by_key(keys[relevant]).values():
        rows = relevant[at]
        wanted = np.flatnonzero(inferred[rows] > 0)
        lists = Lists(between, rows, rows[wanted], np.zeros(len(rows), dtype=np.bool_), wanted)
        if lists.are_long:
            for view in overviews(lists):
                place = wanted[view.targets]
                gains[rows[place]] = inferred[rows[place]] * view.unseen_before(place)
            continue
        earlier = np.triu(between.reach(rows, rows).chance, 1)  # from results to later ones only
        gains[rows] = inferred[rows] * np.prod(1 - earlier, axis=0)
    return gains


def _inferred(measure: Esr, ranking: Ranking) -> Floats:
    """The mean relevance of the elements of each result."""
    keys, relevance = ranking.truth.remembered(
        ("relevance of elements", measure.chosen),
        lambda: _relevance_of_elements(measure.units(ranking.truth)),
    )
    owner = np.repeat(np.arange(len(ranking)), ranking.trees.counts)
    at = positions_in(keys, pair_keys(ranking.topic[owner], ranking.trees.nodes))
    values = np.where(at < 0, 0.0, relevance[at] if len(relevance) else 0.0)
    return ratio(np.bincount(owner, values, len(ranking)), ranking.trees.counts)


def _relevance_of_elements(units: AssessedTrees) -> tuple[Ints, Floats]:
    """Topic and node of the units that are single elements, ascending, and their relevance."""
    single = np.flatnonzero(units.trees.counts == 1)
    keys = pair_keys(units.topic[single], units.trees.nodes[units.trees.begin[single]])
    order = np.argsort(keys, kind="stable")
    return keys[order], units.relevance[single][order]
