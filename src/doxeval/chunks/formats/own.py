"""Questions in our own formats.

{"id", "question", "needs": [{"id", "grade", "spans": [PLACE…]}]}
PLACE is {"doc", "start", "end"} or {"doc", "quote"}
{"topic", "doc", "start", "end", "need"?, "grade"?}
judgments, as `doxeval chunks gold` writes them
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from doxeval.chunks.document_set import Documents
from doxeval.chunks.formats import GoldFormat, first_record
from doxeval.chunks.formats.fields import number, text, texts
from doxeval.chunks.loading import Loaded
from doxeval.chunks.stated import Stated, StatedNeed, StatedQuestion
from doxeval.wording import brief


def _is_questions(value: Any) -> bool:
    first = first_record(value)
    return "needs" in first and ("question" in first or "text" in first)


def _stated(loaded: Loaded, docs: Documents) -> Iterator[StatedQuestion]:
    for row, record in enumerate(loaded.records()):
        given = record.get("needs")
        if not isinstance(given, list):
            raise loaded.wrong(f"needs is {brief(given)}: expected a list", row)
        needs = tuple(_need(loaded, row, need) for need in given)
        question = text(record, "question", "text")
        own = text(record, "id") or str(row + 1)
        judged = texts(record, "not_relevant")
        yield StatedQuestion(own, question or "", needs, texts(record, "tags"), judged)


def _need(loaded: Loaded, row: int, need: Any) -> StatedNeed:
    if not isinstance(need, Mapping) or not isinstance(need.get("spans"), list):
        raise loaded.wrong(f'the need {brief(need)}: expected {{"spans": […]}}', row)
    pieces = tuple(_piece(loaded, row, one) for one in need["spans"])
    grade = need.get("grade", 1)
    if isinstance(grade, bool) or not isinstance(grade, int | float) or not 0 < grade < 1 << 31:
        raise loaded.wrong(f"the grade {brief(grade)}: expected more than 0", row)
    return StatedNeed(pieces, grade, text(need, "id"))


def _piece(loaded: Loaded, row: int, span: Any) -> Stated:
    if isinstance(span, str):
        return Stated(None, span)
    if not isinstance(span, Mapping):
        raise loaded.wrong(
            f'{brief(span)}: expected {{"doc", "start", "end"}} or {{"doc", "quote"}}', row
        )
    quote = text(span, "quote")
    start, end = (number(loaded, row, span, name) for name in ("start", "end"))
    if (start is None) != (end is None) and quote is None:
        raise loaded.wrong(f"{brief(dict(span))}: expected both start and end", row)
    document = text(span, "doc")
    if document is None and quote is None:
        raise loaded.wrong(f"{brief(dict(span))}: expected a doc or a quote", row)
    return Stated(document, quote, start, end)


def _is_judged(value: Any) -> bool:
    first = first_record(value)
    return "topic" in first and "doc" in first and bool({"start", "judged"} & set(first))


def _judged(loaded: Loaded, docs: Documents) -> Iterator[StatedQuestion]:
    from doxeval.assessments.assessments import Assessments
    from doxeval.assessments.statements import judgments_of_statements

    rows = ((loaded.line(row) or row + 1, one) for row, one in enumerate(loaded.records()))
    found = judgments_of_statements(rows, loaded.origin or "")
    return judged_questions(Assessments(found.judgments, found.warnings))


def judged_questions(judged: Any) -> Iterator[StatedQuestion]:
    """The needs of assessments, for questions whose texts are not known."""
    from doxeval.assessments.needs import Needs

    needs = Needs.of(judged)
    pairs = [(one.topic, one.document) for one in judged]
    by_topic: dict[str, list[StatedNeed]] = {topic: [] for topic in judged.topics}
    topics = list(judged.topics)
    for row in range(len(needs)):
        own = range(int(needs.begin[row]), int(needs.begin[row + 1]))
        places = zip(needs.pair[own], needs.start[own], needs.end[own], strict=True)
        pieces = tuple(Stated(pairs[pair][1], None, int(s), int(e)) for pair, s, e in places)
        need = StatedNeed(pieces, _whole(float(needs.grade[row])), needs.names[row])
        by_topic[topics[int(needs.topic[row])]].append(need)
    for topic, own_needs in by_topic.items():
        empty = tuple(one.document for one in judged.of(topic) if not one.highlights)
        yield StatedQuestion(topic, "", tuple(own_needs), not_relevant=empty)


def _whole(grade: float) -> float:
    return int(grade) if grade.is_integer() else grade


FORMATS = (
    GoldFormat("doxeval", "question and needs", _is_questions, _stated),
    GoldFormat("judgments", "topic, doc, start and end", _is_judged, _judged),
)
