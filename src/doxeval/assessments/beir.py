"""BEIR's qrels: a line of column names, then a grade for each judged document.

    query-id    corpus-id    score
    1           d17          2

Fields are separated by tabs, so ids may have spaces in them. Grades are whole numbers and mean what
they mean in TREC's qrels. A file is one of these if its first line has these three names.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import IO

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments.columns import JudgmentColumns, Judgments, text_columns, whole_file
from doxeval.assessments.judgment import Judgment
from doxeval.assessments.trec import GRADE, document_grade, grade_column
from doxeval.columns import BEIR_HEADER, PaddedBytes, TokenTable, has_plain_spaces, line_blocks
from doxeval.documents import normalise_id
from doxeval.errors import FormatError
from doxeval.files import text_lines


def begins_beir(begin: bytes) -> bool:
    """Return whether a file begins with the line of column names.

    >>> begins_beir(b"query-id\\tcorpus-id\\tscore\\n"), begins_beir(b"1\\td17\\t2\\n")
    (True, False)
    """
    return tuple(begin.split(b"\n", 1)[0].decode("utf-8", "replace").split()) == BEIR_HEADER


def read_beir_qrels(file: IO[bytes], origin: str) -> Judgments:
    """Read qrels.

    >>> import io
    >>> file = io.BytesIO(b"query-id\\tcorpus-id\\tscore\\n7\\ta\\t2\\n")
    >>> judgments = read_beir_qrels(file, "test.tsv").judgments
    >>> [(judgment.document, judgment.relevance) for judgment in judgments]
    [('a', 2)]
    """
    data = whole_file(file, origin)
    # Where anything is wrong, or an id has a space in it, lines are read one by one.
    return _by_columns(data, origin) or _line_by_line(data, origin)


def _by_columns(data: bytes, origin: str) -> Judgments | None:
    """Return the judgments, or None if anything is unusual."""
    header = data.find(b"\n") + 1
    if not begins_beir(data) or not has_plain_spaces(data):
        return None
    words = PaddedBytes(data)
    blocks: list[tuple[Ints, Ints, Ints]] = []
    for begin, end, first_line in line_blocks(data):
        begin = max(begin, header)  # which is less than the first block
        table = TokenTable(words.piece(begin, end))
        if (table.fields != 3).any() or table.control_character() is not None:
            return None
        columns = table.columns(3)
        grade = grade_column(words.piece(begin, end), columns, 2)
        if grade is None:
            return None
        names = np.stack([*columns.span(0), *columns.span(1)]) + begin
        blocks.append((table.lines + first_line + (first_line == 1), names, grade))
    if not sum(len(line) for line, *_ in blocks):
        return None
    line, names, grade = (np.concatenate(column, axis=-1) for column in zip(*blocks, strict=True))
    return Judgments(text_columns(words, names, line, origin, grade=grade), [])


def _line_by_line(data: bytes, origin: str) -> Judgments:
    judgments = []
    is_header = True
    for number, line in text_lines(io.BytesIO(data), origin):
        if is_header:
            if tuple(line.split()) != BEIR_HEADER:
                raise FormatError(f"expected the names {', '.join(BEIR_HEADER)}", origin, number)
            is_header = False
            continue
        fields = [field.strip() for field in (line.split("\t") if "\t" in line else line.split())]
        if len(fields) != 3 or not all(fields[:2]) or not GRADE.fullmatch(fields[2]):
            raise FormatError(
                "expected query-id, corpus-id and score, a whole number, with tabs between them",
                origin,
                number,
            )
        topic, document, grade = fields
        judgments.append(
            Judgment(
                topic, normalise_id(document), relevance=int(grade), origin=origin, line=number
            )
        )
    if not judgments:
        raise FormatError("no assessments in the file", origin)
    return Judgments(JudgmentColumns.of(judgments), [])


def write_beir_qrels(judgments: Iterable[Judgment]) -> Iterator[bytes]:
    """Yield assessments as qrels: a document with anything highlighted in it has grade 1.

    >>> list(write_beir_qrels([Judgment("7", "a", ((10, 15),))]))
    [b'query-id\\tcorpus-id\\tscore\\n', b'7\\ta\\t1\\n']
    """
    yield "\t".join(BEIR_HEADER).encode() + b"\n"
    for judgment in judgments:
        yield f"{judgment.topic}\t{judgment.document}\t{document_grade(judgment)}\n".encode()
