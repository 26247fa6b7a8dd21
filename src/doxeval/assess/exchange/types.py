"""Judgments on their way out of the application, and into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from doxeval.assess.judging import Comment, Grade, Range, State


@dataclass(frozen=True)
class Judged:
    """A judgment as the application keeps it, with what is known about how it came about.

    assessor: a pseudonym, never a name; None for the adjudicated judgment.
    length, elements: the number of characters of the document's text, and of its elements.
    off_pool: found by the assessor, not in the pool. honeypot: placed, with known highlights.
    pooled: the paths of its pooled elements. judge: whose it is in the database. seconds: spent.
    program: the assessor is a program, or one of those of whose judgments it was made.

    >>> judged = Judged("7", "a", "A1", State(highlights=((0, 5),)), length=20)
    >>> judged.draft, judged.marks
    (True, ('draft',))
    """

    topic: str
    document: str
    assessor: str | None
    state: State
    length: int
    elements: int = 0
    adjudicated: bool = False
    off_pool: bool = False
    honeypot: bool = False
    pooled: tuple[str, ...] = ()
    judge: int | None = None
    seconds: float = 0.0
    program: bool = False

    @property
    def pair(self) -> tuple[str, str]:
        """The topic and the document."""
        return self.topic, self.document

    @property
    def draft(self) -> bool:
        """Whether it is not validated."""
        return self.state.status != "validated"

    @property
    def marks(self) -> tuple[str, ...]:
        """What a judgment is marked with when it is exported (see `assessments.judgment.MARKS`)."""
        marks = {
            "adjudicated": self.adjudicated,
            "draft": self.draft,
            "honeypot": self.honeypot,
            "off-pool": self.off_pool,
            "problem": self.state.problem,
            "program": self.program,
            "skipped": self.state.skipped,
        }
        return tuple(mark for mark, is_set in marks.items() if is_set)


@dataclass(frozen=True)
class ReadJudgment:
    """A judgment as a file has it, with where it begins there, before it becomes a state.

    >>> ReadJudgment("7", "a", None, ((0, 5),), marks=("draft", "problem")).state.problem
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
    comments: tuple[Comment, ...] = ()
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
            comments=self.comments,
        )


@dataclass(frozen=True)
class ImportedState:
    """A judgment from a file.

    problems: why it is not validated, if the file does not itself say that it is a draft.
    """

    topic: str
    document: str
    assessor: str | None
    state: State
    marks: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    origin: str | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)
