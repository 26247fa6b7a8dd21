"""Whether measures agree about which pairs of systems differ significantly.

Two measures may rank systems alike and still disagree about which differences are significant, or
the other way round. So each measure tests all pairs of systems, with Holm's correction for their
number, and the verdicts of two measures are counted side by side, as Ogilvie and Lalmas did for the
quantisations of INEX (reported by Lalmas and Tombros 2007, §3.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, TypeAlias

from doxeval.comparison.pairwise import Comparison, Pair, compare_all
from doxeval.comparison.significance import RESAMPLES, TITLES, Test
from doxeval.errors import InputError, warn
from doxeval.messages import plural, quoted
from doxeval.named import checked
from doxeval.scores import ScoreTable, ShownAsTable, TextTable, format_score, shortened

# Two systems by name; where one of them is significantly better, it comes first.
SystemPair: TypeAlias = tuple[str, str]


@dataclass(frozen=True)
class Discrimination:
    """How many pairs of systems a measure distinguishes, of those that it could test.

    distinguished: the pairs with a significant difference.

    >>> Discrimination("MAiP", distinguished=3, tested=6).share
    0.5
    """

    measure: str
    distinguished: int
    tested: int

    @property
    def share(self) -> float | None:
        """The share of the pairs that it distinguishes; None if it could test none."""
        return self.distinguished / self.tested if self.tested else None


@dataclass(frozen=True, repr=False)
class Verdicts:
    """Two measures, and the pairs of systems that both, one or neither of them distinguish.

    same: distinguished by both, with the same system ahead. opposite: by both, with another system
    ahead; the one that the first measure prefers comes first. untested: at least one of the
    measures has too few scores to test the pair.

    >>> verdicts = Verdicts("MAiP", "iP[.01]", same=(("a", "c"),), only_first=(("a", "b"),))
    >>> verdicts.tested, verdicts.agreement, verdicts.same_verdict
    (2, 0.5, 0.5)
    >>> verdicts
    <MAiP and iP[.01]: of 2 pairs of systems 1 told apart by both, 1 by one, 0 by neither>
    """

    first: str
    second: str
    same: tuple[SystemPair, ...] = ()
    opposite: tuple[SystemPair, ...] = ()
    only_first: tuple[SystemPair, ...] = ()
    only_second: tuple[SystemPair, ...] = ()
    neither: tuple[SystemPair, ...] = ()
    untested: tuple[SystemPair, ...] = ()

    @property
    def tested(self) -> int:
        """How many pairs of systems both measures could test."""
        return self._distinguished + len(self.neither)

    @property
    def agreement(self) -> float | None:
        """Of the pairs that at least one measure distinguishes, the share with the same verdict.

        None if neither measure distinguishes any pair.
        """
        return len(self.same) / self._distinguished if self._distinguished else None

    @property
    def same_verdict(self) -> float | None:
        """Of all pairs that were tested, the share with the same verdict: same or neither."""
        return (len(self.same) + len(self.neither)) / self.tested if self.tested else None

    @property
    def _distinguished(self) -> int:
        return len(self.same + self.opposite + self.only_first + self.only_second)

    @property
    def counts(self) -> dict[str, int]:
        """The number of pairs of systems with each verdict."""
        names = ("same", "opposite", "only_first", "only_second", "neither", "untested")
        return {name: len(getattr(self, name)) for name in names}

    def __repr__(self) -> str:
        count = self.counts
        by_one = count["only_first"] + count["only_second"]
        opposite = f" ({count['opposite']:,} oppositely)" if count["opposite"] else ""
        return (
            f"<{self._both}: of {plural(self.tested, 'pair')} of systems "
            f"{count['same'] + count['opposite']:,} told apart by both{opposite}, "
            f"{by_one:,} by one, {count['neither']:,} by neither>"
        )

    @property
    def _both(self) -> str:
        return f"{shortened(self.first)} and {shortened(self.second)}"

    def to_dict(self) -> dict[str, Any]:
        """Return counts and the pairs that are not `neither` as plain values, for JSON."""
        named = {
            name: [list(pair) for pair in getattr(self, name)]
            for name in self.counts
            if name != "neither"
        }
        figures = {"agreement": self.agreement, "same_verdict": self.same_verdict}
        both = {"first": self.first, "second": self.second, "tested": self.tested}
        return both | self.counts | figures | {"pairs": named}


@dataclass(frozen=True, repr=False)
class SignificantAgreement(ShownAsTable):
    """All pairs of measures with their verdicts; measures: how many pairs each distinguishes.

    >>> SignificantAgreement("t", 0.05, (), (Verdicts("A", "B", same=(("x", "y"),)),))
    Agreement of 1 pair of measures about significant differences, paired t test at 0.05
    measures  both  opposite  one  neither  agreement
    A and B      1         0    0        0      1.000
    """

    test: Test
    alpha: float
    measures: tuple[Discrimination, ...]
    pairs: tuple[Verdicts, ...]
    resamples: int = RESAMPLES
    seed: int = 0
    notes: tuple[str, ...] = ()

    def pair(self, one: str, other: str) -> Verdicts:
        """Return the verdicts of two measures, in the order in which they were compared."""
        for pair in self.pairs:
            if {pair.first, pair.second} == {one, other}:
                return pair
        raise InputError(f"{quoted(one)} and {quoted(other)} were not compared")

    def as_table(self) -> TextTable:
        """Return how many pairs of systems each pair of measures distinguishes."""
        rows = [
            [
                pair._both,
                f"{len(pair.same):,}",
                f"{len(pair.opposite):,}",
                f"{len(pair.only_first) + len(pair.only_second):,}",
                f"{len(pair.neither):,}",
                format_score(pair.agreement, ".3f"),
            ]
            for pair in self.pairs
        ]
        return TextTable(
            ["measures", "both", "opposite", "one", "neither", "agreement"],
            rows,
            f"Agreement of {plural(len(self.pairs), 'pair')} of measures about significant "
            f"differences, {TITLES[self.test]} at {self.alpha:g}",
            noun="pair",
            warnings=self.notes,
            longest=90,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return {
            "test": self.test,
            "alpha": self.alpha,
            "resamples": self.resamples,
            "seed": self.seed,
            "measures": [asdict(measure) | {"share": measure.share} for measure in self.measures],
            "pairs": [pair.to_dict() for pair in self.pairs],
            "notes": list(self.notes),
        }


@checked
def significant_agreement(
    table: ScoreTable,
    measures: Sequence[object] | None = None,
    test: Test = "t",
    *,
    alpha: float = 0.05,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> SignificantAgreement:
    """Count which pairs of systems two measures distinguish, for each pair of measures.

    Each measure is tested as `compare_all` does it: all pairs of runs on the topics they have in
    common, with Holm's correction for the pairs of one measure.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores
    >>> facts = tuple(MeasureFacts(name, name, "a measure") for name in "AB")
    >>> scores = {"x": [[0.9, 0.8, 0.9], [0.9, 0.1, 0.5]], "y": [[0.2, 0.1, 0.1], [0.1, 0.5, 0.5]]}
    >>> counted = np.ones(3, dtype=bool)
    >>> runs = tuple(RunScores(run, np.array(values), counted) for run, values in scores.items())
    >>> agreement = significant_agreement(ScoreTable(facts, ("1", "2", "3"), runs))
    >>> agreement.pair("A", "B").only_first
    (('x', 'y'),)
    >>> [(measure.measure, measure.distinguished) for measure in agreement.measures]
    [('A', 1), ('B', 0)]
    """
    comparisons = compare_all(table, measures, test, alpha=alpha, resamples=resamples, seed=seed)
    if len(comparisons) < 2:
        raise InputError(f"an agreement needs two measures or more, not {len(comparisons)}")
    notes = tuple(dict.fromkeys(note for each in comparisons for note in each.notes))
    warn(notes)
    discriminations = [
        Discrimination(
            comparison.measure.label,
            sum(pair.significant for pair in comparison.pairs),
            sum(pair.p is not None for pair in comparison.pairs),
        )
        for comparison in comparisons
    ]
    return SignificantAgreement(
        test,
        alpha,
        tuple(discriminations),
        tuple(_verdicts(first, second) for first, second in combinations(comparisons, 2)),
        resamples,
        seed,
        notes,
    )


def _verdicts(first: Comparison, second: Comparison) -> Verdicts:
    by_second = {frozenset((pair.first, pair.second)): pair for pair in second.pairs}
    by_verdict: dict[str, list[SystemPair]] = {}
    for pair in first.pairs:
        verdict, systems = _verdict(pair, by_second[frozenset((pair.first, pair.second))])
        by_verdict.setdefault(verdict, []).append(systems)
    pairs = {verdict: tuple(sorted(systems)) for verdict, systems in by_verdict.items()}
    return Verdicts(first.measure.label, second.measure.label, **pairs)


def _verdict(by_first: Pair, by_second: Pair) -> tuple[str, SystemPair]:
    """Return what two measures conclude about a pair of systems; the better comes first."""
    verdict, significant = "neither", None
    if by_first.p is None or by_second.p is None:
        verdict = "untested"
    elif by_first.significant and by_second.significant:
        verdict = "same" if by_first.better == by_second.better else "opposite"
        significant = by_first
    elif by_first.significant:
        verdict, significant = "only_first", by_first
    elif by_second.significant:
        verdict, significant = "only_second", by_second
    first, second = sorted((by_first.first, by_first.second))
    if significant is not None and significant.better == second:
        return verdict, (second, first)
    return verdict, (first, second)
