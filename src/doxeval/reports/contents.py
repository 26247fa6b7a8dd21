"""The contents of a report: the scores, and the tests and correlations that follow from them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from doxeval.arrays import Floats
from doxeval.comparison import TITLES, Comparison, Correlations, MeasureColumn, compare, correlate
from doxeval.errors import InputError
from doxeval.markup import readable
from doxeval.messages import join_names, plural, quoted
from doxeval.reports.documents.view import DocumentView
from doxeval.reports.escaping import legible, shortened
from doxeval.reports.provenance import Provenance, navigation_of
from doxeval.scores import RunScores, ScoreTable
from doxeval.topics import Topic, TopicsGiven, topics_by_id

if TYPE_CHECKING:
    from doxeval.reports.figures.losses import Loss
    from doxeval.reports.figures.sizes import SizedRun

# Titles of topics


_MAX_NAMED = 20


@dataclass(frozen=True)
class TopicNames:
    """The topics of a table that were found among the topics given, by id, and warnings.

    >>> names = TopicNames({"7": Topic("7", "tides", castitle="//sec[about(., tides)]")})
    >>> names.title("7"), names.title("8"), names.query("7"), names.description("7")
    ('tides', '', '//sec[about(., tides)]', '')
    """

    known: Mapping[str, Topic] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def title(self, topic: str) -> str:
        """Return what the topic is about, in a few words; empty if it is not known.

        A topic without a title is shown by its query or its description.
        """
        known = self.known.get(topic)
        if known is None:
            return ""
        return _line(known.content or known.title or known.structured or known.description)

    def query(self, topic: str) -> str:
        """Return the structured query; empty if there is none."""
        known = self.known.get(topic)
        return "" if known is None else _line(known.structured)

    def description(self, topic: str) -> str:
        """Return what the user wants to know; empty if it is not known."""
        known = self.known.get(topic)
        return "" if known is None else _line(known.description)


def topic_names(given: TopicsGiven | None, scored: Sequence[str]) -> TopicNames:
    """Return the scored topics among those given.

    Topics that are missing are warned about; it is an error if none is there.

    >>> topic_names([Topic("7", "tides")], ["7", "8"]).warnings
    ('topics: 1 of 2 topics is not among those given and has no title: 8',)
    """
    if given is None:
        return TopicNames()
    by_id = topics_by_id(given, "topics")
    missing = [name for name in scored if name not in by_id]
    if len(missing) == len(scored):
        where = f" in {os.fspath(given)}" if isinstance(given, str | os.PathLike) else ""
        raise InputError(
            f"topics: none of the topics that were scored ({join_names(scored, 6)}) is among the "
            f"{plural(len(by_id), 'topic')}{where} ({join_names(list(by_id), 6)})"
        )
    warnings: tuple[str, ...] = ()
    if missing:
        are = "is" if len(missing) == 1 else "are"
        warnings = (
            f"topics: {len(missing):,} of {plural(len(scored), 'topic')} {are} not among those "
            f"given and {'has' if len(missing) == 1 else 'have'} no title: "
            f"{join_names(missing, _MAX_NAMED)}",
        )
    return TopicNames({name: by_id[name] for name in scored if name in by_id}, warnings)


def _line(text: str | None) -> str:
    return " ".join(readable(text or "").split())


# The contents


class Difficulty(NamedTuple):
    """The topics that have scores, hardest first, and the spread of their scores over runs."""

    topics: list[str]
    spread: Floats  # topics × (lowest, first quartile, median, third quartile, highest)


ALPHA = 0.05
# How many runs are chosen when the page is opened: all up to the first number, of more the best.
MAX_ALL_CHOSEN = 12
MAX_CHOSEN = 10
# With more runs than these, pairs are not tested: it takes long, and nobody reads the letters.
MAX_TESTED = 80


class Subject(NamedTuple):
    """What was compared, and on what: the words of the page for runs and topics."""

    run: str
    topic: str

    @property
    def text(self) -> str:
        """The word for text that is relevant."""
        return "evidence" if self == CHUNKINGS else "highlighted text"


SYSTEMS, CHUNKINGS = Subject("system", "topic"), Subject("chunking", "question")


@dataclass(frozen=True)
class Contents:
    """The scores of a report, its baseline, and what else is to be shown.

    profile: scores with the curves of hits, near-misses and misses by rank; None if nobody asked
    about navigation. documents: what runs return in some documents. notes: warnings besides those
    of the table. topics: what is known about topics besides their ids. provenance: where all of it
    comes from. losses: what runs lose by chunking and by retrieval, if chunks are known. sizes: the
    sizes and overlaps of the chunks of runs, where they have some.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts
    >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
    >>> counted = np.ones(3, dtype=bool)
    >>> scores = {"base": [0.1, 0.4, 0.1], "mine": [0.3, 0.5, 0.4]}
    >>> runs = tuple(RunScores(run, np.array([v]), counted) for run, v in scores.items())
    >>> contents = Contents(ScoreTable((facts,), ("1", "2", "3"), runs))
    >>> contents.ranking, contents.reference, contents.wins["base"], contents.difficulty.topics
    (['mine', 'base'], 'mine', (0, 3), ['1', '3', '2'])
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
    sizes: tuple[SizedRun, ...] = ()

    def __post_init__(self) -> None:
        if self.baseline is not None and self.baseline not in self.names:
            known = join_names(self.names, 60)
            raise InputError(f"no run {quoted(self.baseline)} for the baseline; there are {known}")

    @cached_property
    def names(self) -> list[str]:
        """The names of the runs, in the order they were given."""
        return [scores.run for scores in self.table.runs]

    @property
    def reference(self) -> str:
        """The run that others are compared with: the baseline, or else the best run."""
        return self.ranking[0] if self.baseline is None else self.baseline

    @cached_property
    def columns(self) -> tuple[MeasureColumn, ...]:
        """The scores by measure."""
        return tuple(MeasureColumn.of(self.table, n) for n in range(len(self.table.measures)))

    @cached_property
    def ranking(self) -> list[str]:
        """The runs by the first measure, best first."""
        return self.columns[0].ranking()

    @cached_property
    def is_tie(self) -> bool:
        """Whether there are several runs, and all have the same mean by the first measure."""
        means = list(self.columns[0].means.values())
        return len(means) > 1 and len(set(means)) == 1

    @cached_property
    def chosen(self) -> list[str]:
        """The runs that are shown at first, best first: all, or the best and the reference."""
        if len(self.ranking) <= MAX_ALL_CHOSEN:
            return self.ranking
        best = self.ranking[:MAX_CHOSEN]
        return best if self.reference in best else [*best[:-1], self.reference]

    @cached_property
    def full_names(self) -> dict[str, str]:
        """The names of the runs as they can be read, best first."""
        return legible(self.ranking)

    @cached_property
    def shown(self) -> dict[str, str]:
        """The names of the runs as the page shows them, best first: long ones are shortened."""
        return dict(zip(self.ranking, shortened(list(self.full_names.values())), strict=True))

    @cached_property
    def shown_topics(self) -> dict[str, str]:
        """The ids of the topics as the page shows them."""
        return legible(self.table.topic_ids)

    @cached_property
    def descriptions(self) -> dict[str, str]:
        """What runs are, in a few words, as far as it is known."""
        return self.table.descriptions

    @cached_property
    def labels(self) -> list[str]:
        """The names of the measures as the page shows them."""
        return list(legible(self.table.labels).values())

    def scores(self, run: str) -> RunScores:
        """Return the scores of a run."""
        return self.table.runs[self.names.index(run)]

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """All pairs of runs, by each measure; none for one run or very many."""
        if not 2 <= len(self.names) <= MAX_TESTED:
            return ()
        return tuple(compare(self.table, label, alpha=ALPHA) for label in self.table.labels)

    @cached_property
    def tested(self) -> tuple[Comparison, ...]:
        """The runs against the baseline by each measure, as `compare` tests them.

        Without a baseline, these are all pairs. There are none if nothing is tested.
        """
        if self.baseline is None or not self.comparisons:
            return self.comparisons
        return tuple(
            compare(self.table, label, baseline=self.baseline, alpha=ALPHA)
            for label in self.table.labels
        )

    def test_in_words(self, number: int = 0) -> str:
        """Return how runs are tested by a measure, as a sentence; empty if nothing is tested."""
        if not self.tested or all(pair.p is None for pair in self.tested[number].pairs):
            return ""
        tested = self.tested[number]
        pairs = plural(len(tested.pairs), "pair")
        alpha = f"α\N{NO-BREAK SPACE}{tested.alpha:g}"
        return f"Test: {TITLES[tested.test]}, Holm's correction for {pairs}, {alpha}."

    @cached_property
    def subject(self) -> Subject:
        """What was compared: chunkings if it is known what they lose, otherwise systems."""
        return CHUNKINGS if self.losses else SYSTEMS

    @cached_property
    def shown_documents(self) -> list[DocumentView]:
        """The documents of the topics that the table has, as the page numbers them."""
        topics = set(self.table.topic_ids)
        return [view for view in self.documents if view.topic in topics]

    @cached_property
    def wins(self) -> dict[str, tuple[int, int]]:
        """On how many topics each run is better and worse than the reference, by run."""
        column = self.columns[0]
        sign = 1 if column.facts.higher_is_better else -1
        steps = {
            run: sign * (v - column.values[self.reference]) for run, v in column.values.items()
        }
        return {run: (int((s > 0).sum()), int((s < 0).sum())) for run, s in steps.items()}

    @cached_property
    def difficulty(self) -> Difficulty:
        """How hard topics are by the first measure."""
        column = self.columns[0]
        values = np.stack(list(column.values.values()))
        defined = np.flatnonzero(~np.isnan(values).all(axis=0))
        if not len(defined):
            return Difficulty([], np.empty((0, 5)))
        spread = np.nanquantile(values[:, defined], [0, 0.25, 0.5, 0.75, 1], axis=0).T
        sign = 1 if column.facts.higher_is_better else -1
        order = np.lexsort((sign * spread.mean(axis=1), sign * spread[:, 2]))
        return Difficulty([self.table.topic_ids[at] for at in defined[order]], spread[order])

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
        named = (model for _, model in self.provenance.navigation if model.split("(")[0] == name)
        return next(named, name)

    @cached_property
    def warnings(self) -> list[tuple[list[str], str]]:
        """All warnings, each with the runs it is about, or none if it is about no single run."""
        notes = [*self.notes, *self.topics.warnings, *self.table.warnings]
        runs: dict[str, list[str]] = {note: [] for note in notes}
        for scores in self.table.runs:
            for warning in dict.fromkeys(scores.warnings):
                runs.setdefault(warning, []).append(scores.run)
        for note in self.further_warnings:
            runs.setdefault(note, [])
        return [(named, warning) for warning, named in runs.items()]

    @cached_property
    def further_warnings(self) -> list[str]:
        """The warnings that are not those of the table."""
        notes = [note for comparison in self.comparisons for note in comparison.notes]
        notes += [] if self.correlations is None else self.correlations.notes
        return list(dict.fromkeys([*self.notes, *self.topics.warnings, *notes]))
