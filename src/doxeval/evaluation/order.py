"""The order of a run's results: as listed, or by rank or score; and which results are tied."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.errors import InputError
from doxeval.evaluation.options import RunOptions
from doxeval.measures import Ranking
from doxeval.messages import plural
from doxeval.runs import Order, Run


def orderable(run: Run, options: RunOptions) -> tuple[RunOptions, tuple[str, ...]]:
    """The options with an order that the run can be put in, and a warning if it is another one."""
    has_column = {"list": True, "rank": run.rank is not None, "rsv": run.score is not None}
    if has_column[options.order] or not options.list_if_unordered or not len(run):
        return options, ()
    return replace(options, order="list"), (f"there is no {options.order}: ranked as listed",)


def ordered(run: Run, order: Order) -> Run:
    """The run in the order asked for; a run without ranks or scores to sort by is an error."""
    try:
        return run.ordered(order)
    except ValueError as error:
        raise InputError(str(error), run.origin) from None


def tie_levels(run: Run, topic: Ints, order: Order) -> Ints:
    """A number for each result, the same for results of a topic that are tied.

    Results are tied if they are sorted by a rank or score that they share; in a list, none are.
    """
    column = {"list": None, "rank": run.rank, "rsv": run.score}[order]
    if column is None or not len(run):
        return np.arange(len(run))
    return np.cumsum(np.append(True, (np.diff(column) != 0) | (np.diff(topic) != 0))) - 1


class Against(NamedTuple):
    """Ranks or scores that contradict the list: what they do, how often, and where first."""

    what: str
    times: int
    line: int

    def told(self) -> str:
        """A warning; the list is the ranking."""
        return (
            f"{self.what} down the list {_times(self.times)}, first on line {self.line}; the list "
            "is the ranking, unless another order is asked for"
        )


def contradictions(run: Run, order: Order) -> tuple[Against, ...]:
    """How ranks and scores contradict the list, if that is the ranking."""
    if order != "list" or len(run) < 2:
        return ()
    same_topic = run.topic[1:] == run.topic[:-1]
    checks: list[tuple[str, Bools]] = []
    if run.rank is not None:
        checks.append(("ranks do not rise", run.rank[1:] <= run.rank[:-1]))
    if run.score is not None:
        checks.append(("scores rise", run.score[1:] > run.score[:-1]))
    wrong = [(what, np.flatnonzero(is_wrong & same_topic)) for what, is_wrong in checks]
    return tuple(
        Against(what, len(rows), int(run.line[rows[0] + 1])) for what, rows in wrong if len(rows)
    )


class Ties(NamedTuple):
    """How many documents share their score with another one of their topic, in how many topics."""

    documents: int = 0
    topics: int = 0

    def about(self, order: Order) -> tuple[str, ...]:
        """A warning, if there are any, that says how they are ranked.

        >>> Ties(3, 1).about("list")
        ('3 documents in 1 topic share their score with another one: they are ranked as listed, \
trec_eval would rank them by document id',)
        """
        if not self.documents:
            return ()
        where = f"{plural(self.documents, 'document')} in {plural(self.topics, 'topic')}"
        how = "by their ranks" if order == "rank" else "as listed"
        return (
            f"{where} share their score with another one: they are ranked {how}, trec_eval would "
            "rank them by document id",
        )


def ties_in(articles: Ranking) -> Ties:
    """The tied documents of a ranking of documents; none where there are no scores."""
    score, topic = articles.resolved.run.score, articles.topic
    if score is None or len(topic) < 2:
        return Ties()
    if ((score[1:] > score[:-1]) & (topic[1:] == topic[:-1])).any():  # else ties are neighbours
        order = np.lexsort((score, topic))
        score, topic = score[order], topic[order]
    same = (score[1:] == score[:-1]) & (topic[1:] == topic[:-1])
    is_tied = np.append(same, False) | np.append(False, same)
    tied = topic[is_tied]
    return Ties(len(tied), len(np.unique(tied)))


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"
