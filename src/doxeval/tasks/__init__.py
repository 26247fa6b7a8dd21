"""Tasks: the rules that a run must satisfy, checking and repairing a run, and fusing several."""

from __future__ import annotations

from doxeval.doors import door

__all__ = [
    "ANY_TASK",
    "FUSION_METHODS",
    "TASKS",
    "FusionMethod",
    "Problem",
    "ProblemKind",
    "Task",
    "by_kind",
    "fuse",
    "problems_of",
    "repaired",
    "task_named",
]

__getattr__, __dir__ = door(__name__, __file__)
