"""`doxeval navigation`: look at a model of how users navigate, and check it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from doxeval.cli.options import collection_option

if TYPE_CHECKING:
    from doxeval.documents import Collection
    from doxeval.navigation import Navigation
    from doxeval.navigation.summary import SummaryNavigation

_MOST_ELEMENTS = 30


@click.command()
@click.argument("model", metavar="FILE|NAME")
@collection_option("The collection that the model is about.")
@click.option("--doc", "document", metavar="ID", help="Print the probabilities in this document.")
def navigation(model: str, directory: Path | None, document: str | None) -> None:
    """Print a model of navigation (a JSON file, or depth, hierarchical, none) and check it.

    A summary is printed as a graph of its groups; with --doc, every model is printed as a matrix
    of the document's elements (the first of them, if they are many).
    """
    from doxeval.cli.terminal import warn
    from doxeval.documents import Collection
    from doxeval.errors import MissingInput
    from doxeval.navigation.read import BY_NAME, read_navigation
    from doxeval.navigation.summary import SummaryNavigation

    found = BY_NAME[model]() if model in BY_NAME else read_navigation(model)
    click.secho(f"model: {found.name}", bold=True)
    if isinstance(found, SummaryNavigation):
        _print_summary(found)
    if directory is None:
        if document is not None or not isinstance(found, SummaryNavigation):
            raise MissingInput("elements are looked up in a collection: --collection DIR")
        return
    collection = Collection(directory)
    warn(found.checked(collection))
    _print_shares(found, collection)
    if document is not None:
        _print_matrix(found, collection, document)
    click.echo("the model fits the collection", err=True)


def _print_summary(model: SummaryNavigation) -> None:
    from doxeval.navigation.summary import SteadyNavigation

    groups = model.groups
    _print_table("from \\ to", groups, groups, model.transitions().tolist())
    if isinstance(model, SteadyNavigation):
        click.echo(f"in the long run, with restart {model.restart}:")
        _print_table("", groups, [""], [model.distribution().tolist()])


def _print_shares(model: Navigation, collection: Collection) -> None:
    from doxeval.navigation.summary import DepthNavigation

    if isinstance(model, DepthNavigation):
        shares = model.shares(collection)
        _print_table("", tuple(shares), ["to any element of"], [list(shares.values())])


def _print_matrix(model: Navigation, collection: Collection, document: str) -> None:
    import numpy as np

    number = collection.document(document)
    first, last = (int(row) for row in collection.rows[number : number + 2])
    nodes = np.arange(first, min(last, first + _MOST_ELEMENTS))
    paths = [collection.path_of(node) for node in nodes.tolist()]
    names = [f"e{place}" for place in range(1, len(paths) + 1)]
    for name, path in zip(names, paths, strict=True):
        click.echo(f"  {name:<4} {path}")
    if last > first + _MOST_ELEMENTS:
        click.echo(f"  … and {last - first - _MOST_ELEMENTS:,} more")
    values = model.between(collection, number, nodes, nodes)
    _print_table("from \\ to", names, names, values.tolist())


def _print_table(
    corner: str,
    columns: tuple[str, ...] | list[str],
    rows: tuple[str, ...] | list[str],
    values: list[list[float]],
) -> None:
    from doxeval.cli.score_table import aligned

    cells = [[name, *(f"{v:.4f}" for v in row)] for name, row in zip(rows, values, strict=True)]
    click.echo(aligned([corner, *columns], cells), nl=False)
