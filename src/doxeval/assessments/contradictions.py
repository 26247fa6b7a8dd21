"""Which of many grades of one document break the rules of consistency.py, on columns.

Rows are graded elements. Whoever has the grades in columns already asks here: the application for
assessors, after every grade.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints
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
        """A grade as messages show it."""
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
        """A grade as messages show it."""
        return SHOWN_RANKS[int(self.rank[row])]


def contradictions_of_2003(grades: Grades2003, path_of: Callable[[int], str]) -> list[Violation]:
    """The violations of rules 1 to 4.

    >>> no, one = np.array([-1, -1]), np.array([-1, 0])
    >>> grades = Grades2003(np.array([1, 2]), np.array([1, 1]), one, no, no)
    >>> contradictions_of_2003(grades, ["/a[1]", "/a[1]/b[1]"].__getitem__)[0].message
    '/a[1] is (1,1) but /a[1]/b[1] in it is (2,1)'
    """
    exhaustivity, specificity, above = grades.exhaustivity, grades.specificity, grades.above
    found = [
        Violation(1, path_of(row), f"{short_path(path_of(row))} is {grades.shown(row)}")
        for row in np.flatnonzero((exhaustivity == 0) != (specificity == 0)).tolist()
    ]
    less = (above >= 0) & (exhaustivity[above] < exhaustivity)
    unspecific = (above >= 0) & (specificity > 0) & (specificity[above] == 0)
    for row in np.flatnonzero(less | unspecific).tolist():
        around = int(above[row])
        message = contradiction(
            path_of(around), grades.shown(around), path_of(row), grades.shown(row)
        )
        broken = [rule for rule, is_broken in ((2, less[row]), (3, unspecific[row])) if is_broken]
        found += [Violation(rule, path_of(around), message) for rule in broken]
    return found + _beyond_children(grades, path_of)


def _beyond_children(grades: Grades2003, path_of: Callable[[int], str]) -> list[Violation]:
    is_all = grades.most_specific >= 0
    specific = is_all & (grades.specificity > grades.most_specific)
    exhaustive = is_all & (grades.exhaustivity > 0) & (grades.most_exhaustive == 0)
    found = []
    for row in np.flatnonzero(specific | exhaustive).tolist():
        path = path_of(row)
        own = f"{short_path(path)} is {grades.shown(row)}, but nothing in it is"
        if specific[row]:
            message = f"{own} more specific than {grades.most_specific[row]}"
            found.append(Violation(4, path, message))
        if exhaustive[row]:
            found.append(Violation(4, path, f"{own} exhaustive"))
    return found


def contradictions_of_2005(grades: Grades2005, path_of: Callable[[int], str]) -> list[Violation]:
    """The violations of rules 5 to 7.

    >>> yes, no = np.array([True]), np.array([-1])
    >>> grades = Grades2005(np.array([RANK_OF_TOO_SMALL]), no, yes, yes)
    >>> contradictions_of_2005(grades, ["/a[1]"].__getitem__)[0].message
    '/a[1] is ? but holds a whole highlighted passage'
    """
    rank, above = grades.rank, grades.above
    less = (above >= 0) & (rank[above] < rank)
    small = grades.holds_passage & (rank == RANK_OF_TOO_SMALL)
    found: list[Violation] = []
    for row in np.flatnonzero(less | small | ~grades.is_highlighted).tolist():
        path, around = path_of(row), int(above[row])
        if less[row]:
            outer = path_of(around)
            message = contradiction(outer, grades.shown(around), path, grades.shown(row))
            found.append(Violation(5, outer, message))
        if small[row]:
            message = f"{short_path(path)} is ? but holds a whole highlighted passage"
            found.append(Violation(6, path, message))
        if not grades.is_highlighted[row]:
            message = f"{short_path(path)} is graded but nothing in it is highlighted"
            found.append(Violation(7, path, message))
    return found


def contradiction(above: str, its_grade: object, path: str, grade: object) -> str:
    """A sentence about two grades that do not go together."""
    return f"{short_path(above)} is {its_grade} but {short_path(path)} in it is {grade}"
