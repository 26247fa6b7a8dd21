"""Several judgments of one document for one topic, made into one.

    union           relevant is what any assessor said is relevant
    intersection    what all of them said
    majority        what more than half of them said

Two who differ make no majority, which is an error: what more than half of two said is what both
said, and calling that the majority would hide the loss. Of four, six … assessors exactly half may
have said something; such ties are counted in a warning, and do not make text relevant.

Highlights are compared character by character. Of several grades (of an element, a unit, a whole
document, of a document for a subtopic) the largest, the smallest or the median is taken; with an
even number of grades, the lower of the two in the middle. A document with subtopics has the highest
of their grades. If an assessor judged a document but gave an element in it no
grade, that element counts as not relevant to them. The best entry point is the one that most
assessors set; if several are set equally often, the first of them in the text. Where nothing is
relevant any more, there is none.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeVar, get_args

from doxeval.assessments.columns import JudgmentColumns, Judgments
from doxeval.assessments.grades import Grade2002, Grade2003, Grade2005
from doxeval.assessments.judgment import AssessedUnit, GradedElement, Judgment, SubtopicGrade
from doxeval.errors import FormatError, InputError
from doxeval.messages import Parameter, join_names, plural, truncate

Merge = Literal["union", "intersection", "majority"]
MERGES: tuple[Merge, ...] = get_args(Merge)
Number = TypeVar("Number", int, float)


def merge_judgments(judgments: Iterable[Judgment], how: Merge) -> Judgments:
    """Make one judgment for each pair of topic and document; ties are a warning.

    >>> two = [Judgment("1", "a", ((0, 9),)), Judgment("1", "a", ((5, 12),))]
    >>> [merge_judgments(two, how).judgments[0].highlights for how in ("union", "intersection")]
    [((0, 12),), ((5, 9),)]
    >>> merge_judgments(two + two, "majority").warnings[0].split(":")[0]
    'ties in 1 document'
    """
    pairs: dict[tuple[str, str], list[Judgment]] = {}
    for judgment in judgments:
        pairs.setdefault((judgment.topic, judgment.document), []).append(judgment)
    merged = [same[0] if len(same) == 1 else _merged(same, how) for same in pairs.values()]
    ties = Ties()
    if how == "majority":
        several = (_votes(same) for same in pairs.values() if len(same) > 1)
        union, intersection = Parameter("merge", "union"), Parameter("merge", "intersection")
        ties = count_ties(several, union + ", " + intersection + " or a third judgment")
    columns, answers = JudgmentColumns.of(merged), getattr(judgments, "answers", {})
    columns = columns.with_answers(answers) if answers else columns
    return Judgments(columns, [str(ties)] if ties else [])


def _votes(same: Sequence[Judgment]) -> Votes:
    """Return what assessors say of a document; all of them judged it."""
    relevance = [judgment.relevance for judgment in same if judgment.relevance is not None]
    of_elements = _given_grades(same).values()
    grades = [[grade for grade in given if isinstance(grade, Grade2003)] for given in of_elements]
    return Votes(
        same[0].topic,
        same[0].document,
        [judgment.highlights for judgment in same],
        [
            (relevance, len(relevance)),
            *(([grade.exhaustivity for grade in given], len(same)) for given in grades),
            *(([grade.specificity for grade in given], len(same)) for given in grades),
            *((given, len(same)) for given in _given_units(same).values()),
            *((given, len(same)) for given in _given_subtopics(same).values()),
        ],
        same[-1].origin,
        same[-1].line,
    )


def _merged(same: Sequence[Judgment], how: Merge) -> Judgment:
    first = same[0]
    for judgment in same:
        if judgment.passages or judgment.entry_point is not None or judgment.elements:
            raise FormatError(
                "passages between text points cannot be merged without their collection",
                judgment.origin,
                judgment.line,
            )
    if how != "union" and any(judgment.needs for judgment in same):
        raise FormatError(
            "needs of several assessors can only be merged by union", first.origin, first.line
        )
    lengths = {judgment.document_length for judgment in same} - {None}
    if len(lengths) > 1:
        raise FormatError(
            f"document {truncate(first.document)} has "
            f"{' and '.join(map(str, sorted(filter(None, lengths))))}"
            " characters in different judgments",
            first.origin,
            first.line,
        )
    highlights = shared_by(
        [judgment.highlights for judgment in same], needed_assessors(how, len(same))
    )
    entries = Counter(j.best_entry_point for j in same if j.best_entry_point is not None)
    is_anything_left = bool(highlights) or not any(judgment.highlights for judgment in same)
    grades = [judgment.relevance for judgment in same if judgment.relevance is not None]
    subtopics = tuple(
        SubtopicGrade(subtopic, chosen_value(how, given, len(same)))
        for subtopic, given in _given_subtopics(same).items()
    )
    return replace(
        first,
        highlights=highlights,
        best_entry_point=min(entries, key=lambda entry: (-entries[entry], entry))
        if entries and is_anything_left
        else None,
        document_length=next(iter(lengths), None),
        relevance=chosen_value(how, grades, len(grades)) if grades and not subtopics else None,
        grades=tuple(
            GradedElement(path, _merged_grade(given, len(same), how))
            for path, given in _given_grades(same).items()
        ),
        units=tuple(
            AssessedUnit(nodes, chosen_value(how, given, len(same)))
            for nodes, given in _given_units(same).items()
        ),
        subtopics=subtopics,
        needs=tuple(dict.fromkeys(need for judgment in same for need in judgment.needs)),
        assessor=None,
        marks=tuple(mark for judgment in same for mark in judgment.marks),
        pool=None,
    )


def needed_assessors(how: Merge, assessors: int) -> int:
    """Return how many assessors must have highlighted a character.

    >>> needed_assessors("majority", 4)
    3
    """
    return {"union": 1, "intersection": assessors, "majority": assessors // 2 + 1}[how]


class NoMajority(InputError):
    """Two assessors differ, and a majority was to decide."""


class Votes(NamedTuple):
    """What several assessors say of a document, as far as a majority may be divided about it.

    highlights: those of each assessor.
    values: grades of one thing that were given, and of how many assessors; the others gave 0.
    origin, line: where the last of them says it, if it was read from a file.
    """

    topic: str
    document: str
    highlights: Sequence[tuple[tuple[int, int], ...]]
    values: Sequence[tuple[Sequence[float], int]]
    origin: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class Ties:
    """How many documents, characters and grades half of the assessors see in one way, half not.

    >>> print(Ties(2, 30, 1))
    ties in 2 documents: 30 characters that exactly half of the assessors highlighted are not \
