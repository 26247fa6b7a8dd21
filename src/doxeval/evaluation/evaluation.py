"""An evaluation: what runs are scored against, opened and resolved once, and how they are scored.

Evaluation(assessments, measures, …) works out the ground truth and selects the measures. Then each
run is read, resolved, ranked and scored by itself, so that runs can be scored in any process and
order with the same result.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

from doxeval.assessments import (
    AssessmentsGiven,
    as_assessments,
)
from doxeval.datasets import packaged_collection
from doxeval.documents import Collection
from doxeval.errors import InputError, warn
from doxeval.evaluation.inputs import (
    AverageOver,
    Counting,
    Keep,
    RunInput,
    RunOptions,
    RunsGiven,
    as_run_input,
    check_choice,
    run_inputs,
)
from doxeval.evaluation.measure_selection import (
    MeasureGiven,
    SelectedMeasure,
    navigation_warnings,
    preset_duplicates,
    preset_order,
    presets_by_name,
    requested_measures,
    select_measures,
    skip_warnings,
    unanswerable_warnings,
)
from doxeval.evaluation.ranking import RunRanking, build_ranking
from doxeval.evaluation.scoring import (
    PieceScores,
    RunPiece,
    Scoring,
    join_pieces,
    run_pieces,
    score_piece,
    score_run,
)
from doxeval.measures import PROFILE, GroundTruth
from doxeval.messages import Parameter, plural
from doxeval.named import checked_but
from doxeval.navigation import Navigation
from doxeval.parallel import PATIENCE
from doxeval.runs import ChunkTable, Order, RunGiven, chunk_table_of
from doxeval.scores import (
    ByMeasure,
    MeasureFacts,
    RunScores,
    RunView,
    ScoreTable,
    with_duplicates,
    with_unique_names,
)
from doxeval.storage import report_damage

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from doxeval.parallel import EngineLike
    from doxeval.topics import TopicsGiven


class Evaluation:
    """Assessments, measures and a collection that score any number of runs.

    Everything is opened, read and resolved once, when the evaluation is made.

    assessments: judgments, their file or files, grades {topic: {document: grade}}, or a data frame.
    measures: values or names. What cannot be computed is an error.
    presets: names of official sets of measures, such as inex2002. Those of their measures are
    skipped, with a warning, for which the assessments or a run lack something; if nothing of a
    preset is left, that is an error.
    where_possible: further measures that may be skipped like this.
    collection: the documents, opened or as a directory or URL; needed to look up elements. By
    default those of the package that the assessments are, if it has them.
    navigation: a model of how users navigate, for the measures that take one: a value, a name such
    as "depth", a file, or what it holds.
    order: what ranks results: the list as it is, or "rank" or "rsv" (scores), where equal ones are
    tied, or "trec" (scores in single precision, equal ones by falling document id). By default runs
    are ranked as the presets rank them, or else as listed.
    average_over: whether assessed topics without results count as empty lists ("assessed") or are
    left out ("retrieved").
    targets: topics, or their file: of the elements, only those that match the target of their
    topic's structured query are relevant (strict CAS).
    chunks: all chunks that a system could return (a table or its file), for runs that name chunks
    by their ids, and for measures that compare with the best of them.
    run_options, counting, keep: how runs are read, what is counted as text, and what is kept
    besides the scores; see `RunOptions`, `Counting` and `Keep`.

    Runs are read and scored in blocks of whole topics, so memory does not grow with a run if the
    results of each topic stand together in its file. If they do not, the run is taken as a whole,
    which takes some 500 bytes for each result; a file of more than 2 GiB has to be sorted by topic,
    and so has a run of more than 200,000 results from a pipe.

    >>> from doxeval.assessments import Assessments, Judgment
    >>> from doxeval.measures import cP, cR
    >>> from doxeval.runs import Kind, Result, Run
    >>> judgments = [Judgment("7", "a", ((0, 50),), document_length=200)]
    >>> evaluation = Evaluation(Assessments(judgments), [cP @ 1, cR @ 1])
    >>> run = Run.from_results([Result("7", "a", Kind.PASSAGE, 25, 125)], "mine")
    >>> evaluation.score(run)["cP@1"]
    0.25
    >>> evaluation.score_all([run]).mean()
    {'mine': {'cP@1': 0.25, 'cR@1': 0.5}}
    """

    @checked_but("assessments")
    def __init__(
        self,
        assessments: AssessmentsGiven,
        measures: MeasureGiven | Iterable[MeasureGiven] = (),
        *,
        presets: str | Iterable[str] = (),
        where_possible: Iterable[MeasureGiven] = (),
        collection: Collection | str | os.PathLike[str] | None = None,
        navigation: Navigation | str | os.PathLike[str] | Mapping[str, Any] | None = None,
        order: Order | None = None,
        average_over: AverageOver = "assessed",
        targets: TopicsGiven | None = None,
        chunks: ChunkTable | str | os.PathLike[str] | None = None,
        run_options: RunOptions = RunOptions(),
        counting: Counting = Counting(),
        keep: Keep = Keep(),
    ) -> None:
        check_choice("average_over", average_over, get_args(AverageOver))
        if collection is None:
            collection = packaged_collection(assessments)
        if collection is not None and not isinstance(collection, Collection):
            collection = Collection(os.fspath(collection))
        if navigation is not None:
            from doxeval.navigation import as_navigation

            navigation = as_navigation(navigation)
        self.collection = collection
        self.navigation = navigation
        self.average_over = average_over
        self.chunks = None if chunks is None else chunk_table_of(chunks)
        self.keep = keep
        self._presets = presets_by_name(presets)
        self._ranked_by, order_warnings = preset_order(order, self._presets)
        if run_options.duplicates == "auto":
            run_options = replace(run_options, duplicates=preset_duplicates(self._presets))
        self.run_options = run_options
        requests = requested_measures(measures, where_possible, self._presets)
        with report_damage(collection):
            self.assessments = as_assessments(
                assessments,
                collection=collection,
                offsets=run_options.offsets,
                whitespace=run_options.whitespace,
            )
        self.counting = counting
        self._texts = counting.known_texts(collection)
        self._targets = None
        if targets is not None:
            from doxeval.evaluation.targets import read_targets

            self._targets = read_targets(targets, self.assessments.topics, collection)
        # What cannot be computed is an error now, before any run is read.
        with report_damage(collection):
            self.measures, self._skipped = select_measures(requests, self._presets, self.truth)
        if keep.per_document and not any(each.measure.document_score for each in self.measures):
            raise InputError(
                Parameter("per_document", True)
                + " needs a measure that averages scores of documents: gP or MAgP"
            )
        self.warnings = (
            *self.assessments.warnings,
            *order_warnings,
            *skip_warnings(self._skipped),
            *unanswerable_warnings(self.measures, self.truth),
            *navigation_warnings(navigation, self.measures, collection),
            *self._target_warnings(),
        )
        warn(self.warnings)

    def _target_warnings(self) -> Iterator[str]:
        if self._targets is not None:
            from doxeval.evaluation.targets import target_warnings

            measures = {selected.label: selected.measure for selected in self.measures}
            yield from target_warnings(measures, self._targets, self.collection)

    def __repr__(self) -> str:
        labels = ", ".join(selected.label for selected in self.measures)
        where = "" if self.collection is None else f", {self.collection.location}"
        return f"Evaluation({plural(len(self.truth.topics), 'topic')}{where}: {labels})"

    def __getstate__(self) -> dict[str, Any]:
        # The ground truth is worked out again where it is needed, quicker than it is sent.
        remade = ("truth", "_scoring")
        return {name: value for name, value in self.__dict__.items() if name not in remade}

    @cached_property
    def truth(self) -> GroundTruth:
        """What is relevant."""
        return GroundTruth.of(
            self.assessments,
            self.collection,
            specificity=self.counting.specificity,
            navigation=self.navigation,
            targets=None if self._targets is None else self._targets.patterns,
            texts=self._texts,
            ignore_whitespace=self.counting.ignore_whitespace,
            chunks=self.chunks,
        )

    @cached_property
    def _scoring(self) -> Scoring:
        return Scoring(
            self.truth,
            self.measures,
            self._skipped,
            self._presets,
            self.run_options,
            self._ranked_by,
            self.chunks,
            self.average_over,
            self.keep,
            self.assessments.origins,
        )

    # Scores of runs

    def ranking(self, run: RunGiven | RunInput) -> RunRanking:
        """Return a run as measures see it: resolved, and in order."""
        read = as_run_input(run).read(ends=self.run_options.ends, chunks=self.chunks)
        policies = self._scoring.duplicate_policies
        return build_ranking(read, self.truth, self.run_options, self._ranked_by, policies)

    def score(self, run: RunGiven | RunInput) -> ScoredRun:
        """Return the scores of a run."""
        scores = self._score(as_run_input(run))
        table = self.table([scores])
        warn(table.run_warnings())
        return ScoredRun(**vars(scores), table=table)

    def _score(self, source: RunInput) -> RunScores:
        with report_damage(self.collection):
            return score_run(self._scoring, source)

    @checked_but("runs")
    def score_all(
        self,
        runs: RunsGiven,
        *,
        jobs: int = 1,
        executor: Executor | None = None,
        engine: EngineLike | None = None,
        patience: float = PATIENCE,
        progress: Callable[[int], object] = lambda _: None,
    ) -> ScoreTable:
        """Return the scores of runs: files, values or dicts; names are given as a mapping.

        With `jobs`, runs are scored in as many processes; with an `executor`, on that; with an
        `engine`, on a cluster: "dask://HOST:PORT", "tls://HOST:PORT", "dask:FILE" with the file of
        a scheduler, or a client of dask's. Its workers must have the same version of doxeval and
        see the same collection and runs at the same paths; if they do not, or if there is none
        of them for `patience` seconds, that is an error. `progress` is called with the number of
        runs that have been finished since. Scores do not depend on any of this.
        """
        sources = run_inputs(runs)
        if not sources:
            raise InputError("no runs to evaluate")
        if jobs < 1:
            raise InputError(f"jobs is {jobs}: expected 1 or more")
        if executor is not None and jobs > 1:
            raise InputError("give an executor or a number of jobs, not both")
        if engine is not None and (executor is not None or jobs > 1):
            other = "an executor" if executor is not None else "a number of jobs"
            raise InputError(f"give an engine or {other}, not both")
        if executor is not None or engine is not None:
            from doxeval.evaluation.jobs import score_on_engine

            chosen = engine if executor is None else executor
            scores = score_on_engine(chosen, self, sources, progress, patience)
        elif jobs > 1 and (len(sources) > 1 or len(self.pieces(sources[0])) > 1):
            from doxeval.evaluation.jobs import score_in_processes

            scores = score_in_processes(self, sources, jobs, progress)
        else:
            scores = []
            for source in sources:
                scores.append(self._score(source))
                progress(1)
        table = self.table(scores)
        warn(table.run_warnings())  # the others were emitted when the evaluation was made
        return table

    # Pieces of runs, for those who score them elsewhere

    def pieces(self, run: RunGiven | RunInput) -> list[RunPiece]:
        """Return the pieces of a run that can be scored by themselves, in any process and order.

        A large file of text or JSONL has several; any other run is one piece.
        """
        return run_pieces(self._scoring, as_run_input(run))

    def score_piece(self, piece: RunPiece) -> PieceScores:
        """Return the scores of a piece of a run."""
        with report_damage(self.collection):
            return score_piece(self._scoring, piece)

    def joined(self, run: RunGiven | RunInput, parts: Sequence[PieceScores]) -> RunScores:
        """Return the scores of a run from those of all its pieces, in their order.

        What is wrong with a run is an error here, as in `score`.
        """
        with report_damage(self.collection):
            return join_pieces(self._scoring, as_run_input(run), parts)

    # Scores as a table

    @property
    def facts(self) -> tuple[MeasureFacts, ...]:
        """What a table of scores says about the measures.

        Names say what is done with duplicates where a measure by itself does not do so.
        """
        return tuple(map(self._facts_of, self.measures))

    def _facts_of(self, selected: SelectedMeasure) -> MeasureFacts:
        label, measure = selected.label, selected.measure
        usual = measure.repeats
        requested = self.run_options.duplicates
        policy = usual if requested == "auto" else requested
        facts = measure.facts_as(label, selected.requested)._replace(duplicates=policy)
        if policy == usual:
            return facts
        # The profile of a report is looked up by its names.
        label = label if label in PROFILE else facts.label_where(usual)
        return facts._replace(label=label, canonical=with_duplicates(facts.canonical, policy))

    def table(self, scored: Sequence[RunScores]) -> ScoreTable:
        """Return the scores of several runs as a table; equal names of runs are made different."""
        facts = self.facts
        requested = tuple(
            fact._replace(label=selected.label)
            for fact, selected in zip(facts, self.measures, strict=True)
        )
        table = ScoreTable(
            requested,
            self.truth.topics,
            with_unique_names(scored),
            None if self.collection is None else self.collection.location,
            self.assessments.origins,
            self.warnings,
            self._reference,
            tuple(topic for topic in self.truth.topics if topic in self.assessments.unanswerable),
        )
        return table.labelled([fact.label for fact in facts])

    @property
    def _reference(self) -> str | None:
        """The measure that the preset of the first measure refers to."""
        labels = [selected.label for selected in self.measures]
        for preset in self._presets.values():
            if labels[0] in preset.measures and preset.reference in labels:
                return preset.reference
        return None


@dataclass(frozen=True, eq=False, repr=False)
class ScoredRun(RunScores):
    """The scores of a run, which answer as the run does in its table.

    >>> scores = Evaluation({"7": {"a": 1}}, ["AP", "P@2"]).score({"7": {"b": 2.0, "a": 1.0}})
    >>> scores["AP"], scores.topics["7"]["P@2"], scores.mean
    (0.5, 0.5, <AP 0.5000, P@2 0.5000>)
    """

    table: ScoreTable = field(kw_only=True)

    def __getitem__(self, measure: object) -> float | None:
        return self._view[measure]

    @property
    def mean(self) -> ByMeasure:
        """The mean of each measure, over the topics that count."""
        return ByMeasure(self.table.measures, self.table.means_of(0))

    @property
    def topics(self) -> dict[str, ByMeasure]:
        """The scores of each topic that counts."""
        return self._view.topics

    @property
    def _view(self) -> RunView:
        return self.table.view(0)


@checked_but("runs", "assessments")
def evaluate(
    runs: RunsGiven,
    assessments: AssessmentsGiven,
    measures: MeasureGiven | Iterable[MeasureGiven] = (),
    *,
    presets: str | Iterable[str] = (),
    where_possible: Iterable[MeasureGiven] = (),
    collection: Collection | str | os.PathLike[str] | None = None,
    navigation: Navigation | str | os.PathLike[str] | Mapping[str, Any] | None = None,
    order: Order | None = None,
    average_over: AverageOver = "assessed",
    targets: TopicsGiven | None = None,
    chunks: ChunkTable | str | os.PathLike[str] | None = None,
    run_options: RunOptions = RunOptions(),
    counting: Counting = Counting(),
    keep: Keep = Keep(),
    jobs: int = 1,
    executor: Executor | None = None,
    engine: EngineLike | None = None,
    patience: float = PATIENCE,
    progress: Callable[[int], object] = lambda _: None,
) -> ScoreTable:
    """Score runs by measures: `Evaluation(assessments, measures, …).score_all(runs, …)`.

    Runs are files, `Run` values or dicts; assessments likewise; measures are names or values.
    The options up to `keep` are those of `Evaluation`, the others those of its `score_all`.

    >>> qrels = {"7": {"a": 1, "b": 0, "c": 2}}
    >>> evaluate({"7": {"a": 0.9, "b": 0.5, "c": 0.1}}, qrels, ["AP", "P@2"]).mean()
    {'run': {'AP': 0.8333333333333333, 'P@2': 0.5}}
    """
    evaluation = Evaluation(
        assessments,
        measures,
        presets=presets,
        where_possible=where_possible,
        collection=collection,
        navigation=navigation,
        order=order,
        average_over=average_over,
        targets=targets,
        chunks=chunks,
        run_options=run_options,
        counting=counting,
        keep=keep,
    )
    table = evaluation.score_all(
        runs, jobs=jobs, executor=executor, engine=engine, patience=patience, progress=progress
    )
    warn(table.all_warnings())
    return table
