"""Several judgments of one document for one topic, made into one.

    union           relevant is what any assessor said is relevant
    intersection    what all of them said
    majority        what more than half of them said

Highlights are compared character by character. Of several grades (of an element, a unit, a whole
document) the largest, the smallest or the median is taken; with an even number of grades, the
lower of the two in the middle. If an assessor judged a document but gave an element in it no
grade, that element counts as not relevant to them. The best entry point is the one that most
assessors set; if several are set equally often, the first of them in the text. Where nothing is
relevant any more, there is none.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, TypeVar, get_args

from doxeval.assessments.grades import Grade2002, Grade2003, Grade2005
from doxeval.assessments.judgment import AssessedUnit, GradedElement, Judgment
from doxeval.errors import FormatError
from doxeval.wording import shortened

Merge = Literal["union", "intersection", "majority"]
MERGES: tuple[Merge, ...] = get_args(Merge)
Number = TypeVar("Number", int, float)


def merged_judgments(judgments: Iterable[Judgment], how: Merge) -> list[Judgment]:
    """One judgment for each pair of topic and document.

    >>> two = [Judgment("1", "a", ((0, 9),)), Judgment("1", "a", ((5, 12),))]
    >>> [merged_judgments(two, how)[0].highlights for how in ("union", "intersection")]
    [((0, 12),), ((5, 9),)]
    """
    pairs: dict[tuple[str, str], list[Judgment]] = {}
    for judgment in judgments:
        pairs.setdefault((judgment.topic, judgment.document), []).append(judgment)
    return [same[0] if len(same) == 1 else _merged(same, how) for same in pairs.values()]


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
            f"document {shortened(first.document)} has "
            f"{' and '.join(map(str, sorted(filter(None, lengths))))}"
            " characters in different judgments",
            first.origin,
            first.line,
        )
    highlights = shared_by(
        [judgment.highlights for judgment in same], needed_assessors(how, len(same))
    )
    entries = Counter(j.best_entry_point for j in same if j.best_entry_point is not None)
    anything_left = bool(highlights) or not any(judgment.highlights for judgment in same)
    grades = [judgment.relevance for judgment in same if judgment.relevance is not None]
    return replace(
        first,
        highlights=highlights,
        best_entry_point=min(entries, key=lambda entry: (-entries[entry], entry))
        if entries and anything_left
        else None,
        document_length=next(iter(lengths), None),
        relevance=chosen_value(how, grades, len(grades)) if grades else None,
        grades=_merged_grades(same, how),
        units=_merged_units(same, how),
        needs=tuple(dict.fromkeys(one for judgment in same for one in judgment.needs)),
        assessor=None,
        marks=tuple(mark for judgment in same for mark in judgment.marks),
        pool=None,
    )


def needed_assessors(how: Merge, assessors: int) -> int:
    """How many assessors must have highlighted a character.

    >>> needed_assessors("majority", 4)
    3
    """
    return {"union": 1, "intersection": assessors, "majority": assessors // 2 + 1}[how]


def shared_by(
    highlights: Sequence[tuple[tuple[int, int], ...]], needed: int
) -> tuple[tuple[int, int], ...]:
    """The characters that at least so many of the lists of ranges have.

    >>> shared_by([((0, 9),), ((5, 12),)], 2)
    ((5, 9),)
    """
    edges = Counter[int]()
    for ranges in highlights:
        for start, end in ranges:
            edges[start] += 1
            edges[end] -= 1
    found: list[tuple[int, int]] = []
    depth = begin = 0
    for at in sorted(edges):
        before, depth = depth, depth + edges[at]
        if before < needed <= depth:
            begin = at
        elif depth < needed <= before:
            found.append((begin, at))
    return tuple(found)


def chosen_value(how: Merge, values: Sequence[Number], assessors: int) -> Number:
    """The value that stands for those of all assessors; who gave none counts as having given 0.

    >>> chosen_value("majority", [3, 1], 3), chosen_value("union", [3, 1], 3)
    (1, 3)
    """
    at = {"union": assessors - 1, "intersection": 0, "majority": (assessors - 1) // 2}[how]
    in_order = sorted(values)
    below = bisect_left(in_order, 0)  # zeros that were not given follow these
    missing = assessors - len(values)
    if below <= at < below + missing:
        return in_order[0] - in_order[0]  # 0 as a number of the same kind
    return in_order[at if at < below else at - missing]


Grade = Grade2002 | Grade2003 | Grade2005


def _merged_grades(same: Sequence[Judgment], how: Merge) -> tuple[GradedElement, ...]:
    said: dict[str, list[Grade]] = {}
    for judgment in same:
        # What an assessor says last about an element counts.
        for path, grade in {one.path: one.grade for one in judgment.grades}.items():
            given = said.setdefault(path, [])
            if grade is not None:
                given.append(grade)
    return tuple(
        GradedElement(path, _merged_grade(given, len(same), how)) for path, given in said.items()
    )


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


def _merged_units(same: Sequence[Judgment], how: Merge) -> tuple[AssessedUnit, ...]:
    said: dict[tuple[str, ...], list[float]] = {}
    for judgment in same:
        for nodes, relevance in dict(judgment.units).items():
            said.setdefault(nodes, []).append(relevance)
    return tuple(
        AssessedUnit(nodes, chosen_value(how, given, len(same))) for nodes, given in said.items()
    )
