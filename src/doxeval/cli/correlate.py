"""`doxeval correlate`: whether measures rank systems alike, or tell the same ones apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.compare import (
    RESAMPLING,
    alpha_option,
    as_csv,
    format_option,
    number,
    probability,
    seed_option,
    test_option,
)
from doxeval.cli.scoring import (
    evaluation_of,
    measures_asked_for,
    measures_option,
    preset_option,
    scores_of,
    scoring_options,
)
from doxeval.cli.terminal import block, data, json_data, warn
from doxeval.cli.verb import refuse, verb

if TYPE_CHECKING:
    from doxeval.comparison import Correlations, MeasurePair, SignificantAgreement, Verdicts
    from doxeval.scores import ScoreTable


@verb()
@scoring_options
@measures_option
@preset_option
@click.option(
    "--significant",
    is_flag=True,
    help="Count the pairs of systems that both, one or neither of two measures tell apart.",
)
@test_option
@alpha_option
@click.option(
    "--resamples",
    type=click.IntRange(1),
    help="Number of permutations for the probability of τ_AP, or with --significant of resamples "
    "for bootstrap and randomization.  [default: 10,000; with --significant 100,000]",
)
@seed_option
@format_option
def correlate(runs: tuple[str, ...], assessments: tuple[str, ...], **options: Any) -> None:
    """Correlate how measures rank systems, for each pair of measures.

    Printed are Kendall's τ-b, τ_AP (the mean of both directions; JSON and CSV have each), Pearson's
    r and Spearman's ρ of the means, each with the probability of a value as large by chance, and
    the regression line. τ above 0.9 counts as equivalent, below 0.8 as noticeably different.

    With --significant, each measure tests all pairs of systems as compare does, with Holm's
    correction, and the verdicts of two measures are counted: pairs that both tell apart, with the
    same or with another system ahead, that only one tells apart, and that neither does. Agreement
    is the share with the same system ahead among the pairs that at least one measure tells apart.
    JSON names the pairs.

    \b
    Examples:
      doxeval correlate *.run -a qrels.txt -m MAiP -m 'iP[.01]' -m 'iP[.10]'
      doxeval correlate *.run -a assessments/ -m nxCG@10 -m MAep --format json
      doxeval correlate *.run -a qrels.txt -m MAiP -m 'iP[.01]' --significant --test wilcoxon
    """
    _check_options(options)
    if len(runs) < 2:
        raise click.UsageError("correlate needs two runs or more")
    names, _ = measures_asked_for(options["names"], options["presets"])
    if len(names) < 2:
        raise click.UsageError("correlate needs two measures or more: -m A -m B")
    table = scores_of(evaluation_of(assessments, names, options), runs, options)
    if options["significant"]:
        _print_verdicts(table, options)
    else:
        _print_correlations(table, options)


def _check_options(options: dict[str, Any]) -> None:
    if not options["significant"]:
        refuse({"test", "alpha"}, "is for --significant")
    elif options["test"] not in RESAMPLING:
        tests = " or ".join(RESAMPLING)
        refuse({"seed", "resamples"}, f"is for tests by resampling: --test {tests}")


def _print_correlations(table: ScoreTable, options: dict[str, Any]) -> None:
    from doxeval.comparison import correlate as correlate_measures

    given = {name: options[name] for name in ("resamples", "seed") if options[name] is not None}
    found = correlate_measures(table, **given)
    warn(found.notes)
    if options["format_"] == "table":
        block(_as_text(found))
    elif options["format_"] == "json":
        json_data(found.to_dict(), indent=1)
    else:
        data(_as_csv(found))


def _print_verdicts(table: ScoreTable, options: dict[str, Any]) -> None:
    from doxeval.comparison import significant_agreement

    names = ("test", "alpha", "resamples", "seed")
    given = {name: options[name] for name in names if options[name] is not None}
    found = significant_agreement(table, **given)
    warn(found.notes)
    if options["format_"] == "table":
        block(_verdicts_as_text(found))
    elif options["format_"] == "json":
        json_data(found.to_dict(), indent=1)
    else:
        data(_verdicts_as_csv(found))


def _as_text(found: Correlations) -> str:
    from doxeval.cli.score_table import aligned
    from doxeval.comparison import agreements

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


def _verdicts_as_text(found: SignificantAgreement) -> str:
    from doxeval.cli.score_table import aligned
    from doxeval.comparison import TITLES

    title = TITLES[found.test]
    powers = aligned(
        ["measure", "tested", "told apart", "share"],
        [
            [one.measure, f"{one.tested:,}", f"{one.told_apart:,}", number(one.share, ".3f")]
            for one in found.measures
        ],
    )
    header = "measures|same|opposite|only x|only y|neither|agreement|same verdict"
    rows = [
        [
            f"{pair.first} (x), {pair.second} (y)",
            *(f"{count:,}" for verdict, count in pair.counts.items() if verdict != "untested"),
            number(pair.agreement, ".3f"),
            number(pair.same_verdict, ".3f"),
        ]
        for pair in found.pairs
    ]
    return (
        f"Pairs of systems told apart: {title}, Holm's correction, alpha {found.alpha:g}\n\n"
        f"{powers}\n{aligned(header.split('|'), rows)}"
    )


def _verdicts_as_csv(found: SignificantAgreement) -> str:
    header = (
        "first second tested same opposite only_first only_second neither untested agreement "
        "same_verdict"
    )
    return as_csv(header.split(), map(_verdict_cells, found.pairs))


def _verdict_cells(pair: Verdicts) -> list[object]:
    figures = (pair.agreement, pair.same_verdict)
    return [pair.first, pair.second, pair.tested, *pair.counts.values(), *figures]
