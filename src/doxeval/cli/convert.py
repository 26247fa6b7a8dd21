"""`doxeval convert`: a run or assessments from one format to another."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from doxeval.cli.options import (
    AssessmentOptions,
    Columns,
    MetadataOptions,
    RunFormat,
    chunks_option,
    collection_option,
    columns_option,
    force_option,
    open_collection,
    refuse_existing,
)
from doxeval.cli.output import line, note, warn
from doxeval.cli.verb import part, refuse, verb
from doxeval.messages import quoted
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.runs import Run

AssessmentFormat = Literal[
    "grades",
    "highlights",
    "qrels",
    "trec",
    "aspects",
    "judgments",
    "msmarco-qrels",
    "beir",
    "ranx-qrels",
]
_ASSESSMENTS = get_args(AssessmentFormat)
# Options that only one of the two has, by the name of the parameter.
_OF_ASSESSMENTS = {"pool", "merge", "whitespace", "offsets", "subtopics", "collection", "lossy"}
_OF_RUNS = {"source_format", "columns", "chunks", "metadata"}


@dataclass(frozen=True)
class ConvertOptions:
    """Formats, and how a run or assessments are read."""

    source_format: RunFormat | None = option(
        None,
        "Format of IN, if it is a run.",
        shown_default="by its name or how it begins",
        flags=("--from",),
    )
    target_format: RunFormat | AssessmentFormat | None = option(
        None,
        "Format of OUT, of those above; needed for assessments.",
        choices=(*get_args(RunFormat), *_ASSESSMENTS),
        shown_default="for runs, by its name",
        metavar="FORMAT",
        flags=("--to",),
    )
    collection: str | None = collection_option(
        "The collection; needed to turn offsets into text points, or back."
    )
    reading: AssessmentOptions = part(AssessmentOptions)
    columns: Columns = columns_option()
    chunks: str | None = chunks_option("for a run that names chunks by their ids")
    lossy: bool = option(False, "Write assessments even if something is lost.")
    about: MetadataOptions = part(MetadataOptions)
    force: bool = force_option("OUT if it exists")


@verb(ConvertOptions)
@click.argument("source", metavar="IN")
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
def convert(source: str, out: Path, options: ConvertOptions) -> None:
    """Convert a run or assessments to another format.

    \b
    Runs:
      text           six to eight columns, INEX 2009–10 and TREC
      inex           XML, INEX 2002–08
      jsonl, csv, parquet
      msmarco        topic, document and rank, with tabs between them
      ranx           JSON of scores by topic and document
      genomics       passages of TREC Genomics 2006–07
    Assessments:
      grades         XML of INEX 2002–04, grades of elements
      highlights     XML of INEX 2005–07, passages between text points
      qrels          text of INEX 2008–10, passages by offsets
      trec           TREC's qrels
      msmarco-qrels  the same with tabs
      beir           TSV with the header query-id, corpus-id, score
      ranx-qrels     JSON of grades by topic and document
      aspects        gold passages with aspects, TREC Genomics 2006–07
      judgments      JSONL, holds everything

    If OUT's format cannot hold everything, the losses are listed and nothing is written; --lossy
    writes assessments anyway. --pool, --merge, --whitespace-nodes, --offsets, --subtopics,
    --collection and --lossy are about assessments, --from, --columns, --chunks and --metadata about
    runs.
    """
    refuse_existing(out, force=options.force)
    target: Any = options.target_format
    if target in _ASSESSMENTS:
        refuse(_OF_RUNS, f"is about runs, and --to {target} is a format of assessments")
        _convert_assessments(source, out, target, options)
    else:
        target = target or _format_of_run(out)
        refuse(_OF_ASSESSMENTS, f"is about assessments, and {target} is a format of runs")
        _convert_run(source, out, target, options)


def _format_of_run(out: Path) -> str:
    from doxeval.runs import format_of

    format_ = format_of(out)
    if format_ is None:
        raise click.UsageError(
            f"the name {quoted(out.name)} does not say in which format to write; --to names it"
        )
    return format_


# Runs


def _convert_run(source: str, out: Path, target: RunFormat, options: ConvertOptions) -> None:
    from doxeval.messages import plural
    from doxeval.runs import METADATA, LooksLikeAssessments, format_of, lost_facts, read_run

    given = options.source_format or format_of(source) or "text"
    if given != "text":
        refuse({"columns"}, f"is about text runs, and IN is {given}")
    try:
        ends = options.columns == "start-end"
        run = read_run(source, options.source_format, ends=ends, chunks=options.chunks)
    except LooksLikeAssessments:
        raise click.UsageError(
            f"{source} looks like assessments, not a run; for assessments --to names the format: "
            f"{', '.join(_ASSESSMENTS)}"
        ) from None
    warn(run.warnings)
    if METADATA in run.facts:
        refuse_existing(*options.about.files_of(out)[1:], force=options.force)
    left_out = lost_facts(run, target)
    if left_out:
        note(f"left out, as {target} does not hold it: {', '.join(left_out)}")
    options.about.write(run, out, target)
    topics = plural(len(run.topics), "topic")
    line(f"{out}: {plural(len(run), 'result')} for {topics}, written as {target}")


# Assessments


def _convert_assessments(
    source: str, out: Path, target: AssessmentFormat, options: ConvertOptions
) -> None:
    from doxeval.assessments import (
        assessment_losses,
        judgments_with_points,
        write_assessments,
    )
    from doxeval.errors import FormatError, OutputError
    from doxeval.messages import plural

    if options.reading.whitespace is not None and options.collection is None:
        raise click.UsageError(
            "--whitespace-nodes is about text points, which only --collection can resolve"
        )
    collection = open_collection(options.collection)
    try:
        assessments = options.reading.read([source], collection)
    except FormatError:
        _refuse_run(source, target)
        raise
    warn(assessments.warnings)
    judgments = list(assessments)
    if target == "highlights" and collection is not None:
        judgments = judgments_with_points(judgments, collection)
    lost = "; ".join(assessment_losses(judgments, target))
    if lost and not options.lossy:
        raise OutputError(f"{out}: {target} cannot hold {lost}; --lossy writes it without")
    if lost:
        note(f"lost: {lost}")
    write_assessments(judgments, out, target)
    topics = plural(len(assessments.topics), "topic")
    line(f"{out}: {plural(len(judgments), 'judgment')} for {topics}, written as {target}")


def _refuse_run(source: str, target: str) -> None:
    """Say so if what cannot be read as assessments is a run."""
    from doxeval.errors import DoxevalError
    from doxeval.messages import plural
    from doxeval.runs import read_run

    try:
        run: Run = read_run(source)
    except DoxevalError:
        return
    raise click.UsageError(
        f"{source} is a run ({plural(len(run), 'result')}), and --to {target} is a format of "
        "assessments"
    )
