"""The main findings of a report; its template puts them into words."""

from __future__ import annotations

from typing import NamedTuple

from doxeval.comparison import conclusion
from doxeval.reports.contents import Contents
from doxeval.reports.curves import shares_by_rank
from doxeval.reports.topic_figures import difficulty


class TopicMedian(NamedTuple):
    """A topic by its place in the table, and its median score over runs."""

    topic: int
    median: float


class Agreement(NamedTuple):
    """Of how many pairs of measures some rank the runs alike, and some noticeably differently."""

    pairs: int
    alike: int
    unlike: int


class Summary(NamedTuple):
    """What the report says in short.

    best: the first run by the first measure; mean: its mean. conclusion: of the test. winners:
    for other runs that are better by other measures, the names of those. hardest and easiest: None
    if there are fewer than two topics. shares: hits, near-misses, seen twice and misses of the
    best run. undefined: the runs that have undefined scores.
    """

    best: str
    mean: float | None
    conclusion: str
    winners: dict[str, list[str]]
    agreement: Agreement | None
    hardest: TopicMedian | None
    easiest: TopicMedian | None
    shares: tuple[float, ...] | None
    undefined: list[str]


def summary(contents: Contents) -> Summary:
    """The main findings.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = MeasureFacts("P", "P", "precision")
    >>> runs = (RunScores("mine", np.array([[0.5, 0.25]]), np.ones(2, dtype=bool)),)
    >>> found = summary(Contents(ScoreTable((facts,), ("7", "8"), runs)))
    >>> found.best, found.mean, found.hardest
    ('mine', 0.375, TopicMedian(topic=1, median=0.25))
    """
    best = contents.ranking[0]
    tested = contents.against_baseline
    hard = difficulty(contents)
    places = [contents.table.topic_ids.index(topic) for topic in hard.topics]
    hardest = easiest = None
    if len(places) > 1:
        hardest, easiest = (TopicMedian(places[at], float(hard.spread[at, 2])) for at in (0, -1))
    shares = shares_by_rank(contents, best)
    return Summary(
        best,
        contents.columns[0].means[best],
        "" if tested is None else conclusion(tested),
        _winners(contents, best),
        _agreement(contents),
        hardest,
        easiest,
        None if shares is None else tuple(float(part) for part in shares[1][:, -1]),
        list(contents.table.undefined()),
    )


def _winners(contents: Contents, best: str) -> dict[str, list[str]]:
    """Runs that are better than the best one by other measures, with these measures."""
    found: dict[str, list[str]] = {}
    for label, column in zip(contents.labels[1:], contents.columns[1:], strict=True):
        winner = column.ranking()[0]
        if column.means[winner] != column.means[best]:
            found.setdefault(winner, []).append(label)
    return found


def _agreement(contents: Contents) -> Agreement | None:
    if contents.correlations is None:
        return None
    pairs = [pair.agreement for pair in contents.correlations.pairs if pair.agreement is not None]
    if not pairs:
        return None
    return Agreement(len(pairs), pairs.count("equivalent"), pairs.count("noticeably different"))
