"""What all verbs that score runs have in common: their options, and how these become scores."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from doxeval.cli.options import (
    AssessmentOptions,
    Columns,
    EngineOptions,
    assessments_option,
    collection_option,
    columns_option,
    open_collection,
    tokens_option,
)
from doxeval.cli.verb import (
    READ,
    SCORED,
    SPEED,
    LibraryOptions,
    given_options,
    in_group,
    library_options,
    missing_option,
    part,
    refuse,
)
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.evaluation import Counting, Evaluation, Keep, RunInput, RunOptions
    from doxeval.scores import ScoreTable, TextTable

# Runs of this many bytes are worth the start of another process.
_WORTH_A_PROCESS = 2 << 20
_MAX_COLUMNS = 8


@dataclass(frozen=True)
class ScoringOptions:
    """Which assessments and measures score runs, and how these are read."""

    measures: tuple[str, ...] = in_group(
        SCORED,
        option(
            (),
            "A measure, such as nxCG@10, or one of your own, FILE.py:NAME; may be repeated.",
            metavar="MEASURE",
            flags=("-m", "--measure"),
        ),
    )
    presets: tuple[str, ...] = in_group(
        SCORED,
        option(
            (),
            "The official measures of an INEX year and task, as far as the data allow; may be "
            "repeated.",
            metavar="NAME",
            flags=("--preset",),
        ),
    )
    assessments: tuple[str, ...] = in_group(
        SCORED, assessments_option("File, directory or archive of assessments; may be repeated.")
    )
    collection: str | None = in_group(
        SCORED, collection_option("The collection; needed where elements have to be looked up.")
    )
    navigation: str | None = in_group(
        SCORED,
        option(
            None,
            "Model of how users navigate, for ESR, PRUM and EPRUM: a JSON file, or depth, "
            "hierarchical, neighbours, neighbours(0.3) or none.",
            metavar="FILE|NAME",
        ),
    )
    average_over: Literal["assessed", "retrieved"] | None = in_group(
        SCORED,
        option(
            None,
            "Average over all assessed topics, or only over those with results.",
            shown_default="assessed",
        ),
    )
    order: Literal["list", "rank", "rsv", "trec"] | None = in_group(
        READ,
        option(
            None,
            "Order of results: as listed, by rank, or by score (rsv), where equal ranks or "
            "scores are "
            "tied; or as trec_eval orders them (trec): by score in single precision, then by "
            "falling "
            "document id.",
            shown_default="list; rsv with the presets of 2002–04",
        ),
    )
    reading: AssessmentOptions = in_group(READ, part(AssessmentOptions))
    columns: Columns = in_group(READ, columns_option())
    run: LibraryOptions[RunOptions] = in_group(
        READ, library_options("doxeval.evaluation:RunOptions", "unresolved", "duplicates")
    )
    texts: str | None = in_group(
        READ,
        option(
            None,
            "Texts of the documents, for measures that count words: a folder, JSONL with id "
            "and text, "
            "Parquet, or a BEIR corpus.",
            metavar="DOCS",
        ),
    )
    chunks: tuple[str, ...] = in_group(
        READ,
        option(
            (),
            "All chunks (JSONL), for runs that name chunks by their ids, and for measures "
            "that need "
            "all chunks: one file for all runs, or one for each, in their order.",
            metavar="FILE",
        ),
    )
    tokens: str | None = in_group(READ, tokens_option())
    counting: LibraryOptions[Counting] = in_group(
        READ, library_options("doxeval.evaluation:Counting", "ignore_whitespace", "specificity")
    )
    targets: str | None = in_group(
        SCORED,
        option(
            None,
            "Strict CAS: of the elements, only those that match the target of their topic in this "
            "file are relevant.",
            metavar="TOPICS",
        ),
    )
    jobs: int | None = in_group(
        SPEED,
        option(
            None,
            "Number of processes.",
            at_least=1,
            shown_default="1, or one per core for large runs",
        ),
    )
    engine: EngineOptions = in_group(SPEED, part(EngineOptions))

    def evaluation(
        self, measures: Sequence[str], *, keep: Keep, where_possible: Iterable[str] = ()
    ) -> Evaluation:
        """Return the evaluation by some measures; their names are checked before all else."""
        from doxeval.cli.output import note
        from doxeval.datasets import packaged_collection
        from doxeval.evaluation import Evaluation

        self.engine.check()
        check_measures(measures)
        # Measures that are there for a preset alone are left to it: they may be left out.
        of_presets = set(measures_of(self.presets)) - set(self.measures)
        packaged = packaged_collection(self.assessments) if self.collection is None else None
        if packaged is not None:
            note(f"the collection is that of the package: {packaged}")
        collection = open_collection(self.collection or packaged)
        reading = self.reading
        run_options = self.run.value(
            ends=self.columns == "start-end",
            offsets=reading.offsets,
            whitespace=reading.whitespace,
        )
        texts = None if self.texts is None else texts_in(self.texts)
        counting = self.counting.value(texts=texts, tokens=self.tokens)
        return Evaluation(
            reading.read(self.assessments, collection),
            [name for name in measures if name not in of_presets],
            presets=self.presets,
            where_possible=where_possible,
            collection=collection,
            navigation=self.navigation,
            order=self.order,
            average_over=self.average_over or "assessed",
            targets=self.targets,
            chunks=self.chunks[0] if len(self.chunks) == 1 else None,
            run_options=run_options,
            counting=counting,
            keep=keep,
        )

    def run_inputs(self, runs: Sequence[str]) -> list[RunInput]:
        """Return the runs, with the file of chunks that each has for itself if there are several.

        runs: FILE or NAME=FILE.
        """
        inputs = [named_run(text) for text in runs]
        if len(self.chunks) < 2:
            return inputs
        files = self.chunk_files(len(runs))
        return [run._replace(chunks=file) for run, file in zip(inputs, files, strict=True)]

    def chunk_files(self, runs: int) -> list[str]:
        """Return the file of chunks of each run: one for all, or one for each; none if none."""
        files = list(self.chunks)
        if len(files) > 1 and len(files) != runs:
            raise click.UsageError(
                f"--chunks is given {len(files)} times for {runs} runs: give one file for all "
                "runs, or one for each, in their order"
            )
        return files * runs if len(files) == 1 else files

    def scores(self, evaluation: Evaluation, runs: Sequence[str]) -> ScoreTable:
        """Return the scores of runs, with a bar for many and warnings on stderr."""
        from doxeval.cli.output import counting_bar, warn
        from doxeval.parallel import keep_freed_blocks

        keep_freed_blocks()
        inputs = self.run_inputs(runs)
        with (
            self.engine.opened() as engine,
            counting_bar("scoring runs", len(inputs)) as progress,
        ):
            if engine is not None:
                table = evaluation.score_all(inputs, engine=engine, progress=progress)
            else:
                jobs = self.jobs or _jobs_worth_starting(evaluation, inputs)
                table = evaluation.score_all(inputs, jobs=jobs, progress=progress)
        warn(table.all_warnings())
        return table

    def requested_measures(self, *others: str) -> list[str]:
        """Return the measures that are named, some others, and those of presets."""
        names = [*self.measures, *others, *measures_of(self.presets)]
        if not names:
            raise click.UsageError(
                "say what to measure: -m 'iP[.01]', or --preset inex2009-focused (doxeval measures "
                "lists all measures, doxeval measures --presets all presets)"
            )
        return list(dict.fromkeys(names))


@dataclass(frozen=True)
class ComparisonOptions(ScoringOptions):
    """What is compared: runs, which are scored first, or scores that were computed elsewhere."""

    assessments: tuple[str, ...] = in_group(
        SCORED,
        assessments_option(
            "File, directory or archive of assessments, to score runs; may be repeated.", ()
        ),
    )
    lower_is_better: tuple[str, ...] = in_group(
        SCORED,
        option(
            (),
            "Of scores from a file: a measure by which lower scores are better; may be repeated.",
            metavar="MEASURE",
        ),
    )

    def table(self, verb_name: str, runs: Sequence[str], fewest_measures: int = 1) -> ScoreTable:
        """Return the scores of runs, or those in files of scores; of at least two runs.

        runs: FILE or NAME=FILE.
        """
        from doxeval.evaluation import Keep, is_score_file

        files = [named_run(text) for text in runs]
        of_scores = [str(run.file) for run in files if is_score_file(str(run.file))]
        if of_scores:
            others = (str(run.file) for run in files if run.file not in of_scores)
            other = next(filter(os.path.exists, others), None)  # reading says which is not there
            if other is not None:
                raise click.UsageError(
                    f"{of_scores[0]} holds scores, but {other} does not: score runs first, with "
                    "evaluate --per-topic --format csv"
                )
            table = self._given_scores(files)
            _check_enough(verb_name, len(table.runs), len(table.measures), fewest_measures)
            return table
        if not self.assessments:
            hint = "Only scores need none: CSV with columns for the run, the topic and values."
            raise missing_option("assessments", hint)
        refuse({"lower_is_better"}, "is for scores from a file; our measures are known")
        _check_enough(verb_name, len(runs), fewest_measures, fewest_measures)
        names = self.requested_measures()
        _check_enough(verb_name, len(runs), len(names), fewest_measures)
        return self.scores(self.evaluation(names, keep=Keep(judged=True)), runs)

    def _given_scores(self, files: Sequence[RunInput]) -> ScoreTable:
        """Return the scores in files, by the requested measures or by all."""
        from doxeval.cli.output import warn
        from doxeval.evaluation import read_scores

        common = {spec.name for spec in fields(ScoringOptions)} - {"measures"}
        allowed = {"runs", *(spec.name for spec in fields(self))} - common
        for name, flag in given_options().items():
            if name not in allowed:
                raise click.UsageError(f"{flag} is for scoring runs; {files[0].file} holds scores")
        table = read_scores(files, lower_is_better=self.lower_is_better)
        if self.measures:
            table = table.only(measures=self.measures)
        warn(table.all_warnings())
        return table


def _check_enough(verb_name: str, runs: int, measures: int, fewest_measures: int) -> None:
    if runs < 2:
        raise click.UsageError(f"{verb_name} needs two runs or more")
    if measures < fewest_measures:
        raise click.UsageError(f"{verb_name} needs two measures or more: -m A -m B")


def measures_of(presets: Sequence[str]) -> list[str]:
    """Return the names of the measures of presets."""
    if not presets:
        return []
    from doxeval.measures import preset_named

    return [name for preset in presets for name in preset_named(preset).measures]


def check_measures(names: Iterable[str]) -> None:
    """Raise an error for an unknown measure, before anything is read."""
    from doxeval.measures import measure_named

    for name in names:
        measure_named(name)


def texts_in(source: str) -> Mapping[str, str]:
    """Return the texts of documents by id; what was not read is printed."""
    from doxeval.chunks import documents
    from doxeval.cli.output import warn

    texts = documents(source)
    warn(texts.warnings)
    return texts


def named_run(text: str) -> RunInput:
    """Return a run given as FILE, or as NAME=FILE unless there is a file of that whole name."""
    from doxeval.evaluation import RunInput

    name, equals, file = text.partition("=")
    if equals and name and file and not os.path.exists(text):
        return RunInput(file, name)
    return RunInput(text)


def run_called(table: ScoreTable, name: str | None) -> str | None:
    """Return a run of a table by its name, or else by its file; an unknown name stays as it is."""
    if name is None or any(scores.run == name for scores in table.runs):
        return name
    files = {os.path.realpath(run.file): run.run for run in table.runs if run.file is not None}
    return files.get(os.path.realpath(name), name)


def describe_option() -> Any:
    """Declare `--describe`, for verbs that show what runs are; `described` carries it out."""
    return option(
        (),
        "What a run is, in a few words, as `NAME: text`; or a file with such a line for each run. "
        "It replaces what the run's file says: the comment of a text run, or INEX's description. "
        "May be repeated.",
        metavar="TEXT|FILE",
        flags=("--describe",),
    )


def described(table: ScoreTable, given: Sequence[str]) -> ScoreTable:
    """Return the table with descriptions of runs: `NAME: text`, or files of such lines."""
    from doxeval.runs import description_in, descriptions_of

    descriptions: dict[str, str] = {}
    for text in given:
        if Path(text).is_file() or ": " not in text:
            descriptions |= descriptions_of(text, list(table))
        else:
            run, line = description_in(text)
            descriptions |= descriptions_of({run_called(table, run) or run: line}, list(table))
    return table.described(descriptions)


def _jobs_worth_starting(evaluation: Evaluation, runs: Sequence[RunInput]) -> int:
    """Return as many processes as there are cores, if the runs are worth it."""
    files = [(run, run.file) for run in runs if run.file is not None and os.path.isfile(run.file)]
    large = [run for run, file in files if os.path.getsize(file) > _WORTH_A_PROCESS]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    pieces = len(large)
    if pieces < cores:  # a very large file is worth several
        pieces = sum(len(evaluation.pieces(run)) for run in large)
    return max(min(pieces, cores), 1)


# Tables


def as_text(table: ScoreTable, per_topic: bool, for_file: bool = False) -> str:
    """Return the means, a line for each run (or each measure, if they are many), then the topics.

    Runs are in the order of their means by the reference measure, best first. for_file: all columns
    that there are, whatever fits on the terminal.

    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> import numpy as np
    >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
    >>> scores = RunScores("mine", np.array([[0.5, np.nan]]), np.array([True, True]))
    >>> print(as_text(ScoreTable((facts,), ("7", "8"), (scores,)), True), end="")
    run     MAiP
    mine  0.5000
    <BLANKLINE>
    mine
    topic    MAiP
    7      0.5000
    8           —
    """
    from doxeval.cli.output import as_page, table_width
    from doxeval.messages import escape
    from doxeval.scores import TextTable, format_score, means_table

    means = means_table(table)
    if len(table.labels) > _MAX_COLUMNS:
        means = _by_measure(table, means)
    parts: list[TextTable | str] = [means]
    if means.best and table_width() is not None and not for_file:
        reference = table.reference if table.reference in table.labels else table.labels[0]
        parts.append(f"best first by {reference}; * the best of a measure")
    if per_topic:
        topics = table.topics()
        for run in table.ranking():
            cells = [[name, *map(format_score, of.values())] for name, of in topics[run].items()]
            parts += ["", escape(run)]
            parts.append(TextTable(["topic", *table.labels], cells, longest=None))
    return as_page(*parts, for_file=for_file)


def _by_measure(table: ScoreTable, means: TextTable) -> TextTable:
    """Return the table of means with a line for each measure and a column for each run."""
    labels = table.labels
    return means._replace(
        header=["measure", *(row[0] for row in means.rows)],
        rows=[
            [label, *(row[column] for row in means.rows)] for column, label in enumerate(labels, 1)
        ],
        best={(column - 1, row + 1) for row, column in means.best},
        left=(0,),
        prose="",
    )
