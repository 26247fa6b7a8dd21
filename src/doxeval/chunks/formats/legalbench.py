"""LegalBench-RAG: tests with snippets of files.

    {"tests": [{"query", "snippets": [{"file_path", "span": [start, end], "answer"}], "tags"}]}

A snippet is a need. Offsets count the characters of files in which each line end is one character.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from doxeval.chunks.document_set import Documents
from doxeval.chunks.formats import GoldFormat, first_record
from doxeval.chunks.formats.fields import listed_records, needed_text, text, texts, whole_numbers
from doxeval.chunks.loading import Loaded
from doxeval.chunks.stated import Stated, StatedQuestion, single_needs


def _tests(value: Any) -> Any:
    return value.get("tests") if isinstance(value, dict) else value


def _fits(value: Any) -> bool:
    return {"query", "snippets"} <= first_record(_tests(value)).keys()


def _stated(loaded: Loaded, docs: Documents) -> Iterator[StatedQuestion]:
    tests = loaded._replace(value=_tests(loaded.value))
    for row, record in enumerate(tests.records()):
        pieces = []
        for one in listed_records(tests, row, record, "snippets"):
            start, end = whole_numbers(tests, row, one.get("span"), "span")
            file = needed_text(tests, row, one, "file_path")
            pieces.append(Stated(file, text(one, "answer"), start, end))
        question = needed_text(tests, row, record, "query")
        own = text(record, "id") or str(row + 1)
        yield StatedQuestion(own, question, single_needs(pieces), texts(record, "tags"))


FORMATS = (GoldFormat("LegalBench-RAG", "query and snippets", _fits, _stated),)
