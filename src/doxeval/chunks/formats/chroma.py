"""Questions of Chroma's chunking_evaluation: a CSV with the references of each question as JSON.

    question, references [{"content", "start_index", "end_index"}], corpus_id

A reference is a need. Many of their texts stand more than once in their document, and the offsets
are always those of the first copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from doxeval.chunks.document_set import Documents
from doxeval.chunks.formats import GoldFormat, first_record
from doxeval.chunks.formats.fields import listed_records, needed_text, number, text
from doxeval.chunks.loading import Loaded
from doxeval.chunks.stated import Stated, StatedNeed, StatedQuestion


def _fits(value: Any) -> bool:
    return {"question", "references"} <= first_record(value).keys()


def _stated(loaded: Loaded, docs: Documents) -> Iterator[StatedQuestion]:
    for row, record in enumerate(loaded.records()):
        document = text(record, "corpus_id")
        needs = []
        for one in listed_records(loaded, row, record, "references"):
            start, end = (number(loaded, row, one, name) for name in ("start_index", "end_index"))
            quote = needed_text(loaded, row, one, "content")
            needs.append(StatedNeed((Stated(document, quote, start, end),)))
        question = needed_text(loaded, row, record, "question")
        tags = () if document is None else (document,)
        yield StatedQuestion(text(record, "id") or str(row + 1), question, tuple(needs), tags)


FORMATS = (GoldFormat("chunking_evaluation", "question and references", _fits, _stated),)
