"""The result of a comparison of runs.

Which runs differ by a measure: tests of every pair, their correction, and groups.

A comparison as a figure: differences between runs, with their confidence intervals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

from doxeval.comparison.intervals import obeyed_range, possible_part
from doxeval.comparison.notes import notes
from doxeval.comparison.significance import (
    TESTS,
    TITLES,
    Column,
    Test,
    check_resampling,
    check_runs,
    differences,
    direction,
    generator,
    groups,
    holm,
    letters,
    outcome,
    spread,
)
from doxeval.errors import InputError, UnknownName, warn
from doxeval.messages import plural, quoted, suggestion
from doxeval.named import checked
from doxeval.scores import (
    SCHEMA,
    MeasureFacts,
    Plot,
    ScoreTable,
    aligned,
    number,
    shortened,
    warning_lines,
)

RESAMPLES = 100_000
_MOST_SHOWN = 10


@dataclass(frozen=True)
class RunMean:
    """A run, its mean, and the number of topics it is over.

    with_results: for how many of these topics the run returned anything; None if not known.

    >>> RunMean("mine", 0.5, 20).mean
    0.5
    """

    run: str
    mean: float | None
    topics: int
    with_results: int | None = None


@dataclass(frozen=True, repr=False)
class Pair:
    """Two runs on the topics where both have a score.

    difference: of the means, first minus second. effect: Cohen's d_z, the mean difference in
    standard deviations of the differences. interval: of the difference, for this pair by itself.
    p: by the test. corrected: p after Holm's correction for all pairs of this measure. better: the
    run that is ahead in what the test looks at (the mean, the ranks or the number of topics).
    with_results: for how many of the topics both runs returned anything. A value that is
    undefined or not known is None.

    >>> pair = Pair("a", "b", 20, 0.1, 0.7, (0.03, 0.17), 0.006, 0.012, "a", True)
    >>> pair.better
    'a'
    >>> pair
    <a - b: +0.1000 [+0.0300, +0.1700], p 0.0060, corrected 0.0120 *, 20 topics>
    """

    first: str
    second: str
    topics: int
    difference: float | None = None
    effect: float | None = None
    interval: tuple[float, float] | None = None
    p: float | None = None
    corrected: float | None = None
    better: str | None = None
    significant: bool = False
    with_results: int | None = None

    def __repr__(self) -> str:
        parts = [f"{shortened(self.first)} - {shortened(self.second)}:"]
        if self.difference is not None:
            parts.append(f"{self.difference:+.4f}")
        if self.interval is not None:
            parts.append(f"[{self.interval[0]:+.4f}, {self.interval[1]:+.4f}]")
        tested = "not tested" if self.p is None else f"p {self.p:.4f}"
        if self.corrected is not None:
            tested += f", corrected {self.corrected:.4f}{' *' if self.significant else ''}"
        return f"<{' '.join(parts).rstrip(':')}, {tested}, {plural(self.topics, 'topic')}>"


@dataclass(frozen=True, repr=False)
class Comparison:
    """The runs by rank, all pairs that were tested, and the groups of runs that do not differ.

    Without a baseline, two runs share a group if and only if their difference is not significant.
    With a baseline, pairs are the other runs against it, and there are no groups. notes say what
    to be careful about.

    >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
    >>> runs = (RunMean("a", 0.5, 9), RunMean("b", 0.4, 9))
    >>> found = Comparison(facts, "t", 0.05, runs, (Pair("a", "b", 9),), (("a", "b"),))
    >>> found.letters
    {'a': 'a', 'b': 'a'}
    >>> found.pair("b", "a").topics
    9
    >>> found
    Comparison by MAiP, paired t test: 0 of 1 pair significant at 0.05
    run    MAiP  letters
    a    0.5000        a
    b    0.4000        a
    """

    measure: MeasureFacts
    test: Test
    alpha: float
    ranking: tuple[RunMean, ...]
    pairs: tuple[Pair, ...]
    groups: tuple[tuple[str, ...], ...] = ()
    baseline: str | None = None
    resamples: int = RESAMPLES
    seed: int = 0
    notes: tuple[str, ...] = ()

    @property
    def letters(self) -> dict[str, str]:
        """The letters of each run; two runs that share one are not significantly different."""
        return letters(self.groups)

    def pair(self, one: str, other: str) -> Pair:
        """The pair of two runs, named in either order."""
        for pair in self.pairs:
            if {pair.first, pair.second} == {one, other}:
                return pair
        raise InputError(f"{quoted(one)} and {quoted(other)} were not compared")

    def __repr__(self) -> str:
        significant = sum(pair.significant for pair in self.pairs)
        shown = self.ranking[:_MOST_SHOWN]
        lines = [
            f"Comparison by {self.measure.label}, {TITLES[self.test]}: {significant:,} of "
            f"{plural(len(self.pairs), 'pair')} significant at {self.alpha:g}",
            *aligned(["run", self.measure.label, "letters"], self._rows(shown)),
        ]
        if len(self.ranking) > len(shown):
            lines.append(f"… and {plural(len(self.ranking) - len(shown), 'more run')}")
        return "\n".join([*lines, *warning_lines(self.notes)])

    def _repr_html_(self) -> str:
        """How notebooks show it: the runs by rank, with their letters."""
        from doxeval.scores import html_table

        header = ["run", self.measure.label, "letters"]
        return html_table(header, self._rows(self.ranking), self.notes)

    def plot(self) -> Plot:
        """The differences of pairs with their confidence intervals, as a figure for notebooks.

        With a baseline, these are all pairs; otherwise those of the best run with the others.

        >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
        >>> pair = Pair("a", "b", 9, 0.1, interval=(0.02, 0.18), p=0.02)
        >>> runs = (RunMean("a", 0.5, 9), RunMean("b", 0.4, 9))
        >>> Comparison(facts, "t", 0.05, runs, (pair,)).plot()
        <plot: differences in MAiP of 1 pair>
        """
        return comparison_plot(self)

    def _rows(self, runs: Sequence[RunMean]) -> list[list[str]]:
        letters = self.letters
        return [[run.run, number(run.mean), letters.get(run.run, "")] for run in runs]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            "measure": self.measure.label,
            "canonical": self.measure.canonical,
            "higher_is_better": self.measure.higher_is_better,
            "test": self.test,
            "alpha": self.alpha,
            "baseline": self.baseline,
            "resamples": self.resamples,
            "seed": self.seed,
            "runs": [asdict(run) | {"letters": self.letters.get(run.run)} for run in self.ranking],
            "groups": [list(group) for group in self.groups],
            "pairs": [asdict(pair) for pair in self.pairs],
            "notes": list(self.notes),
        }


@checked
def compare(
    table: ScoreTable,
    measure: object = None,
    test: Test = "t",
    *,
    baseline: str | None = None,
    alpha: float = 0.05,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Comparison:
    """Test which runs differ by a measure: all pairs, or all other runs against a baseline.

    The measure is given by any of its names or as a value, and may be omitted if the table has
    only one. Only topics where both runs of a pair have a score count. The random numbers of the
    bootstrap and of randomization depend on the seed and on the names of the two runs, so a
    pair's p does not depend on what else is compared, or in which order.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores
    >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
    >>> scores = {"mine": [0.3, 0.5, 0.4, 0.7, 0.6], "base": [0.1, 0.4, 0.1, 0.5, 0.4]}
    >>> counted = np.ones(5, dtype=bool)
    >>> runs = tuple(RunScores(run, np.array([v]), counted) for run, v in scores.items())
    >>> table = ScoreTable((facts,), ("1", "2", "3", "4", "5"), runs)
    >>> (pair,) = compare(table, "MAiP").pairs
    >>> pair.first, pair.second, pair.topics, round(pair.difference, 4), round(pair.p, 4)
    ('mine', 'base', 5, 0.2, 0.0032)
    """
    check_runs(table, "a comparison")
    column = Column.of(table, _measure_number(table, measure))
    _check(column, test, baseline, alpha, resamples, seed)
    ranking = column.ranking()
    examine = partial(_examined, column, test, alpha, resamples, seed)
    pairs = [examine(first, second) for first, second in _in_pairs(ranking, baseline)]
    corrected = holm([pair.p for pair in pairs])
    pairs = [
        replace(pair, corrected=p, significant=p is not None and p < alpha)
        for pair, p in zip(pairs, corrected, strict=True)
    ]
    different = {frozenset((pair.first, pair.second)) for pair in pairs if pair.significant}
    careful = tuple(notes(column, pairs, test, alpha, resamples))
    warn(careful)
    return Comparison(
        column.facts,
        test,
        alpha,
        tuple(_run_means(column, ranking)),
        tuple(pairs),
        () if baseline is not None else tuple(groups(ranking, different)),
        baseline,
        resamples,
        seed,
        careful,
    )


@checked
def compare_all(
    table: ScoreTable,
    measures: Sequence[object] | None = None,
    test: Test = "t",
    *,
    baseline: str | None = None,
    alpha: float = 0.05,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[Comparison, ...]:
    """Compare runs by several measures, one by one (by default, by all measures of the table).

    Holm's correction is for the pairs of runs by one measure, not for the number of measures: it
    does not cover looking at many measures and reporting the one that is significant.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores
    >>> facts = tuple(MeasureFacts(name, name, "a measure") for name in "AB")
    >>> values = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.7]])
    >>> runs = tuple(RunScores(run, values, np.ones(3, dtype=bool)) for run in "xy")
    >>> [found.measure.label for found in compare_all(ScoreTable(facts, ("1", "2", "3"), runs))]
    ['A', 'B']
    """
    wanted = table.labels if measures is None else measures
    wanted = [wanted] if isinstance(wanted, str) else wanted
    chosen = dict.fromkeys(table.index_of_measure(measure) for measure in wanted)
    found = tuple(
        compare(
            table,
            table.labels[number],
            test,
            baseline=baseline,
            alpha=alpha,
            resamples=resamples,
            seed=seed,
        )
        for number in chosen
    )
    warn(note for comparison in found for note in comparison.notes)
    return found


def _measure_number(table: ScoreTable, measure: object) -> int:
    if measure is not None:
        return table.index_of_measure(measure)
    if len(table.measures) != 1:
        raise InputError(
            f"measure= says by which of {', '.join(table.labels)} to compare; compare_all compares "
            "by all of them"
        )
    return 0


def _run_means(column: Column, ranking: Sequence[str]) -> Iterator[RunMean]:
    means, topics = column.means, column.topics
    for run in ranking:
        yield RunMean(run, means[run], topics[run], column.with_results(run))


def _check(
    column: Column, test: str, baseline: str | None, alpha: float, resamples: int, seed: int
) -> None:
    if test not in TESTS:
        raise InputError(f"no test {quoted(test)}; there are {', '.join(TESTS)}")
    if baseline is not None and baseline not in column.values:
        raise UnknownName(
            f"no run {quoted(baseline)}{suggestion(str(baseline), list(column.values))}"
        )
    if not 0 < alpha < 1:
        raise InputError(f"alpha is between 0 and 1, not {alpha}")
    check_resampling(resamples, seed)


def _in_pairs(ranking: list[str], baseline: str | None) -> Iterator[tuple[str, str]]:
    """Pairs with the better run first; a baseline is always second."""
    if baseline is None:
        yield from combinations(ranking, 2)
    else:
        yield from ((run, baseline) for run in ranking if run != baseline)


def _examined(
    column: Column, test: Test, alpha: float, resamples: int, seed: int, first: str, second: str
) -> Pair:
    """One pair, before correction.

    Scores are always subtracted in the order of the runs' names, and the sign is turned at the
    end, so that the same random numbers give the same p in either order.
    """
    low, high = sorted((first, second))
    steps, per_one = differences(column.values[low], column.values[high])
    if not len(steps):
        return Pair(first, second, 0, with_results=column.with_results(low, high))
    unit = per_one if low == first else -per_one
    mean, deviation = int(steps.sum()) / len(steps), spread(steps)
    effect = mean / deviation if deviation else None if mean else 0.0
    found = outcome(test, steps, alpha, resamples, partial(generator, seed, low, high))
    ends = None if found is None else found.interval
    limits = obeyed_range(column.facts, column.values[low], column.values[high])
    ahead = direction(test, steps) * (1 if column.facts.higher_is_better else -1)
    return Pair(
        first,
        second,
        len(steps),
        mean / unit + 0.0,
        effect if effect is None or low == first else -effect + 0.0,
        None if ends is None else possible_part(_ordered(ends[0] / unit, ends[1] / unit), limits),
        None if found is None else found.p,
        better=(None, low, high)[ahead],
        with_results=column.with_results(low, high),
    )


def _ordered(one: float, other: float) -> tuple[float, float]:
    return (min(one, other) + 0.0, max(one, other) + 0.0)


_ZERO = {"x": {"datum": 0, "type": "quantitative"}, "color": {"value": "#999999"}}
_COLOURS = {"significant": "#4c7fc0", "not significant": "#999999"}


def comparison_plot(found: Comparison) -> Plot:
    """The differences of all pairs with the baseline, or else with the best run."""
    best = found.ranking[0].run if found.ranking else None
    shown = [
        pair
        for pair in found.pairs
        if pair.difference is not None and (found.baseline is not None or pair.first == best)
    ]
    rows = [_row(pair) for pair in shown]
    label = found.measure.label
    x = {"type": "quantitative", "title": f"difference in {label}"}
    order = [row["pair"] for row in rows]
    y = {"field": "pair", "type": "nominal", "title": None, "sort": order}
    scale = {"domain": list(_COLOURS), "range": list(_COLOURS.values())}
    colour = {"field": "verdict", "type": "nominal", "title": None, "scale": scale}
    number = {"type": "quantitative", "format": "+.4f"}
    tips = [
        {"field": "pair", "type": "nominal"},
        *({"field": name, **number} for name in ("difference", "low", "high")),
        {"field": "p", "type": "quantitative", "format": ".4f"},
        {"field": "corrected", "type": "quantitative", "format": ".4f", "title": "p (Holm)"},
    ]
    told: dict[str, Any] = {"y": y, "tooltip": tips}
    spec = {
        "$schema": SCHEMA,
        "data": {"values": rows},
        "width": 420,
        "encoding": {"color": colour},
        "layer": [
            {"mark": {"type": "rule", "color": "#999999"}, "encoding": _ZERO},
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {**told, "x": {"field": "low", **x}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 70},
                "encoding": {**told, "x": {"field": "difference", **x}},
            },
        ],
    }
    return Plot(spec, f"differences in {label} of {plural(len(rows), 'pair')}")


def _row(pair: Pair) -> dict[str, Any]:
    low, high = (None, None) if pair.interval is None else pair.interval
    return {
        "pair": f"{pair.first} - {pair.second}",
        "difference": pair.difference,
        "low": low,
        "high": high,
        "p": pair.p,
        "corrected": pair.corrected,
        "verdict": "significant" if pair.significant else "not significant",
    }
