"""A judgment as the application keeps it, with what is known about how it came about."""

from __future__ import annotations

from dataclasses import dataclass

from doxeval.assess.judging import State


@dataclass(frozen=True)
class Judged:
    """What an assessor (or the adjudication) says of a document for a topic.

    assessor: a pseudonym, never a name; None for the adjudicated judgment.
    length, elements: the number of characters of the document's text, and of its elements.
    off_pool: found by the assessor, not in the pool. honeypot: placed, with known highlights.
    pooled: the paths of its pooled elements. judge: whose it is in the database. seconds: spent.

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
            "skipped": self.state.skipped,
        }
        return tuple(mark for mark, is_set in marks.items() if is_set)
