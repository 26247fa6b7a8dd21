"""`doxeval nexi`: explain a query."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from doxeval.topics.nexi import Precedence
    from doxeval.topics.nexi_ast import Clause, Query, StructuredQuery


# A query may begin with a minus sign, so only long options are known here.
@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]})
@click.argument("query")
@click.option("--tree", is_flag=True, help="Print the query as a tree.")
@click.option(
    "--precedence",
    type=click.Choice(["and", "flat"]),
    default="and",
    show_default=True,
    help="Whether AND binds tighter than OR, or both bind alike from left to right.",
)
@click.option(
    "--collection",
    "directory",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Count the elements that each path matches.",
)
def nexi(query: str, tree: bool, precedence: Precedence, directory: Path | None) -> None:
    """Parse a NEXI query and say what it asks for.

    \b
    Examples:
      doxeval nexi '//article[about(., tides)]//sec[about(.//title, machine)]' --tree
      doxeval nexi 'tide -moon'
    """
    from doxeval.errors import SyntaxProblem
    from doxeval.topics.nexi import NexiError, parse_nexi
    from doxeval.topics.nexi_ast import StructuredQuery

    try:
        parsed = parse_nexi(query, precedence)
    except NexiError as error:
        shown = "".join(character if character.isprintable() else " " for character in query)
        raise SyntaxProblem(f"{error}\n  {shown}\n  {' ' * (error.at - 1)}^") from None
    if tree:
        for line in _tree(parsed):
            click.echo(line)
    else:
        click.echo(str(parsed))
    if isinstance(parsed, StructuredQuery):
        _explain(parsed, directory)


def _explain(query: StructuredQuery, directory: Path | None) -> None:
    counts = _counts(directory)
    click.echo(f"target   {query.target}{counts(str(query.target))}")
    for support in query.supports:
        click.echo(f"support  {support.path}{counts(str(support.path))}: {support.condition}")


def _counts(directory: Path | None) -> Callable[[str], str]:
    """A function that says how many elements a path matches, or nothing without a collection."""
    if directory is None:
        return lambda _: ""
    from doxeval.documents import Collection

    collection = Collection(directory)
    return lambda path: f"  ({len(collection.matching(path)):,} elements)"


def _tree(query: Query) -> Iterator[str]:
    from doxeval.topics.nexi_ast import ContentQuery

    if isinstance(query, ContentQuery):
        yield "content"
        yield from (f"  term {term}" for term in query.terms)
        return
    yield "structure"
    for segment in query.segments:
        yield f"  path {segment.path}"
        if segment.condition is not None:
            yield from _clause_tree(segment.condition, "    ")


def _clause_tree(clause: Clause, indent: str) -> Iterator[str]:
    from doxeval.topics.nexi_ast import About, And, Or

    if isinstance(clause, And | Or):
        yield f"{indent}{'and' if isinstance(clause, And) else 'or'}"
        for inner in clause.clauses:
            yield from _clause_tree(inner, indent + "  ")
    elif isinstance(clause, About):
        yield f"{indent}about {clause.where}"
        yield from (f"{indent}  term {term}" for term in clause.terms)
    else:
        yield f"{indent}compare {clause}"
