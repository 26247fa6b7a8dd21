"""Records in which anything is wrong: an error of ours, or a result, but no other exception."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from doxeval import chunks
from doxeval.errors import DoxevalError
from helpers import write_files

DOCS = {"terms": "Thirty days. Unused goods only. Ask us first.", "faq": "Parcels are free."}
ANSWER = {"start_byte": 1, "end_byte": 4, "start_token": 1, "end_token": 2}
PARAGRAPH = {"title": "Oak", "paragraph_text": "Thirty days.", "is_supporting": True}
SPLIT = {"text": ["Thirty"], "answer_start": [0]}
QUESTIONS: dict[str, Any] = {
    "own": [{"id": "1", "question": "?", "tags": ["a"], "needs": [
        {"id": "n", "spans": [{"doc": "terms", "start": 0, "end": 6, "quote": "Thirty"}]}
    ]}],
    "judged": [{"topic": "7", "doc": "terms", "start": 0, "end": 3, "need": "a", "grade": 2}],
    "chroma": [{"question": "?", "corpus_id": "terms", "references": [
        {"content": "Thirty days.", "start_index": 0, "end_index": 12}
    ]}],
    "legalbench": {"tests": [{"query": "?", "tags": ["a"], "snippets": [
        {"file_path": "terms", "span": [0, 6], "answer": "Thirty"}
    ]}]},
    "hicbench": [{"input": "?", "evidences": ["Thirty days."], "_id": "terms"}],
    "ragas": [{"user_input": "?", "reference_contexts": ["Thirty days."]}],
    "squad": {"data": [{"title": "terms", "paragraphs": [{"context": "Thirty days.", "qas": [
        {"id": "s", "question": "?", "answers": [{"text": "days", "answer_start": 7}]}
    ]}]}]},
    "flat squad": [{"id": "s", "title": "terms", "context": "Thirty", "question": "?",
                    "answers": SPLIT}],
    "qasper": {"terms": {"title": "T", "qas": [{"question": "?", "question_id": "x", "answers": [
        {"answer": {"evidence": ["Thirty days."]}}
    ]}], "full_text": [{"section_name": "M", "paragraphs": ["Thirty days."]}]}},
    "hotpot": [{"_id": "h", "question": "?", "context": [["terms", ["Thirty days."]]],
                "supporting_facts": [["terms", 0]]}],
    "hotpot by fields": [{"id": "h", "question": "?",
                          "context": {"title": ["terms"], "sentences": [["Thirty days."]]},
                          "supporting_facts": {"title": ["terms"], "sent_id": [0]}}],
    "musique": [{"id": "m", "question": "?", "paragraphs": [PARAGRAPH]}],
    "natural questions": [{"example_id": "n", "question_text": "?", "document_html": "<p>é</p>",
                           "annotations": [{"long_answer": ANSWER, "short_answers": [ANSWER]}]}],
    "nested": [{"id": "n", "question": {"text": "?"}, "document": {"html": "<p>é</p>", "url": "u"},
                "annotations": {"long_answer": [ANSWER], "short_answers": [
                    {"start_byte": [1], "end_byte": [4]}]}}],
    "tokens": [{"example_id": "n", "question_text": "?", "document_text": "a b c",
                "annotations": [{"long_answer": ANSWER, "short_answers": [ANSWER]}]}],
    "multihop": [{"query": "?", "evidence_list": [{"title": "x", "url": "u", "fact": "Thirty"}]}],
    "autorag": [{"qid": "a", "query": "?", "retrieval_gt": [["terms"]]}],
}  # fmt: skip
CHUNKS: dict[str, Any] = {
    "store": {"ids": ["1", "2"], "documents": ["Thirty days.", "Ask us first."],
              "metadatas": [{"start_index": 0, "corpus_id": "terms"}, {"source": "terms"}]},
    "records": [{"text": "Thirty days.", "metadata": {"source": "terms", "page": 1}}],
    "by document": {"terms": ["Thirty days.", ["Ask us first.", [32, 45]]]},
    "splits": {"terms": {"splits": [["Thirty", 1], ["days.", 2]]}},
    "ranges": [{"id": "1", "doc": "terms", "spans": [[0, 3]], "tokens": 3, "parent": "1"}],
    "autorag": [{"doc_id": "c", "contents": "Ask us first.", "path": "/raw/terms.md",
                 "start_end_idx": [32, 44], "metadata": {"page": -1}}],
    "segments": [{"docid": "terms#1", "segment": "Thirty", "start_char": 0, "end_char": 6}],
}  # fmt: skip
CONTEXTS: dict[str, Any] = {
    "ragas": [{"id": "1", "user_input": "?", "retrieved_contexts": ["Thirty days.", "Ask us"],
               "retrieved_context_ids": ["1", "2"]}],
    "earlier ragas": [{"question": "?", "contexts": ["Thirty days."]}],
    "RAGChecker": {"results": [{"query_id": "q", "query": "?", "retrieved_context": [
        {"doc_id": "terms", "text": "Ask us first."}
    ]}]},
}  # fmt: skip
WRONG: list[Any] = [
    None, True, 0, -1, 3, 1.5, float("nan"), float("inf"), 10**30, "", "x", "terms", "Thirty", [],
    {}, [None], [[]], {"a": 1}, ["x"], [1, 2], [[1, 2]], [["x", 1]], "\ud800", "\x00",
]  # fmt: skip
TRIES = 100
COPIES: list[Any] = ["same", "place"]


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to each value inside a value."""
    inner: Any = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value) if isinstance(value, list) else inner
    return [at] * bool(at) + [way for key, one in inner for way in places(one, (*at, key))]


