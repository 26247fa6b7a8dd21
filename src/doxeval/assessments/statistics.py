"""The figures that papers report of assessments.

- how many documents were judged, and how many are relevant;
- how many elements have each grade, at which level, with which tag. Of the elements with exact
  coverage, 87 % were below the article in 2002 (Gövert et al. 2003, §4.3);
- how many elements are highlighted in part or wholly. Of the latter, 18 % were links in 2006
  (Lalmas et al. 2007, §8.1).

All that is reported of elements is a sum over counts by grade, level and tag (`ElementCounts`).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from collections.abc import Collection as Container
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from doxeval.arrays import Bools, Ints, distinct_below, portions
from doxeval.assessments.assessments import Assessments
from doxeval.assessments.columns import UNKNOWN
from doxeval.assessments.elements import elements_from_highlights, steps_of
from doxeval.assessments.grades import Grade2002, Grade2003
from doxeval.assessments.judgment import GradedElement, MeasuredElement
from doxeval.assessments.needs import Needs
from doxeval.assessments.read_write import AssessmentsGiven, as_assessments
from doxeval.assessments.recall_bases import LINKS
from doxeval.documents import Collection
from doxeval.messages import plural
from doxeval.named import checked

K = TypeVar("K", str, int)
_COVERAGES = "ELSN"
WHOLLY, PARTLY, TOO_SMALL, UNJUDGED = _WORDS = ("wholly", "partly", "?", "U")
# How many elements are looked at together; a topic of a large collection has millions.
_BLOCK = 1 << 20


@dataclass(frozen=True)
class TopicJudgments:
    """What was judged for a topic.

    judged, relevant: documents. characters: the highlighted ones; passages between text points
    have none before they are resolved. elements: graded or listed ones, and assessed units.
    needs: what has to be answered, and alternatives: the passages that answer it; both are 0 where
    assessments state no needs, so that each passage is one.

    >>> TopicJudgments(judged=9, relevant=2, passages=3, characters=99).relevant
    2
    """

    judged: int
    relevant: int
    passages: int = 0
    characters: int = 0
    entry_points: int = 0
    elements: int = 0
    needs: int = 0
    alternatives: int = 0


@dataclass(frozen=True, repr=False)
class AssessmentStatistics:
    """Counts of judged documents by topic, and of elements by grade, level and tag.

    graded: elements with grades: `3E` of 2002, `(3,3)` of 2003–04, exhaustivity `2`, `1`, `0` or
    `?` of 2005. unjudged: the elements that files list without a grade, or as `U`.
    highlighted: elements with highlighted text, of which `wholly` or `partly` is the grade. They
    are known from a collection, or else from the sizes in lists of 2005–07.
    """

    topics: dict[str, TopicJudgments]
    graded: ElementCounts
    highlighted: ElementCounts
    unjudged: int = 0

    @property
    def judged(self) -> int:
        """The number of judged documents, over all topics."""
        return sum(topic.judged for topic in self.topics.values())

    @property
    def relevant(self) -> int:
        """The number of relevant documents, over all topics."""
        return sum(topic.relevant for topic in self.topics.values())

    @property
    def states_needs(self) -> bool:
        """Whether assessments say which passages answer the same need."""
        return any(topic.needs for topic in self.topics.values())

    @property
    def exact(self) -> ElementCounts:
        """The elements of 2002 with exact coverage."""
        return self.graded.only({f"{relevance}E" for relevance in range(4)})

    @property
    def wholly_highlighted(self) -> ElementCounts:
        """The elements whose text is all highlighted, so that their specificity is 1."""
        return self.highlighted.only({WHOLLY})

    @property
    def links(self) -> float | None:
        """The share of links (as `ignore=links` names them) among wholly highlighted elements."""
        return self.wholly_highlighted.share_of(LINKS)

    def __repr__(self) -> str:
        judged = plural(self.judged, "judged document")
        elements = (f"{len(self.graded):,} graded", f"{len(self.highlighted):,} highlighted")
        topics = plural(len(self.topics), "topic")
        return f"AssessmentStatistics({topics}, {judged}, elements: {', '.join(elements)})"

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the topics as plain values, for JSON."""
        return {
            "topics": len(self.topics),
            "judged": self.judged,
            "relevant": self.relevant,
            "graded": self.graded.to_dict(),
            "unjudged": self.unjudged,
            "exact_coverage": self.exact.to_dict(),
            "highlighted": self.highlighted.to_dict(),
            "wholly_highlighted": self.wholly_highlighted.to_dict() | {"links": self.links},
        }


