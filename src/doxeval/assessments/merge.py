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

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal, TypeVar, get_args

from doxeval.assessments.grades import Grade2002, Grade2003, Grade2005
from doxeval.assessments.judgment import AssessedUnit, GradedElement, Judgment
from doxeval.errors import FormatError

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
    lengths = {judgment.document_length for judgment in same} - {None}
    if len(lengths) > 1:
        raise FormatError(
            f"document {first.document} has {' and '.join(map(str, sorted(filter(None, lengths))))}"
            " characters in different judgments",
            first.origin,
            first.line,
        )
    highlights = _shared_by([judgment.highlights for judgment in same], _needed(how, len(same)))
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
        relevance=_chosen(how)(grades) if grades else None,
        grades=_merged_grades(same, how),
        units=_merged_units(same, how),
        assessor=None,
        pool=None,
    )


def _needed(how: Merge, assessors: int) -> int:
    """How many assessors must have highlighted a character."""
    return {"union": 1, "intersection": assessors, "majority": assessors // 2 + 1}[how]


def _shared_by(
    highlights: Sequence[tuple[tuple[int, int], ...]], needed: int
) -> tuple[tuple[int, int], ...]:
    """The characters that at least so many of the lists of ranges have."""
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


def _chosen(how: Merge) -> Callable[[Sequence[Number]], Number]:
    """The value that stands for several."""

    def chosen(values: Sequence[Number]) -> Number:
        last = len(values) - 1
        return sorted(values)[{"union": last, "intersection": 0, "majority": last // 2}[how]]

    return chosen


def _merged_grades(same: Sequence[Judgment], how: Merge) -> tuple[GradedElement, ...]:
    paths = dict.fromkeys(element.path for judgment in same for element in judgment.grades)
    by_path = [{element.path: element.grade for element in judgment.grades} for judgment in same]
    return tuple(
        GradedElement(path, _merged_grade([grades.get(path) for grades in by_path], how))
        for path in paths
    )


def _merged_grade(
    grades: Sequence[Grade2002 | Grade2003 | Grade2005 | None], how: Merge
) -> Grade2002 | Grade2003 | Grade2005 | None:
    given = [grade for grade in grades if grade is not None]
    if not given:
        return None
    if not all(isinstance(grade, Grade2003) for grade in given):
        raise FormatError("only grades of 2003–04 can be merged: others have no order")
    pairs = [
        (grade.exhaustivity, grade.specificity) if isinstance(grade, Grade2003) else (0, 0)
        for grade in grades
    ]
    choose = _chosen(how)
    return Grade2003(choose([e for e, _ in pairs]), choose([s for _, s in pairs]))


def _merged_units(same: Sequence[Judgment], how: Merge) -> tuple[AssessedUnit, ...]:
    nodes = dict.fromkeys(unit.nodes for judgment in same for unit in judgment.units)
    said = [dict(judgment.units) for judgment in same]
    choose = _chosen(how)
    return tuple(
        AssessedUnit(unit, choose([units.get(unit, 0.0) for units in said])) for unit in nodes
    )
