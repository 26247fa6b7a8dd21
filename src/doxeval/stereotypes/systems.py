"""Simulated systems: each returns relevant elements, or elements around or inside them.

They are caricatures of what real systems do: the scores of a measure show which of their mistakes
it forgives. (Piwowarski and Gallinari 2003, §4.1; random and leaves are controls.) What is relevant
they know as elements with values:

    ideal        the units that a perfect system returns, none inside another
    innermost    the relevant elements that have no relevant element inside

Ideal units are the ideal recall base. For grades of 2002 with quant=gen they are those of
Piwowarski and Gallinari 2003, §3.4: elements with exact coverage, except those inside another such
element, with the values 1 (3E), 0.5 (2E) or 0.25 (1E).

A list is in the order of the units, best first. An element that several units lead to is returned
once, at the rank of the best of them, with that unit's value as its score.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.assessments import (
    AssessedElements,
    Assessments,
    Grade2002,
    RecallBase,
    RelevantElements,
    exact_units,
    find_quantisation,
    has_none_inside,
)
from doxeval.documents import Collection, DocumentWords
from doxeval.runs import Kind

Unit = Literal["words", "characters"]


@dataclass(frozen=True)
class System:
    """A simulated system: its name, what it returns in words, and the function that does so.

    kind: whether it returns elements, or whole documents, given by their roots.

    >>> SYSTEMS["document"].title, SYSTEMS["document"].kind.name
    ('the documents of ideal units', 'DOCUMENT')
    """

    name: str
    title: str
    listed: Callable[[Situation], RankedElements]
    kind: Kind = Kind.ELEMENT


@dataclass(frozen=True, eq=False)
class Situation:
    """What a system knows when it makes the list of one topic.

    ideal, innermost: the relevant units, best first. max_results: how many results the list may
    have. unit: in which unit the sizes of children are counted.

    A system is a function of it; this one returns the best unit alone:

    >>> def first(situation: Situation) -> RankedElements:
    ...     return situation.ideal.rows(slice(1))
    """

    collection: Collection
    words: DocumentWords
    ideal: RankedElements
    innermost: RankedElements
    random: np.random.Generator
    max_results: int
    unit: Unit = "words"


class RankedElements(NamedTuple):
    """Elements of one topic, best first, each with its score.

    >>> elements = RankedElements(np.array([4, 7]), np.array([0.9, 0.5]))
    >>> elements.rows(slice(1)).node.tolist()
    [4]
    """

    node: Ints
    score: Floats

    def rows(self, rows: Ints | Bools | slice) -> RankedElements:
        """Return only these rows, in this order."""
        return RankedElements(self.node[rows], self.score[rows])


# What systems return


def _perfect(situation: Situation) -> RankedElements:
    return situation.ideal


def _documents(situation: Situation) -> RankedElements:
    collection, (node, value) = situation.collection, situation.ideal
    roots = np.asarray(collection.rows[collection.documents_of(node)], dtype=np.int64)
    return _once(RankedElements(roots, value))


def _parents(situation: Situation) -> RankedElements:
    node, value = situation.ideal
    parent = situation.collection.parents_of(node)
    return _once(RankedElements(np.where(parent < 0, node, parent), value))


def _ancestors(situation: Situation) -> RankedElements:
    node, value = situation.ideal
    levels = [node]
    while (levels[-1] >= 0).any():
        above = levels[-1].copy()
        left = np.flatnonzero(above >= 0)
        above[left] = situation.collection.parents_of(above[left])
        levels.append(above)
    lines = np.stack(levels[::-1], axis=1)  # one for each unit, the unit last
    listed = RankedElements(lines.ravel(), np.repeat(value, lines.shape[1]))
    return _once(listed.rows(listed.node >= 0))


def _biggest_children(situation: Situation) -> RankedElements:
    # Ideal units share no children.
    node, value = situation.ideal.rows(slice(situation.max_results))
    children = [_biggest_child(situation, unit) for unit in node.tolist()]
    return RankedElements(np.array(children, dtype=np.int64), value)


def _biggest_child(situation: Situation, node: int) -> int:
    """Return the first of the largest children; the element itself if no child has text."""
    collection = situation.collection
    children = collection.children_of(node)
    start, end = collection.nodes.start[children], collection.nodes.end[children]
    sizes = end - start
    if situation.unit == "words" and len(children):
        document = int(collection.documents_of(children[:1])[0])
        sizes = situation.words.of(document).count(start, end)
    return int(children[np.argmax(sizes)]) if sizes.any() else node


def _random(situation: Situation) -> RankedElements:
    elements = len(situation.collection.nodes.path)
    count = min(situation.max_results, elements)
    node = situation.random.choice(elements, count, replace=False)
    return RankedElements(node, 1 / np.arange(1, count + 1))


def _leaves(situation: Situation) -> RankedElements:
    """Sort by value, ties in random order, so that this control knows nothing but values."""
    node, value = situation.innermost
    return situation.innermost.rows(np.lexsort((situation.random.permutation(len(node)), -value)))


def _once(listed: RankedElements) -> RankedElements:
    """Return the elements without repetitions."""
    _, first = np.unique(listed.node, return_index=True)
    return listed.rows(np.sort(first))


SYSTEMS = {
    system.name: system
    for system in (
        System("perfect", "the ideal units", _perfect),
        System("document", "the documents of ideal units", _documents, Kind.DOCUMENT),
        System("parent", "the parents of ideal units (or the unit, if it is a root)", _parents),
        System("ancestors", "ideal units, each after all its ancestors, root first", _ancestors),
        System(
            "biggest-child",
            "the largest children of ideal units (or the unit, if it has none)",
            _biggest_children,
        ),
        System("random", "random elements of the collection", _random),
        System("leaves", "innermost elements with relevant text", _leaves),
    )
}


# What is relevant


class RelevantUnits(NamedTuple):
    """The relevant elements of all topics, as systems know them."""

    ideal: ValuedElements
    innermost: ValuedElements


class ValuedElements(NamedTuple):
    """Elements of all topics in document order; topics are numbered as in the assessments."""

    topic: Ints
    node: Ints
    value: Floats

    def best_first(self, topic: int) -> RankedElements:
        """Return the elements of one topic by value; tied ones in document order.

        >>> topic, value = np.array([0, 0, 1]), np.array([0.5, 1.0, 0.2])
        >>> ValuedElements(topic, np.array([3, 7, 9]), value).best_first(0)
        RankedElements(node=array([7, 3]), score=array([1. , 0.5]))
        """
        rows = np.flatnonzero(self.topic == topic)
        rows = rows[np.argsort(-self.value[rows], kind="stable")]
        return RankedElements(self.node[rows], self.value[rows])


def relevant_units(
    assessments: Assessments, collection: Collection, quant: str | None = None
) -> RelevantUnits:
    """Return the relevant units of assessments that are resolved against the collection.

    >>> from doxeval.assessments import Judgment
    >>> from doxeval.documents import example_collection
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> relevant = relevant_units(Assessments([Judgment("7", "a", ((0, 8),))]), collection)
    >>> relevant.ideal.node.tolist(), relevant.innermost.node.tolist()
    ([0], [1, 2])
    """
    relevant = RelevantElements(assessments, collection)
    quantisation = find_quantisation(quant or relevant.usual_quantisation)
    elements = relevant.elements(quantisation)
    full = relevant.base("full", quantisation)
    if elements.scale is Grade2002 and quantisation.name == "gen":
        row, value = exact_units(elements)
        ideal = ValuedElements(elements.topic[row], elements.node[row], value)
    else:
        ideal = _elements_of_base(elements, relevant.base("ideal", quantisation))
    return RelevantUnits(ideal, _elements_of_base(elements, full.rows(has_none_inside(full))))


def _elements_of_base(elements: AssessedElements, base: RecallBase) -> ValuedElements:
    return ValuedElements(base.topic, elements.node[base.row], base.value)
