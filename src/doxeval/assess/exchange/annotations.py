"""Judgments as W3C Web Annotations (JSON-LD), one file for all topics.

    {"@context": …, "type": "AnnotationCollection", …, "first": {"type": "AnnotationPage", …}}

Each judged document makes these annotations, one on each line:

    assessing      the document: "relevant" or "not relevant"; its marks as tags
    bookmarking    the best entry point: where the selected text begins
    highlighting   a highlighted passage
    assessing      an element, by its path (XPathSelector): its grade as JSON
    commenting     the assessor's note

The topic is a body with the purpose "classifying", the assessor's pseudonym the nickname of the
creator. Text is selected by position, in code points, half-open, and by quote with 32 characters on
either side; the whole text of a judged document by position. The source is the document's id,
percent-encoded. Ids are made from what is annotated, so they are the same each time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid5

from doxeval.assess.exchange.judged import Judged
from doxeval.assess.judging import Article, Grade
from doxeval.documents import Collection

CONTEXT = "http://www.w3.org/ns/anno.jsonld"
_NAMES = UUID("9b4ee8a1-6f0c-5d38-8f7e-2a41c6d0b517")
# How much text a quote has around it, and a best entry point after it.
AROUND = 32
RELEVANT, NOT_RELEVANT = "relevant", "not relevant"


def annotation_lines(judged: Sequence[Judged], collection: Collection) -> Iterator[bytes]:
    """The lines of a file of annotations.

    >>> from doxeval.assess.judging import State
    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s>Low tide.</s>"})
    >>> judged = Judged("7", "a", "A1", State(status="validated"), 9)
    >>> page = json.loads(b"".join(annotation_lines([judged], collection)))
    >>> page["total"], page["first"]["items"][0]["motivation"]
    (1, 'assessing')
    """
    items = [item for one in judged for item in _annotations(one, collection)]
    head = {"@context": CONTEXT, "type": "AnnotationCollection", "total": len(items)}
    yield f'{_json(head)[:-1]}, "first": {{"type": "AnnotationPage", "items": [\n'.encode()
    for number, item in enumerate(items, 1):
        yield f"{_json(item)}{'' if number == len(items) else ','}\n".encode()
    yield b"]}}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _annotations(judged: Judged, collection: Collection) -> Iterator[dict[str, Any]]:
    article = Article.of(collection, judged.document)
    state = judged.state
    whole = {"type": "TextPositionSelector", "start": 0, "end": len(article.text)}
    said = [_text("assessing", RELEVANT if state.is_relevant else NOT_RELEVANT)]
    said += [_text("tagging", mark) for mark in judged.marks]
    yield _annotation(judged, "assessing", said, whole)
    if state.bep is not None:
        end = min(state.bep + AROUND, len(article.text))
        yield _annotation(judged, "bookmarking", [], *_selectors(article.text, state.bep, end))
    for start, end in state.highlights:
        yield _annotation(judged, "highlighting", [], *_selectors(article.text, start, end))
    for path in in_document_order(state.grades, article):
        value = _json(_grade(state.grades[path], path in state.inferred))
        body = {**_text("assessing", value), "format": "application/json"}
        selector = {"type": "XPathSelector", "value": path}
        yield _annotation(judged, "assessing", [body], selector)
    if state.note:
        yield _annotation(judged, "commenting", [_text("commenting", state.note)])


def in_document_order(paths: Iterable[str], article: Article) -> list[str]:
    """Paths of elements in document order.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<s><p>Low</p><b>tide</b></s>"}), "a")
    >>> in_document_order(["/s[1]/b[1]", "/s[1]/p[1]"], article)
    ['/s[1]/p[1]', '/s[1]/b[1]']
    """
    return sorted(paths, key=article.row_of)


def _annotation(
    judged: Judged, motivation: str, said: list[dict[str, Any]], *selectors: dict[str, Any]
) -> dict[str, Any]:
    target: dict[str, Any] = {"source": quote(judged.document, safe="")}
    if selectors:
        target["selector"] = selectors[0] if len(selectors) == 1 else list(selectors)
    about: dict[str, Any] = {"motivation": motivation}
    if judged.assessor is not None:
        about["creator"] = {"type": "Person", "nickname": judged.assessor}
    about["body"] = [_text("classifying", judged.topic), *said]
    about["target"] = target
    return {"id": f"urn:uuid:{uuid5(_NAMES, _json(about))}", "type": "Annotation", **about}


def _text(purpose: str, value: str) -> dict[str, Any]:
    return {"type": "TextualBody", "purpose": purpose, "value": value}


def _selectors(text: str, start: int, end: int) -> list[dict[str, Any]]:
    return [
        {"type": "TextPositionSelector", "start": start, "end": end},
        {
            "type": "TextQuoteSelector",
            "exact": text[start:end],
            "prefix": text[max(start - AROUND, 0) : start],
            "suffix": text[end : end + AROUND],
        },
    ]


def _grade(grade: Grade, inferred: bool) -> dict[str, Any]:
    said: dict[str, Any] = {"e": grade}
    if isinstance(grade, tuple):
        said = {"e": grade[0], "s": grade[1]}
    return said | ({"inferred": True} if inferred else {})
