"""A table of scores for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from doxeval.messages import escape
from doxeval.scores import ScoreTable, TextTable, format_score

_MOST_COLUMNS = 8


def as_text(table: ScoreTable, per_topic: bool) -> str:
    """The means, a line for each run (or each measure, if measures are many), then the topics.

    >>> from doxeval.scores import MeasureFacts, RunScores
    >>> import numpy as np
    >>> facts = MeasureFacts("MAiP", "MAiP(alpha=0)", "average interpolated precision")
    >>> scores = RunScores("mine", np.array([[0.5, np.nan]]), np.array([True, True]))
    >>> print(as_text(ScoreTable((facts,), ("7", "8"), (scores,)), True), end="")
    run     MAiP
    mine  0.5000
    <BLANKLINE>
    mine
    topic    MAiP
    7      0.5000
    8           —
    """
    means = table.mean()
    labels = list(table.labels)
    if len(labels) <= _MOST_COLUMNS:
        rows = [
            [run, *(format_score(values[label]) for label in labels)]
            for run, values in means.items()
        ]
        parts = [aligned(["run", *labels], rows)]
    else:
        rows = [[label, *(format_score(means[run][label]) for run in means)] for label in labels]
        parts = [aligned(["measure", *means], rows)]
    if per_topic:
        for run, topics in table.topics().items():
            rows = [
                [topic, *(format_score(values[label]) for label in labels)]
                for topic, values in topics.items()
            ]
            parts.append(f"\n{escape(run)}\n" + aligned(["topic", *labels], rows))
    return "".join(parts)


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The lines of a table, with all cells in full and safe to print."""
    lines = TextTable(header, rows, longest=None).lines()
    return "".join(f"{line}\n" for line in lines)
