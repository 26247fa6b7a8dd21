"""The problems of a run, as values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from doxeval.messages import truncate

Severity = Literal["error", "warning"]

# For these kinds of problems a repair moves results; for all others it drops them.
SPLIT_TOPIC = "split topic"
INTERLEAVED = "interleaved"


@dataclass(frozen=True)
class Problem:
    """One problem: its kind, its lines in the file, and a message.

    rows are the rows of the run that a repair drops or moves.

    >>> Problem("duplicate", "error", "7", (3, 9), "line 9 repeats line 3", (8,)).as_dict()["lines"]
    [3, 9]
    """

    kind: str
    severity: Severity
    topic: str
    lines: tuple[int, ...]
    message: str
    rows: tuple[int, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The problem as plain values, for JSON."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "topic": self.topic,
            "lines": list(self.lines),
            "message": self.message,
        }


@dataclass(frozen=True)
class ProblemKind:
    """All problems of one kind.

    >>> overlap = Problem("overlap", "error", "7", (1, 2), "lines 1 and 2 overlap")
    >>> str(ProblemKind("overlap", "error", (overlap, overlap)))
    'overlap: 2 in topic 7'
    """

    kind: str
    severity: Severity
    problems: tuple[Problem, ...]

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics with such problems."""
        return tuple(dict.fromkeys(problem.topic for problem in self.problems))

    def __str__(self) -> str:
        topics = self.topics
        where = f"topic {truncate(topics[0])}" if len(topics) == 1 else f"{len(topics):,} topics"
        return f"{self.kind}: {len(self.problems):,} in {where}"


def by_kind(problems: Iterable[Problem]) -> list[ProblemKind]:
    """Problems grouped by kind, in the order in which the kinds first occur.

    >>> problems = [Problem(kind, "error", "7", (), "") for kind in ("overlap", "rank", "overlap")]
    >>> [str(kind) for kind in by_kind(problems)]
    ['overlap: 2 in topic 7', 'rank: 1 in topic 7']
    """
    groups: dict[tuple[str, Severity], list[Problem]] = {}
    for problem in problems:
        groups.setdefault((problem.kind, problem.severity), []).append(problem)
    return [ProblemKind(kind, severity, tuple(same)) for (kind, severity), same in groups.items()]
