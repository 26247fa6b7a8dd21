"""What an assessor said about a document for a topic.

A judgment exists for every document that was judged, relevant or not; a document without one is
unjudged. Which of its fields are filled depends on the year: highlights and best entry points
from 2005 on, grades of elements up to 2005, a grade for a document in TREC's qrels, which may have
one for each subtopic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter, index
from typing import Any, Literal, NamedTuple

from doxeval.assessments.grades import Grade2002, Grade2003, Grade2005
from doxeval.errors import FormatError
from doxeval.messages import quoted, truncate
from doxeval.spans import TOO_LONG

LARGEST_GRADE = (1 << 31) - 1

# What may be marked of a judgment: it was made from those of several assessors; its assessor has
# not finished it, put it off, or reports a problem with the document; the document's relevant text
# was known beforehand, to see how assessors do; the document is not in the pool of its topic; a
# program made the judgment, or one of those it was made from.
MARKS = ("adjudicated", "draft", "honeypot", "off-pool", "problem", "program", "skipped")


@dataclass(frozen=True)
class GradedElement:
    """An element with the grade that an assessor (or the tool) gave it.

    grade is None where the file says that the element is unjudged. inferred: the tool derived the
    grade from others. inconsistent: it breaks the rules, which is reported but not repaired.
    line: where it stands in its file, if that is known; elements are compared without it.
    """

    path: str
    grade: Grade2002 | Grade2003 | Grade2005 | None
    in_pool: bool = False
    inferred: bool = False
    inconsistent: bool = False
    line: int | None = field(default=None, compare=False, repr=False)


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


class NeededSpan(NamedTuple):
    """A range of text that answers a need of its topic.

    Ranges with the same need, in whatever documents of the topic, are alternatives: any of them
    will do. A range whose need is None is a need of its own. grade: how much the need weighs.
    alternative: ranges of a need with the same one, all in one document, are one alternative: all
    of them are to be shown.

    >>> needs = (NeededSpan("who", 0, 5), NeededSpan("when", 9, 12, grade=2))
    >>> Judgment("7", "a", needs=needs).highlights
    ((0, 5), (9, 12))
    """

    need: str | None
    start: int
    end: int
    grade: float = 1
    alternative: str | None = None


class TopicAnswer(NamedTuple):
    """What is known of the answer to a topic besides where it is.

    texts: any of these strings answers it. exists: False if no document answers it.

    >>> TopicAnswer(("thirty days", "30 days")).exists, TopicAnswer(exists=False).texts
    (True, ())
    """

    texts: tuple[str, ...] = ()
    exists: bool = True


class SubtopicGrade(NamedTuple):
    """The grade of a document for a subtopic of its topic.

    >>> Judgment("7", "a", subtopics=(SubtopicGrade("1", 0), SubtopicGrade("2", 3))).relevance
    3
    """

    subtopic: str
    grade: int


class PointPassage(NamedTuple):
    """A highlighted passage between two text points, and its size as the file gives it."""

    start: str
    end: str
    size: int | None = None


@dataclass(frozen=True, repr=False)
class Judgment:
    """The judgment of one document for one topic.

    highlights: the relevant text as ranges of code points. In whatever order they are given, they
    are kept sorted, and merged where they touch.
    needs: the same text by the needs that it answers; highlights always include it.
    best_entry_point: the offset where reading should start.
    passages, entry_point: the same as text points, which only the collection can resolve.
    grades, elements: what is said of single elements; units: of trees of them.
    document_length: the length of the document's text, where the file says it.
    relevance: a grade for the document as a whole.
    subtopics: its grades for subtopics of the topic, each once; without a grade for the document as
    a whole, the highest of them is that.
    marks: some of MARKS, kept in their order.

    >>> Judgment("1", "a", highlights=((9, 12), (0, 5)))
    Judgment('1', 'a', highlights=((0, 5), (9, 12)))
    >>> Judgment("1", "a", highlights=((0, 5), (9, 12))).highlighted
    8
    >>> Judgment("1", "a", needs=(NeededSpan("who", 0, 5), NeededSpan("when", 3, 9))).highlights
    ((0, 9),)
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
    needs: tuple[NeededSpan, ...] = ()
    assessor: str | None = None
    marks: tuple[str, ...] = ()
    pool: str | None = None
    collection: str | None = None
    version: str | None = None
    whitespace: Literal["keep", "strip"] | None = None
    subtopics: tuple[SubtopicGrade, ...] = ()
    # Where it was read from; two judgments that differ only in this are equal.
    origin: str | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.needs != ():
            needs = self._checked_needs()
            object.__setattr__(self, "needs", needs)
            spans = (*self.highlights, *((need.start, need.end) for need in needs))
            object.__setattr__(self, "highlights", spans)
        if self.highlights:
            object.__setattr__(self, "highlights", self._checked_highlights())
        self._check_needs()
        for name in ("best_entry_point", "document_length"):
            value = getattr(self, name)
            if value is not None and (not hasattr(type(value), "__index__") or value < 0):
                wrong = f"{name.replace('_', ' ')} is {quoted(value)}"
                raise self._wrong(f"{wrong}: expected a whole number, 0 or more")
            if value is not None and value >= 1 << 63:
                raise self._wrong(f"{name.replace('_', ' ')} is {value}: expected a smaller number")
        if self.subtopics != ():
            subtopics = self._checked_subtopics()
            object.__setattr__(self, "subtopics", subtopics)
            if self.relevance is None and subtopics:
                highest = max(grade for _, grade in subtopics)
                object.__setattr__(self, "relevance", highest)
        relevance: Any = self.relevance
        if relevance is not None:
            if not isinstance(relevance, int | float) and not hasattr(relevance, "__index__"):
                raise self._wrong(f"relevance is {quoted(relevance)}: expected a whole number")
            if abs(relevance) > LARGEST_GRADE:
                raise self._wrong(f"relevance is {relevance}: expected a smaller number")
        if self.marks:
            object.__setattr__(self, "marks", self._checked_marks())

    def _checked_needs(self) -> tuple[NeededSpan, ...]:
        try:
            return tuple(NeededSpan(*need) for need in self.needs)
        except TypeError:
            raise self._wrong(
                "needs: expected (need, start, end), perhaps with a grade and an alternative"
            ) from None

    def _check_needs(self) -> None:
        grades: dict[str, float] = {}
        for need, start, end, grade, alternative in self.needs:
            name = "a span" if need is None else f"need {quoted(need)}"
            if need is not None and not (isinstance(need, str) and need.strip()):
                raise self._wrong(f"{name}: expected a name")
            if not (isinstance(grade, int | float) and 0 < grade <= LARGEST_GRADE):
                raise self._wrong(f"the grade of {name} is {quoted(grade)}: expected more than 0")
            if alternative is not None and not (
                need is not None and isinstance(alternative, str) and alternative.strip()
            ):
                raise self._wrong(
                    f"{name} is of alternative {quoted(alternative)}: expected a name, and a need"
                )
            if end == start:
                raise self._wrong(f"{name} has the empty range [{start}, {end})")
            if need is not None and grades.setdefault(need, grade) != grade:
                raise self._wrong(f"{name} has the grades {grades[need]:g} and {grade:g}")

    def _checked_subtopics(self) -> tuple[SubtopicGrade, ...]:
        try:
            subtopics = tuple(SubtopicGrade(name, index(grade)) for name, grade in self.subtopics)
        except (TypeError, ValueError):
            raise self._wrong("subtopics: expected pairs of a name and a whole number") from None
        names = set()
        for name, grade in subtopics:
            if not (isinstance(name, str) and name.strip()):
                raise self._wrong(f"subtopic {quoted(name)}: expected a name")
            if name in names:
                raise self._wrong(f"subtopic {quoted(name)} is given twice")
            if abs(grade) > LARGEST_GRADE:
                raise self._wrong(
                    f"the grade of subtopic {quoted(name)} is {grade}: expected a smaller number"
                )
            names.add(name)
        return subtopics

    def _checked_marks(self) -> tuple[str, ...]:
        if not isinstance(self.marks, Iterable):
            raise self._wrong(f"marks is {quoted(self.marks)}: expected some of {', '.join(MARKS)}")
        unknown = [mark for mark in self.marks if mark not in MARKS]
        if unknown:
            raise self._wrong(f"the mark {quoted(unknown[0])}: expected {', '.join(MARKS)}")
        return tuple(mark for mark in MARKS if mark in self.marks)

    def _checked_highlights(self) -> tuple[tuple[int, int], ...]:
        try:
            ranges = [(index(start), index(end)) for start, end in self.highlights]
        except (TypeError, ValueError):
            raise self._wrong("highlights: expected pairs of whole numbers") from None
        for start, end in ranges:
            if not 0 <= start <= end < TOO_LONG:
                raise self._wrong(
                    f"the passage [{start}, {end}): expected a start of 0 or more, and an end that "
                    f"is not before it and below {TOO_LONG:,}"
                )
        return merge_passages(ranges)[0]

    def _wrong(self, message: str) -> FormatError:
        named = f"document {truncate(self.document)} of topic {truncate(self.topic)}: {message}"
        return FormatError(named, self.origin, self.line)

    def __repr__(self) -> str:
        shown = [repr(self.topic), repr(self.document)]
        shown += [f"{name}={value!r}" for name, value in self._given(compared=True).items()]
        return f"Judgment({', '.join(shown)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _judgment_of, (self.topic, self.document, self._given(compared=False))

    def _given(self, *, compared: bool) -> dict[str, Any]:
        """Return the fields beyond topic and document that are set."""
        return {
            field.name: value
            for field in fields(self)[2:]
            if (value := getattr(self, field.name)) != field.default
            and (field.compare or not compared)
        }

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
            bool(self.highlights) or (self.relevance or 0) > 0 or has_relevant_details(self.details)
        )

    @property
    def details(self) -> dict[str, Any]:
        """The fields that are set beyond offsets, lengths and the grade of the document.

        >>> Judgment("1", "a", ((0, 5),), 0).details, Judgment("1", "a", pool="2").details
        ({}, {'pool': '2'})
        """
        values = _details_of(self)
        if values == _NO_DETAILS:
            return {}
        return {
            name: value
            for name, value in zip(_DETAILS, values, strict=True)
            if value not in (None, ())
        }

    @property
    def is_plain(self) -> bool:
        """Whether offsets, lengths and a grade of the document are all that is said.

        >>> Judgment("1", "a", ((0, 5),), 0).is_plain, Judgment("1", "a", pool="2").is_plain
        (True, False)
        """
        return not self.details


