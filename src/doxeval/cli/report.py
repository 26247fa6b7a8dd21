"""`doxeval report`: a page about runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from doxeval.cli.options import (
    force_option,
    out_option,
    refuse_existing,
    refuse_existing_directory,
    runs_argument,
)
from doxeval.cli.output import line, open_in_browser, warn
from doxeval.cli.scoring import ScoringOptions, describe_option, described, run_called
from doxeval.cli.verb import command_line, verb
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.evaluation import Evaluation
    from doxeval.reports import Loss
    from doxeval.runs import ChunkTable
    from doxeval.scores import ScoreTable
    from doxeval.topics import Topic

# The options that name files besides runs and assessments.
_OTHER_FILES = ("topics", "navigation", "targets", "texts")


@dataclass(frozen=True)
class ReportOptions(ScoringOptions):
    """What is scored, and what the page shows."""

    out: Path = out_option("HTML to write.", metavar="FILE")
    baseline: str | None = option(
        None,
        "The run that others are compared with, by name or file.",
        metavar="RUN",
        shown_default="the first",
    )
    topics: str | None = option(
        None,
        "File of topics, in any format that `doxeval topics` reads: topics are shown with their "
        "titles, queries and descriptions.",
        metavar="FILE",
    )
    descriptions: tuple[str, ...] = describe_option()
    figures: Path | None = option(
        None,
        "Directory for each figure as SVG, PNG and PDF, with its data as CSV (needs the extra "
        "`figures`).",
        metavar="DIR",
    )
    title: str = option("Evaluation of runs", "Title of the page.")
    opens: bool = option(False, "Open the page in a browser.", flags=("--open",))
    force: bool = force_option("existing files")


@verb(ReportOptions)
@runs_argument
def report(runs: tuple[str, ...], options: ReportOptions) -> None:
    """Write one page about runs: scores, tests, topics, documents.

    The page is one file that needs no network. Runs are ranked by the first measure. If the browser
    runs its script, you can choose runs, sort tables, and open topics and documents; without it,
    the page has all tables.

    For retrieval of chunks, give the texts and the chunks: documents then show where they were
    split and what is read within the budget, and bars show what is lost by chunking and retrieval.

    \b
    Examples:
      doxeval report *.run -a qrels.txt -m MAiP -m 'iP[.01]' --out report.html
      doxeval report *.run -a qrels.txt --collection wiki --preset inex2009-focused \\
        --topics topics.xml --baseline bm25.run --figures figures --out report.html --open
      doxeval report small.jsonl large.jsonl -a judged.jsonl --preset rag --texts handbook \\
        --chunks small-chunks.jsonl --chunks large-chunks.jsonl --out report.html
    """
    if options.figures is not None:
        from doxeval.scores import renderer

        renderer()  # its absence is an error before any work
    _check_free(options)
    written = _written(_with_baseline(runs, options.baseline), options)
    out = options.out
    line(f"{out}: {out.stat().st_size:,} bytes")
    if len(written) > 1:
        line(f"{options.figures}: {len(written) - 1} files of figures")
    if options.opens:
        open_in_browser(out)


def _check_free(options: ReportOptions) -> None:
    """Refuse to replace anything without --force."""
    refuse_existing(options.out, force=options.force)
    if options.figures is not None:
        refuse_existing_directory(options.figures, "figures in it", force=options.force)


def _with_baseline(runs: tuple[str, ...], baseline: str | None) -> tuple[str, ...]:
    """Return the runs, and the baseline if it is a file that is not among them."""
    if baseline is None or baseline in runs or not Path(baseline).is_file():
        return runs
    return (*runs, baseline)


def _written(runs: tuple[str, ...], options: ReportOptions) -> list[Path]:
    """Evaluate the runs, write the report, and return its files."""
    from doxeval.comparison import judged_warnings
    from doxeval.evaluation import Keep
    from doxeval.measures import PROFILE, as_measure
    from doxeval.reports import report as write_report

    names = options.requested_measures()
    in_collection = options.collection is not None
    has_texts = in_collection or options.texts is not None
    chunk_files = options.chunk_files(len(runs))
    profile = PROFILE if in_collection and _navigates(names, options) else ()
    # What is lost by chunking does not include white space.
    of_losses = (*names, *profile) if options.chunks else ()
    evaluation = options.evaluation(
        names,
        where_possible=profile,
        keep=Keep(
            curves=True,
            results=has_texts,
            judged=True,
            without_whitespace=[type(as_measure(name)).name for name in of_losses],
        ),
    )
    topics = _topics(options.topics, evaluation.truth.topics)
    table = described(options.scores(evaluation, runs), options.descriptions)
    warn(judged_warnings(table))
    chunks = _chunk_tables(evaluation, dict(zip(table, chunk_files, strict=False)))
    other_files = {name: getattr(options, name) for name in _OTHER_FILES}
    return write_report(
        table,
        options.out,
        title=options.title,
        baseline=run_called(table, options.baseline),
        truth=evaluation.truth if has_texts else None,
        topics=topics,
        figures=options.figures,
        command=command_line(),
        files=[
            *((name, file) for name, file in other_files.items() if _is_file(name, file)),
            *(("chunks", file) for file in options.chunks),
        ],
        chunks=chunks,
        losses=_losses(evaluation, table, chunks) if chunks else (),
    )


def _chunk_tables(evaluation: Evaluation, files: Mapping[str, str]) -> dict[str, ChunkTable]:
    """Return the chunks of each run; those for all runs have been read by the evaluation."""
    from doxeval.runs import read_chunks

    if evaluation.chunks is not None:
        return dict.fromkeys(files, evaluation.chunks)
    return {run: read_chunks(file) for run, file in files.items()}


def _losses(
    evaluation: Evaluation, table: ScoreTable, chunks: Mapping[str, ChunkTable]
) -> tuple[Loss, ...]:
    """Return what runs lose by chunking and by retrieval."""
    from doxeval.chunks import oracle_runs, short_labels
    from doxeval.reports import losses

    best = evaluation.score_all(oracle_runs(evaluation, chunks))
    return losses(short_labels(table), short_labels(best))


def _topics(file: str | None, scored: Sequence[str]) -> list[Topic] | None:
    """Return the topics of a file; a mistake in it is reported before any run is read."""
    if file is None:
        return None
    from doxeval.reports import topic_names
    from doxeval.topics import read_topics

    topics = read_topics(file)
    warn(topic_names(topics, scored).warnings)
    return topics


def _is_file(name: str, given: str | None) -> bool:
    """Whether an option names a file; that of navigation may name a model instead."""
    from doxeval.navigation import navigation_named

    return given is not None and (name != "navigation" or navigation_named(given) is None)


def _navigates(names: Sequence[str], options: ReportOptions) -> bool:
    """Whether somebody asked how users navigate."""
    from doxeval.measures import measure_named

    if options.navigation is not None:
        return True
    return any(hasattr(measure_named(name), "nav") for name in names)
