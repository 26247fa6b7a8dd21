"""The rules that grades of 2002–05 must obey; violations are listed, never repaired.

2003–04:

1. Exhaustivity is 0 exactly where specificity is 0.
2. An element is at least as exhaustive as every element inside it (compared with the nearest
   graded element around it).
3. An element that contains a specific element (specificity above 0) is specific itself.
4. An element that is nothing but its children (no text of its own, all children graded) is no
   more specific than the most specific child, and not exhaustive if no child is. Only a
   collection knows an element's children, so without one this rule is not checked.

2005, where exhaustivity is ?, 1 or 2 in rising order:

5. An element is at least as exhaustive as every element inside it.
6. An element that holds a whole highlighted passage is not too small (?). This too takes a
   collection.
7. Only elements with highlighted text are graded.

2002 (Piwowarski and Gallinari 2003, §1.1; Gövert et al. 2003, §4.2):

8. Relevance is 0 exactly where coverage is none (N).
9. No element is highly relevant but too small (3S).
10. An element is at least as relevant as every element inside it (compared with the nearest
    graded element around it).

Elements that are unjudged or not listed never violate a rule.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection as Values
from collections.abc import Iterator, Mapping
from typing import TypeVar

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments.contradictions import (
    RANK_OF_TOO_SMALL,
    Grades2003,
    Grades2005,
    Violation,
    contradiction,
    contradictions_of_2003,
    contradictions_of_2005,
)
from doxeval.assessments.element_paths import line_of, numbered_path
from doxeval.assessments.grades import Grade2002, Grade2003
from doxeval.assessments.judgment import Judgment
from doxeval.documents import Collection, Element
from doxeval.messages import short_path

G = TypeVar("G", Grade2002, Grade2003)


def violations(judgment: Judgment, collection: Collection | None = None) -> list[Violation]:
    """All violations of the rules among the grades of one document.

    >>> from doxeval.assessments.judgment import GradedElement
    >>> outer = GradedElement("/a[1]", Grade2003(1, 1))
    >>> inner = GradedElement("/a[1]/b[1]", Grade2003(2, 0))
    >>> found = violations(Judgment("7", "d", grades=(outer, inner)))
    >>> [violation.message for violation in found]
    ['/a[1]/b[1] is (2,0)', '/a[1] is (1,1) but /a[1]/b[1] in it is (2,0)']
    >>> too_small = GradedElement("/a[1]", Grade2002(3, "S"), line=5)
    >>> violations(Judgment("7", "d", grades=(too_small,)))
    [Violation(rule=9, path='/a[1]', message='/a[1] is 3S', line=5)]
    """
    found = [
        *_of_2005(judgment, collection),
        *_of_2002(_graded(judgment, Grade2002)),
        *_of_2003(judgment, _graded(judgment, Grade2003), collection),
    ]
    if not found:
        return []
    lines = {
        numbered_path(element, judgment): line_of(element, judgment) for element in judgment.grades
    }
    return [one._replace(line=lines.get(one.path, judgment.line)) for one in found]


def _graded(judgment: Judgment, scale: type[G]) -> dict[str, G]:
    """The grades of one scale, by path."""
    return {
        numbered_path(element, judgment): element.grade
        for element in judgment.grades
        if isinstance(element.grade, scale)
    }


def _of_2002(grades: Mapping[str, Grade2002]) -> Iterator[Violation]:
    for path, grade in grades.items():
        if (grade.relevance == 0) != (grade.coverage == "N"):
            yield Violation(8, path, f"{short_path(path)} is {grade}")
        if str(grade) == "3S":
            yield Violation(9, path, f"{short_path(path)} is {grade}")
    for above, path, message in _nested(grades):
        if grades[above].relevance < grades[path].relevance:
            yield Violation(10, above, message)


def _of_2003(
    judgment: Judgment, grades: dict[str, Grade2003], collection: Collection | None
) -> list[Violation]:
    paths = list(grades)
    most = np.full((len(paths), 2), -1, dtype=np.int64)
    if collection is not None and paths:
        most[:] = list(_of_children(judgment.document, grades, collection))
    columns = Grades2003(
        np.array([grade.exhaustivity for grade in grades.values()], dtype=np.int64),
        np.array([grade.specificity for grade in grades.values()], dtype=np.int64),
        _rows_above(paths),
        most[:, 0],
        most[:, 1],
    )
    return contradictions_of_2003(columns, paths.__getitem__)


def _rows_above(paths: list[str]) -> Ints:
    """The position of the nearest path above each among them, -1 where there is none."""
    above = _nearest_above(paths)
    position = {path: number for number, path in enumerate(paths)}
    return np.array([position[above[path]] if path in above else -1 for path in paths], np.int64)


def _nested(grades: Mapping[str, G]) -> Iterator[tuple[str, str, str]]:
    """Each graded element inside another: the nearest one around it, its own path, a message."""
    for path, above in _nearest_above(grades).items():
        yield above, path, contradiction(above, grades[above], path, grades[path])


def _of_2005(judgment: Judgment, collection: Collection | None) -> list[Violation]:
    grades = {numbered_path(element, judgment): element for element in judgment.elements}
    paths = list(grades)
    inside = _passages_inside(judgment, paths, collection)
    columns = Grades2005(
        np.array([_RANKS[element.exhaustivity] for element in grades.values()], dtype=np.int64),
        _rows_above(paths),
        np.array([inside.get(path, False) for path in paths], dtype=np.bool_),
        np.array([element.highlighted != 0 for element in grades.values()], dtype=np.bool_),
    )
    return contradictions_of_2005(columns, paths.__getitem__)


_RANKS = {0: 0, None: RANK_OF_TOO_SMALL, 1: 2, 2: 3}


def _passages_inside(
    judgment: Judgment, paths: list[str], collection: Collection | None
) -> dict[str, bool]:
    """Whether each element holds a whole passage, as far as the collection can tell."""
    if collection is None or not paths:
        return {}
    number = int(collection.find_documents([judgment.document])[0])
    nodes = collection.find_nodes([number] * len(paths), paths).tolist()
    places = {
        path: collection.node(node) for path, node in zip(paths, nodes, strict=True) if node >= 0
    }
    # Highlights are sorted and apart, so the first that starts in an element ends first, too.
    starts = [start for start, _ in judgment.highlights]
    found = {}
    for path, own in places.items():
        first = bisect_left(starts, own.start)
        found[path] = first < len(starts) and judgment.highlights[first][1] <= own.end
    return found


def _nearest_above(paths: Values[str]) -> dict[str, str]:
    """The nearest path above each that is among them, for those that have one.

    All paths are walked down once, step by step, so that the time goes by their lengths alone.
    """
    below: dict[tuple[int, str], int] = {}
    at_end: dict[int, str] = {}
    for path in paths:
        at = 0
        for step in path[1:].split("/"):
            at = below.setdefault((at, step), len(below) + 1)
        at_end[at] = path
    nearest: list[str | None] = [None]
    found: dict[str, str] = {}
    for (above, _), at in below.items():  # what is above comes first
        around = at_end.get(above, nearest[above])
        nearest.append(around)
        if around is not None and at in at_end:
            found[at_end[at]] = around
    return {path: found[path] for path in paths if path in found}


def _of_children(
    document: str, grades: dict[str, Grade2003], collection: Collection
) -> Iterator[tuple[int, int]]:
    """The highest grades of the children of each element that is nothing but graded children."""
    number = int(collection.find_documents([document])[0])
    nodes = collection.find_nodes([number] * len(grades), list(grades)).tolist()
    for node in nodes:
        if node < 0:
            yield -1, -1  # a path that names nothing has no children; resolving it says so
            continue
        element = collection.node(node)
        inner = [grades.get(child.path) for child in element.children()]
        graded = [other for other in inner if other is not None]
        if not graded or len(graded) < len(inner) or _has_own_text(element):
            yield -1, -1
        else:
            yield (
                max(other.exhaustivity for other in graded),
                max(other.specificity for other in graded),
            )


def _has_own_text(element: Element) -> bool:
    """Whether there is text other than white space outside of its children."""
    return bool(element.collection.points("strip").text_nodes(element.node))
