"""Comparisons and correlations in words: what to be careful about, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from doxeval.comparison.significance import EXACT_UP_TO, TITLES, Test
from doxeval.messages import join_names, plural, truncate
from doxeval.scores import JUDGED_DEPTH, shortened

if TYPE_CHECKING:
    from doxeval.comparison.correlations import Correlations, MeasurePair
    from doxeval.comparison.pairwise import Comparison, MeasureColumn, Pair
    from doxeval.scores import ScoreTable

_MAX_PAIRS = 3
_MAX_NAMES = 8
_JUDGED_ALIKE = 0.1 + 1e-9  # shares that differ by more make a comparison unfair
_CORRELATED = 0.05  # p below this shows a correlation


def comparison_warnings(
    column: MeasureColumn, pairs: Sequence[Pair], test: Test, alpha: float, resamples: int
) -> Iterator[str]:
    """Yield one line for each kind of problem, however many pairs it concerns.

    Pairs may not be tested, runs may not share topics, and resamples may be too few.

    >>> from doxeval.comparison import MeasureColumn, Pair
    >>> from doxeval.scores import MeasureFacts
    >>> values = {"a": np.array([0.5, np.nan]), "b": np.array([0.25, 0.5])}
    >>> column = MeasureColumn(MeasureFacts("MAiP", "MAiP(alpha=0)", ""), values)
    >>> print(next(comparison_warnings(column, [Pair("a", "b", 1)], "t", 0.05, 1)))
    a and b are not tested: one topic has a score by MAiP from both
    """
    if pairs and column.facts.average == "geometric":
        label = truncate(column.facts.label)
        yield f"{label}: means are geometric, differences are those of logarithms"
    yield from _not_tested(column, pairs)
    yield from _unshared_scores(column, pairs)
    yield from _unshared_results(column, pairs)
    yield from _too_few_resamples(pairs, test, alpha, resamples)


def _not_tested(column: MeasureColumn, pairs: Sequence[Pair]) -> Iterator[str]:
    for count, common in ((1, "one topic"), (0, "no topic")):
        untested = [pair for pair in pairs if pair.p is None and pair.topics == count]
        if untested:
            who = _first_of([_both(pair) for pair in untested])
            label = truncate(column.facts.label)
            yield f"{who} are not tested: {common} has a score by {label} from both"


def _unshared_scores(column: MeasureColumn, pairs: Sequence[Pair]) -> Iterator[str]:
    defined = {tuple(np.isnan(values).tolist()) for values in column.values.values()}
    if len(defined) > 1:
        total = column.scored_topics
        few = sorted((pair for pair in pairs if pair.topics < total), key=lambda pair: pair.topics)
        shared = _first_of([f"{_both(pair)} {pair.topics:,} of {total:,}" for pair in few])
        yield (
            f"not all runs have a score by {truncate(column.facts.label)} for the same topics: "
            f"means are over each run's own topics, differences over common ones ({shared})"
        )


def _unshared_results(column: MeasureColumn, pairs: Sequence[Pair]) -> Iterator[str]:
    # Topics without results have a score as well, so the scores alone do not show them.
    few = [
        (pair.with_results, pair)
        for pair in pairs
        if pair.with_results is not None and pair.with_results < pair.topics
    ]
    if few:
        few.sort(key=lambda item: item[0])
        shared = _first_of(
            [f"{_both(pair)} for {count:,} of {pair.topics:,} topics" for count, pair in few]
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


def judged_warnings(table: ScoreTable) -> Iterator[str]:
    """Yield a warning if much more of some run was judged than of another.

    >>> from doxeval.scores import JudgedSummary, RunScores, ScoreTable
    >>> scores, counted = np.array([[0.5]]), np.array([True])
    >>> judged = {"a": JudgedSummary(0.92, 10, 1), "b": JudgedSummary(0.71, 10, 3)}
    >>> runs = [RunScores(run, scores, counted, judged=share) for run, share in judged.items()]
    >>> print(*judged_warnings(ScoreTable((), ("7",), tuple(runs))))
    of the first 10 documents of a topic, 92.0% of a are judged and 71.0% of b: what was not \
