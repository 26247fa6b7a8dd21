"""What is relevant, as simulated systems know it: units, and the value of each.

    ideal        the units that a perfect system returns, none inside another
    innermost    the relevant elements that have no relevant element inside

Ideal units are the ideal recall base. For grades of 2002 with quant=gen they are those of
Piwowarski and Gallinari 2003, §3.4: elements with exact coverage, except those inside another such
element, with the values 1 (3E), 0.5 (2E) or 0.25 (1E).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.assessments import (
    AssessedElements,
    Assessments,
    Grade2002,
    RecallBase,
    RelevantElements,
    exact_units,
    innermost,
    quantisation_named,
)
from doxeval.documents import Collection


class Ranked(NamedTuple):
    """Elements of one topic, best first, each with its score."""

    node: Ints
    score: Floats

    def rows(self, rows: Ints | Bools | slice) -> Ranked:
        """Only these rows, in this order."""
        return Ranked(self.node[rows], self.score[rows])


class Units(NamedTuple):
    """Elements of all topics in document order; topics are numbered as in the assessments."""

    topic: Ints
    node: Ints
    value: Floats

    def best_first(self, topic: int) -> Ranked:
        """The units of one topic by value; tied ones in document order.

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
    relevant = RelevantElements(assessments, collection)
    quantisation = quantisation_named(quant or relevant.usual_quantisation)
    elements = relevant.elements(quantisation)
    full = relevant.base("full", quantisation)
    if elements.scale is Grade2002 and quantisation.name == "gen":
        row, value = exact_units(elements)
        ideal = Units(elements.topic[row], elements.node[row], value)
    else:
        ideal = _units(elements, relevant.base("ideal", quantisation))
    return Relevant(ideal, _units(elements, full.rows(innermost(full))))


def _units(elements: AssessedElements, base: RecallBase) -> Units:
    return Units(base.topic, elements.node[base.row], base.value)
