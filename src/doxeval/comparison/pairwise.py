"""Which runs differ by a measure: every pair is tested, corrected for their number, and grouped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from doxeval.arrays import Bools, Floats
from doxeval.comparison.intervals import obeyed_range, possible_part
from doxeval.comparison.notes import (
    comparison_warnings,
    describe_test,
    judged_warnings,
)
from doxeval.comparison.significance import (
    RESAMPLES,
    TESTS,
    TITLES,
    Test,
    check_resampling,
    deviation_of,
    differences,
    direction,
    generator,
    groups,
    holm,
    letters,
    significance_of,
)
from doxeval.errors import InputError, UnknownName, warn
from doxeval.messages import escape, plural, quoted, suggestion
from doxeval.named import checked
from doxeval.scores import (
    SCHEMA,
    MeasureFacts,
    Plot,
    ScoreTable,
    ShownAsTable,
    TextTable,
    best_cells,
    best_first,
    format_score,
    shortened,
    titled,
)


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

    >>> from doxeval.scores import RunScores
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
    column = MeasureColumn.of(table, _measure_index(table, measure))
    if test not in TESTS:
        raise InputError(f"no test {quoted(test)}; there are {', '.join(TESTS)}")
    if baseline is not None and baseline not in column.values:
        hint = suggestion(str(baseline), list(column.values))
        raise UnknownName(f"no run {quoted(baseline)}{hint}")
    if not 0 < alpha < 1:
        raise InputError(f"alpha is between 0 and 1, not {alpha}")
    check_resampling(resamples, seed)
    ranking = column.ranking()
    names: Iterable[tuple[str, str]] = combinations(ranking, 2)  # the better run comes first
    if baseline is not None:
        names = ((run, baseline) for run in ranking if run != baseline)
    pairs = [_tested_pair(column, *pair, test, alpha, resamples, seed) for pair in names]
    pairs = [
        replace(pair, corrected=p, significant=p is not None and p < alpha)
        for pair, p in zip(pairs, holm([pair.p for pair in pairs]), strict=True)
    ]
    different = {frozenset((pair.first, pair.second)) for pair in pairs if pair.significant}
    warnings = (
        *comparison_warnings(column, pairs, test, alpha, resamples),
        *judged_warnings(table),
    )
    warn(warnings)
    means, topics = column.means, column.topics
    return Comparison(
        column.facts,
        test,
        alpha,
        tuple(RunMean(run, means[run], topics[run], column.with_results(run)) for run in ranking),
        tuple(pairs),
        () if baseline is not None else tuple(groups(ranking, different)),
        baseline,
        resamples,
        seed,
        warnings,
        table.descriptions,
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

    >>> from doxeval.scores import RunScores
    >>> facts = tuple(MeasureFacts(name, name, "a measure") for name in "AB")
    >>> values = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.7]])
    >>> runs = tuple(RunScores(run, values, np.ones(3, dtype=bool)) for run in "xy")
    >>> table = ScoreTable(facts, ("1", "2", "3"), runs)
    >>> [comparison.measure.label for comparison in compare_all(table)]
    ['A', 'B']
    """
    comparisons = tuple(
        compare(
            table,
            table.labels[index],
            test,
            baseline=baseline,
            alpha=alpha,
            resamples=resamples,
            seed=seed,
        )
        for index in measure_indexes(table, measures)
    )
    warn(note for comparison in comparisons for note in comparison.notes)
    return comparisons


def measure_indexes(table: ScoreTable, measures: Sequence[object] | None) -> list[int]:
    """Return the indexes of measures in a table, each once; None means all."""
    names = table.labels if measures is None else measures
    names = [names] if isinstance(names, str) else names
    return list(dict.fromkeys(table.index_of_measure(name) for name in names))


def _measure_index(table: ScoreTable, measure: object) -> int:
    if measure is not None:
        return table.index_of_measure(measure)
    if len(table.measures) != 1:
        raise InputError(
            f"measure= says by which of {', '.join(table.labels)} to compare; compare_all compares "
            "by all of them"
        )
    return 0


