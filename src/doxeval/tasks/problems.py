"""What is wrong with a run, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Problem:
    """One problem: its kind, its lines in the file, and what it is, in words.

    rows are the rows of the run that a repair leaves out to be rid of it.

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
