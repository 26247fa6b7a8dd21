"""Questions with judged documents: queries and qrels, as BEIR and MS MARCO have them.

    queries.jsonl  {"_id", "text"}           or  queries.tsv   id<TAB>text
    qrels/test.tsv with the header  query-id<TAB>corpus-id<TAB>score
    or lines of TREC's qrels: query 0 document grade
    segments.jsonl {"docid": "doc#7_1234", "start_char", "end_char", "segment"}   if there are some

Each document of grade 1 or more is a need of that grade: its whole text, or the text of a segment.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from doxeval.assessments import read_assessments
from doxeval.chunks.documents import Documents
from doxeval.chunks.formats import QuestionFormat, RawEvidence, RawNeed, RawQuestion
from doxeval.chunks.records import Loaded, load
from doxeval.documents import normalise_id
from doxeval.errors import FormatError, SourceError
from doxeval.files import open_input, text_lines
from doxeval.messages import join_names
from doxeval.topics import read_topics

_QUERIES = ("queries.jsonl", "queries.tsv", "topics.tsv", "queries.jsonl.gz", "queries.tsv.gz")
_SEGMENTS = ("segments.jsonl", "segments.jsonl.gz")


class JudgedSegment(NamedTuple):
    """A judged part of a document: its text, and its offsets."""

    text: str | None
    start: int | None
    end: int | None


@dataclass(frozen=True)
class JudgedParts:
    """The texts of queries, the grades of documents or segments, and the segments by id."""

    texts: Mapping[str, str]
    grades: Mapping[str, Mapping[str, int]]
    segments: Mapping[str, JudgedSegment]


def is_judged_folder(path: str) -> bool:
    """Return whether a folder holds queries and qrels."""
    return os.path.isdir(path) and _first(path, _QUERIES) is not None


def judged_folder(path: str) -> JudgedParts:
    """Return the queries and qrels of a folder."""
    queries = _first(path, _QUERIES)
    if queries is None:
        raise SourceError(f"no queries in the folder: expected {' or '.join(_QUERIES[:3])}", path)
    segments = _first(path, _SEGMENTS)
    return judged_parts({"queries": queries, "qrels": _qrels(path), "segments": segments})


def judged_dataset(source: str | os.PathLike[str]) -> JudgedParts:
    """Return the queries and qrels of a data set of ir_datasets."""
    texts = {topic.id: topic.title or "" for topic in read_topics(source)}
    return JudgedParts(texts, _grades(os.fspath(source)), {})


def judged_parts(files: Mapping[str, Any]) -> JudgedParts:
    """Return the same from files that are named: queries, qrels, and perhaps segments."""
    for name in ("queries", "qrels"):
        if files.get(name) is None:
            raise FormatError(f"no {name} among {join_names(list(files))}")
    segments = files.get("segments")
    return JudgedParts(
        _texts(os.fspath(files["queries"])),
        _grades(os.fspath(files["qrels"])),
        {} if segments is None else _segments(os.fspath(segments)),
    )


def _first(path: str, names: tuple[str, ...]) -> str | None:
    return next((file for name in names if os.path.exists(file := os.path.join(path, name))), None)


def _qrels(path: str) -> str:
    """Return the one file of qrels, or that of the test set if there are several."""
    folder = Path(path)
    found = sorted(
        [*folder.glob("qrels/*.tsv"), *folder.glob("qrels*.tsv"), *folder.glob("qrels*.txt")]
    )
    if not found:
        raise SourceError("no qrels in the folder: expected qrels/test.tsv", path)
    test = [file for file in found if file.stem == "test"]
    if len(found) > 1 and not test:
        names = join_names([file.name for file in found])
        raise SourceError(f"several files of qrels: {names}; give them one by one", path)
    return str(test[0] if test else found[0])


def _texts(path: str) -> dict[str, str]:
    if not path.removesuffix(".gz").endswith((".tsv", ".txt")):
        loaded = load(path)
        found = {}
        for row, record in enumerate(loaded.records()):
            own, text = record.get("_id", record.get("id")), record.get("text")
            if own is None or not isinstance(text, str):
                raise loaded.wrong("expected a query with _id and text", row)
            found[str(own)] = text
        return found
    found = {}
    with open_input(path) as file:
        for number, line in text_lines(file, path):
            own, tab, text = line.partition("\t")
            if not tab:
                raise FormatError("expected an id, a tab and a query", path, number)
            found[own.strip()] = text.strip()
    return found


def _grades(path: str) -> Mapping[str, Mapping[str, int]]:
    """Return the grades of qrels, in any format in which assessments have grades."""
    return read_assessments(path).to_dict()


def _segments(path: str) -> dict[str, JudgedSegment]:
    loaded = load(path)
    found = {}
    for row, record in enumerate(loaded.records()):
        name, start, end = (record.get(field) for field in ("docid", "start_char", "end_char"))
        if not isinstance(name, str) or type(start) is not int or type(end) is not int:
            raise loaded.wrong("expected a segment with docid, start_char and end_char", row)
        text = record.get("segment")
        found[normalise_id(name)] = JudgedSegment(
            text if isinstance(text, str) else None, start, end
        )
    return found


def _is_beir(value: Any) -> bool:
    return isinstance(value, JudgedParts)


def _beir_questions(loaded: Loaded, docs: Documents) -> Iterator[RawQuestion]:
    parts: JudgedParts = loaded.value
    for question, grades in parts.grades.items():
        needs = tuple(
            RawNeed((_evidence(parts, name),), grade, name)
            for name, grade in grades.items()
            if grade > 0
        )
        judged = tuple(
            name for name, grade in grades.items() if grade <= 0 and docs.find(name) is not None
        )
        yield RawQuestion(question, parts.texts.get(question, ""), needs, not_relevant=judged)


def _evidence(parts: JudgedParts, name: str) -> RawEvidence:
    segment = parts.segments.get(name)
    if segment is None:
        return RawEvidence(name, is_whole=True)
    return RawEvidence(name.partition("#")[0], segment.text, segment.start, segment.end)


BEIR = QuestionFormat("BEIR", "a folder with queries and qrels", _is_beir, _beir_questions)
