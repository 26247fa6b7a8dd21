"""What to be careful about in a comparison of runs, in words.

There is one line for each kind of problem, however many pairs it concerns.

What follows from a comparison or a correlation, in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from doxeval.comparison.significance import EXACT_UP_TO, Column, Test
from doxeval.messages import join_names, plural, truncate

if TYPE_CHECKING:
    from doxeval.comparison.correlations import Correlations, MeasurePair
    from doxeval.comparison.pairwise import Comparison, Pair

_MOST_PAIRS = 3


def notes(
    column: Column, pairs: Sequence[Pair], test: Test, alpha: float, resamples: int
) -> Iterator[str]:
    """Pairs that were not tested, topics that runs do not share, resamples that are too few.

    >>> from doxeval.comparison import Pair
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


_MOST_NAMES = 8
_CORRELATED = 0.05


def conclusion(found: Comparison) -> str:
    """A sentence or two about runs that were compared.

    >>> from doxeval.comparison import Comparison, Pair, RunMean
    >>> from doxeval.scores import MeasureFacts
    >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
    >>> runs = (RunMean("a", 0.5, 9), RunMean("b", 0.4, 9))
    >>> pair = Pair("a", "b", 9, 0.1, p=0.3, corrected=0.3, better="a")
    >>> conclusion(Comparison(facts, "t", 0.05, runs, (pair,), (("a", "b"),)))
    'No difference is significant: these topics do not tell the runs apart by MAiP.'
    """
    if all(pair.p is None for pair in found.pairs):
        return "Nothing can be concluded: no pair of runs could be tested."
    if not any(pair.significant for pair in found.pairs):
        return (
            "No difference is significant: these topics do not tell the runs apart "
            f"by {truncate(found.measure.label)}."
        )
    return _against_others(found) if found.baseline is None else _against_baseline(found)


def _against_baseline(found: Comparison) -> str:
    baseline = truncate(str(found.baseline))
    significant = [pair for pair in found.pairs if pair.significant]
    verdicts = {
        f"significantly better than {baseline}": [
            pair.first for pair in significant if pair.better == pair.first
        ],
        f"significantly worse than {baseline}": [
            pair.first for pair in significant if pair.better != pair.first
        ],
        "not shown to differ from it": [p.first for p in found.pairs if not p.significant],
    }
    sentence = "; ".join(f"{verdict}: {_names(runs)}" for verdict, runs in verdicts.items() if runs)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _against_others(found: Comparison) -> str:
    best = found.ranking[0].run
    own = [pair for pair in found.pairs if pair.first == best]
    below = [pair.second for pair in own if pair.significant and pair.better == best]
    above = [pair.second for pair in own if pair.significant and pair.better != best]
    equal = [pair.second for pair in own if not pair.significant]
    parts = []
    if below:
        parts.append(
            f"significantly better than {_names(below) if equal or above else 'every other run'}"
        )
    if above:
        parts.append(f"by this test significantly worse than {_names(above)}")
    if equal:
        parts.append(
            f"not shown to differ from {_names(equal) if below or above else 'any other run'}"
        )
    return (
        f"Runs that share a letter are not shown to differ. {truncate(best)}, the first by its "
        "mean, "
        f"is {'; '.join(parts)}."
    )


def agreements(found: Correlations) -> list[str]:
    """A sentence about each pair of measures: how alike they rank, and whether it may be chance.

    >>> from doxeval.comparison import Coefficient, Correlations, MeasurePair
    >>> pair = MeasurePair("MAiP", "iP[.01]", 9, tau=Coefficient(0.7222, 0.006))
    >>> print(*agreements(Correlations((pair,))))
    MAiP and iP[.01] rank the systems noticeably differently (τ below 0.8), but are correlated.
    """
    return [_agreement(pair) for pair in found.pairs]


def _agreement(pair: MeasurePair) -> str:
    both = f"{truncate(pair.first)} and {truncate(pair.second)}"
    how = {
        "equivalent": "equivalently (τ above 0.9)",
        "in between": "neither equivalently nor noticeably differently (τ from 0.8 to 0.9)",
        "noticeably different": "noticeably differently (τ below 0.8)",
    }
    if pair.tau.value is None or pair.agreement is None:
        return f"{both} cannot be compared: they do not give two rankings."
    is_shown = pair.tau.p is not None and pair.tau.p < _CORRELATED
    if not is_shown:
        tail = f", but {pair.systems} systems do not rule out chance"
    elif pair.agreement != "noticeably different":
        tail = ""
    else:
        tail = ", but are correlated" if pair.tau.value > 0 else " and are negatively correlated"
    return f"{both} rank the systems {how[pair.agreement]}{tail}."


def _names(runs: Sequence[str]) -> str:
    return join_names(runs, _MOST_NAMES)
