"""Mode 2003–04: exhaustivity and specificity of elements, 0 to 3 each.

The assessor may give any grade; what contradicts the rules (see assessments/consistency.py) is
shown, never changed. Where the rules leave one grade only, it is inferred, and marked as such:

- Whatever is inside an element of exhaustivity 0 is (0,0), as nothing is more exhaustive than
  what is around it. This ends at elements that the assessor graded otherwise.
- An element that has all its text in its children, all of them graded, is at least as exhaustive
  as each of them and at most as specific as the most specific of them. If all are (0,0), so is
  the element; if exhaustivity can only be one number (the highest of the children is 3, or what
  the element around it has) and the highest specificity is 1, its grade is those two.

Inferred grades follow the given ones: when those change, they are inferred anew. Grades that a
file marked as inferred, though these rules do not force them, are kept as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.assess.judging.article import NO_ROW, Article
from doxeval.assess.judging.refusals import Refused
from doxeval.assess.judging.state import Grade, State
from doxeval.assessments.contradictions import Grades2003
from doxeval.wording import short_path

_NONE = -1
HIGHEST = 3


class Columns(NamedTuple):
    """The exhaustivity and the specificity of every element of an article, -1 without a grade."""

    exhaustivity: Ints
    specificity: Ints

    @property
    def is_graded(self) -> Bools:
        """Whether each element has a grade."""
        graded: Bools = self.exhaustivity != _NONE
        return graded


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
    return {**given, **inferred}, foreign | inferred.keys()


def _derived(state: State, article: Article) -> set[str]:
    """The paths whose grade is inferred from those that are not."""
    if not state.inferred:
        return set()
    given = {one: state.grades[one] for one in state.grades.keys() - state.inferred}
    forced = inferred_grades(given, article)
    return {one for one in state.inferred if forced.get(one) == state.grades[one]}


def inferred_grades(given: Mapping[str, Grade], article: Article) -> dict[str, Grade]:
    """The grades that follow from the given ones, by path.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<s><p>Low</p><p>High</p></s>"}), "a")
    >>> inferred_grades({"/s[1]/p[1]": (3, 1), "/s[1]/p[2]": (2, 1)}, article)
    {'/s[1]': (3, 1)}
    >>> inferred_grades({"/s[1]": (0, 0)}, article)
    {'/s[1]/p[1]': (0, 0), '/s[1]/p[2]': (0, 0)}
    """
    columns = columns_of(given, article)
    is_given = columns.is_graded
    _infer_inside(columns, article)
    _infer_around(columns, article)
    rows = np.flatnonzero(columns.is_graded & ~is_given)
    pairs = zip(
        columns.exhaustivity[rows].tolist(), columns.specificity[rows].tolist(), strict=True
    )
    return dict(zip(article.paths_of(rows), pairs, strict=True))


def columns_of(grades: Mapping[str, Grade], article: Article) -> Columns:
    """Grades as columns over all elements of the article."""
    rows = article.rows_of(list(grades))
    values = np.array(list(grades.values()), dtype=np.int64).reshape(-1, 2)[rows >= 0]
    columns = Columns(*np.full((2, len(article)), _NONE, dtype=np.int64))
    columns.exhaustivity[rows[rows >= 0]] = values[:, 0]
    columns.specificity[rows[rows >= 0]] = values[:, 1]
    return columns


def nearest_graded(is_graded: Bools, article: Article) -> Ints:
    """The row of the nearest graded element around each element, -1 where there is none."""
    nearest = article.parent.copy()
    # Each round skips all that the rounds before skipped, so that few rounds are enough.
    while True:
        going = np.flatnonzero((nearest >= 0) & ~is_graded[nearest])
        if not len(going):
            return nearest
        nearest[going] = nearest[nearest[going]]


def _infer_inside(columns: Columns, article: Article) -> None:
    """Grade (0,0) what is inside elements of exhaustivity 0, and holds nothing graded otherwise."""
    is_graded = columns.is_graded
    nearest = nearest_graded(is_graded, article)
    in_zero = ~is_graded & (nearest >= 0) & (columns.exhaustivity[nearest] == 0)
    otherwise = is_graded & ((columns.exhaustivity > 0) | (columns.specificity > 0))
    before = np.append(0, np.cumsum(otherwise))
    rows = np.arange(len(article))
    zero = in_zero & (before[rows + article.size] == before[rows])
    columns.exhaustivity[zero] = columns.specificity[zero] = 0


def _infer_around(columns: Columns, article: Article) -> None:
    """Grade elements that are nothing but graded children, the innermost first."""
    while True:
        is_graded = columns.is_graded
        most = most_of_children(columns, article)
        nearest = nearest_graded(is_graded, article)
        highest = np.where(nearest >= 0, columns.exhaustivity[nearest], HIGHEST)
        is_open = ~is_graded & (most.specificity != _NONE)
        zero = is_open & (most.exhaustivity == 0) & (most.specificity == 0)
        single = is_open & (most.exhaustivity > 0) & (most.specificity == 1)
        forced = zero | (single & (most.exhaustivity == highest))
        if not forced.any():
            return
        columns.exhaustivity[forced] = most.exhaustivity[forced]
        columns.specificity[forced] = most.specificity[forced]


def most_of_children(columns: Columns, article: Article) -> Columns:
    """The highest grades of the children of elements that are nothing but graded children.

    They are -1 for all other elements.
    """
    parents = article.parent[1:]
    children = np.bincount(parents, minlength=len(article))
    counted = np.bincount(parents[columns.is_graded[1:]], minlength=len(article))
    is_all = article.nothing_but_children & (children == counted)
    most = Columns(*np.full((2, len(article)), _NONE, dtype=np.int64))
    for highest, column in zip(most, columns, strict=True):
        np.maximum.at(highest, parents, column[1:])
        highest[~is_all] = _NONE
    return most


def for_contradictions(grades: Mapping[str, Grade], article: Article) -> tuple[Grades2003, Ints]:
    """The grades as the rules of consistency read them, and the row of each."""
    columns = columns_of(grades, article)
    rows = np.flatnonzero(columns.is_graded)
    nearest = nearest_graded(columns.is_graded, article)[rows]
    above = np.where(nearest >= 0, np.searchsorted(rows, nearest), -1)
    most = most_of_children(columns, article)
    found = Grades2003(
        columns.exhaustivity[rows],
        columns.specificity[rows],
        above,
        most.exhaustivity[rows],
        most.specificity[rows],
    )
    return found, rows
