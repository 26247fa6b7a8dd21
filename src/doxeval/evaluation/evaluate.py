"""Runs, assessments and measures to a table of scores.

This is where the policies are: which topics count, what undefined means, what is warned about.
Each run is scored by itself, so runs can go to any executor; results do not depend on it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from doxeval.assessments import Assessments
from doxeval.assessments.assessed_elements import SpecificityFrom
from doxeval.assessments.resolution import resolved_assessments
from doxeval.documents import Collection
from doxeval.errors import InputError, MissingInput
from doxeval.evaluation.prepare import Prepared, Reading, prepare
from doxeval.evaluation.processes import scored_in_processes
from doxeval.measures.base import Measure, Need
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.registry import measure_named
from doxeval.memory import (
    collect_garbage,
    keep_freed_blocks,
    no_garbage_collected,
    only_new_garbage,
)
from doxeval.runs import Kind, Run, read_run
from doxeval.scores import RunScores, ScoreTable

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from doxeval.navigation import Navigation

TopicPolicy = Literal["assessed", "retrieved"]
Source = str | os.PathLike[str] | Run


@dataclass(frozen=True)
class Evaluation:
    """Everything that all runs of an evaluation share."""

    assessments: Assessments
    labels: tuple[str, ...]
    directory: str | None = None
    reading: Reading = field(default_factory=Reading)
    topics: TopicPolicy = "assessed"
    specificity: SpecificityFrom | None = None
    curves: bool = False
    navigation: Navigation | None = None

    def __getstate__(self) -> dict[str, Any]:
        # What was worked out here is worked out again where it is needed.
        computed = ("truth", "measures")
        return {name: value for name, value in self.__dict__.items() if name not in computed}

    @cached_property
    def truth(self) -> GroundTruth:
        """What is relevant."""
        collection = None if self.directory is None else Collection(self.directory)
        with no_garbage_collected():
            return GroundTruth.of(self.assessments, collection, self.specificity, self.navigation)

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, with all parameters settled."""
        found = []
        for label in self.labels:
            measure = measure_named(label)
            for need in measure.needs:
                self._check_need(need, label)
            found.append(measure.settled(self.truth))
        return tuple(found)

    @property
    def navigation_warnings(self) -> list[str]:
        """What is odd about the model of navigation; what is wrong with it is an error."""
        if self.navigation is None or self.truth.collection is None:
            return []
        return self.navigation.checked(self.truth.collection)

    def _check_need(self, need: Need, label: str) -> None:
        truth = self.truth
        is_there = {
            Need.HIGHLIGHTS: truth.has_highlights or not truth.is_relevant.any(),
            Need.ENTRY_POINTS: bool((truth.entry >= 0).any()) or not truth.is_relevant.any(),
            Need.SIZES: truth.collection is not None,
        }
        if not is_there.get(need, True):
            hint = ""
            if need is Need.HIGHLIGHTS and truth.collection is None:
                hint = "; assessments of whole documents or with text points need a collection"
            raise MissingInput(f"{label} needs {need.value}{hint}")

    def score(self, source: Source) -> RunScores:
        """The scores of one run."""
        run = source if isinstance(source, Run) else read_run(source, ends=self.reading.ends)
        prepared = prepare(run, self.truth, self.reading)
        values = np.full((len(self.measures), len(self.truth.topics)), np.nan)
        warnings = list(prepared.warnings)
        curves = []
        for place, (label, measure) in enumerate(zip(self.labels, self.measures, strict=True)):
            _check_results(measure, label, prepared, run)
            values[place] = measure.scores(prepared.ranking)
            warnings += measure.warnings(prepared.ranking)
            if self.curves:
                curve = measure.curve(prepared.ranking)
                curves += [] if curve is None else [curve._replace(label=label)]
        counted = np.ones(len(self.truth.topics), dtype=np.bool_)
        if self.topics == "retrieved":
            counted = prepared.ranking.counts > 0
        file = None if isinstance(source, Run) else os.fspath(source)
        return RunScores(run.run_id, values, counted, file, tuple(curves), tuple(warnings))

    def score_and_forget(self, source: Source) -> RunScores:
        """The scores of one of many runs; its arrays are let go."""
        scores = self.score(source)
        collect_garbage()
        return scores


