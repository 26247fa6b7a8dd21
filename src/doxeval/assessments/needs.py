"""Needs of topics: what must be shown to answer them, each by any of its alternatives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints, concatenated_ranges
from doxeval.assessments.assessments import Assessments
from doxeval.assessments.judgment import Judgment, NeededSpan, merge_passages
from doxeval.errors import FormatError
from doxeval.messages import quoted, truncate


@dataclass(frozen=True, eq=False, repr=False)
class Needs:
    """The needs of all topics, sorted by topic, each with its alternatives, of one or more spans.

    topic: of each need, as its position among the topics. grade: its weight. begin: where its
    alternatives begin, one more than there are needs. first: where the spans of each alternative
    begin, one more than there are alternatives; pair, start, end: the spans, pair being the judged
    pair of topic and document. Those of an alternative do not overlap. The shortest alternative of
    a need comes first; of equally long ones the first in document order (by the id of the document,
    then by offset), so that the order of lines in a file makes no difference. listed: numbers that
    rise in the order in which the spans of a pair are listed, for the few measures to which that
    order matters.

    >>> first = Judgment("7", "a", needs=(NeededSpan("who", 0, 5, 2), NeededSpan(None, 7, 9)))
    >>> other = Judgment("7", "b", needs=(NeededSpan("who", 3, 8, 2),))
    >>> needs = Needs.of(Assessments([first, other]))
    >>> needs.names, needs.grade.tolist(), needs.begin.tolist(), needs.start.tolist()
    (('who', None), [2.0, 1.0], [0, 2, 3], [0, 3, 7])
    >>> needs.pair.tolist(), needs.listed.tolist()
    ([0, 1, 0], [0, 0, 1])
    """

    names: tuple[str | None, ...]
    topic: Ints
    grade: Floats
    begin: Ints
    first: Ints
    pair: Ints
    start: Ints
    end: Ints
    listed: Ints

    @classmethod
    def of(cls, assessments: Assessments) -> Needs:
        """Return the needs that assessments state; without any, each highlighted passage is one."""
        columns = assessments.columns
        if not columns.have("needs"):
            count = len(columns.highlights.group)
            topic = columns.topic[columns.highlights.group]
            single = np.arange(count + 1)
            spans = columns.highlights
            return cls((None,) * count, topic, np.ones(count), single, single, *spans, single[:-1])
        judgments = assessments.detailed()
        needs = _collect_needs(judgments, columns.topic)
        return needs.shortest_first([judgments[pair].document for pair in needs.pair.tolist()])

    def __len__(self) -> int:
        return len(self.topic)

    def __repr__(self) -> str:
        return f"Needs({len(self):,} with {len(self.size):,} alternatives)"

    @property
    def counts(self) -> Ints:
        """How many alternatives each need has."""
        return np.diff(self.begin)

    @property
    def owner(self) -> Ints:
        """The need of each alternative."""
        return np.repeat(np.arange(len(self)), self.counts)

    @cached_property
    def alternative(self) -> Ints:
        """The alternative of each span."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    @cached_property
    def need(self) -> Ints:
        """The need of each span."""
        return self.owner[self.alternative]

    @cached_property
    def size(self) -> Ints:
        """The number of characters of each alternative."""
        return self.sums(self.end - self.start)

    def sums(self, values: Ints) -> Ints:
        """Sum values of spans for each alternative."""
        total = np.append(0, np.cumsum(values))
        sums: Ints = total[self.first[1:]] - total[self.first[:-1]]
        return sums

    def shortest_first(self, documents: Sequence[str]) -> Needs:
        """Return the needs with the alternatives of each sorted by length, then as they stand.

        documents: the id of the document of each span. An alternative without any character
        comes last.
        """
        at = self.first[:-1]
        known = {name: number for number, name in enumerate(sorted(set(documents)))}
        document = np.array([known[name] for name in documents], dtype=np.int64)
        keys = (self.start[at], document[at], self.size, self.size == 0, self.owner)
        order = np.lexsort(keys)
        counts = np.diff(self.first)[order]
        rows = concatenated_ranges(at[order], counts)
        columns = ("pair", "start", "end", "listed")
        sorted_spans = {name: getattr(self, name)[rows] for name in columns}
        return replace(self, first=np.append(0, np.cumsum(counts)), **sorted_spans)

    @property
    def has_alternatives(self) -> Bools:
        """Whether each need can be answered in several ways."""
        return self.counts > 1


