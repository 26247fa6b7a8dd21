"""Search over chunks, beside scores computed directly; dense and hybrid search."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxeval import chunks, search
from doxeval.chunks import Chunks
from doxeval.documents import example_collection
from doxeval.errors import DoxevalError, InputError
from doxeval.retrieve import Index, build_index

WORDS = ["fog", "horn", "sea", "lion", "the", "ship"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


def bm25(texts: list[list[str]], query: list[str]) -> list[float]:
    """The formula, with k1=1.2 and b=.75, over chunks."""
    mean = sum(map(len, texts)) / len(texts)
    scores = []
    for text in texts:
        total = 0.0
        for word in dict.fromkeys(query):
            n = sum(word in other for other in texts)
            tf = text.count(word)
            if tf:
                idf = math.log(1 + (len(texts) - n + 0.5) / (n + 0.5))
                total += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(text) / mean))
        scores.append(total)
    return scores


@st.composite
def nested(draw: st.DrawFn) -> Chunks:
    """Chunks of any kind: overlapping, nested, with several ranges."""
    texts = {name: draw(TEXTS) for name in "ab"}
    docs = chunks.documents(texts)
    homes, spans = [], []
    for _ in range(draw(st.integers(1, 7))):
        home = draw(st.sampled_from("ab"))
        edges = [0, *(one.end() for one in re.finditer(r"\w+", texts[home]))]
        pairs = draw(
            st.lists(
                st.tuples(st.sampled_from(edges), st.sampled_from(edges)), min_size=1, max_size=2
            )
        )
        homes.append(home)
        spans.append([(min(pair), max(pair)) for pair in pairs])
    return Chunks.of(docs, homes, spans)


@given(nested(), st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
def test_scores_are_those_of_the_formula(cut: Chunks, query: list[str]) -> None:
    texts = [re.findall(r"\w+", text) for text in cut.texts]
    asked = [word for word in query if word != "the"] or query
    expected = bm25(texts, asked) if any(texts) else [0.0] * len(texts)
    run = chunks.search(cut, {"7": " ".join(query)})
    found = [] if run.score is None else run.score.tolist()
    assert found == pytest.approx(sorted((one for one in expected if one > 0), reverse=True))


def test_long_chunks_around_short_ones_are_counted_too() -> None:
    text = "fog horn sea " * 40
    docs = chunks.documents({"a": text})
    words = [one.span() for one in re.finditer(r"\w+", text)]
    spans = [[(0, len(text))], *([span] for span in words)]
    cut = Chunks.of(docs, ["a"] * len(spans), spans)
    run = chunks.search(cut, {"7": "horn"}, k=500)
    assert len(run) == 41


def test_models_by_name_and_wrong_ones() -> None:
    cut = chunks.split({"a": "Fog horn. Sea."}, "sentences:1:0")
    assert len(chunks.search(cut, {"7": "fog"}, search="lm")) == 1
    with pytest.raises(DoxevalError, match="did you mean bm25"):
        chunks.search(cut, {"7": "fog"}, search="bm52")
    with pytest.raises(InputError, match="k is 0"):
        chunks.search(cut, {"7": "fog"}, k=0)


def test_a_question_that_finds_nothing_is_told() -> None:
    cut = chunks.split({"a": "Fog horn. Sea."}, "sentences:1:0")
    run = chunks.search(cut, {"7": "fog", "8": "zebra"})
    assert list(run.topics) == ["7"]
    assert any("8" in warning for warning in run.warnings)


def embed(texts: list[str]) -> Any:
    return np.array([[text.lower().count(letter) for letter in "fhs"] for text in texts])


def test_dense_search_is_the_dot_product() -> None:
    cut = chunks.split({"a": "Fff. Hh. Ss ss."}, "sentences:1:0")
    run = chunks.search(cut, {"7": "fh"}, search=chunks.dense(embed), k=2)
    assert [(result.start, result.score) for result in run] == [(0, 3.0), (5, 2.0)]
    with pytest.raises(InputError, match="a vector for each"):
        chunks.search(cut, {"7": "fh"}, search=chunks.dense(lambda texts: [1.0]))
    with pytest.raises(InputError, match="not finite"):
        chunks.search(cut, {"7": "fh"}, search=chunks.dense(lambda texts: [[np.nan]] * len(texts)))


def test_hybrid_search_adds_reciprocal_ranks() -> None:
    cut = chunks.split({"a": "Fog fog. Horn s. Sea s."}, "sentences:1:0")
    both = chunks.hybrid("bm25", chunks.dense(embed))
    run = chunks.search(cut, {"7": "horn"}, search=both)
    by_words = [one.start for one in chunks.search(cut, {"7": "horn"})]
    by_dense = chunks.search(cut, {"7": "horn"}, search=chunks.dense(embed))
    by_vectors = [one.start for one in by_dense]
    scores = {
        start: sum(1 / (61 + ranked.index(start)) for ranked in (by_words, by_vectors)
                   if start in ranked)
        for start in {*by_words, *by_vectors}
    }  # fmt: skip
    assert {one.start: one.score for one in run} == pytest.approx(scores)
    with pytest.raises(InputError, match="at least two"):
        chunks.hybrid("bm25")


# Feedback


@given(
    st.lists(st.lists(st.sampled_from(["fog", "horn", "sea", "lamp", "the"]), min_size=4,
                      max_size=30), min_size=1, max_size=3),
    st.lists(st.sampled_from(["fog", "horn", "sea"]), min_size=1, max_size=2, unique=True),
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(1, 6),
)  # fmt: skip
@settings(max_examples=10)
def test_feedback_is_that_of_search_over_a_collection(
    texts: list[list[str]], query: list[str], results: int, terms: int, words: int
) -> None:
    """Two engines and one definition, which tests/unit/retrieve holds against brute force."""
    docs = {f"d{number}": " ".join(text) for number, text in enumerate(texts)}
    model = f"bm25(feedback={results},terms={terms},weight=.4)"
    split = chunks.split(chunks.documents(docs), f"words:{words}:0")
    run = chunks.search(split, {"1": " ".join(query)}, model)
    collection = example_collection({name: f"<d>{text}</d>" for name, text in docs.items()})
    index = Index(build_index(collection).directory, collection)
    units = f"windows({words},{words})"
    other = search(index, {"1": " ".join(query)}, "thorough", model, units=units, max_results=100)
    scores = {(one.document, one.start): one.score for one in other}
    assert {(one.document, one.start): one.score for one in run} == scores
