"""`doxeval navigation`: print a model of how users navigate, and check it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from doxeval.cli.options import collection_option, open_collection, wide_option
from doxeval.cli.output import heading, line, note, print_figures, print_table, warn
from doxeval.cli.verb import refuse, verb
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.documents import Collection
    from doxeval.navigation import Navigation, SummaryNavigation

_MAX_ELEMENTS = 30


@dataclass(frozen=True)
class NavigationOptions:
    """What a model is checked against, and what of it is printed."""

    collection: str | None = collection_option(
        "Check the model against this collection; needed unless it is a summary."
    )
    document: str | None = option(
        None,
        "Print the probabilities between the elements of this document. Needs --collection.",
        metavar="ID",
        flags=("--doc",),
    )
    wide: bool = wide_option()


@verb(NavigationOptions)
@click.argument("model", metavar="FILE|NAME")
def navigation(model: str, options: NavigationOptions) -> None:
    """Print a model of navigation and check it.

    The model is a JSON file, or one of the names depth, hierarchical, neighbours and none. A
    summary is printed as the probabilities between its groups; with --doc, any model is printed as
    the probabilities between the elements of a document (the first 30, if it has more).
    """
    from doxeval.errors import MissingInput
    from doxeval.navigation import SummaryNavigation, as_navigation

    if options.collection is None:
        refuse({"document"}, "names a document of a collection: add --collection DIR")
    opened = as_navigation(model)
    if options.collection is None and not isinstance(opened, SummaryNavigation):
        raise MissingInput("elements are looked up in a collection: --collection DIR")
    heading(f"model: {opened.name}")
    if isinstance(opened, SummaryNavigation):
        _print_summary(opened)
    collection = open_collection(options.collection)
    if collection is None:
        return
    warn(opened.checked(collection))
    _print_shares(opened, collection)
    if options.document is not None:
        _print_between(opened, collection, options.document)
    note("the model fits the collection")


def _print_summary(model: SummaryNavigation) -> None:
    from doxeval.navigation import SteadyNavigation

    groups = model.groups
    _print_probabilities("from \\ to", groups, groups, model.transitions().tolist())
    if isinstance(model, SteadyNavigation):
        line(f"in the long run, with restart {model.restart}:")
        _print_probabilities("", groups, [""], [model.distribution().tolist()])


def _print_shares(model: Navigation, collection: Collection) -> None:
    from doxeval.navigation import DepthNavigation

    if isinstance(model, DepthNavigation):
        shares = model.shares(collection)
        _print_probabilities("", tuple(shares), ["to any element of"], [list(shares.values())])


def _print_between(model: Navigation, collection: Collection, document: str) -> None:
    import numpy as np

    document_number = collection.document(document)
    first, after = (int(row) for row in collection.rows[document_number : document_number + 2])
    nodes = np.arange(first, min(after, first + _MAX_ELEMENTS))
    paths = [collection.path_of(node) for node in nodes.tolist()]
    names = [f"e{number}" for number in range(1, len(paths) + 1)]
    print_figures(zip(names, paths, strict=True))
    if after > first + _MAX_ELEMENTS:
        line(f"  … and {after - first - _MAX_ELEMENTS:,} more")
    values = model.between(collection, document_number, nodes, nodes)
    _print_probabilities("from \\ to", names, names, values.tolist())


def _print_probabilities(
    corner: str, columns: Sequence[str], rows: Sequence[str], values: Sequence[Sequence[float]]
) -> None:
    cells = [[name, *(f"{v:.4f}" for v in row)] for name, row in zip(rows, values, strict=True)]
    print_table([corner, *columns], cells)
