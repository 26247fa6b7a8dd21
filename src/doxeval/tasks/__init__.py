"""Tasks: the rules that a run must satisfy, checking a run against them, and repairing it."""

from __future__ import annotations

from doxeval.doors import door

__all__ = [
    "ANY_TASK",
    "TASKS",
    "Problem",
    "ProblemKind",
    "Task",
    "by_kind",
    "problems_of",
    "repaired",
    "task_named",
]

__getattr__, __dir__ = door(__name__, __file__)
