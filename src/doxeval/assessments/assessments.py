"""Assessments: the judgments of many documents for many topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments.columns import JudgmentColumns
from doxeval.assessments.judgment import Judgment, TopicAnswer
from doxeval.documents import Collection
from doxeval.errors import FormatError, warn
from doxeval.messages import Parameter, plural, quoted, truncate
from doxeval.named import checked


class Assessments:
    """Judgments of many documents for many topics, each pair judged once.

    >>> assessments = Assessments([Judgment("1", "a", ((0, 5),)), Judgment("1", "b")])
    >>> assessments
    Assessments(1 topic, 2 judged documents, 1 relevant)
    >>> [judgment.document for judgment in assessments.of("1")], assessments.find("1", "c")
    (['a', 'b'], None)

    They are equal if they say the same about the same documents, in whatever order and wherever
    they were read.

    resolved_in: the checksum of the collection that everything was checked against, if it was.
    """

    @checked
    def __init__(
        self,
        judgments: Iterable[Judgment] = (),
        warnings: Iterable[str] = (),
        resolved_in: str | None = None,
    ) -> None:
        self.warnings = tuple(warnings)
        self.resolved_in = resolved_in
        # By topic and document: all judgments that were given one by one; of columns, those of the
        # topics that somebody looked at.
        self._judgments: dict[str, dict[str, Judgment]] = {}
        if isinstance(judgments, Assessments):
            judgments = judgments.columns
        if isinstance(judgments, JudgmentColumns):
            repeated = judgments.first_repeated()
            if repeated is not None:
                raise _judged_twice(*(judgments[row] for row in repeated))
            self.columns = judgments.by_topic()
        else:
            self._add(judgments)

    def _add(self, judgments: Iterable[Judgment]) -> None:
        if isinstance(judgments, str | Mapping) or not isinstance(judgments, Iterable):
            raise _no_judgments(judgments)
        for judgment in judgments:
            if not isinstance(judgment, Judgment):
                raise _no_judgments(judgment)
            of_topic = self._judgments.setdefault(judgment.topic, {})
            if judgment.document in of_topic:
                raise _judged_twice(of_topic[judgment.document], judgment)
            of_topic[judgment.document] = judgment

    @cached_property
    def columns(self) -> JudgmentColumns:
        """All judgments as columns, sorted by topic."""
        return JudgmentColumns.of(
            [judgment for of_topic in self._judgments.values() for judgment in of_topic.values()]
        )

    # Other forms

    @classmethod
    def from_dict(cls, judged: Mapping[Any, Mapping[Any, Any]]) -> Assessments:
        """Return assessments from grades or highlighted ranges, by topic and document.

        Grades as pytrec_eval and ranx have them: 1 or more is relevant, 0 or less is judged and
        not relevant. A list of (start, end) highlights these characters; an empty list is judged
        and not relevant. (start, end, need) or (start, end, need, grade) says which need of the
        topic the characters answer: ranges with the same need are alternatives.

        >>> Assessments.from_dict({"7": {"a": 2, "b": 0}})
        Assessments(1 topic, 2 judged documents, 1 relevant)
        >>> next(iter(Assessments.from_dict({"7": {"a": [(0, 5), (9, 12)]}})))
        Judgment('7', 'a', highlights=((0, 5), (9, 12)))
        """
        from doxeval.assessments.frames import judgments_of_dict

        return cls(judgments_of_dict(judged))

    @classmethod
    def from_frame(cls, frame: Any) -> Assessments:
        """Return assessments from a data frame of pandas or polars, a statement in each row.

        Columns are named as the fields of JSONL are: topic and doc; grade, or start and end, or
        bep, or path, e and s …; usual other names are known too (qid, query_id; docno, doc_id;
        relevance, rel, label; BEIR's query-id, corpus-id and score). Any other column is ignored,
        with a warning.

        >>> import pandas
        >>> frame = pandas.DataFrame({"qid": [7, 7], "docno": ["a", "b"], "label": [2, 0]})
        >>> Assessments.from_frame(frame).to_dict()
        {'7': {'a': 2, 'b': 0}}
        """
        from doxeval.assessments.frames import judgments_of_frame

        judged = judgments_of_frame(frame)
        warn(judged.warnings)
        return cls(*judged)

    @classmethod
    def from_tuples(cls, rows: Iterable[Any]) -> Assessments:
        """Return assessments from named tuples, such as Qrel of ir_measures, one for each grade.

        Their fields are named as the columns of a data frame are in `from_frame`.

        >>> from collections import namedtuple
        >>> Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration")
        >>> Assessments.from_tuples([Qrel("7", "a", 2, "0"), Qrel("7", "b", 0, "0")]).to_dict()
        {'7': {'a': 2, 'b': 0}}
        """
        from doxeval.assessments.frames import judgments_of_tuples

        judged = judgments_of_tuples(rows)
        warn(judged.warnings)
        return cls(*judged)

    def to_dict(self) -> dict[str, dict[str, int]]:
        """Return the grade of each document by topic, as pytrec_eval and ranx take them.

        A document without a grade has 1 if anything in it is relevant, else 0.

        >>> Assessments([Judgment("7", "a", ((0, 5),)), Judgment("7", "b")]).to_dict()
        {'7': {'a': 1, 'b': 0}}
        """
        from doxeval.assessments.frames import grades_by_topic

        return grades_by_topic(self.columns)

    def to_highlights(self) -> dict[str, dict[str, list[tuple[int, int]]]]:
        """Return the highlighted ranges of each document by topic, as `from_dict` takes them.

        >>> Assessments([Judgment("7", "a", ((0, 5),)), Judgment("7", "b")]).to_highlights()
        {'7': {'a': [(0, 5)], 'b': []}}
        """
        from doxeval.assessments.frames import highlights_by_topic

        return highlights_by_topic(self.columns)

    def to_pandas(self) -> Any:
        """Return a pandas frame, a row for each line that `write_assessments` writes as JSONL.

        >>> Assessments.from_dict({"7": {"a": 2}}).to_pandas().to_dict("records")
        [{'topic': '7', 'doc': 'a', 'grade': 2}]
        """
        from doxeval.assessments.frames import pandas_frame

        return pandas_frame(self)

    def to_polars(self) -> Any:
        """Return a polars frame, a row for each line that `write_assessments` writes as JSONL.

        >>> Assessments.from_dict({"7": {"a": 2}}).to_polars().rows()
        [('7', 'a', 2)]
        """
        from doxeval.assessments.frames import polars_frame

        return polars_frame(self)

    # Judgments

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[Judgment]:
        for topic in self.topics:
            yield from self._of(topic).values()

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in the order of first appearance."""
        return self.columns.topics

    @property
    def answers(self) -> Mapping[str, TopicAnswer]:
        """What is known of the answers of topics besides where they are, by topic.

        >>> Assessments([Judgment("7", "a", ((0, 5),))]).answers
        {}
        """
        return self.columns.answers

    @property
    def unanswerable(self) -> frozenset[str]:
        """The topics that no document answers."""
        return frozenset(topic for topic, answer in self.answers.items() if not answer.exists)

    def of(self, topic: str) -> Iterator[Judgment]:
        """Return all judgments for a topic."""
        return iter(self._of(topic).values())

    def find(self, topic: str, document: str) -> Judgment | None:
        """Return the judgment of a document for a topic; None if it is unjudged."""
        return self._of(topic).get(document)

    def _of(self, topic: str) -> dict[str, Judgment]:
        if topic not in self._judgments and topic in self._topic_numbers:
            number = self._topic_numbers[topic]
            first, last = np.searchsorted(self.columns.topic, [number, number + 1]).tolist()
            views = self.columns.judgments(first, last)
            self._judgments[topic] = {judgment.document: judgment for judgment in views}
        return self._judgments.get(topic, {})

    @cached_property
    def _topic_numbers(self) -> dict[str, int]:
        return {topic: number for number, topic in enumerate(self.topics)}

    @property
    def is_plain(self) -> bool:
        """Whether offsets, lengths and grades of documents are all that the judgments say.

        >>> Assessments.from_dict({"7": {"a": 2}}).is_plain
        True
        """
        return not self.columns.details

    @property
    def plain(self) -> JudgmentColumns | None:
        """The judgments as columns, if they have no details.

        >>> Assessments([Judgment("1", "a", pool="2")]).plain is None
        True
        """
        return self.columns if self.is_plain else None

    def detailed(self) -> Sequence[Judgment]:
        """Return the judgments, but none if columns hold all that they say.

        >>> Assessments.from_dict({"7": {"a": 2}}).detailed()
        ()
        """
        return () if self.is_plain else tuple(self)

    def document_numbers(self, collection: Collection) -> Ints:
        """Return the number in a collection of each of `columns.documents`, -1 if it is not there.

        In the collection that they were resolved in, they are not looked up again.

        >>> from doxeval.documents.examples import example_collection
        >>> judged = Assessments.from_dict({"7": {"a": 2, "x": 0}})
        >>> judged.document_numbers(example_collection({"a": "<s>One.</s>"})).tolist()
        [0, -1]
        """
        numbers = self.columns.document_numbers
        if numbers is not None and self.resolved_in == collection.checksum:
            return numbers
        return collection.find_documents(self.columns.documents).astype(np.int64)

    @property
    def origins(self) -> tuple[str, ...]:
        """The files that judgments were read from.

        >>> Assessments([Judgment("1", "a", origin="qrels.txt", line=1)]).origins
        ('qrels.txt',)
        """
        return self.columns.origins

    # As a value

    def __repr__(self) -> str:
        judged = plural(len(self), "judged document")
        relevant = int(np.count_nonzero(self.columns.is_relevant))
        return f"Assessments({plural(len(self.topics), 'topic')}, {judged}, {relevant:,} relevant)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Assessments):
            return NotImplemented
        if self is other:
            return True
        if hash(self) != hash(other):
            return False
        if self.answers != other.answers:
            return False
        return self.columns.same(other.columns) or all(
            self._of(topic) == other._of(topic) for topic in self.topics
        )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        highlighted = int(self.columns.highlights.lengths().sum())
        relevant = int(np.count_nonzero(self.columns.is_relevant))
        return hash((frozenset(self.topics), len(self), relevant, highlighted))

    def __reduce__(self) -> tuple[Any, ...]:
        return Assessments, (self.columns, self.warnings, self.resolved_in)


def _no_judgments(given: object) -> FormatError:
    return FormatError(
        f"{quoted(given)} is no Judgment, of which Assessments are made: from_dict takes a dict, "
        "from_frame a data frame, and read_assessments a file"
    )


def _judged_twice(earlier: Judgment, judgment: Judgment) -> FormatError:
    place = ""
    if earlier.line is not None:
        file = "" if earlier.origin == judgment.origin else f" of {earlier.origin}"
        place = f", first on line {earlier.line}{file}"
    return FormatError(
        f"document {truncate(judgment.document)} is judged twice for topic "
        f"{truncate(judgment.topic)}{place}; "
        + Parameter("pool")
        + " or "
        + Parameter("merge")
        + " says which counts",
        judgment.origin,
        judgment.line,
    )