relevant; of 1 grade the lower of the two in the middle was taken
    >>> bool(Ties())
    False
    """

    documents: int = 0
    characters: int = 0
    grades: int = 0

    def __bool__(self) -> bool:
        return self.documents > 0

    def __str__(self) -> str:
        are = "is" if self.characters == 1 else "are"
        parts = [
            f"{plural(self.characters, 'character')} that exactly half of the assessors "
            f"highlighted {are} not relevant"
            if self.characters
            else "",
            f"of {plural(self.grades, 'grade')} the lower of the two in the middle was taken"
            if self.grades
            else "",
        ]
        return f"ties in {plural(self.documents, 'document')}: {'; '.join(filter(None, parts))}"


def count_ties(votes: Iterable[Votes], instead: str) -> Ties:
    """Count the ties of a majority; two assessors who differ are an error, which offers `instead`.

    >>> low, high = ((0, 3),), ((2, 6),)
    >>> count_ties([Votes("7", "a", [low, low, high, high], [])], "")
    Ties(documents=1, characters=5, grades=0)
    >>> count_ties([Votes("7", "a", [low, low, high], []), Votes("7", "b", [low, low], [])], "")
    Ties(documents=0, characters=0, grades=0)
    >>> count_ties([Votes("7", "a", [low, high], [])], "union or intersection")
    Traceback (most recent call last):
        ...
    doxeval.assessments.merge.NoMajority: two assessors differ about 1 document, and two have no \
