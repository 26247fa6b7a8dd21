"""Runs of other programs: MS MARCO's three columns, JSON of ranx, named tuples of ir_measures."""

from __future__ import annotations

import bz2
import gzip
import io
import json
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval import evaluate
from doxeval.errors import FormatError, InputError, OutputError
from doxeval.pooling import pool_runs
from doxeval.runs import (
    FORMATS,
    Kind,
    LooksLikeAssessments,
    PieceReader,
    Result,
    Run,
    RunFormat,
    as_run,
    format_of,
    is_one_run,
    losses,
    lost_facts,
    pieces_of_file,
    read_open_run,
    read_run,
    run_blocks,
    write_run,
)
from helpers import needs_named_pipes
from levels import examples
from strategies import results


class ScoredDoc(NamedTuple):
    """As ir_measures has it."""

    query_id: str
    doc_id: str
    score: float


def documents(**given: Any) -> st.SearchStrategy[list[Result]]:
    """Whole documents, each once for a topic."""
    return st.lists(
        results([Kind.DOCUMENT]).map(lambda result: result._replace(**given)),
        min_size=1,
        max_size=9,
        unique_by=lambda result: (result.topic, result.document),
    )


def read_bytes(data: bytes | str, format_: RunFormat, name: str = "mine.x") -> Run:
    return read_open_run(
        io.BytesIO(data.encode() if isinstance(data, str) else data), name, format_
    )


def rows(run: Run) -> list[tuple[Any, ...]]:
    return [(result.topic, result.document, result.rank, result.score) for result in run]


# MS MARCO


