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

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.assessments.elements import line_of, numbered_path
from doxeval.assessments.grades import Grade2002, Grade2003
from doxeval.assessments.judgment import Judgment
from doxeval.documents import Collection
from doxeval.messages import short_path

# Exhaustivity of 2005 in rising order; ? stands between 0 and 1.
RANK_OF_TOO_SMALL = 1
SHOWN_RANKS = ("0", "?", "1", "2")


class Violation(NamedTuple):
    """A rule that is broken, by number, where, and how.

    line: of the element at the path in its file, or else of its document; None if not known.
    """

    rule: int
    path: str
    message: str
    line: int | None = None


G = TypeVar("G", Grade2002, Grade2003)


def violations(judgment: Judgment, collection: Collection | None = None) -> list[Violation]:
    """Return all violations of the rules among the grades of one document.

    >>> from doxeval.assessments.judgment import GradedElement
    >>> outer = GradedElement("/a[1]", Grade2003(1, 1))
    >>> inner = GradedElement("/a[1]/b[1]", Grade2003(2, 0))
    >>> broken = violations(Judgment("7", "d", grades=(outer, inner)))
    >>> [violation.message for violation in broken]
    ['/a[1]/b[1] is (2,0)', '/a[1] is (1,1) but /a[1]/b[1] in it is (2,0)']
    >>> too_small = GradedElement("/a[1]", Grade2002(3, "S"), line=5)
    >>> violations(Judgment("7", "d", grades=(too_small,)))
    [Violation(rule=9, path='/a[1]', message='/a[1] is 3S', line=5)]
    """
    broken: list[Violation] = []
    if judgment.elements:
        broken += _violations_of_2005(judgment, collection)
    if of_2002 := _graded(judgment, Grade2002):
        broken += _violations_of_2002(of_2002)
    if of_2003 := _graded(judgment, Grade2003):
        broken += _violations_of_2003(judgment, of_2003, collection)
    if not broken:
        return []
    lines = {
        numbered_path(element, judgment): line_of(element, judgment) for element in judgment.grades
    }
    return [rule._replace(line=lines.get(rule.path, judgment.line)) for rule in broken]


def _graded(judgment: Judgment, scale: type[G]) -> dict[str, G]:
    """Return the grades of one scale, by path."""
    return {
        numbered_path(element, judgment): element.grade
        for element in judgment.grades
        if isinstance(element.grade, scale)
    }


def _violations_of_2002(grades: Mapping[str, Grade2002]) -> Iterator[Violation]:
    for path, grade in grades.items():
        if (grade.relevance == 0) != (grade.coverage == "N"):
            yield Violation(8, path, f"{short_path(path)} is {grade}")
        if str(grade) == "3S":
            yield Violation(9, path, f"{short_path(path)} is {grade}")
    paths = list(grades)
    for path, above in zip(paths, _rows_above(paths).tolist(), strict=True):
        outer = paths[above]
        if above >= 0 and grades[outer].relevance < grades[path].relevance:
            yield Violation(10, outer, _contradiction(outer, grades[outer], path, grades[path]))


def _violations_of_2003(
    judgment: Judgment, grades: dict[str, Grade2003], collection: Collection | None
) -> list[Violation]:
    paths = list(grades)
    most = np.full((len(paths), 2), -1, dtype=np.int64)
    if collection is not None:
        most[:] = list(_highest_of_children(judgment.document, grades, collection))
    columns = Grades2003(
        np.array([grade.exhaustivity for grade in grades.values()], dtype=np.int64),
        np.array([grade.specificity for grade in grades.values()], dtype=np.int64),
        _rows_above(paths),
        most[:, 0],
        most[:, 1],
    )
    return contradictions_of_2003(columns, paths.__getitem__)


