"""Files of topics: read, written, checked."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.errors import FormatError
from doxeval.topics import (
    FORMATS,
    Topic,
    TopicFormat,
    parse_content,
    parse_structured,
    read_topics,
)
from helpers import CONFORMANCE, doxeval, needs_conformance, write_files
from strategies import topics

TOPIC_2005 = """<?xml version="1.0"?>
<!DOCTYPE inex_topic SYSTEM "topic.dtd">
<inex_topic topic_id="231" query_type="CO+S" ct_no="110">
 <InitialTopicStatement>chains</InitialTopicStatement>
 <title>markov chains in graph related algorithms</title>
 <castitle>//article//sec[about(.,+"markov chains" +algorithm +graphs)]
 </castitle>
 <parent/>
 <description>Retrieve information about caf&eacute;s &amp; chains.</description>
 <narrative>I have <b>just</b> finished.</narrative>
 <keywords>markov</keywords>
</inex_topic>"""


def test_a_topic_of_2005(tmp_path: Path) -> None:
    write_files(tmp_path, {"231.xml": TOPIC_2005})
    assert read_topics(tmp_path / "231.xml") == [
        Topic(
            "231",
            title="markov chains in graph related algorithms",
            castitle='//article//sec[about(.,+"markov chains" +algorithm +graphs)]',
            description="Retrieve information about cafés & chains.",
            narrative="I have just finished.",
            keywords="markov",
            initial_statement="chains",
            query_type="CO+S",
            candidate_number="110",
        )
    ]


def test_cas_titles_of_2002(tmp_path: Path) -> None:
    xml = (
        '<INEX-Topics><INEX_topic topic_id="05" query_type="CAS"><Title><te>tig</te><cw>QBIC</cw>'
        "<ce>bibl</ce></Title></INEX_topic></INEX-Topics>"
    )
    write_files(tmp_path, {"t.xml": xml})
    (topic,) = read_topics(tmp_path / "t.xml")
    assert topic == Topic(
        "05", query_type="CAS", cas_parts=(("te", "tig"), ("cw", "QBIC"), ("ce", "bibl"))
    )
    assert doxeval("topics", tmp_path / "t.xml").exit_code == 0


def test_a_cas_topic_of_2003_has_its_query_in_the_title() -> None:
    topic = Topic("76", title="//article[about(., a)]", query_type="CAS")
    assert topic.structured == "//article[about(., a)]"
    assert topic.content is None


@needs_conformance
def test_the_topics_of_2009() -> None:
    found = read_topics(CONFORMANCE / "inex-2009-topics" / "INEX-2009-topics.xml")
    assert len({topic.id for topic in found}) == 115
    assert found[0].id == "2009001"
    assert found[0].candidate_number == "186"
    assert found[0].phrasetitle == '"Nobel prize"'
    assert all(topic.title and topic.castitle and topic.narrative for topic in found)
    source = (CONFORMANCE / "inex-2009-topics" / "INEX-2009-topics.xml").read_text()
    for topic in found:
        assert topic.structured is not None
        assert topic.content is not None
        parse_structured(topic.structured)
        parse_content(topic.content)
        assert topic.description is None or topic.description.split("&")[0].strip() in source


@pytest.mark.parametrize("format_", ["inex", "jsonl"])
@given(st.lists(topics(), max_size=4))
def test_topics_are_read_as_they_were_written(format_: TopicFormat, written: list[Topic]) -> None:
    data = b"".join(FORMATS[format_].write(written))
    if format_ == "inex" and not written:
        with pytest.raises(FormatError, match="no <inex_topic>"):
            list(FORMATS[format_].read(io.BytesIO(data), "x"))
        return
    assert list(FORMATS[format_].read(io.BytesIO(data), "x")) == written
    assert FORMATS[format_].losses(written) == []


@given(st.lists(topics(), max_size=4))
def test_the_tab_form_keeps_ids_and_titles(written: list[Topic]) -> None:
    data = b"".join(FORMATS["tab"].write(written))
    found = list(FORMATS["tab"].read(io.BytesIO(data), "x"))
    expected = [(topic.id, " ".join((topic.title or "").split()) or None) for topic in written]
    assert [(topic.id, topic.title) for topic in found] == expected
    full = any(topic != Topic(topic.id, title=topic.title) for topic in written)
    assert bool(FORMATS["tab"].losses(written)) == full


@pytest.mark.parametrize(
    ("name", "contents", "message"),
    [
        ("a.xml", "<topics/>", r"a\.xml: no <inex_topic> or <topic> in the file"),
        ("a.xml", "<t>\n<topic><title>x</title></topic></t>", r"a\.xml:2: <topic> without id"),
        ("a.xml", "<t>\n<topic id='1'>", r"a\.xml:2:\d+: no element found"),
        ("a.xml", "<topic id='1'>&x;</topic>", "undefined entity &x;"),
        ("a.xml", "<a>" * 300, "elements nested more than 200 deep"),
        ("a.jsonl", '{"id": "1"}\n{"id": 2}', r"a\.jsonl:2: expected a JSON object with a string"),
        ("a.jsonl", '{"id": "1", "titel": "x"}', r"a\.jsonl:1: unknown field 'titel': expected id"),
        ("a.jsonl", '{"id": "1", "title": 3}', r"a\.jsonl:1: field 'title' is not a string"),
        ("a.jsonl", '{"id": " "}', r"a\.jsonl:1: the id is empty"),
        ("a.jsonl", '{"id": "1", "cas_parts": [1]}', "is not a list of pairs"),
        ("a.jsonl", "", r"a\.jsonl: no topics in the file"),
        ("a.tsv", "1 no tab", r"a\.tsv:1: expected an id, a tab and a title"),
        ("a.tsv", b"1\t\xff", r"a\.tsv:1: byte 0xff is not UTF-8 text"),
        ("a.doc", "", r"a\.doc: cannot tell the format"),
    ],
)
def test_bad_files_are_refused_with_their_line(
    tmp_path: Path, name: str, contents: str | bytes, message: str
) -> None:
    write_files(tmp_path, {name: contents})
    with pytest.raises(FormatError, match=message):
        read_topics(tmp_path / name)


def test_the_verb_lists_and_checks(tmp_path: Path) -> None:
    lines = [
        {"id": "1", "title": "a", "castitle": "//a[about(., b)]"},
        {"id": "1", "title": "a, b"},
        {"id": "2", "query_type": "CAS", "title": "a"},
        {"id": "3", "castitle": "//a[about(.)]"},
    ]
    write_files(tmp_path, {"t.jsonl": "\n".join(map(json.dumps, lines))})
    result = doxeval("topics", tmp_path / "t.jsonl")
    assert result.exit_code == 1
    path = tmp_path / "t.jsonl"
    assert result.stderr.splitlines() == [
        f"error: {path}:2: duplicate topic '1', first on line 1",
        f"warning: {path}:2: topic '1', title, column 2: expected a word, a phrase in double "
        "quotes, or the end of the query",
        f"error: {path}:3: topic '2' is of type CAS but has no castitle",
        f"error: {path}:4: topic '3', castitle, column 12: expected ',' after the path",
        "4 topics, 3 errors",
    ]
    assert "    //a[about(., b)]" in result.stdout
    as_json = doxeval("topics", tmp_path / "t.jsonl", "--json").stdout.splitlines()
    assert [json.loads(line) for line in as_json] == lines


def test_a_file_of_questions_will_do(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"id": "q1", "question": "How long?", "needs": [], "tags": ["a"]}\n')
    assert read_topics(file) == [Topic("q1", title="How long?", origin=str(file), line=1)]
    file.write_text('{"id": "q1", "question": "How long?", "answer": "A week."}\n')
    with pytest.raises(FormatError, match="unknown field 'answer'"):
        read_topics(file)
