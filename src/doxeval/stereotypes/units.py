"""What is relevant, as simulated systems know it: units, and what each is worth.

    ideal        what a perfect system returns, none inside another
    innermost    the relevant elements that have no relevant element inside

Ideal units are the ideal recall base. For grades of 2002 with quant=gen they are those of
Piwowarski and Gallinari 2003, §3.4: elements with exact coverage that have none such around them,
worth 1 (3E), 0.5 (2E) or 0.25 (1E).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.assessments import Assessments
from doxeval.assessments.assessed_elements import (
    AssessedElements,
    elements_from_grades,
    elements_from_highlights,
    elements_from_lists,
)
from doxeval.assessments.grades import COVERAGES, Grade2002, Grade2005, Specificity
from doxeval.assessments.quantisations import Quantisation, quantisation_named
from doxeval.assessments.recall_bases import (
    RecallBase,
    full_recall_base,
    ideal_recall_base,
    nesting,
)
from doxeval.documents import Collection
from doxeval.errors import MissingInput
from doxeval.runs.run import Floats

_EXACT = COVERAGES.index("E")
_WORTH = np.array([0.0, 0.25, 0.5, 1.0])  # of an exact unit, by its relevance


class Ranked(NamedTuple):
    """Elements of one topic, best first, each with its score."""

    node: Ints
    score: Floats

    def rows(self, rows: Ints | Bools | slice) -> Ranked:
        """Only these, in this order."""
        return Ranked(self.node[rows], self.score[rows])


class Units(NamedTuple):
    """Elements of all topics in document order, the topic as its place in the assessments."""

    topic: Ints
    node: Ints
    value: Floats

    def best_first(self, topic: int) -> Ranked:
        """The units of one topic by value; ties in document order.

        >>> units = Units(np.array([0, 0, 1]), np.array([3, 7, 9]), np.array([0.5, 1.0, 0.2]))
        >>> units.best_first(0)
        Ranked(node=array([7, 3]), score=array([1. , 0.5]))
        """
        own = np.flatnonzero(self.topic == topic)
        own = own[np.argsort(-self.value[own], kind="stable")]
        return Ranked(self.node[own], self.value[own])


class Relevant(NamedTuple):
    """The relevant units of all topics."""

    ideal: Units
    innermost: Units


def relevant_units(
    assessments: Assessments, collection: Collection, quant: str | None = None
) -> Relevant:
    """The units of assessments that are resolved against the collection.

    >>> from doxeval.assessments import Judgment
    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> relevant = relevant_units(Assessments([Judgment("7", "a", ((0, 8),))]), collection)
    >>> relevant.ideal.node.tolist(), relevant.innermost.node.tolist()
    ([0], [1, 2])
    """
    quantisation = quantisation_named(quant or usual_quantisation(assessments))
    elements = _elements(assessments, collection, quantisation)
    full = full_recall_base(elements, quantisation)
    if elements.scale is Grade2002 and quantisation.name == "gen":
        ideal = _exact_units(elements)
    else:
        ideal = _units(elements, ideal_recall_base(full))
    return Relevant(ideal, _units(elements, full.rows(_innermost(full))))


def usual_quantisation(assessments: Assessments) -> str:
    """The quantisation that fits: spec for highlighted text, gen or gen5 for grades.

    >>> from doxeval.assessments import Judgment
    >>> from doxeval.assessments.judgment import GradedElement
    >>> usual_quantisation(Assessments([Judgment("7", "a", ((0, 8),))]))
    'spec'
    >>> grades = (GradedElement("/s[1]", Grade2002(3, "E")),)
    >>> usual_quantisation(Assessments([Judgment("7", "a", grades=grades)]))
    'gen'
    """
    if any(judgment.highlights or judgment.elements for judgment in assessments):
        return "spec"
    graded = (element.grade for judgment in assessments for element in judgment.grades)
    first = next((grade for grade in graded if grade is not None), None)
    if first is None:
        return "spec"
    return "gen5" if isinstance(first, Grade2005) else "gen"


def _elements(
    assessments: Assessments, collection: Collection, quantisation: Quantisation
) -> AssessedElements:
    """The elements that a quantisation can be used on."""
    if Specificity in quantisation.scales:
        return _by_specificity(assessments, collection)
    lists = any(judgment.elements for judgment in assessments)
    if Grade2005 in quantisation.scales and lists:
        highlights = any(judgment.highlights for judgment in assessments)
        return elements_from_lists(assessments, collection, "passages" if highlights else "file")
    graded = elements_from_grades(assessments, collection)
    if len(graded):
        return graded
    if any(judgment.is_relevant for judgment in assessments):
        raise MissingInput(
            f"the quantisation {quantisation.name} takes grades, and the assessments have none; "
            "highlighted text takes spec"
        )
    return replace(graded, scale=quantisation.scales[0])


def _by_specificity(assessments: Assessments, collection: Collection) -> AssessedElements:
    relevant = [judgment for judgment in assessments if judgment.is_relevant]
    if any(judgment.highlights for judgment in relevant) or not relevant:
        return elements_from_highlights(assessments, collection)
    if any(judgment.elements for judgment in relevant):
        listed = elements_from_lists(assessments, collection, "file")
        return replace(listed, scale=Specificity)
    if any(judgment.grades for judgment in relevant):
        raise MissingInput(
            "the assessments are grades of elements, which become numbers by strict, gen or sog "
            "(2002–04), strict5, gen5 or genLifted (2005), not by spec"
        )
    raise MissingInput("the assessments have neither highlighted text nor grades of elements")


def _units(elements: AssessedElements, base: RecallBase) -> Units:
    return Units(base.topic, elements.node[base.row], base.value)


def _innermost(full: RecallBase) -> Bools:
    """Which elements have no other inside."""
    parent, _ = nesting(full.begin, full.after)
    found = np.ones(len(full), dtype=np.bool_)
    found[parent[parent >= 0]] = False
    return found


def _exact_units(elements: AssessedElements) -> Units:
    """The elements with exact coverage, but those inside another."""
    level = elements.grades.level
    rows = np.flatnonzero((elements.grades.part == _EXACT) & (level > 0) & (elements.size != 0))
    topic = elements.topic[rows]
    begin = elements.keys(topic, elements.node[rows])
    _, depth = nesting(begin, elements.keys(topic, elements.after[rows]))
    rows = rows[depth == 0]
    return Units(elements.topic[rows], elements.node[rows], _WORTH[level[rows]])