class _Span(NamedTuple):
    """A span of an alternative, and its place among those of its pair as they are listed."""

    pair: int
    start: int
    end: int
    listed: int


def _collect_needs(judgments: Sequence[Judgment], topics: Ints) -> Needs:
    """Return the needs of judgments, with the alternatives of each as they are given."""
    names: list[str | None] = []
    grades: list[float] = []
    of_topic: list[int] = []
    # For each need the spans of its alternatives, each with the place where it is listed.
    alternatives: list[dict[object, list[_Span]]] = []
    known: dict[tuple[int, str], int] = {}
    for pair, judgment in enumerate(judgments):
        topic = int(topics[pair])
        others = (NeededSpan(None, start, end) for start, end in spans_without_need(judgment))
        for position, span in enumerate((*judgment.needs, *others)):
            need, start, end, grade, alternative = span
            number = len(names) if need is None else known.setdefault((topic, need), len(names))
            if number == len(names):
                names.append(need)
                grades.append(grade)
                of_topic.append(topic)
                alternatives.append({})
            elif grades[number] != grade:
                raise FormatError(
                    f"need {quoted(need)} of topic {truncate(judgment.topic)} has the grades "
                    f"{grades[number]:g} and {grade:g}",
                    judgment.origin,
                    judgment.line,
                )
            key = (pair, start, end) if alternative is None else alternative
            together = alternatives[number].setdefault(key, [])
            if together and together[0].pair != pair:
                raise FormatError(
                    f"alternative {quoted(alternative)} of need {quoted(need)} of topic "
                    f"{truncate(judgment.topic)} has spans in two documents: expected one",
                    judgment.origin,
                    judgment.line,
                )
            together.append(_Span(pair, start, end, position))
    distinct = [_distinct(each.values()) for each in alternatives]
    in_order = list(chain.from_iterable(distinct))
    columns = np.array(list(chain.from_iterable(in_order)), dtype=np.int64)
    return Needs(
        tuple(names),
        np.array(of_topic),
        np.array(grades, dtype=np.float64),
        np.append(0, np.cumsum(list(map(len, distinct)))),
        np.append(0, np.cumsum(list(map(len, in_order)))),
        *columns.reshape(-1, 4).T,
    )


def _distinct(alternatives: Iterable[list[_Span]]) -> list[list[_Span]]:
    """Return the alternatives of a need, each once, with those of their spans merged that touch."""
    merged: dict[tuple[tuple[int, int, int], ...], list[_Span]] = {}
    for spans in alternatives:
        own: list[_Span] = []
        for span in sorted(spans):
            if own and span.start <= own[-1].end:
                own[-1] = own[-1]._replace(end=max(own[-1].end, span.end))
            else:
                own.append(span)
        merged.setdefault(tuple(span[:3] for span in own), own)
    in_order = sorted(merged, key=lambda own: [(pair, start, -end) for pair, start, end in own])
    return [merged[key] for key in in_order]


def spans_without_need(judgment: Judgment) -> list[tuple[int, int]]:
    """Return the highlighted text that answers no stated need.

    >>> spans_without_need(Judgment("7", "a", ((0, 9),), needs=(NeededSpan("who", 3, 5),)))
    [(0, 3), (5, 9)]
    """
    if not judgment.needs:
        return list(judgment.highlights)
    answered, _ = merge_passages((need.start, need.end) for need in judgment.needs)
    left = []
    for start, end in judgment.highlights:
        at = start
        for begin, after in answered:
            if begin >= end or after <= start:
                continue
            if begin > at:
                left.append((at, begin))
            at = after
        if at < end:
            left.append((at, end))
    return left
