"""What an assessor said about a document for a topic.

A judgment exists for every document that was judged, relevant or not; a document without one is
unjudged. Which of its fields are filled depends on the year: highlights and best entry points
from 2005 on, grades of elements up to 2005, a single grade for a document in TREC's qrels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from doxeval.assessments.grades import Grade2002, Grade2003, Grade2005
from doxeval.errors import FormatError


@dataclass(frozen=True)
class GradedElement:
    """An element with the grade that an assessor (or the tool) gave it.

    grade is None where the file says that it is unjudged. inferred: the tool derived it from
    other grades; inconsistent: it breaks the rules, which is told but not repaired.
    """

    path: str
    grade: Grade2002 | Grade2003 | Grade2005 | None
    in_pool: bool = False
    inferred: bool = False
    inconsistent: bool = False


@dataclass(frozen=True)
class MeasuredElement:
    """An element of 2005–07: exhaustivity (None: `?`), and sizes as the tool of that year counted.

    The sizes are kept as they are given; they are not comparable with ours.
    """

    path: str
    exhaustivity: int | None
    size: int
    highlighted: int


class AssessedUnit(NamedTuple):
    """A tree of elements that was assessed as one, with its relevance."""

    nodes: tuple[str, ...]
    relevance: float


class PointPassage(NamedTuple):
    """A highlighted passage between two text points, and its size as the file gives it."""

    start: str
    end: str
    size: int | None = None


@dataclass(frozen=True)
class Judgment:
    """The judgment of one document for one topic.

    highlights: the relevant text as ranges of code points, sorted and apart from each other.
    best_entry_point: the offset where reading should start.
    passages, entry_point: the same as text points, which only the collection can resolve.
    grades, elements: what is said of single elements; units: of trees of them.
    document_length: the length of the document's text, where the file says it.
    relevance: a grade for the document as a whole.

    >>> Judgment("1", "a", highlights=((0, 5), (9, 12))).highlighted
    8
    """

    topic: str
    document: str
    highlights: tuple[tuple[int, int], ...] = ()
    best_entry_point: int | None = None
    document_length: int | None = None
    relevance: int | None = None
    passages: tuple[PointPassage, ...] = ()
    entry_point: str | None = None
    grades: tuple[GradedElement, ...] = ()
    elements: tuple[MeasuredElement, ...] = ()
    units: tuple[AssessedUnit, ...] = ()
    assessor: str | None = None
    pool: str | None = None
    collection: str | None = None
    version: str | None = None
    whitespace: Literal["keep", "strip"] | None = None
    # Where it was read from; two judgments that differ only in this are equal.
    origin: str | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)

    @property
    def pair(self) -> tuple[str, str]:
        """The topic and the document."""
        return self.topic, self.document

    @property
    def highlighted(self) -> int:
        """The number of highlighted characters."""
        return sum(end - start for start, end in self.highlights)

    @property
    def is_relevant(self) -> bool:
        """Whether anything in the document is relevant."""
        return (
            bool(self.highlights or self.passages or self.elements)
            or (self.relevance or 0) > 0
            or any(unit.relevance > 0 for unit in self.units)
            or any(
                element.grade is not None and element.grade.is_relevant for element in self.grades
            )
        )


class Judgments(NamedTuple):
    """What a file says: its judgments, and what it is to be warned about."""

    judgments: list[Judgment]
    warnings: list[str]


class Assessments:
    """Judgments of many documents for many topics, each pair judged once.

    >>> assessments = Assessments([Judgment("1", "a", ((0, 5),)), Judgment("1", "b")])
    >>> [judgment.document for judgment in assessments.of("1")], assessments.find("1", "c")
    (['a', 'b'], None)
    """

    def __init__(
        self,
        judgments: Iterable[Judgment],
        warnings: Iterable[str] = (),
        resolved_in: str | None = None,
    ) -> None:
        self._by_topic: dict[str, dict[str, Judgment]] = {}
        self.warnings = tuple(warnings)
        # The directory of the collection that everything was checked against.
        self.resolved_in = resolved_in
        for judgment in judgments:
            of_topic = self._by_topic.setdefault(judgment.topic, {})
            earlier = of_topic.setdefault(judgment.document, judgment)
            if earlier is not judgment:
                raise FormatError(
                    f"document {judgment.document} is judged twice for topic {judgment.topic}"
                    f"{_place(earlier, judgment)}; --pool or --merge says which counts",
                    judgment.origin,
                    judgment.line,
                )

    def __len__(self) -> int:
        return sum(map(len, self._by_topic.values()))

    def __iter__(self) -> Iterator[Judgment]:
        for judgments in self._by_topic.values():
            yield from judgments.values()

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in the order of first appearance."""
        return tuple(self._by_topic)

    def of(self, topic: str) -> Iterator[Judgment]:
        """All judgments for a topic."""
        return iter(self._by_topic.get(topic, {}).values())

    def find(self, topic: str, document: str) -> Judgment | None:
        """The judgment of a document for a topic; None if it is unjudged."""
        return self._by_topic.get(topic, {}).get(document)


def _place(earlier: Judgment, judgment: Judgment) -> str:
    """Where the first of two judgments stands, as seen from the second."""
    if earlier.line is None:
        return ""
    file = "" if earlier.origin == judgment.origin else f" of {earlier.origin}"
    return f", first on line {earlier.line}{file}"
