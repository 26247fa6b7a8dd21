"""The targets of topics: paths of NEXI queries, and target elements of 2002."""

from __future__ import annotations

from pathlib import Path

import pytest

from doxeval.errors import SyntaxProblem
from doxeval.topics import Topic, read_topics, target_of


@pytest.mark.parametrize(
    ("topic", "target"),
    [
        (Topic("1", castitle="//article[about(., a)]//sec[about(.//p, b)]"), "//article//sec"),
        (Topic("1", castitle="//article[about(., a)]//(sec|p)"), "//article//(sec|p)"),
        (Topic("1", castitle="//article[about(., a)]//*"), "//article//*"),
        (Topic("1", title="//sec[about(., a)]", query_type="SCAS"), "//sec"),
        (Topic("1", title="//sec[about(., a)]", query_type="CO"), None),
        (Topic("1", title="a b"), None),
        (Topic("1", cas_parts=(("te", "tig"), ("cw", "QBIC"), ("ce", "bibl"))), "//tig"),
        (Topic("1", cas_parts=(("te", "bdy/sec"),)), "//bdy/sec"),
        (Topic("1", cas_parts=(("te", "article//sec"),)), "//article//sec"),
        (Topic("1", cas_parts=(("te", "/article/fm"),)), "/article/fm"),
        (Topic("1", cas_parts=(("te", "//fm/*"),)), "//fm/*"),
        (Topic("1", cas_parts=(("te", " tig ,fm/au"),)), "//tig, //fm/au"),
        (Topic("1", cas_parts=(("te", "tig|atl"),)), "//tig, //atl"),
        (Topic("1", cas_parts=(("te", "tig"), ("te", "atl"))), "//tig, //atl"),
        (Topic("1", cas_parts=(("cw", "QBIC"), ("ce", "bibl"))), None),
    ],
)
def test_targets(topic: Topic, target: str | None) -> None:
    assert target_of(topic) == target


@pytest.mark.parametrize(
    ("topic", "message"),
    [
        (
            Topic("7", castitle="//article[about(., a)", origin="t.xml", line=3),
            "t.xml:3: the query of topic 7: column 22: expected ']' after the condition",
        ),
        (
            Topic("7", cas_parts=(("te", "tig atl"),), origin="t.xml", line=3),
            "t.xml:3: the query of topic 7: target element 'tig atl': expected a tag or a path",
        ),
        (
            Topic("7", cas_parts=(("te", "tig,"),)),
            "the query of topic 7: target element '': expected a tag or a path such as bdy/sec",
        ),
    ],
)
def test_targets_that_do_not_parse(topic: Topic, message: str) -> None:
    with pytest.raises(SyntaxProblem) as told:
        target_of(topic)
    assert str(told.value).startswith(message)


def test_a_title_of_2002_in_its_file(tmp_path: Path) -> None:
    file = tmp_path / "topics.xml"
    file.write_text(
        '<inex_topic topic_id="05" query_type="CAS"><title><te>tig</te><cw>QBIC</cw>'
        "<ce>bibl</ce></title></inex_topic>"
    )
    assert [target_of(topic) for topic in read_topics(file)] == ["//tig"]
