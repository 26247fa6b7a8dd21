"""`doxeval compare`: which runs differ by a measure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.scoring import (
    evaluation_of,
    measures_asked_for,
    measures_option,
    preset_option,
    run_called,
    scores_of,
    scoring_options,
)
from doxeval.cli.terminal import block, data, json_data, warn
from doxeval.cli.verb import given_options, verb

if TYPE_CHECKING:
    from doxeval.comparison import Comparison, Pair

_TESTS = ["t", "wilcoxon", "sign", "bootstrap", "randomization"]
RESAMPLING = ("bootstrap", "randomization")
_MOST_PAIRS = 45

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
    found = compare_all(
        table,
        test=options["test"],
        baseline=run_called(table, options["baseline"]),
        alpha=options["alpha"],
        resamples=options["resamples"],
        seed=options["seed"],
    )
    warn(dict.fromkeys(note for one in found for note in one.notes))
    if options["format_"] == "table":
        block("\n".join(_as_text(one) for one in found))
    elif options["format_"] == "json":
        json_data({"comparisons": [one.to_dict() for one in found]}, indent=1)
    else:
        data(_as_csv(found))


def as_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Lines of CSV; an undefined value is an empty field.

    >>> as_csv(["run", "p"], [["a", 0.5], ["b", None]])
    'run,p\\na,0.5\\nb,\\n'
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return out.getvalue()


def probability(p: float | None) -> str:
    """A probability as it is printed in a table.

    >>> probability(0.01234), probability(0.000001), probability(None)
    ('0.0123', '<0.0001', '—')
    """
    if p is None:
        return "—"
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"


def number(value: float | None, style: str = ".4f") -> str:
    """A number as it is printed in a table.

    >>> number(0.5), number(-0.25, "+.2f"), number(None)
    ('0.5000', '-0.25', '—')
    """
    return "—" if value is None else format(value, style)


def _as_csv(found: Sequence[Comparison]) -> str:
    header = "measure first second topics difference effect low high p corrected better significant"
    return as_csv(
        header.split(),
        (
            [
                *(one.measure.label, pair.first, pair.second, pair.topics),
                *(pair.difference, pair.effect),
                *(pair.interval or (None, None)),
                *(pair.p, pair.corrected, pair.better, str(pair.significant).lower()),
            ]
            for one in found
            for pair in one.pairs
        ),
    )


def _as_text(found: Comparison) -> str:
    from doxeval.cli.score_table import aligned
    from doxeval.comparison import conclusion

    letters = found.letters
    rows = [
        [run.run, str(run.topics), number(run.mean), letters.get(run.run, "")]
        for run in found.ranking
    ]
    header = ["run", "topics", found.measure.label, "letters" if letters else ""]
    return "\n".join(
        [f"{_heading(found)}\n", aligned(header, rows), _pairs(found), f"{conclusion(found)}\n"]
    )


def _heading(found: Comparison) -> str:
    from doxeval.comparison import EXACT_UP_TO, TITLES
    from doxeval.messages import escape, plural

    title, label = TITLES[found.test], escape(found.measure.label)
    how = ""
    if found.test in ("bootstrap", "randomization"):
        how = f", {found.resamples:,} resamples, seed {found.seed}"
    if found.test == "randomization" and all(p.topics <= EXACT_UP_TO for p in found.pairs):
        how = ", exact"
    return (
        f"{title[0].upper()}{title[1:]} of {label}{how}; Holm's correction for "
        f"{plural(len(found.pairs), 'pair')}, alpha {found.alpha:g}"
    )


def _pairs(found: Comparison) -> str:
    from doxeval.cli.score_table import aligned

    interval = f"{100 * (1 - found.alpha):g}% interval"
    header = ["pair", "topics", "difference", interval, "d_z", "p", "p (Holm)", ""]
    shown = found.pairs
    rest = ""
    if len(shown) > _MOST_PAIRS and found.baseline is None:
        best = found.ranking[0].run
        shown = tuple(pair for pair in shown if pair.first == best)
        rest = f"… and {len(found.pairs) - len(shown):,} more pairs: --format csv has them all\n"
    return aligned(header, [_row(pair) for pair in shown]) + rest


def _row(pair: Pair) -> list[str]:
    ends = pair.interval
    return [
        f"{pair.first} - {pair.second}",
        str(pair.topics),
        number(pair.difference, "+.4f"),
        "—" if ends is None else f"[{ends[0]:+.4f}, {ends[1]:+.4f}]",
        number(pair.effect, "+.2f"),
        probability(pair.p),
        probability(pair.corrected),
        "*" if pair.significant else "",
    ]