# What is said by few files, and has no column.
_DETAILS = tuple(column.name for column in fields(Judgment)[6:-2])
_NO_DETAILS = tuple(column.default for column in fields(Judgment)[6:-2])
_details_of = attrgetter(*_DETAILS)


def has_relevant_details(details: Mapping[str, Any]) -> bool:
    """Return whether the details of a judgment say that something is relevant.

    >>> graded = GradedElement("/a[1]", Grade2003(0, 0)), GradedElement("/a[1]/b[1]", None)
    >>> has_relevant_details({"grades": graded}), has_relevant_details({"passages": ("…",)})
    (False, True)
    """
    return (
        "passages" in details
        or "elements" in details
        or any(unit.relevance > 0 for unit in details.get("units", ()))
        or any(grade > 0 for _, grade in details.get("subtopics", ()))
        or any(
            element.grade is not None and element.grade.is_relevant
            for element in details.get("grades", ())
        )
    )


def _judgment_of(topic: str, document: str, given: dict[str, Any]) -> Judgment:
    return Judgment(topic, document, **given)


def merge_passages(passages: Iterable[tuple[int, int]]) -> tuple[tuple[tuple[int, int], ...], bool]:
    """Return the passages sorted, merged where they touch, without empty ones; and if any overlap.

    >>> merge_passages([(8, 9), (0, 5), (3, 7), (2, 2)])
    (((0, 7), (8, 9)), True)
    """
    merged: list[tuple[int, int]] = []
    overlap, reach = False, -1
    for start, end in sorted(passages):
        if start == end:
            continue
        if start > reach:
            merged.append((start, end))
            reach = end
        else:
            overlap |= start < reach
            reach = max(reach, end)
            merged[-1] = (merged[-1][0], reach)
    return tuple(merged), overlap