def damaged(value: Any, chance: Random) -> Any:
    """The value with something else, or nothing, in one or two places."""
    value = copy.deepcopy(value)
    for _ in range(chance.choice((1, 1, 2))):
        ways = places(value)
        if not ways:
            return value
        *way, last = chance.choice(ways)
        inside = value
        for key in way:
            inside = inside[key]
        if chance.random() < 0.25:
            del inside[last]
        else:
            inside[last] = copy.deepcopy(chance.choice(WRONG))
    return value


@pytest.mark.parametrize("name", QUESTIONS)
def test_questions(name: str) -> None:
    assert chunks.questions(QUESTIONS[name], DOCS, max_missing="100%").texts, "the good one is read"
    chance, done = Random(name), 0
    for _ in range(TRIES):
        value = damaged(QUESTIONS[name], chance)
        try:
            gold = chunks.questions(value, DOCS, chance.choice(COPIES), "100%")
            assert gold.report() and gold.assessments is not None
            done += len(list(gold.lines()))
        except DoxevalError as error:
            assert str(error)
    assert done, "some are read in spite of it"


def as_source(value: Any, directory: Path) -> Any:
    """A list as it is, everything else in a file: a dict would have texts by id."""
    if isinstance(value, list):
        return value
    return write_files(directory, {"questions.json": json.dumps(value)}) / "questions.json"


@pytest.mark.parametrize("name", QUESTIONS)
def test_documents_of_questions(name: str, tmp_path: Path) -> None:
    chance = Random(name)
    for _ in range(TRIES):
        try:
            assert len(chunks.documents(as_source(damaged(QUESTIONS[name], chance), tmp_path))) >= 0
        except DoxevalError as error:
            assert str(error)


@pytest.mark.parametrize("name", CHUNKS)
def test_chunks(name: str) -> None:
    assert len(chunks.locate(DOCS, CHUNKS[name], max_missing=0))
    chance, done = Random(name), 0
    for _ in range(TRIES):
        value = damaged(CHUNKS[name], chance)
        order: Any = chance.choice(["list", "none"])
        try:
            located = chunks.locate(DOCS, value, order=order, max_missing="100%")
            done += len(list(located.records()))
        except DoxevalError as error:
            assert str(error)
    assert done, "some are located in spite of it"


@pytest.mark.parametrize("name", CONTEXTS)
def test_contexts(name: str) -> None:
    assert len(chunks.retrieved(CONTEXTS[name], DOCS))
    chance, done = Random(name), 0
    for _ in range(TRIES):
        try:
            done += len(chunks.retrieved(damaged(CONTEXTS[name], chance), DOCS))
        except DoxevalError as error:
            assert str(error)
    assert done, "some are found in spite of it"
