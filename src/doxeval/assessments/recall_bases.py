"""Recall bases: which of the assessed elements a perfect system would return.

    full       every element whose quantised grade is above 0
    ideal      on each maximal relevant path the best element, and none inside another

A relevant path leads from a root down to a relevant element that has no relevant element inside;
the best element on it has the highest number, and of equal ones it is the outermost. Of two chosen
elements that overlap the ancestor stays. (Lalmas et al. 2007, §5;
Lalmas and Tombros 2007, §3.3)

A base can be filtered: elements with certain tags are left out before either is built. INEX 2006
left out links, whose few words are often wholly highlighted.

`exact_units` are what Piwowarski and Gallinari 2003 take for ideal with grades of 2002.
"""

from __future__ import annotations

from collections.abc import Collection as Container
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.assessments.assessed_elements import AssessedElements
from doxeval.assessments.grades import COVERAGES
from doxeval.assessments.quantisations import Quantisation

LINKS = frozenset(
    f"{kind}link"
    for kind in (
        "collection", "wikipedia", "redirect", "unknown", "outside", "web", "image", "language",
    )
)  # fmt: skip


@dataclass(frozen=True)
class RecallBase:
    """Elements with exact values above 0, sorted by topic and document order.

    row: where each stands among the assessed elements. begin, after: topic and node as one
    number, so that an element is inside another exactly if its range is.
    """

    row: Ints
    topic: Ints
    document: Ints
    begin: Ints
    after: Ints
    numerator: Ints
    denominator: Ints

    def __len__(self) -> int:
        return len(self.row)

    @property
    def value(self) -> Floats:
        """The values as floats."""
        found: Floats = self.numerator / self.denominator
        return found

    def rows(self, rows: Ints | Bools) -> RecallBase:
        """Only some of the elements."""
        return RecallBase(*(getattr(self, column.name)[rows] for column in fields(self)))


def full_recall_base(
    elements: AssessedElements, quantisation: Quantisation, ignored: Container[str] = ()
) -> RecallBase:
    """Every element with a value above 0 whose tag is not ignored.

    >>> from doxeval.assessments.assessed_elements import elements_from_grades
    >>> from doxeval.assessments.grades import Grade2003
    >>> from doxeval.assessments import Assessments, Judgment
    >>> from doxeval.assessments.judgment import GradedElement
    >>> from doxeval.assessments.quantisations import QUANTISATIONS
    >>> paths = {"/s[1]": (3, 1), "/s[1]/p[1]": (3, 3), "/s[1]/p[2]": (0, 0)}
    >>> grades = tuple(GradedElement(path, Grade2003(*es)) for path, es in paths.items())
    >>> elements = elements_from_grades(Assessments([Judgment("7", "a", grades=grades)]))
    >>> full = full_recall_base(elements, QUANTISATIONS["gen"])
    >>> full.value.tolist(), ideal_recall_base(full).value.tolist()
    ([0.75, 1.0], [1.0])
    """
    values = quantisation.values(elements.scale, elements.grades)
    kept = (values.numerator > 0) & (elements.size != 0) & ~elements.has_tag(ignored)
    rows = np.flatnonzero(kept)
    topic = elements.topic[rows]
    return RecallBase(
        rows,
        topic,
        elements.document[rows],
        elements.keys(topic, elements.node[rows]),
        elements.keys(topic, elements.after[rows]),
        values.numerator[rows],
        values.denominator[rows],
    )


def ideal_recall_base(full: RecallBase) -> RecallBase:
    """The ideal elements of a full base."""
    parent, depth = nesting(full.begin, full.after)
    best = np.arange(len(full))
    for level in range(1, int(depth.max(initial=0)) + 1):
        here = np.flatnonzero(depth == level)
        above = best[parent[here]]
        # Exact: a/b > c/d as whole numbers.
        higher = (
            full.numerator[here] * full.denominator[above]
            > full.numerator[above] * full.denominator[here]
        )
        best[here] = np.where(higher, here, above)
    has_none_inside = np.ones(len(full), dtype=np.bool_)
    has_none_inside[parent[parent >= 0]] = False
    chosen = np.unique(best[has_none_inside])
    reach = np.maximum.accumulate(np.append(0, full.after[chosen]))[:-1]
    return full.rows(chosen[full.begin[chosen] >= reach])


class ExactUnits(NamedTuple):
    """Elements with exact coverage: their rows among the assessed elements, and their worth."""

    row: Ints
    value: Floats


_EXACT = COVERAGES.index("E")
_WORTH = np.array([0.0, 0.25, 0.5, 1.0])  # of an exact unit, by its relevance


def exact_units(elements: AssessedElements, ignored: Container[str] = ()) -> ExactUnits:
    """The elements with exact coverage (grades of 2002) but those inside another.

    They are worth 1 (3E), 0.5 (2E) or 0.25 (1E). Elements with ignored tags count as not assessed.
    (Piwowarski and Gallinari 2003, §3.4)

    >>> from doxeval.assessments import Assessments, Judgment
    >>> from doxeval.assessments.assessed_elements import elements_from_grades
    >>> from doxeval.assessments.grades import Grade2002
    >>> from doxeval.assessments.judgment import GradedElement
    >>> paths = {"/s[1]": "L", "/s[1]/p[1]": "E", "/s[1]/p[1]/b[1]": "E"}
    >>> grades = tuple(GradedElement(path, Grade2002(2, cov)) for path, cov in paths.items())
    >>> units = exact_units(elements_from_grades(Assessments([Judgment("7", "a", grades=grades)])))
    >>> units.row.tolist(), units.value.tolist()
    ([1], [0.5])
    """
    level = elements.grades.level
    is_exact = (elements.grades.part == _EXACT) & (level > 0) & (elements.size != 0)
    rows = np.flatnonzero(is_exact & ~elements.has_tag(ignored))
    topic = elements.topic[rows]
    begin = elements.keys(topic, elements.node[rows])
    _, depth = nesting(begin, elements.keys(topic, elements.after[rows]))
    rows = rows[depth == 0]
    return ExactUnits(rows, _WORTH[level[rows]])


def innermost(base: RecallBase) -> Bools:
    """Which elements of a base have no other one inside.

    >>> column = np.zeros(3, dtype=np.int64)
    >>> begin, after = np.array([0, 1, 4]), np.array([3, 3, 5])
    >>> innermost(RecallBase(column, column, column, begin, after, column, column)).tolist()
    [False, True, True]
    """
    parent, _ = nesting(base.begin, base.after)
    found = np.ones(len(base), dtype=np.bool_)
    found[parent[parent >= 0]] = False
    return found


def nesting(begin: Ints, after: Ints) -> tuple[Ints, Ints]:
    """For ranges in document order that nest: the innermost one around each (-1), and its depth.

    >>> parent, depth = nesting(np.array([0, 1, 2, 5]), np.array([5, 4, 3, 6]))
    >>> parent.tolist(), depth.tolist()
    ([-1, 0, 1, -1], [0, 1, 2, 0])
    """
    # Of the ranges that began before this one, all are around it but those that have ended.
    depth = np.arange(len(begin)) - np.searchsorted(np.sort(after), begin, side="right")
    parent = np.full(len(begin), -1, dtype=np.int64)
    above = np.flatnonzero(depth == 0)
    for level in range(1, int(depth.max(initial=0)) + 1):
        here = np.flatnonzero(depth == level)
        parent[here] = above[np.searchsorted(above, here) - 1]
        above = here
    return parent, depth
