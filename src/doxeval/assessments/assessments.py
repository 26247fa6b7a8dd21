"""Assessments: the judgments of many documents for many topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from doxeval.assessments.columns import JudgmentColumns, PlainJudgments
from doxeval.assessments.judgment import Judgment
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
    they were read. Those of text files are kept by columns, and a `Judgment` is made when somebody
    asks for it.
    """

    @checked
    def __init__(
        self,
        judgments: Iterable[Judgment] = (),
        warnings: Iterable[str] = (),
        resolved_in: str | None = None,
    ) -> None:
        self.warnings = tuple(warnings)
        # The seal of the collection that everything was checked against, if it was.
        self.resolved_in = resolved_in
        # The judgments of each topic; with columns, of the topics that were asked for.
        self._by_topic: dict[str, dict[str, Judgment]] = {}
        # Columns that hold everything, if there are some.
        self._plain: JudgmentColumns | None = None
        if isinstance(judgments, PlainJudgments):
            _refuse_repeated_rows(judgments)
            self._plain = judgments.columns.by_topic()
        else:
            self._add(judgments)

    def _add(self, judgments: Iterable[Judgment]) -> None:
        if isinstance(judgments, str | Mapping) or not isinstance(judgments, Iterable):
            raise _no_judgments(judgments)
        for judgment in judgments:
            if not isinstance(judgment, Judgment):
                raise _no_judgments(judgment)
            of_topic = self._by_topic.setdefault(judgment.topic, {})
            earlier = of_topic.setdefault(judgment.document, judgment)
            if earlier is not judgment:
                raise _judged_twice(earlier, judgment)

    # Other forms

    @classmethod
    def from_dict(cls, judged: Mapping[Any, Mapping[Any, Any]]) -> Assessments:
        """Assessments from grades or highlighted ranges, by topic and document.

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
        """Assessments from a data frame of pandas or polars, a statement in each row.

        Columns are named as the fields of JSONL are: topic and doc; grade, or start and end, or
        bep, or path, e and s …; usual other names are known too (qid, query_id; docno, doc_id;
        relevance, rel, label). Any other column is ignored, with a warning.

        >>> import pandas
        >>> frame = pandas.DataFrame({"qid": [7, 7], "docno": ["a", "b"], "label": [2, 0]})
        >>> Assessments.from_frame(frame).to_dict()
        {'7': {'a': 2, 'b': 0}}
        """
        from doxeval.assessments.frames import judgments_of_frame

        found = judgments_of_frame(frame)
        warn(found.warnings)
        return cls(*found)

    def to_dict(self) -> dict[str, dict[str, int]]:
        """The grade of each document by topic, as pytrec_eval and ranx take them.

        A document without a grade has 1 if anything in it is relevant, else 0.

        >>> Assessments([Judgment("7", "a", ((0, 5),)), Judgment("7", "b")]).to_dict()
        {'7': {'a': 1, 'b': 0}}
        """
        from doxeval.assessments.frames import grades_by_topic

        return grades_by_topic(self.columns)

    def to_highlights(self) -> dict[str, dict[str, list[tuple[int, int]]]]:
        """The highlighted ranges of each document by topic, as `from_dict` takes them.

        >>> Assessments([Judgment("7", "a", ((0, 5),)), Judgment("7", "b")]).to_highlights()
        {'7': {'a': [(0, 5)], 'b': []}}
        """
        from doxeval.assessments.frames import highlights_by_topic

        return highlights_by_topic(self.columns)

    def to_pandas(self) -> Any:
        """A pandas frame with a row for each line that `write_assessments` would write as JSONL.

        >>> Assessments.from_dict({"7": {"a": 2}}).to_pandas().to_dict("records")
        [{'topic': '7', 'doc': 'a', 'grade': 2}]
        """
        from doxeval.assessments.frames import pandas_frame

        return pandas_frame(self)

    def to_polars(self) -> Any:
        """A polars frame with a row for each line that `write_assessments` would write as JSONL.

        >>> Assessments.from_dict({"7": {"a": 2}}).to_polars().rows()
        [('7', 'a', 2)]
        """
        from doxeval.assessments.frames import polars_frame

        return polars_frame(self)

    # Judgments

    def __len__(self) -> int:
        if self._plain is not None:
            return len(self._plain)
        return sum(map(len, self._by_topic.values()))

    def __iter__(self) -> Iterator[Judgment]:
        for topic in self.topics:
            yield from self._of(topic).values()

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in the order of first appearance."""
        return tuple(self._by_topic) if self._plain is None else self._plain.topics

    def of(self, topic: str) -> Iterator[Judgment]:
        """All judgments for a topic."""
        return iter(self._of(topic).values())

    def find(self, topic: str, document: str) -> Judgment | None:
        """The judgment of a document for a topic; None if it is unjudged."""
        return self._of(topic).get(document)

    def _of(self, topic: str) -> dict[str, Judgment]:
        found = self._by_topic.get(topic, {})
        if not found and self._plain is not None and topic in self._positions:
            position = self._positions[topic]
            first, last = np.searchsorted(self._plain.topic, [position, position + 1]).tolist()
            made = self._plain.judgments(first, last)
            found = self._by_topic[topic] = {judgment.document: judgment for judgment in made}
        return found

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {topic: position for position, topic in enumerate(self.topics)}

    # Columns

    @cached_property
    def columns(self) -> JudgmentColumns:
        """All judgments by columns, sorted by topic.

        >>> Assessments([Judgment("1", "a", ((0, 5),)), Judgment("1", "b")]).columns.topic.tolist()
        [0, 0]
        """
        return JudgmentColumns.of(list(self)) if self._plain is None else self._plain

    @property
    def plain(self) -> PlainJudgments | None:
        """The judgments by columns, if columns hold all that they say.

        >>> Assessments([Judgment("1", "a", pool="2")]).plain is None
        True
        """
        if self._plain is None and any(not judgment.is_plain for judgment in self):
            return None
        return PlainJudgments(self.columns)

    @property
    def is_plain(self) -> bool:
        """Whether the judgments are kept by columns, which hold all that they say.

        >>> Assessments.from_dict({"7": {"a": 2}}).is_plain
        True
        """
        return self._plain is not None

    def detailed(self) -> Sequence[Judgment]:
        """The judgments, but none if columns hold all that they say.

        >>> Assessments.from_dict({"7": {"a": 2}}).detailed()
        ()
        """
        return tuple(self) if self._plain is None else ()

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
        if self._plain is not None and other._plain is not None and self._plain.same(other._plain):
            return True
        return all(self._of(topic) == other._of(topic) for topic in self.topics)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        columns = self.columns
        highlighted = int(columns.highlights.lengths().sum())
        relevant = int(np.count_nonzero(columns.is_relevant))
        return hash((frozenset(self.topics), len(self), relevant, highlighted))

    def __reduce__(self) -> tuple[Any, ...]:
        plain = self.plain
        judgments = list(self) if plain is None else plain
        return Assessments, (judgments, self.warnings, self.resolved_in)


def _refuse_repeated_rows(judgments: PlainJudgments) -> None:
    repeated = judgments.columns.first_repeated()
    if repeated is not None:
        raise _judged_twice(*(judgments[row] for row in repeated))


def _no_judgments(given: object) -> FormatError:
    return FormatError(
        f"{quoted(given)} is no Judgment, of which Assessments are made: from_dict takes a dict, "
        "from_frame a data frame, and read_assessments a file"
    )


def _judged_twice(earlier: Judgment, judgment: Judgment) -> FormatError:
    return FormatError(
        f"document {truncate(judgment.document)} is judged twice for topic "
        f"{truncate(judgment.topic)}{_place(earlier, judgment)}; "
        + Parameter("pool")
        + " or "
        + Parameter("merge")
        + " says which counts",
        judgment.origin,
        judgment.line,
    )


def _place(earlier: Judgment, judgment: Judgment) -> str:
    """Where the first of two judgments stands, as seen from the second."""
    if earlier.line is None:
        return ""
    file = "" if earlier.origin == judgment.origin else f" of {earlier.origin}"
    return f", first on line {earlier.line}{file}"
