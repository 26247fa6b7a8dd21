"""Questions with judged documents: queries and qrels, as BEIR and MS MARCO have them.

    queries.jsonl  {"_id", "text"}           or  queries.tsv   id<TAB>text
    qrels/test.tsv with the header  query-id<TAB>corpus-id<TAB>score
    or lines of TREC's qrels: query 0 document grade
    segments.jsonl {"docid": "doc#7_1234", "start_char", "end_char", "segment"}   if there are some

Of several files of qrels that of the test set is read, else name one in place of the folder. Each
document of grade 1 or more is a need of that grade: its whole text, or the text of a segment. In
Python, {"queries": …, "qrels": …} may be data frames or data sets of Hugging Face instead of files.
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
from doxeval.chunks.formats.fields import whole_number
from doxeval.chunks.records import Loaded, loaded_from
from doxeval.documents import normalise_id
from doxeval.errors import FormatError, SourceError
from doxeval.files import open_input, text_lines
from doxeval.messages import join_names, quoted
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


def judged_folder(path: str, qrels: str | None = None) -> JudgedParts:
    """Return the queries and qrels of a folder; of several files of qrels the one that is named."""
    queries = _first(path, _QUERIES)
    if queries is None:
        raise SourceError(f"no queries in the folder: expected {' or '.join(_QUERIES[:3])}", path)
    parts = {"queries": queries, "qrels": qrels or _qrels(path)}
    return judged_parts({**parts, "segments": _first(path, _SEGMENTS)})


def folder_of_qrels(path: str) -> str | None:
    """Return the folder with the queries of a file of qrels; None if it is no such file."""
    above = Path(path).absolute().parent
    folder = above.parent if above.name == "qrels" else above
    queries = _first(str(folder), _QUERIES)
    is_qrels = "qrels" in (above.name, Path(path).name.partition(".")[0])
    return str(folder) if is_qrels and queries is not None and _is_lines(path) else None


def judged_dataset(source: str | os.PathLike[str]) -> JudgedParts:
    """Return the queries and qrels of a data set of ir_datasets."""
    texts = {topic.id: topic.title or "" for topic in read_topics(source)}
    return JudgedParts(texts, _grades(os.fspath(source)), {})


def judged_parts(parts: Mapping[str, Any]) -> JudgedParts:
    """Return the same from what is named: queries, qrels, and perhaps segments.

    Each is a file, a data frame, or anything that yields records.
    """
    for name in ("queries", "qrels"):
        if parts.get(name) is None:
            raise FormatError(f"no {name} among {join_names(list(parts))}")
    segments = parts.get("segments")
    return JudgedParts(
        _texts(parts["queries"]),
        _grades(parts["qrels"]),
        {} if segments is None else _segments(segments),
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
        raise SourceError(f"several files of qrels: {names}; give {found[0]}, say", path)
    return str(test[0] if test else found[0])


def _texts(source: Any) -> dict[str, str]:
    if isinstance(source, str | os.PathLike) and _is_lines(os.fspath(source)):
        return _texts_of_lines(os.fspath(source))
    found: dict[str, str] = {}
    loaded = loaded_from(source)
    for row, record in enumerate(loaded.records()):
        own, text = record.get("_id", record.get("id")), record.get("text")
        if own is None or not isinstance(text, str):
            raise loaded.wrong("expected a query with _id and text", row)
        if str(own) in found:
            raise loaded.wrong(f"there are two queries {quoted(str(own))}", row)
        found[str(own)] = text
    return found


def _is_lines(path: str) -> bool:
    return path.removesuffix(".gz").endswith((".tsv", ".txt"))


def _texts_of_lines(path: str) -> dict[str, str]:
    found: dict[str, str] = {}
    with open_input(path) as file:
        for number, line in text_lines(file, path):
            own, tab, text = line.partition("\t")
            if not tab:
                raise FormatError("expected an id, a tab and a query", path, number)
            if own.strip() in found:
                raise FormatError(f"there are two queries {quoted(own.strip())}", path, number)
            found[own.strip()] = text.strip()
    return found


def _grades(source: Any) -> Mapping[str, Mapping[str, int]]:
    """Return the grades of qrels, in any format in which assessments have grades."""
    if isinstance(source, str | os.PathLike):
        return read_assessments(os.fspath(source)).to_dict()
    found: dict[str, dict[str, int]] = {}
    loaded = loaded_from(source)
    for row, record in enumerate(loaded.records()):
        query, name = record.get("query-id"), record.get("corpus-id")
        grade = whole_number(loaded, row, record, "score")
        if query is None or name is None or grade is None:
            raise loaded.wrong("expected query-id, corpus-id and score", row)
        found.setdefault(str(query), {})[normalise_id(str(name))] = grade
    return found


def _segments(source: Any) -> dict[str, JudgedSegment]:
    loaded = loaded_from(source)
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


def _without_text(loaded: Loaded) -> Iterator[str]:
    """Yield a warning about judged queries whose text is not known."""
    parts: JudgedParts = loaded.value
    unknown = [query for query in parts.grades if query not in parts.texts]
    if unknown:
        names = join_names(unknown)
        yield f"judged, but not among the queries, so that their texts are not known: {names}"


BEIR = QuestionFormat(
    "BEIR",
    "a folder with queries and qrels",
    _is_beir,
    _beir_questions,
    warnings=_without_text,
)
