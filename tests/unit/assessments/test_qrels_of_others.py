"""Qrels of other programs: BEIR's, MS MARCO's, JSON of ranx, frames and tuples of ir_measures."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval import evaluate
from doxeval.assessments import (
    FORMATS,
    AssessmentFormat,
    Assessments,
    Judgment,
    as_assessments,
    read_assessments,
    read_beir_qrels,
    read_ranx_qrels,
    write_assessments,
)
from doxeval.errors import FormatError, OutputError
from seams import change

HEADER = "query-id\tcorpus-id\tscore\n"


class Qrel(NamedTuple):
    """As ir_measures has it."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


def beir(text: str) -> Assessments:
    return Assessments(*read_beir_qrels(io.BytesIO(text.encode()), "test.tsv"))


def ranx(text: str) -> Assessments:
    return Assessments(*read_ranx_qrels(io.BytesIO(text.encode()), "qrels.json"))


# BEIR


def test_grades_below_a_header() -> None:
    found = beir("\ufeff" + HEADER + "7\ta.xml\t2\n\n7\tb\t-1\n8\ta\t0\n")
    assert found.to_dict() == {"7": {"a": 2, "b": -1}, "8": {"a": 0}}
    assert [judgment.line for judgment in found] == [2, 4, 5]
    assert [judgment.origin for judgment in found] == ["test.tsv"] * 3


def test_ids_with_spaces_are_between_tabs() -> None:
    found = beir(HEADER + "7\tthe bay\t2\n7\tb\t1\r\n")
    assert found.to_dict() == {"7": {"the bay": 2, "b": 1}}
    assert [judgment.line for judgment in found] == [2, 3]


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(-2, 4)), min_size=1, max_size=30))
def test_columns_are_read_as_lines_are(rows: list[tuple[int, int]]) -> None:
    lines = [f"{topic}\td{at}\t{grade}" for at, (topic, grade) in enumerate(rows)]
    plain = beir(HEADER + "\n".join(lines))
    one_by_one = beir(HEADER + "\n".join([*lines, "99\ta b\t1"]))
    assert list(plain) == list(one_by_one)[:-1]
    assert [each.line for each in plain] == [each.line for each in one_by_one][:-1]


def test_a_long_file_is_read_in_blocks() -> None:
    rows = 60_000
    text = HEADER + "".join(f"{at // 100}\tdocument-{at}\t{at % 3}\n" for at in range(rows))
    assert len(text) > 1 << 20
    found = beir(text)
    assert [judgment.line for judgment in found] == list(range(2, rows + 2))
    assert [judgment.relevance for judgment in found] == [at % 3 for at in range(rows)]


@pytest.mark.parametrize(
    ("lines", "number"),
    [
        ("7\ta\n", 2),
        ("7\ta\t1\n7\tb\t1\t1\n", 3),
        ("7\ta\t1.5\n", 2),
        ("7\ta\tx\n", 2),
        ("7\t\t1\n", 2),
        ("7\ta\t1234567890\n", 2),
        ("7\ta\t--1\n", 2),
    ],
)
def test_bad_lines_of_beir_are_named(lines: str, number: int) -> None:
    message = rf"test.tsv:{number}: expected query-id, corpus-id and score, a whole number"
    with pytest.raises(FormatError, match=message):
        beir(HEADER + lines)


def test_beir_without_grades_or_header_is_refused() -> None:
    with pytest.raises(FormatError, match="no assessments in the file"):
        beir(HEADER)
    with pytest.raises(FormatError, match=r"test.tsv:1: expected the names query-id, corpus-id"):
        beir("7\ta\t1\n")


# ranx


@pytest.mark.parametrize("indent", [None, 2])
def test_grades_by_topic_and_document(indent: int | None) -> None:
    judged = {"7": {"a": 2, "b": -1}, "8": {"ü": 0}}
    found = ranx(json.dumps(judged, indent=indent))
    assert found.to_dict() == judged
    assert [judgment.line for judgment in found] == ([1] * 3 if indent is None else [3, 4, 7])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"7": {"a": 1,\n"b": 0.5}}',
            r"json:2: topic '7', document 'b' has 0.5: expected a grade",
        ),
        ('{"7": {"b": 0.5}}', "expected a grade, a whole number; these look like scores of a run"),
        ('{"7": {"b": 1.0}}', "expected a grade, a whole number; these look like scores of a run"),
        ('{"7": {"b": "1"}}', "has '1': expected a grade, a whole number"),
        ('{"7": {"a": 1},\n"8": {}}', r"qrels.json:2: topic '8' has no judged documents"),
        ('{"7": {"a": 1,\n"a": 1}}', r"qrels.json:2: topic '7', document 'a' is given twice"),
        ('{"7": {"a": 1},\n"7": {}}', r"qrels.json:2: topic '7' is given twice"),
        ('{"7": {"a": 1},\n"8": {" ": 1}}', r"qrels.json:2: doc is"),
        (
            '{"7": {"a": 1},\n"8": {"a": 1' + "0" * 30 + "}}",
            r"qrels.json:2: grade: expected a number",
        ),
        ('{"7": [1]}', r"qrels.json:1: topic '7' has \[1\]: expected {topic: {document: grade}}"),
        ('{"7": {"a": 1', r"qrels.json:1: expected JSON, {topic: {document: grade}}"),
    ],
)
def test_bad_grades_of_ranx_are_named(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        ranx(text)


def test_too_large_a_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, ranx_qrels_bytes=5)
    with pytest.raises(FormatError, match=r"qrels.json: more than 5 bytes in one file"):
        ranx('{"7": {"a": 1}}')