def _highest_of_children(
    document: str, grades: dict[str, Grade2003], collection: Collection
) -> Iterator[tuple[int, int]]:
    """Yield the highest grades of children, for elements that are nothing but graded children."""
    for node in _find_nodes(document, list(grades), collection).tolist():
        if node < 0:
            yield -1, -1  # a path that names nothing has no children; resolving it says so
            continue
        inner = [grades.get(child.path) for child in collection.node(node).children()]
        graded = [grade for grade in inner if grade is not None]
        has_text = bool(collection.points("strip").text_nodes(node))  # outside of its children
        if not graded or len(graded) < len(inner) or has_text:
            yield -1, -1
        else:
            yield (
                max(grade.exhaustivity for grade in graded),
                max(grade.specificity for grade in graded),
            )


def _violations_of_2005(judgment: Judgment, collection: Collection | None) -> list[Violation]:
    grades = {numbered_path(element, judgment): element for element in judgment.elements}
    paths = list(grades)
    columns = Grades2005(
        np.array([_RANKS[element.exhaustivity] for element in grades.values()], dtype=np.int64),
        _rows_above(paths),
        _hold_passages(judgment, paths, collection),
        np.array([element.highlighted != 0 for element in grades.values()], dtype=np.bool_),
    )
    return contradictions_of_2005(columns, paths.__getitem__)


_RANKS = {0: 0, None: RANK_OF_TOO_SMALL, 1: 2, 2: 3}


def _hold_passages(
    judgment: Judgment, paths: Sequence[str], collection: Collection | None
) -> Bools:
    """Return whether each element holds a whole passage, as far as the collection can tell."""
    holds = np.zeros(len(paths), dtype=np.bool_)
    if collection is None or not judgment.highlights:
        return holds
    node = _find_nodes(judgment.document, paths, collection)
    start, end = np.array(judgment.highlights, dtype=np.int64).T
    # Highlights are sorted and apart, so the first that starts in an element ends first, too.
    first = np.searchsorted(start, collection.nodes.start[node])
    is_known = (node >= 0) & (first < len(start))
    holds[is_known] = end[first[is_known]] <= collection.nodes.end[node[is_known]]
    return holds


def _find_nodes(document: str, paths: Sequence[str], collection: Collection) -> Ints:
    number = int(collection.find_documents([document])[0])
    return collection.find_nodes([number] * len(paths), paths)


def _rows_above(paths: Sequence[str]) -> Ints:
    """Return, for each path, the position of its nearest listed ancestor, or -1.

    All paths are walked down once, step by step, so that the time depends on their lengths alone.
    """
    below: dict[tuple[int, str], int] = {}
    row_at: dict[int, int] = {}
    for row, path in enumerate(paths):
        at = 0
        for step in path[1:].split("/"):
            at = below.setdefault((at, step), len(below) + 1)
        row_at[at] = row
    rows: Ints = np.full(len(paths), -1, dtype=np.int64)
    nearest = [-1]  # the listed path around each step
    for (above, _), at in below.items():  # what is above comes first
        nearest.append(row_at.get(above, nearest[above]))
        if at in row_at:
            rows[row_at[at]] = nearest[at]
    return rows


# On columns: rows are graded elements of one document. The application for assessors asks these
# after every grade.


class Grades2003(NamedTuple):
    """Grades of 2003–04.

    above: the row of the nearest graded element around each, -1 if there is none.
    most_exhaustive, most_specific: the highest grades of its children, if it is nothing but
    children that are all graded; otherwise -1.
    """

    exhaustivity: Ints
    specificity: Ints
    above: Ints
    most_exhaustive: Ints
    most_specific: Ints

    def shown(self, row: int) -> str:
        """Return a grade as messages show it."""
        return f"({self.exhaustivity[row]},{self.specificity[row]})"


class Grades2005(NamedTuple):
    """Grades of 2005.

    rank: exhaustivity as the position in SHOWN_RANKS. above: as for 2003–04.
    holds_passage: whether it holds a whole passage, False also if nobody knows.
    is_highlighted: whether anything in it is highlighted.
    """

    rank: Ints
    above: Ints
    holds_passage: Bools
    is_highlighted: Bools

    def shown(self, row: int) -> str:
        """Return a grade as messages show it."""
        return SHOWN_RANKS[int(self.rank[row])]


