"""The plugin of pytest, as people use it."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import doxeval
from doxeval.chunks import scores_of_chunks
from doxeval.errors import InputError
from doxeval.pytest_plugin import doxeval_chunks

pytest_plugins = ["pytester"]
ROOT = Path(__file__).resolve().parents[3]

DOCS = {"terms": "Thirty days. Unused goods only.", "post": "Parcels take a week."}
QUESTIONS = [
    {
        "id": "q1",
        "question": "How long may I keep it?",
        "needs": [{"spans": [{"doc": "terms", "quote": "Thirty days"}]}],
    },
    {
        "id": "q2",
        "question": "How long does a parcel take?",
        "needs": [{"spans": [{"doc": "post", "quote": "a week"}]}],
    },
]
JUDGED = [
    {"topic": "q1", "doc": "terms", "start": 0, "end": 11},
    {"topic": "q2", "doc": "post", "start": 13, "end": 19},
]
RETRIEVER = """
def retriever(question):
    return ["Parcels take a week."] if "parcel" in question else ["Thirty days."]
"""


def lines(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.fixture(autouse=True)
def this_doxeval(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes import the doxeval that is tested here, and no other plugins."""
    monkeypatch.setenv("PYTHONPATH", str(Path(doxeval.__file__).parents[1]))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture
def folder(pytester: pytest.Pytester) -> pytest.Pytester:
    for name, text in DOCS.items():
        path = pytester.path / "docs" / f"{name}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (pytester.path / "questions.jsonl").write_text(lines(QUESTIONS))
    (pytester.path / "judged.jsonl").write_text(lines(JUDGED))
    return pytester


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run pytest with the plugin that is tested here, not the one of an installed doxeval."""
    return pytester.runpytest_subprocess("-p", "doxeval.pytest_plugin", *arguments)


def test_pytest_finds_it() -> None:
    """The project declares it; that an installation does is up to the installer."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert declared["entry-points"]["pytest11"] == {"doxeval": doxeval_chunks.__module__}


def test_a_retriever_is_scored(folder: pytest.Pytester) -> None:
    folder.makepyfile(
        RETRIEVER
        + """
def test_good(doxeval_chunks):
    scores = doxeval_chunks("questions.jsonl", retriever, docs="docs")
    assert scores["bR@1000"] == 1
    assert scores.topics["q2"]["all@5"] == 1

def test_bad(doxeval_chunks):
    scores = doxeval_chunks("questions.jsonl", lambda _: ["Unused goods only."], docs="docs")
    assert scores["bR@1000"] >= 0.85

async def asked(question):
    return retriever(question)

def test_async(doxeval_chunks):
    found = doxeval_chunks("questions.jsonl", asked, docs="docs", measures="hit@1", k=1)
    assert dict(found) == {"hit@1": 1.0}
"""
    )
    result = run(folder)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*assert 0.0 >= 0.85*"])


def test_gates_name_the_questions_that_fell(folder: pytest.Pytester) -> None:
    tagged = [{**question, "tags": ["returns"]} for question in QUESTIONS]
    (folder.path / "questions.jsonl").write_text(lines(tagged))
    folder.makepyfile(
        RETRIEVER
        + """
def test_good(doxeval_chunks):
    doxeval_chunks("questions.jsonl", retriever, docs="docs", fail_under={"hit@3": 0.9},
                   out="last.json")

def test_bad(doxeval_chunks):
    doxeval_chunks("questions.jsonl", lambda _: ["Thirty days."], docs="docs",
                   fail_under={"hit@3": 0.9}, baseline="last.json", max_drop="1%",
                   measures="hit@3", junit="checks.xml")

def test_wrong(doxeval_chunks):
    doxeval_chunks("questions.jsonl", retriever, docs="docs", significant=True)

def test_replacing(doxeval_chunks):
    doxeval_chunks("questions.jsonl", retriever, docs="docs", baseline="last.json", max_drop=.01,
                   out="last.json")

def test_budget(doxeval_chunks):
    scores = doxeval_chunks("questions.jsonl", retriever, docs="docs", budget=8, k=1,
                            fail_under={"hit@3": 0.9, "bR@8": 0.9})
    assert list(scores)[:3] == ["bR@1", "bR@2", "bR@4"] and list(scores)[-1] == "hit@3"
"""
    )
    result = run(folder)
    result.assert_outcomes(passed=2, failed=3)
    result.stdout.fnmatch_lines(
        [
            "*hit@3 is 0.5000, 0.4000 below the limit of 0.9*",
            "*q2 (returns): 0.0000*",
            "*hit@3 dropped by 0.5000 from 1.0000 to 0.5000 on 2 topics; 1% is allowed*",
            "*q2 (returns): from 1.0000 to 0.0000*",
            "*max_drop and significant go with baseline*",
            "*out= would replace the baseline even if the scores have dropped*",
        ]
    )
    checks = (folder.path / "checks.xml").read_text()
    assert 'name="hit@3, drop since the baseline, q2 (returns)"' in checks


