"""A table of scores for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from doxeval.cli.terminal import safe
from doxeval.scores import ScoreTable

_MOST_COLUMNS = 8


def as_text(table: ScoreTable, per_topic: bool) -> str:
    """Means, one line for each run (or for each measure, if there are many), then topics.

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
            [run, *(_number(values[label]) for label in labels)] for run, values in means.items()
        ]
        parts = [aligned(["run", *labels], rows)]
    else:
        rows = [[label, *(_number(means[run][label]) for run in means)] for label in labels]
        parts = [aligned(["measure", *means], rows)]
    if per_topic:
        for run, topics in table.topics().items():
            rows = [
                [topic, *(_number(values[label]) for label in labels)]
                for topic, values in topics.items()
            ]
            parts.append(f"\n{safe(run)}\n" + aligned(["topic", *labels], rows))
    return "".join(parts)


def _number(value: float | None) -> str:
    return "—" if value is None else f"{value:.4f}"


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns under their headers, the first to the left, numbers to the right."""
    cells = [[safe(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]
    return "".join(f"{line}\n" for line in lines)
