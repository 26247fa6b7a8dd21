"""`doxeval correlate`: whether measures rank systems alike, or distinguish the same ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from doxeval.cli.compare import RESAMPLING, Test, alpha_option, test_option
from doxeval.cli.options import (
    check_wide,
    format_option,
    runs_argument,
    seed_option,
    wide_option,
)
from doxeval.cli.output import data, json_data, print_page, warn
from doxeval.cli.scoring import ComparisonOptions
from doxeval.cli.verb import COMPARED, OUTPUT, in_group, refuse, verb
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.comparison import Correlations, MeasurePair, SignificantAgreement
    from doxeval.scores import TextTable

_Result = TypeVar("_Result", "Correlations", "SignificantAgreement")


@dataclass(frozen=True)
class CorrelateOptions(ComparisonOptions):
    """What is scored, and how measures are correlated."""

    significant: bool = in_group(
        COMPARED,
        option(
            False,
            "Count the pairs of systems that both, one or neither of two measures distinguish.",
        ),
    )
    test: Test = in_group(COMPARED, test_option())
    alpha: float = in_group(COMPARED, alpha_option())
    resamples: int | None = in_group(
        COMPARED,
        option(
            None,
            "Number of permutations for the probability of τ_AP, or with --significant of "
            "resamples "
            "for bootstrap and randomization.",
            at_least=1,
            shown_default="10,000; with --significant 100,000",
        ),
    )
    seed: int = in_group(COMPARED, seed_option())
    wide: bool = in_group(OUTPUT, wide_option())
    format: Literal["table", "json", "csv"] = in_group(
        OUTPUT, format_option("Format of the output.")
    )


@verb(CorrelateOptions)
@runs_argument
def correlate(runs: tuple[str, ...], options: CorrelateOptions) -> None:
    """Correlate how measures rank systems, for each pair of measures.

    Printed are Kendall's τ-b, τ_AP (the mean of both directions; JSON and CSV have each), Pearson's
    r and Spearman's ρ of the means, each with the probability of a value as large by chance, and
    the regression line. τ above 0.9 counts as equivalent, below 0.8 as noticeably different.

    With --significant, each measure tests all pairs of systems as compare does, with Holm's
    correction, and the verdicts of two measures are counted: pairs that both distinguish, with
    the same or with another system ahead, that only one does, and that neither does. Agreement is
    the share with the same system ahead among the pairs that at least one measure distinguishes.
    JSON names the pairs.

    Instead of runs, scores can be given that were computed elsewhere, as for compare.

    \b
    Examples:
      doxeval correlate *.run -a qrels.txt -m MAiP -m 'iP[.01]' -m 'iP[.10]'
      doxeval correlate *.run -a assessments/ -m nxCG@10 -m MAep --format json
      doxeval correlate *.run -a qrels.txt -m MAiP -m 'iP[.01]' --significant --test wilcoxon
      doxeval correlate scores.csv
    """
    if not options.significant:
        refuse({"test", "alpha"}, "is for --significant")
    elif options.test not in RESAMPLING:
        tests = " or ".join(RESAMPLING)
        refuse({"seed", "resamples"}, f"is for tests by resampling: --test {tests}")
    check_wide(options.format)
    table = options.table("correlate", runs, fewest_measures=2)
    # Without --resamples, each of the two has its own default.
    resampling: dict[str, Any] = {"seed": options.seed}
    if options.resamples is not None:
        resampling["resamples"] = options.resamples
    if options.significant:
        from doxeval.comparison import significant_agreement

        agreement = significant_agreement(
            table, test=options.test, alpha=options.alpha, **resampling
        )
        _print(agreement, options.format, _verdicts_as_parts, _verdicts_as_csv)
    else:
        from doxeval.comparison import correlate as correlate_measures

        correlations = correlate_measures(table, **resampling)
        _print(correlations, options.format, _as_parts, _as_csv)


def _print(
    result: _Result,
    format_: str,
    as_parts: Callable[[_Result], Sequence[TextTable | str]],
    as_csv: Callable[[_Result], str],
) -> None:
    warn(result.notes)
    if format_ == "table":
        print_page(*as_parts(result))
    elif format_ == "json":
        json_data(result.to_dict(), indent=1)
    else:
        data(as_csv(result))


# Correlations


def _as_parts(correlations: Correlations) -> list[TextTable | str]:
    from doxeval.comparison import agreements
    from doxeval.scores import TextTable

    header = ["measures", "systems", "τ", "p", "τ_AP", "p", "r", "p", "ρ", "p", "line"]
    rows = [_row(pair) for pair in correlations.pairs]
    table = TextTable(header, rows, longest=None, first_to_go=(10, 1))
    return [table, "", *agreements(correlations)]


def _row(pair: MeasurePair) -> list[str]:
    from doxeval.comparison import probability
    from doxeval.scores import format_score

    cells = [f"{pair.first} (x), {pair.second} (y)", str(pair.systems)]
    for coefficient in (pair.tau, pair.tau_ap, pair.pearson, pair.spearman):
        cells += [format_score(coefficient.value, ".3f"), probability(coefficient.p)]
    if pair.slope is None:
        return [*cells, "—"]
    return [*cells, f"y = {format_score(pair.intercept, '.3f')} {pair.slope:+.3f} x"]


def _as_csv(correlations: Correlations) -> str:
    from doxeval.scores import csv_text

    header = (
        "first second systems tau tau_p tau_ap tau_ap_p tau_ap_by_first tau_ap_by_second "
        "pearson pearson_p spearman spearman_p slope intercept agreement"
    )
    return csv_text(
        header.split(),
        (
            [
                *(pair.first, pair.second, pair.systems, *pair.tau, *pair.tau_ap),
                *(pair.tau_ap_by_first, pair.tau_ap_by_second, *pair.pearson, *pair.spearman),
                *(pair.slope, pair.intercept, pair.agreement),
            ]
            for pair in correlations.pairs
        ),
    )


# Agreement about significant differences


def _verdicts_as_parts(agreement: SignificantAgreement) -> list[TextTable | str]:
    from doxeval.comparison import TITLES
    from doxeval.scores import TextTable, format_score

    powers = [
        [
            measure.measure,
            f"{measure.tested:,}",
            f"{measure.distinguished:,}",
            format_score(measure.share, ".3f"),
        ]
        for measure in agreement.measures
    ]
    header = "measures|same|opposite|only x|only y|neither|agreement|same verdict"
    rows = [
        [
            f"{pair.first} (x), {pair.second} (y)",
            *(f"{count:,}" for verdict, count in pair.counts.items() if verdict != "untested"),
            format_score(pair.agreement, ".3f"),
            format_score(pair.same_verdict, ".3f"),
        ]
        for pair in agreement.pairs
    ]
    title = (
        f"Pairs of systems distinguished: {TITLES[agreement.test]}, Holm's correction, "
        f"alpha {agreement.alpha:g}"
    )
    return [
        title,
        "",
        TextTable(["measure", "tested", "distinguished", "share"], powers, longest=None),
        "",
        TextTable(header.split("|"), rows, longest=None, first_to_go=(7,)),
    ]


def _verdicts_as_csv(agreement: SignificantAgreement) -> str:
    from doxeval.scores import csv_text

    header = (
        "first second tested same opposite only_first only_second neither untested agreement "
        "same_verdict"
    )
    return csv_text(
        header.split(),
        (
            [
                *(pair.first, pair.second, pair.tested, *pair.counts.values()),
                *(pair.agreement, pair.same_verdict),
            ]
            for pair in agreement.pairs
        ),
    )
