"""The short name by which tests, studies and scripts make runs."""

from __future__ import annotations

from collections.abc import Iterable

from doxeval.runs.run import Result, Run


def run_of(results: Iterable[Result], run_id: str = "run") -> Run:
    """The same as `Run.from_results`.

    >>> run_of([Result("1", "a")]).documents
    ('a',)
    """
    return Run.from_results(results, run_id)
