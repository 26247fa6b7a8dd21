"""Qrels as ranx saves them: JSON of the grade of each judged document, by topic.

    {"7": {"a": 2, "b": 0}, "8": {"c": 1}}

Grades are whole numbers and mean what they mean in TREC's qrels. A topic without documents has no
judgments, and is an error; so is a topic, or a document of a topic, that is given twice. A file of
assessments is one of these if it begins as an object of objects; JSONL has none of these.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import IO, Any

from doxeval.assessments.columns import LARGEST_FILE, Judgments
from doxeval.assessments.jsonl import PlainStatements, judgments_of_statements
from doxeval.assessments.judgment import Judgment
from doxeval.assessments.trec import document_grade
from doxeval.columns import TopicNumbers, nested_numbers
from doxeval.errors import FormatError, OutputError
from doxeval.files import read_whole
from doxeval.messages import quoted

_ENCODER = json.JSONEncoder(ensure_ascii=False)


def read_ranx_qrels(file: IO[bytes], origin: str) -> Judgments:
    """Read qrels.

    >>> import io
    >>> read = read_ranx_qrels(io.BytesIO(b'{"7": {"a": 2, "b": 0}}'), "qrels.json")
    >>> [(judgment.document, judgment.is_relevant) for judgment in read.judgments]
    [('a', True), ('b', False)]
    """
    data = read_whole(file, origin, LARGEST_FILE)
    statements = PlainStatements()
    is_plain = True
    for topic in nested_numbers(data, origin, int):
        if not topic.documents:
            reason = f"topic {quoted(topic.topic)} has no judged documents"
            raise FormatError(reason, origin, topic.line)
        columns = {
            "topic": [topic.topic] * len(topic.documents),
            "doc": topic.documents,
            "grade": topic.values,
        }
        is_plain = is_plain and statements.add(columns, topic.lines)
    judgments = statements.judgments(origin) if is_plain else None
    if judgments is None:  # statements one by one say what is wrong
        judgments = judgments_of_statements(_statements(data, origin), origin)
    if not judgments.judgments:
        raise FormatError("no assessments in the file", origin)
    return judgments


def _statements(data: bytes, origin: str) -> Iterator[tuple[int, Any]]:
    for topic in nested_numbers(data, origin, int):
        yield from _statements_of(topic)


def _statements_of(topic: TopicNumbers) -> Iterator[tuple[int, Any]]:
    rows = zip(topic.lines.tolist(), topic.documents, topic.values, strict=True)
    for line, document, grade in rows:
        yield line, {"topic": topic.topic, "doc": document, "grade": grade}


def write_ranx_qrels(judgments: Iterable[Judgment]) -> Iterator[bytes]:
    """Yield assessments, a document on each line; one with anything highlighted has grade 1.

    >>> print(b"".join(write_ranx_qrels([Judgment("7", "a", ((10, 15),))])).decode())
    {
      "7": {
        "a": 1
      }
    }
    <BLANKLINE>
    """
    by_topic: dict[str, dict[str, int]] = {}
    for judgment in judgments:
        grades = by_topic.setdefault(judgment.topic, {})
        if judgment.document in grades:
            raise OutputError(
                f"document {quoted(judgment.document)} is judged twice for topic "
                f"{quoted(judgment.topic)}, which the format cannot hold"
            )
        grades[judgment.document] = document_grade(judgment)
    before = b"{\n"
    for topic, grades in by_topic.items():
        listed = ",\n".join(
            f"    {_ENCODER.encode(document)}: {grade}" for document, grade in grades.items()
        )
        yield before + f"  {_ENCODER.encode(topic)}: {{\n{listed}\n  }}".encode()
        before = b",\n"
    yield b"\n}\n"
