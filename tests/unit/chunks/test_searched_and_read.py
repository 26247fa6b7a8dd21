"""What is searched is not what is read: windows, parents, contexts in front; hits of stores."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from doxeval import chunks
from doxeval.chunks import Chunks
from doxeval.errors import DoxevalError, InputError, MissingInput
from doxeval.runs import is_not_found, read_run, write_run
from doxeval.runs import read_chunks as read_table

TEXT = (
    "Fog came in from the sea. A horn was heard twice.\n\nNobody answered it. The lamp was out. "
    "In the morning they counted the boats."
)
DOCS = chunks.documents({"guide/a": TEXT})
SENTENCES = [
    *("Fog came in from the sea.", "A horn was heard twice.", "Nobody answered it."),
    *("The lamp was out.", "In the morning they counted the boats."),
]
FIRST, SECOND = TEXT[:49], TEXT[51:]
CONTEXT = "This part of the log of a harbour tells of a horn in the night."
HORN = {"id": "7", "question": "What was heard?",
        "needs": [{"spans": [{"doc": "guide/a", "quote": SENTENCES[1]}]}]}  # fmt: skip


def parents() -> list[dict[str, Any]]:
    """Each sentence is searched, and the paragraph around it is read."""
    return [
        {"id": f"c{row}", "doc": "guide/a", "text": sentence, "read": (FIRST, SECOND)[row > 1]}
        for row, sentence in enumerate(SENTENCES)
    ]


def places(run: Any) -> list[tuple[Any, ...]]:
    return [(result.document, result.start, result.end) for result in run]


def test_spans_are_of_what_is_read_and_search_is_in_what_is_searched() -> None:
    located = chunks.locate(DOCS, parents())
    assert located.spans.as_tuples() == [((0, 49),)] * 2 + [((51, len(TEXT)),)] * 3
    assert located.searched == tuple(SENTENCES) and located.texts[0] == FIRST
    run = chunks.search(located, {"7": "a horn", "8": "boats"})
    assert places(run) == [("guide/a", 0, 49), ("guide/a", 51, len(TEXT))]
    embedded: list[str] = []

    def embed(texts: list[str]) -> list[list[float]]:
        embedded.extend(texts)
        return [[float("horn" in text)] for text in texts]

    dense = chunks.search(located, {"7": "horn"}, chunks.dense(embed), k=1)
    assert places(dense) == [("guide/a", 0, 49)] and embedded[:5] == SENTENCES


def test_parents_that_come_again_are_left_out_by_dedupe() -> None:
    located = chunks.locate(DOCS, parents())
    run = chunks.search(located, {"7": "fog horn lamp"})
    assert len(run) == 3 and places(run.dedupe()) == list(dict.fromkeys(places(run)))


def test_files_keep_what_is_searched_and_what_is_read(tmp_path: Path) -> None:
    records = [*parents(), {"id": "x", "doc": "guide/a", "text": f"{CONTEXT}\n{FIRST}"}]
    located = chunks.locate(DOCS, records)
    located.write(tmp_path / "located.jsonl")
    again = chunks.read_chunks(tmp_path / "located.jsonl", DOCS)
    assert again.searched == located.searched and again.read == located.read
    assert again.spans.as_tuples() == located.spans.as_tuples()
    assert again.added.tolist() == located.added.tolist() == [0] * 5 + [len(CONTEXT)]
    assert read_table(tmp_path / "located.jsonl").added.tolist() == again.added.tolist()
    questions = {"7": "a horn in the log", "8": "boats"}
    assert chunks.search(again, questions) == chunks.search(located, questions)
    for known in (located, again):  # by what is searched or by what is read
        for text in (SENTENCES[1], FIRST):
            item = {"id": "c1", "text": text}
            run = chunks.retrieve(lambda _, item=item: [item], {"7": "?"}, known)
            assert places(run) == [("guide/a", 0, 49)] and run.warnings == ()


def test_a_context_in_front_is_searched_costs_and_shows_nothing(tmp_path: Path) -> None:
    located = chunks.locate(DOCS, {"guide/a": [f"{CONTEXT}\n\n{FIRST}", SECOND]})
    assert located.spans.as_tuples()[0] == ((0, 49),)
    assert located.added.tolist() == [len(CONTEXT), 0]
    run = chunks.search(located, {"7": "harbour"})
    assert places(run) == [("guide/a", 0, 49)]
    gold = chunks.questions([HORN], DOCS)
    words = -(-len(CONTEXT) // 5)
    scores = chunks.evaluate(run, gold, ["read@1", "bR@5", f"bR@{words + 13}"], chunks=located)
    assert scores.mean()["bm25"] == {"read@1": words + 13, "bR@5": 0, f"bR@{words + 13}": 1}
    inner = chunks.evaluate(run, gold, ["read@1"], chunks=located, unit="characters")
    assert inner["bm25"]["read@1"] == len(CONTEXT) + 49
    write_run(run, tmp_path / "run.jsonl")
    assert read_run(tmp_path / "run.jsonl") == run
    assert len(run.budget(words)) == 0 and places(run.budget(words + 2)) == [("guide/a", 0, 9)]
    oracle = chunks.oracle(located, gold, unit="characters")
    assert oracle.added is not None and oracle.added.tolist() == [len(CONTEXT)]


def test_chunks_that_were_not_located_are_read_and_show_nothing() -> None:
    records = [*parents()[:4], {"id": "no", "doc": "guide/a", "text": "Whales were never seen."}]
    located = chunks.locate(DOCS, records)
    run = chunks.search(located, {"7": "whales"})
    (result,) = run
    assert is_not_found(result.document) and (result.start, result.end) == (0, 23)
    assert len(run.expand(1)) == 1
    by_id = chunks.retrieve(lambda _: ["no"], {"7": "?"}, located)
    assert is_not_found(by_id.result(0).document) and by_id.result(0).end == 23


def test_an_extract_of_a_known_chunk_is_several_spans_of_it() -> None:
    whole = [{"id": "a", "doc": "guide/a", "text": TEXT}]
    located = chunks.locate(DOCS, whole)
    text = f"{SENTENCES[0]} {SENTENCES[2]} In short, all was well."
    run = chunks.retrieve(lambda _: [{"id": "a", "text": text}], {"7": "?"}, located)
    assert run.result(0).spans == ((0, 25), (51, 70))
    assert run.result(0).added == len("In short, all was well.")
    assert "1 result has text that is in no document, which is read and not relevant" in (
        run.warnings
    )


def test_results_with_one_text_are_the_chunks_with_that_text_one_by_one() -> None:
    docs = chunks.documents({"a": "See the notes. Fog. See the notes. Horns."})
    located = chunks.split(docs, "sentences:1:0")
    both = chunks.retrieve(lambda _: ["See the notes."] * 2, {"7": "?"}, located)
    assert places(both) == [("a", 0, 14), ("a", 20, 34)] and both.warnings == ()
    single = chunks.retrieve(lambda _: ["See the notes."], {"7": "?"}, located)
    assert any("stand at several places" in warning for warning in single.warnings)


def test_wrong_fields_are_told(tmp_path: Path) -> None:
    with pytest.raises(DoxevalError, match="read is 7: expected the text that is read"):
        chunks.locate(DOCS, [{"text": "x", "read": 7}])
    path = tmp_path / "chunks.jsonl"
    path.write_text('{"id": "1", "doc": "a", "start": 0, "end": 2, "added": -1}\n')
    with pytest.raises(DoxevalError, match="jsonl:1: added is -1: expected a whole number"):
        read_table(path)
    context = {"id": "x", "doc": "guide/a", "text": f"{CONTEXT}\n{FIRST}"}
    chunks.locate(DOCS, [context]).write(path)
    with pytest.raises(MissingInput, match="docs"):  # the text does not show the document
        chunks.chunks_with_texts(path)


# Hits of stores

HIT = {"text": SENTENCES[1], "doc": "guide/a", "chunk_id": "guide/a#2"}


def thing(**fields: Any) -> SimpleNamespace:
    return SimpleNamespace(**fields)


def qdrant(payload: dict[str, Any]) -> Any:
    return thing(id=1, version=0, score=0.5, payload=payload, vector=None)


def weaviate(properties: dict[str, Any], **metadata: float) -> Any:
    numbers = {"score": None, "certainty": None, "distance": None} | metadata
    return thing(uuid="0f", metadata=thing(**numbers), properties=properties, vector={})


NODE = {"id_": "guide/a#2", "text": SENTENCES[1], "metadata": {}, "start_char_idx": 26}
STORES: list[tuple[Any, float | None]] = [
    ({"ids": [["guide/a#2"]], "documents": None, "metadatas": None, "distances": None}, None),
    (
        {"ids": [["?"]], "documents": [[SENTENCES[1]]], "metadatas": [[{"source": "guide/a"}]],
         "distances": [[0.5]]},
        -0.5,
    ),
    ({"ids": ["guide/a#2"], "documents": [SENTENCES[1]], "metadatas": [None]}, None),
    ((np.array([[0.9, -3e38]], np.float32), np.array([[1, -1]])), 0.9),
    (([0.5], [1]), 0.5),
    (thing(points=[qdrant(HIT)]), 0.5),
    ([qdrant({"document": SENTENCES[1]})], 0.5),
    ([qdrant({"page_content": SENTENCES[1], "metadata": {"source": "guide/a"}})], 0.5),
    ([qdrant({"_node_content": json.dumps(NODE), "ref_doc_id": "guide/a"})], 0.5),
    ({"result": {"points": [{"id": 1, "score": 0.5, "payload": HIT}]}}, 0.5),
    (thing(objects=[weaviate(HIT, distance=0.25)]), -0.25),
    ([weaviate({"content": SENTENCES[1]}, score=2.0)], 2.0),
    ({"data": {"Get": {"Log": [HIT | {"_additional": {"id": "0f", "certainty": 0.75}}]}}}, 0.75),
    ({"context_windows": [SENTENCES[1]], "context_documents": [thing(content="?")]}, None),
    (thing(source_nodes=[thing(node=thing(text=SENTENCES[1], id_="guide/a#2"), score=1.0)]), 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "score"), STORES)
def test_hits_of_stores_are_chunks_with_scores(answer: Any, score: float | None) -> None:
    located = chunks.split(DOCS, "sentences:1:0")
    run = chunks.retrieve(lambda _: answer, {"7": "?"}, located)
    assert places(run) == [("guide/a", 26, 49)] and run.warnings == ()
    assert (None if run.score is None else run.score[0]) == (
        None if score is None else pytest.approx(score)
    )


@pytest.mark.parametrize("point", [qdrant(HIT), weaviate(HIT), {"id": 1, "payload": HIT}])
def test_points_of_stores_are_located(point: Any) -> None:
    located = chunks.locate(DOCS, [point])
    assert located.ids == ("guide/a#2",) and located.spans.as_tuples() == [((26, 49),)]


def test_distances_of_faiss_are_negative_scores_and_its_numbers_positions() -> None:
    located = chunks.split(DOCS, "sentences:1:0")
    answer = np.array([[0.0, 1.5]], np.float32), np.array([[3, 0]])
    run = chunks.retrieve(lambda _: answer, {"7": "?"}, located)
    assert [start for _, start, _ in places(run)] == [71, 0]
    assert run.score is not None and run.score.tolist() == [0.0, -1.5]
    with pytest.raises(InputError, match="expected a position among the 5 chunks, from 0 on"):
        chunks.retrieve(lambda _: [5], {"7": "?"}, located)
    with pytest.raises(InputError, match="results of 2 queries: expected those of one"):
        both = np.zeros((2, 3), np.float32), np.zeros((2, 3), np.int64)
        chunks.retrieve(lambda _: both, {"7": "?"}, located)


def test_numbers_are_ids_where_ids_are_numbers_and_that_is_said() -> None:
    records = [
        {"id": row + 1, "doc": "guide/a", "text": text} for row, text in enumerate(SENTENCES)
    ]
    located: Chunks = chunks.locate(DOCS, records)
    run = chunks.retrieve(lambda _: [2], {"7": "?"}, located)
    assert places(run) == [("guide/a", 26, 49)]
    assert any("not for positions among the chunks" in warning for warning in run.warnings)
    with pytest.raises(InputError, match="returns 0, and no chunk has this id"):
        chunks.retrieve(lambda _: [0], {"7": "?"}, located)