# The result


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

    @property
    def shown_difference(self) -> str:
        """The difference with its interval, to be printed; a dash if it is not defined."""
        if self.interval is None:
            return format_score(self.difference, "+.3f")
        low, high = self.interval
        return f"{format_score(self.difference, '+.3f')} [{low:+.3f}, {high:+.3f}]"

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
class Comparison(ShownAsTable):
    """The runs by rank, all pairs that were tested, and the groups of runs that do not differ.

    Without a baseline, two runs share a group if and only if their difference is not significant.
    With a baseline, pairs are the other runs against it, and there are no groups. notes say what
    to be careful about.

    >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
    >>> runs = (RunMean("a", 0.5, 9), RunMean("b", 0.4, 9))
    >>> comparison = Comparison(facts, "t", 0.05, runs, (Pair("a", "b", 9),), (("a", "b"),))
    >>> comparison.letters
    {'a': 'a', 'b': 'a'}
    >>> comparison.pair("b", "a").topics
    9
    >>> comparison
    Paired t test of MAiP; Holm's correction for 1 pair, alpha 0.05
    run   MAiP  letters  topics
    a    0.500  a             9
    b    0.400  a             9
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
    descriptions: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def letters(self) -> dict[str, str]:
        """The letters of each run; two runs that share one are not significantly different."""
        return letters(self.groups)

    def pair(self, one: str, other: str) -> Pair:
        """Return the pair of two runs, named in either order."""
        for pair in self.pairs:
            if {pair.first, pair.second} == {one, other}:
                return pair
        raise InputError(f"{quoted(one)} and {quoted(other)} were not compared")

    def as_table(self) -> TextTable:
        """Return the runs by rank: against the baseline, or with their letters."""
        title = describe_test(self, f" of {escape(self.measure.label)}")
        about = self.descriptions
        rows = [
            [
                run.run,
                format_score(run.mean, ".3f"),
                *(self._letters_of(run) if self.baseline is None else self._against(run)),
                *([about.get(run.run, "")] if about else []),
            ]
            for run in self.ranking
        ]
        columns = ["letters", "topics"] if self.baseline is None else self._against_columns()
        best = best_cells([[run.mean] for run in self.ranking], [self.measure.higher_is_better])
        return TextTable(
            ["run", self.measure.label, *columns, *(["description"] if about else [])],
            rows,
            f"{title[0].upper()}{title[1:]}",
            noun="run",
            warnings=self.notes,
            left=(0, 2, len(columns) + 2) if self.baseline is None else (0, 4, len(columns) + 2),
            best={(row, 1) for row, _ in best},
            first_to_go=(3,) if self.baseline is None else (7, 6, 5, 3),
            prose="cut" if about else "",
        )

    def _letters_of(self, run: RunMean) -> list[str]:
        return [self.letters.get(run.run, ""), f"{run.topics:,}"]

    def _against_columns(self) -> list[str]:
        """Return the columns of a run against the baseline, the dispensable ones last."""
        level = f"{100 * (1 - self.alpha):g}%"
        return [f"difference, {level} interval", "p (Holm)", "verdict", "topics", "d_z", "p"]

    def _against(self, run: RunMean) -> list[str]:
        """Return the cells of a run against the baseline."""
        if run.run == self.baseline:
            return ["—", "", "baseline", f"{run.topics:,}", "", ""]
        pair = self.pair(run.run, str(self.baseline))
        return [
            pair.shown_difference,
            probability(pair.corrected),
            "not shown to differ"
            if not pair.significant
            else "better"
            if pair.better == run.run
            else "worse",
            f"{pair.topics:,}",
            format_score(pair.effect, "+.2f"),
            probability(pair.p),
        ]

    def pairs_table(self, of_best: bool = False) -> TextTable:
        """Return the tests of all pairs as a table to print, or those of the best run.

        >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
        >>> pair = Pair("a", "b", 9, 0.1, 0.7, (0.02, 0.18), 0.02, 0.02, "a", True)
        >>> comparison = Comparison(facts, "t", 0.05, (RunMean("a", 0.5, 9),), (pair,))
        >>> print(*comparison.pairs_table().lines(width=55), sep="\\n")
        pair   difference, 95% interval  p (Holm)  verdict
        a - b   +0.100 [+0.020, +0.180]    0.0200  a better
        """
        best = self.ranking[0].run
        rows = [
            [
                f"{pair.first} - {pair.second}",
                pair.shown_difference,
                probability(pair.corrected),
                f"{pair.better} better" if pair.significant else "not shown to differ",
                f"{pair.topics:,}",
                format_score(pair.effect, "+.2f"),
                probability(pair.p),
            ]
            for pair in self.pairs
            if pair.first == best or not of_best
        ]
        return TextTable(
            ["pair", *self._against_columns()],
            rows,
            noun="pair",
            longest=None,
            left=(0, 3),
            first_to_go=(6, 5, 4, 2),
        )

    def plot(self) -> Plot:
        """Return the differences of pairs with their confidence intervals as a figure.

        With a baseline, these are all pairs; otherwise those of the best run with the others.

        >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
        >>> pair = Pair("a", "b", 9, 0.1, interval=(0.02, 0.18), p=0.02)
        >>> runs = (RunMean("a", 0.5, 9), RunMean("b", 0.4, 9))
        >>> Comparison(facts, "t", 0.05, runs, (pair,)).plot()
        <plot: differences in MAiP of 1 pair>
        """
        return _plot(self)

    def to_latex(self) -> str:
        """Return the means with marks of significance as a table in LaTeX, for a paper.

        >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
        >>> runs = (RunMean("a", 0.5, 9), RunMean("b", 0.4, 9))
        >>> pair = Pair("a", "b", 9, corrected=0.01, better="a", significant=True)
        >>> table = Comparison(facts, "t", 0.05, runs, (pair,), baseline="b").to_latex()
        >>> print(*table.splitlines()[6:9], sep="\\n")
        b & 0.4000 & \\\\
        \\midrule
        a & \\textbf{0.5000} & \\textsuperscript{+} \\\\
        """
        from doxeval.comparison.latex import comparisons_as_latex

        return comparisons_as_latex([self])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        letters = self.letters
        return {
            "measure": self.measure.label,
            "canonical": self.measure.canonical,
            "higher_is_better": self.measure.higher_is_better,
            "test": self.test,
            "alpha": self.alpha,
            "baseline": self.baseline,
            "resamples": self.resamples,
            "seed": self.seed,
            "runs": [asdict(run) | {"letters": letters.get(run.run)} for run in self.ranking],
            "groups": [list(group) for group in self.groups],
            "pairs": [asdict(pair) for pair in self.pairs],
            "notes": list(self.notes),
        }


# The scores of runs by one measure


@dataclass(frozen=True)
class MeasureColumn:
    """The scores of all runs by one measure.

    has_results says for which topics a run returned anything, where that is known.

    >>> from doxeval.scores import RunScores
    >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
    >>> values, counted = np.array([[0.5, 0.1]]), np.array([True, False])
    >>> table = ScoreTable((facts,), ("7", "8"), (RunScores("a", values, counted),))
    >>> column = MeasureColumn.of(table, 0)
    >>> column.means, column.topics["a"]
    ({'a': 0.5}, 1)
    """

    facts: MeasureFacts
    values: dict[str, Floats]  # by topic; nan where undefined or not counted
    has_results: dict[str, Bools] = field(default_factory=dict)

    @classmethod
    def of(cls, table: ScoreTable, index: int) -> MeasureColumn:
        """Return the scores by the measure with this index in a table."""
        values, has_results = {}, {}
        for scores in table.runs:
            values[scores.run] = np.where(scores.counted, scores.values[index], np.nan)
            if scores.has_results is not None:
                has_results[scores.run] = scores.has_results
        return cls(table.measures[index], values, has_results)

    @cached_property
    def means(self) -> dict[str, float | None]:
        """The mean of each run over its own topics, as it is reported."""
        return {run: self.facts.mean_of(values) for run, values in self.values.items()}

    @property
    def topics(self) -> dict[str, int]:
        """For how many topics each run has a score."""
        return {run: int((~np.isnan(values)).sum()) for run, values in self.values.items()}

    @property
    def scored_topics(self) -> int:
        """For how many topics at least one run has a score."""
        return int((~np.isnan(np.array(list(self.values.values())))).any(axis=0).sum())

    def with_results(self, *runs: str) -> int | None:
        """Return for how many topics all these runs have a score and results; None if unknown."""
        if not self.has_results.keys() >= set(runs):
            return None
        answered = [~np.isnan(self.values[run]) & self.has_results[run] for run in runs]
        return int(np.logical_and.reduce(answered).sum())

    def ranking(self) -> list[str]:
        """Return the runs, best first; tied ones by name, and those without a mean last."""
        return best_first(self.means, self.facts.higher_is_better)


def probability(p: float | None) -> str:
    """Return a probability as it is printed in a table.

    >>> probability(0.01234), probability(0.000001), probability(None)
    ('0.0123', '<0.0001', '—')
    """
    if p is None:
        return "—"
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"


def check_runs(table: ScoreTable, purpose: str) -> None:
    """Raise an error unless there are two runs or more, all with different names."""
    names = [scores.run for scores in table.runs]
    if len(names) < 2:
        raise InputError(f"{purpose} needs two runs or more, not {len(names)}")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"several runs are called {quoted(twice[0])}")


# Testing a pair


def _tested_pair(
    column: MeasureColumn,
    first: str,
    second: str,
    test: Test,
    alpha: float,
    resamples: int,
    seed: int,
) -> Pair:
    """Test one pair, without correction.

    Scores are always subtracted in the order of the runs' names, and the sign is turned at the
    end, so that the same random numbers give the same p in either order.
    """
    sign = 1 if first < second else -1
    scores = [column.values[run] for run in sorted((first, second))]
    steps, per_one = differences(*scores)
    pair = Pair(first, second, len(steps), with_results=column.with_results(first, second))
    if not len(steps):
        return pair
    mean, deviation = sign * int(steps.sum()) / len(steps), deviation_of(steps)
    tested = significance_of(test, steps, alpha, resamples, generator(seed, first, second))
    interval = None
    if tested is not None and tested.interval is not None:
        # + 0.0 makes -0.0 a plain 0.0
        low, high = sorted(sign * end / per_one + 0.0 for end in tested.interval)
        interval = possible_part((low, high), obeyed_range(column.facts, *scores))
    ahead = sign * direction(test, steps) * (1 if column.facts.higher_is_better else -1)
    return replace(
        pair,
        difference=mean / per_one,
        effect=mean / deviation if deviation else None if mean else 0.0,
        interval=interval,
        p=None if tested is None else tested.p,
        better=(None, first, second)[ahead],
    )


# A figure

_ZERO = {"x": {"datum": 0, "type": "quantitative"}, "color": {"value": "#999999"}}
_COLOURS = {"significant": "#4c7fc0", "not significant": "#999999"}
_WIDTH = 420


def _finding(comparison: Comparison) -> str:
    """Return what the figure shows, in a line."""
    label, base = shortened(comparison.measure.label), comparison.baseline
    who = base or (comparison.ranking[0].run if comparison.ranking else "")
    pairs = [pair for pair in comparison.pairs if who in (pair.first, pair.second)]
    significant = [pair for pair in pairs if pair.significant]
    if not significant:
        return f"No run is shown to differ from {shortened(who)} by {label}"
    ahead, others = sum(pair.better == who for pair in significant), f"{len(pairs):,}"
    if base is None:
        return (
            f"{shortened(who)} is significantly better than {ahead:,} of {others} others by {label}"
        )
    better, worse = len(significant) - ahead, ahead
    return (
        f"{better:,} of {others} runs are significantly better than {shortened(base)} by {label}, "
        f"{worse:,} worse"
    )


def _source(comparison: Comparison) -> str:
    return (
        f"Mean differences with {1 - comparison.alpha:.0%} intervals, each of its pair alone; "
        f"{TITLES[comparison.test]}, Holm's correction for {plural(len(comparison.pairs), 'pair')}."
    )


def _plot(comparison: Comparison) -> Plot:
    """Return the differences of all pairs with the baseline, or else with the best run."""
    best = comparison.ranking[0].run if comparison.ranking else None
    rows = [
        _plot_row(pair)
        for pair in comparison.pairs
        if pair.difference is not None and (comparison.baseline is not None or pair.first == best)
    ]
    label = comparison.measure.label
    x = {"type": "quantitative", "title": f"difference in {label}"}
    order = [row["pair"] for row in rows]
    y = {"field": "pair", "type": "nominal", "title": None, "sort": order}
    scale = {"domain": list(_COLOURS), "range": list(_COLOURS.values())}
    colour = {"field": "verdict", "type": "nominal", "title": None, "scale": scale}
    signed = {"type": "quantitative", "format": "+.4f"}
    tooltip = [
        {"field": "pair", "type": "nominal"},
        *({"field": name, **signed} for name in ("difference", "low", "high")),
        {"field": "p", "type": "quantitative", "format": ".4f"},
        {"field": "corrected", "type": "quantitative", "format": ".4f", "title": "p (Holm)"},
    ]
    common: dict[str, Any] = {"y": y, "tooltip": tooltip}
    spec = {
        "$schema": SCHEMA,
        "title": titled(_finding(comparison), _source(comparison), _WIDTH),
        "data": {"values": rows},
        "width": _WIDTH,
        "encoding": {"color": colour},
        "layer": [
            {"mark": {"type": "rule", "color": "#999999"}, "encoding": _ZERO},
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {**common, "x": {"field": "low", **x}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 70},
                "encoding": {**common, "x": {"field": "difference", **x}},
            },
        ],
    }
    return Plot(spec, f"differences in {label} of {plural(len(rows), 'pair')}")


def _plot_row(pair: Pair) -> dict[str, Any]:
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
