"""A run made valid: what must go is left out, and everything left out is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from doxeval.runs import Run
from doxeval.tasks.problems import Problem


def repaired(run: Run, problems: Sequence[Problem]) -> tuple[Run, list[str]]:
    """The run without the rows that cause errors, topics together, and what was done, in words.

    Ranks are counted anew; scores that contradict the order of the lines are dropped.

    >>> from doxeval.runs.builder import run_of
    >>> from doxeval.runs.run import Result
    >>> from doxeval.tasks.checks import problems_of
    >>> from doxeval.tasks.task import TASKS
    >>> run = run_of([Result("1", "a"), Result("1", "a")])
    >>> fixed, told = repaired(run, problems_of(run, TASKS["thorough"]))
    >>> len(fixed), told
    (1, ['dropped 1 result: duplicate'])
    """
    dropped: dict[int, str] = {}
    for problem in problems:
        if problem.severity == "error":
            for row in problem.rows:
                dropped.setdefault(row, problem.kind)
    kept = np.array([row for row in range(len(run)) if row not in dropped], dtype=np.int64)
    told = [
        f"dropped {count} result{'s' if count > 1 else ''}: {kind}"
        for kind, count in Counter(dropped.values()).items()
    ]
    if any(problem.kind == "split topic" for problem in problems):
        kept = kept[np.argsort(run.topic[kept], kind="stable")]
        told.append("put the results of each topic together")
    fixed = replace(run.rows(kept), rank=None)
    if run.rank is not None:
        told.append("counted ranks anew")
    if fixed.score is not None and _rises(fixed):
        fixed = replace(fixed, score=None)
        told.append("dropped the scores, which contradict the order of the lines")
    return fixed, told


def _rises(run: Run) -> bool:
    if run.score is None:
        return False
    return bool(((np.diff(run.score) > 0) & (np.diff(run.topic) == 0)).any())
