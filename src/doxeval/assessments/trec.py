"""TREC's qrels: one grade for each judged document.

    topic iteration document grade

A grade of 1 or more makes the whole document relevant, 0 or less is judged and not relevant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import IO

from doxeval.assessments.judgment import Judgment, Judgments
from doxeval.documents.ids import normalised_id
from doxeval.errors import FormatError
from doxeval.files import text_lines

_GRADE = re.compile(r"-?[0-9]{1,9}")


def read_trec_qrels(file: IO[bytes], origin: str) -> Judgments:
    """Read qrels.

    >>> import io
    >>> found = read_trec_qrels(io.BytesIO(b"7 0 a 2\\n7 0 b 0\\n"), "qrels.txt")
    >>> [(judgment.document, judgment.is_relevant) for judgment in found.judgments]
    [('a', True), ('b', False)]
    """
    judgments = []
    for number, line in text_lines(file, origin):
        fields = line.split()
        if len(fields) != 4 or not _GRADE.fullmatch(fields[3]):
            raise FormatError("expected topic, iteration, document and a grade", origin, number)
        topic, _, document, grade = fields
        judgments.append(
            Judgment(
                topic,
                normalised_id(document),
                relevance=int(grade),
                origin=origin,
                line=number,
            )
        )
    if not judgments:
        raise FormatError("no assessments in the file", origin)
    return Judgments(judgments, [])


def write_trec_qrels(judgments: Iterable[Judgment]) -> Iterator[bytes]:
    """Assessments as qrels: what is highlighted anywhere is relevant, and that is all that is kept.

    >>> list(write_trec_qrels([Judgment("7", "a", ((10, 15),))]))
    [b'7 0 a 1\\n']
    """
    for judgment in judgments:
        grade = judgment.relevance
        if grade is None:
            grade = int(judgment.is_relevant)
        yield f"{judgment.topic} 0 {judgment.document} {grade}\n".encode()
