"""Texts and runs that have broken other evaluators of chunks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from doxeval import chunks
from doxeval.assessments import Assessments, Judgment
from doxeval.chunks import (
    Chunks,
    chunks_with_texts,
    write_with_texts,
)
from doxeval.errors import InputError

STRANGE = {
    "windows line ends": "One two.\r\n\r\nThree four.\r\n",
    "byte order mark": "\ufeffOne two.\n\nThree four.",
    "separators": "One two.\u2028Three\u0085four.",
    "nul": "One\x00two.\n\nThree four.",
    "combining marks": "Cafe\u0301 au lait. Na\u0308he. Three four.",
    "emoji": "One \U0001f469\u200d\U0001f680 two. Three four.",
    "lone surrogate": "One \ud800 two. Three four.",
    "one letter": "xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "marks only": "....................",
}
CUTS = ["recursive:9:0", "words:2:1", "sentences:1:0", "paragraphs", "sections"]


@pytest.mark.parametrize("name", STRANGE)
def test_strange_texts_are_cut_searched_limited_and_written(name: str, tmp_path: Path) -> None:
    text = STRANGE[name]
    docs = chunks.documents({"a": text})
    gold = Assessments([Judgment("7", "a", ((0, len(text)),))])
    for by in CUTS:
        cut = chunks.split(docs, by)
        assert chunks.limits(cut, gold).coverage == 1
        oracle = chunks.evaluate(chunks.oracle(cut, gold), gold, ["sR@9999"], docs=docs)
        assert oracle["oracle"]["sR@9999"] == 1  # counted in non-space characters
        chunks.search(cut, {"7": "three four"})
        write_with_texts(cut, tmp_path / "chunks.jsonl")
        # No file holds lone surrogates, so then the documents must be given.
        known = docs if name == "lone surrogate" else None
        again = chunks_with_texts(tmp_path / "chunks.jsonl", known)
        assert again.spans.as_tuples() == cut.spans.as_tuples()
        assert again.texts == cut.texts


def test_a_text_of_white_space_has_no_chunks() -> None:
    for by in CUTS:
        assert chunks.split({"a": " \n\n\t ", "b": "One."}, by).documents == ("b",)


def test_document_ids_may_be_paths() -> None:
    docs = chunks.documents({"C:\\docs\\a.md": "One two.", "x/b.md": "Three."})
    cut = chunks.split(docs, "sentences:1:0")
    run = chunks.search(cut, {"7": "three"})
    assert [result.document for result in run] == ["x/b.md"]


def scored(cut: Chunks, returned: list[Any], measures: list[str]) -> dict[str, float | None]:
    need = {"spans": [{"doc": "a", "start": 5, "end": 15}]}
    gold = chunks.questions([{"id": "7", "question": "?", "needs": [need]}], cut.known_docs)
    run = chunks.retrieve(lambda _: returned, gold, cut)
    table = chunks.evaluate(run, gold, measures, docs=cut.known_docs, unit="characters")
    return {name: table["retriever"][name] for name in measures}


def plain() -> Chunks:
    docs = chunks.documents({"a": "abcde" * 4})
    return Chunks.of(docs, ["a"] * 4, [[(at, at + 5)] for at in range(0, 20, 5)])


def test_gold_that_touches_a_border_is_not_shown() -> None:
    assert scored(plain(), ["a#1", "a#4"], ["bR@100", "hit@2(cover=0)"]) == {
        "bR@100": 0,
        "hit@2(cover=0)": 0,
    }


def test_a_chunk_returned_twice_is_read_twice_and_gains_once() -> None:
    names = ["bR@5", "bR@10", "cR@3", "Red@2"]
    assert list(scored(plain(), ["a#2", "a#2", "a#3"], names).values()) == [0.5, 0.5, 1.0, 0.5]


def test_budgets_smaller_than_a_chunk_and_beyond_the_list() -> None:
    names = ["bR@2", "bR@2(fit=whole)", "bR@100000", "U@100000"]
    found = scored(plain(), ["a#2", "a#3"], names)
    assert list(found.values())[:3] == [0.2, 0, 1]
    assert found["U@100000"] == pytest.approx(1 - 4.5 / 100000)


def test_a_need_with_alternatives_in_two_documents() -> None:
    docs = chunks.documents({"a": "The fee is 5.", "b": "The fee is 5. More."})
    places = [{"doc": "a", "start": 0, "end": 13}, {"doc": "b", "start": 0, "end": 13}]
    gold = chunks.questions([{"id": "7", "question": "?", "needs": [{"spans": places}]}], docs)
    cut = chunks.split(docs, "sentences:1:0")
    run = chunks.retrieve(lambda _: [("b", 0, 13)], gold, cut)
    assert chunks.evaluate(run, gold, ["all@1", "cR@1"], docs=docs).mean() == {
        "retriever": {"all@1": 1.0, "cR@1": 1.0}
    }
    assert len(chunks.oracle(cut, gold)) == 1
    assert chunks.limits(cut, gold).intact == 1


def test_a_question_without_gold_is_undefined_not_zero() -> None:
    docs = chunks.documents({"a": "One two. Three four."})
    need = {"spans": [{"doc": "a", "quote": "Three four."}]}
    records = [
        {"id": "7", "question": "three", "needs": [need]},
        {"id": "8", "question": "one", "needs": []},
    ]
    gold = chunks.questions(records, docs)
    study = chunks.compare(docs, gold, ["sentences:1:0"], budget=40)
    assert study["sentences:1:0"]["bR@10"] == 1


def test_lists_shorter_than_k_and_an_empty_run() -> None:
    found = scored(plain(), ["a#2"], ["cR@20", "IoU@20", "all@20"])
    assert list(found.values()) == [0.5, 0.5, 0]


def test_a_tree_refuses_lone_surrogates(tmp_path: Path) -> None:
    cut = chunks.split({"a": STRANGE["lone surrogate"]}, "sentences:1:0")
    with pytest.raises(InputError, match="surrogate"):
        chunks.tree(cut, tmp_path / "tree")