@pytest.mark.parametrize("separator", ["\t", " ", "   ", " \t"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_three_columns(tmp_path: Path, separator: str, line_end: str) -> None:
    lines = [("7", "a.xml", "1"), ("7", "b", "2"), ("8", "a", "1")]
    text = line_end.join(separator.join(line) for line in lines)
    path = tmp_path / "run.dev.small.tsv"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode() + line_end.encode())
    run = read_run(path)
    assert rows(run) == [("7", "a", 1, None), ("7", "b", 2, None), ("8", "a", 1, None)]
    assert run.run_id == "run.dev.small"
    assert run.line.tolist() == [1, 2, 3]
    assert not run.warnings


@examples(60)
@given(documents(score=None))
def test_msmarco_holds_documents_and_ranks(wanted: list[Result]) -> None:
    run = Run.from_results(wanted, "mine")
    assert losses(run, "msmarco") == []
    data = b"".join(FORMATS["msmarco"].write(run))
    assert list(read_bytes(data, "msmarco").results()) == wanted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("7 a 1\n7 b\n", r"r.tsv:2: 2 fields; expected 3 fields as before \(qid pid rank\)"),
        ("7 a 1\n7 b x\n", r"r.tsv:2: 'x' is not a rank: expected a whole number"),
        ("7 a 1\n7 b -1\n", r"r.tsv:2: '-1' is not a rank"),
        ("7 a 1\n7 b 1.5\n", r"r.tsv:2: '1.5' is not a rank"),
        ("7 a 1\n7 Q0 b 1 0.5 mine\n", r"r.tsv:2: 6 fields; expected 3 fields as before"),
        ("7 Q0 b 1 0.5 mine\n7 a 1\n", r"r.tsv:2: 3 fields; expected 6 fields as before"),
        ("7 a 1\n\n7 b\x01 2\n", r"r.tsv:3: control character 0x01"),
        ("7 a b\n", r"r.tsv:1: 3 fields; expected 6, 7 or 8 fields \(qid Q0"),
        ("7 a 1" + "0" * 18, r"is not a rank: expected a whole number of at most 18 digits"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "r.tsv"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_run(path)
    with pytest.raises(FormatError, match=message):
        list(run_blocks(path, 1))


def test_msmarco_is_read_in_blocks_and_pieces(tmp_path: Path) -> None:
    lines = [f"{topic}\td{at}\t{at}\n" for topic in range(1, 60) for at in range(1, 12)]
    path = tmp_path / "big"
    path.write_text("".join(lines))
    whole = read_run(path)
    blocks = [block.run for block in run_blocks(path, 50)]
    assert len(blocks) > 5
    assert [result for block in blocks for result in block] == list(whole)
    pieces = pieces_of_file(path, 1000)
    assert len(pieces) > 2
    read = [block.run for piece in pieces for block in PieceReader(str(path), piece).blocks(50)]
    assert [result for part in read for result in part] == list(whole)
    assert {block.run_id for block in blocks} == {"big"}


def test_scores_and_the_id_are_left_out_of_msmarco() -> None:
    run = Run.from_dict({"7": {"a": 0.5}}, "mine")
    assert lost_facts(run, "msmarco") == ["scores", "the run's id"]
    assert losses(Run.from_dict({"7": ["a b"]}), "msmarco") == [
        "documents whose ids hold white space, like 'a b'"
    ]
    assert losses(Run.from_dict({"7": [("a", 0, 9)]}), "msmarco") == ["parts of documents"]


def test_ranks_that_contradict_the_order_are_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("7\ta\t2\n7\tb\t1\n")
    with pytest.warns(UserWarning, match="rank"):
        by_list = evaluate(path, {"7": {"b": 1}}, "AP").mean()["mine"]["AP"]
    assert by_list == 0.5
    assert evaluate(path, {"7": {"b": 1}}, "AP", order="rank").mean()["mine"]["AP"] == 1


# ranx


@pytest.mark.parametrize("indent", [None, 0, 2])
def test_scores_by_topic_and_document(tmp_path: Path, indent: int | None) -> None:
    path = tmp_path / "mine.json"
    given = {"7": {"a.xml": 0.2, "b": 0.9, "c": 0.2}, "8": {}, "9": {"ü": 1}}
    path.write_text(json.dumps(given, indent=indent))
    run = read_run(path)
    assert rows(run) == [
        ("7", "b", 1, 0.9),
        ("7", "a", 2, 0.2),
        ("7", "c", 3, 0.2),
        ("9", "ü", 1, 1),
    ]
    assert run.run_id == "mine"
    lines = path.read_text().split("\n")
    for result, line in zip(run, run.line.tolist(), strict=True):
        assert json.dumps(result.document)[1:-1] in lines[line - 1]


def test_lines_of_json_that_is_printed_oddly() -> None:
    text = '{"7":\n\n{"a"\n: 0.1, "b:1": 0.2,\n\n"c": 0.3},\n"{}": {}, "8": {"a": 1}}'
    run = read_bytes(text, "ranx")
    assert run.by_field()["doc"] == ["c", "b:1", "a", "a"]
    assert run.line.tolist() == [6, 4, 3, 7]


@examples(60)
@given(documents(), st.booleans())
def test_ranx_holds_documents_and_scores(wanted: list[Result], scores: bool) -> None:
    given = [
        result._replace(rank=None, score=result.score if scores else None) for result in wanted
    ]
    run = Run.from_results(given, "mine")
    run = run.ordered("rsv") if scores else run.rows(np.argsort(run.topic, kind="stable"))
    assert losses(run, "ranx") == []
    again = read_bytes(b"".join(FORMATS["ranx"].write(run)), "ranx")
    assert [row[:2] for row in rows(again)] == [row[:2] for row in rows(run)]
    if scores:
        assert [result.score for result in again] == [result.score for result in run]


@given(st.dictionaries(st.text(), st.dictionaries(st.text(), st.floats(-9, 9)), min_size=1))
def test_json_is_read_as_the_dict_is(given: dict[str, dict[str, float]]) -> None:
    for indent in (None, 2):
        data = json.dumps(given, indent=indent).encode("utf-8")
        try:
            wanted = list(Run.from_dict(given))
        except InputError:
            with pytest.raises(FormatError):
                read_bytes(data, "ranx")
            continue
        if not wanted:
            with pytest.raises(FormatError, match="no results in the file"):
                read_bytes(data, "ranx")
        else:
            assert list(read_bytes(data, "ranx")) == wanted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"7": {"a": "x"}}', r"r.json:1: topic '7', document 'a' has 'x': expected a score"),
        ('{"7": {"a": 1,\n"b": null}}', r"r.json:2: topic '7', document 'b' has None: expected"),
        ('{"7": {"a": 1,\n"b": NaN}}', r"r.json:2: topic '7', document 'b' has nan: expected"),
        ('{"7": {"a": true}}', "'a' has True: expected a score, a number"),
        ('{"7": {"a": 1e400}}', "'a' has inf: expected a score, a number"),
        ('{"7": {"a": 1' + "0" * 400 + "}}", "'a' has 1000.*expected a score, a number"),
        ('{"7": {"a": {"b": 1}}}', "'a' has .*: expected a score, a number"),
        ('{"7": {"a": 1},\n"8": 5}', r"r.json:2: topic '8' has 5: expected {topic: {document"),
        ('{"7": {"a": 1},\n"8": ["a"]}', r"r.json:2: topic '8' has \['a'\]: expected"),
        ('{"7": {"a": 1},\n\n"7": {"b": 1}}', r"r.json:3: topic '7' is given twice"),
        ('{"7": {"a": 1,\n"a": 2}}', r"r.json:2: topic '7', document 'a' is given twice"),
        ('{"7": {"a:b": 1, "\\u0061:b": 2}}', r"document 'a:b' is given twice"),
        ('{"x:y": {"a": 1}, "x\\u003ay": {"a": 1}}', r"topic 'x:y' is given twice"),
        ('{"7": {"a": 1}', r"r.json:1: expected JSON, {topic: {document: score}}: "),
        ('{"7": {"a": 1}}\nx', r"r.json:2: expected JSON, {topic: {document: score}}: Extra data"),
        ('{"7": {"": 1}}', r"r.json:1: doc is missing"),
        ('{"7": {}}', r"r.json: no results in the file"),
        ('{"7": {"a": 1}, "\\ud800": {"a": 1}}', r"r.json: expected JSON"),
        ('{"7": ' + '{"a": ' * 5000, r"r.json: expected JSON|Expecting value"),
    ],
)
def test_bad_json_is_named(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_bytes(text, "ranx", "r.json")


def test_bytes_that_are_not_utf_8_are_named() -> None:
    for data in (b'{"7": {"a": 1,\n"\xff": 2}}', b'{"7": {"a": 1},\n"\xff": {"a": 1}}'):
        with pytest.raises(FormatError, match=r"r.json:2: byte 0xff is not UTF-8 text"):
            read_bytes(data, "ranx", "r.json")


def test_what_json_cannot_hold_is_refused(tmp_path: Path) -> None:
    rising = [Result("7", "a", score=0.1), Result("7", "b", score=0.2)]
    twice = [Result("7", "a", score=0.2), Result("7", "a", score=0.1)]
    infinite = [Result("7", "a", score=float("inf"))]
    assert losses(Run.from_results(rising), "ranx") == ["an order that is not that of the scores"]
    assert losses(Run.from_results(twice), "ranx") == ["documents that are there twice for a topic"]
    assert losses(Run.from_results(infinite), "ranx") == ["scores that are no numbers"]
    with pytest.raises(OutputError, match="the format ranx cannot hold an order"):
        write_run(Run.from_results(rising), tmp_path / "x.json")
    assert not (tmp_path / "x.json").exists()


def test_ranx_is_read_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    given = {str(topic): {f"d{at}": at / 7 for at in range(30)} for topic in range(300)}
    path.write_text(json.dumps(given))
    blocks = [block.run for block in run_blocks(path, 100)]
    assert len(blocks) > 20
    assert [result for block in blocks for result in block] == list(Run.from_dict(given))


# Which format a file is in

EXAMPLE = Run.from_dict({"7": {"a": 0.9, "b": 0.5}, "8": {"a": 1.5}}, "mine")
PASSAGES = Run.from_dict({"7": [("a", 0, 5), ("b", 3, 9)], "8": [("a", 2, 4)]}, "mine")


@pytest.mark.parametrize(
    "name", ["mine", "mine.run", "mine.txt", "mine.tsv", "mine.json", "mine.x"]
)
@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_is_recognised_by_content(
    tmp_path: Path, format_: RunFormat, name: str
) -> None:
    path = tmp_path / name
    written = PASSAGES if format_ == "genomics" else EXAMPLE
    write_run(written, path, format_)
    fitting = [name for name in FORMATS if FORMATS[name].sniff(path.read_bytes())]
    assert fitting == ([] if format_ == "text" else [format_])
    again = read_run(path)
    assert [row[:2] for row in rows(again)] == [row[:2] for row in rows(written)]
    assert (again.score is None) == (format_ in ("msmarco", "genomics"))
    for compress, suffix in ((gzip.compress, ".gz"), (bz2.compress, ".bz2")):
        packed = tmp_path / (name + suffix)
        packed.write_bytes(compress(path.read_bytes()))
        assert list(read_run(packed)) == list(again)
        assert [result for block in run_blocks(packed, 2) for result in block.run] == list(again)


def test_a_name_that_says_the_format_is_believed(tmp_path: Path) -> None:
    for name in ("mine.jsonl", "mine.csv", "mine.xml"):
        path = tmp_path / name
        path.write_text("7 a 1\n")
        with pytest.raises(FormatError):
            read_run(path)


def test_xml_in_utf_16_is_recognised_and_other_markup_is_not(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    written = b"".join(FORMATS["inex"].write(EXAMPLE)).decode()
    xml = f'<?xml version="1.0" encoding="utf-16"?>{written}'
    path.write_bytes(xml.encode("utf-16"))
    assert [row[:2] for row in rows(read_run(path))] == [row[:2] for row in rows(EXAMPLE)]
    path.write_bytes("7 Q0 a 1 0.5 mine".encode("utf-16"))
    with pytest.raises(FormatError, match="byte 0xff is not UTF-8 text"):
        read_run(path)
    path.write_text("<!DOCTYPE html><html><body>not found</body></html>")
    with pytest.raises(FormatError, match="expected 6, 7 or 8 fields"):
        read_run(path)


def test_names_of_outputs() -> None:
    assert (format_of("x.tsv"), format_of("x.json"), format_of("x.txt")) == (
        "msmarco",
        "ranx",
        "text",
    )


@needs_named_pipes
def test_a_pipe_is_recognised(tmp_path: Path) -> None:
    import os
    import threading

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        with pipe.open("wb", buffering=0) as file:
            for part in (b"7", b"\ta\t", b"1\n7\tb\t2\n"):
                file.write(part)

    writer = threading.Thread(target=write)
    writer.start()
    assert len(read_run(pipe)) == 2
    writer.join()


def test_beir_qrels_given_as_a_run_are_recognised(tmp_path: Path) -> None:
    path = tmp_path / "test.tsv"
    path.write_text("query-id\tcorpus-id\tscore\n7\ta\t1\n")
    with pytest.raises(LooksLikeAssessments, match="BEIR's qrels"):
        read_run(path)


# Frames and named tuples

COLUMNS = {
    "PyTerrier": ("qid", "docno", "score"),
    "ir_measures": ("query_id", "doc_id", "score"),
    "ranx": ("q_id", "doc_id", "score"),
    "BEIR": ("query-id", "corpus-id", "score"),
}


@pytest.mark.parametrize("program", COLUMNS)
@pytest.mark.parametrize("library", [pandas, polars])
def test_frames_have_the_columns_of_other_programs(program: str, library: Any) -> None:
    frame = library.DataFrame(
        dict(zip(COLUMNS[program], (["7", "7"], ["a", "b"], [0.9, 0.5]), strict=True))
    )
    assert [row[:2] for row in rows(Run.from_frame(frame))] == [("7", "a"), ("7", "b")]


def test_a_frame_of_pyterrier() -> None:
    frame = pandas.DataFrame(
        {
            "qid": ["7", "7"],
            "docid": [4, 9],
            "docno": ["a", "b"],
            "rank": [0, 1],
            "score": [0.9, 0.5],
            "query": ["fog", "fog"],
        }
    )
    with pytest.warns(UserWarning, match="ignored: docid, query"):
        run = Run.from_frame(frame)
    assert rows(run) == [("7", "a", 0, 0.9), ("7", "b", 1, 0.5)]


SCORED = [ScoredDoc("7", "a", 0.2), ScoredDoc("8", "c", 1), ScoredDoc("7", "b", 0.9)]
RANKED = [("7", "b"), ("7", "a"), ("8", "c")]


def test_named_tuples_are_ranked_by_score() -> None:
    tied = [ScoredDoc("7", "b", 0.5), ScoredDoc("7", "a", 0.5), ScoredDoc("7", "c", 0.7)]
    assert [row[:2] for row in rows(Run.from_tuples(SCORED, "mine"))] == RANKED
    assert [row[1] for row in rows(Run.from_tuples(tied))] == ["c", "b", "a"]
    without = namedtuple("without", "qid docno")
    assert [row[1] for row in rows(Run.from_tuples([without("7", "b"), without("7", "a")]))] == [
        "b",
        "a",
    ]


def test_named_tuples_go_where_runs_go() -> None:
    qrels = {"7": {"b": 1}, "8": {"c": 1}}

    def one_by_one() -> Iterator[ScoredDoc]:
        yield from SCORED

    assert is_one_run(SCORED)
    assert not is_one_run({"mine": SCORED})
    assert not is_one_run([Result("7", "a")])
    assert [row[:2] for row in rows(as_run(one_by_one()))] == RANKED
    for run in (SCORED, tuple(SCORED), one_by_one()):
        assert evaluate(run, qrels, "AP").mean()["run"]["AP"] == 1
    named = {"mine": one_by_one(), "other": SCORED}
    assert set(evaluate(named, qrels, "AP").mean()) == {"mine", "other"}
    assert len(evaluate([SCORED, one_by_one()], qrels, "AP").mean()) == 2
    assert set(pool_runs([one_by_one()], depth=1).documents) == {"7", "8"}
    assert set(pool_runs({"mine": SCORED}, depth=1).documents) == {"7", "8"}


def test_those_of_ir_measures_itself() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    run = [ir_measures.ScoredDoc(*each) for each in SCORED]
    qrels = [ir_measures.Qrel("7", "a", 1), ir_measures.Qrel("8", "c", 1)]
    theirs = ir_measures.calc_aggregate([ir_measures.AP], qrels, run)[ir_measures.AP]
    assert evaluate(iter(run), iter(qrels), "AP").mean()["run"]["AP"] == pytest.approx(theirs)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "row 0 is nothing: expected named tuples with query_id and doc_id"),
        ([("7", "a", 0.5)], "row 0 is .*: expected named tuples"),
        ([ScoredDoc("7", "a", 0.5), ("7", "a", 0.5)], "row 1 is .*: expected query_id, as in row"),
        ([ScoredDoc("7", "a", "x")], "row 0: score is 'x': expected a number"),  # type: ignore[arg-type]
        ([ScoredDoc("7", "", 1)], "row 0: doc_id is missing"),
    ],
)
def test_bad_tuples_are_named(given: Any, message: str) -> None:
    with pytest.raises((InputError, FormatError), match=message):
        Run.from_tuples(given)


def test_grades_are_no_run() -> None:
    qrel = namedtuple("qrel", "query_id doc_id relevance iteration")
    with pytest.raises(LooksLikeAssessments, match="the column relevance"):
        as_run([qrel("7", "a", 1, "0")])
