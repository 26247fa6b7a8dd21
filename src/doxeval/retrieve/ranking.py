"""What a task makes of scored units: which of them are returned, and in which order.

Units are given in document order, and documents too. Ties are in document order, so of two elements
with the same words the outer one comes first. Scores are rounded before they rank, so that the last
bits of a logarithm on another machine do not reorder a list.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints

_DIGITS = 9
_MOST_PLACES = 22  # a power of ten up to here is a number without error
_POWERS = 10.0 ** np.arange(_MOST_PLACES + 1)
_AT_FIRST = 4  # so many times more units are ranked than are wanted, at first


class Candidates(NamedTuple):
    """Units that may be returned.

    article: the document of each, as a position in `article_score`, ascending. begin, end: ranges
    that overlap if the units share text.
    """

    article: Ints
    score: Floats
    begin: Ints
    end: Ints
    article_score: Floats


class Ranked(NamedTuple):
    """What is returned: positions among the candidates, best first, and the scores to print."""

    which: Ints
    score: Floats


def rounded(scores: Floats) -> Floats:
    """Scores to nine significant digits.

    >>> rounded(np.array([1.23456789049, -1234567890.4, 0.0])).tolist()
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


def best_first(score: Floats, most: int) -> Ints:
    """The positions of the `most` highest scores, highest first, ties in their order.

    >>> best_first(np.array([1.0, 3.0, 2.0, 3.0]), 3).tolist()
    [1, 3, 2]
    """
    which = np.arange(len(score))
    if len(score) > _AT_FIRST * most:
        least = np.partition(score, len(score) - most)[len(score) - most]
        which = np.flatnonzero(score >= least)
    return which[np.argsort(-score[which], kind="stable")][:most]


def thorough(candidates: Candidates, most: int) -> Ranked:
    """All units by score."""
    which = best_first(candidates.score, most)
    return Ranked(which, candidates.score[which])


def focused(candidates: Candidates, most: int) -> Ranked:
    """Units by score, without those that share text with an earlier one."""
    ranked = _AT_FIRST * most
    while True:
        order = best_first(candidates.score, ranked)
        kept = list(_without_overlap(candidates, order, most))
        if len(kept) == most or len(order) == len(candidates.score):
            which = np.array(kept, dtype=np.int64)
            return Ranked(which, candidates.score[which])
        ranked *= _AT_FIRST


def _without_overlap(candidates: Candidates, order: Ints, most: int) -> Iterator[int]:
    """The first `most` of the units, in the order given, that overlap none before them."""
    begins: list[int] = []
    ends: list[int] = []
    ranges = candidates.begin[order].tolist(), candidates.end[order].tolist()
    for one, begin, end in zip(order.tolist(), *ranges, strict=True):
        place = bisect_right(begins, begin)
        is_free = (place == 0 or ends[place - 1] <= begin) and (
            place == len(begins) or begins[place] >= end
        )
        if not is_free:
            continue
        begins.insert(place, begin)
        ends.insert(place, end)
        yield one
        if len(begins) == most:
            return


def in_context(candidates: Candidates, most: int, keep: float) -> Ranked:
    """Articles by score, each with its best units that do not overlap, in document order.

    A unit is among the best if it has at least `keep` times the score of the article's best unit.
    """
    rank, which = _in_ranked_articles(candidates, most, keep)
    order = which[np.lexsort((which, -candidates.score[which], rank[which]))]
    kept = np.fromiter(_without_overlap(candidates, order, len(order) + 1), np.int64)
    kept = kept[np.lexsort((kept, rank[kept]))][:most]
    return _with_article_scores(candidates, kept)


def fetch_browse(candidates: Candidates, most: int, keep: float) -> Ranked:
    """Articles by score, each with its best units by score; these may overlap."""
    rank, which = _in_ranked_articles(candidates, most, keep)
    order = which[np.lexsort((which, -candidates.score[which], rank[which]))][:most]
    return _with_article_scores(candidates, order)


def best_in_context(candidates: Candidates, most: int) -> Ranked:
    """Articles by score, each with its best unit."""
    rank, which = _in_ranked_articles(candidates, most, 1.0)
    order = which[np.lexsort((which, rank[which]))]
    is_first = np.diff(rank[order], prepend=-1) != 0
    return _with_article_scores(candidates, order[is_first][:most])


def by_best_unit(candidates: Candidates) -> Candidates:
    """The candidates with articles scored by their best unit.

    >>> units = Candidates(*map(np.array, ([0, 0, 1], [0.5, 0.7, 0.6], [0, 0, 9], [9, 5, 9])), None)
    >>> by_best_unit(units._replace(article_score=np.zeros(2))).article_score.tolist()
    [0.7, 0.6]
    """
    best = np.full(len(candidates.article_score), -np.inf)
    np.maximum.at(best, candidates.article, candidates.score)
    return candidates._replace(article_score=best)


def _in_ranked_articles(candidates: Candidates, most: int, keep: float) -> tuple[Ints, Ints]:
    """The rank of each unit's article, and the units that are good enough to be returned.

    As every article returns at least one unit, `most` articles are enough.
    """
    best = by_best_unit(candidates).article_score
    has_units = np.flatnonzero(np.isfinite(best))
    articles = has_units[best_first(candidates.article_score[has_units], most)]
    rank = np.full(len(best), len(best), dtype=np.int64)
    rank[articles] = np.arange(len(articles))
    # A share of a score below zero would be a higher score.
    least = np.where(best > 0, keep * best, best)
    is_good = candidates.score >= least[candidates.article]
    is_ranked = rank[candidates.article] < len(best)
    return rank[candidates.article], np.flatnonzero(is_good & is_ranked)


def _with_article_scores(candidates: Candidates, which: Ints) -> Ranked:
    return Ranked(which, candidates.article_score[candidates.article[which]])
