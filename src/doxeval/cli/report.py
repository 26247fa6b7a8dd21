"""`doxeval report`: a page about runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from doxeval.cli.scoring import (
    evaluation_of,
    measures_asked_for,
    measures_option,
    preset_option,
    run_called,
    scores_of,
    scoring_options,
)
from doxeval.cli.terminal import line
from doxeval.cli.verb import verb


@verb()
@scoring_options
@measures_option
@preset_option
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="FILE", help="HTML to write."
)
@click.option(
    "--baseline",
    metavar="RUN",
    help="The run that others are compared with, by name or file.  [default: the first]",
)
@click.option(
    "--figures",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Directory for each figure as SVG and PNG, with its data as CSV.",
)
@click.option("--title", default="Evaluation of runs", show_default=True, help="Title of the page.")
@click.option("--force", is_flag=True, help="Replace existing files.")
def report(runs: tuple[str, ...], assessments: tuple[str, ...], out: Path, **options: Any) -> None:
    """Write one page about runs: scores, tests, curves, topics and documents.

    The page is one file that needs no network. Runs are ranked by the first measure.

    \b
    Examples:
      doxeval report *.run -a qrels.txt -m MAiP -m 'iP[.01]' --out report.html
      doxeval report *.run -a qrels.txt --collection wiki --preset inex2009-focused \\
        --baseline bm25.run --figures figures --out report.html
    """
    from doxeval.reports.figure import renderer

    renderer()  # its absence is an error before any work
    _check_free(out, options)
    written = _written(_with_baseline(runs, options["baseline"]), assessments, out, options)
    line(f"{out}: {out.stat().st_size:,} bytes")
    if len(written) > 1:
        line(f"{options['figures']}: {len(written) - 1} files of figures")


def _check_free(out: Path, options: dict[str, Any]) -> None:
    """Nothing is replaced without --force."""
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


def _written(
    runs: tuple[str, ...], sources: tuple[str, ...], out: Path, options: dict[str, Any]
) -> list[Path]:
    """The files of the report, from one evaluation."""
    from doxeval.measures.presets import PROFILE
    from doxeval.reports import keeping
    from doxeval.reports import report as write_report

    names, _ = measures_asked_for(options["names"], options["presets"])
    in_collection = options["directory"] is not None
    evaluation = evaluation_of(
        sources,
        names,
        options,
        where_possible=PROFILE if in_collection else (),
        curves=True,
        keep=keeping(names) if in_collection else None,
    )
    table = scores_of(evaluation, runs, options)
    return write_report(
        table,
        out,
        title=options["title"],
        baseline=run_called(table, options["baseline"]),
        truth=evaluation.truth if in_collection else None,
        figures=options["figures"],
    )
