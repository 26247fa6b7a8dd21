"""What is relevant, as measures see it: arrays over all topics, made once for all runs.

The rows are the judged documents of all topics ("pairs" of topic and document), sorted by topic;
highlights, best entry points and lengths belong to pairs. Elements, their grades and the recall
bases chosen from them are made when a measure first asks for them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from doxeval.arrays import Bools, Ints, positions_in
from doxeval.assessments.assessed_elements import (
    AssessedElements,
    SpecificityFrom,
    elements_from_grades,
    elements_from_highlights,
    elements_from_lists,
)
from doxeval.assessments.grades import Grade2005, Specificity
from doxeval.assessments.judgment import Assessments
from doxeval.assessments.quantisations import Quantisation, quantisation_named
from doxeval.assessments.recall_bases import (
    LINKS,
    RecallBase,
    full_recall_base,
    ideal_recall_base,
)
from doxeval.documents import Collection
from doxeval.errors import MissingInput
from doxeval.measures.base import Floats
from doxeval.spans import Spans

if TYPE_CHECKING:
    from doxeval.navigation import Navigation


@dataclass(frozen=True, eq=False)
class GroundTruth:
    """Assessments as arrays.

    topic, document: of each pair, the document as its place in `documents`. length and entry are
    -1 where they are not known. highlights: grouped by the row of the pair.
    """

    assessments: Assessments
    collection: Collection | None
    specificity: SpecificityFrom
    topics: tuple[str, ...]
    documents: tuple[str, ...]
    topic: Ints
    document: Ints
    is_relevant: Bools
    length: Ints
    entry: Ints
    highlights: Spans
    navigation: Navigation | None = None

    @classmethod
    def of(
        cls,
        assessments: Assessments,
        collection: Collection | None = None,
        specificity: SpecificityFrom | None = None,
        navigation: Navigation | None = None,
    ) -> GroundTruth:
        """The arrays of assessments (resolved against the collection, if there is one).

        >>> from doxeval.assessments import Judgment
        >>> relevant, other = Judgment("7", "a", ((0, 5), (9, 12))), Judgment("7", "b")
        >>> truth = GroundTruth.of(Assessments([relevant, other]))
        >>> truth.highlighted.tolist(), truth.relevant_characters.tolist()
        ([8, 0], [8])
        """
        topics = {topic: place for place, topic in enumerate(assessments.topics)}
        documents: dict[str, int] = {}
        rows = []
        ranges = []
        for pair, judgment in enumerate(assessments):
            place = documents.setdefault(judgment.document, len(documents))
            length, entry = judgment.document_length, judgment.best_entry_point
            rows.append(
                (
                    topics[judgment.topic],
                    place,
                    judgment.is_relevant,
                    -1 if length is None else length,
                    -1 if entry is None else entry,
                )
            )
            ranges += [(pair, start, end) for start, end in judgment.highlights]
        topic, document, relevant, length_of, entry_of = (
            np.array(rows, dtype=np.int64).reshape(-1, 5).T
        )
        return cls(
            assessments,
            collection,
            specificity or ("file" if collection is None else "passages"),
            assessments.topics,
            tuple(documents),
            topic,
            document,
            relevant > 0,
            length_of,
            entry_of,
            Spans.of(ranges),
            navigation,
        )

    @cached_property
    def highlighted(self) -> Ints:
        """The number of highlighted characters of each pair."""
        found = np.zeros(len(self.topic), dtype=np.int64)
        np.add.at(found, self.highlights.group, self.highlights.lengths())
        return found

    @cached_property
    def relevant_characters(self) -> Ints:
        """The number of highlighted characters of each topic."""
        return self.sum_by_topic(self.highlighted)

    @cached_property
    def relevant_documents(self) -> Ints:
        """The number of relevant documents of each topic."""
        return self.sum_by_topic(self.is_relevant.astype(np.int64))

    def sum_by_topic(self, values: Ints) -> Ints:
        """Whole numbers of pairs, summed for each topic."""
        found = np.zeros(len(self.topics), dtype=np.int64)
        np.add.at(found, self.topic, values)
        return found

    @cached_property
    def has_highlights(self) -> bool:
        """Whether the relevant text is known, wherever there is some."""
        return len(self.highlights.start) > 0

    @cached_property
    def pair_keys(self) -> tuple[Ints, Ints]:
        """Topic and document as one number, ascending, and the pair of each."""
        keys = self.topic * len(self.documents) + self.document
        order = np.argsort(keys)
        return keys[order], order

    @cached_property
    def _collection_numbers(self) -> tuple[Ints, Ints]:
        """The collection's numbers of the judged documents, ascending, and the place of each."""
        numbers = self.known_collection.find_documents(self.documents)
        order = np.argsort(numbers)
        return numbers[order], order

    def places_of(self, documents: Ints) -> Ints:
        """Documents of the collection as places in `documents`; -1 for those never judged."""
        numbers, order = self._collection_numbers
        found = positions_in(numbers, documents)
        return np.where((found < 0) | (documents < 0), -1, order[found])

    def pairs_of(self, topic: Ints, documents: Ints) -> Ints:
        """The judged pairs of topics and documents of the collection, -1 where there is none."""
        return self.find_pairs(topic, self.places_of(documents))

    def find_pairs(self, topic: Ints, place: Ints) -> Ints:
        """The judged pairs of topics and places in `documents`, -1 where there is none."""
        keys, rows = self.pair_keys
        found = np.full(len(topic), -1, dtype=np.int64)
        known = np.flatnonzero(place >= 0)
        at = positions_in(keys, topic[known] * len(self.documents) + place[known])
        found[known] = np.where(at < 0, -1, rows[at])
        return found

    # Elements

    @lru_cache(8)  # noqa: B019  # there is one such value in a process
    def elements(self, quantisation: Quantisation) -> AssessedElements:
        """The elements that a quantisation can be used on."""
        if Specificity in quantisation.scales:
            return self._elements_by_specificity
        if Grade2005 in quantisation.scales:
            return self._elements_of_2005
        if self.has_grades or not self.is_relevant.any():
            return self._graded_elements
        raise MissingInput(
            f"the quantisation {quantisation.name} takes grades of 2002–04, and the assessments "
            "have none" + ("; highlighted text takes quant=spec" if self.has_highlights else "")
        )

    @cached_property
    def _graded_elements(self) -> AssessedElements:
        return elements_from_grades(self.assessments, self.collection)

    @cached_property
    def _elements_by_specificity(self) -> AssessedElements:
        by_passages = self.has_highlights or not self.is_relevant.any()
        counted_here = self.specificity == "passages" or not self._has_lists
        if by_passages and self.collection is not None and counted_here:
            return elements_from_highlights(self.assessments, self.collection)
        if self._has_lists:
            found = elements_from_lists(self.assessments, self.collection, self.specificity)
            return replace(found, scale=Specificity)
        if self.has_grades:
            raise MissingInput(
                "the assessments are grades of elements, so the measure needs to be told how they "
                "become numbers: quant=strict, gen or sog for 2002–04, strict5, gen5 or genLifted "
                "for 2005"
            )
        raise MissingInput("elements of highlighted text are known to the collection alone")

    @cached_property
    def _elements_of_2005(self) -> AssessedElements:
        if self._has_lists:
            return elements_from_lists(self.assessments, self.collection, self.specificity)
        graded = self._graded_elements
        if graded.scale is Grade2005 or not self.is_relevant.any():
            return replace(graded, scale=Grade2005)
        raise MissingInput("the assessments have no exhaustivity as 2005 graded it")

    @cached_property
    def has_grades(self) -> bool:
        """Whether elements were graded one by one."""
        return any(judgment.grades for judgment in self.assessments)

    @cached_property
    def _has_lists(self) -> bool:
        return any(judgment.elements for judgment in self.assessments)

    @lru_cache(32)  # noqa: B019  # there is one such value in a process
    def base(self, kind: str, quant: str, ignore: str = "none") -> RecallBase:
        """The full or ideal recall base."""
        if kind == "ideal":
            return ideal_recall_base(self.base("full", quant, ignore))
        quantisation = quantisation_named(quant)
        return full_recall_base(self.elements(quantisation), quantisation, ignored_tags(ignore))

    # The collection as a whole

    @property
    def mean_length(self) -> float | None:
        """The mean length of the collection's documents in characters."""
        if self.collection is None or not len(self.collection):
            return None
        return float(self.document_lengths.mean())

    @cached_property
    def document_lengths(self) -> Ints:
        """The length of every document of the collection, which must be there."""
        collection = self.known_collection
        return np.asarray(collection.nodes.end[collection.rows[:-1]], dtype=np.int64)

    @property
    def known_collection(self) -> Collection:
        """The collection; without one the measure cannot be computed."""
        if self.collection is None:
            raise MissingInput("the measure needs the collection")
        return self.collection

    def nothing(self) -> Floats:
        """No score for any topic."""
        return np.full(len(self.topics), np.nan)


def ignored_tags(ignore: str) -> frozenset[str]:
    """The tags that a parameter `ignore` names: none, links, or tags joined by +.

    >>> sorted(ignored_tags("p+b")), ignored_tags("none")
    (['b', 'p'], frozenset())
    """
    if ignore == "none":
        return frozenset()
    return LINKS if ignore == "links" else frozenset(ignore.split("+"))
