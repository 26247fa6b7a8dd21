"""Feedback: a query is expanded by what is in its best results (RM3).

The best results are a sample of relevant text. How likely a term is in such text is estimated from
them, each result counting by its share in the sum of their scores: that is the relevance model. Its
most likely terms join the query, and the query as it was keeps the rest of the weight.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import filterfalse, islice
from typing import NamedTuple

import numpy as np

from doxeval.retrieve.models import Feedback
from doxeval.retrieve.query import Item
from doxeval.retrieve.ranking import round_scores
from doxeval.retrieve.text import Analysis

# A term is too common to be added if it occurs more often than this, and is more than this share of
# all words. That bounds what a query costs, also in languages whose stop words nobody listed.
COMMON_OCCURRENCES = 1000
COMMON_SHARE = 1 / 500


def is_common(occurrences: int, words: int) -> bool:
    """Return whether a term is too common to be added to a query.

    >>> is_common(900, 1000), is_common(1001, 500_000), is_common(1001, 1_000_000)
    (False, True, False)
    """
    return occurrences > max(COMMON_OCCURRENCES, words * COMMON_SHARE)


class FeedbackResult(NamedTuple):
    """A result of the query as it was: its score, and its terms in order."""

    score: float
    terms: Sequence[str]


def expand(
    items: Sequence[Item],
    results: Iterable[FeedbackResult],
    feedback: Feedback,
    is_skipped: Callable[[str], bool] = lambda _: False,
) -> tuple[Item, ...]:
    """Return the items of a query with other weights, and those that its best results add.

    Terms that are skipped, such as common ones, are not added, and neither are unwanted ones.
    Unwanted items keep their weights. Results whose score is not above 0 say nothing.

    >>> fog = Item("fog", ("fog",), 1.0)
    >>> results = [FeedbackResult(3.0, ["fog", "horn"]), FeedbackResult(1.0, ["sea"])]
    >>> for item in expand([fog], results, Feedback(results=2, terms=2, weight=0.5)):
    ...     print(item.text, round(item.weight, 4))
    fog 0.75
    horn 0.25
    """
    unwanted = {item.terms[0] for item in items if item.weight < 0 and len(item.terms) == 1}
    model = _relevance_model(results, feedback, lambda term: term in unwanted or is_skipped(term))
    if not model:
        return tuple(items)
    whole = sum(item.weight for item in items if item.weight > 0)
    added = {term: feedback.weight * whole * share for term, share in model.items()}
    expanded = []
    for item in items:
        if item.weight > 0:
            more = added.pop(item.terms[0], 0.0) if len(item.terms) == 1 else 0.0
            item = item._replace(weight=(1 - feedback.weight) * item.weight + more)
        expanded.append(item)
    expanded += [Item(term, (term,), weight) for term, weight in added.items()]
    return tuple(item for item in expanded if item.weight != 0)


def _relevance_model(
    results: Iterable[FeedbackResult], feedback: Feedback, is_skipped: Callable[[str], bool]
) -> dict[str, float]:
    """Return the likeliest terms of relevant text, and their shares, which add up to 1."""
    best = [result for result in results if result.score > 0 and result.terms]
    total = sum(result.score for result in best)
    share: dict[str, float] = {}
    for score, terms in best:
        for term, count in Counter(terms).items():
            share[term] = share.get(term, 0.0) + score / total * (count / len(terms))
    if not share:
        return {}
    rounded = dict(zip(share, round_scores(np.array(list(share.values()))).tolist(), strict=True))
    likeliest = sorted(share, key=lambda term: (-rounded[term], term))
    chosen = list(islice(filterfalse(is_skipped, likeliest), feedback.terms))
    whole = sum(share[term] for term in chosen)
    return {term: share[term] / whole for term in chosen}


def terms_of_stop_words(stop: Iterable[str], analysis: Analysis) -> frozenset[str]:
    """Return the terms of stop words, which are no use in a query.

    >>> sorted(terms_of_stop_words(["The", "ones"], Analysis("s")))
    ['one', 'the']
    """
    return frozenset(map(analysis.term, stop))