def test_what_all_tests_share_may_be_configured(folder: pytest.Pytester) -> None:
    folder.makeini("[pytest]\ndoxeval_docs = docs\ndoxeval_questions = questions.jsonl\n")
    folder.makepyfile(
        RETRIEVER
        + """
def test_retrieval(doxeval_chunks):
    assert doxeval_chunks("judged.jsonl", retriever)["bR@1000"] >= .85
"""
    )
    run(folder).assert_outcomes(passed=1)


def test_a_run_is_scored_without_documents(folder: pytest.Pytester) -> None:
    (folder.path / "run.jsonl").write_text(lines(JUDGED[:1]))
    folder.makepyfile(
        """
def test_run(doxeval_chunks):
    scores = doxeval_chunks("judged.jsonl", "run.jsonl")
    assert scores["bR@1000"] == 0.5
    assert scores["bR@1000(unit=characters,fit=cut,resize=full)"] == 0.5
"""
    )
    run(folder).assert_outcomes(passed=1)


def test_a_mistake_fails_the_test_with_words(folder: pytest.Pytester) -> None:
    folder.makepyfile(
        """
def test_run(doxeval_chunks):
    doxeval_chunks("judged.jsonl", lambda question: [], docs="docs")
"""
    )
    result = run(folder)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*what is asked is not known for 2 of 2 questions*"])


def test_gold_that_is_not_found_fails_the_test(folder: pytest.Pytester) -> None:
    gone = {"spans": [{"doc": "post", "quote": "Parcels are quite expensive"}]}
    asked = [*QUESTIONS, {"id": "q3", "question": "What does it cost?", "needs": [gone]}]
    (folder.path / "questions.jsonl").write_text(lines(asked))
    folder.makepyfile(
        RETRIEVER
        + """
def test_strict(doxeval_chunks):
    assert doxeval_chunks("questions.jsonl", retriever, docs="docs")["bR@1000"] == 1

def test_lax(doxeval_chunks):
    scores = doxeval_chunks("questions.jsonl", retriever, docs="docs", max_missing=1)
    assert scores["bR@1000"] == 1
    missing = "question q3: not found in post: 'Parcels are quite expensive'"
    assert any(warning.startswith(missing) for warning in scores.warnings)
"""
    )
    result = run(folder)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["*1 of 3 quotes not found; max_missing=*", "*question q3: not found in post*"]
    )
    folder.makeini("[pytest]\ndoxeval_max_missing = 34%\n")
    run(folder).assert_outcomes(passed=2)


def test_scores_without_any_gold_are_an_error() -> None:
    asked = [{"id": "1", "question": "?", "needs": [], "not_relevant": ["post"]}]
    with pytest.raises(InputError, match="scores are not defined: no question has gold"):
        scores_of_chunks(asked, lambda question: [], docs=DOCS)


def test_documents_are_asked_for() -> None:
    with pytest.raises(InputError, match="docs= is needed: the documents in which the gold"):
        scores_of_chunks(QUESTIONS, lambda question: [])


def test_whoever_does_not_use_it_does_not_wait_for_it() -> None:
    """Loading the plugin imports nothing of size."""
    code = (
        "import sys, pytest; import doxeval.pytest_plugin; "
        "print([name for name in ('numpy', 'click', 'doxeval.chunks') if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n"


def test_results_with_another_text_than_their_chunk_are_scored_by_it(tmp_path: Path) -> None:
    located = doxeval.chunks.locate(DOCS, [{"id": "c", "doc": "terms", "text": DOCS["terms"]}])
    item = {"id": "c", "text": "Unused goods only."}
    scores = scores_of_chunks(QUESTIONS[:1], lambda _: [item], docs=DOCS, chunks=located)
    assert scores["bR@500"] == 0
    record = {"topic": "q1", "chunk": "c", "text": "Unused goods only."}
    (tmp_path / "run.jsonl").write_text(lines([record]))
    run = tmp_path / "run.jsonl"
    assert scores_of_chunks(QUESTIONS[:1], run, docs=DOCS, chunks=located)["bR@500"] == 0
    (tmp_path / "run.jsonl").write_text(lines([record | {"text": DOCS["terms"]}]))
    assert scores_of_chunks(QUESTIONS[:1], run, docs=DOCS, chunks=located)["bR@500"] == 1
