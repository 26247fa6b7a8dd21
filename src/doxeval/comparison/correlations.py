"""Whether measures rank systems alike: correlations of the means of systems.

Means by measures where lower is better are negated first, so that a correlation is positive where
two measures agree about what is good. The regression line is fitted to the means as they are.

τ_AP is a correlation of rankings that weighs the top more [Yilmaz, Aslam, Robertson 2008]. One
ranking is the reference (the "actual" one), the other is judged by it (the "estimated" one). For
each system of the judged ranking except those at its top, take the share of the systems above it
that the reference also has above it; τ_AP is twice the mean share, minus 1. The two directions
differ; their mean is symmetric. Of two tied systems neither is above the other: this is τ_AP,b of
Urbano and Marrero (The Treatment of Ties in AP Correlation, ICTIR 2017).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import combinations, permutations
from typing import Any, Literal, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.comparison.notes import judged_warnings
from doxeval.comparison.pairwise import MeasureColumn, check_runs, measure_indexes
from doxeval.comparison.significance import check_resampling, generator, rounded
from doxeval.errors import InputError, warn
from doxeval.messages import join_names, plural, quoted
from doxeval.named import checked
from doxeval.scores import ScoreTable, ShownAsTable, TextTable, format_score, shortened

RESAMPLES = 10_000
# Up to this number of systems all orders are tried.
EXACT_SYSTEMS = 7
_VALUES_AT_ONCE = 1 << 20
_EQUIVALENT = 0.9
_DIFFERENT = 0.8
RankAgreement = Literal["equivalent", "in between", "noticeably different"]


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
    chosen = measure_indexes(table, measures)
    if len(chosen) < 2:
        raise InputError(f"a correlation needs two measures or more, not {len(chosen)}")
    check_resampling(resamples, seed)
    columns = [MeasureColumn.of(table, number) for number in chosen]
    pairs = tuple(_correlated(x, y, resamples, seed) for x, y in combinations(columns, 2))
    warnings = (*_correlation_warnings(columns), *judged_warnings(table))
    warn(warnings)
    return Correlations(pairs, resamples, seed, warnings)


# The result


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
    def agreement(self) -> RankAgreement | None:
        """τ above .9 is equivalent, below .8 noticeably different [Voorhees 2001]."""
        if self.tau.value is None:
            return None
        if self.tau.value > _EQUIVALENT:
            return "equivalent"
        return "noticeably different" if self.tau.value < _DIFFERENT else "in between"

    def __repr__(self) -> str:
        tau = "undefined" if self.tau.value is None else f"{self.tau.value:.3f} ({self.agreement})"
        return f"<{self._both}: τ {tau}, {plural(self.systems, 'system')}>"

    @property
    def _both(self) -> str:
        return f"{shortened(self.first)} and {shortened(self.second)}"

    def _as_dict(self) -> dict[str, Any]:
        plain = asdict(self)
        for name in ("tau", "tau_ap", "pearson", "spearman"):
            plain[name] = getattr(self, name)._asdict()
        return plain | {"agreement": self.agreement}


@dataclass(frozen=True, repr=False)
class Correlations(ShownAsTable):
    """All pairs of measures.

    >>> correlations = Correlations((MeasurePair("MAiP", "iP[.01]", 9, Coefficient(0.85)),))
    >>> correlations.pair("iP[.01]", "MAiP").systems
    9
    >>> correlations
    Correlations of 1 pair of measures
    measures          Kendall τ   agreement
    MAiP and iP[.01]      0.850  in between
    """

    pairs: tuple[MeasurePair, ...]
    resamples: int = RESAMPLES
    seed: int = 0
    notes: tuple[str, ...] = ()

    def pair(self, one: str, other: str) -> MeasurePair:
        """Return the pair of two measures, named in either order."""
        for pair in self.pairs:
            if {pair.first, pair.second} == {one, other}:
                return pair
        raise InputError(f"{quoted(one)} and {quoted(other)} were not correlated")

    def as_table(self) -> TextTable:
        """Return each pair of measures with Kendall's τ and what it says."""
        rows = [
            [pair._both, format_score(pair.tau.value, ".3f"), pair.agreement or "—"]
            for pair in self.pairs
        ]
        return TextTable(
            ["measures", "Kendall τ", "agreement"],
            rows,
            f"Correlations of {plural(len(self.pairs), 'pair')} of measures",
            noun="pair",
            warnings=self.notes,
            longest=90,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return {
            "resamples": self.resamples,
            "seed": self.seed,
            "pairs": [pair._as_dict() for pair in self.pairs],
            "notes": list(self.notes),
        }


# A pair of measures


def _correlated(
    column_x: MeasureColumn, column_y: MeasureColumn, resamples: int, seed: int
) -> MeasurePair:
    """Return how two measures rank the systems; nothing but their number if there is no ranking."""
    from scipy import stats

    first, second = column_x.facts.label, column_y.facts.label
    x, y = _common_means(column_x, column_y)
    if len(x) < 2 or not (np.ptp(x) and np.ptp(y)):
        return MeasurePair(first, second, len(x))
    good_x = x if column_x.facts.higher_is_better else -x
    good_y = y if column_y.facts.higher_is_better else -y
    # p is for the measures sorted by name, so that it does not depend on how they are given.
    in_order = (good_x, good_y) if first <= second else (good_y, good_x)
    random = generator(seed, first, second)
    p = tau_ap_probability(*in_order, resamples, random) if len(x) > 2 else None
    line = stats.linregress(x, y)
    return MeasurePair(
        first,
        second,
        len(x),
        tau=_by_scipy(stats.kendalltau, good_x, good_y),
        tau_ap=Coefficient(symmetric_tau_ap(*in_order), p),
        tau_ap_by_first=tau_ap(good_y, good_x),
        tau_ap_by_second=tau_ap(good_x, good_y),
        pearson=_by_scipy(stats.pearsonr, good_x, good_y),
        spearman=_spearman(good_x, good_y),
        slope=float(line.slope),
        intercept=float(line.intercept),
    )


def _common_means(column_x: MeasureColumn, column_y: MeasureColumn) -> tuple[Floats, Floats]:
    """Return the means of the systems that have both, sorted by the names of the systems."""
    means_y = column_y.means
    means = [
        (x, y)
        for run, x in sorted(column_x.means.items())
        if x is not None and (y := means_y[run]) is not None
    ]
    pairs = np.array(means, dtype=np.float64).reshape(-1, 2)
    return rounded(pairs[:, 0]), rounded(pairs[:, 1])


def _by_scipy(correlation: Callable[[Floats, Floats], Any], x: Floats, y: Floats) -> Coefficient:
    """Return a coefficient of scipy's with its p."""
    if len(x) < 3:  # two rankings of two systems agree or disagree; p would mean nothing
        return Coefficient(float(np.sign(x[1] - x[0]) * np.sign(y[1] - y[0])))
    result = correlation(x, y)
    values = (float(result.statistic), float(result.pvalue))
    return Coefficient(*(None if math.isnan(value) else value for value in values))


def _spearman(x: Floats, y: Floats) -> Coefficient:
    """Return Spearman's ρ; for few systems p is from all orders, as scipy's is poor there."""
    from scipy import stats

    coefficient = _by_scipy(stats.spearmanr, x, y)
    if not 3 <= len(x) <= EXACT_SYSTEMS:
        return coefficient
    ranks, others = stats.rankdata(x) - (len(x) + 1) / 2, stats.rankdata(y) - (len(y) + 1) / 2
    products = np.abs(others[all_orders(len(x))] @ ranks)
    return coefficient._replace(p=float((products >= abs(float(others @ ranks)) - 1e-9).mean()))


def _correlation_warnings(columns: Sequence[MeasureColumn]) -> Iterator[str]:
    tied = []
    for column in columns:
        label, means = shortened(column.facts.label), column.means
        missing = [run for run, mean in means.items() if mean is None]
        if missing:
            yield f"left out for lack of a mean by {label}: {join_names(missing)}"
        defined = np.array([mean for mean in means.values() if mean is not None])
        if len(defined) > 1 and not np.ptp(rounded(defined)):
            tied.append(label)
    if tied:
        gives = "it gives" if len(tied) == 1 else "they give"
        yield f"all systems have the same mean by {join_names(tied)}, so {gives} no ranking"


# τ_AP


def tau_ap(judged: Floats, reference: Floats) -> float | None:
    """Return τ_AP of a ranking against a reference, by scores (higher is better).

    It is None if all systems of a ranking are tied.

    >>> tau_ap(np.array([0.5, 0.9, 0.1]), np.array([0.9, 0.5, 0.1]))
    0.0
    >>> tau_ap(np.array([0.9, 0.1, 0.5]), np.array([0.9, 0.5, 0.1]))
    0.5
    """
    if not (np.ptp(judged) and np.ptp(reference)):
        return None
    return float((_weights(judged) * _is_above(reference)).sum()) - 1


def symmetric_tau_ap(x: Floats, y: Floats) -> float | None:
    """Return the mean of τ_AP in both directions.

    >>> symmetric_tau_ap(np.array([0.9, 0.1, 0.5]), np.array([0.9, 0.5, 0.1]))
    0.5
    """
    forth, back = tau_ap(x, y), tau_ap(y, x)
    return None if forth is None or back is None else (forth + back) / 2


def tau_ap_probability(
    x: Floats, y: Floats, resamples: int, random: np.random.Generator
) -> float | None:
    """Return how often |symmetric τ_AP| of two unrelated rankings is as large as observed.

    All orders are tried for up to seven systems. For more, orders are drawn at random, and the
    observed one counts as one of them.

    >>> scores = np.array([0.1, 0.2, 0.3, 0.4])
    >>> tau_ap_probability(scores, scores, 100, np.random.default_rng(0)) == 2 / 24
    True
    """
    observed = symmetric_tau_ap(x, y)
    if observed is None:
        return None
    is_exact = len(x) <= EXACT_SYSTEMS
    blocks: Iterable[Ints] = (
        [all_orders(len(x))] if is_exact else _random_orders(len(x), resamples, random)
    )
    total = extreme = 0 if is_exact else 1
    for orders in blocks:
        values = _tau_ap_of_orders(x, y, orders)
        extreme += int((np.abs(values) >= abs(observed) - 1e-9).sum())
        total += len(orders)
    return extreme / total


def _is_above(scores: Floats) -> Floats:
    """Return 1 where the system of the column is above that of the row."""
    return (scores[None, :] > scores[:, None]).astype(np.float64)


def _weights(scores: Floats) -> Floats:
    """Return the weight of agreeing that the column's system is above the row's."""
    above = _is_above(scores)
    counts: Floats = above.sum(axis=1, keepdims=True)
    return above * (2 / np.maximum(counts, 1) / np.count_nonzero(counts))


def _tau_ap_of_orders(x: Floats, y: Floats, orders: Ints) -> Floats:
    """Return symmetric τ_AP for each order of the other scores."""
    rows, columns = np.nonzero(_is_above(x))
    weights, above = _weights(y), _is_above(y)
    below, over = orders[:, rows], orders[:, columns]
    forth = above[below, over] @ _weights(x)[rows, columns]
    back = weights[below, over].sum(axis=1)
    return np.asarray((forth + back) / 2 - 1, dtype=np.float64)


@cache
def all_orders(count: int) -> Ints:
    """Return all orders of a number of things, in an array that cannot be written to.

    >>> all_orders(2).tolist()
    [[0, 1], [1, 0]]
    """
    orders = np.array(list(permutations(range(count))))
    orders.flags.writeable = False
    return orders


def _random_orders(count: int, resamples: int, random: np.random.Generator) -> Iterator[Ints]:
    rows = max(_VALUES_AT_ONCE // count**2, 1)
    for first in range(0, resamples, rows):
        shape = (min(rows, resamples - first), count)
        yield random.permuted(np.broadcast_to(np.arange(count), shape), axis=1)
