"""The order of a run's results: as listed, or by rank or score; and which results are tied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.errors import InputError
from doxeval.evaluation.options import RunOptions
from doxeval.runs.run import Order, Run


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


def disagreements(run: Run, order: Order) -> Iterator[str]:
    """Warnings about ranks and scores that contradict the list, which is the ranking."""
    if order != "list" or len(run) < 2:
        return
    same_topic = run.topic[1:] == run.topic[:-1]
    checks: list[tuple[str, Bools]] = []
    if run.rank is not None:
        checks.append(("ranks do not rise", run.rank[1:] <= run.rank[:-1]))
    if run.score is not None:
        checks.append(("scores rise", run.score[1:] > run.score[:-1]))
    for what, is_wrong in checks:
        against = np.flatnonzero(is_wrong & same_topic)
        if len(against):
            line = int(run.line[against[0] + 1])
            yield (
                f"{what} down the list {_times(len(against))}, first on line {line}; the list is "
                "the ranking, unless another order is asked for"
            )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"
