"""Whether measures rank systems alike: correlations of the means of systems.

Means by measures where lower is better are negated first, so that a correlation is positive where
two measures agree about what is good. The regression line is fitted to the means as they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np

from doxeval.arrays import Floats
from doxeval.comparison.ap_correlation import (
    EXACT_UP_TO,
    all_orders,
    symmetric_tau_ap,
    tau_ap,
    tau_ap_probability,
)
from doxeval.comparison.paired import Column, check_runs, rounded
from doxeval.comparison.resampling import check_resampling, generator
from doxeval.errors import InputError, warn
from doxeval.messages import join_names, plural, quoted
from doxeval.named import checked
from doxeval.scores import ScoreTable, aligned, shortened, warning_lines

RESAMPLES = 10_000
_MOST_SHOWN = 10
EQUIVALENT, DIFFERENT = 0.9, 0.8
Agreement = Literal["equivalent", "in between", "noticeably different"]


class Coefficient(NamedTuple):
    """A correlation, and the probability of one as strong by chance; None where undefined.

    >>> Coefficient(0.95, 0.001).value
    0.95
    """

    value: float | None = None
    p: float | None = None


_UNDEFINED = Coefficient()


@dataclass(frozen=True, repr=False)
class MeasurePair:
    """Two measures, and how alike they rank the systems that have a mean by both.

    tau: Kendall's τ-b. tau_ap: the mean of τ_AP with the first and the second measure's ranking as
    the reference, which are tau_ap_by_first and tau_ap_by_second. slope, intercept: the
    least-squares line second = intercept + slope · first.

    >>> pair = MeasurePair("MAiP", "iP[.01]", 9, tau=Coefficient(0.85, 0.001))
    >>> pair.agreement
    'in between'
    >>> pair
    <MAiP and iP[.01]: τ 0.850 (in between), 9 systems>
    """

    first: str
    second: str
    systems: int
    tau: Coefficient = _UNDEFINED
    tau_ap: Coefficient = _UNDEFINED
    tau_ap_by_first: float | None = None
    tau_ap_by_second: float | None = None
    pearson: Coefficient = _UNDEFINED
    spearman: Coefficient = _UNDEFINED
    slope: float | None = None
    intercept: float | None = None

    @property
    def agreement(self) -> Agreement | None:
        """τ above .9 is equivalent, below .8 noticeably different [Voorhees 2001]."""
        if self.tau.value is None:
            return None
        if self.tau.value > EQUIVALENT:
            return "equivalent"
        return "noticeably different" if self.tau.value < DIFFERENT else "in between"

    def __repr__(self) -> str:
        found = (
            "undefined" if self.tau.value is None else f"{self.tau.value:.3f} ({self.agreement})"
        )
        both = f"{shortened(self.first)} and {shortened(self.second)}"
        return f"<{both}: τ {found}, {plural(self.systems, 'system')}>"


@dataclass(frozen=True, repr=False)
class Correlations:
    """All pairs of measures.

    >>> found = Correlations((MeasurePair("MAiP", "iP[.01]", 9, Coefficient(0.85)),))
    >>> found.pair("iP[.01]", "MAiP").systems
    9
    >>> found
    Correlations of 1 pair of measures
    measures          Kendall τ   agreement
    MAiP and iP[.01]      0.850  in between
    """

    pairs: tuple[MeasurePair, ...]
    resamples: int = RESAMPLES
    seed: int = 0
    notes: tuple[str, ...] = ()

    def pair(self, one: str, other: str) -> MeasurePair:
        """The pair of two measures, named in either order."""
        for pair in self.pairs:
            if {pair.first, pair.second} == {one, other}:
                return pair
        raise InputError(f"{quoted(one)} and {quoted(other)} were not correlated")

    def __repr__(self) -> str:
        shown = self.pairs[:_MOST_SHOWN]
        lines = [
            f"Correlations of {plural(len(self.pairs), 'pair')} of measures",
            *aligned(_HEADER, _rows(shown), longest=90),
        ]
        if len(self.pairs) > len(shown):
            lines.append(f"… and {plural(len(self.pairs) - len(shown), 'more pair')}")
        return "\n".join([*lines, *warning_lines(self.notes)])

    def _repr_html_(self) -> str:
        """How notebooks show it: each pair of measures with Kendall's τ and what it says."""
        from doxeval.scores import html_table

        return html_table(_HEADER, _rows(self.pairs), self.notes)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            "resamples": self.resamples,
            "seed": self.seed,
            "pairs": [_as_dict(pair) for pair in self.pairs],
            "notes": list(self.notes),
        }


_HEADER = ("measures", "Kendall τ", "agreement")


def _rows(pairs: Sequence[MeasurePair]) -> list[list[str]]:
    return [
        [
            f"{shortened(pair.first)} and {shortened(pair.second)}",
            "—" if pair.tau.value is None else f"{pair.tau.value:.3f}",
            pair.agreement or "—",
        ]
        for pair in pairs
    ]


