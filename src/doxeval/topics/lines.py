"""Topics one per line: JSONL, and ids and titles separated by a tab.

    {"id": "231", "title": "markov chains", "castitle": "//sec[about(., markov chains)]"}
    231<TAB>markov chains

JSONL can hold every field of a topic; an unknown field is an error. A file of questions for
retrieval of chunks will do as well: its questions are titles, and their gold is passed over. The
format with tabs holds only ids and titles.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import IO, Any

from doxeval.columns import unknown_field
from doxeval.errors import FormatError
from doxeval.files import parsed_json, text_lines
from doxeval.messages import quoted
from doxeval.topics.topic import TEXT_FIELDS, Topic

# What a question has besides its text.
_OF_QUESTIONS = ("needs", "tags", "not_relevant", "answerable", "answers")


def read_jsonl_topics(file: IO[bytes], origin: str) -> Iterator[Topic]:
    """The topics of a JSONL file.

    >>> import io
    >>> [topic.id for topic in read_jsonl_topics(io.BytesIO(b'{"id": "076"}'), "t.jsonl")]
    ['076']
    """
    for number, line in text_lines(file, origin):
        try:
            record = parsed_json(line)
        except ValueError:
            record = None
        if not isinstance(record, dict) or not isinstance(record.get("id"), str):
            raise FormatError('expected a JSON object with a string "id"', origin, number)
        yield _topic(record, origin, number)


def _topic(record: dict[str, Any], origin: str, number: int) -> Topic:
    if "question" in record and "title" not in record:
        record = {name: value for name, value in record.items() if name not in _OF_QUESTIONS}
        record["title"] = record.pop("question")
    texts = {name: value for name, value in record.items() if name not in ("id", "cas_parts")}
    for name, value in texts.items():
        if name not in TEXT_FIELDS:
            raise FormatError(unknown_field(name, ("id", *TEXT_FIELDS)), origin, number)
        if value is not None and not isinstance(value, str):
            raise FormatError(f"field {quoted(name)} is not a string", origin, number)
    parts = record.get("cas_parts") or []
    try:
        cas_parts = tuple((str(kind), str(text)) for kind, text in parts)
    except (TypeError, ValueError):
        raise FormatError('"cas_parts" is not a list of pairs', origin, number) from None
    stripped = {name: (value or "").strip() or None for name, value in texts.items()}
    if not record["id"].strip():
        raise FormatError("the id is empty", origin, number)
    return Topic(record["id"].strip(), **stripped, cas_parts=cas_parts, origin=origin, line=number)


def write_jsonl_topics(topics: Iterable[Topic]) -> Iterator[str]:
    """The topics as JSONL; missing fields are left out.

    >>> "".join(write_jsonl_topics([Topic("7", title="a")]))
    '{"id": "7", "title": "a"}\\n'
    """
    for topic in topics:
        record: dict[str, Any] = {"id": topic.id}
        record |= {name: getattr(topic, name) for name in TEXT_FIELDS}
        record["cas_parts"] = topic.cas_parts or None
        kept = {name: value for name, value in record.items() if value is not None}
        yield json.dumps(kept, ensure_ascii=False) + "\n"


def read_tab_topics(file: IO[bytes], origin: str) -> Iterator[Topic]:
    """The topics of a file of ids and titles.

    >>> import io
    >>> [topic.title for topic in read_tab_topics(io.BytesIO(b"7\\tsteam engine\\n"), "t.tsv")]
    ['steam engine']
    """
    for number, line in text_lines(file, origin):
        topic_id, tab, title = line.partition("\t")
        if not tab or not topic_id.strip() or "\t" in title:
            raise FormatError("expected an id, a tab and a title", origin, number)
        yield Topic(topic_id.strip(), title=title.strip() or None, origin=origin, line=number)


def write_tab_topics(topics: Iterable[Topic]) -> Iterator[str]:
    """Ids and titles; any white space in a title becomes a single space.

    >>> "".join(write_tab_topics([Topic("7", title="steam\\nengine")]))
    '7\\tsteam engine\\n'
    """
    for topic in topics:
        yield f"{topic.id}\t{' '.join((topic.title or '').split())}\n"
