"""`doxeval demo`: the main job on the built-in collection."""

from __future__ import annotations

import tempfile
from contextlib import nullcontext
from importlib import resources
from pathlib import Path
from typing import Any

import click


@click.command()
@click.option(
    "--out", type=click.Path(path_type=Path), help="Keep the collection in this directory."
)
@click.option("--force", is_flag=True, help="Replace a collection that is there already.")
def demo(out: Path | None, force: bool) -> None:
    """Build the built-in collection of articles and look at it."""
    from doxeval.cli.describe import print_element, print_outline, print_statistics
    from doxeval.cli.terminal import heading
    from doxeval.documents import Collection, build_collection

    articles = resources.files("doxeval") / "demo_collection"
    place: Any = tempfile.TemporaryDirectory() if out is None else nullcontext(out)
    with place as directory, resources.as_file(articles) as source:
        target = Path(directory) / "demo" if out is None else out
        heading("$ doxeval collection build articles/ --out demo")
        report = build_collection([str(source)], target, force=force)
        click.echo(f"{report.documents} documents from {report.source_bytes:,} bytes\n")
        collection = Collection(target)
        heading("$ doxeval collection info demo")
        print_statistics(collection, 8)
        heading("\n$ doxeval collection show demo longitude")
        print_outline(collection.root("longitude"), 3, everything=False)
        path = "/article[1]/body[1]/sec[2]/ss1[2]"
        heading(f"\n$ doxeval collection show demo longitude '{path}'")
        print_element(collection.element("longitude", path))
    click.echo()
    heading("What next")
    click.echo("  doxeval demo --out demo                               keep the collection")
    click.echo(
        "  doxeval collection show demo tides --all              another article, in full detail"
    )
    click.echo("  doxeval collection build FOLDER --out my-collection   your own documents")
