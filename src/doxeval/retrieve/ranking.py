"""Which scored units a task returns, and in which order.

Units are given in document order, and documents too. Ties are in document order, so of two elements
with the same words the outer one comes first. Scores are rounded before they rank, so that the last
bits of a logarithm on another machine do not reorder a list.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints

if TYPE_CHECKING:
    from doxeval.retrieve.options import SearchOptions

_DIGITS = 9
_MOST_PLACES = 22  # a power of ten up to here is a number without error
_POWERS = 10.0 ** np.arange(_MOST_PLACES + 1)
_AT_FIRST = 4  # so many times more units are ranked than are needed, at first


class ScoredUnits(NamedTuple):
    """Units that may be returned, with their scores and those of their articles.

    article: the document of each, as a position in `article_score`, ascending. begin, end: ranges
    that overlap if the units share text.
    """

    article: Ints
    score: Floats
    begin: Ints
    end: Ints
    article_score: Floats


class RankedUnits(NamedTuple):
    """What is returned: positions among the units, best first, and the scores to print."""

    which: Ints
    score: Floats


def rank_by_task(units: ScoredUnits, options: SearchOptions) -> RankedUnits:
    """Rank units as the task of the options requires."""
    max_results, task, keep = options.max_results, options.task, options.least_share
    if options.by_best_unit:
        units = score_articles_by_best_unit(units)
    if task == "focused" or options.overlap == "none":
        return focused(units, max_results)
    if task == "relevant-in-context":
        return in_context(units, max_results, keep)
    if task == "fetch-browse":
        return fetch_browse(units, max_results, keep)
    if options.rules.is_by_article:  # best-in-context, documents
        return best_in_context(units, max_results)
    return thorough(units, max_results)


def thorough(units: ScoredUnits, max_results: int) -> RankedUnits:
    """Rank all units by score."""
    which = best_first(units.score, max_results)
    return RankedUnits(which, units.score[which])


def focused(units: ScoredUnits, max_results: int) -> RankedUnits:
    """Rank units by score, without those that share text with an earlier one."""
    ranked = _AT_FIRST * max_results
    while True:
        order = best_first(units.score, ranked)
        kept = list(_without_overlap(units, order, max_results))
        if len(kept) == max_results or len(order) == len(units.score):
            which = np.array(kept, dtype=np.int64)
            return RankedUnits(which, units.score[which])
        ranked *= _AT_FIRST


def _without_overlap(units: ScoredUnits, order: Ints, max_results: int) -> Iterator[int]:
    """Yield the first `max_results` units, in the order given, that overlap none before them."""
    begins: list[int] = []
    ends: list[int] = []
    ranges = units.begin[order].tolist(), units.end[order].tolist()
    for unit, begin, end in zip(order.tolist(), *ranges, strict=True):
        place = bisect_right(begins, begin)
        is_free = (place == 0 or ends[place - 1] <= begin) and (
            place == len(begins) or begins[place] >= end
        )
        if not is_free:
            continue
        begins.insert(place, begin)
        ends.insert(place, end)
        yield unit
        if len(begins) == max_results:
            return


def in_context(units: ScoredUnits, max_results: int, keep: float) -> RankedUnits:
    """Rank articles by score, each with its best units, in document order and without overlap.

    A unit is among the best if it has at least `keep` times the score of the article's best unit.
    """
    rank, which = _rank_articles(units, max_results, keep)
    order = which[np.lexsort((which, -units.score[which], rank[which]))]
    kept = np.fromiter(_without_overlap(units, order, len(order) + 1), np.int64)
    kept = kept[np.lexsort((kept, rank[kept]))][:max_results]
    return _with_article_scores(units, kept)


def fetch_browse(units: ScoredUnits, max_results: int, keep: float) -> RankedUnits:
    """Rank articles by score, each with its best units by score; these may overlap."""
    rank, which = _rank_articles(units, max_results, keep)
    order = which[np.lexsort((which, -units.score[which], rank[which]))][:max_results]
    return _with_article_scores(units, order)


def best_in_context(units: ScoredUnits, max_results: int) -> RankedUnits:
    """Rank articles by score, each with its best unit."""
    rank, which = _rank_articles(units, max_results, 1.0)
    order = which[np.lexsort((which, rank[which]))]
    is_first = np.diff(rank[order], prepend=-1) != 0
    return _with_article_scores(units, order[is_first][:max_results])


def score_articles_by_best_unit(units: ScoredUnits) -> ScoredUnits:
    """Return the units with each article scored by its best unit.

    >>> columns = ([0, 0, 1], [0.5, 0.7, 0.6], [0, 0, 9], [9, 5, 9], [0.0, 0.0])
    >>> units = ScoredUnits(*map(np.array, columns))
    >>> score_articles_by_best_unit(units).article_score.tolist()
    [0.7, 0.6]
    """
    best = np.full(len(units.article_score), -np.inf)
    np.maximum.at(best, units.article, units.score)
    return units._replace(article_score=best)


def _rank_articles(units: ScoredUnits, max_results: int, keep: float) -> tuple[Ints, Ints]:
    """Return the rank of each unit's article, and the units that are good enough.

    As every article returns at least one unit, `max_results` articles are enough.
    """
    best = score_articles_by_best_unit(units).article_score
    has_units = np.flatnonzero(np.isfinite(best))
    articles = has_units[best_first(units.article_score[has_units], max_results)]
    rank = np.full(len(best), len(best), dtype=np.int64)
    rank[articles] = np.arange(len(articles))
    # A share of a score below zero would be a higher score.
    least = np.where(best > 0, keep * best, best)
    is_good = units.score >= least[units.article]
    is_ranked = rank[units.article] < len(best)
    return rank[units.article], np.flatnonzero(is_good & is_ranked)


def _with_article_scores(units: ScoredUnits, which: Ints) -> RankedUnits:
    return RankedUnits(which, units.article_score[units.article[which]])


# Scores


def round_scores(scores: Floats) -> Floats:
    """Round scores to nine significant digits.

    >>> round_scores(np.array([1.23456789049, -1234567890.4, 0.0])).tolist()
    [1.23456789, -1234567890.0, 0.0]
    """
    with np.errstate(divide="ignore"):
        magnitude = np.floor(np.log10(np.abs(scores)))
    # Scores below 1e-13 keep fewer digits.
    places = np.clip(_DIGITS - 1 - magnitude, -_MOST_PLACES, _MOST_PLACES).astype(np.int64)
    up = _POWERS[np.maximum(places, 0)]
    if len(places) and int(places.min()) < 0:
        down = _POWERS[np.maximum(-places, 0)]
        return np.asarray(np.rint(scores * up / down) / up * down, dtype=np.float64)
    return np.asarray(np.rint(scores * up) / up, dtype=np.float64)


def best_first(score: Floats, max_results: int) -> Ints:
    """Return the positions of the `max_results` highest scores, highest first, ties in their order.

    >>> best_first(np.array([1.0, 3.0, 2.0, 3.0]), 3).tolist()
    [1, 3, 2]
    """
    which = np.arange(len(score))
    if len(score) > _AT_FIRST * max_results:
        least = np.partition(score, len(score) - max_results)[len(score) - max_results]
        which = np.flatnonzero(score >= least)
    return which[np.argsort(-score[which], kind="stable")][:max_results]
