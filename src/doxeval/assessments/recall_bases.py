"""Recall bases: which of the assessed elements a perfect system would return.

    full       every element whose quantised grade is above 0
    ideal      on each maximal relevant path the best element, and none inside another

A relevant path leads from a root down to a relevant element that has no relevant element inside;
the best element on it has the highest number, and of equal ones it is the outermost. Of two chosen
elements that overlap the ancestor stays. (Lalmas et al. 2007, §5;
Lalmas and Tombros 2007, §3.3)

A base can be filtered: elements with certain tags are left out before either is built. INEX 2006
left out links, whose few words are often wholly highlighted.

`RelevantElements` is what measures and simulated systems ask: it alone knows which assessed
elements fit a quantisation. `exact_units` are what Piwowarski and Gallinari 2003 take for ideal
with grades of 2002.
"""

from __future__ import annotations

from collections.abc import Collection as Container
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints, distinct_below
from doxeval.assessments.assessments import Assessments
from doxeval.assessments.elements import (
    AssessedElements,
    PathForest,
    SpecificityFrom,
    elements_from_grades,
    elements_from_highlights,
    elements_from_lists,
)
from doxeval.assessments.grades import COVERAGES, Grade2005, Quantisation, Specificity
from doxeval.documents import Collection, PathPatterns
from doxeval.errors import MissingInput

