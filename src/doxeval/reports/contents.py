"""The contents of a report: the scores, and the tests and correlations that follow from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from doxeval.comparison import Comparison, Correlations, MeasureColumn, compare, correlate
from doxeval.errors import InputError
from doxeval.messages import join_names, quoted
from doxeval.reports.document_views import DocumentView
from doxeval.reports.escaping import legible
from doxeval.reports.provenance import Provenance, navigation_of
from doxeval.reports.topic_names import TopicNames
from doxeval.scores import RunScores, ScoreTable

if TYPE_CHECKING:
    from doxeval.reports.losses import Loss

ALPHA = 0.05
# How many runs are chosen when the page is opened: as many as there are colours.
MOST_CHOSEN = 10
# With more runs than these, pairs are not tested: it takes long, and nobody reads the letters.
MOST_TESTED = 80


@dataclass(frozen=True)
class Contents:
    """The scores of a report, its baseline, and what else is to be shown.

    profile: scores with the curves of hits, near-misses and misses by rank; None if nobody asked
    about navigation. documents: what runs return in some documents. notes: warnings besides those
    of the table. topics: what is known about topics besides their ids. provenance: where all of it
    comes from. losses: what runs lose by cutting and by search, if chunks are known.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts
    >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
    >>> counted = np.ones(3, dtype=bool)
    >>> scores = {"base": [0.1, 0.4, 0.1], "mine": [0.3, 0.5, 0.4]}
    >>> runs = tuple(RunScores(run, np.array([v]), counted) for run, v in scores.items())
    >>> contents = Contents(ScoreTable((facts,), ("1", "2", "3"), runs))
    >>> contents.ranking, contents.reference
    (['mine', 'base'], 'base')
    """

    table: ScoreTable
    title: str = "Evaluation of runs"
    baseline: str | None = None
    profile: ScoreTable | None = None
    documents: tuple[DocumentView, ...] = ()
    notes: tuple[str, ...] = ()
    topics: TopicNames = field(default_factory=TopicNames)
    provenance: Provenance = field(default_factory=Provenance)
    losses: tuple[Loss, ...] = ()

    def __post_init__(self) -> None:
        if self.baseline is not None and self.baseline not in self.names:
            known = join_names(self.names, 60)
            raise InputError(f"no run {quoted(self.baseline)} for the baseline; there are {known}")

    @property
    def names(self) -> list[str]:
        """The names of the runs, in the order they were given."""
        return [scores.run for scores in self.table.runs]

    @property
    def reference(self) -> str:
        """The run that others are compared with: the baseline, or else the first run."""
        return self.names[0] if self.baseline is None else self.baseline

    @cached_property
    def columns(self) -> tuple[MeasureColumn, ...]:
        """The scores by measure."""
        return tuple(MeasureColumn.of(self.table, n) for n in range(len(self.table.measures)))

    @cached_property
    def ranking(self) -> list[str]:
        """The runs by the first measure, best first."""
        return self.columns[0].ranking()

    @cached_property
    def chosen(self) -> list[str]:
        """The runs that are shown at first, best first: all, or the best and the reference."""
        return self._best(MOST_CHOSEN)

    def _best(self, most: int) -> list[str]:
        best = self.ranking[:most]
        return best if self.reference in best else [*best[: most - 1], self.reference]

    @cached_property
    def shown(self) -> dict[str, str]:
        """The names of the runs as the page shows them, best first."""
        return legible(self.ranking)

    @cached_property
    def shown_topics(self) -> dict[str, str]:
        """The ids of the topics as the page shows them."""
        return legible(self.table.topic_ids)

    @cached_property
    def labels(self) -> list[str]:
        """The names of the measures as the page shows them."""
        return list(legible(self.table.labels).values())

    def scores(self, run: str) -> RunScores:
        """The scores of a run."""
        return self.table.runs[self.names.index(run)]

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """All pairs of runs, by each measure; none for one run or very many."""
        if not 2 <= len(self.names) <= MOST_TESTED:
            return ()
        return tuple(compare(self.table, label, alpha=ALPHA) for label in self.table.labels)

    @cached_property
    def against_baseline(self) -> Comparison | None:
        """The runs against the baseline by the first measure, as `compare` tests them.

        Without a baseline, these are all pairs. None if nothing is tested.
        """
        if self.baseline is None or not self.comparisons:
            return self.comparisons[0] if self.comparisons else None
        return compare(self.table, self.table.labels[0], baseline=self.baseline, alpha=ALPHA)

    @cached_property
    def correlations(self) -> Correlations | None:
        """How alike measures rank the runs; None if there are too few of either."""
        if len(self.names) < 2 or len(self.table.measures) < 2:
            return None
        return correlate(self.table, resamples=1)  # of τ_AP's p, which is not shown

    @cached_property
    def navigation(self) -> str | None:
        """The model of navigation that is reported about; None if nobody asked for one."""
        profile = () if self.profile is None else self.profile.measures
        models = (navigation_of(facts) for facts in (*profile, *self.table.measures))
        name = next((model for model in models if model is not None), None)
        said = (model for _, model in self.provenance.navigation if model.split("(")[0] == name)
        return next(said, name)

    @cached_property
    def warnings(self) -> list[tuple[str | None, str]]:
        """All warnings, each with the run it is about, or None if it is about no single run."""
        warnings: list[tuple[str | None, str]] = [
            (None, note) for note in (*self.notes, *self.topics.warnings)
        ]
        warnings += [(None, warning) for warning in self.table.warnings]
        for scores in self.table.runs:
            warnings += [(scores.run, warning) for warning in scores.warnings]
        warnings += [(None, note) for note in self.own_warnings]
        return list(dict.fromkeys(warnings))

    @property
    def own_warnings(self) -> list[str]:
        """The warnings that are not those of the table."""
        notes = [note for comparison in self.comparisons for note in comparison.notes]
        notes += [] if self.correlations is None else self.correlations.notes
        return list(dict.fromkeys([*self.notes, *self.topics.warnings, *notes]))
