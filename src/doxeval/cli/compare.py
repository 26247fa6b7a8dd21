"""`doxeval compare`: which runs differ on a measure."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.scoring import Scoring, scoring_options, tell_warnings

if TYPE_CHECKING:
    from doxeval.compare import Comparison, Pair
    from doxeval.scores import ScoreTable

_TESTS = ["t", "wilcoxon", "sign", "bootstrap", "randomization"]
_MOST_PAIRS = 45

seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Of random numbers."
)
format_option = click.option(
    "--format",
    "format_",
    type=click.Choice(["table", "json", "csv"]),
    default="table",
    show_default=True,
)


@click.command()
@scoring_options
@click.option("-m", "--measure", "name", required=True, metavar="MEASURE", help="What to compare.")
@click.option("--test", type=click.Choice(_TESTS), default="t", show_default=True)
@click.option(
    "--baseline", metavar="RUN", help="Compare all others with this run: its id or its file."
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="What is significant: a corrected p below this.",
)
@click.option(
    "--resamples",
    type=click.IntRange(1),
    default=100_000,
    show_default=True,
    help="For bootstrap and randomization.",
)
@seed_option
@format_option
def compare(runs: tuple[str, ...], assessments: tuple[str, ...], **options: Any) -> None:
    """Test which runs differ on a measure, pair by pair, on the topics they have in common.

    Probabilities are corrected by Holm's method for the number of pairs. Runs that share a letter
    are not significantly different. JSON and CSV have every pair.

    \b
    Examples:
      doxeval compare *.run -a qrels.txt -m MAiP
      doxeval compare *.run -a qrels.txt -m 'iP[.01]' --test randomization --seed 7
      doxeval compare *.run -a qrels.txt -m MAgP --baseline bm25.run --format csv
    """
    if len(runs) < 2:
        raise click.UsageError("compare needs two runs or more")
    from doxeval.compare import compare as compare_runs

    table = scores(runs, assessments, [options["name"]], options)
    found = compare_runs(
        table,
        options["name"],
        options["test"],
        baseline=_run_named(table, options["baseline"]),
        alpha=options["alpha"],
        resamples=options["resamples"],
        seed=options["seed"],
    )
    tell(found.notes)
    if options["format_"] == "table":
        click.echo(_as_text(found), nl=False)
    elif options["format_"] == "json":
        click.echo(as_json(found.to_dict()))
    else:
        click.echo(_as_csv(found), nl=False)


def scores(
    runs: tuple[str, ...], assessments: tuple[str, ...], names: list[str], options: dict[str, Any]
) -> ScoreTable:
    """The scores of runs, with warnings on stderr."""
    table = Scoring.of(runs, assessments, options).scores(names)
    tell_warnings(table)
    return table


def tell(notes: Iterable[str]) -> None:
    """What to be careful about, on stderr."""
    from doxeval.cli.terminal import warn

    warn(notes)


def as_json(plain: dict[str, Any]) -> str:
    """As other verbs print JSON."""
    return json.dumps(plain, ensure_ascii=False, indent=1)


def as_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Lines of CSV; what is undefined is empty.

    >>> as_csv(["run", "p"], [["a", 0.5], ["b", None]])
    'run,p\\na,0.5\\nb,\\n'
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return out.getvalue()


def probability(p: float | None) -> str:
    """A probability for people.

    >>> probability(0.01234), probability(0.000001), probability(None)
    ('0.0123', '<0.0001', '—')
    """
    if p is None:
        return "—"
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"


def number(value: float | None, style: str = ".4f") -> str:
    """A number for people.

    >>> number(0.5), number(-0.25, "+.2f"), number(None)
    ('0.5000', '-0.25', '—')
    """
    return "—" if value is None else format(value, style)


def _run_named(table: ScoreTable, name: str | None) -> str | None:
    """A run by its id, or else by its file; a name of neither is told apart later."""
    if name is None or any(one.run == name for one in table.runs):
        return name
    files = {os.path.realpath(one.file): one.run for one in table.runs if one.file is not None}
    return files.get(os.path.realpath(name), name)


def _as_csv(found: Comparison) -> str:
    header = "first second topics difference effect low high p corrected better significant"
    return as_csv(
        header.split(),
        (
            [
                *(pair.first, pair.second, pair.topics, pair.difference, pair.effect),
                *(pair.interval or (None, None)),
                *(pair.p, pair.corrected, pair.better, str(pair.significant).lower()),
            ]
            for pair in found.pairs
        ),
    )


def _as_text(found: Comparison) -> str:
    from doxeval.cli.score_table import aligned
    from doxeval.compare.conclusions import conclusion

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
    from doxeval.cli.terminal import counted
    from doxeval.compare.resampling import EXACT_UP_TO
    from doxeval.compare.significance import TITLES

    title = TITLES[found.test]
    how = ""
    if found.test in ("bootstrap", "randomization"):
        how = f", {found.resamples:,} resamples, seed {found.seed}"
    if found.test == "randomization" and all(p.topics <= EXACT_UP_TO for p in found.pairs):
        how = ", exact"
    return (
        f"{title[0].upper()}{title[1:]} of {found.measure.label}{how}; Holm's correction for "
        f"{counted(len(found.pairs), 'pair')}, alpha {found.alpha:g}"
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
