"""`doxeval report`: a page about runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.scoring import (
    Scoring,
    measures_asked_for,
    measures_option,
    preset_option,
    scoring_options,
)

if TYPE_CHECKING:
    from doxeval.documents import Collection
    from doxeval.report import Contents, DocumentView
    from doxeval.scores import ScoreTable


@click.command()
@scoring_options
@measures_option
@preset_option
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="FILE", help="The page, HTML."
)
@click.option(
    "--baseline",
    metavar="RUN",
    help="The run, by its file or id, that others are compared to.  [default: the first]",
)
@click.option(
    "--figures",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Each figure also as SVG and PNG, and its data as CSV.",
)
@click.option("--title", default="Evaluation of runs", show_default=True, help="The page's title.")
@click.option("--force", is_flag=True, help="Replace files that are there already.")
def report(runs: tuple[str, ...], assessments: tuple[str, ...], out: Path, **options: Any) -> None:
    """Write one page about runs: scores, tests, curves, topics and documents.

    The page needs no network and nothing else beside it. The first measure ranks the runs.

    \b
    Examples:
      doxeval report *.run -a qrels.txt -m MAiP -m 'iP[.01]' --out report.html
      doxeval report *.run -a qrels.txt --collection wiki --preset inex2009-focused \\
        --baseline bm25.run --figures figures --out report.html
    """
    from doxeval.report import write_report
    from doxeval.report.figure import renderer

    renderer()  # before any work
    _check_free(out, options)
    files = _with_baseline(runs, options["baseline"])
    contents = _contents(Scoring.of(files, assessments, options), options)
    written = write_report(contents, out, options["figures"])
    click.echo(f"{out}: {out.stat().st_size:,} bytes")
    if len(written) > 1:
        click.echo(f"{options['figures']}: {len(written) - 1} files of figures")


def _check_free(out: Path, options: dict[str, Any]) -> None:
    """Nothing is replaced without being asked for."""
    from doxeval.errors import OutputError

    if out.is_dir():
        raise OutputError(f"{out} is a directory; expected a file")
    figures: Path | None = options["figures"]
    if options["force"]:
        return
    if out.exists():
        raise OutputError(f"{out} exists; --force replaces it")
    if figures is not None and figures.exists() and any(figures.iterdir()):
        raise OutputError(f"{figures} is not empty; --force replaces figures in it")


def _with_baseline(runs: tuple[str, ...], baseline: str | None) -> tuple[str, ...]:
    """A baseline that is a file belongs to the runs."""
    if baseline is None or baseline in runs or not Path(baseline).is_file():
        return runs
    return (*runs, baseline)


def _contents(scoring: Scoring, options: dict[str, Any]) -> Contents:
    from dataclasses import replace

    from doxeval.report import Contents

    names, _ = measures_asked_for(options["names"], options["preset"])
    table = scoring.scores(names, curves=True)
    contents = Contents(table, options["title"], _named(table, scoring.runs, options["baseline"]))
    if scoring.collection is None:
        return contents
    notes: list[str] = []
    profile = _profile(scoring, notes)
    documents = _documents(contents, scoring, scoring.collection, notes)
    return replace(contents, profile=profile, documents=documents, notes=tuple(notes))


def _named(table: ScoreTable, files: tuple[str, ...], baseline: str | None) -> str | None:
    """The name that scores have for the baseline, which may be given as a file."""
    if baseline in files:
        return table.runs[files.index(baseline)].run
    return baseline


def _profile(scoring: Scoring, notes: list[str]) -> ScoreTable | None:
    """Hits, near-misses and misses by rank, if they can be worked out."""
    from doxeval.cli.profile import PROFILE
    from doxeval.errors import DoxevalError

    try:
        return scoring.scores(PROFILE, curves=True)
    except DoxevalError as error:
        notes.append(f"hits, near-misses and misses by rank are not shown: {error}")
        return None


def _documents(
    contents: Contents, scoring: Scoring, collection: Collection, notes: list[str]
) -> tuple[DocumentView, ...]:
    """Documents with what the best runs return in them, if the collection has its texts."""
    from doxeval.errors import MissingText
    from doxeval.report import Sources, document_views
    from doxeval.runs import read_run

    reading = scoring.reading
    by_name = dict(zip(contents.names, scoring.runs, strict=True))
    runs = {
        name: read_run(by_name[name], ends=reading.ends).ordered(reading.order)
        for name in contents.layered
    }
    sources = Sources(collection, scoring.assessments, runs, reading.offsets, reading.whitespace)
    try:
        return document_views(sources)
    except MissingText as error:
        notes.append(f"documents are not shown: {error}")
        return ()
