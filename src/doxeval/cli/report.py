"""`doxeval report`: a page about runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.options import (
    collection_option,
    columns_option,
    merging_options,
    offsets_option,
)

if TYPE_CHECKING:
    from doxeval.assessments import Assessments
    from doxeval.documents import Collection
    from doxeval.evaluation import Reading
    from doxeval.report import Contents, DocumentView
    from doxeval.scores import ScoreTable


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@click.option(
    "--assessments",
    "-a",
    "sources",
    multiple=True,
    required=True,
    metavar="FILE",
    help="Assessments: a file, a directory or an archive; may be repeated.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="FILE", help="The page, HTML."
)
@collection_option("Shows documents, and what is hit, nearly hit and missed.")
@click.option("-m", "--measure", "names", multiple=True, metavar="MEASURE", help="May be repeated.")
@click.option("--preset", metavar="NAME", help="The official measures of an INEX year and task.")
@click.option(
    "--baseline",
    metavar="RUN",
    help="The run, by its file or id, that others are compared to.  [default: the first]",
)
@click.option(
    "--navigation",
    metavar="FILE",
    help="A model of how users navigate, as JSON, for ESR, PRUM and EPRUM.",
)
@click.option(
    "--figures",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Each figure also as SVG and PNG, and its data as CSV.",
)
@click.option("--title", default="Evaluation of runs", show_default=True, help="The page's title.")
@click.option(
    "--topics",
    type=click.Choice(["assessed", "retrieved"]),
    default="assessed",
    show_default=True,
    help="Average over all assessed topics, or those with results.",
)
@click.option(
    "--order",
    type=click.Choice(["list", "rank", "rsv"]),
    default="list",
    show_default=True,
    help="What ranks results; equal ranks or scores are then ties.",
)
@offsets_option
@columns_option
@merging_options
@click.option(
    "--unresolved",
    type=click.Choice(["error", "irrelevant"]),
    default="error",
    show_default=True,
    help="What becomes of results that name nothing.",
)
@click.option("--force", is_flag=True, help="Replace files that are there already.")
def report(runs: tuple[str, ...], out: Path, **options: Any) -> None:
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
    contents = _contents(files, options)
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


def _contents(files: tuple[str, ...], options: dict[str, Any]) -> Contents:
    from dataclasses import replace

    from doxeval.assessments import read_assessments
    from doxeval.cli.evaluate import _measures
    from doxeval.documents import Collection
    from doxeval.evaluation import Reading
    from doxeval.report import Contents

    settings = {**options, "profile": None, "curves": True, "format_": "table"}
    names, _ = _measures(settings | {"out": None})
    directory = options["directory"]
    collection = None if directory is None else Collection(directory)
    merging = {name: options[name] for name in ("pool", "merge", "offsets", "whitespace")}
    assessments = read_assessments(*options["sources"], collection=collection, **merging)
    reading = Reading(
        options["order"],
        options["offsets"],
        options["whitespace"],
        options["unresolved"],
        options["columns"] == "start-end",
    )
    table = _table(files, assessments, names, collection, reading, options)
    contents = Contents(table, options["title"], _named(table, files, options["baseline"]))
    if collection is None:
        return contents
    notes: list[str] = []
    profile = _profile(files, assessments, collection, reading, options, notes)
    documents = _documents(contents, files, assessments, collection, reading, notes)
    return replace(contents, profile=profile, documents=documents, notes=tuple(notes))


def _table(
    files: tuple[str, ...],
    assessments: Assessments,
    names: list[str],
    collection: Collection | None,
    reading: Reading,
    options: dict[str, Any],
) -> ScoreTable:
    from doxeval.cli.evaluate import _jobs, _navigation
    from doxeval.evaluation import evaluate

    return evaluate(
        files,
        assessments,
        names,
        collection=collection,
        topics=options["topics"],
        reading=reading,
        curves=True,
        navigation=_navigation(options["navigation"]),
        jobs=_jobs(files),
    )


def _named(table: ScoreTable, files: tuple[str, ...], baseline: str | None) -> str | None:
    """The name that scores have for the baseline, which may be given as a file."""
    if baseline in files:
        return table.runs[files.index(baseline)].run
    return baseline


def _profile(
    files: tuple[str, ...],
    assessments: Assessments,
    collection: Collection,
    reading: Reading,
    options: dict[str, Any],
    notes: list[str],
) -> ScoreTable | None:
    """Hits, near-misses and misses by rank, if they can be worked out."""
    from doxeval.cli.profile import PROFILE
    from doxeval.errors import DoxevalError

    try:
        return _table(files, assessments, list(PROFILE), collection, reading, options)
    except DoxevalError as error:
        notes.append(f"hits, near-misses and misses by rank are not shown: {error}")
        return None


def _documents(
    contents: Contents,
    files: tuple[str, ...],
    assessments: Assessments,
    collection: Collection,
    reading: Reading,
    notes: list[str],
) -> tuple[DocumentView, ...]:
    """Documents with what the best runs return in them, if the collection has its texts."""
    from doxeval.errors import MissingText
    from doxeval.report import Sources, document_views
    from doxeval.runs import read_run

    by_name = dict(zip(contents.names, files, strict=True))
    runs = {
        name: read_run(by_name[name], ends=reading.ends).ordered(reading.order)
        for name in contents.layered
    }
    sources = Sources(collection, assessments, runs, reading.offsets, reading.whitespace)
    try:
        return document_views(sources)
    except MissingText as error:
        notes.append(f"documents are not shown: {error}")
        return ()
