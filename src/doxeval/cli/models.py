"""`doxeval models`: how search scores, and what it means."""

from __future__ import annotations

import click

from doxeval.cli.output import heading, line, markdown, print_figures, warn
from doxeval.cli.verb import verb


@verb()
@click.argument("name", required=False, metavar="[NAME]")
def models(name: str | None) -> None:
    """List the retrieval models, or explain one.

    An explanation has the formula, parameters, sources and an example.

    A model that is given with parameters is explained with their values.

    \b
    Examples:
      doxeval models
      doxeval models bm25
      doxeval models 'lm(prior=1)'
    """
    from doxeval.retrieve import explain_model, model_named

    if name is None:
        _print_all()
    else:
        markdown(explain_model(model_named(name)))


def _print_all() -> None:
    from doxeval.retrieve import MODELS

    heading("Retrieval models")
    print_figures((name, kind().title) for name, kind in MODELS.items())
    warn(MODELS.problems)
    line()
    line("doxeval models NAME explains one. Names take parameters: bm25(k1=1.2,b=0.75)")
