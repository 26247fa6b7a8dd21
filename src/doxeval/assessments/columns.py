"""Judgments by columns: one row for each judged document of a topic.

Hundreds of thousands of judgments are a dozen arrays here, and a `Judgment` is made only of what
somebody looks at. Columns hold offsets, lengths and grades of whole documents in full; of richer
judgments (grades of elements, text points, several assessors) they hold what measures of text and
documents need.

What the readers of text share: a file as a whole, numbers, and names that are places in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import IO, Any, overload

import numpy as np

from doxeval.arrays import Bools, Ints, concatenated_ranges
from doxeval.assessments.judgment import LARGEST_GRADE, Judgment
from doxeval.columns import Columns, Names, Words
from doxeval.errors import FormatError, InputError
from doxeval.files import BYTE_ORDER_MARK, LONGEST_LINE
from doxeval.messages import plural
from doxeval.spans import MOST_GROUPS, Spans

UNKNOWN = -1
# Grades may be negative, but none is as low as this.
NO_GRADE = -LARGEST_GRADE - 1


@dataclass(frozen=True, eq=False, repr=False)
class JudgmentColumns:
    """Judged pairs of topic and document.

    topic, document: positions in `topics` and `documents`, which are distinct.
    length, entry: of the document and its best entry point, UNKNOWN (-1) where they are not given.
    grade: of the document as a whole, NO_GRADE where there is none.
    highlights: grouped by row, sorted, merged.
    origin, line: where a row was read, by its position in `origins`; UNKNOWN (-1) if nowhere.

    >>> columns = JudgmentColumns.of([Judgment("7", "a", ((0, 5),), 2), Judgment("7", "b")])
    >>> columns
    JudgmentColumns(2 judged documents for 1 topic)
    >>> columns.entry.tolist(), columns.is_relevant.tolist(), columns.highlights.end.tolist()
    ([2, -1], [True, False], [5])
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

    def __post_init__(self) -> None:
        if len(self.topic) > MOST_GROUPS:
            raise InputError(f"more than {MOST_GROUPS:,} judged documents in one set")

    @classmethod
    def of(cls, judgments: Sequence[Judgment]) -> JudgmentColumns:
        """The columns of judgments, in their order."""
        topics, documents = _Numbers(), _Numbers()
        origins = _Numbers()
        rows = [
            (
                topics.number(one.topic),
                documents.number(one.document),
                one.is_relevant,
                UNKNOWN if one.document_length is None else one.document_length,
                UNKNOWN if one.best_entry_point is None else one.best_entry_point,
                NO_GRADE if one.relevance is None else one.relevance,
                UNKNOWN if one.line is None else one.line,
                UNKNOWN if one.origin is None else origins.number(one.origin),
            )
            for one in judgments
        ]
        ranges = [(row, *range_) for row, one in enumerate(judgments) for range_ in one.highlights]
        topic, document, relevant, length, entry, grade, line, origin = (
            np.array(rows, dtype=np.int64).reshape(-1, 8).T
        )
        return cls(
            tuple(topics),
            tuple(documents),
            topic,
            document,
            relevant > 0,
            length,
            entry,
            grade,
            Spans.of(ranges),
            line,
            origin,
            tuple(origins),
        )

    def __len__(self) -> int:
        return len(self.topic)

    def __repr__(self) -> str:
        judged, topics = plural(len(self), "judged document"), plural(len(self.topics), "topic")
        return f"JudgmentColumns({judged} for {topics})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Smaller, and without the file that names may be positions in.
        values = (getattr(self, one.name) for one in fields(self))
        return _unpacked, tuple(map(_packed, values))

    def rows(self, rows: Ints) -> JudgmentColumns:
        """Only these rows, in this order."""
        count = np.bincount(self.highlights.group, minlength=len(self))
        first = np.cumsum(count) - count
        own = concatenated_ranges(first[rows], count[rows])
        columns: dict[str, Any] = {
            one.name: value[rows]
            for one in fields(self)
            if isinstance(value := getattr(self, one.name), np.ndarray)
        }
        group = np.repeat(np.arange(len(rows)), count[rows])
        highlights = Spans(group, self.highlights.start[own], self.highlights.end[own])
        return replace(self, **columns, highlights=highlights)

    def by_topic(self) -> JudgmentColumns:
        """Sorted by topic, each topic's rows in their order."""
        if (np.diff(self.topic) >= 0).all():
            return self
        return self.rows(np.argsort(self.topic, kind="stable"))

    def first_repeated(self) -> tuple[int, int] | None:
        """The first row that judges a pair again, and the row that judged it before."""
        keys = self.topic * len(self.documents) + self.document
        in_order = np.sort(keys)
        if (in_order[1:] != in_order[:-1]).all():
            return None
        order = np.argsort(keys, kind="stable")
        again = int(order[1:][keys[order][1:] == keys[order][:-1]].min())
        return int(np.argmax(keys == keys[again])), again

    def same(self, other: JudgmentColumns) -> bool:
        """Whether the rows say the same in the same order, wherever they were read."""
        names = ("topic", "document", "length", "entry", "grade")
        return (
            self.topics == other.topics
            and all(np.array_equal(getattr(self, one), getattr(other, one)) for one in names)
            and all(map(np.array_equal, self.highlights, other.highlights))
            and list(self.documents) == list(other.documents)
        )

    def judgments(self, first: int = 0, last: int | None = None) -> list[Judgment]:
        """The judgments of some rows (all), as far as columns hold them."""
        rows = slice(first, len(self) if last is None else last)
        edges = np.searchsorted(self.highlights.group, np.arange(first, rows.stop + 1)).tolist()
        begin = edges[0] if edges else 0
        own = slice(begin, edges[-1] if edges else 0)
        ranges = list(
            zip(self.highlights.start[own].tolist(), self.highlights.end[own].tolist(), strict=True)
        )
        columns = (self.topic, self.document, self.entry, self.length, self.grade)
        values = (column[rows].tolist() for column in (*columns, self.origin, self.line))
        return [
            Judgment(
                self.topics[topic],
                self.documents[document],
                tuple(ranges[edges[row] - begin : edges[row + 1] - begin]),
                None if entry < 0 else entry,
                None if length < 0 else length,
                None if grade == NO_GRADE else grade,
                origin=None if origin < 0 else self.origins[origin],
                line=None if line < 0 else line,
            )
            for row, (topic, document, entry, length, grade, origin, line) in enumerate(
                zip(*values, strict=True)
            )
        ]


