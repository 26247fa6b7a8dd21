"""`doxeval nexi`: parse a NEXI query and explain it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import click

from doxeval.cli.options import collection_option
from doxeval.cli.output import fail, line, note
from doxeval.cli.verb import refuse, verb
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.topics import Clause, Query, StructuredQuery
    from doxeval.topics import NexiPath as QueryPath

# How much of a query is shown on either side of an error.
_AROUND = 48


@dataclass(frozen=True)
class NexiOptions:
    """How a query is read, and what is printed about it."""

    tree: bool = option(False, "Print the query as a tree.")
    precedence: Literal["and", "flat"] = option(
        "and", "and: AND binds more tightly than OR. flat: both bind equally, from left to right."
    )
    strictness: str = option(
        "sscas",
        "How strictly to take the paths of the query. The first letter is about the target, the "
        "second about the supports; S (strict) makes a path a requirement, V (vague) a hint.",
        choices=("sscas", "svcas", "vscas", "vvcas"),
        ignore_case=True,
    )
    collection: str | None = collection_option(
        "Count the elements of this collection that each path matches."
    )


# A query may begin with a minus sign, so this verb has only long options.
@verb(
    NexiOptions,
    context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]},
)
@click.argument("query")
def nexi(query: str, options: NexiOptions) -> None:
    """Parse a NEXI query and explain what it asks for.

    A structured query has a target (which elements to return) and supports (which elements its
    conditions are about).

    \b
    Examples:
      doxeval nexi '//article[about(., tides)]//sec[about(.//title, machine)]' --tree
      doxeval nexi '//article[about(., tides)]//sec' --strictness vscas --collection wiki
      doxeval nexi 'tide -moon'
    """
    from doxeval.topics import NexiError, StructuredQuery, parse_nexi

    try:
        parsed = parse_nexi(query, options.precedence)
    except NexiError as error:
        fail(error)
        _point_at(error.at - 1, query)
        sys.exit(1)
    if not isinstance(parsed, StructuredQuery):
        refuse({"strictness", "collection"}, "is about paths, and this query has none")
        refuse({"precedence"}, "is about conditions, and this query has none")
    if options.tree:
        for row in _tree(parsed):
            line(row)
    else:
        line(str(parsed))
    if isinstance(parsed, StructuredQuery):
        _explain(parsed, options.strictness, options.collection)


def _point_at(position: int, query: str) -> None:
    """Print the characters around a position in a query, and point at it."""
    first = max(position - _AROUND, 0)
    # Characters without a width of one would move the position.
    around = "".join(
        character if character.isprintable() else " "
        for character in query[first : position + _AROUND]
    )
    before, after = "…" if first else "", "…" if position + _AROUND < len(query) else ""
    note(f"  {before}{around}{after}")
    note(f"  {' ' * (position - first + len(before))}^")


def _explain(query: StructuredQuery, strictness: str, directory: str | None) -> None:
    from doxeval.topics import Interpretation

    interpretation = Interpretation.named(strictness)
    target = interpretation.target_of(query)
    supports = interpretation.supports_of(query)
    counts = _counts(directory, [target, *(support.path for support in supports)])
    hint = _hint(target, query.target)
    line(f"target   {target}{next(counts)}{hint}")
    for support, written in zip(supports, query.supports, strict=True):
        path, hint = support.path, _hint(support.path, written.path)
        line(f"support  {path}{next(counts)}{hint}: {support.condition}")


def _hint(path: QueryPath, written: QueryPath) -> str:
    return "" if path == written else f"  (hint: {written})"


def _counts(directory: str | None, paths: Sequence[QueryPath]) -> Iterator[str]:
    """Yield how many elements each path matches; without a collection, nothing is printed."""
    if directory is None:
        return iter([""] * len(paths))
    from doxeval.documents import Collection
    from doxeval.messages import plural

    counts = Collection(directory).counts_matching([str(path) for path in paths])
    return (f"  ({plural(count, 'element')})" for count in counts)


def _tree(query: Query) -> Iterator[str]:
    from doxeval.topics import ContentQuery

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
    from doxeval.topics import About, And, Or

    if isinstance(clause, And | Or):
        yield f"{indent}{'and' if isinstance(clause, And) else 'or'}"
        for inner in clause.clauses:
            yield from _clause_tree(inner, indent + "  ")
    elif isinstance(clause, About):
        yield f"{indent}about {clause.where}"
        yield from (f"{indent}  term {term}" for term in clause.terms)
    else:
        yield f"{indent}compare {clause}"
