"""`doxeval convert`: a run or assessments from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.decorators import (
    chunks_option,
    collection_option,
    columns_option,
    merging_options,
    offsets_option,
)
from doxeval.cli.output import line, note, warn
from doxeval.cli.verb import refuse, verb
from doxeval.messages import quoted

if TYPE_CHECKING:
    from doxeval.runs import Run

_RUNS = ["text", "inex", "jsonl", "csv", "parquet"]
_ASSESSMENTS = ["grades", "highlights", "qrels", "trec", "judgments"]
# Options that only one of the two has, by the name of the parameter.
_OF_ASSESSMENTS = {"pool", "merge", "whitespace", "offsets", "directory", "lossy"}
_OF_RUNS = {"given", "columns", "chunks"}


@verb()
@click.argument("source", metavar="IN")
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@click.option(
    "--from",
    "given",
    type=click.Choice(_RUNS),
    help="Format of IN, if it is a run.  [default: by its name, else text]",
)
@click.option(
    "--to",
    "wanted",
    type=click.Choice([*_RUNS, *_ASSESSMENTS]),
    help="Format of OUT; needed for assessments.  [default: for runs, by its name]",
)
@collection_option("The collection; needed to turn offsets into text points, or back.")
@merging_options
@offsets_option
@columns_option
@chunks_option("for a run that names chunks by their ids")
@click.option("--lossy", is_flag=True, help="Write assessments even if something is lost.")
@click.option("--force", is_flag=True, help="Replace OUT if it exists.")
def convert(source: str, out: Path, wanted: Any, **options: Any) -> None:
    """Convert a run or assessments to another format.

    \b
    Runs:
      text        six to eight columns, INEX 2009–10 and TREC
      inex        XML, INEX 2002–08
      jsonl, csv, parquet
    Assessments:
      grades      XML of INEX 2002–04, grades of elements
      highlights  XML of INEX 2005–07, passages between text points
      qrels       text of INEX 2008–10, passages by offsets
      trec        TREC's qrels
      judgments   JSONL, holds everything

    If OUT's format cannot hold everything, the losses are listed and nothing is written; --lossy
    writes assessments all the same. --pool, --merge, --whitespace-nodes, --offsets, --collection
    and --lossy are about assessments, --from, --columns and --chunks about runs.
    """
    from doxeval.errors import OutputError

    if out.exists() and not (options["force"] and out.is_file()):
        raise OutputError(f"{out} exists" + ("; --force replaces it" if out.is_file() else ""))
    if wanted in _ASSESSMENTS:
        refuse(_OF_RUNS, f"is about runs, and --to {wanted} is a format of assessments")
        _convert_assessments(source, out, wanted, options)
    else:
        wanted = wanted or _format_of_run(out)
        refuse(_OF_ASSESSMENTS, f"is about assessments, and {wanted} is a format of runs")
        _convert_run(source, out, wanted, options)


def _format_of_run(out: Path) -> str:
    from doxeval.runs import format_of

    found = format_of(out)
    if found is None:
        raise click.UsageError(
            f"the name {quoted(out.name)} does not say in which format to write; --to names it"
        )
    return found


# Runs


def _convert_run(source: str, out: Path, wanted: Any, options: dict[str, Any]) -> None:
    from doxeval.messages import plural
    from doxeval.runs import LooksLikeAssessments, format_of, lost_facts, read_run, write_run

    given = options["given"] or format_of(source) or "text"
    if given != "text":
        refuse({"columns"}, f"is about text runs, and IN is {given}")
    try:
        ends = options["columns"] == "start-end"
        run = read_run(source, given, ends=ends, chunks=options["chunks"])
    except LooksLikeAssessments:
        raise click.UsageError(
            f"{source} looks like assessments, not a run; for assessments --to names the format: "
            f"{', '.join(_ASSESSMENTS)}"
        ) from None
    warn(run.warnings)
    left_out = lost_facts(run, wanted)
    if left_out:
        note(f"left out, as {wanted} does not hold it: {', '.join(left_out)}")
    write_run(run, out, wanted)
    topics = plural(len(run.topics), "topic")
    line(f"{out}: {plural(len(run), 'result')} for {topics}, written as {wanted}")


# Assessments


def _convert_assessments(source: str, out: Path, wanted: Any, options: dict[str, Any]) -> None:
    from doxeval.assessments import (
        assessment_losses,
        judgments_with_points,
        read_assessments,
        write_assessments,
    )
    from doxeval.documents import Collection
    from doxeval.errors import FormatError, OutputError
    from doxeval.messages import plural

    directory = options["directory"]
    if options["whitespace"] is not None and directory is None:
        raise click.UsageError(
            "--whitespace-nodes is about text points, which only --collection can resolve"
        )
    collection = None if directory is None else Collection(directory)
    how = {name: options[name] for name in ("pool", "merge", "whitespace", "offsets")}
    try:
        assessments = read_assessments(source, collection=collection, **how)
    except FormatError:
        _refuse_run(source, wanted)
        raise
    warn(assessments.warnings)
    judgments = list(assessments)
    if wanted == "highlights" and collection is not None:
        judgments = judgments_with_points(judgments, collection)
    lost = "; ".join(assessment_losses(judgments, wanted))
    if lost and not options["lossy"]:
        raise OutputError(f"{out}: {wanted} cannot hold {lost}; --lossy writes it without")
    if lost:
        note(f"lost: {lost}")
    write_assessments(judgments, out, wanted)
    topics = plural(len(assessments.topics), "topic")
    line(f"{out}: {plural(len(judgments), 'judgment')} for {topics}, written as {wanted}")


def _refuse_run(source: str, wanted: str) -> None:
    """Say so if what cannot be read as assessments is a run."""
    from doxeval.errors import DoxevalError
    from doxeval.messages import plural
    from doxeval.runs import read_run

    try:
        run: Run = read_run(source)
    except DoxevalError:
        return
    raise click.UsageError(
        f"{source} is a run ({plural(len(run), 'result')}), and --to {wanted} is a format of "
        "assessments"
    )
