"""`doxeval compare`: which runs differ by a measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from doxeval.cli.options import format_option, runs_argument, seed_option
from doxeval.cli.output import block, data, json_data, warn
from doxeval.cli.scoring import ComparisonOptions, run_called
from doxeval.cli.verb import refuse, verb
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.comparison import Comparison, Pair

Test = Literal["t", "wilcoxon", "sign", "bootstrap", "randomization"]
RESAMPLING = ("bootstrap", "randomization")
_MAX_PAIRS = 45


def test_option() -> Any:
    """Declare `--test`, of type `Test`."""
    return option("t", "Test of paired differences.")


def alpha_option() -> Any:
    """Declare `--alpha`."""
    return option(
        0.05,
        "Level of significance: a difference with a lower corrected p is significant.",
        more_than=0,
        less_than=1,
    )


@dataclass(frozen=True)
class CompareOptions(ComparisonOptions):
    """What is scored and compared, and how."""

    test: Test = test_option()
    baseline: str | None = option(
        None, "Compare all other runs with this one (its name or file).", metavar="RUN"
    )
    alpha: float = alpha_option()
    resamples: int = option(
        100_000, "Number of resamples, for bootstrap and randomization.", at_least=1
    )
    seed: int = seed_option()
    format: Literal["table", "json", "csv", "latex"] = format_option("Format of the output.")


@verb(CompareOptions)
@runs_argument
def compare(runs: tuple[str, ...], options: CompareOptions) -> None:
    """Test which runs differ by a measure, pair by pair, on the topics they have in common.

    Several measures are tested one after another. For each measure, Holm's method corrects the
    probabilities for the number of pairs. Runs that share a letter are not significantly
    different. JSON and CSV list every pair. LaTeX is a table for a paper, runs by measures: a mean
    has the letters of its run or, with --baseline, a + or - if it is significantly better or worse
    than the baseline's; notes name the test, its level and all parameters of the measures.

    Instead of runs, scores can be given that were computed elsewhere, or earlier by evaluate
    --per-topic --format csv: CSV with columns run, topic, measure and value, or run, topic and a
    column for each measure. They need neither -a nor -m.

    \b
    Examples:
      doxeval compare *.run -a qrels.txt -m MAiP
      doxeval compare *.run -a qrels.txt -m 'iP[.01]' --test randomization --seed 7
      doxeval compare *.run -a qrels.txt -m MAgP -m MAiP --baseline bm25.run --format csv
      doxeval compare *.run -a qrels.txt -m MAgP -m MAiP --baseline bm25.run --format latex
      doxeval compare scores.csv --baseline bm25
    """
    if options.test not in RESAMPLING:
        tests = " or ".join(RESAMPLING)
        refuse({"seed", "resamples"}, f"is for tests by resampling: --test {tests}")
    from doxeval.comparison import compare_all

    table = options.table("compare", runs)
    comparisons = compare_all(
        table,
        test=options.test,
        baseline=run_called(table, options.baseline),
        alpha=options.alpha,
        resamples=options.resamples,
        seed=options.seed,
    )
    warn(dict.fromkeys(note for comparison in comparisons for note in comparison.notes))
    if options.format == "table":
        block("\n".join(_as_text(comparison) for comparison in comparisons))
    elif options.format == "json":
        json_data({"comparisons": [comparison.to_dict() for comparison in comparisons]}, indent=1)
    elif options.format == "latex":
        from doxeval.comparison import comparisons_as_latex

        data(comparisons_as_latex(comparisons))
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
    from doxeval.comparison import describe_test
    from doxeval.messages import escape

    text = describe_test(comparison, f" of {escape(comparison.measure.label)}")
    return f"{text[0].upper()}{text[1:]}"


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
