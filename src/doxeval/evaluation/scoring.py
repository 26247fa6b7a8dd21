"""How a run is scored: block by block, each by all measures; then the blocks are put together.

Topics are scored independently of each other, so the scores of blocks of whole topics are the
scores of the run. Whatever was found on the way is added up, and told as for the run at once.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.errors import InputError, MissingInput
from doxeval.evaluation.asked import LeftOut, check_presets, told
from doxeval.evaluation.assessed_topics import about_missing
from doxeval.evaluation.findings import Findings
from doxeval.evaluation.joining import all_documents, all_points
from doxeval.evaluation.needs import check_results
from doxeval.evaluation.options import AverageOver, RunOptions
from doxeval.evaluation.order import ties_in
from doxeval.evaluation.ranked import RankedRun, ranked_part
from doxeval.evaluation.settled import AskedMeasure
from doxeval.evaluation.sources import NamedSource, about_same_file
from doxeval.measures import GroundTruth, Measure, Preset
from doxeval.runs import Run, RunFacts
from doxeval.scores import Curve, DocumentScores, RunScores
from doxeval.storage import off_guard

if TYPE_CHECKING:
    from doxeval.measures import Ranking


class Warned(NamedTuple):
    """What a measure has to say about a block: in how many topics, or in its own words."""

    topics: int = 0
    words: tuple[str, ...] = ()


class BlockScores(NamedTuple):
    """The scores of some topics of a run, measures × topics.

    topics: their numbers, ascending. curves, warned, failed: by measure; failed is why a measure
    could not score the block. documents: the scores of single documents, one value for each way of
    scoring them. kept: what the evaluation was asked to keep of the ranking.
    """

    topics: Ints
    values: Floats
    has_results: Bools
    findings: Findings
    curves: tuple[Curve | None, ...]
    documents: tuple[DocumentScores, ...]
    warned: tuple[Warned, ...]
    failed: tuple[MissingInput | None, ...]
    kept: Any = None


@dataclass(frozen=True, eq=False, repr=False)
class Scoring:
    """What runs are held against and how, all of it settled."""

    truth: GroundTruth
    measures: tuple[AskedMeasure, ...]
    options: RunOptions
    presets: Mapping[str, Preset]
    left_out: tuple[LeftOut, ...]
    average_over: AverageOver
    curves: bool
    per_document: bool
    keep: Callable[[Ranking], Any] | None
    assessment_files: tuple[str, ...]

    @property
    def repeats(self) -> set[str]:
        """What the measures do with results that were returned before."""
        return {one.settled.facts.repeats for one in self.measures}

    def topics_of(self, run: Run) -> Ints:
        """The numbers of the assessed topics of a run, ascending."""
        numbers = self.truth.topic_numbers
        return np.array(
            sorted(numbers[one] for one in run.topics if one in numbers), dtype=np.int64
        )

    def block(self, run: Run, topics: Ints, name: str) -> BlockScores:
        """The scores of these topics, to which all results of the run belong that are assessed."""
        found = ranked_part(run, self.truth, self.options, topics)
        findings = found.findings
        if any(one.settled.facts.ranks_documents for one in self.measures):
            findings = findings._replace(ties=ties_in(found.ranking.articles))
        measured = _Measured(self, found, name)
        if len(topics) and not self._refuses(findings):
            measured.by_all()
        return BlockScores(
            topics,
            measured.values,
            found.ranking.counts[topics] > 0,
            findings,
            tuple(measured.curves),
            tuple(measured.documents.values()),
            tuple(measured.warned),
            tuple(measured.failed),
            measured.kept(),
        )

    def _refuses(self, findings: Findings) -> bool:
        return findings.unresolved.times > 0 and self.options.unresolved == "error"

    # A run from its blocks

    def run_scores(
        self, source: NamedSource, facts: RunFacts, blocks: Sequence[BlockScores]
    ) -> RunScores:
        """The scores of a run, given those of all its blocks, which have all topics together."""
        topics = self.truth.topics
        findings = Findings.joined([block.findings for block in blocks])
        about_run = findings.told(topics, self.options, self.repeats, facts.origin)
        name = facts.origin or source.name or facts.run_id
        left_out = self._left_out(findings, blocks, name)
        reasons = tuple(one for one in left_out if one is not None)
        check_presets(self.presets, (*self.left_out, *reasons), f" for {name}")
        has_results = np.zeros(len(topics), dtype=np.bool_)
        for block in blocks:
            has_results[block.topics] = block.has_results
        warnings = (
            *about_same_file(source.file or facts.origin, self.assessment_files),
            *(*facts.warnings, *about_run),
            *about_missing(has_results, topics, self.average_over),
            *self._about_measures(blocks, left_out),
            *told(reasons),
        )
        return RunScores(
            source.name or facts.run_id,
            self._values(blocks, left_out),
            has_results if self.average_over == "retrieved" else np.ones_like(has_results),
            source.file,
            self._curves(blocks, left_out),
            tuple(dict.fromkeys(warnings)),
            has_results,
            blocks[0].kept,
            self._documents(blocks, left_out),
        )

    def _left_out(
        self, findings: Findings, blocks: Sequence[BlockScores], name: str
    ) -> list[LeftOut | None]:
        """By measure: why it cannot score the run, if it cannot and need not."""
        found: list[LeftOut | None] = []
        for row, one in enumerate(self.measures):
            try:
                check_results(one.settled, one.label, findings, name)
                for error in (block.failed[row] for block in blocks):
                    if error is not None:
                        raise error
                found.append(None)
            except MissingInput as error:
                if not one.is_optional:
                    raise
                found.append(LeftOut(one.label, str(error)))
        return found

    def _values(self, blocks: Sequence[BlockScores], left_out: Sequence[LeftOut | None]) -> Floats:
        if len(blocks) == 1:
            return blocks[0].values
        values = np.full((len(self.measures), len(self.truth.topics)), np.nan)
        for block in blocks:
            values[:, block.topics] = block.values
        values[[one is not None for one in left_out]] = np.nan
        return values

    def _curves(
        self, blocks: Sequence[BlockScores], left_out: Sequence[LeftOut | None]
    ) -> tuple[Curve, ...]:
        if len(blocks) == 1:
            return tuple(curve for curve in blocks[0].curves if curve is not None)
        found = []
        for row, one in enumerate(left_out):
            own = [(block.topics, block.curves[row]) for block in blocks if len(block.topics)]
            curve = all_points(own, len(self.truth.topics)) if one is None else None
            if curve is not None:
                found.append(curve)
        return tuple(found)

    def _documents(
        self, blocks: Sequence[BlockScores], left_out: Sequence[LeftOut | None]
    ) -> tuple[DocumentScores, ...]:
        """The scores of documents by measures that score the whole run."""
        ways = {
            one.settled.document_score
            for one, reason in zip(self.measures, left_out, strict=True)
            if reason is None
        }
        own = [[one for one in block.documents if one.scored_by in ways] for block in blocks]
        return all_documents([tuple(several) for several in own])

    def _about_measures(
        self, blocks: Sequence[BlockScores], left_out: Sequence[LeftOut | None]
    ) -> list[str]:
        found: list[str] = []
        for row, one in enumerate(self.measures):
            if left_out[row] is None:
                own = [block.warned[row] for block in blocks]
                with off_guard(one.settled):
                    found += one.settled.about(sum(warned.topics for warned in own))
                found += [words for warned in own for words in warned.words]
        return found


class _Measured:
    """The measures of one block, one after another."""

    def __init__(self, scoring: Scoring, found: RankedRun, name: str) -> None:
        self._scoring = scoring
        self._found = found
        self._name = name
        count = len(scoring.measures)
        self.values = np.full((count, len(found.ranking.topics)), np.nan)
        self.curves: list[Curve | None] = [None] * count
        self.documents: dict[str, DocumentScores] = {}
        self.warned = [Warned()] * count
        self.failed: list[MissingInput | None] = [None] * count
        self._is_done = False

    def kept(self) -> Any:
        """What is to be kept of the ranking, if everything went well."""
        keep = self._scoring.keep
        if keep is None or not self._is_done:
            return None
        return keep(self._found.seen_by(self._scoring.measures[0].settled))

    def by_all(self) -> None:
        """Score by all measures, or up to the first that must not fail and does."""
        for row, one in enumerate(self._scoring.measures):
            try:
                self._by_one(row, one)
            except MissingInput as error:
                self.failed[row] = error
                if not one.is_optional:
                    return
        self._is_done = True

    def _by_one(self, row: int, one: AskedMeasure) -> None:
        check_results(one.settled, one.label, self._found.findings, self._name)
        ranking = self._found.seen_by(one.settled)
        with off_guard(one.settled):
            self.values[row] = _scores(one, ranking)[ranking.topics]
            if self._scoring.curves:
                curve = one.settled.curve(ranking)
                if curve is not None:
                    self.curves[row] = curve._replace(label=one.label, y=curve.y[ranking.topics])
            if self._scoring.per_document:
                self.documents |= _documents(one, ranking, self.documents)
            self.warned[row] = _warned(one.settled, ranking)


def _scores(one: AskedMeasure, ranking: Ranking) -> Floats:
    """A measure's scores; what a measure of the user's own gives is checked."""
    found = np.asarray(one.settled.scores(ranking), dtype=np.float64)
    topics = len(ranking.truth.topics)
    if found.shape != (topics,):
        raise InputError(
            f"{one.label} gives scores of shape {found.shape}: expected one for each of the "
            f"{topics:,} topics"
        )
    return found


def _documents(
    one: AskedMeasure, ranking: Ranking, known: Container[str]
) -> dict[str, DocumentScores]:
    """The scores of documents that a measure averages, unless they are known already."""
    scored_by = one.settled.document_score
    if scored_by is None or scored_by in known:
        return {}
    return {scored_by: one.settled.document_scores(ranking)}


def _warned(measure: Measure, ranking: Ranking) -> Warned:
    if type(measure).warnings is Measure.warnings:
        return Warned(measure.concerns(ranking))
    return Warned(words=tuple(measure.warnings(ranking)))
