"""`doxeval navigation`: print a model of how users navigate, and check it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from doxeval.cli.decorators import collection_option
from doxeval.cli.output import block, heading, line, note, warn
from doxeval.cli.verb import refuse, verb

if TYPE_CHECKING:
    from doxeval.documents import Collection
    from doxeval.navigation import Navigation, SummaryNavigation

_MOST_ELEMENTS = 30


@verb()
@click.argument("model", metavar="FILE|NAME")
@collection_option("Check the model against this collection; needed unless it is a summary.")
@click.option(
    "--doc",
    "document",
    metavar="ID",
    help="Print the probabilities between the elements of this document. Needs --collection.",
)
def navigation(model: str, directory: str | None, document: str | None) -> None:
    """Print a model of navigation and check it.

    The model is a JSON file, or one of the names depth, hierarchical, neighbours and none. A
    summary is printed as the probabilities between its groups; with --doc, any model is printed as
    the probabilities between the elements of a document (the first 30, if it has more).
    """
    from doxeval.documents import Collection
    from doxeval.errors import MissingInput
    from doxeval.navigation import SummaryNavigation, as_navigation

    if directory is None:
        refuse({"document"}, "names a document of a collection: add --collection DIR")
    opened = as_navigation(model)
    if directory is None and not isinstance(opened, SummaryNavigation):
        raise MissingInput("elements are looked up in a collection: --collection DIR")
    heading(f"model: {opened.name}")
    if isinstance(opened, SummaryNavigation):
        _print_summary(opened)
    if directory is None:
        return
    collection = Collection(directory)
    warn(opened.checked(collection))
    _print_shares(opened, collection)
    if document is not None:
        _print_matrix(opened, collection, document)
    note("the model fits the collection")


def _print_summary(model: SummaryNavigation) -> None:
    from doxeval.navigation import SteadyNavigation

    groups = model.groups
    _print_table("from \\ to", groups, groups, model.transitions().tolist())
    if isinstance(model, SteadyNavigation):
        line(f"in the long run, with restart {model.restart}:")
        _print_table("", groups, [""], [model.distribution().tolist()])


def _print_shares(model: Navigation, collection: Collection) -> None:
    from doxeval.navigation import DepthNavigation

    if isinstance(model, DepthNavigation):
        shares = model.shares(collection)
        _print_table("", tuple(shares), ["to any element of"], [list(shares.values())])


def _print_matrix(model: Navigation, collection: Collection, document: str) -> None:
    import numpy as np

    document_number = collection.document(document)
    first, after = (int(row) for row in collection.rows[document_number : document_number + 2])
    nodes = np.arange(first, min(after, first + _MOST_ELEMENTS))
    paths = [collection.path_of(node) for node in nodes.tolist()]
    names = [f"e{number}" for number in range(1, len(paths) + 1)]
    for name, path in zip(names, paths, strict=True):
        line(f"  {name:<4} {path}")
    if after > first + _MOST_ELEMENTS:
        line(f"  … and {after - first - _MOST_ELEMENTS:,} more")
    values = model.between(collection, document_number, nodes, nodes)
    _print_table("from \\ to", names, names, values.tolist())


def _print_table(
    corner: str,
    columns: tuple[str, ...] | list[str],
    rows: tuple[str, ...] | list[str],
    values: list[list[float]],
) -> None:
    from doxeval.cli.output import aligned

    cells = [[name, *(f"{v:.4f}" for v in row)] for name, row in zip(rows, values, strict=True)]
    block(aligned([corner, *columns], cells))
