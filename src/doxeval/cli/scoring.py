"""What all verbs that score runs have in common: their options, and how these become scores."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.decorators import (
    check_engine,
    collection_option,
    columns_option,
    engine_of,
    engine_options,
    merging_options,
    offsets_option,
    options_of,
    tokens_option,
    value_of,
)

if TYPE_CHECKING:
    from doxeval.evaluation import Evaluation, RunInput
    from doxeval.scores import ScoreTable

# Runs of this many bytes are worth the start of another process.
_WORTH_A_PROCESS = 2 << 20

_OPTIONS = (
    click.argument("runs", nargs=-1, required=True, metavar="[NAME=]RUN…"),
    click.option(
        "--assessments",
        "-a",
        multiple=True,
        required=True,
        metavar="FILE",
        help="File, directory or archive of assessments; may be repeated.",
    ),
    collection_option("The collection; needed where elements have to be looked up."),
    click.option(
        "--navigation",
        metavar="FILE|NAME",
        help="Model of how users navigate, for ESR, PRUM and EPRUM: a JSON file, or depth, "
        "hierarchical, neighbours, neighbours(0.3) or none.",
    ),
    click.option(
        "--average-over",
        type=click.Choice(["assessed", "retrieved"]),
        help="Average over all assessed topics, or only over those with results.  "
        "[default: assessed]",
    ),
    click.option(
        "--order",
        type=click.Choice(["list", "rank", "rsv"]),
        help="Order of results: as listed, by rank, or by score (rsv). Equal ranks or scores are "
        "tied.  [default: list; rsv with the presets of 2002–04]",
    ),
    offsets_option,
    columns_option,
    merging_options,
    options_of("doxeval.evaluation:RunOptions", "unresolved", "duplicates"),
    click.option(
        "--texts",
        metavar="DOCS",
        help="Texts of the documents, for measures that count words: a folder, JSONL with id and "
        "text, Parquet, or a BEIR corpus.",
    ),
    click.option(
        "--chunks",
        multiple=True,
        metavar="FILE",
        help="All chunks (JSONL), for runs that name chunks by their ids, and for measures that "
        "need all chunks: one file for all runs, or one for each, in their order.",
    ),
    tokens_option,
    options_of("doxeval.evaluation:Counting", "ignore_whitespace"),
    click.option(
        "--targets",
        metavar="TOPICS",
        help="Strict CAS: of the elements, only those that match the target of their topic in this "
        "file are relevant.",
    ),
    options_of("doxeval.evaluation:Counting", "specificity"),
    click.option(
        "--jobs",
        type=click.IntRange(1),
        help="Number of processes.  [default: 1, or one per core for large runs]",
    ),
    engine_options,
)
measures_option = click.option(
    "-m",
    "--measure",
    "names",
    multiple=True,
    metavar="MEASURE",
    help="A measure, such as nxCG@10; may be repeated.",
)
preset_option = click.option(
    "--preset",
    "presets",
    multiple=True,
    metavar="NAME",
    help="The official measures of an INEX year and task, as far as the data allow; may be "
    "repeated.",
)


def scoring_options(command: Any) -> Any:
    """Runs, assessments, and how they are read and scored."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def evaluation_of(
    sources: Sequence[str],
    measures: Iterable[str],
    options: dict[str, Any],
    *,
    where_possible: Iterable[str] = (),
    curves: bool = False,
    per_document: bool = False,
    results: bool = False,
) -> Evaluation:
    """The evaluation that the options of a command describe."""
    from doxeval.assessments import read_assessments
    from doxeval.documents import Collection
    from doxeval.evaluation import Counting, Evaluation, Keep, RunOptions

    check_engine(options)
    named, presets = options["names"], options["presets"]
    # Measures that are there for a preset alone are left to it: they may be left out.
    of_presets = set(measures_asked_for((), presets)[0]) - set(named) if presets else set()
    directory = options["directory"]
    collection = None if directory is None else Collection(directory)
    read = {name: options[name] for name in ("offsets", "whitespace")}
    ends = options["columns"] == "start-end"
    run_options = value_of(RunOptions, options, ends=ends, **read)
    texts = None if options["texts"] is None else texts_in(options["texts"])
    counting = value_of(Counting, options, texts=texts, tokens=options["tokens"])
    assessments = read_assessments(
        *sources,
        collection=collection,
        pool=options["pool"],
        merge=options["merge"],
        **read,
    )
    return Evaluation(
        assessments,
        [name for name in measures if name not in of_presets],
        presets=presets,
        where_possible=where_possible,
        collection=collection,
        navigation=options["navigation"],
        order=options["order"],
        average_over=options["average_over"] or "assessed",
        targets=options["targets"],
        chunks=options["chunks"][0] if len(options["chunks"]) == 1 else None,
        run_options=run_options,
        counting=counting,
        keep=Keep(curves, per_document, results=results),
    )