class PlainJudgments(Sequence[Judgment]):
    """Judgments that columns hold in full; each is made when it is looked at.

    >>> found = PlainJudgments(JudgmentColumns.of([Judgment("7", "a"), Judgment("7", "b")]))
    >>> len(found), found[1]
    (2, Judgment('7', 'b'))
    """

    def __init__(self, columns: JudgmentColumns) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns)

    @overload
    def __getitem__(self, row: int) -> Judgment: ...
    @overload
    def __getitem__(self, row: slice) -> list[Judgment]: ...
    def __getitem__(self, row: int | slice) -> Judgment | list[Judgment]:
        if isinstance(row, slice):
            return self.columns.judgments()[row]
        at = range(len(self))[row]
        return self.columns.judgments(at, at + 1)[0]

    def __iter__(self) -> Iterator[Judgment]:
        return iter(self.columns.judgments())


def plain_judgments(
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
) -> PlainJudgments:
    """Judgments from columns, of which those that are left out say nothing.

    >>> one = np.array([0])
    >>> plain_judgments(["7"], ["a"], one, one, grade=np.array([2]))[0]
    Judgment('7', 'a', relevance=2)
    """
    unknown = np.full(len(topic), UNKNOWN, dtype=np.int64)
    grades = np.full(len(topic), NO_GRADE, dtype=np.int64) if grade is None else grade
    ranges = Spans.of([]) if highlights is None else highlights
    is_relevant = grades > 0
    is_relevant[ranges.group] = True
    return PlainJudgments(
        JudgmentColumns(
            tuple(topics),
            documents,
            topic,
            document,
            is_relevant,
            unknown if length is None else length,
            unknown if entry is None else entry,
            grades,
            ranges,
            unknown if line is None else line,
            unknown if origin is None else np.zeros(len(topic), dtype=np.int64),
            () if origin is None else (origin,),
        )
    )


