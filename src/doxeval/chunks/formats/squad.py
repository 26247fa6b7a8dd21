"""SQuAD 1 and 2: answers as pieces of paragraphs, by title.

    {"data": [{"title", "paragraphs": [{"context", "qas": [{"id", "question", "is_impossible",
        "answers": [{"text", "answer_start"}]}]}]}]}
    {"id", "title", "context", "question", "answers": {"text": […], "answer_start": […]}}   one each

The paragraphs of a title, separated by blank lines, are a document. The answers of several people
to a question are alternatives, at their places: so short a text stands elsewhere by chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from doxeval.chunks.document_set import Documents
from doxeval.chunks.formats import GoldFormat, first_record
from doxeval.chunks.formats.fields import listed_records, needed_text, number, pairs, text
from doxeval.chunks.formats.paragraphs import paragraphs_by_title
from doxeval.chunks.loading import Loaded
from doxeval.chunks.stated import Stated, StatedNeed, StatedQuestion


class _Asked(NamedTuple):
    title: str | None
    context: str
    record: Mapping[str, Any]
    row: int


def _fits(value: Any) -> bool:
    if isinstance(value, dict):
        return "paragraphs" in first_record(value.get("data"))
    return {"context", "question", "answers"} <= first_record(value).keys() and isinstance(
        value[0]["context"], str
    )


def _asked(loaded: Loaded) -> Iterator[_Asked]:
    if not isinstance(loaded.value, dict):
        for row, record in enumerate(loaded.records()):
            context = needed_text(loaded, row, record, "context")
            yield _Asked(text(record, "title"), context, record, row)
        return
    for row, article in enumerate(loaded._replace(value=loaded.value["data"]).records()):
        for paragraph in listed_records(loaded, row, article, "paragraphs"):
            context = needed_text(loaded, row, paragraph, "context")
            for record in listed_records(loaded, row, paragraph, "qas"):
                yield _Asked(text(article, "title"), context, record, row)


def _stated(loaded: Loaded, docs: Documents) -> Iterator[StatedQuestion]:
    for asked in _asked(loaded):
        record, row = asked.record, asked.row
        document = docs.find(asked.title)
        pieces = tuple(
            Stated(document, quote, start, None, asked.context, at_place=True)
            for quote, start in dict.fromkeys(_answers(loaded, row, record))
        )
        question = needed_text(loaded, row, record, "question")
        own = needed_text(loaded, row, record, "id")
        needs = (StatedNeed(pieces),) if pieces else ()
        judged = (document,) if document is not None and not pieces else ()
        yield StatedQuestion(own, question, needs, not_relevant=judged)


def _answers(
    loaded: Loaded, row: int, record: Mapping[str, Any]
) -> Iterator[tuple[str, int | None]]:
    answers = record.get("answers") or []
    if isinstance(answers, Mapping):
        columns = pairs(loaded, row, answers, "text", "answer_start")
        answers = [{"text": quote, "answer_start": start} for quote, start in columns]
    for answer in listed_records(loaded, row, {"answers": answers}, "answers"):
        quote = needed_text(loaded, row, answer, "text")
        yield quote, number(loaded, row, answer, "answer_start")


def _documents(loaded: Loaded) -> Iterator[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    if isinstance(loaded.value, dict):
        for row, article in enumerate(loaded._replace(value=loaded.value["data"]).records()):
            title = text(article, "title") or str(row + 1)
            for paragraph in listed_records(loaded, row, article, "paragraphs"):
                pairs.append((title, needed_text(loaded, row, paragraph, "context")))
    else:
        pairs = [(one.title or str(one.row + 1), one.context) for one in _asked(loaded)]
    return paragraphs_by_title(pairs)


FORMATS = (GoldFormat("SQuAD", "context, question and answers", _fits, _stated, _documents),)
