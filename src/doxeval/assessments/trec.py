"""TREC's qrels: one grade for each judged document, or one for each of its subtopics.

    topic iteration document grade
    topic subtopic document grade

A grade of 1 or more makes the whole document relevant, 0 or less is judged and not relevant. Fields
are separated by white space; MS MARCO's qrels are the same with tabs between fields.

The second column is the subtopic if the file has a document with several of them for a topic, or if
the reader is told so; the grade of a document is then the highest of its grades for subtopics.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import IO, NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments.columns import (
    JudgmentColumns,
    Judgments,
    text_columns,
    whole_file,
    whole_numbers,
)
from doxeval.assessments.judgment import Judgment, SubtopicGrade
from doxeval.columns import (
    ByteStrings,
    Columns,
    PaddedBytes,
    TokenTable,
    has_plain_spaces,
    line_blocks,
)
from doxeval.documents import normalise_id
from doxeval.errors import FormatError
from doxeval.files import text_lines
from doxeval.messages import quoted, truncate

_MOST_DIGITS = 9
GRADE = re.compile(rf"-?[0-9]{{1,{_MOST_DIGITS}}}")


def read_trec_qrels(file: IO[bytes], origin: str, subtopics: bool | None = None) -> Judgments:
    """Read qrels.

    subtopics: whether the second column is the subtopic; None: if a document has several of them.

    >>> import io
    >>> read = read_trec_qrels(io.BytesIO(b"7 0 a 2\\n7 0 b 0\\n"), "qrels.txt")
    >>> [(judgment.document, judgment.is_relevant) for judgment in read.judgments]
    [('a', True), ('b', False)]
    >>> read_trec_qrels(io.BytesIO(b"7 1 a 0\\n7 2 a 2\\n"), "qrels.txt").judgments[0].relevance
    2
    """
    data = whole_file(file, origin)
    # Where anything is wrong, lines are read one by one to find the first of them and say why.
    lines = _by_columns(data, origin) or _line_by_line(data, origin)
    judgments = lines.judgments
    has_subtopics = lines.has_subtopics() if subtopics is None else subtopics
    return Judgments(_by_document(lines) if has_subtopics else judgments, [])


class _QrelsLines(NamedTuple):
    """Lines of qrels: a judgment for each, and its second column."""

    judgments: JudgmentColumns
    second: Sequence[str]

    def has_subtopics(self) -> bool:
        """Return whether some document of a topic is listed with several second columns."""
        if not self.second or self.judgments.first_repeated() is None:
            return False
        judged = self.judgments
        pairs = zip(judged.topic.tolist(), judged.document.tolist(), strict=True)
        first: dict[tuple[int, int], str] = {}
        listed = zip(pairs, self.second, strict=True)
        return any(first.setdefault(pair, second) != second for pair, second in listed)


def _by_document(lines: _QrelsLines) -> JudgmentColumns:
    """Return a judgment for each document, from lines that have a subtopic each."""
    judged = lines.judgments
    pairs = zip(judged.topic.tolist(), judged.document.tolist(), strict=True)
    rows: dict[tuple[int, int], dict[str, int]] = {}  # by document, the row of each subtopic
    for row, (pair, subtopic) in enumerate(zip(pairs, lines.second, strict=True)):
        of_document = rows.setdefault(pair, {})
        if subtopic in of_document:
            topic, document = judged.pair(row)
            raise FormatError(
                f"document {truncate(document)} is judged twice for subtopic {quoted(subtopic)} of "
                f"topic {truncate(topic)}, first on line {judged.line[of_document[subtopic]]}",
                judged.origins[0],
                int(judged.line[row]),
            )
        of_document[subtopic] = row
    grades = judged.grade.tolist()
    details = [
        tuple(SubtopicGrade(subtopic, grades[row]) for subtopic, row in of_document.items())
        for of_document in rows.values()
    ]
    first = judged.rows(np.array([min(of_document.values()) for of_document in rows.values()]))
    highest = np.array([max(grade for _, grade in subtopics) for subtopics in details])
    return replace(
        first,
        grade=highest,
        is_relevant=highest > 0,
        details={row: {"subtopics": subtopics} for row, subtopics in enumerate(details)},
    )


def _by_columns(data: bytes, origin: str) -> _QrelsLines | None:
    """Return what the lines say, or None if anything is wrong."""
    if not has_plain_spaces(data):
        return None
    words = PaddedBytes(data)
    blocks: list[tuple[Ints, Ints, Ints]] = []
    for begin, end, first_line in line_blocks(data):
        table = TokenTable(words.piece(begin, end))
        if (table.fields != 4).any() or table.control_character() is not None:
            return None
        columns = table.columns(4)
        grade = grade_column(words.piece(begin, end), columns, 3)
        if grade is None:
            return None
        names = np.stack([*columns.span(0), *columns.span(2), *columns.span(1)]) + begin
        blocks.append((table.lines + first_line, names, grade))
    if not sum(len(line) for line, *_ in blocks):
        return None
    line, names, grade = (np.concatenate(column, axis=-1) for column in zip(*blocks, strict=True))
    second = ByteStrings(words, *names[4:])
    return _QrelsLines(text_columns(words, names[:4], line, origin, grade=grade), second)


def grade_column(words: PaddedBytes, columns: Columns, column: int) -> Ints | None:
    """Return a column of grades, which may have a minus sign; None if one is wrong."""
    begins, ends = columns.span(column)
    is_negative = columns.starts_with(column, b"-")
    digits = Columns(words, np.stack([begins + is_negative, ends]))
    values = whole_numbers(digits, 0, _MOST_DIGITS)
    if values is None or (begins + is_negative == ends).any():
        return None
    return np.where(is_negative, -values, values)


def _line_by_line(data: bytes, origin: str) -> _QrelsLines:
    judgments = []
    second = []
    for number, line in text_lines(io.BytesIO(data), origin):
        fields = line.split()
        if len(fields) != 4 or not GRADE.fullmatch(fields[3]):
            raise FormatError("expected topic, iteration, document and a grade", origin, number)
        topic, subtopic, document, grade = fields
        second.append(subtopic)
        judgments.append(
            Judgment(
                topic,
                normalise_id(document),
                relevance=int(grade),
                origin=origin,
                line=number,
            )
        )
    if not judgments:
        raise FormatError("no assessments in the file", origin)
    return _QrelsLines(JudgmentColumns.of(judgments), second)


def write_trec_qrels(judgments: Iterable[Judgment]) -> Iterator[bytes]:
    """Yield assessments as qrels: a document with anything highlighted in it is relevant.

    A document with subtopics has a line for each of them.

    >>> list(write_trec_qrels([Judgment("7", "a", ((10, 15),))]))
    [b'7 0 a 1\\n']
    """
    for judgment in judgments:
        whole = SubtopicGrade("0", document_grade(judgment))
        for subtopic, grade in judgment.subtopics or (whole,):
            yield f"{judgment.topic} {subtopic} {judgment.document} {grade}\n".encode()


def write_msmarco_qrels(judgments: Iterable[Judgment]) -> Iterator[bytes]:
    """Yield the same with tabs between fields, as MS MARCO has them.

    >>> list(write_msmarco_qrels([Judgment("7", "a", relevance=2)]))
    [b'7\\t0\\ta\\t2\\n']
    """
    for judgment in judgments:
        yield f"{judgment.topic}\t0\t{judgment.document}\t{document_grade(judgment)}\n".encode()


def document_grade(judgment: Judgment) -> int:
    """Return the grade of a document; without one, 1 if anything in it is relevant, else 0."""
    return int(judgment.is_relevant) if judgment.relevance is None else judgment.relevance
