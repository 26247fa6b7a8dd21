"""HotpotQA, 2WikiMultihopQA and MuSiQue: questions that need sentences or paragraphs of several
articles.

    {"_id", "question", "context": [[title, [sentences]]], "supporting_facts": [[title, number]]}
    {"id", "question", "paragraphs": [{"title", "paragraph_text", "is_supporting"}]}

A supporting fact or paragraph is a need. The paragraphs of a title, from all questions, are a
document. Some facts name a sentence that there is not: they are reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from doxeval.chunks.document_set import Documents
from doxeval.chunks.formats import GoldFormat, first_record
from doxeval.chunks.formats.fields import listed_records, needed_text, pairs, text, texts
from doxeval.chunks.formats.paragraphs import paragraphs_by_title
from doxeval.chunks.loading import Loaded
from doxeval.chunks.stated import Stated, StatedNeed, StatedQuestion, single_needs
from doxeval.messages import quoted


class _Paragraph(NamedTuple):
    """A paragraph of a title, and where each of its sentences begins and ends."""

    title: str
    text: str
    sentences: tuple[tuple[int, int], ...]


def _fits(value: Any) -> bool:
    return {"question", "context", "supporting_facts"} <= first_record(value).keys()


def _paragraphs(loaded: Loaded, row: int, record: Mapping[str, Any]) -> list[_Paragraph]:
    found = []
    for title, sentences in pairs(loaded, row, record.get("context"), "title", "sentences"):
        if not isinstance(title, str) or not isinstance(sentences, list | tuple):
            raise loaded.wrong(f"{quoted(title)}: expected a title and its sentences", row)
        found.append(_joined(title, [str(sentence) for sentence in sentences]))
    return found


def _joined(title: str, sentences: list[str]) -> _Paragraph:
    """Sentences as one text, with a space between those that have none."""
    together, ranges = "", []
    for sentence in sentences:
        if together and not together[-1].isspace() and not sentence[:1].isspace():
            together += " "
        ranges.append((len(together), len(together) + len(sentence)))
        together += sentence
    return _Paragraph(title, together, tuple(ranges))


def _stated(loaded: Loaded, docs: Documents) -> Iterator[StatedQuestion]:
    for row, record in enumerate(loaded.records()):
        paragraphs = _paragraphs(loaded, row, record)
        needs, unusable = [], []
        for title, number in dict.fromkeys(_facts(loaded, row, record)):
            pieces = tuple(
                _sentence(one, number)
                for one in paragraphs
                if one.title == title and 0 <= number < len(one.sentences)
            )
            if pieces:
                needs.append(StatedNeed(pieces))
            else:
                unusable.append(f"{title}, sentence {number}")
        question = needed_text(loaded, row, record, "question")
        own = text(record, "_id", "id") or str(row + 1)
        tags = texts(record, "type")
        yield StatedQuestion(own, question, tuple(needs), tags, unusable=tuple(unusable))


def _sentence(paragraph: _Paragraph, number: int) -> Stated:
    start, end = paragraph.sentences[number]
    sentence = paragraph.text[start:end]
    start += len(sentence) - len(sentence.lstrip())
    quote = sentence.strip()
    return Stated(paragraph.title, quote, start, start + len(quote), paragraph.text)


def _facts(loaded: Loaded, row: int, record: Mapping[str, Any]) -> list[tuple[str, int]]:
    facts = pairs(loaded, row, record.get("supporting_facts"), "title", "sent_id")
    for title, number in facts:
        if not isinstance(title, str) or type(number) is not int:
            shown = quoted([title, number])
            raise loaded.wrong(f"{shown}: expected a title and the number of a sentence", row)
    return facts


def _documents(loaded: Loaded) -> Iterator[tuple[str, str]]:
    return paragraphs_by_title(
        (one.title, one.text)
        for row, record in enumerate(loaded.records())
        for one in _paragraphs(loaded, row, record)
    )


# MuSiQue


def _fits_musique(value: Any) -> bool:
    first = first_record(value)
    return {"question", "paragraphs"} <= first.keys() and (
        "paragraph_text" in first_record(first["paragraphs"])
    )


def _whole_paragraphs(loaded: Loaded) -> Iterator[tuple[str, str, bool, int]]:
    for row, record in enumerate(loaded.records()):
        for one in listed_records(loaded, row, record, "paragraphs"):
            title = needed_text(loaded, row, one, "title")
            paragraph = needed_text(loaded, row, one, "paragraph_text")
            yield title, paragraph, bool(one.get("is_supporting")), row


def _stated_musique(loaded: Loaded, docs: Documents) -> Iterator[StatedQuestion]:
    pieces: dict[int, list[Stated]] = {}
    for title, paragraph, is_supporting, row in _whole_paragraphs(loaded):
        if is_supporting:
            pieces.setdefault(row, []).append(Stated(title, paragraph))
    for row, record in enumerate(loaded.records()):
        question = needed_text(loaded, row, record, "question")
        own = text(record, "id") or str(row + 1)
        yield StatedQuestion(own, question, single_needs(pieces.get(row, [])))


def _documents_musique(loaded: Loaded) -> Iterator[tuple[str, str]]:
    return paragraphs_by_title(one[:2] for one in _whole_paragraphs(loaded))


FORMATS = (
    GoldFormat("HotpotQA", "question, context and supporting_facts", _fits, _stated, _documents),
    GoldFormat(
        "MuSiQue", "question and paragraphs", _fits_musique, _stated_musique, _documents_musique
    ),
)
