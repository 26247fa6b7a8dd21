"""Needs of topics: what must be shown to answer them, each by any of its alternatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.assessments.assessments import Assessments
from doxeval.assessments.judgment import Judgment, NeededSpan, merge_passages
from doxeval.errors import FormatError
from doxeval.messages import quoted, truncate


@dataclass(frozen=True, eq=False, repr=False)
class Needs:
    """The needs of all topics, sorted by topic, each with its alternative spans of text.

    topic: of each need, as its position among the topics. grade: its weight. begin: where its
    alternatives begin, one more than there are needs; pair, start, end: the alternatives, pair
    being the judged pair of topic and document. The shortest alternative of a need comes first; of
    equally long ones the first in document order (by the id of the document, then by offset), so
    that the order of lines in a file makes no difference. listed: numbers that rise in the order in
    which the spans of a pair are listed, for the few measures to which that order matters.

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
            return cls((None,) * count, topic, np.ones(count), single, *spans, single[:-1])
        judgments = assessments.detailed()
        needs = _collect_needs(judgments, columns.topic)
        return needs.shortest_first([judgments[pair].document for pair in needs.pair.tolist()])

    def __len__(self) -> int:
        return len(self.topic)

    def __repr__(self) -> str:
        return f"Needs({len(self):,} with {len(self.start):,} ranges)"

    @property
    def counts(self) -> Ints:
        """How many alternatives each need has."""
        return np.diff(self.begin)

    @property
    def owner(self) -> Ints:
        """The need of each alternative."""
        return np.repeat(np.arange(len(self)), self.counts)

    def shortest_first(self, documents: Sequence[str]) -> Needs:
        """Return the needs with the alternatives of each sorted by length, then as they stand.

        documents: the id of the document of each alternative. An alternative without any character
        comes last.
        """
        length = self.end - self.start
        known = {name: number for number, name in enumerate(sorted(set(documents)))}
        document = np.array([known[name] for name in documents], dtype=np.int64)
        order = np.lexsort((self.start, document, length, length == 0, self.owner))
        columns = ("pair", "start", "end", "listed")
        return replace(self, **{name: getattr(self, name)[order] for name in columns})

    @property
    def has_alternatives(self) -> Bools:
        """Whether each need can be answered in several ways."""
        return self.counts > 1


def _collect_needs(judgments: Sequence[Judgment], topics: Ints) -> Needs:
    """Return the needs of judgments, with the alternatives of each as they are given."""
    names: list[str | None] = []
    grades: list[float] = []
    of_topic: list[int] = []
    # For each need its alternatives, as pair, start and end, and where each is first listed.
    alternatives: list[dict[tuple[int, int, int], int]] = []
    known: dict[tuple[int, str], int] = {}
    for pair, judgment in enumerate(judgments):
        topic = int(topics[pair])
        others = (NeededSpan(None, start, end) for start, end in spans_without_need(judgment))
        for position, span in enumerate((*judgment.needs, *others)):
            need, start, end, grade = span
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
            alternatives[number].setdefault((pair, start, end), position)
    spans = chain.from_iterable(each.items() for each in alternatives)
    columns = np.array([(*span, position) for span, position in spans], dtype=np.int64)
    return Needs(
        tuple(names),
        np.array(of_topic),
        np.array(grades, dtype=np.float64),
        np.append(0, np.cumsum(list(map(len, alternatives)))),
        *columns.reshape(-1, 4).T,
    )


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