def contradictions_of_2003(grades: Grades2003, path_of: Callable[[int], str]) -> list[Violation]:
    """Return the violations of rules 1 to 4.

    >>> none, above = np.array([-1, -1]), np.array([-1, 0])
    >>> grades = Grades2003(np.array([1, 2]), np.array([1, 1]), above, none, none)
    >>> contradictions_of_2003(grades, ["/a[1]", "/a[1]/b[1]"].__getitem__)[0].message
    '/a[1] is (1,1) but /a[1]/b[1] in it is (2,1)'
    """
    exhaustivity, specificity, above = grades.exhaustivity, grades.specificity, grades.above
    violations = [
        Violation(1, path_of(row), f"{short_path(path_of(row))} is {grades.shown(row)}")
        for row in np.flatnonzero((exhaustivity == 0) != (specificity == 0)).tolist()
    ]
    less = (above >= 0) & (exhaustivity[above] < exhaustivity)
    unspecific = (above >= 0) & (specificity > 0) & (specificity[above] == 0)
    for row in np.flatnonzero(less | unspecific).tolist():
        around = int(above[row])
        message = _contradiction(
            path_of(around), grades.shown(around), path_of(row), grades.shown(row)
        )
        broken = [rule for rule, is_broken in ((2, less[row]), (3, unspecific[row])) if is_broken]
        violations += [Violation(rule, path_of(around), message) for rule in broken]
    return violations + _beyond_children(grades, path_of)


def _beyond_children(grades: Grades2003, path_of: Callable[[int], str]) -> list[Violation]:
    is_all = grades.most_specific >= 0
    specific = is_all & (grades.specificity > grades.most_specific)
    exhaustive = is_all & (grades.exhaustivity > 0) & (grades.most_exhaustive == 0)
    violations = []
    for row in np.flatnonzero(specific | exhaustive).tolist():
        path = path_of(row)
        message = f"{short_path(path)} is {grades.shown(row)}, but nothing in it is"
        if specific[row]:
            more = f"{message} more specific than {grades.most_specific[row]}"
            violations.append(Violation(4, path, more))
        if exhaustive[row]:
            violations.append(Violation(4, path, f"{message} exhaustive"))
    return violations


def contradictions_of_2005(grades: Grades2005, path_of: Callable[[int], str]) -> list[Violation]:
    """Return the violations of rules 5 to 7.

    >>> yes, no = np.array([True]), np.array([-1])
    >>> grades = Grades2005(np.array([RANK_OF_TOO_SMALL]), no, yes, yes)
    >>> contradictions_of_2005(grades, ["/a[1]"].__getitem__)[0].message
    '/a[1] is ? but holds a whole highlighted passage'
    """
    rank, above = grades.rank, grades.above
    less = (above >= 0) & (rank[above] < rank)
    small = grades.holds_passage & (rank == RANK_OF_TOO_SMALL)
    violations: list[Violation] = []
    for row in np.flatnonzero(less | small | ~grades.is_highlighted).tolist():
        path, around = path_of(row), int(above[row])
        if less[row]:
            outer = path_of(around)
            message = _contradiction(outer, grades.shown(around), path, grades.shown(row))
            violations.append(Violation(5, outer, message))
        if small[row]:
            message = f"{short_path(path)} is ? but holds a whole highlighted passage"
            violations.append(Violation(6, path, message))
        if not grades.is_highlighted[row]:
            message = f"{short_path(path)} is graded but nothing in it is highlighted"
            violations.append(Violation(7, path, message))
    return violations


def _contradiction(above: str, its_grade: object, path: str, grade: object) -> str:
    """Return a sentence about two grades that do not go together."""
    return f"{short_path(above)} is {its_grade} but {short_path(path)} in it is {grade}"
