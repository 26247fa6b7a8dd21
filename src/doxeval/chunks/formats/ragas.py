"""Samples of ragas: the texts that should have been retrieved, without their documents.

    {"user_input", "reference_contexts": [texts], "reference_context_ids": [ids]}

A reference context is a need, looked for in all documents. Where there are only ids, they are those
of documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from doxeval.chunks.document_set import Documents
from doxeval.chunks.formats import GoldFormat, first_record
from doxeval.chunks.formats.fields import text, texts_in_cell
from doxeval.chunks.loading import Loaded
from doxeval.chunks.stated import Stated, StatedQuestion, single_needs
from doxeval.messages import quoted


def _fits(value: Any) -> bool:
    return "user_input" in first_record(value)


def _stated(loaded: Loaded, docs: Documents) -> Iterator[StatedQuestion]:
    records = loaded.records()
    names = ("reference_contexts", "reference_context_ids")
    if not any(record.get(name) for record in records for name in names):
        raise loaded.wrong("samples without reference_contexts: there is no gold in them")
    for row, record in enumerate(records):
        question = record.get("user_input")
        if not isinstance(question, str):
            message = f"user_input is {quoted(question)}: expected a text (a sample of one turn)"
            raise loaded.wrong(message, row)
        quotes = texts_in_cell(record, "reference_contexts")
        pieces = [Stated(None, quote) for quote in quotes]
        if not pieces:
            ids = texts_in_cell(record, "reference_context_ids")
            pieces = [Stated(name, is_whole=True) for name in ids]
        own = text(record, "id", "sample_id") or str(row + 1)
        yield StatedQuestion(own, question, single_needs(pieces))


FORMATS = (GoldFormat("ragas", "user_input and reference_contexts", _fits, _stated),)