def joined(several: Sequence[JudgmentColumns]) -> JudgmentColumns:
    """All rows of several columns, one after another.

    >>> one, other = (JudgmentColumns.of([Judgment("7", name, ((0, 5),))]) for name in "ab")
    >>> [judgment.document for judgment in joined([one, other]).judgments()]
    ['a', 'b']
    """
    if len(several) == 1:
        return several[0]
    topics, documents, origins = _Numbers(), _Numbers(), _Numbers()
    before = np.cumsum([0, *map(len, several)]).tolist()

    def all_of(name: str) -> Any:
        return np.concatenate([getattr(columns, name) for columns in several])

    return JudgmentColumns(
        topic=np.concatenate([topics.renumbered(one.topics, one.topic) for one in several]),
        document=np.concatenate(
            [documents.renumbered(one.documents, one.document) for one in several]
        ),
        origin=np.concatenate([origins.renumbered(one.origins, one.origin) for one in several]),
        topics=tuple(topics),
        documents=tuple(documents),
        origins=tuple(origins),
        is_relevant=all_of("is_relevant"),
        length=all_of("length"),
        entry=all_of("entry"),
        grade=all_of("grade"),
        line=all_of("line"),
        highlights=Spans(
            np.concatenate(
                [one.highlights.group + at for one, at in zip(several, before, strict=False)]
            ),
            np.concatenate([one.highlights.start for one in several]),
            np.concatenate([one.highlights.end for one in several]),
        ),
    )


class _Numbers(dict[str, int]):
    """Names, numbered in the order in which they first come."""

    def number(self, name: str) -> int:
        return self.setdefault(name, len(self))

    def renumbered(self, names: Sequence[str], numbers: Ints) -> Ints:
        """Numbers of other names as numbers of these; -1 stays."""
        own = np.array([*map(self.number, names), UNKNOWN], dtype=np.int64)
        return own[numbers]


def _packed(value: Any) -> Any:
    """Names as a tuple, whole numbers in as few bytes as they need."""
    if isinstance(value, Spans):
        return Spans(*map(_packed, value))
    if not isinstance(value, np.ndarray):
        return tuple(value)
    if value.dtype == np.bool_ or not len(value):
        return value
    smallest = np.result_type(np.min_scalar_type(value.min()), np.min_scalar_type(value.max()))
    return value.astype(smallest if smallest.kind in "iu" else np.int64)


def _unpacked(*values: Any) -> JudgmentColumns:
    return JudgmentColumns(*map(_wide, values))


def _wide(value: Any) -> Any:
    if isinstance(value, Spans):
        return Spans(*map(_wide, value))
    if isinstance(value, np.ndarray) and value.dtype != np.bool_:
        return value.astype(np.int64)
    return value


LARGEST_FILE = 2 << 30


def whole_text(file: IO[bytes], origin: str) -> bytes:
    """All bytes of a file but the byte-order mark; one that is too large, or a line, is an error.

    >>> import io
    >>> whole_text(io.BytesIO(b"\\xef\\xbb\\xbfa b\\n"), "a.txt")
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
    """A column of whole numbers; None if some field is none, or too long.

    >>> from doxeval.columns import TokenTable
    >>> columns = TokenTable(Words(b"12 -3\\n")).columns(2)
    >>> whole_numbers(columns, 0, 9).tolist(), whole_numbers(columns, 1, 9)
    ([12], None)
    """
    begins, ends = columns.span(column)
    values = columns.integers(column)
    if (values < 0).any() or (ends - begins > most_digits).any():
        return None
    return values


def text_judgments(
    words: Words, names: Ints, line: Ints, origin: str, **columns: Any
) -> PlainJudgments:
    """The judgments of a file, by columns that `plain_judgments` takes.

    names: four rows, where the topic of each line begins and ends, and its document.
    """
    topics = Names(words, *names[:2])
    documents = Names(words, *names[2:]).as_document_ids()
    return plain_judgments(
        tuple(topics.distinct),
        documents.distinct,
        topics.numbering[0],
        documents.numbering[0],
        line=line,
        origin=origin,
        **columns,
    )
