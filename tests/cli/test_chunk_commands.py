"""The commands of `doxeval chunks` that cut, search, compare and rewrite."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import doxeval

HANDBOOK = """# Delivery

## Times

Orders that reach us before noon leave the warehouse on the same day. All other orders leave on the
next working day. A parcel within the country is on its way for one or two days.

## Cost

Delivery costs 4 euros. Orders above 50 euros are delivered free of charge.
"""
QUESTIONS = [
    ("1", "What does delivery cost?", "Delivery costs 4 euros.", "cost"),
    ("2", "How long is a parcel on its way?", "A parcel within the country is on its way", "time"),
    ("3", "When do orders leave the warehouse?", "Orders that reach us before noon", "time"),
]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("handbook").mkdir()
    Path("handbook/delivery.md").write_text(HANDBOOK)
    lines = [
        {
            "id": name,
            "question": question,
            "needs": [{"spans": [{"doc": "delivery", "quote": quote}]}],
            "tags": [tag],
        }
        for name, question, quote, tag in QUESTIONS
    ]
    Path("q.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def run(*arguments: str) -> Any:
    result = doxeval("chunks", *arguments)
    assert result.exit_code == 0, result.stderr
    return result


def test_try_needs_nothing_but_documents_and_questions(work: Path) -> None:
    result = run("try", "handbook", "q.jsonl", "--budget", "80", "--report", "r.html")
    for word in ("recursive:800:0", "sections", "bR@20", "U@80", "lost by cutting", "best: "):
        assert word in result.stdout
    assert Path("r.html").exists()
    rows = json.loads(
        run("try", "handbook", "q.jsonl", "--by", "sentences:1:0", "--format", "json").stdout
    )
    assert [row["cut"] for row in rows] == ["sentences:1:0"]


def test_the_way_from_a_cut_to_scores(work: Path) -> None:
    run("cut", "handbook", "--by", "sentences:1:0", "--by", "words:10:0", "--out", "cuts")
    assert json.loads(Path("cuts/words-10-0.jsonl").read_text().splitlines()[0])["text"]
    limits = run("limits", "cuts/sentences-1-0.jsonl", "-g", "q.jsonl", "--docs", "handbook")
    assert "paragraphs" in limits.stdout
    told = run("limits", "cuts/sentences-1-0.jsonl", "cuts/words-10-0.jsonl", "-g", "q.jsonl")
    assert "not known without the documents: --docs" in told.stderr
    found = json.loads(
        run("limits", "cuts/sentences-1-0.jsonl", "-g", "q.jsonl", "--docs", "handbook",
            "--format", "json").stdout
    )  # fmt: skip
    assert found["sentences-1-0"]["intact"] == 1

    run("search", "cuts/sentences-1-0.jsonl", "q.jsonl", "--out", "run.jsonl", "-k", "3")
    run("rewrite", "run.jsonl", "--chunks", "cuts/sentences-1-0.jsonl", "--docs", "handbook",
        "--expand", "1", "--join", "--dedupe", "--budget", "30", "--out", "wide.jsonl")  # fmt: skip
    scores = run("evaluate", "run.jsonl", "wide=wide.jsonl", "-g", "q.jsonl", "--docs", "handbook",
                 "--chunks", "cuts/sentences-1-0.jsonl", "--by", "tag")  # fmt: skip
    for word in ("bR@1000", "oracle (greedy)", "read with 5 results", "mean of tags", "wide"):
        assert word in scores.stdout


def test_scores_may_fail_a_build(work: Path) -> None:
    run("cut", "handbook", "--by", "sentences:1:0", "--out", "cuts")
    run("search", "cuts/sentences-1-0.jsonl", "q.jsonl", "--out", "run.jsonl")
    scored = ("evaluate", "run.jsonl", "-g", "q.jsonl", "--docs", "handbook")
    run(*scored, "--fail-under", "bR@1000=.5", "--out", "last.json", "--format", "json")
    again = ("--baseline", "last.json", "--max-drop", ".01", "--junit", "j.xml")
    run(*scored, *again)
    Path("empty.jsonl").write_text('{"topic": "1", "doc": "delivery", "start": 0, "end": 5}\n')
    failed = doxeval(
        "chunks", "evaluate", "bm25=empty.jsonl", "-g", "q.jsonl", "--docs", "handbook", *again
    )
    assert failed.exit_code == 1
    assert "<failure" in Path("j.xml").read_text()


def test_runs_may_name_chunks(work: Path) -> None:
    run("cut", "handbook", "--by", "paragraphs", "--out", "cuts")
    Path("ids.jsonl").write_text('{"topic": "1", "chunk": "delivery#5", "run": "ids"}\n')
    result = run("evaluate", "ids.jsonl", "-g", "q.jsonl", "--chunks", "cuts/paragraphs.jsonl")
    assert "ids" in result.stdout
    wrong = doxeval("chunks", "evaluate", "ids.jsonl", "-g", "q.jsonl", "--docs", "handbook")
    assert wrong.exit_code == 1
    assert "--chunks names the chunk file" in wrong.stderr
    Path("ids.jsonl").write_text('{"topic": "1", "chunk": "delivery#99"}\n')
    wrong = doxeval(
        "chunks", "evaluate", "ids.jsonl", "-g", "q.jsonl", "--chunks", "cuts/paragraphs.jsonl"
    )
    assert "ids.jsonl:1" in wrong.stderr.replace(", line ", ":") or "line 1" in wrong.stderr
    assert "no chunk 'delivery#99'" in wrong.stderr


def test_a_tree_of_chunks_is_a_collection(work: Path) -> None:
    lines = [
        {"id": "all", "doc": "delivery", "start": 0, "end": len(HANDBOOK)},
        {"id": "one", "doc": "delivery", "start": 0, "end": 20, "parent": "all"},
        {"id": "two", "doc": "delivery", "start": 22, "end": 90, "parent": "all"},
    ]
    Path("tree.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    Path("ids.jsonl").write_text('{"topic": "1", "chunk": "two"}\n')
    run("tree", "tree.jsonl", "--docs", "handbook", "--out", "c", "--run", "ids.jsonl",
        "--run-out", "elements.jsonl")  # fmt: skip
    assert "/document[1]/chunk[1]/chunk[2]" in Path("elements.jsonl").read_text()
    shown = doxeval("collection", "show", "c", "delivery")
    assert "chunk[2]" in shown.stdout
    built = doxeval("collection", "build", "handbook", "--chunks", "tree.jsonl", "--out", "e")
    assert built.exit_code == 0, built.stderr
    assert doxeval("collection", "show", "e", "delivery").stdout == shown.stdout
    refused = doxeval(
        "collection", "build", "handbook", "--chunks", "tree.jsonl", "--id", "path", "--out", "f"
    )
    assert "--id has no effect with --chunks" in refused.stderr
    lines[1]["end"] = 30
    Path("tree.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    wrong = doxeval("chunks", "tree", "tree.jsonl", "--docs", "handbook", "--out", "d")
    assert wrong.exit_code == 1
    assert "'one' [0, 30) and 'two' [22, 90) overlap" in wrong.stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("cut", "handbook", "--by", "word:5", "--out", "x"), "did you mean words"),
        (("cut", "nowhere", "--by", "words:5", "--out", "x"), "no such file"),
        (("rewrite", "q.jsonl", "--chunks", "q.jsonl", "--out", "x"), "give --expand"),
        (("limits", "q.jsonl", "-g", "q.jsonl"), "q.jsonl"),
        (("search", "none.jsonl", "q.jsonl", "--out", "x"), "none.jsonl"),
        (("try", "handbook", "q.jsonl", "--search", "bm52"), "did you mean bm25"),
    ],
)
def test_mistakes_are_told_without_a_traceback(
    work: Path, arguments: tuple[str, ...], why: str
) -> None:
    result = doxeval("chunks", *arguments)
    assert result.exit_code in (1, 2)
    assert why in result.stderr
    assert "Traceback" not in result.stderr
