"""The result of a comparison of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from doxeval.comparison.groups import letters
from doxeval.comparison.significance import TITLES, Test
from doxeval.errors import InputError
from doxeval.messages import plural, quoted
from doxeval.scores import MeasureFacts, aligned, number, shortened, warning_lines

if TYPE_CHECKING:
    from doxeval.scores import Plot

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
        from doxeval.comparison.plots import comparison_plot

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
