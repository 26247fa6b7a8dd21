"""Files of assessments and topics that are given as runs, and runs that look a little like them."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from doxeval.errors import FormatError
from doxeval.runs import LooksLikeAssessments, LooksLikeTopics, read_run
from helpers import doxeval, write_files

ASSESSMENTS = {
    "trec.txt": ("7 0 a 1\n7 0 b 0\n7 0 c -1\n", "TREC's qrels"),
    "inex.txt": ("7 Q0 a 5 100 10 10:5\n7 Q0 b 0 50\n", "the text of INEX 2008–10"),
    "relevant.txt": ("7 Q0 a 5 100 10 10:5\n7 Q0 b 9 50 0 0:4 10:5\n", "the text of INEX 2008–10"),
    "none.txt": ("7 Q0 a 0 100\n7 Q0 b 0 50\n", "the text of INEX 2008–10"),
    "six.txt": ("7 Q0 a 0 100 0\n7 Q0 b 4 50 2 2:4\n", "the text of INEX 2008–10"),
    "grades.xml": (
        '<assessments topic="7"><file file="a"><path path="/a[1]"/></file></assessments>',
        "the XML of INEX 2002–07",
    ),
    "highlights.xml": (
        '<assessments topic="7"><inex_topic><title>x</title></inex_topic><file name="a"/>'
        "</assessments>",
        "the XML of INEX 2002–07",
    ),
    "bep.jsonl": (
        '{"topic": "7", "doc": "a", "start": 0, "end": 9}\n{"topic": "7", "doc": "a", "bep": 5}\n',
        "the field bep",
    ),
    "judged.jsonl": ('{"topic": "7", "doc": "a", "judged": true}', "the field judged"),
    "grades.jsonl": ('{"topic": "7", "doc": "a", "path": "/p", "e": 1, "s": 2}', "the field e"),
    "units.jsonl": ('{"topic": "7", "doc": "a", "nodes": ["/p"], "rel": 1}', "the field rel"),
    "sizes.csv": ("topic,doc,docsize\n7,a,50\n", "the field docsize"),
}
TOPICS = {
    "topics.tsv": "1\tmarkov chains\n2\tthe tide in the bay of fundy\n",
    "one.xml": '<inex_topic topic_id="1"><title>x</title></inex_topic>',
    "many.xml": '<inex-topic-file><topic id="1"><title>x</title></topic></inex-topic-file>',
    "topics.jsonl": '{"id": "1", "title": "x", "castitle": "//a[about(., b)]"}',
}


@pytest.mark.parametrize("name", ASSESSMENTS)
def test_assessments_given_as_a_run_are_recognised(tmp_path: Path, name: str) -> None:
    contents, what = ASSESSMENTS[name]
    write_files(tmp_path, {name: contents})
    with pytest.raises(LooksLikeAssessments) as raised:
        read_run(tmp_path / name)
    assert f"this looks like assessments ({what}), not a run: runs come first" in str(raised.value)
    assert "given as assessments=; as a run, it is wrong here: " in str(raised.value)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (type(again), str(again)) == (LooksLikeAssessments, str(raised.value))


@pytest.mark.parametrize("name", TOPICS)
def test_topics_given_as_a_run_are_recognised(tmp_path: Path, name: str) -> None:
    write_files(tmp_path, {name: TOPICS[name]})
    with pytest.raises(LooksLikeTopics, match=r"this looks like topics \(.*\), not a run"):
        read_run(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "contents"),
    [
        ("a.run", "7 Q0 a 0 100 0\n7 Q0 b 1 99 0\n"),  # numbers wherever there can be any
        ("a.run", "7 0 a 1 5 9 10\n7 0 b 2 4 9 20\n"),
        ("a.run", "1\tQ0\ta\t1\t2\tmine\n"),
        (
            "a.xml",
            "<file><topic id='1'><result><file>a</file></result></topic></file>",
        ),
        ("a.jsonl", '{"topic": "7", "doc": "a", "start": 0, "end": 9, "bep": null}'),
    ],
)
def test_runs_are_runs(tmp_path: Path, name: str, contents: str) -> None:
    write_files(tmp_path, {name: contents})
    assert len(read_run(tmp_path / name)) > 0


@pytest.mark.parametrize(
    ("name", "contents"),
    [
        ("a.run", "7 Q0 a 1 100 5\n7 Q0 b 2 50\n"),  # a run with a line that was cut off
        ("a.run", "7 Q0 a 1 .5 mine\n7 Q0 b 2\n"),
        ("a.run", ""),
        ("a.xml", "<a/>"),
        ("a.jsonl", '{"topic": "7", "doc": "a", "rsv": 1}'),
        ("a.jsonl", "[]"),
    ],
)
def test_a_bad_run_is_not_taken_for_something_else(
    tmp_path: Path, name: str, contents: str
) -> None:
    write_files(tmp_path, {name: contents})
    with pytest.raises(FormatError) as raised:
        read_run(tmp_path / name)
    assert type(raised.value) is FormatError
    assert "looks like" not in str(raised.value)


def test_the_command_line_names_its_option(tmp_path: Path) -> None:
    qrels = write_files(tmp_path, {"q.txt": "7 0 a 1\n"}) / "q.txt"
    result = doxeval("evaluate", qrels, "-a", qrels, "-m", "AP")
    assert result.exit_code == 1
    assert "runs come first, and assessments are given as --assessments;" in result.stderr
