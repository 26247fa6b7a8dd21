"""The index of words in memory, against one that a reader would make."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from doxeval.retrieve import Analysis, WordIndex, WordNumbers, WordSpans, word_spans
from levels import examples
from strategies.wordings import worded_texts

NO_EDGES = np.zeros(0, dtype=np.int64)
WORDS = st.text("abcdefgh", min_size=1, max_size=40) | st.sampled_from(["é" * 9, "東京" * 3, "𝔸b"])


@examples(100)
@given(st.lists(st.lists(WORDS, max_size=30), min_size=1, max_size=4))
def test_equal_words_have_equal_numbers_and_others_do_not(texts: list[list[str]]) -> None:
    numbers = WordNumbers()
    known: dict[str, int] = {}
    for words in texts:
        sizes = np.array([len(word) for word in words], dtype=np.int64)
        ends = np.cumsum(sizes + 1) - 1
        spans = WordSpans(ends - sizes, ends)
        for word, number in zip(words, numbers.of(" ".join(words), spans).tolist(), strict=True):
            assert known.setdefault(word, number) == number
    assert len(set(known.values())) == len(known)


def test_there_is_room_for_many_words() -> None:
    words = [f"w{number}" for number in range(100_000)]
    text = " ".join(words)
    numbers = WordNumbers()
    found = numbers.of(text, word_spans(text, NO_EDGES))
    assert len(np.unique(found)) == len(words)
    assert np.array_equal(found, numbers.of(text, word_spans(text, NO_EDGES)))


@examples(100)
@given(st.lists(worded_texts(), min_size=1, max_size=3), worded_texts())
def test_positions_are_those_of_a_reader(texts: list[str], question: str) -> None:
    analysis = Analysis("s")
    index = WordIndex({str(number): text for number, text in enumerate(texts)}, [question])
    stream: list[str | None] = []
    for number, text in enumerate(texts):
        terms = analysis.terms(text)
        assert int(index.first[number]) == len(stream)
        for offset in range(len(text) + 1):
            begun = sum(start < offset for start in word_spans(text, NO_EDGES).start.tolist())
            at = index.words_before(np.array([number]), np.array([offset]))
            assert at.tolist() == [len(stream) + begun]
        stream += [*terms, None]
    for item in index.items(question):
        size = len(item.terms)
        expected = [at for at in range(len(stream)) if tuple(stream[at : at + size]) == item.terms]
        assert index.positions(item.terms).tolist() == expected != []
