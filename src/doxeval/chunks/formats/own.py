"""A question on each line, with what it needs to be shown, for all verbs of `doxeval chunks`:

    {"id": "q1", "question": "How long may I keep it?", "tags": ["returns"], "needs": [
      {"id": "period", "grade": 2, "spans": [{"doc": "terms", "quote": "Thirty days"}]},
      {"spans": [{"doc": "terms", "start": 13, "end": 31}, {"doc": "faq", "quote": "unused"}]}]}
    {"id": "q2", "question": "Do you sell boats?", "answerable": false, "needs": []}

(the first is written here in several lines). A question needs all of its `needs` to be met, and a
need is met by any of its `spans`. Needs weigh as much as their `grade` says (1 if there is none).
Needs and questions without an `id` are numbered. A question may also have `tags` (the sets it
belongs to, for `chunks evaluate --by tag`), `not_relevant` (documents that were judged and answer
nothing), `answers` and `answerable`. A question that no document answers has `answerable`: false,
and no needs: nothing should be returned for it, which `none@k` and `vain@B` score. `answers` are
strings, any of which answers the question: `ans@k` looks for them in what is returned. They need
no places, and say less than places do, since a short string occurs by chance. A question without
all of this merely lacks gold (`"needs": []`), and is not evaluated. A span is one of

    {"doc", "start", "end"}     a range of characters, half-open
    {"doc", "quote"}            a text that is looked up in the document
    {"quote"}                   a text that is looked up in all documents; a string is the same
    {"doc", "whole": true}      the whole document
    {"doc", "page": 7}          a page, the first being page 1, of a document that has pages

A quote may come with `start`, or with `start` and `end`, which are then compared with it, or with
`page`: then it is looked for on that page first. Documents have pages if their records say where
these are: {"id", "text", "pages": [[start, end], …]}. Fields
that are null are absent; unknown fields are errors, and so is a span that does not say what it is.

A quote with ellipses (… or ..., also in brackets) stands for all of its parts, in their order, in
one document, with at most 2,000 characters between two: all of them must be shown. With places, a
list in `spans` says the same: [[{"doc", "start", "end"}, {"doc", "start", "end"}], …]. Quotes that
are not there to the letter are listed with their similarity, and --similar says which are accepted.

Gold that is not found in the documents is an error, unless --max-missing (`max_missing` in Python)
allows it. `doxeval chunks questions --topics-out` writes this format, with the offsets of all
places of a quote. Judged spans in JSONL, as under [Assessments](#assessments), are read as well:

    {"topic", "doc", "start", "end", "need"?, "grade"?, "alternative"?}

`doxeval chunks questions --out` writes them. For question sets of other programs, see
[Question sets of others](#question-sets-of-others).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from doxeval.chunks.documents import Documents
from doxeval.chunks.formats import QuestionFormat, RawEvidence, RawNeed, RawQuestion, first_record
from doxeval.chunks.formats.fields import text, texts, whole_number
from doxeval.chunks.records import Loaded
from doxeval.columns import refuse_unknown
from doxeval.errors import FormatError
from doxeval.messages import quoted

if TYPE_CHECKING:
    from doxeval.assessments import Needs

_OF_QUESTION = ("id", "question", "needs", "tags", "not_relevant", "answers", "answerable")
_OF_NEED = ("id", "grade", "spans")
_OF_SPAN = ("doc", "start", "end", "quote", "whole", "page")
_SPANS = '{"doc", "start", "end"}, {"doc", "quote"}, {"doc", "page"} or {"doc", "whole": true}'


def _is_questions(value: Any) -> bool:
    first = first_record(value)
    is_ours = first.keys() <= {*_OF_QUESTION, "text"}
    states = isinstance(first.get("answerable"), bool) or isinstance(first.get("answers"), list)
    is_known = "needs" in first or (is_ours and states)
    return is_known and ("question" in first or "text" in first)


def _stated(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    for row, record in enumerate(loaded.records()):
        _refuse_unknown(loaded, row, record, _OF_QUESTION, "text")
        needs = tuple(_need(loaded, row, need) for need in _needs(loaded, row, record))
        question = text(record, "question", "text")
        own = text(record, "id") or str(row + 1)
        judged = texts(record, "not_relevant")
        yield RawQuestion(
            own,
            question or "",
            needs,
            texts(record, "tags"),
            judged,
            answers=texts(record, "answers"),
            answerable=record.get("answerable") is not False,
        )


def _refuse_unknown(
    loaded: Loaded, row: int, record: Mapping[str, Any], known: tuple[str, ...], *accepted: str
) -> None:
    try:
        refuse_unknown(record, known, accepted)
    except FormatError as error:
        raise loaded.wrong(error.message, row) from None


def _needs(loaded: Loaded, row: int, record: Mapping[str, Any]) -> list[Any]:
    given, answerable = record.get("needs"), record.get("answerable")
    if answerable is not None and not isinstance(answerable, bool):
        raise loaded.wrong(f"answerable is {quoted(answerable)}: expected true or false", row)
    if answerable is False:
        if given or record.get("answers"):
            what = "needs" if given else "answers"
            raise loaded.wrong(f"{what} of a question that is not answerable: expected none", row)
        return []
    if given is None and record.get("answers"):
        return []
    if not isinstance(given, list):
        raise loaded.wrong(f"needs is {quoted(given)}: expected a list", row)
    return given


def _need(loaded: Loaded, row: int, need: Any) -> RawNeed:
    if isinstance(need, Mapping):
        _refuse_unknown(loaded, row, need, _OF_NEED)
    if not isinstance(need, Mapping) or not isinstance(need.get("spans"), list):
        raise loaded.wrong(f'the need {quoted(need)}: expected {{"spans": […]}}', row)
    evidence = tuple(_evidence(loaded, row, span) for span in need["spans"])
    grade = need.get("grade", 1)
    if isinstance(grade, bool) or not isinstance(grade, int | float) or not 0 < grade < 1 << 31:
        raise loaded.wrong(f"the grade {quoted(grade)}: expected more than 0", row)
    return RawNeed(evidence, grade, text(need, "id"))


def _evidence(loaded: Loaded, row: int, span: Any) -> RawEvidence:
    if isinstance(span, str):
        return RawEvidence(None, span)
    if isinstance(span, list):
        return _evidence_in_parts(loaded, row, span)
    if not isinstance(span, Mapping):
        raise loaded.wrong(f"{quoted(span)}: expected {_SPANS}", row)
    _refuse_unknown(loaded, row, span, _OF_SPAN)
    quote = text(span, "quote")
    start, end = (whole_number(loaded, row, span, name) for name in ("start", "end"))
    if (start is None) != (end is None) and quote is None:
        raise loaded.wrong(f"{quoted(dict(span))}: expected both start and end", row)
    document = text(span, "doc")
    if document is None and quote is None:
        raise loaded.wrong(f"{quoted(dict(span))}: expected a doc or a quote", row)
    whole = span.get("whole")
    if whole is not None and not isinstance(whole, bool):
        raise loaded.wrong(f"whole is {quoted(whole)}: expected true or false", row)
    page = whole_number(loaded, row, span, "page")
    if page is not None and (page < 1 or document is None or start is not None):
        expected = "expected a doc and a page from 1 on, perhaps with a quote"
        raise loaded.wrong(f"{quoted(dict(span))}: {expected}", row)
    if not whole and quote is None and start is None and page is None:
        raise loaded.wrong(f"{quoted(dict(span))}: which part of it? Expected {_SPANS}", row)
    if whole and (document is None or (quote, start, page) != (None, None, None)):
        raise loaded.wrong(f"{quoted(dict(span))}: a whole document has only a doc", row)
    return RawEvidence(document, quote, start, end, is_whole=bool(whole), page=page)


def _evidence_in_parts(loaded: Loaded, row: int, spans: list[Any]) -> RawEvidence:
    if all(isinstance(span, Mapping) for span in spans):
        parts = tuple(_evidence(loaded, row, span) for span in spans)
        is_place = [part.start is not None and part.quote is None for part in parts]
        if parts and all(is_place) and len({part.document for part in parts}) == 1:
            return RawEvidence(parts[0].document, parts=parts)
    raise loaded.wrong(
        f'{quoted(spans)}: expected {{"doc", "start", "end"}} several times, all in one document; '
        "for quotes, one quote with ellipses",
        row,
    )


def _is_judged(value: Any) -> bool:
    first = first_record(value)
    of_document = "doc" in first and bool({"start", "judged"} & first.keys())
    return "topic" in first and (of_document or bool({"answerable", "answers"} & first.keys()))


def _judged(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    from doxeval.assessments import Assessments, judgments_of_statements

    rows = ((loaded.line(row) or row + 1, record) for row, record in enumerate(loaded.records()))
    found = judgments_of_statements(rows, loaded.origin or "")
    return judged_questions(Assessments(found.judgments, found.warnings))


def judged_questions(judged: Any, titles: Mapping[str, str] = {}) -> Iterator[RawQuestion]:
    """Yield the needs of assessments, with the texts of questions as far as they are known."""
    from doxeval.assessments import Needs, TopicAnswer

    needs = Needs.of(judged)
    pairs = [(judgment.topic, judgment.document) for judgment in judged]
    by_topic: dict[str, list[RawNeed]] = {topic: [] for topic in judged.topics}
    topics = list(judged.topics)
    for row in range(len(needs)):
        evidence = tuple(
            _judged_evidence(needs, pairs, at)
            for at in range(int(needs.begin[row]), int(needs.begin[row + 1]))
        )
        need = RawNeed(evidence, _whole(float(needs.grade[row])), needs.names[row])
        by_topic[topics[int(needs.topic[row])]].append(need)
    for topic, own_needs in by_topic.items():
        empty = tuple(judgment.document for judgment in judged.of(topic) if not judgment.highlights)
        answer = judged.answers.get(topic, TopicAnswer())
        yield RawQuestion(
            topic,
            titles.get(topic, ""),
            tuple(own_needs),
            not_relevant=empty,
            answers=answer.texts,
            answerable=answer.exists,
        )


def _judged_evidence(
    needs: Needs, pairs: Sequence[tuple[str, str]], alternative: int
) -> RawEvidence:
    spans = slice(*needs.first[alternative : alternative + 2])
    places = zip(needs.pair[spans], needs.start[spans], needs.end[spans], strict=True)
    parts = [RawEvidence(pairs[pair][1], None, int(start), int(end)) for pair, start, end in places]
    return parts[0] if len(parts) == 1 else RawEvidence(parts[0].document, parts=tuple(parts))


def _whole(grade: float) -> float:
    return int(grade) if grade.is_integer() else grade


QUESTIONS = QuestionFormat("doxeval", "question and needs", _is_questions, _stated)
JUDGMENTS = QuestionFormat("judgments", "topic, doc, start and end", _is_judged, _judged)
