"""Assessments read line by line, the obvious way: what the readers by columns must agree with."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

from doxeval.assessments import (
    Judgment,
    JudgmentColumns,
    Judgments,
    judgments_of_statements,
)
from doxeval.documents import normalise_id
from doxeval.errors import FormatError
from doxeval.files import json_lines, text_lines
from doxeval.messages import quoted

WHOLE = re.compile(r"[0-9]{1,12}")
LONGEST = 1 << 32  # no document has so many characters
Line = tuple[Judgment, bool]  # a judgment, and whether its passages overlap


def qrels_by_line(data: bytes, origin: str) -> Judgments:
    """Read lines of topic, Q0, document, rsize, docsize, best entry point and passages."""

    def read(fields: list[str], line: int) -> Line:
        try:
            return _judgment(fields, origin, line)
        except FormatError as error:
            if _is_result(fields):
                message = f"this looks like a run, not assessments; {error.message}"
                raise FormatError(message, origin, line) from None
            raise FormatError(error.message, origin, line) from None

    return _all_lines(data, origin, read)


def trec_by_line(data: bytes, origin: str) -> Judgments:
    """Read lines of topic, iteration, document and grade."""

    def read(fields: list[str], line: int) -> Line:
        if len(fields) != 4 or not re.fullmatch("-?[0-9]{1,9}", fields[3]):
            raise FormatError("expected topic, iteration, document and a grade", origin, line)
        topic, _, document, grade = fields
        name = normalise_id(document)
        return Judgment(topic, name, relevance=int(grade), origin=origin, line=line), False

    return _all_lines(data, origin, read)


def statements_by_line(data: bytes, origin: str) -> Judgments:
    """Read one statement of JSON after another."""
    made = judgments_of_statements(json_lines(io.BytesIO(data), origin), origin)
    if not made.judgments:
        raise FormatError("no assessments in the file", origin)
    return made


def _all_lines(data: bytes, origin: str, read: Callable[[list[str], int], Line]) -> Judgments:
    judgments, warnings = [], []
    for number, line in text_lines(io.BytesIO(data), origin):
        judgment, overlap = read(line.split(), number)
        judgments.append(judgment)
        if overlap:
            warnings.append(f"{origin}:{number}: passages that overlap were merged")
    if not judgments:
        raise FormatError("no assessments in the file", origin)
    return Judgments(JudgmentColumns.of(judgments), warnings)


def _judgment(fields: list[str], origin: str, line: int) -> Line:
    if len(fields) < 5:
        raise FormatError(
            f"{len(fields)} fields; expected topic Q0 doc rsize docsize bep off:len …"
        )
    relevant, length = _whole(fields[3], "an rsize"), _whole(fields[4], "a docsize")
    if length >= LONGEST:
        raise FormatError(f"docsize is {length}: expected less than {LONGEST}")
    passages = [_passage(text, length) for text in fields[6:]]
    if relevant and not passages:
        raise FormatError(f"rsize is {relevant} but there are no passages")
    highlights: list[tuple[int, int]] = []
    for start, end in sorted(passages):
        if start == end:
            continue
        if highlights and start <= highlights[-1][1]:
            highlights[-1] = (highlights[-1][0], max(end, highlights[-1][1]))
        else:
            highlights.append((start, end))
    characters = sum(end - start for start, end in highlights)
    if characters != relevant:
        raise FormatError(f"rsize is {relevant}, but the passages have {characters}")
    entry = _whole(fields[5], "a best entry point") if highlights else None
    judgment = Judgment(
        *(fields[0], normalise_id(fields[2]), tuple(highlights), entry, length),
        origin=origin,
        line=line,
    )
    return judgment, sum(end - start for start, end in passages) != characters


def _passage(text: str, length: int) -> tuple[int, int]:
    offset, _, size = text.partition(":")
    if not WHOLE.fullmatch(offset) or not WHOLE.fullmatch(size):
        raise FormatError(f"{quoted(text)} is not a passage: expected off:len")
    start, end = int(offset), int(offset) + int(size)
    if end > length:
        raise FormatError(f"the passage {text} ends at {end}, beyond the document's {length}")
    return start, end


def _whole(text: str, what: str) -> int:
    if not WHOLE.fullmatch(text):
        raise FormatError(f"{quoted(text)} is not {what}: expected a whole number")
    return int(text)


def _is_result(fields: list[str]) -> bool:
    """Whether a line could be a result: a rank, a score and a run id, which is not a number."""
    if not 6 <= len(fields) <= 8 or not fields[3].isdigit():
        return False
    try:
        float(fields[4])
    except ValueError:
        return False
    return not fields[5].lstrip("-").isdigit()
