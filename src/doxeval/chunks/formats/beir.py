"""Questions with judged documents: queries and qrels, as BEIR and MS MARCO have them.

    queries.jsonl  {"_id", "text"}           or  queries.tsv   id<TAB>text
    qrels/test.tsv with the header  query-id<TAB>corpus-id<TAB>score
    or lines of TREC's qrels: query 0 document grade
    segments.jsonl {"docid": "doc#7_1234", "start_char", "end_char", "segment"}   if there are some

Each document of grade 1 or more is a need of that grade: its whole text, or the text of a segment.
The value is made by `question_folders`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from doxeval.chunks.document_set import Documents
from doxeval.chunks.formats import GoldFormat
from doxeval.chunks.judged_parts import JudgedParts
from doxeval.chunks.loading import Loaded
from doxeval.chunks.stated import Stated, StatedNeed, StatedQuestion


def _fits(value: Any) -> bool:
    return isinstance(value, JudgedParts)


def _stated(loaded: Loaded, docs: Documents) -> Iterator[StatedQuestion]:
    parts: JudgedParts = loaded.value
    for question, grades in parts.grades.items():
        needs = tuple(
            StatedNeed((_piece(parts, name),), grade, name)
            for name, grade in grades.items()
            if grade > 0
        )
        judged = tuple(
            name for name, grade in grades.items() if grade <= 0 and docs.find(name) is not None
        )
        yield StatedQuestion(question, parts.texts.get(question, ""), needs, not_relevant=judged)


def _piece(parts: JudgedParts, name: str) -> Stated:
    segment = parts.segments.get(name)
    if segment is None:
        return Stated(name, is_whole=True)
    return Stated(name.partition("#")[0], segment.text, segment.start, segment.end)


FORMATS = (GoldFormat("BEIR", "a folder with queries and qrels", _fits, _stated),)
