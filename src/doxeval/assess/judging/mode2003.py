"""Mode 2003–04: exhaustivity and specificity of elements, 0 to 3 each.

The assessor may give any grade; what contradicts the rules is shown, never changed. What follows
from the given grades is inferred, and marked as such. When given grades change, everything is
inferred anew. Grades that a file marked as inferred, though they do not follow from others by our
rules, are kept as they are.

A grade follows from others where only one grade breaks none of the rules.

Of every element without a grade, the grades around it and inside it bound what it can be (the
rules are those of assessments/consistency.py):

- It is not more exhaustive than the nearest graded element around it; and not specific at all
  if that one is not.
- It is at least as exhaustive as the nearest graded elements inside it; and specific if one of
  them is.
- If it is nothing but children, all of them graded, it is no more specific than the most specific
  of them, and not exhaustive if none of them is.
- If the element around it is nothing but children, and all the others are graded, then what the
  others do not account for must be in this one.
- Exhaustivity is 0 exactly where specificity is 0.

If the bounds leave one grade, it is inferred. Inferred grades bound further ones, so this goes on
round after round until nothing new is inferred.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.assess.judging.article import NO_ROW, Article
from doxeval.assess.judging.state import Grade, OperationRefused, State
from doxeval.assessments import Grades2003
from doxeval.messages import short_path

NONE = -1
HIGHEST = 3


class ElementGrades(NamedTuple):
    """The exhaustivity and the specificity of every element of an article, -1 without a grade."""

    exhaustivity: Ints
    specificity: Ints

    @property
    def is_graded(self) -> Bools:
        """Whether each element has a grade."""
        graded: Bools = self.exhaustivity != NONE
        return graded


class _Bounds(NamedTuple):
    """What the exhaustivity and the specificity of every element can be."""

    least_exhaustive: Ints
    most_exhaustive: Ints
    least_specific: Ints
    most_specific: Ints


def inferred_grades(given: Mapping[str, Grade], article: Article) -> dict[str, Grade]:
    """Return the grades that follow from the given ones, by path.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<s><p>Low</p><p>High</p></s>"}), "a")
    >>> inferred_grades({"/s[1]/p[1]": (3, 1), "/s[1]/p[2]": (2, 1)}, article)
    {'/s[1]': (3, 1)}
    >>> inferred_grades({"/s[1]": (0, 0)}, article)
    {'/s[1]/p[1]': (0, 0), '/s[1]/p[2]': (0, 0)}
    >>> inferred_grades({"/s[1]": (1, 3), "/s[1]/p[1]": (1, 1)}, article)
    {'/s[1]/p[2]': (1, 3)}
    """
    if not given:
        return {}
    columns = columns_of(given, article)
    is_given = columns.is_graded
    while _infer_one_round(columns, article):
        pass
    rows = np.flatnonzero(columns.is_graded & ~is_given)
    pairs = zip(
        columns.exhaustivity[rows].tolist(), columns.specificity[rows].tolist(), strict=True
    )
    return dict(zip(article.paths_of(rows), pairs, strict=True))


def columns_of(grades: Mapping[str, Grade], article: Article) -> ElementGrades:
    """Return grades as columns over all elements of the article."""
    rows = article.rows_of(list(grades))
    values = np.array(list(grades.values()), dtype=np.int64).reshape(-1, 2)[rows >= 0]
    columns = ElementGrades(*np.full((2, len(article)), NONE, dtype=np.int64))
    columns.exhaustivity[rows[rows >= 0]] = values[:, 0]
    columns.specificity[rows[rows >= 0]] = values[:, 1]
    return columns


def nearest_graded(is_graded: Bools, article: Article) -> Ints:
    """Return the row of the nearest graded element around each element, -1 where there is none."""
    nearest = article.parent.copy()
    # Each round skips all that the rounds before skipped, so that few rounds are enough.
    while True:
        going = np.flatnonzero((nearest >= 0) & ~is_graded[nearest])
        if not len(going):
            return nearest
        nearest[going] = nearest[nearest[going]]


def highest_of_children(columns: ElementGrades, article: Article) -> ElementGrades:
    """Return the highest exhaustivity and specificity among the graded children, -1 without any."""
    highest = ElementGrades(*np.full((2, len(article)), NONE, dtype=np.int64))
    for most, column in zip(highest, columns, strict=True):
        np.maximum.at(most, article.parent[1:], column[1:])
    return highest


def ungraded_children(is_graded: Bools, article: Article) -> Ints:
    """Count how many children of each element have no grade."""
    return np.bincount(article.parent[1:][~is_graded[1:]], minlength=len(article))


def _infer_one_round(columns: ElementGrades, article: Article) -> bool:
    """Grade the elements that can have one grade only; return whether there were any."""
    bounds = _bounds(columns, article)
    can_be_zero = (bounds.least_exhaustive <= 0) & (bounds.least_specific <= 0)
    exhaustivity = np.maximum(bounds.least_exhaustive, 1)
    specificity = np.maximum(bounds.least_specific, 1)
    above_zero = np.maximum(bounds.most_exhaustive - exhaustivity + 1, 0) * np.maximum(
        bounds.most_specific - specificity + 1, 0
    )
    is_single = ~columns.is_graded & (can_be_zero + above_zero == 1)
    columns.exhaustivity[is_single] = np.where(can_be_zero, 0, exhaustivity)[is_single]
    columns.specificity[is_single] = np.where(can_be_zero, 0, specificity)[is_single]
    return bool(is_single.any())


def _bounds(columns: ElementGrades, article: Article) -> _Bounds:
    is_graded = columns.is_graded
    nearest = nearest_graded(is_graded, article)
    has_above = nearest >= 0
    least_exhaustive, least_specific = _least_inside(columns, nearest, article)
    bounds = _Bounds(
        least_exhaustive,
        np.where(has_above, columns.exhaustivity[nearest], HIGHEST),
        least_specific,
        np.where(has_above & (columns.specificity[nearest] == 0), 0, HIGHEST),
    )
    _bound_by_children(bounds, columns, article)
    return bounds


def _bound_by_children(bounds: _Bounds, columns: ElementGrades, article: Article) -> None:
    """Narrow the bounds of elements that are nothing but children, and of their children."""
    is_graded = columns.is_graded
    highest = highest_of_children(columns, article)
    ungraded = ungraded_children(is_graded, article)
    full = np.flatnonzero(article.nothing_but_children & ~is_graded & (ungraded == 0))
    bounds.most_specific[full] = np.minimum(bounds.most_specific[full], highest.specificity[full])
    bounds.most_exhaustive[full[highest.exhaustivity[full] == 0]] = 0
    lacking = article.nothing_but_children & is_graded & (ungraded == 1)
    last = np.flatnonzero(~is_graded & (article.parent >= 0) & lacking[article.parent])
    around = article.parent[last]
    unaccounted = columns.specificity[around] > highest.specificity[around]
    least = np.where(unaccounted, columns.specificity[around], 0)
    bounds.least_specific[last] = np.maximum(bounds.least_specific[last], least)
    missing = (columns.exhaustivity[around] > 0) & (highest.exhaustivity[around] <= 0)
    bounds.least_exhaustive[last] = np.maximum(bounds.least_exhaustive[last], missing)


def _least_inside(columns: ElementGrades, nearest: Ints, article: Article) -> tuple[Ints, Ints]:
    """Return what the nearest graded elements inside each ungraded element demand of it at least.

    Those are the ones in its subtree that have the same nearest graded element around them as it
    has itself. Sorted by that and by row, they stand side by side.
    """
    rows = np.arange(len(article))
    keys = (nearest + 1) * (len(article) + 1) + rows
    rows_graded = np.flatnonzero(columns.is_graded)
    rows_graded = rows_graded[np.argsort(keys[rows_graded])]
    first = np.searchsorted(keys[rows_graded], keys + 1)
    after = np.searchsorted(keys[rows_graded], keys + article.size)

    def has_inside(is_it: Bools) -> Bools:
        before = np.append(0, np.cumsum(is_it[rows_graded]))
        inside: Bools = before[after] > before[first]
        return inside

    exhaustivity = sum(
        has_inside(columns.exhaustivity >= level).astype(np.int64)
        for level in range(1, HIGHEST + 1)
    )
    return np.asarray(exhaustivity), has_inside(columns.specificity > 0).astype(np.int64)


def graded(
    state: State, path: str, grade: Grade | None, article: Article
) -> tuple[Mapping[str, Grade], frozenset[str]]:
    """Return the grades after one is given (None takes it back), and which are inferred."""
    row = article.row_of(path)
    if row == NO_ROW:
        raise OperationRefused(
            "no-element", f"There is no element {short_path(path)} in the document."
        )
    if grade is not None and not isinstance(grade, tuple):
        raise OperationRefused("value", "A grade is an exhaustivity and a specificity from 0 to 3.")
    numbered = article.path_of(row)
    given = {other: state.grades[other] for other in state.grades.keys() - _derived(state, article)}
    if grade is None:
        given.pop(numbered, None)
    else:
        given[numbered] = grade
    inferred = inferred_grades(given, article)
    if grade is None and numbered in inferred:
        raise OperationRefused(
            "forced",
            "This grade follows from other grades: change those, or give this element another "
            "grade.",
        )
    foreign = (state.inferred & given.keys()) - {numbered}
    return {**given, **inferred}, frozenset(foreign | inferred.keys())


def _derived(state: State, article: Article) -> set[str]:
    """Return the paths whose grade is inferred from those that are not."""
    if not state.inferred:
        return set()
    given = {other: state.grades[other] for other in state.grades.keys() - state.inferred}
    forced = inferred_grades(given, article)
    return {other for other in state.inferred if forced.get(other) == state.grades[other]}


def for_contradictions(grades: Mapping[str, Grade], article: Article) -> tuple[Grades2003, Ints]:
    """Return the grades as the rules of consistency read them, and the row of each."""
    columns = columns_of(grades, article)
    is_graded = columns.is_graded
    rows = np.flatnonzero(is_graded)
    nearest = nearest_graded(is_graded, article)[rows]
    highest = highest_of_children(columns, article)
    is_full = article.nothing_but_children & (ungraded_children(is_graded, article) == 0)
    read = Grades2003(
        columns.exhaustivity[rows],
        columns.specificity[rows],
        np.where(nearest >= 0, np.searchsorted(rows, nearest), -1),
        np.where(is_full, highest.exhaustivity, NONE)[rows],
        np.where(is_full, highest.specificity, NONE)[rows],
    )
    return read, rows
