"""Repairing a run: results are moved where that is enough, and dropped otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from doxeval.arrays import Ints
from doxeval.messages import plural
from doxeval.runs import METADATA, SCHEMA, Run
from doxeval.tasks.checks import INTERLEAVED, SPLIT_TOPIC, Problem, coming_back, first_rows
from doxeval.version import __version__


def repaired(run: Run, problems: Sequence[Problem]) -> tuple[Run, list[str]]:
    """Return the run without its errors, and a list of the changes, in words.

    Results that break a rule are dropped, except those that come back to an article after another
    one: they are moved up to the other results of their article. The results of each topic are put
    together. Ranks are assigned again; scores that contradict the new order are dropped.

    >>> from doxeval.runs import Kind, Result, Run
    >>> from doxeval.tasks import TASKS, problems_of
    >>> passages = [("a", 0), ("b", 0), ("a", 9), ("b", 5)]
    >>> results = [Result("1", name, Kind.PASSAGE, at, at + 9) for name, at in passages]
    >>> run = Run.from_results(results)
    >>> fixed, changes = repaired(run, problems_of(run, TASKS["relevant-in-context"]))
    >>> [(result.document, result.start) for result in fixed.results()]
    [('a', 0), ('a', 9), ('b', 0)]
    >>> changes
    ['dropped 1 result: overlap', 'moved 1 result up to the first result of its article']
    """
    kinds = {problem.kind for problem in problems}
    dropped = _rows_to_drop(problems)
    kept: Ints = np.delete(np.arange(len(run)), list(dropped))
    changes = [
        f"dropped {plural(count, 'result')}: {kind}"
        for kind, count in Counter(dropped.values()).items()
    ]
    if SPLIT_TOPIC in kinds:
        kept = kept[np.argsort(run.topic[kept], kind="stable")]
        changes.append("put the results of each topic together")
    if INTERLEAVED in kinds and (moved := coming_back(run.topic[kept], run.document[kept]).sum()):
        # The results of each article go where its first result is.
        first = first_rows(run.topic[kept], run.document[kept])
        kept = kept[np.argsort(first, kind="stable")]
        whose = "its article" if moved == 1 else "their article"
        changes.append(f"moved {plural(int(moved), 'result')} up to the first result of {whose}")
    fixed = replace(run.rows(kept), rank=None)
    if run.rank is not None:
        changes.append("assigned ranks again")
    if _score_rises(fixed):
        fixed = replace(fixed, score=None)
        changes.append("dropped the scores, which contradict the order of the lines")
    if changes:
        known = run.facts.get(METADATA) or {"schema-version": SCHEMA, "tag": run.run_id}
        by = {"by": f"doxeval {__version__}", "changes": changes}
        fixed = replace(fixed, facts={**fixed.facts, METADATA: {**known, "repaired": by}})
    return fixed, changes


def _rows_to_drop(problems: Sequence[Problem]) -> dict[int, str]:
    """Return the rows to drop, each with the kind of the first error it is responsible for."""
    dropped: dict[int, str] = {}
    for problem in problems:
        if problem.severity == "error" and problem.kind != INTERLEAVED:
            for row in problem.rows:
                dropped.setdefault(row, problem.kind)
    return dropped


def _score_rises(run: Run) -> bool:
    """Return whether a score is higher than the one before it in its topic."""
    if run.score is None:
        return False
    return bool(((np.diff(run.score) > 0) & (np.diff(run.topic) == 0)).any())
