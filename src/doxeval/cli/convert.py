"""`doxeval convert`: a run or assessments from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from doxeval.cli.options import (
    collection_option,
    columns_option,
    merging_options,
    offsets_option,
)

_RUNS = ["text", "inex", "jsonl", "csv", "parquet"]
_ASSESSMENTS = ["grades", "highlights", "qrels", "trec", "judgments"]


@click.command()
@click.argument("source", metavar="IN")
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@click.option(
    "--from", "given", type=click.Choice(_RUNS), help="Format of IN, if it is a run.  [by its name]"
)
@click.option(
    "--to",
    "wanted",
    type=click.Choice([*_RUNS, *_ASSESSMENTS]),
    help="Format of OUT.  [by its name, a run]",
)
@collection_option("Needed where assessments change between offsets and text points.")
@merging_options
@offsets_option
@columns_option
@click.option("--lossy", is_flag=True, help="Write assessments even if something is lost.")
@click.option("--force", is_flag=True, help="Replace OUT if it is there already.")
def convert(
    source: str,
    out: Path,
    given: Any,
    wanted: Any,
    directory: Path | None,
    pool: str | None,
    merge: Any,
    whitespace: Any,
    offsets: Any,
    columns: str,
    lossy: bool,
    force: bool,
) -> None:
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

    What the other format cannot hold is said first, and then nothing is written (assessments:
    unless with --lossy).
    """
    from doxeval.errors import OutputError

    if out.exists() and not (force and out.is_file()):
        raise OutputError(f"{out} exists" + ("; --force replaces it" if out.is_file() else ""))
    if wanted in _ASSESSMENTS:
        if given is not None:
            raise click.UsageError(f"--from {given} is a format of runs, --to {wanted} is not")
        how = {"pool": pool, "merge": merge, "whitespace": whitespace, "offsets": offsets}
        _convert_assessments(source, out, wanted, directory, how, lossy)
    else:
        _convert_run(source, out, given, wanted, columns)


def _convert_run(source: str, out: Path, given: Any, wanted: Any, columns: str) -> None:
    from doxeval.cli.terminal import warn
    from doxeval.runs import read_run
    from doxeval.runs.read_write import write_run
    from doxeval.wording import counted

    run = read_run(source, given, ends=columns == "start-end")
    warn(run.warnings)
    write_run(run, out, wanted)
    click.echo(f"{out}: {counted(len(run), 'result')} for {counted(len(run.topics), 'topic')}")


def _convert_assessments(
    source: str, out: Path, wanted: Any, directory: Path | None, how: dict[str, Any], lossy: bool
) -> None:
    from doxeval.assessments import read_assessments, write_assessments
    from doxeval.assessments.formats import assessment_losses
    from doxeval.assessments.resolution import pointed_judgments
    from doxeval.cli.terminal import warn
    from doxeval.documents import Collection
    from doxeval.errors import OutputError
    from doxeval.wording import counted

    collection = None if directory is None else Collection(directory)
    assessments = read_assessments(source, collection=collection, **how)
    warn(assessments.warnings)
    judgments = list(assessments)
    if wanted == "highlights" and collection is not None:
        judgments = pointed_judgments(judgments, collection)
    lost = "; ".join(assessment_losses(judgments, wanted))
    if lost and not lossy:
        raise OutputError(f"{out}: {wanted} cannot hold {lost}; --lossy writes it without")
    if lost:
        click.echo(f"lost: {lost}", err=True)
    write_assessments(judgments, out, wanted)
    click.echo(
        f"{out}: {counted(len(judgments), 'judgment')} for "
        f"{counted(len(assessments.topics), 'topic')}"
    )
