"""A misspelt field is an error in every record of ours, with its line and what was meant."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from doxeval import chunks
from doxeval.assess.exchange import read_annotations
from doxeval.assess.judging import Article
from doxeval.assessments import Assessments, read_assessments
from doxeval.cli import main
from doxeval.documents import example_collection
from doxeval.errors import FormatError
from doxeval.navigation import read_navigation
from doxeval.pooling import read_pool
from doxeval.runs import ChunkTable, read_chunks, read_run
from doxeval.topics import read_topics

DOCS = {"a": "Thirty days. Unused goods only."}
TABLE = ChunkTable.of(["c1"], ["a"], [[(0, 5)]])
POOL = {"pool": 1, "method": "depth", "depth": 10, "level": "element", "topics": ["7"]}
ANNOTATION = {
    "type": "Annotation",
    "motivation": "highlighting",
    "body": {"type": "TextualBody", "purpose": "classifying", "value": "7"},
    "target": {
        "source": "a",
        "selector": {"type": "TextPositionSelector", "start": 0, "end": 3},
    },
}


def asked(path: Path) -> Any:
    return chunks.questions(path, DOCS)


def by_chunk(path: Path) -> Any:
    return read_run(path, chunks=TABLE)


def annotated(path: Path) -> Any:
    collection = example_collection({"a": "<s>Low tide.</s>"})
    return read_annotations(path, lambda name: Article.of(collection, name))


def question(*spans: Any, **more: Any) -> dict[str, Any]:
    return {"id": "1", "question": "How long?", "needs": [{"spans": list(spans)}], **more}


GOOD_QUESTION = question({"doc": "a", "quote": "Thirty days"})
GRADED = {
    **ANNOTATION,
    "motivation": "assessing",
    "body": [
        ANNOTATION["body"],
        {"type": "TextualBody", "purpose": "assessing", "value": '{"e": 1, "infered": true}'},
    ],
    "target": {"source": "a", "selector": {"type": "XPathSelector", "value": "/s[1]"}},
}

# What it is: the file, its lines, the reader, the line of the mistake, and what is said.
Case = tuple[str, Any, Callable[[Path], Any], int | None, str]
CASES: dict[str, Case] = {
    "a span": (
        *("q.jsonl", [GOOD_QUESTION, question({"doc": "a", "qoute": "Thirty"}, id="2")]),
        *(
            asked,
            2,
            "unknown field 'qoute': expected doc, start, end, quote, whole, page; did you mean",
        ),
    ),
    "a span with its text": (
        *("q.jsonl", [question({"doc": "a", "text": "Thirty days"})], asked, 1),
        "unknown field 'text': expected doc, start, end, quote, whole, page; did you mean quote?",
    ),
    "a span by its page": (
        *("q.jsonl", [question({"doc": "a", "page": 0})], asked, 1),
        "expected a doc and a page from 1 on, perhaps with a quote",
    ),
    "a span by its pages": (
        *("q.jsonl", [question({"doc": "a", "pages": 3})], asked, 1),
        "unknown field 'pages': expected doc, start, end, quote, whole, page; did you mean page?",
    ),
    "a need": (
        *("q.jsonl", [{**GOOD_QUESTION, "needs": [{"spans": ["Thirty days"], "graed": 2}]}]),
        *(asked, 1, "unknown field 'graed': expected id, grade, spans; did you mean grade?"),
    ),
    "a question": (
        *("q.jsonl", [GOOD_QUESTION, {"id": "2", "qestion": "Who?", "needs": []}], asked, 2),
        "unknown field 'qestion': expected id, question, needs,",
    ),
    "a question's tags": (
        *("q.json", [{**GOOD_QUESTION, "tag": ["law"]}], asked, None),
        "record 1: unknown field 'tag': expected id, question, needs,",
    ),
    "a judgment": (
        *("j.jsonl", [{"topic": "7", "doc": "a", "start": 0, "end": 5, "asessor": "A1"}]),
        *(read_assessments, 1, "unknown field 'asessor': expected topic, doc,"),
    ),
    "a judgment as gold": (
        *("j.jsonl", [{"topic": "7", "doc": "a", "start": 0, "end": 5, "ned": "x"}], asked, 1),
        "did you mean need?",
    ),
    "a result": (
        *("r.jsonl", [{"topic": "7", "doc": "a"}, {"topic": "7", "doc": "a", "strat": 3}]),
        *(read_run, 2, "unknown field 'strat': expected topic, doc,"),
    ),
    "a result by other names": (
        *("r.jsonl", [{"qid": "7", "doc": "a"}], read_run, 1),
        "unknown field 'qid': expected topic, doc, chunk, path, start, end,",
    ),
    "a result that is a chunk": (
        *("r.jsonl", [{"topic": "7", "chunk": "c1", "socre": 3}], by_chunk, 1),
        "did you mean score?",
    ),
    "a chunk of a run": (
        *("c.jsonl", [{"id": "1", "doc": "a", "start": 0, "end": 5, "parnet": "2"}]),
        *(read_chunks, 1, "unknown field 'parnet': expected id, doc, start, end, spans, tokens,"),
    ),
    "a chunk": (
        *("c.jsonl", [{"id": "1", "doc": "a", "start": 0, "end": 5, "token": 3}]),
        *(chunks.read_chunks, 1, "did you mean tokens?"),
    ),
    "a pool": ("p.jsonl", [{**POOL, "mehtod": "depth"}], read_pool, 1, "did you mean method?"),
    "a run of a pool": (
        *("p.jsonl", [{**POOL, "runs": [{"name": "x", "results": 1, "sha": "…"}]}], read_pool, 1),
        "unknown field 'sha': expected name, results, file, sha256",
    ),
    "a pooled document": (
        *("p.jsonl", [POOL, {"topic": "7", "doc": "a", "priorty": 2}], read_pool, 2),
        "did you mean priority?",
    ),
    "a pooled element": (
        *("p.jsonl", [POOL, {"topic": "7", "doc": "a", "elements": [{"path": "/s", "sart": 1}]}]),
        *(read_pool, 2, "unknown field 'sart': expected path, start, end; did you mean start?"),
    ),
    "a model of navigation": (
        *("n.json", {"model": "neighbours", "P": 0.5}, read_navigation, None),
        "neighbours: unknown field 'P': expected model, p; did you mean p?",
    ),
    "a topic": ("t.jsonl", [{"id": "1", "titel": "x"}], read_topics, 1, "did you mean title?"),
    "an annotation": (
        *("a.json", [{**ANNOTATION, "craetor": {"nickname": "A1"}}], annotated, None),
        "annotation 1: unknown property 'craetor'; did you mean creator?",
    ),
    "an annotated grade": (
        *("a.json", [GRADED], annotated, None),
        "unknown field 'infered': expected e, s, inferred; did you mean inferred?",
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_a_misspelt_field_is_an_error_in_every_record_of_ours(what: str, tmp_path: Path) -> None:
    name, records, read, line, message = CASES[what]
    path = tmp_path / name
    if name.endswith(".jsonl"):
        path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    else:
        path.write_text(json.dumps(records))
    with pytest.raises(FormatError) as failed:
        read(path)
    assert message in str(failed.value)
    assert (failed.value.origin, failed.value.line) == (str(path), line)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_misspelt_column_of_a_run_is_an_error(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"r.{suffix}"
    if suffix == "csv":
        path.write_text("topic,doc,strat,end\n7,a,0,5\n")
    else:
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        columns = {"topic": ["7"], "doc": ["a"], "strat": [0], "end": [5]}
        parquet.write_table(pyarrow.table(columns), path)
    with pytest.raises(FormatError, match=r"unknown field 'strat': .*; did you mean start\?"):
        read_run(path)


def test_a_misspelt_field_of_a_dict_of_judgments_is_an_error() -> None:
    with pytest.raises(FormatError, match=r"unknown field 'need_id': .*; did you mean need\?"):
        Assessments.from_dict({"7": {"a": [{"start": 0, "end": 5, "need_id": "x"}]}})


@pytest.mark.parametrize("span", [{"doc": "a"}, {"doc": "a", "quote": None}])
def test_a_span_must_say_what_it_is(span: dict[str, Any]) -> None:
    with pytest.raises(FormatError, match=r"which part of it\? Expected .*\"whole\": true"):
        chunks.questions([question(span)], DOCS)


def test_a_whole_document_is_asked_for_as_such() -> None:
    gold = chunks.questions([question({"doc": "a", "whole": True})], DOCS)
    assert gold["1"].needs[0].spans == (("a", 0, len(DOCS["a"])),)
    for more in ({"start": 0, "end": 5}, {"quote": "Thirty"}):
        with pytest.raises(FormatError, match="a whole document has only a doc"):
            chunks.questions([question({"doc": "a", "whole": True, **more})], DOCS)
    with pytest.raises(FormatError, match="whole is 1: expected true or false"):
        chunks.questions([question({"doc": "a", "whole": 1})], DOCS)


def test_all_fields_of_questions_are_read(tmp_path: Path) -> None:
    given = [
        {**GOOD_QUESTION, "tags": ["law"], "answers": ["Thirty days."], "answerable": True},
        {"id": "2", "question": "Who?", "answerable": False},
    ]
    gold = chunks.questions(given, DOCS)
    assert (gold["1"].tags, gold["2"].needs) == (("law",), ())
    path = tmp_path / "q.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in given))
    assert [topic.title for topic in read_topics(path)] == ["How long?", "Who?"]
    with pytest.raises(FormatError, match="needs of a question that is not answerable"):
        chunks.questions([{**GOOD_QUESTION, "answerable": False}], DOCS)


def test_all_fields_of_chunks_are_read(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    record = {
        "id": "1",
        "doc": "a",
        "start": 0,
        "end": 11,
        "text": "Thirty days",
        "tokens": 2,
        "read": "Thirty days",
        "order": 1,
        "how": "exact",
        "share": 1.0,
        "ambiguous": False,
        "metadata": {"mood": "fine"},
    }
    path.write_text(json.dumps(record))
    assert read_chunks(path).ids == chunks.read_chunks(path, DOCS).ids == ("1",)


def test_properties_of_others_in_annotations_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{**ANNOTATION, "dcterms:subject": "x", "mood": "fine"}]))
    assert [said.highlights for said in annotated(path)] == [((0, 3),)]


def test_the_command_line_tells_a_misspelt_field_of_gold(tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text(json.dumps({"id": "a", "text": DOCS["a"]}))
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps(question({"doc": "a", "qoute": "Thirty days"})))
    out = tmp_path / "judged.jsonl"
    arguments = ["chunks", "gold", path, "--docs", tmp_path / "docs.jsonl", "--out", out]
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code == 1 and not out.exists()
    assert "unknown field 'qoute'" in result.stderr and "did you mean quote?" in result.stderr