def _check_results(measure: Measure, label: str, prepared: Prepared, run: Run) -> None:
    """Whether a run's results are of the kind that a measure is about."""
    kinds, ranking = prepared.kinds, prepared.ranking
    name = run.origin or run.run_id
    others = {Kind.PASSAGE: "passages", Kind.POINT: "entry points", Kind.TREE: "trees"}
    if Need.RETRIEVED_ELEMENTS in measure.needs and kinds & set(others):
        what = " and ".join(others[kind] for kind in sorted(kinds & set(others)))
        raise MissingInput(f"{label} is about elements, and {name} returns {what}")
    no_text = kinds & {Kind.POINT, Kind.TREE}
    if Need.RETRIEVED_TEXT in measure.needs and no_text:
        what = " and ".join(others[kind] for kind in sorted(no_text))
        raise MissingInput(f"{label} is about passages of text, and {name} returns {what}")
    is_unknown = (
        (Need.RETRIEVED_TEXT in measure.needs and (ranking.end < 0).any())
        or (Need.RETRIEVED_START in measure.needs and (ranking.start < 0).any())
        or (Need.SIZES in measure.needs and (ranking.end < 0).any())
    )
    if is_unknown:
        raise MissingInput(
            f"{label} needs to know where the results of {name} begin and end: give the collection"
        )


def evaluate(
    runs: Iterable[Source] | Source,
    assessments: Assessments,
    measures: Sequence[str | Measure],
    *,
    collection: Collection | str | os.PathLike[str] | None = None,
    topics: TopicPolicy = "assessed",
    reading: Reading | None = None,
    specificity: SpecificityFrom | None = None,
    curves: bool = False,
    navigation: Navigation | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    progress: Callable[[int], object] = lambda _: None,
) -> ScoreTable:
    """Score runs (files or values) by measures (names or values).

    `navigation` is a model of how users navigate, for the measures that have one. With `jobs`,
    runs are scored in as many processes; with an executor, on that. `curves` adds
    the curves behind the scores; `progress` is told how many more runs are done.

    >>> from doxeval.assessments import Judgment
    >>> from doxeval.runs.builder import run_of
    >>> from doxeval.runs.run import Result
    >>> assessments = Assessments([Judgment("7", "a", ((0, 50),), document_length=200)])
    >>> run = run_of([Result("7", "a", Kind.PASSAGE, 25, 125)], "mine")
    >>> evaluate(run, assessments, ["cP@1", "cR@1"]).mean()
    {'mine': {'cP@1': 0.25, 'cR@1': 0.5}}
    """
    sources = [runs] if isinstance(runs, str | os.PathLike | Run) else list(runs)
    if not sources:
        raise InputError("no runs to evaluate")
    labels = tuple(dict.fromkeys(str(measure) for measure in measures))
    if not labels:
        raise InputError("no measures to evaluate by")
    if collection is not None and not isinstance(collection, Collection):
        collection = Collection(os.fspath(collection))
    if collection is not None:
        assessments = resolved_assessments(assessments, collection)
    evaluation = Evaluation(
        assessments,
        labels,
        None if collection is None else str(collection.directory),
        reading or Reading(),
        topics,
        specificity,
        curves,
        navigation,
    )
    settled = evaluation.measures  # what cannot work is told before anything is read
    scored = _scored(evaluation, sources, jobs, executor, progress)
    return ScoreTable(
        tuple(m.facts_as(label) for label, m in zip(labels, settled, strict=True)),
        evaluation.truth.topics,
        _distinguished(scored),
        evaluation.directory,
        tuple(dict.fromkeys(j.origin for j in assessments if j.origin is not None)),
        (*assessments.warnings, *evaluation.navigation_warnings),
    )


def _scored(
    evaluation: Evaluation,
    sources: list[Source],
    jobs: int,
    executor: Executor | None,
    progress: Callable[[int], object],
) -> list[RunScores]:
    found = []
    if executor is not None:
        for future in [executor.submit(evaluation.score, source) for source in sources]:
            found.append(future.result())
            progress(1)
        return found

    score = evaluation.score_and_forget
    workers = min(jobs, len(sources))
    keep_freed_blocks()
    with only_new_garbage():
        if workers > 1:
            return scored_in_processes(score, sources, workers, progress)
        for source in sources:
            found.append(score(source))
            progress(1)
    return found


def _distinguished(scored: list[RunScores]) -> tuple[RunScores, ...]:
    """Runs with the same id are told apart by their files, or by number."""
    ids = [scores.run for scores in scored]
    found: list[RunScores] = []
    taken: set[str] = set()
    for scores in scored:
        name = scores.run
        if ids.count(name) > 1 and scores.file is not None:
            name = f"{name} ({scores.file})"
        number = 2
        unique = name
        while unique in taken:
            unique = f"{name} #{number}"
            number += 1
        taken.add(unique)
        found.append(scores if unique == scores.run else replace(scores, run=unique))
    return tuple(found)
