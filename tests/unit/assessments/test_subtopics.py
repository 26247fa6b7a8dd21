"""Grades of documents for subtopics: read, written, merged, and refused where they are wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doxeval.assessments import (
    Assessments,
    Judgment,
    SubtopicGrade,
    assessment_losses,
    read_assessments,
    write_assessments,
)
from doxeval.errors import FormatError, OutputError
from helpers import doxeval, write_files

QRELS = "7 1 a 0\n7 2 a 3\n8 1 a 1\n7 1 b -1\n"
JUDGED = [
    Judgment("7", "a", subtopics=(SubtopicGrade("1", 0), SubtopicGrade("2", 3))),
    Judgment("7", "b", subtopics=(SubtopicGrade("1", -1),)),
    Judgment("8", "a", subtopics=(SubtopicGrade("1", 1),)),
]


def read(tmp_path: Path, text: str, subtopics: bool = False) -> Assessments:
    write_files(tmp_path, {"judged": text})
    return read_assessments(tmp_path / "judged", subtopics=subtopics)


def test_a_document_with_several_second_columns_has_subtopics(tmp_path: Path) -> None:
    assessments = read(tmp_path, QRELS)
    assert assessments == Assessments(JUDGED)
    assert assessments.to_dict() == {"7": {"a": 3, "b": -1}, "8": {"a": 1}}
    assert [judgment.line for judgment in assessments] == [1, 4, 3]


@pytest.mark.parametrize("separator", [" ", "\t", "\v"])
def test_lines_read_one_by_one_have_the_same_subtopics(tmp_path: Path, separator: str) -> None:
    text = QRELS.replace(" ", separator)
    assert read(tmp_path, text) == Assessments(JUDGED)


def test_otherwise_the_second_column_is_nothing_unless_that_is_said(tmp_path: Path) -> None:
    text = "7 1 a 0\n7 2 b 3\n"
    assert all(not judgment.subtopics for judgment in read(tmp_path, text))
    said = {
        judgment.document: judgment.subtopics for judgment in read(tmp_path, text, subtopics=True)
    }
    assert said == {"a": (("1", 0),), "b": (("2", 3),)}


def test_judgments_to_be_merged_are_those_of_assessors(tmp_path: Path) -> None:
    write_files(tmp_path, {"judged": "7 1 a 0\n7 2 a 3\n"})
    (judgment,) = read_assessments(tmp_path / "judged", merge="intersection")
    assert (judgment.relevance, judgment.subtopics) == (0, ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "7 1 a 0\n7 2 a 3\n7 1 a 1\n",
            r":3: document a is judged twice for subtopic '1' of topic 7",
        ),
        ("7 0 a 0\n7 0 a 3\n", r":2: document a is judged twice for topic 7"),
        ("7 1 a 0\n7 2 a x\n", r":2: expected topic, iteration, document and a grade"),
        ('{"topic": "7", "doc": "a", "subtopic": "1"}\n', r":1: fields subtopic"),
        (
            '{"topic": "7", "doc": "a", "subtopic": "1", "grade": 1}\n' * 2,
            r":2: subtopic '1' is given twice",
        ),
        ('{"topic": "7", "doc": "a", "subtopic": "1", "grade": 0.5}\n', r":1: grade is 0\.5"),
        ('{"topic": "7", "doc": "a", "subtopic": " ", "grade": 1}\n', r":1: .*subtopic"),
    ],
)
def test_wrong_subtopics(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("subtopics", "message"),
    [
        ((("1", 1), ("1", 2)), "subtopic '1' is given twice"),
        ((("", 1),), "expected a name"),
        ((("1", 1.5),), "expected pairs of a name and a whole number"),
        (("1",), "expected pairs of a name and a whole number"),
        ((("1", 1 << 40),), "expected a smaller number"),
    ],
)
def test_judgments_refuse_wrong_subtopics(
    subtopics: tuple[SubtopicGrade, ...], message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        Judgment("7", "a", subtopics=subtopics)


def test_other_formats_have_no_subtopics_in_a_second_column(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="subtopics=True is for TREC's qrels"):
        read(tmp_path, '{"topic": "7", "doc": "a", "grade": 1}\n', subtopics=True)


@pytest.mark.parametrize("format_", ["trec", "judgments"])
def test_what_is_written_is_read_again(tmp_path: Path, format_: str) -> None:
    file = tmp_path / "out"
    assert not assessment_losses(JUDGED, format_)  # type: ignore[arg-type]
    write_assessments(JUDGED, file, format_)  # type: ignore[arg-type]
    assert read_assessments(file) == Assessments(JUDGED)


def test_what_other_formats_lose_is_said(tmp_path: Path) -> None:
    assert assessment_losses(JUDGED, "qrels") == [
        "grades of whole documents",
        "subtopics and their grades",
    ]
    with pytest.raises(OutputError, match="white space"):
        spaced = Judgment("7", "a", subtopics=(SubtopicGrade("a b", 1),))
        write_assessments([spaced], tmp_path / "out", "trec")


def test_the_grade_of_a_document_may_differ_from_those_of_its_subtopics(tmp_path: Path) -> None:
    judged = [Judgment("7", "a", relevance=0, subtopics=(SubtopicGrade("1", 2),))]
    write_assessments(judged, tmp_path / "out", "judgments")
    assert list(read_assessments(tmp_path / "out")) == judged
    assert judged[0].is_relevant


def test_convert_keeps_subtopics(tmp_path: Path) -> None:
    write_files(tmp_path, {"qrels": "7 1 a 1\n7 2 b 1\n"})
    jsonl = tmp_path / "judged.jsonl"
    doxeval("convert", tmp_path / "qrels", jsonl, "--to", "judgments", "--subtopics")
    assert '"subtopic": "2", "grade": 1' in jsonl.read_text()
    back = tmp_path / "back"
    doxeval("convert", jsonl, back, "--to", "trec")
    assert back.read_text() == "7 1 a 1\n7 2 b 1\n"


def test_subtopics_are_merged(tmp_path: Path) -> None:
    grades = [("x", "1", 2), ("x", "2", 1), ("y", "1", 1)]
    statements = [
        {"topic": "7", "doc": "a", "subtopic": subtopic, "grade": grade, "assessor": assessor}
        for assessor, subtopic, grade in grades
    ]
    lines = "\n".join(map(json.dumps, statements))
    write_files(tmp_path, {"judged": lines})
    merged = {
        how: next(iter(read_assessments(tmp_path / "judged", merge=how)))
        for how in ("union", "intersection")
    }
    assert merged["union"].subtopics == (("1", 2), ("2", 1))
    assert merged["intersection"].subtopics == (("1", 1), ("2", 0))
    assert merged["intersection"].relevance == 1
