"""The ground truth of some topics: what a block of a run is held against.

Topics are scored independently of each other, so a run may be scored in blocks of whole topics,
each against the part of the ground truth that is about its topics. A part costs in proportion to
its own topics: it takes slices of what the whole has worked out. Whatever depends on all topics
(what kinds of assessments there are, what everything is worth) is asked of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from collections.abc import Collection as Container
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Ints, concatenated_ranges
from doxeval.assessments import (
    AssessedElements,
    Assessments,
    GradeColumns,
    JudgmentColumns,
    Needs,
    PathForest,
    PlainJudgments,
    Quantisation,
    RecallBase,
    RelevantElements,
)
from doxeval.columns import NameIndex
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.new_text import Wanted
from doxeval.navigation import Navigation
from doxeval.spans import Spans

T = TypeVar("T")
Array = npt.NDArray[Any]


class _Rows(NamedTuple):
    """The rows of some topics, in a table that is sorted by topic.

    kept: which rows; a slice, if they stand together. topic: of each kept row, counted among these
    topics. moved: by how much the number of a row of each topic changes.
    """

    kept: slice | Ints
    topic: Ints
    moved: Ints

    @classmethod
    def in_table(cls, topic: Ints, numbers: Ints) -> _Rows:
        """The rows of some topics, given the topic of each row."""
        return cls.between(np.searchsorted(topic, numbers), np.searchsorted(topic, numbers + 1))

    @classmethod
    def of(cls, begin: Ints, numbers: Ints) -> _Rows:
        """The rows of some topics, given where the rows of each topic begin."""
        return cls.between(begin[numbers], begin[numbers + 1])

    @classmethod
    def between(cls, first: Ints, end: Ints) -> _Rows:
        """The rows of some topics, given where these begin and end."""
        counts = end - first
        new = np.cumsum(counts) - counts
        kept: slice | Ints
        if (first[1:] == end[:-1]).all():
            kept = slice(int(first[0]), int(end[-1])) if len(first) else slice(0)
        else:
            kept = concatenated_ranges(first, counts)
        return cls(kept, np.repeat(np.arange(len(first)), counts), new - first)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PartOfTruth(GroundTruth):
    """What is relevant for some topics.

    numbers: these topics among those of the whole, ascending.
    """

    whole: GroundTruth
    numbers: Ints

    @classmethod
    def cut(cls, whole: GroundTruth, numbers: Ints) -> PartOfTruth:
        """The part of the ground truth that is about some topics.

        >>> whole = GroundTruth.of(Assessments.from_dict({"7": {"a": 1}, "8": {"a": 0, "b": 2}}))
        >>> part = PartOfTruth.cut(whole, np.array([1]))
        >>> part.topics, part.topic.tolist(), part.relevant_documents.tolist()
        (('8',), [0, 0], [1])
        """
        columns = _columns(whole, numbers)
        return cls(
            _assessments(whole.assessments, columns),
            whole.collection,
            columns,
            whole.specificity,
            whole.navigation,
            whole.targets,
            whole.texts,
            whole.solid,
            whole.chunks,
            whole=whole,
            numbers=numbers,
        )

    def by_topic(
        self,
        key: Hashable,
        make: Callable[[GroundTruth], T],
        cut: Callable[[T, PartOfTruth], T],
    ) -> T:
        """What is made once for all topics, cut to these."""
        return self.remembered(key, lambda: cut(self.whole.by_topic(key, make, cut), self))

    def lists(self, by_topic: Sequence[T]) -> list[T]:
        """Of a value for each topic of the whole, those of these topics."""
        return [by_topic[number] for number in self.numbers.tolist()]

    def rows_of(self, topic: Ints) -> _Rows:
        """The rows of these topics in a table of the whole, given the topic of each of its rows."""
        return _Rows.in_table(topic, self.numbers)

    # What is the same for all topics

    def in_solid(self, *, strict: bool = False) -> GroundTruth:
        """The same with white space left out."""
        whole = self.whole.in_solid(strict=strict)
        return self if whole is self.whole else whole.part(self.numbers)

    @property
    def documents(self) -> tuple[str, ...]:
        """The judged documents of all topics, each once."""
        return self.whole.documents

    @property
    def document_index(self) -> NameIndex:
        """The judged documents, as runs look up their documents among them."""
        return self.whole.document_index

    @property
    def _collection_numbers(self) -> tuple[Ints, Ints]:
        return self.whole._collection_numbers

    def model(self, name: str) -> Navigation:
        """A model of navigation by its name."""
        return self.whole.model(name)

    # What belongs to topics

    @cached_property
    def relevant(self) -> RelevantElements:
        """The assessed elements of these topics, and recall bases chosen from them."""
        return _RelevantInPart(
            self.assessments,
            self.collection,
            self.specificity,
            self.targets,
            part=self,
            whole=self.whole.relevant,
        )

    @cached_property
    def _pairs(self) -> _Rows:
        return _Rows.of(self.whole.pair_begin, self.numbers)

    @cached_property
    def needs(self) -> Needs:
        """The needs of these topics."""
        whole = self.whole.needs
        own = self.rows_of(whole.topic)
        first, counts = whole.begin[:-1][own.kept], whole.counts[own.kept]
        rows = concatenated_ranges(first, counts)
        names = np.arange(len(whole))[own.kept].tolist()
        return Needs(
            tuple(whole.names[name] for name in names),
            own.topic,
            whole.grade[own.kept],
            np.append(0, np.cumsum(counts)),
            whole.pair[rows] + self._pairs.moved[np.repeat(own.topic, counts)],
            whole.start[rows],
            whole.end[rows],
        )

    @cached_property
    def wanted(self) -> Wanted:
        """What relevant text is worth, by the needs of its topic."""
        whole = self.whole.wanted
        pairs, edges = self.whole.pair_begin, (self.numbers, self.numbers + 1)
        text = _Rows.between(*(np.searchsorted(whole.text.group, pairs[at]) for at in edges))
        of_needs = [np.searchsorted(self.whole.needs.topic, at) for at in edges]
        needs = _Rows.between(*of_needs)
        several = _Rows.between(*(np.searchsorted(whole.several, at) for at in of_needs))
        group, start, end = (column[text.kept] for column in whole.text)
        return Wanted(
            Spans(group + self._pairs.moved[text.topic], start, end),
            whole.worth[text.kept],
            whole.several[several.kept] + needs.moved[several.topic],
            whole.weight[several.kept],
            whole.total[self.numbers],
            whole.is_plain,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class _RelevantInPart(RelevantElements):
    """Assessed elements and recall bases of some topics: slices of those of all topics.

    What kinds of assessments there are is a matter of all topics together.
    """

    part: PartOfTruth
    whole: RelevantElements

    def elements(self, quantisation: Quantisation) -> AssessedElements:
        """The elements that a quantisation can be used on; the same value each time."""
        if quantisation.name not in self._elements:
            whole = self.whole.elements(quantisation)
            rows = self.part.rows_of(whole.topic)
            self._elements[quantisation.name] = _some_elements(whole, rows, self.part.topics)
        return self._elements[quantisation.name]

    def base(
        self, kind: str, quantisation: Quantisation, ignored: Container[str] = ()
    ) -> RecallBase:
        """The full or ideal recall base."""
        key = (kind, quantisation.name, frozenset(ignored))
        if key not in self._bases:
            elements = self.whole.elements(quantisation)
            whole = self.whole.base(kind, quantisation, ignored)
            self._bases[key] = _some_of_base(whole, elements, self.part)
        return self._bases[key]

    def on_target(self, topic: Ints, node: Ints, forest: PathForest | None = None) -> Bools:
        """Whether each element matches the target of its topic, if that has one."""
        return self.whole.on_target(self.part.numbers[topic], node, forest)

    @property
    def counts_highlights(self) -> bool:
        """Whether specificity is counted in highlighted text, not taken from lists or grades."""
        return self.whole.counts_highlights

    @property
    def usual_quantisation(self) -> str:
        """The quantisation that fits."""
        return self.whole.usual_quantisation

    @property
    def is_anything_relevant(self) -> bool:
        """Whether any document is relevant."""
        return self.whole.is_anything_relevant

    @property
    def has_highlights(self) -> bool:
        """Whether any text is highlighted."""
        return self.whole.has_highlights

    @property
    def has_unread_highlights(self) -> bool:
        """Whether only a collection knows what is highlighted."""
        return self.whole.has_unread_highlights

    @property
    def has_units(self) -> bool:
        """Whether trees of elements were assessed one by one."""
        return self.whole.has_units

    @property
    def has_grades(self) -> bool:
        """Whether elements were graded one by one."""
        return self.whole.has_grades

    @property
    def has_lists(self) -> bool:
        """Whether elements are listed with their sizes."""
        return self.whole.has_lists


def _columns(whole: GroundTruth, numbers: Ints) -> JudgmentColumns:
    """The judged pairs of some topics."""
    pairs = _Rows.of(whole.pair_begin, numbers)
    spans = _Rows.of(whole.highlight_begin, numbers)
    columns: dict[str, Array] = {
        one.name: value[pairs.kept]
        for one in fields(whole.columns)
        if isinstance(value := getattr(whole.columns, one.name), np.ndarray)
    }
    group, start, end = (column[spans.kept] for column in whole.highlights)
    return replace(
        whole.columns,
        **{**columns, "topic": pairs.topic},  # type: ignore[arg-type]  # arrays only
        topics=tuple(whole.topics[number] for number in numbers.tolist()),
        highlights=Spans(group + pairs.moved[spans.topic], start, end),
    )


def _assessments(whole: Assessments, columns: JudgmentColumns) -> Assessments:
    """The assessments of some topics, whose columns are given."""
    if whole.is_plain:
        return Assessments(PlainJudgments(columns), whole.warnings, whole.resolved_in)
    own = (judgment for topic in columns.topics for judgment in whole.of(topic))
    return Assessments(own, whole.warnings, whole.resolved_in)


def _some_elements(
    whole: AssessedElements, rows: _Rows, topics: tuple[str, ...]
) -> AssessedElements:
    names = ("document", "node", "after", "tag", "size", "rsize")
    columns = {name: getattr(whole, name)[rows.kept] for name in names}
    grades = GradeColumns(*(column[rows.kept] for column in whole.grades))
    return replace(whole, **columns, topics=topics, topic=rows.topic, grades=grades)


def _some_of_base(whole: RecallBase, elements: AssessedElements, part: PartOfTruth) -> RecallBase:
    rows = part.rows_of(whole.topic)
    some = whole.rows(np.arange(len(whole))[rows.kept])
    # By how much the numbers of rows and the keys of topics change.
    moved = part.rows_of(elements.topic).moved[rows.topic]
    down = elements.keys(part.numbers[rows.topic] - rows.topic, np.zeros_like(rows.topic))
    return replace(
        some,
        row=some.row + moved,
        topic=rows.topic,
        begin=some.begin - down,
        after=some.after - down,
    )
