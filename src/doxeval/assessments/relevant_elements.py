"""What assessments say about elements, for measures and simulated systems alike.

This is the one place that knows which elements fit a quantisation: those that hold highlighted
text, those that files of 2005–07 list, or those that were graded one by one. Elements outside the
target of their topic are left out, for strict CAS. Elements and recall bases are made when they
are first asked for, and kept.
"""

from __future__ import annotations

from collections.abc import Collection as Container
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.assessments.assessed_elements import (
    AssessedElements,
    SpecificityFrom,
    elements_from_grades,
    elements_from_highlights,
    elements_from_lists,
)
from doxeval.assessments.assessments import Assessments
from doxeval.assessments.grades import Grade2005, GradeColumns, Specificity
from doxeval.assessments.path_forest import PathForest
from doxeval.assessments.quantisations import Quantisation
from doxeval.assessments.recall_bases import RecallBase, full_recall_base, ideal_recall_base
from doxeval.documents import Collection, PathPatterns
from doxeval.errors import MissingInput


@dataclass(frozen=True, eq=False)
class RelevantElements:
    """The assessed elements, and the recall bases chosen from them.

    assessments: resolved against the collection, if there is one.
    specificity: whether the specificity of elements that files of 2005–07 list comes from passages
    or from the sizes in the file; None: from passages if there are any, and a collection.
    targets: by topic, the paths that its elements must match; other topics keep all elements.

    >>> from doxeval.assessments import Judgment
    >>> from doxeval.assessments.quantisations import QUANTISATIONS
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
        """The full or ideal recall base, without elements that have certain tags."""
        key = (kind, quantisation.name, frozenset(ignored))
        if key not in self._bases:
            if kind == "ideal":
                found = ideal_recall_base(self.base("full", quantisation, ignored))
            else:
                found = full_recall_base(self.elements(quantisation), quantisation, ignored)
            self._bases[key] = found
        return self._bases[key]

    def elements(self, quantisation: Quantisation) -> AssessedElements:
        """The elements that a quantisation can be used on; the same value each time."""
        if quantisation.name not in self._elements:
            found = self._elements_for(quantisation)
            if self.targets:
                matches = self.on_target(found.topic, found.node, found.forest)
                found = _only(found, np.flatnonzero(matches))
            self._elements[quantisation.name] = found
        return self._elements[quantisation.name]

    def on_target(self, topic: Ints, node: Ints, forest: PathForest | None = None) -> Bools:
        """Whether each element matches the target of its topic, if that has one.

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
        found = np.ones(len(node), dtype=np.bool_)
        if not self.targets or not len(node):
            return found
        if forest is not None:
            summary, path = forest.path_numbers
        elif self.collection is not None:
            summary, path = self.collection.summary, self.collection.nodes.path
        else:
            raise MissingInput("elements are matched with targets in a collection")
        for number, name in enumerate(self.assessments.topics):
            if name in self.targets:
                rows = np.flatnonzero(topic == number)
                found[rows] = self.targets[name].matches(summary)[path[node[rows]]]
        return found

    def _elements_for(self, quantisation: Quantisation) -> AssessedElements:
        if Specificity in quantisation.scales:
            return self._by_specificity
        if Grade2005 in quantisation.scales and self.has_lists:
            return self._listed
        return self._graded_for(quantisation)

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
        >>> [RelevantElements(Assessments([one])).usual_quantisation for one in judged]
        ['spec', 'gen']
        """
        if self.has_highlights or self.has_lists:
            return "spec"
        graded = (e.grade for one in self.assessments.detailed() for e in one.grades)
        scale = next((type(grade) for grade in graded if grade is not None), Specificity)
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
        """The graded elements; those of another scale are for the quantisation to refuse."""
        graded = self._graded
        if not self.is_anything_relevant and graded.scale not in quantisation.scales:
            return graded.none_of(quantisation.scales[0])
        if len(graded) or not self.is_anything_relevant:
            return graded
        wanted = "grades of 2002–04, and the assessments have none"
        if Grade2005 in quantisation.scales:
            wanted = "grades of 2005, and the assessments have no exhaustivity as 2005 graded it"
        hint = "; highlighted text takes quant=spec" if self.has_highlights else ""
        raise MissingInput(f"the quantisation {quantisation.name} takes {wanted}{hint}")

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
        return bool(is_whole.any()) or any(one.passages for one in self.assessments.detailed())

    @cached_property
    def has_units(self) -> bool:
        """Whether trees of elements were assessed one by one."""
        return any(judgment.units for judgment in self.assessments.detailed())

    @cached_property
    def has_grades(self) -> bool:
        """Whether elements were graded one by one."""
        return any(judgment.grades for judgment in self.assessments.detailed())

    @cached_property
    def has_lists(self) -> bool:
        """Whether elements are listed with their sizes, as in files of 2005–07."""
        return any(judgment.elements for judgment in self.assessments.detailed())


def _only(elements: AssessedElements, rows: Ints) -> AssessedElements:
    """Only some of the elements."""
    names = ("topic", "document", "node", "after", "tag", "size", "rsize")
    columns = {name: getattr(elements, name)[rows] for name in names}
    grades = GradeColumns(*(column[rows] for column in elements.grades))
    return replace(elements, **columns, grades=grades)
