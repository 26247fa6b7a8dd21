"""What a comparison of runs finds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from doxeval.compare.groups import letters
from doxeval.compare.significance import Test
from doxeval.errors import InputError
from doxeval.scores import MeasureFacts

RESAMPLES = 100_000


@dataclass(frozen=True)
class RunMean:
    """A run, its mean, and over how many topics.

    >>> RunMean("mine", 0.5, 20).mean
    0.5
    """

    run: str
    mean: float | None
    topics: int


@dataclass(frozen=True)
class Pair:
    """Two runs on the topics where both have a score.

    difference: of the means, first minus second. effect: Cohen's d_z, the mean difference in
    standard deviations of the differences. interval: of the difference, for this pair by itself.
    p: by the test. corrected: by Holm for all pairs. better: the run that is ahead in what the
    test looks at (the mean, the ranks or the number of topics). What cannot be said is None.

    >>> Pair("a", "b", 20, 0.1, 0.7, (0.03, 0.17), 0.006, 0.012, "a", True).better
    'a'
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


@dataclass(frozen=True)
class Comparison:
    """The runs by rank, all pairs that were tested, and the groups of runs not told apart.

    Without a baseline, two runs are together in a group if and only if their difference is not
    significant. With one, pairs are the other runs against it, and there are no groups. notes
    tell what to be careful about.

    >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
    >>> runs = (RunMean("a", 0.5, 9), RunMean("b", 0.4, 9))
    >>> found = Comparison(facts, "t", 0.05, runs, (Pair("a", "b", 9),), (("a", "b"),))
    >>> found.letters
    {'a': 'a', 'b': 'a'}
    >>> found.pair("b", "a").topics
    9
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
        """What was found about two runs, in either order."""
        for pair in self.pairs:
            if {pair.first, pair.second} == {one, other}:
                return pair
        raise InputError(f"{one!r} and {other!r} were not compared")

    def _repr_html_(self) -> str:
        """How notebooks show it: the runs by rank, with their letters."""
        from doxeval.scores.notebook import html_table

        letters = self.letters
        rows = [
            [run.run, "—" if run.mean is None else f"{run.mean:.4f}", letters.get(run.run, "")]
            for run in self.ranking
        ]
        return html_table(["run", self.measure.label, "letters"], rows)

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
