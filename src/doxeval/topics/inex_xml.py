"""Topics in the XML of INEX.

2002 to 2006, one topic per file, or many under any root:

    <inex_topic topic_id="231" query_type="CO+S" ct_no="110">
      <InitialTopicStatement>…</InitialTopicStatement> <title>…</title> <castitle>…</castitle>
      <parent>…</parent> <description>…</description> <narrative>…</narrative>
      <keywords>…</keywords> <ontopic_keywords>…</ontopic_keywords>
    </inex_topic>

A CAS title of 2002 has parts instead of text: `<te>tig</te><cw>QBIC</cw><ce>bibl</ce>`.

2009 and 2010:

    <inex-topic-file>
      <topic id="2009001" ct_no="186"> <title>…</title> <castitle>…</castitle>
        <phrasetitle>…</phrasetitle> <description>…</description> <narrative>…</narrative> </topic>
    </inex-topic-file>

White space around a field is removed, and an empty field counts as missing. Tags may be in upper
or lower case. Topic ids are strings: 076 is not 76.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO

from doxeval.errors import FormatError
from doxeval.markup import XmlElement, attribute_value, escaped, read_elements
from doxeval.messages import truncate
from doxeval.topics.topic import Topic

TAGS = {"inex_topic", "topic", "inex-topic"}
_CAS_PARTS = {"te", "cw", "ce"}
# The tag of each field, in the order in which fields are written.
_FIELDS = {
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
    """The topics of a file, of any year.

    >>> import io
    >>> file = io.BytesIO(b'<inex_topic topic_id="076"><title> QBIC </title></inex_topic>')
    >>> [(topic.id, topic.title) for topic in read_inex_topics(file, "076.xml")]
    [('076', 'QBIC')]
    """
    count = 0
    for element, _ in read_elements(file, TAGS, origin):
        count += 1
        yield _topic(element, origin)
    if not count:
        raise FormatError("no <inex_topic> or <topic> in the file", origin)


def _topic(element: XmlElement, origin: str) -> Topic:
    topic_id = element.attribute("topic_id", "id", "topic-id")
    if not topic_id:
        raise FormatError(
            f'<{truncate(element.tag)}> without id: expected topic_id="…" or id="…"',
            origin,
            element.line,
        )
    title = element.child("title")
    parts = [] if title is None else [part for part in title.children if part.tag in _CAS_PARTS]
    texts = {name: element.child_text(tag.lower()) for name, tag in _FIELDS.items()}
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


def write_inex_topics(topics: Iterable[Topic]) -> Iterator[str]:
    """The topics as XML, in the form of 2002 to 2006, which holds every field.

    >>> print("".join(write_inex_topics([Topic("7", title="a & b")])))
    <inex_topics>
    <inex_topic topic_id="7">
    <title>a &amp; b</title>
    </inex_topic>
    </inex_topics>
    <BLANKLINE>
    """
    yield "<inex_topics>\n"
    for topic in topics:
        attributes = {
            "topic_id": topic.id,
            "query_type": topic.query_type,
            "ct_no": topic.candidate_number,
        }
        given = "".join(
            f" {name}={attribute_value(v)}" for name, v in attributes.items() if v is not None
        )
        yield f"<inex_topic{given}>\n"
        if topic.cas_parts:
            parts = "".join(f"<{kind}>{escaped(text)}</{kind}>" for kind, text in topic.cas_parts)
            yield f"<title>{parts}</title>\n"
        for name, tag in _FIELDS.items():
            text = getattr(topic, name)
            if text is not None:
                yield f"<{tag}>{escaped(text)}</{tag}>\n"
        yield "</inex_topic>\n"
    yield "</inex_topics>\n"
