"""Files of topics: XML of every INEX year, JSONL, and ids and titles separated by a tab.

XML of 2002 to 2006, one topic per file, or many under any root:

    <inex_topic topic_id="231" query_type="CO+S" ct_no="110">
      <InitialTopicStatement>…</InitialTopicStatement> <title>…</title> <castitle>…</castitle>
      <parent>…</parent> <description>…</description> <narrative>…</narrative>
      <keywords>…</keywords> <ontopic_keywords>…</ontopic_keywords>
    </inex_topic>

A CAS title of 2002 has parts instead of text: `<te>tig</te><cw>QBIC</cw><ce>bibl</ce>`.

XML of 2009 and 2010:

    <inex-topic-file>
      <topic id="2009001" ct_no="186"> <title>…</title> <castitle>…</castitle>
        <phrasetitle>…</phrasetitle> <description>…</description> <narrative>…</narrative> </topic>
    </inex-topic-file>

Tags may be in upper or lower case. One topic per line, as JSONL or separated by a tab:

    {"id": "231", "title": "markov chains", "castitle": "//sec[about(., markov chains)]"}
    231<TAB>markov chains

XML and JSONL can hold every field of a topic; in JSONL an unknown field is an error. A file of
questions for retrieval of chunks will do as well: its questions are titles, and their gold is
ignored. The format with tabs holds only ids and titles.

`irds:NAME` stands for the queries of a data set of ir_datasets (extra `ir-datasets`), and the
folder of a package for its topics.

White space around a field is removed, and an empty field counts as missing. Topic ids are strings:
076 is not 76.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import IO, Any, Literal

from doxeval.columns import unknown_field
from doxeval.datasets import dataset_queries, in_package, is_dataset
from doxeval.errors import FormatError, InputError, OutputError
from doxeval.files import (
    FileFormat,
    FormatFunctions,
    choose_format,
    decode_json,
    open_input,
    open_output,
    text_lines,
)
from doxeval.markup import XmlElement, escape_text, quote_attribute, read_elements
from doxeval.messages import Parameter, quoted, truncate
from doxeval.named import checked
from doxeval.topics.topic import TEXT_FIELDS, Topic

TopicFormat = Literal["inex", "jsonl", "tab"]
# Topics that were read, or their file.
TopicsGiven = Iterable[Topic] | str | os.PathLike[str]


@checked
def read_topics(path: str | os.PathLike[str], format: TopicFormat | None = None) -> list[Topic]:
    """Return the topics of a file, in its order; by default the file's name says the format.

    `irds:NAME` has the queries of a data set of ir_datasets, and a package its topics.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "topics.tsv"
    >>> _ = path.write_text("1\\tsteam engine\\n")
    >>> [topic.title for topic in read_topics(path)]
    ['steam engine']
    """
    name = os.fspath(in_package(path, "topics"))
    if is_dataset(name):
        if format is not None:
            raise InputError(Parameter("format") + " has no effect: it is for a file", name)
        topics = [Topic(query.id, **query.fields, origin=name) for query in dataset_queries(name)]
    else:
        chosen = _chosen_format(format, name)
        with open_input(name) as file:
            topics = list(chosen.read(file, name))
    if not topics:
        raise FormatError("no topics in the file", name)
    return topics


def topics_by_id(given: TopicsGiven, parameter: str) -> dict[str, Topic]:
    """Return topics by their ids; two of the same id are an error.

    parameter: what they are called where they were given.

    >>> topics_by_id([Topic("7", "tides")], "topics")["7"].title
    'tides'
    """
    topics = read_topics(given) if isinstance(given, str | os.PathLike) else list(given)
    by_id: dict[str, Topic] = {}
    for topic in topics:
        if not isinstance(topic, Topic):
            raise InputError(
                f"{parameter} is made of {quoted(topic)}: expected topics, or their file"
            )
        if topic.id in by_id:
            raise InputError(f"topic {quoted(topic.id)} is given twice", topic.origin, topic.line)
        by_id[topic.id] = topic
    return by_id


@checked
def write_topics(
    topics: Iterable[Topic], path: str | os.PathLike[str], format: TopicFormat | None = None
) -> None:
    """Write topics; by default the file's name says the format.

    It is an error if the format cannot hold all fields, and then nothing is written.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "topics.tsv"
    >>> write_topics([Topic("1", title="steam engine")], path)
    >>> path.read_text()
    '1\\tsteam engine\\n'
    """
    topics, name = list(topics), os.fspath(path)
    chosen = _chosen_format(format, name)
    if losses := chosen.losses(topics):
        raise OutputError(f"{name}: the format {chosen.name} cannot hold {', '.join(losses)}")
    with open_output(path) as file:
        file.writelines(chosen.write(topics))


def _chosen_format(
    format: TopicFormat | None, name: str
) -> FileFormat[Iterable[Topic], Iterable[Topic]]:
    """Return the given format, or else the one that the name of the file says."""
    chosen = choose_format(FORMATS, format, path=name)
    if chosen is None and format is not None:
        known = ", ".join(FORMATS)
        raise FormatError(f"no format {quoted(format)} of topics; there are {known}")
    if chosen is None:
        expected = ", ".join(suffix for each in FORMATS.values() for suffix in each.suffixes)
        message = f"cannot tell the format from the file's name: expected one of {expected}"
        raise FormatError(message, name)
    return chosen


# XML of INEX

_TOPIC_TAGS = {"inex_topic", "topic", "inex-topic"}
_CAS_PARTS = {"te", "cw", "ce"}
# The tag of each field, in the order in which fields are written.
_XML_TAGS = {
    "initial_statement": "InitialTopicStatement",
    "title": "title",
    "castitle": "castitle",
    "phrasetitle": "phrasetitle",
    "parent": "parent",
    "description": "description",
    "narrative": "narrative",
    "keywords": "keywords",
    "ontopic_keywords": "ontopic_keywords",
}


def read_inex_topics(file: IO[bytes], origin: str) -> Iterator[Topic]:
    """Yield the topics of XML of any year.

    >>> import io
    >>> file = io.BytesIO(b'<inex_topic topic_id="076"><title> QBIC </title></inex_topic>')
    >>> [(topic.id, topic.title) for topic in read_inex_topics(file, "076.xml")]
    [('076', 'QBIC')]
    """
    is_empty = True
    for element, _ in read_elements(file, _TOPIC_TAGS, origin):
        is_empty = False
        yield _topic_of_element(element, origin)
    if is_empty:
        raise FormatError("no <inex_topic> or <topic> in the file", origin)


def _topic_of_element(element: XmlElement, origin: str) -> Topic:
    topic_id = element.attribute("topic_id", "id", "topic-id")
    if not topic_id:
        raise FormatError(
            f'<{truncate(element.tag)}> without id: expected topic_id="…" or id="…"',
            origin,
            element.line,
        )
    title = element.child("title")
    parts = [] if title is None else [part for part in title.children if part.tag in _CAS_PARTS]
    texts = {name: element.child_text(tag.lower()) for name, tag in _XML_TAGS.items()}
    if parts:
        texts["title"] = None
    return Topic(
        topic_id,
        **texts,
        query_type=element.attribute("query_type") or None,
        candidate_number=element.attribute("ct_no") or None,
        cas_parts=tuple((part.tag, part.text.strip()) for part in parts),
        origin=origin,
        line=element.line,
    )


def write_inex_topics(topics: Iterable[Topic]) -> Iterator[bytes]:
    """Yield topics as XML, in the form of 2002 to 2006, which holds every field.

    >>> print(b"".join(write_inex_topics([Topic("7", title="a & b")])).decode())
    <inex_topics>
    <inex_topic topic_id="7">
    <title>a &amp; b</title>
    </inex_topic>
    </inex_topics>
    <BLANKLINE>
    """
    yield b"<inex_topics>\n"
    for topic in topics:
        yield _topic_as_xml(topic).encode()
    yield b"</inex_topics>\n"


def _topic_as_xml(topic: Topic) -> str:
    attributes = {
        "topic_id": topic.id,
        "query_type": topic.query_type,
        "ct_no": topic.candidate_number,
    }
    given = (f" {name}={quote_attribute(v)}" for name, v in attributes.items() if v is not None)
    lines = [f"<inex_topic{''.join(given)}>\n"]
    if topic.cas_parts:
        parts = "".join(f"<{kind}>{escape_text(text)}</{kind}>" for kind, text in topic.cas_parts)
        lines.append(f"<title>{parts}</title>\n")
    for name, tag in _XML_TAGS.items():
        text = getattr(topic, name)
        if text is not None:
            lines.append(f"<{tag}>{escape_text(text)}</{tag}>\n")
    return "".join([*lines, "</inex_topic>\n"])


# JSONL

# The fields of a question besides its id and text.
_QUESTION_FIELDS = ("needs", "tags", "not_relevant", "answerable", "answers")


def read_jsonl_topics(file: IO[bytes], origin: str) -> Iterator[Topic]:
    """Yield the topics of a JSONL file.

    >>> import io
    >>> [topic.id for topic in read_jsonl_topics(io.BytesIO(b'{"id": "076"}'), "t.jsonl")]
    ['076']
    """
    for number, line in text_lines(file, origin):
        try:
            record = decode_json(line)
        except ValueError:
            record = None
        if not isinstance(record, dict) or not isinstance(record.get("id"), str):
            raise FormatError('expected a JSON object with a string "id"', origin, number)
        yield _topic_of_record(record, origin, number)


def _topic_of_record(record: dict[str, Any], origin: str, number: int) -> Topic:
    if "question" in record and "title" not in record:
        record = {name: value for name, value in record.items() if name not in _QUESTION_FIELDS}
        record["title"] = record.pop("question")
    texts = {name: value for name, value in record.items() if name not in ("id", "cas_parts")}
    for name, value in texts.items():
        if name not in TEXT_FIELDS:
            raise FormatError(unknown_field(name, ("id", *TEXT_FIELDS)), origin, number)
        if value is not None and not isinstance(value, str):
            raise FormatError(f"field {quoted(name)} is not a string", origin, number)
    try:
        cas_parts = tuple((str(kind), str(text)) for kind, text in record.get("cas_parts") or [])
    except (TypeError, ValueError):
        raise FormatError('"cas_parts" is not a list of pairs', origin, number) from None
    stripped = {name: (value or "").strip() or None for name, value in texts.items()}
    topic_id = record["id"].strip()
    if not topic_id:
        raise FormatError("the id is empty", origin, number)
    return Topic(topic_id, **stripped, cas_parts=cas_parts, origin=origin, line=number)


def write_jsonl_topics(topics: Iterable[Topic]) -> Iterator[bytes]:
    """Yield topics as JSONL; missing fields are left out.

    >>> b"".join(write_jsonl_topics([Topic("7", title="a")]))
    b'{"id": "7", "title": "a"}\\n'
    """
    for topic in topics:
        record: dict[str, Any] = {"id": topic.id}
        record |= {name: getattr(topic, name) for name in TEXT_FIELDS}
        record["cas_parts"] = topic.cas_parts or None
        present = {name: value for name, value in record.items() if value is not None}
        yield f"{json.dumps(present, ensure_ascii=False)}\n".encode()


# Ids and titles


def read_tab_topics(file: IO[bytes], origin: str) -> Iterator[Topic]:
    """Yield the topics of a file of ids and titles.

    >>> import io
    >>> [topic.title for topic in read_tab_topics(io.BytesIO(b"7\\tsteam engine\\n"), "t.tsv")]
    ['steam engine']
    """
    for number, line in text_lines(file, origin):
        topic_id, tab, title = line.partition("\t")
        if not tab or not topic_id.strip() or "\t" in title:
            raise FormatError("expected an id, a tab and a title", origin, number)
        yield Topic(topic_id.strip(), title=title.strip() or None, origin=origin, line=number)


def write_tab_topics(topics: Iterable[Topic]) -> Iterator[bytes]:
    """Yield ids and titles; any white space in a title becomes a single space.

    >>> b"".join(write_tab_topics([Topic("7", title="steam\\nengine")]))
    b'7\\tsteam engine\\n'
    """
    for topic in topics:
        yield f"{topic.id}\t{' '.join((topic.title or '').split())}\n".encode()


def tab_losses(topics: Iterable[Topic]) -> list[str]:
    """Return the fields of topics that the format with tabs cannot hold.

    >>> tab_losses([Topic("1", title="a", narrative="b")])
    ['narrative']
    """
    topics = list(topics)
    lost = [
        name
        for name in TEXT_FIELDS
        if name != "title" and any(getattr(topic, name) is not None for topic in topics)
    ]
    return lost + (["cas_parts"] if any(topic.cas_parts for topic in topics) else [])


FORMATS: dict[TopicFormat, FileFormat[Iterable[Topic], Iterable[Topic]]] = {
    "inex": FileFormat(
        "inex", (".xml",), lambda: FormatFunctions(read_inex_topics, write_inex_topics)
    ),
    "jsonl": FileFormat(
        "jsonl",
        (".jsonl", ".ndjson"),
        lambda: FormatFunctions(read_jsonl_topics, write_jsonl_topics),
    ),
    "tab": FileFormat(
        "tab",
        (".tsv", ".tab", ".txt"),
        lambda: FormatFunctions(read_tab_topics, write_tab_topics, tab_losses),
    ),
}
