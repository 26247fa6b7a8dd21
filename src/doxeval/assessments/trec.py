"""TREC's qrels: one grade for each judged document.

    topic iteration document grade

A grade of 1 or more makes the whole document relevant, 0 or less is judged and not relevant. Fields
are separated by white space; MS MARCO's qrels are the same with tabs between fields.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from typing import IO

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments.columns import (
    JudgmentColumns,
    Judgments,
    text_columns,
    whole_file,
    whole_numbers,
)
from doxeval.assessments.judgment import Judgment
from doxeval.columns import Columns, PaddedBytes, TokenTable, has_plain_spaces, line_blocks
from doxeval.documents import normalise_id
from doxeval.errors import FormatError
from doxeval.files import text_lines

_MOST_DIGITS = 9
GRADE = re.compile(rf"-?[0-9]{{1,{_MOST_DIGITS}}}")


def read_trec_qrels(file: IO[bytes], origin: str) -> Judgments:
    """Read qrels.

    >>> import io
    >>> read = read_trec_qrels(io.BytesIO(b"7 0 a 2\\n7 0 b 0\\n"), "qrels.txt")
    >>> [(judgment.document, judgment.is_relevant) for judgment in read.judgments]
    [('a', True), ('b', False)]
    """
    data = whole_file(file, origin)
    # Where anything is wrong, lines are read one by one to find the first of them and say why.
    return _by_columns(data, origin) or _line_by_line(data, origin)


def _by_columns(data: bytes, origin: str) -> Judgments | None:
    """Return the judgments, or None if anything is wrong."""
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
        names = np.stack([*columns.span(0), *columns.span(2)]) + begin
        blocks.append((table.lines + first_line, names, grade))
    if not sum(len(line) for line, *_ in blocks):
        return None
    line, names, grade = (np.concatenate(column, axis=-1) for column in zip(*blocks, strict=True))
    return Judgments(text_columns(words, names, line, origin, grade=grade), [])


def grade_column(words: PaddedBytes, columns: Columns, column: int) -> Ints | None:
    """Return a column of grades, which may have a minus sign; None if one is wrong."""
    begins, ends = columns.span(column)
    is_negative = columns.starts_with(column, b"-")
    digits = Columns(words, np.stack([begins + is_negative, ends]))
    values = whole_numbers(digits, 0, _MOST_DIGITS)
    if values is None or (begins + is_negative == ends).any():
        return None
    return np.where(is_negative, -values, values)


def _line_by_line(data: bytes, origin: str) -> Judgments:
    judgments = []
    for number, line in text_lines(io.BytesIO(data), origin):
        fields = line.split()
        if len(fields) != 4 or not GRADE.fullmatch(fields[3]):
            raise FormatError("expected topic, iteration, document and a grade", origin, number)
        topic, _, document, grade = fields
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
    return Judgments(JudgmentColumns.of(judgments), [])


def write_trec_qrels(judgments: Iterable[Judgment]) -> Iterator[bytes]:
    """Yield assessments as qrels: a document with anything highlighted in it is relevant.

    >>> list(write_trec_qrels([Judgment("7", "a", ((10, 15),))]))
    [b'7 0 a 1\\n']
    """
    for judgment in judgments:
        yield f"{judgment.topic} 0 {judgment.document} {document_grade(judgment)}\n".encode()


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
