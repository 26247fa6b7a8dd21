"""Assessments: the text of INEX 2008–10, and TREC's qrels."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assessments import (
    Assessments,
    Grade2002,
    Grade2003,
    GradedElement,
    Judgment,
    MeasuredElement,
    PointPassage,
    read_assessments,
    read_inex_text,
    read_inex_xml,
    read_trec_qrels,
    write_inex_text,
    write_trec_qrels,
)
from doxeval.errors import FormatError
from doxeval.spans import Spans, merge_spans
from helpers import CONFORMANCE, needs_conformance
from strategies import highlights


def read(text: str) -> Assessments:
    return Assessments(*read_inex_text(io.BytesIO(text.encode()), "qrels.txt"))


@given(st.lists(st.tuples(highlights(), st.integers(0, 30)), min_size=1, max_size=6))
def test_text_is_read_as_it_was_written(documents: list[tuple[list[tuple[int, int]], int]]) -> None:
    judgments = [
        Judgment("7", f"d{n}", tuple(ranges), entry if ranges else None, 100)
        for n, (ranges, entry) in enumerate(documents)
    ]
    data = b"".join(write_inex_text(judgments))
    found = Assessments(*read_inex_text(io.BytesIO(data), "qrels.txt"))
    assert list(found) == judgments
    assert found.warnings == ()
    assert b"".join(write_inex_text(found)) == data


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 9)), min_size=1, max_size=6))
def test_passages_decide_however_they_lie(passages: list[tuple[int, int]]) -> None:
    characters = {at for start, length in passages for at in range(start, start + length)}
    line = f"7 Q0 a {len(characters)} 50 3 " + " ".join(f"{s}:{n}" for s, n in passages)
    found = read(line)
    (judgment,) = found
    assert {at for start, end in judgment.highlights for at in range(start, end)} == characters
    spans = merge_spans(Spans.of([(0, start, end) for start, end in judgment.highlights]))
    assert len(spans.start) == len(judgment.highlights)
    overlapping = sum(length for _, length in passages) != len(characters)
    assert bool(found.warnings) == overlapping


def test_judged_and_not_relevant_is_not_unjudged() -> None:
    found = read("7 Q0 a 0 50\n7 Q0 b 0 50 100\n8 Q0 ./c.xml 5 50 0 0:5\n")
    assert [judgment.is_relevant for judgment in found] == [False, False, True]
    assert found.topics == ("7", "8")
    assert found.find("7", "a") == Judgment("7", "a", document_length=50)
    assert found.find("7", "c") is None
    assert found.find("8", "c") is not None
    assert len(found) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no assessments in the file"),
        ("7 Q0 a 5", ":1: 4 fields; expected topic Q0 doc rsize docsize bep"),
        ("7 Q0 a 5 50 0 0:4", ":1: rsize is 5, but the passages have 4"),
        ("7 Q0 a 0 50\n7 Q0 b 5 50 0", ":2: rsize is 5 but there are no passages"),
        ("7 Q0 a 5 50 0 46:5", ":1: the passage 46:5 ends at 51, beyond the document's 50"),
        ("7 Q0 a 5 50 0 5", ":1: '5' is not a passage: expected off:len"),
        ("7 Q0 a x 50", ":1: 'x' is not an rsize: expected a whole number"),
        ("7 Q0 a 5 50 -3 0:5", ":1: '-3' is not a best entry point"),
        ("7 Q0 a 0 50\n7 Q0 a.xml 0 50", ":2: document a is judged twice for topic 7, first on"),
    ],
)
def test_bad_lines_are_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(text)


@given(st.lists(st.integers(-2, 3), min_size=1, max_size=6))
def test_qrels_are_read_as_they_were_written(grades: list[int]) -> None:
    judgments = [Judgment("7", f"d{n}", relevance=grade) for n, grade in enumerate(grades)]
    data = b"".join(write_trec_qrels(judgments))
    found = Assessments(*read_trec_qrels(io.BytesIO(data), "qrels.txt"))
    assert list(found) == judgments
    assert [judgment.is_relevant for judgment in found] == [grade >= 1 for grade in grades]


@pytest.mark.parametrize("text", ["7 0 a", "7 0 a x", "7 0 a 1 2", "7 0 a 1.5"])
def test_bad_qrels_are_refused(text: str) -> None:
    with pytest.raises(FormatError, match=r"q:1: expected topic, iteration, document and a grade"):
        read_trec_qrels(io.BytesIO(text.encode()), "q")


@needs_conformance
def test_the_real_assessments_of_the_conformance_data() -> None:
    path = CONFORMANCE / "inex_eval-3.1" / "real" / "qrels.txt"
    with path.open("rb") as file:
        found = Assessments(*read_inex_text(file, "qrels.txt"))
    lines = [line.split() for line in path.read_text().splitlines()]
    assert len(found) == len(lines)
    assert sum(judgment.highlighted for judgment in found) == sum(int(line[3]) for line in lines)
    assert len(found.topics) == len({line[0] for line in lines})


XML_2004 = """<!DOCTYPE assessments SYSTEM "assessments.dtd">
<assessments pool="12" topic="076">
 <file file="co/1999/r2024">
  <path path="/article[1]" exhaustiveness="2" specificity="1" inpool="true"/>
  <path path="/article[1]/bdy[1]" exhaustiveness="3" specificity="3" inferred="true"
        inconsistant="true"/>
  <path path="/article[1]/fm[1]" exhaustiveness="U"/>
 </file>
 <file file="b.xml"><path path="/article[1]" exhaustiveness="0" specificity="0"/></file>
