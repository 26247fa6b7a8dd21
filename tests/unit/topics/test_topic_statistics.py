"""How many topics there are of each type and year."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doxeval.topics import Topic, read_topics, topic_statistics, year_of
from helpers import CONFORMANCE, doxeval, needs_conformance, write_files

NEXI = "//sec[about(., x)]"


@pytest.mark.parametrize(
    ("topic", "by_form", "by_number"),
    [
        (Topic("05", query_type="CAS", cas_parts=(("te", "tig"),)), "2002", "2002"),
        (Topic("31", query_type="CO", title="x"), "2002–04", "2002"),
        (Topic("60", query_type="CO"), "2002–04", "2002"),
        (Topic("61", query_type="SCAS", title=NEXI), "2003–04", "2003"),
        (Topic("76", query_type="CAS", title=NEXI), "2003–04", "2003"),
        (Topic("127", query_type="VCAS", title=NEXI), "2003–04", "2004"),
        (Topic("231", query_type="CO+S", title="x", castitle=NEXI), "2005–06", "2005"),
        (Topic("242", query_type="CAS", castitle=NEXI), "2005–06", "2005"),
        (Topic("289", query_type="CO", initial_statement="x"), "2005–06", "2006"),
        (Topic("413", query_type="CO+S"), "2005–06", "2006"),
        # Numbers that INEX did not give, or not to such a topic, tell nothing.
        (Topic("414", query_type="CO+S"), "2005–06", "2005–06"),
        (Topic("5", query_type="CO+S"), "2005–06", "2005–06"),
        (Topic("0", query_type="CO"), "2002–04", "2002–04"),
        (Topic("٣", query_type="CO"), "2002–04", "2002–04"),
        (Topic("7", query_type="CAS"), "2002–06", "2002"),
        (Topic("2009001", title="x", castitle=NEXI), "2009", "2009"),
        (Topic("2010107"), "2010", "2010"),
        (Topic("76", title="x"), None, None),
        (Topic("231", title="x", castitle=NEXI), None, None),
        (Topic("7", query_type="QA"), None, None),
    ],
)
def test_years(topic: Topic, by_form: str | None, by_number: str | None) -> None:
    assert year_of(topic) == by_form
    assert year_of(topic, inex_numbers=True) == by_number


def test_counts_add_up() -> None:
    topics = [
        *(Topic(str(n), query_type="CO", title="x") for n in range(31, 36)),
        *(Topic(f"{n:02}", query_type="CAS", cas_parts=(("te", "p"),)) for n in range(1, 4)),
        Topic("231", query_type="CO+S", title="x", castitle=NEXI),
        Topic("mine", title="x"),
    ]
    found = topic_statistics(topics, assessed=["31", "02", "nobody", "mine"])
    assert [tuple(row) for row in found.rows] == [
        ("2002", "CAS", 3, 1),
        ("2002–04", "CO", 5, 1),
        ("2005–06", "CO+S", 1, 0),
        (None, None, 1, 1),
    ]
    assert (found.topics, found.assessed) == (10, 3)
    assert found.by_type == {"CAS": 3, "CO": 5, "CO+S": 1, None: 1}
    assert found.by_year == {"2002": 3, "2002–04": 5, "2005–06": 1, None: 1}
    assert found.fields == {"title": 7, "castitle": 1, "cas_parts": 3}
    assert topic_statistics(topics, inex_numbers=True).by_year == {"2002": 8, "2005": 1, None: 1}
    assert topic_statistics(topics).assessed is None
    assert topic_statistics([], assessed=()).rows == ()


@needs_conformance
def test_the_topics_of_2009() -> None:
    topics = read_topics(CONFORMANCE / "inex-2009-topics" / "INEX-2009-topics.xml")
    assert topic_statistics(topics).by_year == {"2009": 115}


def test_the_verb(tmp_path: Path) -> None:
    xml = (
        '<topics><inex_topic topic_id="01" query_type="CAS"><title><te>tig</te><cw>a</cw>'
        "<ce>b</ce><cw>c</cw></title></inex_topic>"
        '<inex_topic topic_id="31" query_type="CO"><title>x</title></inex_topic></topics>'
    )
    write_files(tmp_path, {"t.xml": xml, "qrels.txt": "31 0 a 1\n"})
    listing = doxeval("topics", tmp_path / "t.xml")
    assert listing.stdout.splitlines() == [
        "01  (CAS)  —",
        "    te: tig, cw: a, ce: b, cw: c",
        "31  (CO)  x",
        "",
        "year     type  topics",
        "2002      CAS       1",
        "2002–04    CO       1",
        "all                 2",
    ]
    command = ("topics", tmp_path / "t.xml", "--statistics", "--inex-numbers")
    counts = doxeval(*command, "-a", tmp_path / "qrels.txt")
    assert counts.stdout.splitlines() == [
        "year  type  topics  assessed",
        "2002   CAS       1         0",
        "2002    CO       1         1",
        "all              2         1",
    ]
    found = json.loads(doxeval(*command, "--json").stdout)
    assert found["years"] == [{"year": "2002", "topics": 2}]
    assert found["types"] == [{"type": "CAS", "topics": 1}, {"type": "CO", "topics": 1}]
    assert found["assessed"] is None
    refused = doxeval("topics", tmp_path / "t.xml", "--json", "--inex-numbers")
    assert refused.exit_code == 2
    assert "--inex-numbers is for counts: add --statistics" in refused.stderr
