"""A table of scores for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from doxeval.messages import escape
from doxeval.scores import ScoreTable, TextTable, format_score

_MAX_COLUMNS = 8


def as_text(table: ScoreTable, per_topic: bool) -> str:
    """Return the means, a line for each run (or each measure, if they are many), then the topics.

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
    means, labels = table.mean(), table.labels
    if len(labels) <= _MAX_COLUMNS:
        text = _aligned_scores("run", labels, means)
    else:
        by_measure = {label: {run: means[run][label] for run in means} for label in labels}
        text = _aligned_scores("measure", list(means), by_measure)
    if per_topic:
        for run, topics in table.topics().items():
            text += f"\n{escape(run)}\n{_aligned_scores('topic', labels, topics)}"
    return text


def _aligned_scores(
    corner: str, columns: Sequence[str], rows: Mapping[str, Mapping[str, float | None]]
) -> str:
    cells = [[name, *map(format_score, scores.values())] for name, scores in rows.items()]
    return aligned([corner, *columns], cells)


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return the lines of a table, with all cells in full and safe to print."""
    lines = TextTable(header, rows, longest=None).lines()
    return "".join(f"{line}\n" for line in lines)
