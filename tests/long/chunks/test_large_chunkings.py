"""Chunks of many equal documents, and of a text with every character there is."""

from __future__ import annotations

import tracemalloc

import pytest

from doxeval import chunks
from doxeval.assessments import Assessments, Judgment
from doxeval.chunks import Chunks


def test_as_many_chunks_as_identical_documents_take_no_memory_for_each_pair() -> None:
    docs = chunks.documents({f"d{number}": "One two." for number in range(1_500)})
    tracemalloc.start()  # eight bytes for each pair would be 18 MB
    try:
        located = chunks.locate(docs, ["One two."] * 1_500, order="none")
        assert tracemalloc.get_traced_memory()[1] < 15_000_000
    finally:
        tracemalloc.stop()
    assert located.documents == ("d0",)


def test_white_space_is_what_python_says() -> None:
    text = "".join(map(chr, range(0x110000)))
    blank = [character for character in text if character.isspace()]
    for number, character in enumerate(blank):
        assert len(chunks.split({"a": "x", "b": character}, "paragraphs")) == 1, number
    cut = Chunks.of(chunks.documents({"a": text}), ["a"], [[(ord("x"), ord("x") + 1)]])
    gold = Assessments([Judgment("7", "a", ((ord("x"), ord("x") + 1),))])
    solid = len(text) - len(blank)
    assert chunks.limits(cut, gold).coverage * solid == pytest.approx(1, rel=1e-9)
