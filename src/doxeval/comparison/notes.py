"""What to be careful about in a comparison of runs, in words.

There is one line for each kind of problem, however many pairs it concerns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from doxeval.comparison.comparison import Pair
from doxeval.comparison.paired import Column
from doxeval.comparison.resampling import EXACT_UP_TO
from doxeval.comparison.significance import Test
from doxeval.messages import plural, truncate

_MOST_PAIRS = 3


def notes(
    column: Column, pairs: Sequence[Pair], test: Test, alpha: float, resamples: int
) -> Iterator[str]:
    """Pairs that were not tested, topics that runs do not share, resamples that are too few.

    >>> from doxeval.scores import MeasureFacts
    >>> values = {"a": np.array([0.5, np.nan]), "b": np.array([0.25, 0.5])}
    >>> column = Column(MeasureFacts("MAiP", "MAiP(alpha=0)", ""), values)
    >>> print(next(notes(column, [Pair("a", "b", 1)], "t", 0.05, 1)))
    a and b are not tested: one topic has a score by MAiP from both
    """
    yield from _not_tested(column, pairs)
    yield from _unshared_scores(column, pairs)
    yield from _unshared_results(column, pairs)
    yield from _too_few_resamples(pairs, test, alpha, resamples)


def _not_tested(column: Column, pairs: Sequence[Pair]) -> Iterator[str]:
    for count, common in ((1, "one topic"), (0, "no topic")):
        lacking = [pair for pair in pairs if pair.p is None and pair.topics == count]
        if lacking:
            who = _named(
                [f"{truncate(pair.first)} and {truncate(pair.second)}" for pair in lacking]
            )
            label = truncate(column.facts.label)
            yield f"{who} are not tested: {common} has a score by {label} from both"


def _unshared_scores(column: Column, pairs: Sequence[Pair]) -> Iterator[str]:
    defined = {tuple(np.isnan(values).tolist()) for values in column.values.values()}
    if len(defined) > 1:
        total = column.scored_topics
        few = sorted((pair for pair in pairs if pair.topics < total), key=lambda pair: pair.topics)
        shared = _named(
            [f"{truncate(p.first)} and {truncate(p.second)} {p.topics:,} of {total:,}" for p in few]
        )
        yield (
            f"not all runs have a score by {truncate(column.facts.label)} for the same topics: "
            "means are "
            f"over each run's own topics, differences over common ones ({shared})"
        )


def _unshared_results(column: Column, pairs: Sequence[Pair]) -> Iterator[str]:
    """Topics without results have a score too, so the scores alone do not show them."""
    few = [
        (pair.with_results, pair)
        for pair in pairs
        if pair.with_results is not None and pair.with_results < pair.topics
    ]
    if few:
        few.sort(key=lambda one: one[0])
        shared = _named(
            [
                f"{truncate(p.first)} and {truncate(p.second)} for {count:,} of {p.topics:,} topics"
                for count, p in few
            ]
        )
        yield (
            f"not all runs have results for the same topics: both have results {shared}; "
            "topics without results still count, with the score of an empty list"
        )


def _too_few_resamples(
    pairs: Sequence[Pair], test: Test, alpha: float, resamples: int
) -> Iterator[str]:
    tested = sum(pair.p is not None for pair in pairs)
    is_drawn = test == "bootstrap" or (
        test == "randomization" and any(pair.topics > EXACT_UP_TO for pair in pairs)
    )
    if is_drawn and tested >= alpha * (resamples + 1):
        yield (
            f"with {resamples:,} resamples no p is below 1/{resamples + 1:,}, which Holm's "
            f"correction for {plural(tested, 'pair')} raises to alpha or above: take more "
            "resamples"
        )


def _named(pairs: Sequence[str]) -> str:
    """The first pairs, and how many more there are."""
    shown = ", ".join(pairs[:_MOST_PAIRS])
    more = len(pairs) - _MOST_PAIRS
    return f"{shown} and {plural(more, 'more pair')}" if more > 0 else shown