judged counts as not relevant, which may be unfair to b; judged_only=on leaves it out
    """
    shares = {run.run: run.judged.first for run in table.runs if run.judged is not None}
    if not shares:
        return
    most, least = max(shares, key=shares.__getitem__), min(shares, key=shares.__getitem__)
    if shares[most] - shares[least] > _JUDGED_ALIKE:
        yield (
            f"of the first {JUDGED_DEPTH} documents of a topic, {shares[most]:.1%} of "
            f"{shortened(most)} are judged and {shares[least]:.1%} of {shortened(least)}: what was "
            f"not judged counts as not relevant, which may be unfair to {shortened(least)}; "
            "judged_only=on leaves it out"
        )


def _both(pair: Pair) -> str:
    return f"{shortened(pair.first)} and {shortened(pair.second)}"


def _first_of(pairs: Sequence[str]) -> str:
    """Return the first pairs, and how many more there are."""
    shown = ", ".join(pairs[:_MAX_PAIRS])
    more = len(pairs) - _MAX_PAIRS
    return f"{shown} and {plural(more, 'more pair')}" if more > 0 else shown


def describe_test(comparison: Comparison, what: str = "") -> str:
    """Return how pairs of runs were tested: the test (of what), the correction and the level.

    >>> from doxeval.comparison import Comparison, Pair, RunMean
    >>> from doxeval.scores import MeasureFacts
    >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
    >>> comparison = Comparison(facts, "randomization", 0.05, (), (Pair("a", "b", 9),))
    >>> describe_test(comparison, " of MAiP")
    "Fisher's randomization test of MAiP, exact; Holm's correction for 1 pair, alpha 0.05"
    """
    test, pairs = comparison.test, comparison.pairs
    how = ""
    if test == "randomization" and all(pair.topics <= EXACT_UP_TO for pair in pairs):
        how = ", exact"
    elif test in ("bootstrap", "randomization"):
        how = f", {comparison.resamples:,} resamples, seed {comparison.seed}"
    return (
        f"{TITLES[test]}{what}{how}; Holm's correction for {plural(len(pairs), 'pair')}, "
        f"alpha {comparison.alpha:g}"
    )


def conclusion(comparison: Comparison) -> str:
    """Return a sentence or two about runs that were compared.

    >>> from doxeval.comparison import Comparison, Pair, RunMean
    >>> from doxeval.scores import MeasureFacts
    >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
    >>> runs = (RunMean("a", 0.5, 9), RunMean("b", 0.4, 9))
    >>> pair = Pair("a", "b", 9, 0.1, p=0.3, corrected=0.3, better="a")
    >>> conclusion(Comparison(facts, "t", 0.05, runs, (pair,), (("a", "b"),)))
    'No difference is significant: these topics do not tell the runs apart by MAiP.'
    """
    if all(pair.p is None for pair in comparison.pairs):
        return "Nothing can be concluded: no pair of runs could be tested."
    if not any(pair.significant for pair in comparison.pairs):
        return (
            "No difference is significant: these topics do not tell the runs apart "
            f"by {truncate(comparison.measure.label)}."
        )
    if comparison.baseline is None:
        return _best_against_others(comparison)
    return _others_against_baseline(comparison, shortened(comparison.baseline))


def _others_against_baseline(comparison: Comparison, baseline: str) -> str:
    significant = [pair for pair in comparison.pairs if pair.significant]
    verdicts = {
        f"significantly better than {baseline}": [
            pair.first for pair in significant if pair.better == pair.first
        ],
        f"significantly worse than {baseline}": [
            pair.first for pair in significant if pair.better != pair.first
        ],
        "not shown to differ from it": [
            pair.first for pair in comparison.pairs if not pair.significant
        ],
    }
    sentence = "; ".join(f"{verdict}: {_names(runs)}" for verdict, runs in verdicts.items() if runs)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _best_against_others(comparison: Comparison) -> str:
    best = comparison.ranking[0].run
    pairs = [pair for pair in comparison.pairs if pair.first == best]
    below = [pair.second for pair in pairs if pair.significant and pair.better == best]
    above = [pair.second for pair in pairs if pair.significant and pair.better != best]
    equal = [pair.second for pair in pairs if not pair.significant]
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
        f"Runs that share a letter are not shown to differ. {shortened(best)}, the first by its "
        f"mean, is {'; '.join(parts)}."
    )


def agreements(correlations: Correlations) -> list[str]:
    """Return a sentence per pair of measures: how alike they rank, and if by chance alone.

    >>> from doxeval.comparison import Coefficient, Correlations, MeasurePair
    >>> pair = MeasurePair("MAiP", "iP[.01]", 9, tau=Coefficient(0.7222, 0.006))
    >>> print(*agreements(Correlations((pair,))))
    MAiP and iP[.01] rank the systems noticeably differently (τ below 0.8), but are correlated.
    """
    return [_agreement(pair) for pair in correlations.pairs]


def _agreement(pair: MeasurePair) -> str:
    both = f"{shortened(pair.first)} and {shortened(pair.second)}"
    how = {
        "equivalent": "equivalently (τ above 0.9)",
        "in between": "neither equivalently nor noticeably differently (τ from 0.8 to 0.9)",
        "noticeably different": "noticeably differently (τ below 0.8)",
    }
    if pair.tau.value is None or pair.agreement is None:
        return f"{both} cannot be compared: they do not give two rankings."
    if pair.tau.p is None or pair.tau.p >= _CORRELATED:
        tail = f", but {pair.systems} systems do not rule out chance"
    elif pair.agreement != "noticeably different":
        tail = ""
    else:
        tail = ", but are correlated" if pair.tau.value > 0 else " and are negatively correlated"
    return f"{both} rank the systems {how[pair.agreement]}{tail}."


def _names(runs: Sequence[str]) -> str:
    return join_names(runs, _MAX_NAMES)
