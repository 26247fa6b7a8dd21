"""`doxeval compare`: which runs differ by a measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from doxeval.cli.options import (
    check_wide,
    format_option,
    runs_argument,
    seed_option,
    wide_option,
)
from doxeval.cli.output import data, json_data, print_page, table_width, warn
from doxeval.cli.scoring import ComparisonOptions, describe_option, described, run_called
from doxeval.cli.verb import COMPARED, OUTPUT, in_group, refuse, verb
from doxeval.named import option

if TYPE_CHECKING:
    from doxeval.comparison import Comparison
    from doxeval.scores import TextTable

Test = Literal["t", "wilcoxon", "sign", "bootstrap", "randomization"]
RESAMPLING = ("bootstrap", "randomization")
_MAX_PAIRS = 5  # shown below the runs on a terminal


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

    test: Test = in_group(COMPARED, test_option())
    baseline: str | None = in_group(
        COMPARED,
        option(None, "Compare all other runs with this one (its name or file).", metavar="RUN"),
    )
    alpha: float = in_group(COMPARED, alpha_option())
    resamples: int = in_group(
        COMPARED,
        option(100_000, "Number of resamples, for bootstrap and randomization.", at_least=1),
    )
    seed: int = in_group(COMPARED, seed_option())
    pairs: bool = in_group(OUTPUT, option(False, "Also print the tests of all pairs of runs."))
    describe: tuple[str, ...] = in_group(OUTPUT, describe_option())
    wide: bool = in_group(OUTPUT, wide_option())
    format: Literal["table", "json", "csv", "latex"] = in_group(
        OUTPUT, format_option("Format of the output.")
    )


@verb(CompareOptions)
@runs_argument
def compare(runs: tuple[str, ...], options: CompareOptions) -> None:
    """Test which runs differ by a measure, pair by pair.

    Pairs are tested on the topics that they have in common. Several measures are tested one after
    another. For each measure, Holm's method corrects the probabilities for the number of pairs.
    With --baseline, the table has each run's difference to the baseline, best run first, and
    whether it is better, worse or not shown to differ. Without, runs that share a letter are not
    significantly different, and the pairs of the best run follow. JSON and CSV list every pair.
    LaTeX is a table for a paper, runs by measures: a mean has the letters of its run or, with
    --baseline, a + or - if it is significantly better or worse than the baseline's; notes name the
    test, its level and all parameters of the measures.

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
    check_wide(options.format)
    if options.format != "table":
        refuse({"pairs", "describe"}, f"is for tables; --format {options.format} has no use for it")
    from doxeval.comparison import compare_all

    table = described(options.table("compare", runs), options.describe).reference_first()
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
        pages = [_page(comparison, options.pairs) for comparison in comparisons]
        print_page(*pages[0], *(part for page in pages[1:] for part in ("", *page)))
    elif options.format == "json":
        json_data({"comparisons": [comparison.to_dict() for comparison in comparisons]}, indent=1)
    elif options.format == "latex":
        from doxeval.comparison import comparisons_as_latex

        data(comparisons_as_latex(comparisons))
    else:
        data(_as_csv(comparisons))


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


def _page(comparison: Comparison, all_pairs: bool) -> list[TextTable | str]:
    """Return the runs, and below them the pairs: all, or without a baseline those of the best."""
    from doxeval.comparison import conclusion
    from doxeval.messages import plural

    runs = comparison.as_table()._replace(longest=None)
    if comparison.baseline is not None and not all_pairs:
        return [runs, conclusion(comparison)]
    few = not all_pairs and table_width() is not None
    pairs = comparison.pairs_table(of_best=few)
    shown = pairs._replace(rows=pairs.rows[:_MAX_PAIRS] if few else pairs.rows)
    more = len(comparison.pairs) - len(shown.rows)
    left_out = [f"… and {plural(more, 'more pair')} with --pairs"] if more else []
    return [runs, "", shown, *left_out, "", conclusion(comparison)]
