"""Comparisons in LaTeX: a table of means with marks of significance, for papers."""

from __future__ import annotations

from collections.abc import Sequence

from doxeval.comparison.notes import describe_test
from doxeval.comparison.pairwise import Comparison
from doxeval.errors import InputError
from doxeval.scores import latex_escaped, means_as_latex, topics_note

_BETTER, _WORSE = "+", "$-$"


def comparisons_as_latex(comparisons: Sequence[Comparison]) -> str:
    """Return the means of all runs by all measures that were compared, as one table.

    With a baseline, it comes first, and a mean has a + or a - behind it if it is significantly
    better or worse. Without one, means have letters, and two runs that share a letter are not
    significantly different by that measure. Notes below the table name the test and its level.
    Runs come in the order of the first measure, best first; the best mean of each is bold.

    >>> from doxeval.comparison import Pair, RunMean
    >>> from doxeval.scores import MeasureFacts
    >>> facts = MeasureFacts("AP", "AP", "")
    >>> runs, pair = (RunMean("a", 0.5, 9), RunMean("b", 0.4, 9)), Pair("a", "b", 9)
    >>> comparison = Comparison(facts, "t", 0.05, runs, (pair,), (("a", "b"),))
    >>> print(comparisons_as_latex([comparison]), end="")
    % \\usepackage{booktabs,threeparttable}
    \\begin{threeparttable}
    \\begin{tabular}{lr@{}l}
    \\toprule
    run & \\multicolumn{2}{c}{AP} \\\\
    \\midrule
    a & \\textbf{0.5000} & \\textsuperscript{a} \\\\
    b & 0.4000 & \\textsuperscript{a} \\\\
    \\bottomrule
    \\end{tabular}
    \\begin{tablenotes}[flushleft]\\footnotesize
    \\item Means over 9 topics.
    \\item Runs that share a letter are not significantly different by that measure (paired t \
test; Holm's correction for 1 pair, alpha 0.05).
    \\end{tablenotes}
    \\end{threeparttable}
    """
    if not comparisons:
        raise InputError("a table of comparisons needs one comparison or more, not 0")
    runs, baseline = [run.run for run in comparisons[0].ranking], comparisons[0].baseline
    for other in comparisons:
        if {run.run for run in other.ranking} != set(runs) or other.baseline != baseline:
            raise InputError("a table of comparisons needs the same runs and baseline in all")
    means: dict[str, list[float | None]] = {run: [] for run in runs}
    marks: dict[str, list[str]] = {run: [] for run in runs}
    for comparison in comparisons:
        mean_of = {run.run: run.mean for run in comparison.ranking}
        mark_of = _marks(comparison)
        for run in runs:
            means[run].append(mean_of[run])
            marks[run].append(mark_of.get(run, ""))
    topics = [run.topics for comparison in comparisons for run in comparison.ranking]
    tests = dict.fromkeys(describe_test(comparison) for comparison in comparisons)
    verdict = (
        "Runs that share a letter are not significantly different by that measure"
        if baseline is None
        else f"{_BETTER} / {_WORSE}: significantly better / worse than {latex_escaped(baseline)}"
    )
    return means_as_latex(
        [comparison.measure for comparison in comparisons],
        means,
        marks=marks,
        baseline=baseline,
        notes=[*topics_note(topics), f"{verdict} ({'; or '.join(map(latex_escaped, tests))})."],
    )


def _marks(comparison: Comparison) -> dict[str, str]:
    """Return what stands behind the mean of each run, in LaTeX."""
    if comparison.baseline is None:
        return comparison.letters
    return {
        pair.first: _BETTER if pair.better == pair.first else _WORSE
        for pair in comparison.pairs
        if pair.significant
    }