LINKS = frozenset(
    f"{kind}link"
    for kind in (
        "collection", "wikipedia", "redirect", "unknown", "outside", "web", "image", "language",
    )
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class RelevantElements:
    """The assessed elements, and the recall bases chosen from them.

    Elements are those that hold highlighted text, those that files of 2005–07 list, or those that
    were graded one by one; those outside the target of their topic are left out, for strict CAS.
    Elements and bases are made when they are first needed, and kept.

    assessments: resolved against the collection, if there is one.
    specificity: whether the specificity of elements that files of 2005–07 list comes from passages
    or from the sizes in the file; None: from passages if there are any, and a collection.
    targets: by topic, the paths that its elements must match; other topics keep all elements.

    >>> from doxeval.assessments import Judgment
    >>> from doxeval.assessments.grades import QUANTISATIONS
    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> relevant = RelevantElements(Assessments([Judgment("7", "a", ((4, 8),))]), collection)
    >>> relevant.base("full", QUANTISATIONS["spec"]).value.tolist()
    [0.5, 1.0]
    >>> relevant.base("ideal", QUANTISATIONS["spec"]).value.tolist()
    [1.0]
    """

    assessments: Assessments
    collection: Collection | None = None
    specificity: SpecificityFrom | None = None
    targets: Mapping[str, PathPatterns] = field(default_factory=dict)
    _elements: dict[str, AssessedElements] = field(default_factory=dict, init=False, repr=False)
    _bases: dict[tuple[str, str, frozenset[str]], RecallBase] = field(
        default_factory=dict, init=False, repr=False
    )

    def base(
        self, kind: str, quantisation: Quantisation, ignored: Container[str] = ()
    ) -> RecallBase:
        """Return the full or ideal recall base, without elements that have certain tags."""
        key = (kind, quantisation.name, frozenset(ignored))
        if key not in self._bases:
            if kind == "ideal":
                base = ideal_recall_base(self.base("full", quantisation, ignored))
            else:
                base = full_recall_base(self.elements(quantisation), quantisation, ignored)
            self._bases[key] = base
        return self._bases[key]

    def elements(self, quantisation: Quantisation) -> AssessedElements:
        """Return the elements that a quantisation can be used on; the same value each time."""
        if quantisation.name not in self._elements:
            if Specificity in quantisation.scales:
                elements = self._by_specificity
            elif Grade2005 in quantisation.scales and self.has_lists:
                elements = self._listed
            else:
                elements = self._graded_for(quantisation)
            if self.targets:
                matches = self.on_target(elements.topic, elements.node, elements.forest)
                elements = elements.rows(np.flatnonzero(matches))
            self._elements[quantisation.name] = elements
        return self._elements[quantisation.name]

    def on_target(self, topic: Ints, node: Ints, forest: PathForest | None = None) -> Bools:
        """Return whether each element matches the target of its topic, if that has one.

        Elements are given by the number of their topic and their node in the collection (or in a
        forest of paths).

        >>> from doxeval.assessments import Judgment
        >>> from doxeval.documents.examples import example_collection
        >>> collection = example_collection({"a": "<s><p>One.</p></s>"})
        >>> judged, targets = Assessments([Judgment("7", "a")]), {"7": PathPatterns.parse("//p")}
        >>> relevant = RelevantElements(judged, collection, targets=targets)
        >>> relevant.on_target(np.array([0, 0]), np.array([0, 1])).tolist()
        [False, True]
        """
        matches = np.ones(len(node), dtype=np.bool_)
        if not self.targets or not len(node):
            return matches
        if forest is not None:
            summary, path = forest.path_numbers
        elif self.collection is not None:
            summary, path = self.collection.summary, self.collection.nodes.path
        else:
            raise MissingInput("elements are matched with targets in a collection")
        for number, name in enumerate(self.assessments.topics):
            if name in self.targets:
                rows = np.flatnonzero(topic == number)
                matches[rows] = self.targets[name].matches(summary)[path[node[rows]]]
        return matches

    @cached_property
    def _by_specificity(self) -> AssessedElements:
        if self.collection is not None and self.counts_highlights:
            return elements_from_highlights(self.assessments, self.collection)
        if self.has_lists:
            return replace(self._listed, scale=Specificity)
        if self.has_grades and not self.has_highlights:
            raise MissingInput(
                "the assessments are grades of elements, which become numbers by quant=strict, gen "
                "or sog (2002–04), or by strict5, gen5 or genLifted (2005), not by spec"
            )
        if self.has_highlights or self.has_unread_highlights:
            raise MissingInput("elements of highlighted text are known to the collection alone")
        raise MissingInput("the assessments have neither highlighted text nor grades of elements")

    @cached_property
    def _listed(self) -> AssessedElements:
        how: SpecificityFrom = "passages" if self._counts_passages else "file"
        return elements_from_lists(self.assessments, self.collection, how)

    @property
    def counts_highlights(self) -> bool:
        """Whether specificity is counted in highlighted text, not taken from lists or grades."""
        passages_decide = self.has_highlights or not self.is_anything_relevant
        return self.collection is not None and passages_decide and self._counts_passages

    @cached_property
    def usual_quantisation(self) -> str:
        """The quantisation that fits: spec for highlighted text, gen (2005: gen5) for grades.

        Highlighted text wins where there are both. The lists of 2005–07 count highlighted
        characters, so spec is for them too.

        >>> from doxeval.assessments import Judgment
        >>> from doxeval.assessments.grades import Grade2002
        >>> from doxeval.assessments.judgment import GradedElement
        >>> grades = (GradedElement("/s[1]", Grade2002(3, "E")),)
        >>> judged = Judgment("7", "a", ((0, 8),)), Judgment("7", "a", grades=grades)
        >>> [RelevantElements(Assessments([given])).usual_quantisation for given in judged]
        ['spec', 'gen']
        """
        if self.has_highlights or self.has_lists:
            return "spec"
        grades = (element.grade for _, element in self.assessments.columns.each("grades"))
        scale = next((type(grade) for grade in grades if grade is not None), Specificity)
        return {Specificity: "spec", Grade2005: "gen5"}.get(scale, "gen")

    @property
    def _counts_passages(self) -> bool:
        """Whether passages, not the sizes in lists, say how specific elements are."""
        if not self.has_lists:
            return True
        if self.specificity is None:
            return self.collection is not None and self.has_highlights
        return self.specificity == "passages"

    def _graded_for(self, quantisation: Quantisation) -> AssessedElements:
        """Return the graded elements; those of another scale are for the quantisation to refuse."""
        graded = self._graded
        if not self.is_anything_relevant and graded.scale not in quantisation.scales:
            return graded.none_of(quantisation.scales[0])
        if len(graded) or not self.is_anything_relevant:
            return graded
        missing = "grades of 2002–04, and the assessments have none"
        if Grade2005 in quantisation.scales:
            missing = "grades of 2005, and the assessments have no exhaustivity as 2005 graded it"
        hint = "; highlighted text takes quant=spec" if self.has_highlights else ""
        raise MissingInput(f"the quantisation {quantisation.name} takes {missing}{hint}")

    @cached_property
    def _graded(self) -> AssessedElements:
        return elements_from_grades(self.assessments, self.collection)

    @cached_property
    def is_anything_relevant(self) -> bool:
        """Whether any document is relevant."""
        return bool(self.assessments.columns.is_relevant.any())

    @cached_property
    def has_highlights(self) -> bool:
        """Whether any text is highlighted."""
        return len(self.assessments.columns.highlights.start) > 0

    @cached_property
    def has_unread_highlights(self) -> bool:
        """Whether only a collection knows what is highlighted: whole documents, or text points."""
        if self.collection is not None:
            return False
        is_whole = self.assessments.columns.grade > 0
        return bool(is_whole.any()) or self.assessments.columns.have("passages")

    @cached_property
    def has_units(self) -> bool:
        """Whether trees of elements were assessed one by one."""
        return self.assessments.columns.have("units")

    @cached_property
    def has_grades(self) -> bool:
        """Whether elements were graded one by one."""
        return self.assessments.columns.have("grades")

    @cached_property
    def has_lists(self) -> bool:
        """Whether elements are listed with their sizes, as in files of 2005–07."""
        return self.assessments.columns.have("elements")


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
        value: Floats = self.numerator / self.denominator
        return value

    def rows(self, rows: Ints | Bools) -> RecallBase:
        """Return only some of the elements."""
        return RecallBase(*(getattr(self, column.name)[rows] for column in fields(self)))


def full_recall_base(
    elements: AssessedElements, quantisation: Quantisation, ignored: Container[str] = ()
) -> RecallBase:
    """Return every element with a value above 0 whose tag is not ignored.

    >>> from doxeval.assessments.elements import elements_from_grades
    >>> from doxeval.assessments.grades import Grade2003
    >>> from doxeval.assessments import Assessments, Judgment
    >>> from doxeval.assessments.judgment import GradedElement
    >>> from doxeval.assessments.grades import QUANTISATIONS
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
    """Return the ideal elements of a full base."""
    parent, depth = nesting(full.begin, full.after)
    best = np.arange(len(full))  # on the path down to each element
    for level in range(1, int(depth.max(initial=0)) + 1):
        here = np.flatnonzero(depth == level)
        above = best[parent[here]]
        # Exact: a/b > c/d as whole numbers.
        higher = (
            full.numerator[here] * full.denominator[above]
            > full.numerator[above] * full.denominator[here]
        )
        best[here] = np.where(higher, here, above)
    chosen, _ = distinct_below(len(full), best[_innermost(parent)])
    reach = np.maximum.accumulate(np.append(0, full.after[chosen]))[:-1]
    return full.rows(chosen[full.begin[chosen] >= reach])


class ExactUnits(NamedTuple):
    """Elements with exact coverage: their rows among the assessed elements, and their worth."""

    row: Ints
    value: Floats


_EXACT = COVERAGES.index("E")
_WORTH = np.array([0.0, 0.25, 0.5, 1.0])  # of an exact unit, by its relevance


def exact_units(elements: AssessedElements, ignored: Container[str] = ()) -> ExactUnits:
    """Return the elements with exact coverage (grades of 2002) but those inside another.

    They are worth 1 (3E), 0.5 (2E) or 0.25 (1E). Elements with ignored tags count as not assessed.
    (Piwowarski and Gallinari 2003, §3.4)

    >>> from doxeval.assessments import Assessments, Judgment
    >>> from doxeval.assessments.elements import elements_from_grades
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


def has_none_inside(base: RecallBase) -> Bools:
    """Return which elements of a base have no other one inside.

    >>> column = np.zeros(3, dtype=np.int64)
    >>> begin, after = np.array([0, 1, 4]), np.array([3, 3, 5])
    >>> has_none_inside(RecallBase(column, column, column, begin, after, column, column)).tolist()
    [False, True, True]
    """
    return _innermost(nesting(base.begin, base.after)[0])


def _innermost(parent: Ints) -> Bools:
    """Return which elements are the parent of no other."""
    is_innermost = np.ones(len(parent), dtype=np.bool_)
    is_innermost[parent[parent >= 0]] = False
    return is_innermost


def nesting(begin: Ints, after: Ints) -> tuple[Ints, Ints]:
    """Return, for spans in document order that nest, the innermost one around each (-1) and depth.

    >>> parent, depth = nesting(np.array([0, 1, 2, 5]), np.array([5, 4, 3, 6]))
    >>> parent.tolist(), depth.tolist()
    ([-1, 0, 1, -1], [0, 1, 2, 0])
    """
    # Of the spans that began before this one, all are around it but those that have ended.
    depth = np.arange(len(begin)) - np.searchsorted(np.sort(after), begin, side="right")
    parent = np.full(len(begin), -1, dtype=np.int64)
    above = np.flatnonzero(depth == 0)
    for level in range(1, int(depth.max(initial=0)) + 1):
        here = np.flatnonzero(depth == level)
        parent[here] = above[np.searchsorted(above, here) - 1]
        above = here
    return parent, depth
