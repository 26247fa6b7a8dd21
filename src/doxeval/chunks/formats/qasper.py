"""QASPER: questions about papers, with the paragraphs that are evidence for the answers.

    {paper: {"title", "abstract", "full_text": [{"section_name", "paragraphs": [texts]}],
             "qas": [{"question_id", "question", "answers": [{"answer": {"evidence": [texts]}}]}]}}

Data frames and data sets have lists by field instead ("full_text": {"section_name": […],
"paragraphs": [[…]]}). The evidence of all annotators together is needed, each paragraph once. What
begins with "FLOAT SELECTED" is the caption of a figure or table, which the text does not contain:
it is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from doxeval.chunks.document_set import Documents
from doxeval.chunks.formats import GoldFormat, first_record
from doxeval.chunks.formats.fields import text, texts
from doxeval.chunks.loading import Loaded
from doxeval.chunks.stated import Stated, StatedQuestion, single_needs

_CAPTION = "FLOAT SELECTED"


def _fits(value: Any) -> bool:
    if isinstance(value, dict):
        first = next(iter(value.values()), None)
        return isinstance(first, dict) and {"full_text", "qas"} <= first.keys()
    return {"full_text", "qas"} <= first_record(value).keys()


def _papers(loaded: Loaded) -> Iterator[tuple[str, Mapping[str, Any], int]]:
    if isinstance(loaded.value, dict):
        for row, (name, paper) in enumerate(loaded.value.items()):
            if not isinstance(paper, Mapping):
                raise loaded.wrong(
                    f"paper {name[:80]!r}: expected an object with full_text and qas"
                )
            yield name, paper, row
    else:
        for row, paper in enumerate(loaded.records()):
            yield text(paper, "id", "paper_id") or str(row + 1), paper, row


def rows_of(value: Any) -> list[Mapping[str, Any]]:
    """A list of objects, which may be written as an object of lists.

    >>> rows_of({"a": [1, 2], "b": [3, 4]})
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 4}]
    """
    if isinstance(value, Mapping):
        columns = {name: column for name, column in value.items() if isinstance(column, list)}
        count = min(map(len, columns.values()), default=0)
        return [{name: column[row] for name, column in columns.items()} for row in range(count)]
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _documents(loaded: Loaded) -> Iterator[tuple[str, str]]:
    for name, paper, _ in _papers(loaded):
        parts = [text(paper, "title"), text(paper, "abstract")]
        for section in rows_of(paper.get("full_text")):
            parts += [text(section, "section_name"), *texts(section, "paragraphs")]
        yield name, "\n\n".join(part for part in parts if part)


def _stated(loaded: Loaded, docs: Documents) -> Iterator[StatedQuestion]:
    for name, paper, row in _papers(loaded):
        for number, asked in enumerate(rows_of(paper.get("qas")), 1):
            question = text(asked, "question")
            if question is None:
                raise loaded.wrong("a question without its text", row)
            evidence = dict.fromkeys(
                one
                for answer in _answers(asked.get("answers"))
                for one in texts(answer, "evidence")
            )
            quotes = [one for one in evidence if one.strip() and not one.startswith(_CAPTION)]
            captions = tuple(one for one in evidence if one.startswith(_CAPTION))
            own = text(asked, "question_id") or f"{name}-{number}"
            needs = single_needs([Stated(name, quote) for quote in quotes])
            yield StatedQuestion(own, question, needs, unusable=captions)


def _answers(value: Any) -> Iterator[Mapping[str, Any]]:
    """What each annotator said, however deeply it is nested."""
    for one in rows_of(value):
        inner = one.get("answer")
        if isinstance(inner, Mapping):
            yield inner
        elif isinstance(inner, list):
            yield from (answer for answer in inner if isinstance(answer, Mapping))


FORMATS = (GoldFormat("QASPER", "full_text and qas", _fits, _stated, _documents),)
