"""`doxeval correlate`: whether measures rank systems alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.compare import (
    as_csv,
    as_json,
    format_option,
    number,
    probability,
    seed_option,
)
from doxeval.cli.scoring import (
    evaluation_of,
    measures_asked_for,
    measures_option,
    preset_option,
    scores_of,
    scoring_options,
)
from doxeval.cli.verb import verb

if TYPE_CHECKING:
    from doxeval.comparison import Correlations, MeasurePair


@verb()
@scoring_options
@measures_option
@preset_option
@click.option(
    "--resamples",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    help="Number of permutations for the probability of τ_AP.",
)
@seed_option
@format_option
def correlate(runs: tuple[str, ...], assessments: tuple[str, ...], **options: Any) -> None:
    """Correlate how measures rank systems, for each pair of measures.

    Printed are Kendall's τ-b, τ_AP (the mean of both directions; JSON and CSV have each), Pearson's
    r and Spearman's ρ of the means, each with the probability of a value as large by chance, and
    the regression line. τ above 0.9 counts as equivalent, below 0.8 as noticeably different.

    \b
    Examples:
      doxeval correlate *.run -a qrels.txt -m MAiP -m 'iP[.01]' -m 'iP[.10]'
      doxeval correlate *.run -a assessments/ -m nxCG@10 -m MAep --format json
    """
    if len(runs) < 2:
        raise click.UsageError("correlate needs two runs or more")
    names, _ = measures_asked_for(options["names"], options["presets"])
    if len(names) < 2:
        raise click.UsageError("correlate needs two measures or more: -m A -m B")
    from doxeval.cli.terminal import warn
    from doxeval.comparison import correlate as correlate_measures

    table = scores_of(evaluation_of(assessments, names, options), runs, options)
    found = correlate_measures(table, resamples=options["resamples"], seed=options["seed"])
    warn(found.notes)
    if options["format_"] == "table":
        click.echo(_as_text(found), nl=False)
    elif options["format_"] == "json":
        click.echo(as_json(found.to_dict()))
    else:
        click.echo(_as_csv(found), nl=False)


def _as_text(found: Correlations) -> str:
    from doxeval.cli.score_table import aligned
    from doxeval.comparison.conclusions import agreements

    header = ["measures", "systems", "τ", "p", "τ_AP", "p", "r", "p", "ρ", "p", "line"]
    said = "".join(f"{sentence}\n" for sentence in agreements(found))
    return f"{aligned(header, [_row(pair) for pair in found.pairs])}\n{said}"


def _row(pair: MeasurePair) -> list[str]:
    coefficients = (pair.tau, pair.tau_ap, pair.pearson, pair.spearman)
    line = "—"
    if pair.slope is not None:
        line = f"y = {number(pair.intercept, '.3f')} {pair.slope:+.3f} x"
    return [
        f"{pair.first} (x), {pair.second} (y)",
        str(pair.systems),
        *(cell for one in coefficients for cell in (number(one.value, ".3f"), probability(one.p))),
        line,
    ]


def _as_csv(found: Correlations) -> str:
    header = (
        "first second systems tau tau_p tau_ap tau_ap_p tau_ap_by_first tau_ap_by_second "
        "pearson pearson_p spearman spearman_p slope intercept agreement"
    )
    return as_csv(
        header.split(),
        (
            [
                *(pair.first, pair.second, pair.systems, *pair.tau, *pair.tau_ap),
                *(pair.tau_ap_by_first, pair.tau_ap_by_second, *pair.pearson, *pair.spearman),
                *(pair.slope, pair.intercept, pair.agreement),
            ]
            for pair in found.pairs
        ),
    )