</assessments>"""
XML_2006 = """<assessments pool="12" topic="231" version="2" whitespace-text-node="strip">
 <inex_topic topic_id="231" ct_no="1"><title>x</title></inex_topic>
 <file collection="wikipedia" name="a">
  <best-entry-point path="/article[1]/p[1]/text()[1].0"/>
  <passage start="/article[1]/p[1]/text()[1].0" end="/article[1]/p[2]" size="99"/>
  <element path="/article[1]" exhaustivity="?" size="999" rsize="99"/>
 </file>
 <file collection="wikipedia" name="b"/>
</assessments>"""
XML_2002 = """<assessments topic="5"><file file="a">
 <path path="/article[1]" relevance="3" coverage="L"/><path path="/a[1]" relevance="1" cov="E"/>
</file></assessments>"""


def read_xml(text: str) -> list[Judgment]:
    return list(Assessments(*read_inex_xml(io.BytesIO(text.encode()), "a.xml")))


def test_xml_of_2003_and_2004() -> None:
    found = Assessments(*read_inex_xml(io.BytesIO(XML_2004.encode()), "a.xml"))
    assert list(found) == [
        Judgment(
            "076",
            "co/1999/r2024",
            pool="12",
            grades=(
                GradedElement("/article[1]", Grade2003(2, 1), in_pool=True),
                GradedElement(
                    "/article[1]/bdy[1]", Grade2003(3, 3), inferred=True, inconsistent=True
                ),
                GradedElement("/article[1]/fm[1]", None),
            ),
        ),
        Judgment("076", "b", pool="12", grades=(GradedElement("/article[1]", Grade2003(0, 0)),)),
    ]
    assert [judgment.is_relevant for judgment in found] == [True, False]
    assert found.warnings == ("a.xml: 1 grades are marked as inconsistent; they count",)


def test_xml_of_2005_to_2007() -> None:
    relevant, other = read_xml(XML_2006)
    assert relevant == Judgment(
        "231",
        "a",
        passages=(PointPassage("/article[1]/p[1]/text()[1].0", "/article[1]/p[2]", 99),),
        entry_point="/article[1]/p[1]/text()[1].0",
        elements=(MeasuredElement("/article[1]", None, 999, 99),),
        pool="12",
        collection="wikipedia",
        version="2",
        whitespace="strip",
    )
    assert other == Judgment(
        "231", "b", pool="12", collection="wikipedia", version="2", whitespace="strip"
    )
    assert (relevant.is_relevant, other.is_relevant) == (True, False)


def test_xml_of_2002() -> None:
    (judgment,) = read_xml(XML_2002)
    assert [element.grade for element in judgment.grades] == [Grade2002(3, "L"), Grade2002(1, "E")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<assessments topic='1'/>", "no <file> in the file"),
        ("<a>\n<file name='a'/></a>", ":2: expected <assessments topic"),
        ("<a topic='1'><file/></a>", "<file> without name"),
        (
            "<a topic='1'><file file='a'><path exhaustiveness='1'/></file></a>",
            "<path> without path",
        ),
        (
            "<a topic='1'><file file='a'><path path='/a' exhaustiveness='5'/></file></a>",
            "exhaustiveness '5', specificity 'U': expected 0–3 or U",
        ),
        (
            "<a topic='1'><file file='a'><path path='/a' relevance='3' coverage='X'/></file></a>",
            "relevance '3', coverage 'X': expected 0–3 and N, L, S or E",
        ),
        (
            "<a topic='1'><file file='a'><path path='/a' inpool='yes'/></file></a>",
            "inpool is 'yes': expected true or false",
        ),
        ("<a topic='1'><file name='a'><passage start='/a'/></file></a>", "<passage> without end"),
        (
            "<a topic='1'><file name='a'><element path='/a' exhaustivity='3'/></file></a>",
            "exhaustivity '3': expected 0, 1, 2 or ",
        ),
        (
            "<a topic='1'><file name='a'><element path='/a' exhaustivity='1' size='x'/></file></a>",
            "size is 'x': expected a whole number",
        ),
        ("<a topic='1' whitespace-text-node='x'><file name='a'/></a>", "expected keep or strip"),
        ("<a topic='1'><file name='a'/><file name='a'/></a>", "document a is judged twice"),
    ],
)
def test_bad_xml_is_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_xml(text)


@pytest.mark.parametrize("rest", ["", " /article[1]", " 100 50"])
def test_a_run_given_as_assessments_is_recognised(rest: str, tmp_path: Path) -> None:
    file = tmp_path / "my.run"
    file.write_text(f"7 Q0 a 1 0.5 mine{rest}\n")
    with pytest.raises(FormatError, match="this looks like a run, not assessments"):
        read_assessments(file)
