"""HiCBench: questions with pieces of evidence, which are quotes of one document.

    {"input", "answers", "facts", "evidences": [texts], "_id": the document}

A piece of evidence is a need. Its wording may differ from the document's in case and marks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from doxeval.chunks.document_set import Documents
from doxeval.chunks.formats import GoldFormat, first_record
from doxeval.chunks.formats.fields import needed_text, text, texts
from doxeval.chunks.loading import Loaded
from doxeval.chunks.stated import Stated, StatedQuestion, single_needs


def _fits(value: Any) -> bool:
    return {"input", "evidences"} <= first_record(value).keys()


def _stated(loaded: Loaded, docs: Documents) -> Iterator[StatedQuestion]:
    for row, record in enumerate(loaded.records()):
        document = text(record, "_id", "doc", "doc_id")
        pieces = [Stated(document, quote) for quote in texts(record, "evidences")]
        question = needed_text(loaded, row, record, "input")
        yield StatedQuestion(text(record, "id") or str(row + 1), question, single_needs(pieces))


FORMATS = (GoldFormat("HiCBench", "input and evidences", _fits, _stated),)