@checked
def assessment_statistics(
    assessments: AssessmentsGiven,
    collection: Collection | str | os.PathLike[str] | None = None,
) -> AssessmentStatistics:
    """Count what was judged; with a collection, highlighted elements too.

    Assessments are given as for `evaluate`, and the collection as a value or by its location.

    >>> from doxeval.assessments import Judgment
    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> statistics = assessment_statistics({"7": {"a": [(2, 8)]}}, collection)
    >>> statistics.highlighted
    ElementCounts(3 elements: wholly 1, partly 2)
    >>> statistics.wholly_highlighted.by_tag, statistics.links
    ({'p': 1}, 0.0)
    >>> grades = (GradedElement("/a", Grade2002(3, "L")), GradedElement("/a/s", Grade2002(3, "E")))
    >>> judged = Assessments([Judgment("7", "a", grades=grades)])
    >>> statistics = assessment_statistics(judged)
    >>> statistics.graded.by_grade, statistics.exact.below_root
    ({'3E': 1, '3L': 1}, 1.0)
    """
    if isinstance(collection, str | os.PathLike):
        collection = Collection(collection)
    given = as_assessments(assessments, collection=collection)
    listed = ElementCounts.of(_graded(given))
    graded = listed.only(set(listed.by_grade) - {UNJUDGED})
    highlighted = _highlighted(given, collection)
    return AssessmentStatistics(_by_topic(given), graded, highlighted, len(listed) - len(graded))


def _by_topic(assessments: Assessments) -> dict[str, TopicJudgments]:
    columns, count = assessments.columns, len(assessments.topics)

    def rows_with(*details: str) -> Ints:
        """Return the row of each value of some details."""
        rows = [row for name in details for row, _ in columns.each(name)]
        return np.array(rows, dtype=np.int64)

    def total(rows: Ints | Bools, weights: Ints | None = None) -> Ints:
        """Count rows by topic, or sum their weights."""
        return np.bincount(columns.topic[rows], weights, count).astype(np.int64)

    highlights = columns.highlights
    has_entry_point = columns.entry != UNKNOWN
    has_entry_point[[row for row, given in columns.details.items() if "entry_point" in given]] = (
        True
    )
    totals = [
        total(np.arange(len(columns))),
        total(columns.is_relevant),
        total(np.append(highlights.group, rows_with("passages"))),
        total(highlights.group, highlights.lengths()),
        total(has_entry_point),
        total(rows_with("grades", "elements", "units")),
    ]
    if columns.have("needs"):
        needs = Needs.of(assessments)
        totals.append(np.bincount(needs.topic, minlength=count))
        totals.append(np.bincount(needs.topic, needs.counts, count).astype(np.int64))
    rows = np.array(totals).T.tolist()
    return {topic: TopicJudgments(*row) for topic, row in zip(columns.topics, rows, strict=True)}


def _graded(assessments: Assessments) -> Counter[tuple[str, int, str]]:
    counts: Counter[tuple[str, int, str]] = Counter()
    for judgment in assessments.detailed():
        elements: list[GradedElement | MeasuredElement] = [*judgment.grades, *judgment.elements]
        # An element that is listed twice with the same grade is one element.
        grades = {steps_of(element, judgment): _label(element) for element in elements}
        counts.update((grade, len(steps), steps[-1].tag) for steps, grade in grades.items())
    return counts


def _label(element: GradedElement | MeasuredElement) -> str:
    grade = element if isinstance(element, MeasuredElement) else element.grade
    if grade is None:
        return UNJUDGED
    if isinstance(grade, Grade2002 | Grade2003):
        return str(grade)
    return TOO_SMALL if grade.exhaustivity is None else str(grade.exhaustivity)


def _highlighted(assessments: Assessments, collection: Collection | None) -> ElementCounts:
    if collection is None or not len(assessments.columns.highlights.start):
        return ElementCounts.of(_highlighted_in_lists(assessments))
    columns, summary = assessments.columns, collection.summary
    rows, _ = distinct_below(len(columns), columns.highlights.group)
    document = assessments.document_numbers(collection)[columns.document[rows]]
    sizes = np.asarray(collection.rows[document + 1] - collection.rows[document], dtype=np.int64)
    counts = np.zeros((len(summary), 2), dtype=np.int64)
    for block in portions(sizes, _BLOCK):
        some = Assessments(columns.rows(rows[block]), (), assessments.resolved_in)
        elements = elements_from_highlights(some, collection)
        is_whole = (elements.rsize == elements.size).astype(np.int64)
        path = collection.nodes.path[elements.node].astype(np.int64)
        counts += np.bincount(2 * path + is_whole, minlength=counts.size).reshape(-1, 2)
    by_key: Counter[tuple[str, int, str]] = Counter()
    for number, is_wholly in np.argwhere(counts).tolist():
        grade = (PARTLY, WHOLLY)[is_wholly]
        level, tag = int(summary.depth_of[number]), summary.tag(number)
        by_key[grade, level, tag] += int(counts[number, is_wholly])
    return ElementCounts.of(by_key)