def test_a_document_that_is_judged_twice_is_not_written(tmp_path: Path) -> None:
    twice = [Judgment("7", "a", assessor="x"), Judgment("7", "a", assessor="y")]
    with pytest.raises(OutputError, match="document 'a' is judged twice for topic '7'"):
        write_assessments(twice, tmp_path / "out", "ranx-qrels")
    assert not (tmp_path / "out").exists()


# Which format a file is in

EXAMPLE = [Judgment("7", "a", relevance=1), Judgment("7", "b", relevance=0)]
RECOGNISED: dict[AssessmentFormat, AssessmentFormat] = {"msmarco-qrels": "trec"}


@pytest.mark.parametrize("name", ["qrels", "test.tsv", "qrels.json", "qrels.jsonl", "qrels.txt.gz"])
@pytest.mark.parametrize(
    "format_", sorted(set(FORMATS) - {"grades", "highlights", "qrels", "aspects"})
)
def test_every_format_is_recognised_by_content(
    tmp_path: Path, format_: AssessmentFormat, name: str
) -> None:
    write_assessments(EXAMPLE, tmp_path / "out", format_)
    data = (tmp_path / "out").read_bytes()
    fitting = [each for each in FORMATS if FORMATS[each].sniff(data)]
    assert fitting == [RECOGNISED.get(format_, format_)]
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert read_assessments(path).to_dict() == {"7": {"a": 1, "b": 0}}


def test_ids_of_written_files(tmp_path: Path) -> None:
    spaced, tabbed = [Judgment("7", "a b", relevance=1)], [Judgment("7", "a\tb", relevance=1)]
    for format_ in ("beir", "ranx-qrels"):
        write_assessments(spaced, tmp_path / format_, format_)
        assert read_assessments(tmp_path / format_).to_dict() == {"7": {"a b": 1}}
    refused: list[tuple[list[Judgment], AssessmentFormat]] = [
        (spaced, "msmarco-qrels"),
        (tabbed, "beir"),
    ]
    for judgments, format_ in refused:
        with pytest.raises(OutputError, match="has white space, which the format cannot hold"):
            write_assessments(judgments, tmp_path / "x", format_)


def test_a_run_of_msmarco_is_not_assessments(tmp_path: Path) -> None:
    path = tmp_path / "run.tsv"
    path.write_text("7\ta\t1\n7\tb\t2\n")
    with pytest.raises(FormatError, match=r"this looks like a run .MS MARCO's lines"):
        read_assessments(path)
    path.write_text("7\ta\tb\n")
    with pytest.raises(FormatError, match=r"not a file of assessments: .* BEIR's qrels with"):
        read_assessments(path)


# Frames and named tuples

COLUMNS = {
    "PyTerrier": ("qid", "docno", "label"),
    "ir_measures": ("query_id", "doc_id", "relevance"),
    "ranx": ("q_id", "doc_id", "rel"),
    "BEIR": ("query-id", "corpus-id", "score"),
}


@pytest.mark.parametrize("program", COLUMNS)
@pytest.mark.parametrize("library", [pandas, polars])
def test_frames_have_the_columns_of_other_programs(program: str, library: Any) -> None:
    frame = library.DataFrame(
        dict(zip(COLUMNS[program], (["7", "7"], ["a", "b"], [2, 0]), strict=True))
    )
    assert Assessments.from_frame(frame).to_dict() == {"7": {"a": 2, "b": 0}}


def test_scores_are_grades_in_frames_of_beir_only() -> None:
    frame = pandas.DataFrame({"qid": ["7"], "docno": ["a"], "score": [1]})
    with pytest.raises(FormatError, match="looks like a run"):
        Assessments.from_frame(frame)


QRELS = [Qrel("7", "a", 2), Qrel("7", "b", 0), Qrel("8", "a", 1, "1")]
GRADES = {"7": {"a": 2, "b": 0}, "8": {"a": 1}}


def test_named_tuples_go_where_assessments_go() -> None:
    def one_by_one() -> Iterator[Qrel]:
        yield from QRELS

    assert Assessments.from_tuples(one_by_one()).to_dict() == GRADES
    for qrels in (QRELS, tuple(QRELS), one_by_one()):
        assert as_assessments(qrels).to_dict() == GRADES
    run = {"7": {"a": 1}, "8": {"a": 1}}
    assert evaluate(run, one_by_one(), "AP").mean()["run"]["AP"] == 1


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([Qrel("7", "a", 1), ("7", "b", 1)], "row 1 is .*: expected query_id, as in row 0"),
        ([Qrel("7", "a", 0.5)], "row 0: grade is 0.5: expected a whole number"),  # type: ignore[arg-type]
        ([Qrel("7", "", 1)], "row 0: doc is missing"),
        ([("7", "a", 1)], "row 0 is .*: expected named tuples with query_id and doc_id"),
    ],
)
def test_bad_tuples_are_named(rows: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        Assessments.from_tuples(rows)


def test_scored_documents_are_no_assessments() -> None:
    class ScoredDoc(NamedTuple):
        query_id: str
        doc_id: str
        score: float

    with pytest.raises(FormatError, match=r"looks like a run \(the column score\)"):
        as_assessments([ScoredDoc("7", "a", 0.5)])
