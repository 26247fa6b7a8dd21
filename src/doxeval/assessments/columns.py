"""Judgments as columns: one row for each judged document of a topic.

All assessments are kept this way: hundreds of thousands of judgments are a dozen arrays, and a
`Judgment` is made only of a row that somebody looks at. Offsets, lengths and grades of whole
documents are columns; what few files say (grades of elements, text points, needs, assessors) are
`details` of the rows that have them. Readers of all formats produce these columns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import count
from operator import attrgetter
from typing import IO, Any, NamedTuple, overload

import numpy as np

from doxeval.arrays import Bools, Ints, concatenated_ranges
from doxeval.assessments.judgment import (
    LARGEST_GRADE,
    Judgment,
    TopicAnswer,
    has_relevant_details,
)
from doxeval.columns import ABSENT, ByteStrings, Columns, PaddedBytes
from doxeval.errors import FormatError, InputError
from doxeval.files import BYTE_ORDER_MARK, LONGEST_LINE
from doxeval.messages import plural, truncate
from doxeval.spans import MOST_GROUPS, Spans

UNKNOWN = ABSENT
# Grades may be negative, but none is as low as this.
NO_GRADE = -LARGEST_GRADE - 1
LARGEST_FILE = 2 << 30

Details = Mapping[str, Any]


# The columns that have a value for each row; highlights are grouped by row.
_BY_ROW = ("topic", "document", "is_relevant", "length", "entry", "grade", "line", "origin")


@dataclass(frozen=True, eq=False, repr=False)
class JudgmentColumns(Sequence[Judgment]):
    """Judged pairs of topic and document, a sequence of judgments.

    topic, document: positions in `topics` and `documents`, which are distinct.
    is_relevant: whether anything in the document is relevant.
    length, entry: of the document and its best entry point, UNKNOWN (-1) where they are not given.
    grade: of the document as a whole, NO_GRADE where there is none.
    highlights: grouped by row, sorted, merged.
    origin, line: where a row was read, by its position in `origins`; UNKNOWN (-1) if nowhere.
    details: by row, the fields of a Judgment that have no column, for rows that have any.
    document_numbers: the number of each of `documents` in the collection that they were resolved
    in, -1 if it is not there; None if they were not resolved.
    answers: by topic, what is known of its answer. Such a topic may have no row.

    >>> columns = JudgmentColumns.of([Judgment("7", "a", ((0, 5),), 2), Judgment("7", "b")])
    >>> columns
    JudgmentColumns(2 judged documents for 1 topic)
    >>> columns.entry.tolist(), columns.is_relevant.tolist(), columns.highlights.end.tolist()
    ([2, -1], [True, False], [5])
    >>> columns[1]
    Judgment('7', 'b')
    """

    topics: tuple[str, ...]
    documents: Sequence[str]
    topic: Ints
    document: Ints
    is_relevant: Bools
    length: Ints
    entry: Ints
    grade: Ints
    highlights: Spans
    line: Ints
    origin: Ints
    origins: tuple[str, ...]
    details: Mapping[int, Details] = field(default_factory=dict)
    document_numbers: Ints | None = None
    answers: Mapping[str, TopicAnswer] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.topic) > MOST_GROUPS:
            raise InputError(f"more than {MOST_GROUPS:,} judged documents in one set")

    @classmethod
    def of(cls, judgments: Sequence[Judgment]) -> JudgmentColumns:
        """Return the columns of judgments, in their order."""
        topics, documents, origins = NameNumbers(), NameNumbers(), NameNumbers()

        def column(name: str, missing: int) -> Ints:
            values = map(attrgetter(name), judgments)
            return np.array([missing if value is None else value for value in values], np.int64)

        topic = topics.numbers(judgment.topic for judgment in judgments)
        document = documents.numbers(judgment.document for judgment in judgments)
        origin = origins.numbers(judgment.origin for judgment in judgments)
        return judgment_columns(
            topics.names,
            documents.names,
            topic,
            document,
            length=column("document_length", UNKNOWN),
            entry=column("best_entry_point", UNKNOWN),
            grade=column("relevance", NO_GRADE),
            highlights=Spans.of(
                [
                    (row, *span)
                    for row, judgment in enumerate(judgments)
                    for span in judgment.highlights
                ]
            ),
            line=column("line", UNKNOWN),
            origins=origins.names,
            origin=origin,
            details={
                row: details
                for row, judgment in enumerate(judgments)
                if (details := judgment.details)
            },
        )

    # Judgments

    def __len__(self) -> int:
        return len(self.topic)

    @overload
    def __getitem__(self, row: int) -> Judgment: ...
    @overload
    def __getitem__(self, row: slice) -> list[Judgment]: ...
    def __getitem__(self, row: int | slice) -> Judgment | list[Judgment]:
        if isinstance(row, slice):
            return self.judgments()[row]
        at = range(len(self))[row]
        return self.judgments(at, at + 1)[0]

    def __iter__(self) -> Iterator[Judgment]:
        return iter(self.judgments())

    def judgments(self, first: int = 0, last: int | None = None) -> list[Judgment]:
        """Return the judgments of the rows from `first` to before `last` (default: all)."""
        last = len(self) if last is None else last
        edges = np.searchsorted(self.highlights.group, np.arange(first, last + 1)).tolist()
        begin, end = edges[0], edges[-1]
        starts, ends = (column[begin:end].tolist() for column in self.highlights[1:])
        spans = tuple(zip(starts, ends, strict=True))
        columns = (self.topic, self.document, self.entry, self.length, self.grade)
        values = (column[first:last].tolist() for column in (*columns, self.origin, self.line))
        no_details: Details = {}
        judgments = []
        for at, (topic, document, entry, length, grade, origin, line) in enumerate(
            zip(*values, strict=True)
        ):
            # What columns hold was checked before. Made in this way, judgments take a fifth of
            # the time; fields that are not set have their defaults from the class.
            judgment = object.__new__(Judgment)
            judgment.__dict__.update(
                self.details.get(first + at, no_details),
                topic=self.topics[topic],
                document=self.documents[document],
                highlights=spans[edges[at] - begin : edges[at + 1] - begin],
                best_entry_point=None if entry < 0 else entry,
                document_length=None if length < 0 else length,
                relevance=None if grade == NO_GRADE else grade,
                origin=None if origin < 0 else self.origins[origin],
                line=None if line < 0 else line,
            )
            judgments.append(judgment)
        return judgments

    def pair(self, row: int) -> tuple[str, str]:
        """Return the topic and the document of a row."""
        return self.topics[self.topic[row]], self.documents[self.document[row]]

    # Details

    def have(self, name: str) -> bool:
        """Return whether any row has a detail of this name.

        >>> JudgmentColumns.of([Judgment("7", "a", pool="2")]).have("pool")
        True
        """
        return any(name in details for details in self.details.values())

    def each(self, name: str) -> Iterator[tuple[int, Any]]:
        """Yield all values of a detail that has several, such as grades, each with its row.

        >>> columns = JudgmentColumns.of([Judgment("7", "a"), Judgment("7", "b", marks=("draft",))])
        >>> list(columns.each("marks"))
        [(1, 'draft')]
        """
        for row, details in self.details.items():
            for value in details.get(name, ()):
                yield row, value

    # Columns

    def __repr__(self) -> str:
        judged, topics = plural(len(self), "judged document"), plural(len(self.topics), "topic")
        return f"JudgmentColumns({judged} for {topics})"

    def rows(self, rows: Ints) -> JudgmentColumns:
        """Return only these rows, in this order."""
        count = np.bincount(self.highlights.group, minlength=len(self))
        first = np.cumsum(count) - count
        spans = concatenated_ranges(first[rows], count[rows])
        details = {}
        if self.details:
            details = {
                new: self.details[old]
                for new, old in enumerate(rows.tolist())
                if old in self.details
            }
        columns: dict[str, Any] = {name: getattr(self, name)[rows] for name in _BY_ROW}
        highlights = Spans(
            np.repeat(np.arange(len(rows)), count[rows]),
            self.highlights.start[spans],
            self.highlights.end[spans],
        )
        return replace(self, **columns, highlights=highlights, details=details)

    def by_topic(self) -> JudgmentColumns:
        """Return the rows sorted by topic, those of a topic in their order."""
        if (np.diff(self.topic) >= 0).all():
            return self
        return self.rows(np.argsort(self.topic, kind="stable"))

    def with_answers(
        self, answers: Mapping[str, TopicAnswer], order: Iterable[str] = ()
    ) -> JudgmentColumns:
        """Return the same with what is known of the answers of topics, judged or not.

        order: topics in the order that they are to have; others follow.

        >>> columns = JudgmentColumns.of([Judgment("7", "a", ((0, 5),))])
        >>> columns.with_answers({"6": TopicAnswer(exists=False)}, ["6", "7"]).topics
        ('6', '7')
        """
        known = {*self.topics, *answers}
        topics = tuple(
            dict.fromkeys(topic for topic in (*order, *self.topics, *answers) if topic in known)
        )
        number = {topic: at for at, topic in enumerate(topics)}
        moved = np.array([number[topic] for topic in self.topics], dtype=np.int64)[self.topic]
        for row in np.flatnonzero(self.is_relevant).tolist():
            if not answers.get(self.topics[self.topic[row]], TopicAnswer()).exists:
                topic, document = self.pair(row)
                raise FormatError(
                    f"topic {truncate(topic)} is said to have no answer, but text of "
                    f"{truncate(document)} answers it"
                )
        return replace(self, topics=topics, topic=moved, answers=dict(answers))

    def document_grades(self) -> Ints:
        """Return the grade of each document; at least 1 if anything in it is relevant, else 0.

        >>> columns = JudgmentColumns.of([Judgment("7", "a", ((0, 5),)), Judgment("7", "b")])
        >>> columns.document_grades().tolist()
        [1, 0]
        """
        grade = np.where(self.grade == NO_GRADE, 0, self.grade)
        return np.where(self.is_relevant, np.maximum(grade, 1), grade)

    def first_repeated(self) -> tuple[int, int] | None:
        """Return the first row that judges a pair again, after the row that judged it before."""
        keys = self.topic * len(self.documents) + self.document
        in_order = np.sort(keys)
        if (in_order[1:] != in_order[:-1]).all():
            return None
        order = np.argsort(keys, kind="stable")
        again = int(order[1:][keys[order][1:] == keys[order][:-1]].min())
        return int(np.argmax(keys == keys[again])), again

    def same(self, other: JudgmentColumns) -> bool:
        """Return whether the rows say the same in the same order, wherever they were read."""
        names = ("topic", "document", "length", "entry", "grade")
        return (
            self.topics == other.topics
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)
            and all(map(np.array_equal, self.highlights, other.highlights))
            and self.details == other.details
            and self.answers == other.answers
            and list(self.documents) == list(other.documents)
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # Smaller, and without the file that names may be positions in.
        values = (getattr(self, column.name) for column in fields(self))
        return _unpack, tuple(map(_pack, values))


class Judgments(NamedTuple):
    """What a file says: its judgments, and warnings about it."""

    judgments: JudgmentColumns
    warnings: list[str]


def judgment_columns(
    topics: Sequence[str],
    documents: Sequence[str],
    topic: Ints,
    document: Ints,
    *,
    length: Ints | None = None,
    entry: Ints | None = None,
    grade: Ints | None = None,
    highlights: Spans | None = None,
    line: Ints | None = None,
    origins: Sequence[str] = (),
    origin: Ints | None = None,
    details: Mapping[int, Details] | None = None,
) -> JudgmentColumns:
    """Return judgments by columns; a column that is left out says nothing.

    Without `origin`, all rows were read from the first of `origins`, if there is one.

    >>> zero = np.array([0])
    >>> judgment_columns(["7"], ["a"], zero, zero, grade=np.array([2]))[0]
    Judgment('7', 'a', relevance=2)
    """
    unknown = np.full(len(topic), UNKNOWN, dtype=np.int64)
    grade = np.full(len(topic), NO_GRADE, dtype=np.int64) if grade is None else grade
    highlights = Spans.of([]) if highlights is None else highlights
    details = details or {}
    if origin is None:
        origin = np.zeros(len(topic), dtype=np.int64) if origins else unknown
    is_relevant = grade > 0
    is_relevant[highlights.group] = True
    is_relevant[[row for row, given in details.items() if has_relevant_details(given)]] = True
    return JudgmentColumns(
        tuple(topics),
        documents,
        topic,
        document,
        is_relevant,
        unknown if length is None else length,
        unknown if entry is None else entry,
        grade,
        highlights,
        unknown if line is None else line,
        origin,
        tuple(origins),
        details,
    )


def concatenate_judgments(several: Sequence[JudgmentColumns]) -> JudgmentColumns:
    """Return all rows of several columns, one after another.

    >>> files = [JudgmentColumns.of([Judgment("7", name, ((0, 5),))]) for name in "ab"]
    >>> [judgment.document for judgment in concatenate_judgments(files)]
    ['a', 'b']
    """
    if len(several) == 1:
        return several[0]
    if not several:
        return JudgmentColumns.of([])
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(some, name) for some in several]) for name in _BY_ROW
    }
    for names, numbers in (("topics", "topic"), ("documents", "document"), ("origins", "origin")):
        known = NameNumbers()
        columns[numbers] = np.concatenate(
            [
                np.append(known.numbers(getattr(some, names)), UNKNOWN)[getattr(some, numbers)]
                for some in several
            ]
        )
        columns[names] = known.names
    before = np.cumsum([0, *map(len, several)]).tolist()[:-1]
    numbered = list(zip(several, before, strict=True))
    highlights = [
        some.highlights._replace(group=some.highlights.group + at) for some, at in numbered
    ]
    together = JudgmentColumns(
        **columns,
        highlights=Spans(*map(np.concatenate, zip(*highlights, strict=True))),
        details={row + at: given for some, at in numbered for row, given in some.details.items()},
    )
    answers: dict[str, TopicAnswer] = {}
    for some in several:
        for topic, answer in some.answers.items():
            if answers.setdefault(topic, answer) != answer:
                raise FormatError(f"files say different things about the answer of topic {topic}")
    return together.with_answers(answers) if answers else together


class NameNumbers:
    """Distinct names, numbered in the order in which they first come; None has the number -1.

    >>> topics = NameNumbers()
    >>> topics.numbers(["b", "a", None]).tolist(), topics.numbers(["c", "a"]).tolist()
    ([0, 1, -1], [2, 1])
    >>> topics.names
    ('b', 'a', 'c')
    """

    def __init__(self) -> None:
        self._number_of: defaultdict[str | None, int] = defaultdict(count().__next__)
        self._number_of[None] = UNKNOWN

    def numbers(self, names: Iterable[str | None]) -> Ints:
        """Return the number of each name."""
        return np.fromiter(map(self._number_of.__getitem__, names), np.int64)

    @property
    def names(self) -> tuple[str, ...]:
        """The names by their numbers."""
        return tuple(name for name in self._number_of if name is not None)


# Pickling


def _pack(value: Any) -> Any:
    """Return names as a tuple, whole numbers in as few bytes as they need."""
    if isinstance(value, Spans):
        return Spans(*map(_pack, value))
    if isinstance(value, dict | None):
        return value
    if not isinstance(value, np.ndarray):
        return tuple(value)
    if value.dtype == np.bool_ or not len(value):
        return value
    smallest = np.result_type(np.min_scalar_type(value.min()), np.min_scalar_type(value.max()))
    return value.astype(smallest if smallest.kind in "iu" else np.int64)


def _unpack(*values: Any) -> JudgmentColumns:
    return JudgmentColumns(*map(_widen, values))


def _widen(value: Any) -> Any:
    if isinstance(value, Spans):
        return Spans(*map(_widen, value))
    if isinstance(value, np.ndarray) and value.dtype != np.bool_:
        return value.astype(np.int64)
    return value


# What readers of text share


def whole_file(file: IO[bytes], origin: str) -> bytes:
    """Return all bytes of a file but the byte-order mark; too large a file or line is an error.

    >>> import io
    >>> whole_file(io.BytesIO(b"\\xef\\xbb\\xbfa b\\n"), "a.txt")
    b'a b\\n'
    """
    chunks: list[bytes] = []
    size = lines = unended = 0
    while chunk := file.read(LONGEST_LINE):
        first, last = chunk.find(b"\n"), chunk.rfind(b"\n")
        if unended + (len(chunk) if first < 0 else first) > LONGEST_LINE:
            raise FormatError(f"a line of more than {LONGEST_LINE:,} bytes", origin, lines + 1)
        unended = unended + len(chunk) if last < 0 else len(chunk) - last - 1
        lines += chunk.count(b"\n")
        size += len(chunk)
        if size > LARGEST_FILE:
            raise FormatError(f"more than {LARGEST_FILE:,} bytes in one file", origin)
        chunks.append(chunk)
    return b"".join(chunks).removeprefix(BYTE_ORDER_MARK)


def whole_numbers(columns: Columns, column: int, most_digits: int) -> Ints | None:
    """Return a column of whole numbers; None if some field is not one, or is too long.

    >>> from doxeval.columns import TokenTable
    >>> columns = TokenTable(PaddedBytes(b"12 -3\\n")).columns(2)
    >>> whole_numbers(columns, 0, 9).tolist(), whole_numbers(columns, 1, 9)
    ([12], None)
    """
    begins, ends = columns.span(column)
    values = columns.integers(column)
    if (values < 0).any() or (ends - begins > most_digits).any():
        return None
    return values


def text_columns(
    words: PaddedBytes, names: Ints, line: Ints, origin: str, **columns: Any
) -> JudgmentColumns:
    """Return the judgments of a file of text, given the columns that `judgment_columns` takes.

    names: four rows, where the topic of each line begins and ends, and its document.
    """
    topics = ByteStrings(words, *names[:2])
    documents = ByteStrings(words, *names[2:]).as_document_ids()
    return judgment_columns(
        tuple(topics.distinct),
        documents.distinct,
        topics.numbering[0],
        documents.numbering[0],
        line=line,
        origins=(origin,),
        **columns,
    )


def characters_by_row(spans: Spans, rows: int) -> Ints:
    """Return the number of characters in the spans of each row.

    >>> characters_by_row(Spans.of([(0, 2, 5), (2, 0, 3), (2, 4, 5)]), 3).tolist()
    [3, 0, 4]
    """
    characters = np.zeros(rows, dtype=np.int64)
    np.add.at(characters, spans.group, spans.lengths())
    return characters
