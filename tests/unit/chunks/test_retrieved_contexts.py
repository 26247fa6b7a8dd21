"""Contexts that other programs retrieved: located in the documents, as a run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from doxeval import chunks
from doxeval.errors import FormatError, InputError, MissingInput, SourceError
from helpers import doxeval, write_files

TERMS = "Thirty days. Unused goods only. Ask us first. Unused goods only."
DOCS = {"terms": TERMS, "faq": "Parcels are free. Ask us first."}
SAMPLE = {"user_input": "How long?", "retrieved_contexts": ["Unused  goods only.", "Thirty days."]}
RESULTS = {
    "results": [
        {
            "query_id": "q3",
            "query": "What first?",
            "retrieved_context": [
                {"doc_id": "faq", "text": "Ask us first."},
                {"doc_id": "000", "text": "Thirty days."},
            ],
        }
    ]
}


def places(run: Any) -> list[tuple[Any, ...]]:
    return [(one.topic, one.document, one.start, one.end) for one in run]


def test_contexts_of_ragas(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    write_files(tmp_path, {"s.jsonl": json.dumps(SAMPLE)})
    frame = pandas.DataFrame([SAMPLE])
    frame.to_csv(tmp_path / "s.csv", index=False)
    dumped = SimpleNamespace(samples=[SimpleNamespace(model_dump=lambda: SAMPLE)])
    earlier = [{"question": "How long?", "contexts": SAMPLE["retrieved_contexts"]}]
    for source in (tmp_path / "s.jsonl", tmp_path / "s.csv", frame, dumped, [SAMPLE], earlier):
        run = chunks.retrieved(source, DOCS)
        assert places(run) == [("1", "terms", 13, 31), ("1", "terms", 0, 12)]
        assert run.warnings == (
            "results that stand at several places, of which the first counts: 1",
        )


def test_contexts_of_ragchecker_stand_in_the_document_that_they_name() -> None:
    run = chunks.retrieved(RESULTS, DOCS)
    assert places(run) == [("q3", "faq", 18, 31), ("q3", "terms", 0, 12)]
    assert run.warnings == ()


def test_contexts_are_chunks_where_these_are_given() -> None:
    ask: dict[str, Any] = {"text": "Ask us first."}
    first, second = ask | {"id": "a", "doc": "terms"}, ask | {"id": "b", "doc": "faq", "tokens": 9}
    third = {"id": "c", "doc": "terms", "text": "Thirty days."}
    located = chunks.locate(DOCS, [first, second, third])
    run = chunks.retrieved(RESULTS, chunks=located)
    assert places(run) == [("q3", "faq", 18, 31), ("q3", "terms", 0, 12)]
    assert run.tokens is not None and run.tokens.tolist() == [9, -1]
    ids = [{"user_input": "?", "retrieved_context_ids": ["b", "faq"]}]
    assert places(chunks.retrieved(ids, chunks=located)) == [
        ("1", "faq", 18, 31),
        ("1", "faq", 0, 31),
    ]
    both = [{"user_input": "?", "retrieved_contexts": ["x"], "retrieved_context_ids": ["c"]}]
    assert places(chunks.retrieved(both, chunks=located)) == [("1", "(not found 1)", 0, 1)]


def test_what_is_not_found_counts_as_read() -> None:
    sample = {
        "id": "7",
        "user_input": "?",
        "retrieved_contexts": ["No such thing.", "Thirty days."],
    }
    run = chunks.retrieved([sample, SAMPLE | {"retrieved_contexts": []}], DOCS)
    assert [one[1] for one in places(run)] == ["(not found 1)", "terms"]
    assert "questions for which nothing was returned: 2" in run.warnings
    assert "1 result not found in the documents" in run.warnings[1]
    gold = [{"topic": "7", "doc": "terms", "start": 0, "end": 12}]
    table = chunks.evaluate(run, chunks.questions(gold, DOCS), ["cP@2"], docs=DOCS)
    assert table["retrieved"]["cP@2"] == pytest.approx(12 / (12 + 14))


def test_topics_have_the_ids_of_the_same_questions() -> None:
    asked = {"q9": "How\nlong?", "q3": "Else?", "1": "Never asked"}
    run = chunks.retrieved([SAMPLE], DOCS, questions=asked, k=1)
    assert places(run) == [("q9", "terms", 13, 31)]
    assert run.warnings[-1] == "questions for which the file has nothing: q3, 1"
    run = chunks.retrieved([SAMPLE | {"id": "x"}], DOCS, questions={"q3": "Else?"})
    assert "questions= has none of these questions of the file: x" in run.warnings
    with pytest.raises(InputError, match="two questions of the file are question 'q9'"):
        chunks.retrieved([SAMPLE, SAMPLE], DOCS, questions=asked)
    with pytest.raises(InputError, match="no texts of questions"):
        judged = [{"topic": "7", "doc": "terms", "start": 0, "end": 12}]
        chunks.retrieved([SAMPLE], DOCS, questions=judged)


def test_looking_up_all_at_once_finds_the_same_as_one_by_one() -> None:
    texts = ["Unused goods only.", "ask us FIRST", "Parcels are free. Ask", "", "None", "days. Unu"]
    together = chunks.retrieved([{"user_input": "?", "retrieved_contexts": texts}], DOCS)
    alone = [
        chunks.retrieved([{"user_input": "?", "retrieved_contexts": [text]}], DOCS)
        for text in texts
    ]
    # Texts that stand in no document are numbered in each run.
    numbered = [re.sub(r"not found \d", "not found", str(place)) for place in places(together)]
    single = [str(place) for run in alone for place in places(run)]
    assert numbered == [re.sub(r"not found \d", "not found", place) for place in single]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([SAMPLE | {"retrieved_contexts": 7}], "retrieved_contexts is 7: expected a list of texts"),
        ([SAMPLE | {"retrieved_contexts": [7.5]}], "expected a list of texts"),
        ([SAMPLE | {"user_input": [{"content": "x"}]}], "a sample of one turn"),
        ([SAMPLE | {"retrieved_context_ids": ["1"]}], "2 retrieved_contexts, but 1 retrieved_con"),
        ([SAMPLE | {"id": 1}, SAMPLE | {"id": 1}], "record 2: there are two questions '1'"),
        ([{"user_input": "?", "retrieved_context_ids": ["x"]}], "expected the id of a chunk"),
        ([{"user_input": "?", "reference_contexts": ["x"]}], "expected samples of ragas"),
        ([], "expected samples of ragas"),
        ({"results": [{"query": "?", "retrieved_context": "x"}]}, "expected a list in JSON"),
        ({"results": [{"query": "?", "retrieved_context": [{}]}]}, "no text in the record"),
        ("no/such.jsonl", "no such file or directory"),
        (7, "7: expected a file, a data frame or records"),
    ],
)
def test_wrong_contexts_are_told(source: Any, message: str) -> None:
    with pytest.raises((FormatError, SourceError, InputError)) as caught:
        chunks.retrieved(source, DOCS)
    assert message in str(caught.value)
    with pytest.raises(MissingInput, match="docs= is needed"):
        chunks.retrieved([SAMPLE])


# The command


def test_the_command_makes_a_run_that_can_be_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    need = {"spans": [{"doc": "terms", "quote": "Thirty days."}]}
    asked = {"id": "q1", "question": "How long?", "needs": [need]}
    records = [{"id": name, "text": text} for name, text in DOCS.items()]
    docs = "".join(json.dumps(one) + "\n" for one in records)
    files = {"docs.jsonl": docs, "q.jsonl": json.dumps(asked), "s.jsonl": json.dumps(SAMPLE)}
    write_files(tmp_path, files)
    words = ("chunks", "retrieved", "s.jsonl", "--docs", "docs.jsonl")
    found = doxeval(*words, "--questions", "q.jsonl", "--out", "run.jsonl")
    assert found.exit_code == 0, found.stderr
    assert found.stdout == "run.jsonl: 2 results for 1 question, 0 of them not found\n"
    assert json.loads(Path("run.jsonl").read_text().splitlines()[0])["run"] == "run"
    score = ("chunks", "evaluate", "run.jsonl", "-g", "q.jsonl", "--docs", "docs.jsonl")
    assert "1.0000" in doxeval(*score, "-m", "cR@2").stdout
    again = doxeval(*words, "--out", "run.jsonl")
    assert again.exit_code == 1 and "run.jsonl exists; --force replaces it" in again.stderr
    none = doxeval("chunks", "retrieved", "s.jsonl", "--out", "new.jsonl")
    assert none.exit_code == 2 and "give --docs" in none.stderr
    wrong = doxeval("chunks", "evaluate", "s.jsonl", "-g", "q.jsonl", "--docs", "docs.jsonl")
    assert wrong.exit_code == 1 and "`chunks retrieved` makes a run of them" in wrong.stderr


def test_the_command_refuses_contexts_of_other_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lost = SAMPLE | {"retrieved_contexts": ["Quite another text.", "And one more.", "Thirty days."]}
    write_files(tmp_path, {"terms.md": TERMS, "s.jsonl": json.dumps(lost)})
    words = ("chunks", "retrieved", "s.jsonl", "--docs", "terms.md", "--out", "run.jsonl")
    found = doxeval(*words)
    assert found.exit_code == 1 and not Path("run.jsonl").exists()
    assert "33% of 3 contexts located; are these the same texts?" in found.stderr
    assert doxeval(*words, "--max-missing", "2").exit_code == 0
    write_files(tmp_path, {"s.jsonl": json.dumps(SAMPLE | {"retrieved_contexts": []})})
    empty = doxeval(*words, "--force")
    assert empty.exit_code == 1 and "nothing was retrieved for any question" in empty.stderr
