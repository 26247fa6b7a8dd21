"""The tables of a report that are neither leaderboard nor figures."""

from __future__ import annotations

import math
from typing import NamedTuple

from doxeval.reports.contents import Contents
from doxeval.reports.topic_figures import wins

# With more scores than these, the table of topics has only the runs that are chosen at first.
_MOST_CELLS = 30_000


class Against(NamedTuple):
    """A run against the reference by the first measure; its place is that in the ranking.

    difference, p and corrected are None if they are not known.
    """

    place: int
    run: str
    difference: float | None
    better: int
    worse: int
    equal: int
    p: float | None = None
    corrected: float | None = None
    significant: bool = False


def against_baseline(contents: Contents) -> list[Against]:
    """All runs against the reference, best first."""
    tested, found = contents.against_baseline, []
    for place, run in enumerate(contents.ranking):
        if run == contents.reference:
            continue
        column = contents.columns[0]
        steps = column.values[run] - column.values[contents.reference]
        defined = [step for step in steps.tolist() if not math.isnan(step)]
        _, better, worse = wins(contents, run)
        mean = math.fsum(defined) / len(defined) if defined else None
        row = Against(place, run, mean, better, worse, len(defined) - better - worse)
        if tested is not None:
            pair = tested.pair(run, contents.reference)
            row = row._replace(p=pair.p, corrected=pair.corrected, significant=pair.significant)
        found.append(row)
    return found


class TopicTable(NamedTuple):
    """The runs, each with its place in the ranking, and a row of scores as text for each topic."""

    runs: list[tuple[int, str]]
    rows: list[list[str]]


def topic_table(contents: Contents) -> TopicTable:
    """The scores of topics by the first measure.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> runs = (RunScores("mine", np.array([[0.5, np.nan]]), np.ones(2, dtype=bool)),)
    >>> topic_table(Contents(ScoreTable((facts,), ("7", "8"), runs)))
    TopicTable(runs=[(0, 'mine')], rows=[['0.5000'], ['–']])
    """
    fits = len(contents.names) * len(contents.table.topic_ids) <= _MOST_CELLS
    wanted = contents.ranking if fits else contents.chosen
    values = [contents.columns[0].values[run].tolist() for run in wanted]
    rows = [
        ["–" if math.isnan(v) else f"{v:.4f}" for v in row] for row in zip(*values, strict=True)
    ]
    return TopicTable([(contents.ranking.index(run), run) for run in wanted], rows)


class UndefinedRow(NamedTuple):
    """Measures that are undefined for the same runs and topics."""

    measures: list[str]
    runs: tuple[str, ...]
    topics: tuple[str, ...]


def undefined_rows(contents: Contents) -> list[UndefinedRow]:
    """The undefined topics; measures and runs that have the same ones share a row."""
    shown = dict(zip(contents.table.labels, contents.labels, strict=True))
    by_measure: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for run, measures in contents.table.undefined().items():
        for label, topics in measures.items():
            by_measure.setdefault((label, tuple(topics)), []).append(run)
    together: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for (label, undefined), runs in by_measure.items():
        together.setdefault((tuple(runs), undefined), []).append(shown[label])
    return [UndefinedRow(labels, *both) for both, labels in together.items()]
