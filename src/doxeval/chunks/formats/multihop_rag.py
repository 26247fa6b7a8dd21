"""MultiHop-RAG: facts of articles.

    {"query", "answer", "question_type", "evidence_list": [{"title", "url", "fact"}]}

A fact is a need, looked for in the article that its url or title names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from doxeval.chunks.document_set import Documents
from doxeval.chunks.formats import GoldFormat, first_record
from doxeval.chunks.formats.fields import listed_records, needed_text, text, texts
from doxeval.chunks.loading import Loaded
from doxeval.chunks.stated import Stated, StatedQuestion, single_needs


def _fits(value: Any) -> bool:
    return {"query", "evidence_list"} <= first_record(value).keys()


def _stated(loaded: Loaded, docs: Documents) -> Iterator[StatedQuestion]:
    for row, record in enumerate(loaded.records()):
        pieces = []
        for fact in listed_records(loaded, row, record, "evidence_list"):
            names = [text(fact, name) for name in ("url", "title")]
            known = [name for name in map(docs.find, names) if name is not None]
            document = known[0] if known else next(filter(None, names), None)
            pieces.append(Stated(document, needed_text(loaded, row, fact, "fact")))
        question = needed_text(loaded, row, record, "query")
        own, tags = text(record, "id") or str(row + 1), texts(record, "question_type")
        yield StatedQuestion(own, question, single_needs(pieces), tags)


FORMATS = (GoldFormat("MultiHop-RAG", "query and evidence_list", _fits, _stated),)
