"""What follows from a comparison or a correlation, in words."""

from __future__ import annotations

from collections.abc import Sequence

from doxeval.comparison.comparison import Comparison
from doxeval.comparison.correlations import Correlations, MeasurePair
from doxeval.messages import join_names, truncate

_MOST_NAMES = 8
_CORRELATED = 0.05


def conclusion(found: Comparison) -> str:
    """A sentence or two about runs that were compared.

    >>> from doxeval.comparison.comparison import Pair, RunMean
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

    >>> from doxeval.comparison.correlations import Coefficient
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
