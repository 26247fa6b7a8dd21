"""The tables of a report, and what else is to be said in short."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from doxeval.comparison import mean_interval
from doxeval.reports.contents import ALPHA, Contents
from doxeval.reports.figures.curves import shares_by_rank
from doxeval.scores import axis_ends

# The leaderboard


class Cell(NamedTuple):
    """A mean, its interval, the run's letters, and the number of topics.

    undefined: for how many of the counted topics the measure is undefined.
    """

    mean: float | None
    interval: tuple[float, float] | None
    letters: str
    topics: int
    undefined: int
    is_best: bool


def leaderboard(contents: Contents) -> dict[str, list[Cell]]:
    """Return the cells of each run, best run by the first measure first.

    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> runs = (RunScores("a", np.array([[0.5, 0.25, np.nan]]), np.ones(3, dtype=bool)),)
    >>> (cell,) = leaderboard(Contents(ScoreTable((facts,), ("7", "8", "9"), runs)))["a"]
    >>> cell.mean, cell.topics, cell.undefined
    (0.375, 2, 1)
    """
    letters = [comparison.letters for comparison in contents.comparisons]
    rows: dict[str, list[Cell]] = {run: [] for run in contents.ranking}
    for number, column in enumerate(contents.columns):
        means = column.means
        defined = [mean for mean in means.values() if mean is not None]
        pick = max if column.facts.higher_is_better else min
        best = pick(defined) if len(set(defined)) > 1 else None
        for run, row in rows.items():
            values, mean = column.values[run], means[run]
            counted_topics = int(contents.scores(run).counted.sum())
            topics = int((~np.isnan(values)).sum())
            row.append(
                Cell(
                    mean,
                    mean_interval(values, column.facts, ALPHA),
                    letters[number].get(run, "") if letters else "",
                    topics,
                    counted_topics - topics,
                    mean is not None and mean == best,
                )
            )
    return rows


def undefined_for_all(column: Sequence[Cell]) -> int:
    """Return how many topics are undefined, if that number is the same for every run; otherwise 0.

    >>> undefined_for_all([Cell(0.5, None, "", 3, 2, False)] * 2)
    2
    """
    numbers = {cell.undefined for cell in column}
    return numbers.pop() if len(numbers) == 1 else 0


# Differences, topics, undefined scores


# With more scores than these, the table of topics has only the runs that are chosen at first.
_MAX_CELLS = 30_000


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
    """Return all runs against the reference, best first."""
    tested, rows = contents.tested, []
    for place, run in enumerate(contents.ranking):
        if run == contents.reference:
            continue
        column = contents.columns[0]
        steps = column.values[run] - column.values[contents.reference]
        defined = [step for step in steps.tolist() if not math.isnan(step)]
        better, worse = contents.wins[run]
        mean = math.fsum(defined) / len(defined) if defined else None
        row = Against(place, run, mean, better, worse, len(defined) - better - worse)
        if tested:
            pair = tested[0].pair(run, contents.reference)
            row = row._replace(p=pair.p, corrected=pair.corrected, significant=pair.significant)
        rows.append(row)
    return rows


class TopicScore(NamedTuple):
    """A score as text, and its tint: from 0, the lowest, to 10, the highest of the measure."""

    text: str
    tint: int


class TopicTable(NamedTuple):
    """The runs, each with its place in the ranking, and a row of scores for each topic."""

    runs: list[tuple[int, str]]
    rows: list[list[TopicScore]]


def topic_table(contents: Contents) -> TopicTable:
    """Return the scores of topics by the first measure.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> runs = (RunScores("mine", np.array([[0.5, np.nan]]), np.ones(2, dtype=bool)),)
    >>> topic_table(Contents(ScoreTable((facts,), ("7", "8"), runs))).rows
    [[TopicScore(text='0.500', tint=5)], [TopicScore(text='–', tint=0)]]
    """
    fits = len(contents.names) * len(contents.table.topic_ids) <= _MAX_CELLS
    runs = contents.ranking if fits else contents.chosen
    column = contents.columns[0]
    values = np.stack([column.values[run] for run in runs], axis=1)
    low, high = axis_ends(column.facts, values[~np.isnan(values)].tolist())
    tints = np.nan_to_num((values - low) / (high - low) * 10).round().astype(np.int64)
    rows = [
        [
            TopicScore("–" if math.isnan(v) else f"{v:.3f}", tint)
            for v, tint in zip(*row, strict=True)
        ]
        for row in zip(values.tolist(), tints.tolist(), strict=True)
    ]
    return TopicTable([(contents.ranking.index(run), run) for run in runs], rows)


class UndefinedRow(NamedTuple):
    """Measures that are undefined for the same runs and topics."""

    measures: list[str]
    runs: tuple[str, ...]
    topics: tuple[str, ...]


def undefined_rows(contents: Contents) -> list[UndefinedRow]:
    """Return the undefined topics; measures and runs that have the same ones share a row."""
    shown = dict(zip(contents.table.labels, contents.labels, strict=True))
    by_measure: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for run, measures in contents.table.undefined().items():
        for label, topics in measures.items():
            by_measure.setdefault((label, tuple(topics)), []).append(run)
    together: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for (label, undefined), runs in by_measure.items():
        together.setdefault((tuple(runs), undefined), []).append(shown[label])
    return [UndefinedRow(labels, *both) for both, labels in together.items()]


# Further findings


class TopicMedian(NamedTuple):
    """A topic by its place in the table, and its median score over runs."""

    topic: int
    median: float


class MeasureAgreement(NamedTuple):
    """Of how many pairs of measures some rank the runs alike, and some noticeably differently."""

    pairs: int
    alike: int
    unlike: int


class Summary(NamedTuple):
    """What the report says besides its main finding.

    winners: for runs that are better than the best one by other measures, the names of those.
    hardest and easiest: None if there are fewer than two topics. shares: hits, near-misses, seen
    twice and misses of the best run. undefined: the runs that have undefined scores.
    """

    winners: dict[str, list[str]]
    agreement: MeasureAgreement | None
    hardest: TopicMedian | None
    easiest: TopicMedian | None
    shares: tuple[float, ...] | None
    undefined: list[str]


def summary(contents: Contents) -> Summary:
    """Return further findings.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> runs = (RunScores("mine", np.array([[0.5, 0.25]]), np.ones(2, dtype=bool)),)
    >>> summary(Contents(ScoreTable((facts,), ("7", "8"), runs))).hardest
    TopicMedian(topic=1, median=0.25)
    """
    best = contents.ranking[0]
    hard = contents.difficulty
    places = [contents.table.topic_ids.index(topic) for topic in hard.topics]
    hardest = easiest = None
    if len(places) > 1:
        hardest, easiest = (TopicMedian(places[at], float(hard.spread[at, 2])) for at in (0, -1))
    shares = shares_by_rank(contents, best)
    return Summary(
        _winners(contents, best),
        _agreement(contents),
        hardest,
        easiest,
        None if shares is None else tuple(float(part) for part in shares[1][:, -1]),
        list(contents.table.undefined()),
    )


def _winners(contents: Contents, best: str) -> dict[str, list[str]]:
    """Return runs that are better than the best one by other measures, with these measures."""
    winners: dict[str, list[str]] = {}
    for label, column in zip(contents.labels[1:], contents.columns[1:], strict=True):
        winner = column.ranking()[0]
        if column.means[winner] != column.means[best]:
            winners.setdefault(winner, []).append(label)
    return winners


def _agreement(contents: Contents) -> MeasureAgreement | None:
    if contents.correlations is None:
        return None
    pairs = [pair.agreement for pair in contents.correlations.pairs if pair.agreement is not None]
    if not pairs:
        return None
    return MeasureAgreement(
        len(pairs), pairs.count("equivalent"), pairs.count("noticeably different")
    )
