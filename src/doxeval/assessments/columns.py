"""Judgments as columns: one row for each judged document of a topic.

All assessments are kept this way: hundreds of thousands of judgments are a dozen arrays, and a
`Judgment` is made only of a row that somebody looks at. Offsets, lengths and grades of whole
documents are columns; what few files say (grades of elements, text points, needs, assessors) are
`details` of the rows that have them. Readers of all formats produce these columns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import count
from operator import attrgetter
from typing import IO, Any, NamedTuple, overload

import numpy as np

from doxeval.arrays import Bools, Ints, concatenated_ranges
from doxeval.assessments.judgment import LARGEST_GRADE, Judgment
from doxeval.columns import ByteStrings, Columns, PaddedBytes
from doxeval.errors import FormatError, InputError
from doxeval.files import BYTE_ORDER_MARK, LONGEST_LINE
from doxeval.messages import plural
from doxeval.spans import MOST_GROUPS, Spans

UNKNOWN = -1
# Grades may be negative, but none is as low as this.
NO_GRADE = -LARGEST_GRADE - 1
LARGEST_FILE = 2 << 30

Details = Mapping[str, Any]


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

    def __post_init__(self) -> None:
        if len(self.topic) > MOST_GROUPS:
            raise InputError(f"more than {MOST_GROUPS:,} judged documents in one set")

    @classmethod
    def of(cls, judgments: Sequence[Judgment]) -> JudgmentColumns:
        """Return the columns of judgments, in their order."""
        topics, topic = _number([judgment.topic for judgment in judgments])
        documents, document = _number([judgment.document for judgment in judgments])
        origins, origin = _number([judgment.origin for judgment in judgments])
        spans = [
            (row, *span) for row, judgment in enumerate(judgments) for span in judgment.highlights
        ]

        def column(name: str, missing: int) -> Ints:
            values = map(attrgetter(name), judgments)
            return np.array([missing if value is None else value for value in values], np.int64)

        return cls(
            topics,
            documents,
            topic,
            document,
            np.fromiter((judgment.is_relevant for judgment in judgments), np.bool_, len(judgments)),
            column("document_length", UNKNOWN),
            column("best_entry_point", UNKNOWN),
            column("relevance", NO_GRADE),
            Spans.of(spans),
            column("line", UNKNOWN),
            origin,
            origins,
            {
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
        rows = slice(first, len(self) if last is None else last)
        edges = np.searchsorted(self.highlights.group, np.arange(first, rows.stop + 1)).tolist()
        begin = edges[0] if edges else 0
        spans = slice(begin, edges[-1] if edges else 0)
        ranges = tuple(
            zip(
                self.highlights.start[spans].tolist(),
                self.highlights.end[spans].tolist(),
                strict=True,
            )
        )
        columns = (self.topic, self.document, self.entry, self.length, self.grade)
        values = (column[rows].tolist() for column in (*columns, self.origin, self.line))
        no_details: Details = {}
        return [
            Judgment.of_checked(
                self.topics[topic],
                self.documents[document],
                ranges[edges[at] - begin : edges[at + 1] - begin],
                None if entry < 0 else entry,
                None if length < 0 else length,
                None if grade == NO_GRADE else grade,
                None if origin < 0 else self.origins[origin],
                None if line < 0 else line,
                self.details.get(first + at, no_details),
            )
            for at, (topic, document, entry, length, grade, origin, line) in enumerate(
                zip(*values, strict=True)
            )
        ]

    # Columns

    def __repr__(self) -> str:
        judged, topics = plural(len(self), "judged document"), plural(len(self.topics), "topic")
        return f"JudgmentColumns({judged} for {topics})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Smaller, and without the file that names may be positions in.
        values = (getattr(self, column.name) for column in fields(self))
        return _unpack, tuple(map(_pack, values))

    def rows(self, rows: Ints) -> JudgmentColumns:
        """Return only these rows, in this order."""
        count = np.bincount(self.highlights.group, minlength=len(self))
        first = np.cumsum(count) - count
        spans = concatenated_ranges(first[rows], count[rows])
        columns: dict[str, Any] = {
            column.name: value[rows]
            for column in fields(self)
            if isinstance(value := getattr(self, column.name), np.ndarray)
        }
        group = np.repeat(np.arange(len(rows)), count[rows])
        columns["highlights"] = Spans(
            group, self.highlights.start[spans], self.highlights.end[spans]
        )
        if self.details:
            columns["details"] = {
                new: self.details[old]
                for new, old in enumerate(rows.tolist())
                if old in self.details
            }
        return replace(self, **columns)

    def by_topic(self) -> JudgmentColumns:
        """Return the rows sorted by topic, those of a topic in their order."""
        if (np.diff(self.topic) >= 0).all():
            return self
        return self.rows(np.argsort(self.topic, kind="stable"))

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
            and list(self.documents) == list(other.documents)
        )

    def have(self, name: str) -> bool:
        """Return whether any row has a detail of this name.

        >>> JudgmentColumns.of([Judgment("7", "a", pool="2")]).have("pool")
        True
        """
        return any(name in details for details in self.details.values())


class Judgments(NamedTuple):
    """What a file says: its judgments, and warnings about it."""

    judgments: JudgmentColumns
    warnings: list[str]


def plain_columns(
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
    origin: str | None = None,
) -> JudgmentColumns:
    """Return judgments without details; a column that is left out says nothing.

    >>> zero = np.array([0])
    >>> plain_columns(["7"], ["a"], zero, zero, grade=np.array([2]))[0]
    Judgment('7', 'a', relevance=2)
    """
    unknown = np.full(len(topic), UNKNOWN, dtype=np.int64)
    grades = np.full(len(topic), NO_GRADE, dtype=np.int64) if grade is None else grade
    spans = Spans.of([]) if highlights is None else highlights
    is_relevant = grades > 0
    is_relevant[spans.group] = True
    return JudgmentColumns(
        tuple(topics),
        documents,
        topic,
        document,
        is_relevant,
        unknown if length is None else length,
        unknown if entry is None else entry,
        grades,
        spans,
        unknown if line is None else line,
        unknown if origin is None else np.zeros(len(topic), dtype=np.int64),
        () if origin is None else (origin,),
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
    topics, documents, origins = _NameNumbers(), _NameNumbers(), _NameNumbers()
    before = np.cumsum([0, *map(len, several)]).tolist()[:-1]
    numbered = list(zip(several, before, strict=True))

    def concatenated(name: str) -> Any:
        return np.concatenate([getattr(columns, name) for columns in several])

    return JudgmentColumns(
        topic=np.concatenate([topics.renumbered(some.topics, some.topic) for some in several]),
        document=np.concatenate(
            [documents.renumbered(some.documents, some.document) for some in several]
        ),
        origin=np.concatenate([origins.renumbered(some.origins, some.origin) for some in several]),
        topics=tuple(topics),
        documents=tuple(documents),
        origins=tuple(origins),
        is_relevant=concatenated("is_relevant"),
        length=concatenated("length"),
        entry=concatenated("entry"),
        grade=concatenated("grade"),
        line=concatenated("line"),
        highlights=Spans(
            np.concatenate([some.highlights.group + at for some, at in numbered]),
            np.concatenate([some.highlights.start for some in several]),
            np.concatenate([some.highlights.end for some in several]),
        ),
        details={
            row + at: details for some, at in numbered for row, details in some.details.items()
        },
    )


def _number(names: Sequence[str | None]) -> tuple[tuple[str, ...], Ints]:
    """Return distinct names in the order in which they first come, and the number of each name."""
    numbers: defaultdict[str | None, int] = defaultdict(count().__next__, {None: UNKNOWN})
    column = np.fromiter(map(numbers.__getitem__, names), np.int64, len(names))
    return tuple(name for name in numbers if name is not None), column


class _NameNumbers(dict[str, int]):
    """Names, numbered in the order in which they first come."""

    def number(self, name: str) -> int:
        return self.setdefault(name, len(self))

    def renumbered(self, names: Sequence[str], numbers: Ints) -> Ints:
        """Return numbers of other names as numbers of these; -1 stays."""
        new = np.array([*map(self.number, names), UNKNOWN], dtype=np.int64)
        return new[numbers]


# Pickling


def _pack(value: Any) -> Any:
    """Return names as a tuple, whole numbers in as few bytes as they need."""
    if isinstance(value, Spans):
        return Spans(*map(_pack, value))
    if isinstance(value, dict):
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
    """Return the judgments of a file of text, given the columns that `plain_columns` takes.

    names: four rows, where the topic of each line begins and ends, and its document.
    """
    topics = ByteStrings(words, *names[:2])
    documents = ByteStrings(words, *names[2:]).as_document_ids()
    return plain_columns(
        tuple(topics.distinct),
        documents.distinct,
        topics.numbering[0],
        documents.numbering[0],
        line=line,
        origin=origin,
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