majority; union or intersection can decide: document a for topic 7
    """
    ties, undecided = Ties(), []
    for vote in votes:
        characters = _tied_characters(vote.highlights)
        grades = sum(_is_tied(given, assessors) for given, assessors in vote.values)
        if not characters and not grades:
            continue
        if len(vote.highlights) == 2:
            undecided.append(vote)
        else:
            ties = Ties(ties.documents + 1, ties.characters + characters, ties.grades + grades)
    if undecided:
        names = [
            f"document {truncate(vote.document)} for topic {truncate(vote.topic)}"
            for vote in undecided
        ]
        raise NoMajority(
            f"two assessors differ about {plural(len(names), 'document')}, and two have no "
            "majority; " + instead + f" can decide: {join_names(names)}",
            undecided[0].origin,
            undecided[0].line,
        )
    return ties


def _tied_characters(highlights: Sequence[tuple[tuple[int, int], ...]]) -> int:
    """Return how many characters exactly half of the assessors highlighted."""
    half, is_odd = divmod(len(highlights), 2)
    if is_odd:
        return 0
    by_half, by_more = (
        sum(end - start for start, end in shared_by(highlights, needed))
        for needed in (half, half + 1)
    )
    return by_half - by_more


def _is_tied(given: Sequence[float], assessors: int) -> bool:
    """Return whether the two grades in the middle differ."""
    if not given or assessors % 2:
        return False
    above = assessors // 2
    return _value_at(above - 1, given, assessors) != _value_at(above, given, assessors)


def shared_by(
    highlights: Sequence[tuple[tuple[int, int], ...]], needed: int
) -> tuple[tuple[int, int], ...]:
    """Return the characters that at least `needed` of the lists of spans have.

    >>> shared_by([((0, 9),), ((5, 12),)], 2)
    ((5, 9),)
    """
    edges = Counter[int]()
    for ranges in highlights:
        for start, end in ranges:
            edges[start] += 1
            edges[end] -= 1
    shared: list[tuple[int, int]] = []
    depth = begin = 0
    for at in sorted(edges):
        before, depth = depth, depth + edges[at]
        if before < needed <= depth:
            begin = at
        elif depth < needed <= before:
            shared.append((begin, at))
    return tuple(shared)


def chosen_value(how: Merge, values: Sequence[Number], assessors: int) -> Number:
    """Return the value that stands for those of all assessors; who gave none counts as giving 0.

    >>> chosen_value("majority", [3, 1], 3), chosen_value("union", [3, 1], 3)
    (1, 3)
    """
    at = {"union": assessors - 1, "intersection": 0, "majority": (assessors - 1) // 2}[how]
    return _value_at(at, values, assessors)


def _value_at(at: int, values: Sequence[Number], assessors: int) -> Number:
    """Return the value at a position in their order, smallest first."""
    in_order = sorted(values)
    below = bisect_left(in_order, 0)  # zeros that were not given follow these
    missing = assessors - len(values)
    if below <= at < below + missing:
        return in_order[0] - in_order[0]  # 0 as a number of the same kind
    return in_order[at if at < below else at - missing]


Grade = Grade2002 | Grade2003 | Grade2005


def _given_grades(same: Sequence[Judgment]) -> dict[str, list[Grade]]:
    """Return the grades that assessors gave each element, by its path."""
    by_path: dict[str, list[Grade]] = {}
    for judgment in same:
        # What an assessor says last about an element counts.
        for path, grade in {element.path: element.grade for element in judgment.grades}.items():
            given = by_path.setdefault(path, [])
            if grade is not None:
                given.append(grade)
    return by_path


def _merged_grade(given: Sequence[Grade], assessors: int, how: Merge) -> Grade | None:
    if not given:
        return None
    grades = [grade for grade in given if isinstance(grade, Grade2003)]
    if len(grades) < len(given):
        raise FormatError("only grades of 2003–04 can be merged: others have no order")
    return Grade2003(
        chosen_value(how, [grade.exhaustivity for grade in grades], assessors),
        chosen_value(how, [grade.specificity for grade in grades], assessors),
    )


def _given_units(same: Sequence[Judgment]) -> dict[tuple[str, ...], list[float]]:
    """Return the relevance that assessors gave each unit, by its nodes."""
    by_nodes: dict[tuple[str, ...], list[float]] = {}
    for judgment in same:
        for nodes, relevance in dict(judgment.units).items():
            by_nodes.setdefault(nodes, []).append(relevance)
    return by_nodes


def _given_subtopics(same: Sequence[Judgment]) -> dict[str, list[int]]:
    """Return the grades that assessors gave the document for each subtopic."""
    by_subtopic: dict[str, list[int]] = {}
    for judgment in same:
        for subtopic, grade in judgment.subtopics:
            by_subtopic.setdefault(subtopic, []).append(grade)
    return by_subtopic