@checked
def correlate(
    table: ScoreTable,
    measures: Sequence[object] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Correlations:
    """Correlate the rankings of systems by each pair of measures (by default, of all measures).

    Measures are given by any of their names or as values. The p-value of τ_AP comes from a
    permutation test, whose random numbers depend on the seed and the names of the measures.

    >>> from doxeval.scores import MeasureFacts, RunScores
    >>> facts = tuple(MeasureFacts(name, name, name) for name in ("A", "B"))
    >>> means = {"u": [0.1, 0.2], "v": [0.2, 0.5], "w": [0.3, 0.4], "x": [0.4, 0.7]}
    >>> runs = tuple(
    ...     RunScores(run, np.array([[a], [b]]), np.array([True])) for run, (a, b) in means.items()
    ... )
    >>> pair = correlate(ScoreTable(facts, ("1",), runs)).pair("A", "B")
    >>> round(pair.tau.value, 4), pair.agreement
    (0.6667, 'noticeably different')
    """
    check_runs(table, "a correlation")
    wanted = table.labels if measures is None else measures
    wanted = [wanted] if isinstance(wanted, str) else wanted
    chosen = list(dict.fromkeys(table.index_of_measure(measure) for measure in wanted))
    if len(chosen) < 2:
        raise InputError(f"a correlation needs two measures or more, not {len(chosen)}")
    check_resampling(resamples, seed)
    columns = [Column.of(table, number) for number in chosen]
    pairs = [_correlated(one, two, resamples, seed) for one, two in combinations(columns, 2)]
    found = Correlations(tuple(pairs), resamples, seed, tuple(_notes(columns)))
    warn(found.notes)
    return found


def _correlated(one: Column, two: Column, resamples: int, seed: int) -> MeasurePair:
    first, second = one.facts.label, two.facts.label
    x, y = _common_means(one, two)
    if len(x) < 2 or not (np.ptp(x) and np.ptp(y)):
        return MeasurePair(first, second, len(x))
    good_x = x if one.facts.higher_is_better else -x
    good_y = y if two.facts.higher_is_better else -y
    slope, intercept = _line(x, y)
    return MeasurePair(
        first,
        second,
        len(x),
        _by_scipy("kendalltau", good_x, good_y),
        _tau_ap(good_x, good_y, resamples, generator(seed, first, second), first <= second),
        tau_ap(good_y, good_x),
        tau_ap(good_x, good_y),
        _by_scipy("pearsonr", good_x, good_y),
        _spearman(good_x, good_y),
        slope,
        intercept,
    )


def _common_means(one: Column, two: Column) -> tuple[Floats, Floats]:
    """The means of the systems that have both, sorted by the names of the systems."""
    others = two.means
    means = [
        (mean, other)
        for run, mean in sorted(one.means.items())
        if mean is not None and (other := others[run]) is not None
    ]
    pairs = np.array(means, dtype=np.float64).reshape(-1, 2)
    return rounded(pairs[:, 0]), rounded(pairs[:, 1])


def _by_scipy(name: str, x: Floats, y: Floats) -> Coefficient:
    from scipy import stats

    if len(x) < 3:  # two rankings of two systems agree or disagree; p would mean nothing
        return Coefficient(float(np.sign(x[1] - x[0]) * np.sign(y[1] - y[0])))
    found = getattr(stats, name)(x, y)
    return Coefficient(_defined(found.statistic), _defined(found.pvalue))


def _spearman(x: Floats, y: Floats) -> Coefficient:
    """For few systems p comes from all orders, because scipy's approximation is bad there."""
    found = _by_scipy("spearmanr", x, y)
    if not 3 <= len(x) <= EXACT_UP_TO:
        return found
    from scipy import stats

    ranks, others = stats.rankdata(x) - (len(x) + 1) / 2, stats.rankdata(y) - (len(y) + 1) / 2
    products = np.abs(others[all_orders(len(x))] @ ranks)
    return found._replace(p=float((products >= abs(float(others @ ranks)) - 1e-9).mean()))


def _tau_ap(
    x: Floats, y: Floats, resamples: int, random: np.random.Generator, is_in_order: bool
) -> Coefficient:
    """Takes the measures sorted by name, so that p does not depend on the order they are given."""
    one, two = (x, y) if is_in_order else (y, x)
    p = tau_ap_probability(one, two, resamples, random) if len(x) > 2 else None
    return Coefficient(symmetric_tau_ap(one, two), p)


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    """Slope and intercept of the least-squares line."""
    from scipy import stats

    found = stats.linregress(x, y)
    return float(found.slope), float(found.intercept)


def _notes(columns: Sequence[Column]) -> list[str]:
    notes = []
    for column in columns:
        label, means = column.facts.label, column.means
        missing = [run for run, mean in means.items() if mean is None]
        if missing:
            notes.append(
                f"left out for lack of a mean by {shortened(label)}: {join_names(missing)}"
            )
        defined = np.array([mean for mean in means.values() if mean is not None])
        if len(defined) > 1 and not np.ptp(rounded(defined)):
            notes.append(
                f"all systems have the same mean by {shortened(label)}, so it gives no ranking"
            )
    return notes


def _as_dict(pair: MeasurePair) -> dict[str, Any]:
    plain = asdict(pair)
    for name in ("tau", "tau_ap", "pearson", "spearman"):
        plain[name] = getattr(pair, name)._asdict()
    return plain | {"agreement": pair.agreement}


def _defined(value: Any) -> float | None:
    return None if math.isnan(value) else float(value)
