"""`doxeval compare`: which runs differ by a measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.output import block, data, json_data, warn
from doxeval.cli.scoring import (
    evaluation_of,
    measures_asked_for,
    measures_option,
    preset_option,
    run_called,
    scores_of,
    scoring_options,
)
from doxeval.cli.verb import given_options, verb

if TYPE_CHECKING:
    from doxeval.comparison import Comparison, Pair

_TESTS = ["t", "wilcoxon", "sign", "bootstrap", "randomization"]
RESAMPLING = ("bootstrap", "randomization")
_MAX_PAIRS = 45

seed_option = click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Seed of the random number generator.",
)
format_option = click.option(
    "--format",
    "format_",
    type=click.Choice(["table", "json", "csv"]),
    default="table",
    show_default=True,
    help="Format of the output.",
)
test_option = click.option(
    "--test",
    type=click.Choice(_TESTS),
    default="t",
    show_default=True,
    help="Test of paired differences.",
)
alpha_option = click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Level of significance: a difference with a lower corrected p is significant.",
)


@verb()
@scoring_options
@measures_option
@preset_option
@test_option
@click.option(
    "--baseline", metavar="RUN", help="Compare all other runs with this one (its name or file)."
)
@alpha_option
@click.option(
    "--resamples",
    type=click.IntRange(1),
    default=100_000,
    show_default=True,
    help="Number of resamples, for bootstrap and randomization.",
)
@seed_option
@format_option
def compare(runs: tuple[str, ...], assessments: tuple[str, ...], **options: Any) -> None:
    """Test which runs differ by a measure, pair by pair, on the topics they have in common.

    Several measures are tested one after another. For each measure, Holm's method corrects the
    probabilities for the number of pairs. Runs that share a letter are not significantly
    different. JSON and CSV list every pair.

    \b
    Examples:
      doxeval compare *.run -a qrels.txt -m MAiP
      doxeval compare *.run -a qrels.txt -m 'iP[.01]' --test randomization --seed 7
      doxeval compare *.run -a qrels.txt -m MAgP -m MAiP --baseline bm25.run --format csv
    """
    if len(runs) < 2:
        raise click.UsageError("compare needs two runs or more")
    for name in ("seed", "resamples"):
        if name in given_options() and options["test"] not in RESAMPLING:
            raise click.UsageError(
                f"--{name} is for tests by resampling: --test {' or '.join(RESAMPLING)}"
            )
    from doxeval.comparison import compare_all

    names, _ = measures_asked_for(options["names"], options["presets"])
    table = scores_of(evaluation_of(assessments, names, options), runs, options)
    comparisons = compare_all(
        table,
        test=options["test"],
        baseline=run_called(table, options["baseline"]),
        alpha=options["alpha"],
        resamples=options["resamples"],
        seed=options["seed"],
    )
    warn(dict.fromkeys(note for comparison in comparisons for note in comparison.notes))
    if options["format_"] == "table":
        block("\n".join(_as_text(comparison) for comparison in comparisons))
    elif options["format_"] == "json":
        json_data({"comparisons": [comparison.to_dict() for comparison in comparisons]}, indent=1)
    else:
        data(_as_csv(comparisons))


def probability(p: float | None) -> str:
    """Return a probability as it is printed in a table.

    >>> probability(0.01234), probability(0.000001), probability(None)
    ('0.0123', '<0.0001', '—')
    """
    if p is None:
        return "—"
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"


def _as_csv(comparisons: Sequence[Comparison]) -> str:
    from doxeval.scores import csv_text

    header = "measure first second topics difference effect low high p corrected better significant"
    return csv_text(
        header.split(),
        (
            [
                *(comparison.measure.label, pair.first, pair.second, pair.topics),
                *(pair.difference, pair.effect),
                *(pair.interval or (None, None)),
                *(pair.p, pair.corrected, pair.better, str(pair.significant).lower()),
            ]
            for comparison in comparisons
            for pair in comparison.pairs
        ),
    )


def _as_text(comparison: Comparison) -> str:
    """Return the heading, the runs with their letters, the pairs, and what follows from them."""
    from doxeval.cli.output import aligned
    from doxeval.comparison import conclusion
    from doxeval.scores import format_score

    letters = comparison.letters
    rows = [
        [run.run, str(run.topics), format_score(run.mean), letters.get(run.run, "")]
        for run in comparison.ranking
    ]
    header = ["run", "topics", comparison.measure.label, "letters" if letters else ""]
    return "\n".join(
        [
            f"{_heading(comparison)}\n",
            aligned(header, rows),
            _pairs_as_text(comparison),
            f"{conclusion(comparison)}\n",
        ]
    )


def _heading(comparison: Comparison) -> str:
    from doxeval.comparison import EXACT_UP_TO, TITLES
    from doxeval.messages import escape, plural

    test, pairs = comparison.test, comparison.pairs
    title, label = TITLES[test], escape(comparison.measure.label)
    how = ""
    if test == "randomization" and all(pair.topics <= EXACT_UP_TO for pair in pairs):
        how = ", exact"
    elif test in RESAMPLING:
        how = f", {comparison.resamples:,} resamples, seed {comparison.seed}"
    return (
        f"{title[0].upper()}{title[1:]} of {label}{how}; Holm's correction for "
        f"{plural(len(pairs), 'pair')}, alpha {comparison.alpha:g}"
    )


def _pairs_as_text(comparison: Comparison) -> str:
    """Return all pairs; of many, those of the best run, unless there is a baseline."""
    from doxeval.cli.output import aligned

    interval = f"{100 * (1 - comparison.alpha):g}% interval"
    header = ["pair", "topics", "difference", interval, "d_z", "p", "p (Holm)", ""]
    shown, more = comparison.pairs, ""
    if len(shown) > _MAX_PAIRS and comparison.baseline is None:
        best = comparison.ranking[0].run
        shown = tuple(pair for pair in shown if pair.first == best)
        count = len(comparison.pairs) - len(shown)
        more = f"… and {count:,} more pairs: --format csv has them all\n"
    return aligned(header, [_row(pair) for pair in shown]) + more


def _row(pair: Pair) -> list[str]:
    from doxeval.scores import format_score

    ends = pair.interval
    return [
        f"{pair.first} - {pair.second}",
        str(pair.topics),
        format_score(pair.difference, "+.4f"),
        "—" if ends is None else f"[{ends[0]:+.4f}, {ends[1]:+.4f}]",
        format_score(pair.effect, "+.2f"),
        probability(pair.p),
        probability(pair.corrected),
        "*" if pair.significant else "",
    ]
