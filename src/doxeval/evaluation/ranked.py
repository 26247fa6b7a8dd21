"""From a run to the ranking that measures see: one step after another, each with its warnings."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.evaluation.assessed_topics import AssessedPart, assessed_part
from doxeval.evaluation.duplicates import repeats_in
from doxeval.evaluation.findings import MOST_SHOWN, NOWHERE, Findings, Place, Places
from doxeval.evaluation.options import RunOptions
from doxeval.evaluation.order import contradictions, orderable, ordered, tie_levels
from doxeval.evaluation.placing import PlacedRun, placed
from doxeval.measures import GroundTruth, Measure, Ranking
from doxeval.messages import plural
from doxeval.runs import Kind, ResolvedRun, Run


class RankedRun(NamedTuple):
    """A run that is ready for measures, what was found in it, and warnings.

    with_repeats: the same with results that were returned before, for measures that count them.
    """

    ranking: Ranking
    with_repeats: Ranking
    findings: Findings
    warnings: tuple[str, ...] = ()

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of its results."""
        return self.findings.kinds

    def seen_by(self, measure: Measure) -> Ranking:
        """The ranking as a measure takes it."""
        return self.with_repeats if measure.facts.repeats == "keep" else self.ranking

    def __repr__(self) -> str:
        return f"RankedRun({self.ranking!r}, {plural(len(self.warnings), 'warning')})"


def ranked(
    run: Run, truth: GroundTruth, options: RunOptions, policies: Collection[str] = ("drop",)
) -> RankedRun:
    """Order a run, keep what is about assessed topics, find its results and its duplicates.

    policies: what the measures do with duplicates if the options leave it to them.

    >>> from doxeval.assessments import Assessments, Judgment
    >>> from doxeval.runs.builder import run_of
    >>> from doxeval.runs.run import Result
    >>> truth = GroundTruth.of(Assessments([Judgment("7", "a", ((0, 9),), document_length=20)]))
    >>> results = [Result("7", "a", Kind.PASSAGE, 5, 15), Result("7", "a", Kind.PASSAGE, 5, 15)]
    >>> found = ranked(run_of(results), truth, RunOptions())
    >>> found.ranking.relevant.tolist(), found.warnings
    ([4], ('1 duplicate was left out, the first on line 2',))
    """
    found = ranked_part(run, truth, options, np.arange(len(truth.topics)))
    told = found.findings.told(truth.topics, options, policies, run.origin)
    return found._replace(warnings=(*run.warnings, *told))


def ranked_part(run: Run, truth: GroundTruth, options: RunOptions, topics: Ints) -> RankedRun:
    """As `ranked`, for a part of a run: nothing is told yet, and nothing unresolved is refused.

    topics: the numbers of the topics to score, to which all its results belong that are assessed.
    """
    options, unordered = orderable(run, options)
    part = assessed_part(ordered(run, options.order), truth.topic_numbers)
    found = placed(part.run, part.topic, truth, options)
    level = tie_levels(part.run, part.topic, options.order)
    is_repeat = repeats_in(found, part.topic)
    resolved = _without_white_space(found.resolved, truth)
    every = Ranking(truth, topics, part.topic, found.pair, resolved, level, is_repeat)
    once = every
    if is_repeat is not None and options.duplicates != "keep":
        once = every.rows(np.flatnonzero(~is_repeat))
    findings = Findings(
        _kinds(part.run),
        bool((once.start < 0).any()),
        bool((once.end < 0).any()),
        unordered,
        contradictions(run, options.order),
        part.unknown,
        part.split,
        _unresolved(part, found),
        _repeats(part, is_repeat),
    )
    return RankedRun(once, once if options.duplicates == "drop" else every, findings)


def _unresolved(part: AssessedPart, found: PlacedRun) -> Places:
    places = (
        Place(int(part.topic[one.row]), one.line, one.reason) for one in found.problems[:MOST_SHOWN]
    )
    return Places(len(found.problems), tuple(places))


def _repeats(part: AssessedPart, is_repeat: Bools | None) -> Places:
    if is_repeat is None:
        return NOWHERE
    first = int(np.argmax(is_repeat))
    place = Place(int(part.topic[first]), int(part.run.line[first]))
    return Places(int(is_repeat.sum()), (place,))


def _without_white_space(resolved: ResolvedRun, truth: GroundTruth) -> ResolvedRun:
    if not truth.solid:
        return resolved
    from doxeval.measures import Solid

    return Solid(truth.known_texts, strict=True).resolved(resolved)


def _kinds(run: Run) -> frozenset[Kind]:
    present = np.bincount(run.kind, minlength=len(Kind)) if len(run) else np.zeros(len(Kind))
    return frozenset(kind for kind in Kind if present[kind])
