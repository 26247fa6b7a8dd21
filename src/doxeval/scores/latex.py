"""Tables of scores in LaTeX, for papers.

A table of means has a row for each run and a column for each measure, with the rules of `booktabs`;
the best mean of each measure is bold. Columns have short labels: the parameters of a measure, and
what it measures, are in the notes below the table (`threeparttable`). The first line names the
packages that the preamble must load; `\\input{table.tex}` then puts the table into a paper, alone
or in a `table` environment with a caption.

Every name is printed as it is, whatever characters it contains.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from doxeval.messages import escape, plural, utf8
from doxeval.scores.table import MeasureFacts, ScoreTable
from doxeval.scores.views import PARAMETERS

_UNDEFINED = "--"


def as_latex(table: ScoreTable, per_topic: bool = False) -> bytes:
    """Return a table of means in LaTeX, with the best mean of each measure in bold.

    With `per_topic`, a table for each run follows: topics by measures, and the mean.

    >>> print(as_latex(ScoreTable((), (), ())).decode(), end="")
    % \\usepackage{booktabs}
    \\begin{tabular}{l}
    \\toprule
    run \\\\
    \\midrule
    \\bottomrule
    \\end{tabular}
    """
    means = {run: table.means_of(index) for index, run in enumerate(table)}
    counted = [int(scores.counted.sum()) for scores in table.runs]
    tables = [means_as_latex(table.measures, means, notes=topics_note(counted))]
    if per_topic:
        labels = short_labels(table.measures)
        tables += [_topics_of_run(table, index, labels) for index in range(len(table.runs))]
    return utf8("\n".join(tables))


def means_as_latex(
    measures: Sequence[MeasureFacts],
    means: Mapping[str, Sequence[float | None]],
    *,
    marks: Mapping[str, Sequence[str]] | None = None,
    baseline: str | None = None,
    notes: Sequence[str] = (),
) -> str:
    """Return the means of runs by measures, with the best of each measure in bold.

    marks: what stands behind each mean, raised, in LaTeX. baseline: the run that comes first, set
    apart from the others. notes: lines below the table, in LaTeX, after those about measures.

    >>> facts = MeasureFacts("P@5(alpha=1)", "P@5(alpha=1,size=full)", "precision")
    >>> marks = {"base": [""], "mine": ["+"]}
    >>> means = {"base": [0.25], "mine": [0.5]}
    >>> print(means_as_latex([facts], means, marks=marks, baseline="base"), end="")
    % \\usepackage{booktabs,threeparttable}
    \\begin{threeparttable}
    \\begin{tabular}{lr@{}l}
    \\toprule
    run & \\multicolumn{2}{c}{P@5} \\\\
    \\midrule
    base & 0.2500 & \\\\
    \\midrule
    mine & \\textbf{0.5000} & \\textsuperscript{+} \\\\
    \\bottomrule
    \\end{tabular}
    \\begin{tablenotes}[flushleft]\\footnotesize
    \\item P@5: P@5(alpha=1,\\allowbreak{}size=full), precision.
    \\end{tablenotes}
    \\end{threeparttable}
    """
    labels = short_labels(measures)
    best = []
    for column, facts in enumerate(measures):
        defined = [mean for values in means.values() if (mean := values[column]) is not None]
        best.append((max if facts.higher_is_better else min)(defined, default=None))
    rows = {}
    for run, values in means.items():
        cells = [_bold(mean, mean == best[at]) for at, mean in enumerate(values)]
        if marks is not None:
            raised = (rf" \textsuperscript{{{mark}}}" if mark else "" for mark in marks[run])
            cells = [f"{cell} &{mark}" for cell, mark in zip(cells, raised, strict=True)]
        rows[run] = [latex_escaped(run), *cells]
    parts = [list(rows.values())]
    if baseline is not None:
        parts = [[rows.pop(baseline)], list(rows.values())]
    header = ["run", *map(latex_escaped, labels)]
    if marks is not None:
        header[1:] = [rf"\multicolumn{{2}}{{c}}{{{label}}}" for label in header[1:]]
    columns = ("r" if marks is None else "r@{}l") * len(labels)
    return _with_notes(_tabular(f"l{columns}", [[header], *parts]), [*_full(measures), *notes])


def topics_note(counts: Sequence[int]) -> list[str]:
    """Return the note that says over how many topics the means of runs are.

    >>> topics_note([50, 50]), topics_note([48, 50])
    (['Means over 50 topics.'], ['Means over 48 to 50 topics.'])
    """
    if not any(counts):
        return []
    fewest = "" if min(counts) == max(counts) else f"{min(counts):,} to "
    return [f"Means over {fewest}{plural(max(counts), 'topic')}."]


def short_labels(measures: Sequence[MeasureFacts]) -> list[str]:
    """Return a short label for each measure: without parameters, numbered where that is not clear.

    >>> names = ["MAiP", "nxCG@10(quant=gen)", "nxCG@10(quant=strict)"]
    >>> short_labels([MeasureFacts(name, name, "") for name in names])
    ['MAiP', 'nxCG@10 (1)', 'nxCG@10 (2)']
    """
    short = [PARAMETERS.sub("", facts.label) or facts.label for facts in measures]
    counts, numbers = Counter(short), Counter[str]()
    labels = []
    for label in short:
        numbers[label] += 1
        labels.append(label if counts[label] == 1 else f"{label} ({numbers[label]})")
    return labels


def _full(measures: Sequence[MeasureFacts]) -> list[str]:
    """Return a note for each measure that has more to say than its short label."""
    notes = []
    for label, facts in zip(short_labels(measures), measures, strict=True):
        name = facts.canonical or facts.label
        parts = [] if name == label else [latex_escaped(name).replace(",", r",\allowbreak{}")]
        parts += [latex_escaped(facts.title)] if facts.title else []
        if parts:
            notes.append(f"{latex_escaped(label)}: {', '.join(parts)}.")
    return notes


def _topics_of_run(table: ScoreTable, index: int, labels: Sequence[str]) -> str:
    """Return the scores of one run for each topic, and its means."""
    title = rf"\multicolumn{{{len(labels) + 1}}}{{l}}{{{latex_escaped(table.runs[index].run)}}}"
    rows = [[latex_escaped(topic), *map(_bold, values)] for topic, values in table.topics_of(index)]
    mean = ["mean", *map(_bold, table.means_of(index))]
    header = ["topic", *map(latex_escaped, labels)]
    return _tabular("l" + "r" * len(labels), [[[title]], [header], rows, [mean]])


def _tabular(columns: str, parts: Sequence[Sequence[Sequence[str]]]) -> str:
    """Return parts of a table, each a list of rows, with rules between them."""
    lines = ["\n".join(f"{' & '.join(row)} \\\\" for row in part) for part in parts]
    between = "\n\\midrule\n".join(lines).rstrip("\n")
    return (
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{between}\n\\bottomrule\n\\end{{tabular}}\n"
    )


def _with_notes(tabular: str, notes: Sequence[str]) -> str:
    if not notes:
        return f"% \\usepackage{{booktabs}}\n{tabular}"
    items = "".join(f"\\item {note}\n" for note in notes)
    return (
        "% \\usepackage{booktabs,threeparttable}\n"
        f"\\begin{{threeparttable}}\n{tabular}"
        f"\\begin{{tablenotes}}[flushleft]\\footnotesize\n{items}\\end{{tablenotes}}\n"
        "\\end{threeparttable}\n"
    )


def _bold(value: float | None, is_best: bool = False) -> str:
    if value is None:
        return _UNDEFINED
    return f"\\textbf{{{value:.4f}}}" if is_best else f"{value:.4f}"


# Names

_IN_LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
)
# Between these, LaTeX would join two characters to another one, such as -- to a dash.
_LIGATURE = re.compile("(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)|(?<=[`?!])(?=`)")


def latex_escaped(text: str) -> str:
    """Return LaTeX that prints a name as it is, whatever characters it contains.

    >>> print(latex_escaped("50%_of--all"))
    50\\%\\_of-{}-all
    """
    printed = _LIGATURE.sub("{}", escape(text).translate(_IN_LATEX))
    # At the beginning of a row, these would belong to the end of the row before.
    return f"{{{printed[0]}}}{printed[1:]}" if printed.startswith(("[", "*")) else printed
