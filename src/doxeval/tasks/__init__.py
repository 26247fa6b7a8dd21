"""Tasks: the rules that a run must satisfy, checking a run against them, and repairing it."""

from doxeval.tasks.checks import problems_of
from doxeval.tasks.problems import Problem, ProblemKind, by_kind
from doxeval.tasks.repair import repaired
from doxeval.tasks.task import ANY_TASK, TASKS, Task, task_named

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
