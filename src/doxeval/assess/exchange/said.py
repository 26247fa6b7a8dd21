"""What a file says of a document, before it becomes a state of the application."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from doxeval.assess.judging import Grade, Range, State


@dataclass(frozen=True)
class Said:
    """A judgment as a file has it, with where it begins there.

    >>> Said("7", "a", None, ((0, 5),), marks=("draft", "problem")).state.problem
    True
    """

    topic: str
    document: str
    assessor: str | None
    highlights: tuple[Range, ...] = ()
    bep: int | None = None
    grades: Mapping[str, Grade] = field(default_factory=dict)
    inferred: frozenset[str] = frozenset()
    marks: tuple[str, ...] = ()
    note: str = ""
    origin: str | None = None
    line: int | None = None

    @property
    def state(self) -> State:
        """The state, not validated."""
        return State(
            highlights=self.highlights,
            bep=self.bep,
            grades=self.grades,
            inferred=self.inferred,
            skipped="skipped" in self.marks,
            problem="problem" in self.marks,
            note=self.note,
        )
