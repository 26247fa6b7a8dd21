"""`doxeval measures`: what can be measured, and what it means."""

from __future__ import annotations

from dataclasses import dataclass

import click

from doxeval.cli.output import block, heading, line, markdown, page_width, print_figures, warn
from doxeval.cli.verb import verb
from doxeval.named import option


@dataclass(frozen=True)
class MeasuresOptions:
    """What is listed."""

    presets: bool = option(False, "List the official measures of INEX years and tasks.")


@verb(MeasuresOptions)
@click.argument("name", required=False, metavar="[NAME]")
def measures(name: str | None, options: MeasuresOptions) -> None:
    """List all measures, or explain one.

    An explanation has the formula, parameters, range, source and an example.

    The list goes by what measures are about: whole documents, highlighted text, and so on. A
    measure that is given with parameters is explained with their values.

    \b
    Examples:
      doxeval measures
      doxeval measures nxCG
      doxeval measures 'MAep(base=ideal)'
      doxeval measures --presets
    """
    if options.presets and name is not None:
        raise click.UsageError("--presets lists all presets; leave out NAME")
    if options.presets:
        _print_presets()
    elif name is None:
        _print_all()
    else:
        _explain(name)


def _print_all() -> None:
    from doxeval.measures import MEASURES, listing, names_and_titles

    groups: dict[str, list[tuple[str, str]]] = {}
    for family, of_family in listing():
        groups.setdefault(family.question.capitalize(), []).extend(of_family)
    if MEASURES.added:
        groups["From other packages"] = names_and_titles(MEASURES.added.values())
    lists = {
        title: [(name.partition("(")[0], about) for name, about in entries]
        for title, entries in groups.items()
    }
    width = max(len(name) for entries in lists.values() for name, _ in entries)
    for title, entries in lists.items():
        heading(title)
        print_figures(entries, width)
    warn(MEASURES.problems)
    line()
    line("doxeval measures NAME explains one. Names take parameters: nxCG@10(base=full)")


def _print_presets() -> None:
    from doxeval.measures import PRESETS

    for name, preset in PRESETS.items():
        line(preset.title, head=f"{name}  ")
        block(click.wrap_text(" ".join(preset.measures), page_width() or 96, "  ", "  "))


def _explain(name: str) -> None:
    from doxeval.measures import FAMILIES, explain_measure, measure_named

    for family in FAMILIES:
        if family.name == name and len(family.measures) > 1:
            for kind in family.measures:
                markdown(explain_measure(kind))
            return
    markdown(explain_measure(measure_named(name)))
