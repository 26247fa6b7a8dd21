"""`doxeval convert`: a run from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from doxeval.cli.options import columns_option

_FORMATS = ["text", "inex", "jsonl", "csv", "parquet"]


@click.command()
@click.argument("source", metavar="IN")
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--from", "given", type=click.Choice(_FORMATS), help="Format of IN.")
@click.option("--to", "wanted", type=click.Choice(_FORMATS), help="Format of OUT.")
@columns_option
@click.option("--force", is_flag=True, help="Replace OUT if it is there already.")
def convert(source: str, out: Path, given: Any, wanted: Any, columns: str, force: bool) -> None:
    """Convert a run to another format; formats go by the files' names unless they are given.

    What the other format cannot hold is said first, and then nothing is written.
    """
    from doxeval.errors import OutputError
    from doxeval.runs import read_run
    from doxeval.runs.files import write_run

    if out.exists() and not force:
        raise OutputError(f"{out} exists; --force replaces it")
    run = read_run(source, given, ends=columns == "start-end")
    for warning in run.warnings:
        click.secho(f"warning: {warning}", fg="yellow", err=True)
    write_run(run, out, wanted)
    click.echo(f"{out}: {len(run):,} results for {len(run.topics):,} topics")