def texts_in(source: str) -> Mapping[str, str]:
    """The texts of documents by id."""
    from doxeval.chunks import documents
    from doxeval.cli.output import warn

    found = documents(source)
    warn(found.warnings)
    return found


def scores_of(evaluation: Evaluation, runs: Sequence[str], options: dict[str, Any]) -> ScoreTable:
    """The scores of runs, with a bar for many and warnings on stderr."""
    from doxeval.cli.output import counting_bar
    from doxeval.parallel import keep_freed_blocks

    keep_freed_blocks()
    sources = run_sources(runs, options)
    with engine_of(options) as engine, counting_bar("scoring runs", len(sources)) as progress:
        if engine is not None:
            table = evaluation.score_all(sources, engine=engine, progress=progress)
        else:
            jobs = options["jobs"] or _jobs_worth_starting(evaluation, sources)
            table = evaluation.score_all(sources, jobs=jobs, progress=progress)
    _print_warnings(table)
    return table


def run_sources(given: Sequence[str], options: dict[str, Any]) -> list[RunInput]:
    """Runs with the file of chunks that each has for itself, if there are several."""
    runs, files = [named_run(text) for text in given], options["chunks"]
    if len(files) < 2:
        return runs
    if len(files) != len(runs):
        raise click.UsageError(
            f"--chunks is given {len(files)} times for {len(runs)} runs: give one file for all "
            "runs, or one for each, in their order"
        )
    return [run._replace(chunks=file) for run, file in zip(runs, files, strict=True)]


def named_run(text: str) -> RunInput:
    """A run given as FILE, or as NAME=FILE unless there is a file of that whole name."""
    from doxeval.evaluation import RunInput

    name, equals, file = text.partition("=")
    if equals and name and file and not os.path.exists(text):
        return RunInput(file, name)
    return RunInput(text)


def measures_asked_for(names: Sequence[str], presets: Sequence[str]) -> tuple[list[str], bool]:
    """The measures that are named or belong to presets, and whether their curves do too."""
    from doxeval.measures import preset_named

    chosen = [preset_named(name) for name in presets]
    found = [*names, *(name for preset in chosen for name in preset.measures)]
    if not found:
        raise click.UsageError(
            "say what to measure: -m 'iP[.01]', or --preset inex2009-focused (doxeval measures "
            "lists all measures, doxeval measures --presets all presets)"
        )
    return list(dict.fromkeys(found)), any(preset.curves for preset in chosen)


def run_called(table: ScoreTable, name: str | None) -> str | None:
    """A run of a table by its name, or else by its file; an unknown name stays as it is."""
    if name is None or any(scores.run == name for scores in table.runs):
        return name
    files = {os.path.realpath(one.file): one.run for one in table.runs if one.file is not None}
    return files.get(os.path.realpath(name), name)


def _print_warnings(table: ScoreTable) -> None:
    from doxeval.cli.output import warn

    warn(table.all_warnings())


def _jobs_worth_starting(evaluation: Evaluation, runs: Sequence[RunInput]) -> int:
    """As many processes as there are cores, if the runs are worth it."""
    files = [(run, run.file) for run in runs if run.file is not None and os.path.isfile(run.file)]
    large = [run for run, file in files if os.path.getsize(file) > _WORTH_A_PROCESS]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    pieces = len(large)
    if pieces < cores:  # a very large file is worth several
        pieces = sum(len(evaluation.pieces(run)) for run in large)
    return max(min(pieces, cores), 1)


# Tables


_MAX_COLUMNS = 8


def as_text(table: ScoreTable, per_topic: bool) -> str:
    """Return the means, a line for each run (or each measure, if they are many), then the topics.

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
    from doxeval.messages import escape

    means, labels = table.mean(), table.labels
    if len(labels) <= _MAX_COLUMNS:
        text = _aligned_scores("run", labels, means)
    else:
        by_measure = {label: {run: means[run][label] for run in means} for label in labels}
        text = _aligned_scores("measure", list(means), by_measure)
    if per_topic:
        for run, topics in table.topics().items():
            text += f"\n{escape(run)}\n{_aligned_scores('topic', labels, topics)}"
    return text


def _aligned_scores(
    corner: str, columns: Sequence[str], rows: Mapping[str, Mapping[str, float | None]]
) -> str:
    from doxeval.cli.output import aligned
    from doxeval.scores import format_score

    cells = [[name, *map(format_score, scores.values())] for name, scores in rows.items()]
    return aligned([corner, *columns], cells)