def _highlighted_in_lists(assessments: Assessments) -> Counter[tuple[str, int, str]]:
    counts: Counter[tuple[str, int, str]] = Counter()
    for judgment in assessments.detailed():
        sizes = {
            steps_of(element, judgment): (element.size, element.highlighted)
            for element in judgment.elements
            if element.highlighted > 0
        }
        for steps, (size, highlighted) in sizes.items():
            grade = WHOLLY if highlighted >= size else PARTLY
            counts[grade, len(steps), steps[-1].tag] += 1
    return counts


# Counts of elements


class ElementCount(NamedTuple):
    """The number of elements with one grade, level and tag; a document's root is at level 1."""

    grade: str
    level: int
    tag: str
    elements: int


@dataclass(frozen=True, repr=False)
class ElementCounts:
    """Counts of elements, one row for each combination of grade, level and tag that occurs.

    >>> counts = ElementCounts.of({("3E", 1, "article"): 1, ("3E", 2, "sec"): 3, ("2L", 1, "a"): 2})
    >>> counts
    ElementCounts(6 elements: 3E 4, 2L 2)
    >>> counts.by_level, counts.by_tag
    ({1: 3, 2: 3}, {'sec': 3, 'a': 2, 'article': 1})
    >>> counts.only({"3E"}).below_root
    0.75
    """

    rows: tuple[ElementCount, ...] = ()

    @classmethod
    def of(cls, counts: dict[tuple[str, int, str], int]) -> ElementCounts:
        """Return counts, sorted by grade (the best first), level and tag."""
        rows = (ElementCount(*key, count) for key, count in counts.items() if count)
        return cls(tuple(sorted(rows, key=lambda row: (_grade_order(row.grade), *row[1:]))))

    def __len__(self) -> int:
        """The number of elements."""
        return sum(row.elements for row in self.rows)

    @property
    def by_grade(self) -> dict[str, int]:
        """The number of elements with each grade, the best one first."""
        return self._by(lambda row: row.grade)

    @property
    def by_level(self) -> dict[int, int]:
        """The number of elements at each level, from the root down."""
        return dict(sorted(self._by(lambda row: row.level).items()))

    @property
    def by_tag(self) -> dict[str, int]:
        """The number of elements with each tag, the most frequent one first."""
        counts = self._by(lambda row: row.tag).items()
        return dict(sorted(counts, key=lambda item: (-item[1], item[0])))

    def _by(self, key: Callable[[ElementCount], K]) -> dict[K, int]:
        counts: Counter[K] = Counter()
        for row in self.rows:
            counts[key(row)] += row.elements
        return dict(counts)

    @property
    def below_root(self) -> float | None:
        """The share of elements that are not the root of their document; None if there are none."""
        roots = self.by_level.get(1, 0)
        return 1 - roots / len(self) if self.rows else None

    def share_of(self, tags: Container[str]) -> float | None:
        """Return the share of elements that have one of these tags; None without elements."""
        tagged = sum(row.elements for row in self.rows if row.tag in tags)
        return tagged / len(self) if self.rows else None

    def only(self, grades: Container[str]) -> ElementCounts:
        """Return the elements with one of these grades."""
        return ElementCounts(tuple(row for row in self.rows if row.grade in grades))

    def __repr__(self) -> str:
        grades = ", ".join(f"{grade} {count:,}" for grade, count in self.by_grade.items())
        return f"ElementCounts({plural(len(self), 'element')}{f': {grades}' if grades else ''})"

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain values, for JSON: by grade, level and tag, and all rows."""
        return {
            "elements": len(self),
            "grades": self.by_grade,
            "levels": {str(level): count for level, count in self.by_level.items()},
            "tags": self.by_tag,
            "below_root": self.below_root,
            "rows": [row._asdict() for row in self.rows],
        }


def _grade_order(grade: str) -> tuple[list[int], int]:
    """Return a key to sort by: the highest numbers first, then coverage from exact to none."""
    digits = [-int(character) for character in grade if character.isdigit()]
    return digits or [1 + _WORDS.index(grade)], _COVERAGES.find(grade[-1:])
