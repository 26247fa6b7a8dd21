"""Mode 2003–04: exhaustivity and specificity of elements, 0 to 3 each.

The assessor may give any grade; what contradicts the rules is shown, never changed. What follows
from the given grades is inferred (see inference.py), and marked as such. When given grades change,
everything is inferred anew. Grades that a file marked as inferred, though they do not follow from
others by our rules, are kept as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from doxeval.arrays import Ints
from doxeval.assess.judging.article import NO_ROW, Article
from doxeval.assess.judging.inference import (
    NONE,
    columns_of,
    highest_of_children,
    inferred_grades,
    nearest_graded,
    ungraded_children,
)
from doxeval.assess.judging.refusals import Refused
from doxeval.assess.judging.state import Grade, State
from doxeval.assessments import Grades2003
from doxeval.messages import short_path


def graded(
    state: State, path: str, grade: Grade | None, article: Article
) -> tuple[Mapping[str, Grade], frozenset[str]]:
    """The grades after one element is graded, and which are inferred; None takes a grade back."""
    row = article.row_of(path)
    if row == NO_ROW:
        raise Refused("no-element", f"There is no element {short_path(path)} in the document.")
    if grade is not None and not isinstance(grade, tuple):
        raise Refused("value", "A grade is an exhaustivity and a specificity from 0 to 3.")
    own = article.path_of(row)
    given = {one: state.grades[one] for one in state.grades.keys() - _derived(state, article)}
    if grade is None:
        given.pop(own, None)
    else:
        given[own] = grade
    inferred = inferred_grades(given, article)
    if grade is None and own in inferred:
        raise Refused(
            "forced",
            "This grade follows from other grades: change those, or give this element another "
            "grade.",
        )
    foreign = (state.inferred & given.keys()) - {own}
    return {**given, **inferred}, frozenset(foreign | inferred.keys())


def _derived(state: State, article: Article) -> set[str]:
    """The paths whose grade is inferred from those that are not."""
    if not state.inferred:
        return set()
    given = {one: state.grades[one] for one in state.grades.keys() - state.inferred}
    forced = inferred_grades(given, article)
    return {one for one in state.inferred if forced.get(one) == state.grades[one]}


def for_contradictions(grades: Mapping[str, Grade], article: Article) -> tuple[Grades2003, Ints]:
    """The grades as the rules of consistency read them, and the row of each."""
    columns = columns_of(grades, article)
    is_graded = columns.is_graded
    rows = np.flatnonzero(is_graded)
    nearest = nearest_graded(is_graded, article)[rows]
    highest = highest_of_children(columns, article)
    is_full = article.nothing_but_children & (ungraded_children(is_graded, article) == 0)
    found = Grades2003(
        columns.exhaustivity[rows],
        columns.specificity[rows],
        np.where(nearest >= 0, np.searchsorted(rows, nearest), -1),
        np.where(is_full, highest.exhaustivity, NONE)[rows],
        np.where(is_full, highest.specificity, NONE)[rows],
    )
    return found, rows
