"""Words, found over arrays as a reader would find them."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.retrieve import (
    ENGLISH_STOP_WORDS,
    Analysis,
    word_spans,
    words_and_starts,
)
from levels import examples
from strategies.wordings import read_words, worded_texts


def ranges(text: str, *borders: int) -> list[tuple[int, int]]:
    words = word_spans(text, np.array(borders, dtype=np.int64))
    return list(zip(words.start.tolist(), words.end.tolist(), strict=True))


@examples(400)
@given(worded_texts(), st.data())
def test_words_are_those_that_a_reader_finds(text: str, data: st.DataObject) -> None:
    borders = data.draw(st.lists(st.integers(0, len(text)), max_size=4))
    expected = read_words(text, borders)
    assert ranges(text, *borders) == expected
    found = words_and_starts(text, np.array(borders, dtype=np.int64))
    assert found.words == [text[start:end].lower() for start, end in expected]
    assert np.flatnonzero(found.starts).tolist() == [start for start, _ in expected]


@examples(20)
@given(worded_texts())
def test_long_texts_are_cut_by_the_table_as_short_ones_are(text: str) -> None:
    filling = " x" * 3000
    assert ranges(filling + " " + text)[3000:] == [
        (start + len(filling) + 1, end + len(filling) + 1) for start, end in ranges(text)
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't stop", ["don't", "stop"]),
        ("'tis the dogs' day", ["tis", "the", "dogs", "day"]),
        ("rock'n'roll a''b", ["rock'n'roll", "a", "b"]),
        ("fog-horn co_op 3.14", ["fog", "horn", "co", "op", "3", "14"]),
        ("東京x 東'x", ["東", "京", "x", "東", "x"]),
        ("が\u3099a", ["が\u3099", "a"]),
        ("e\u0301te\u0301", ["e\u0301te\u0301"]),
        ("ΟΔΟΣ İ", ["οδος", "i̇"]),
        ("", []),
        (" \n… ", []),
    ],
)
def test_words_in_lower_case(text: str, words: list[str]) -> None:
    assert words_and_starts(text, np.empty(0, np.int64)).words == words


def test_a_border_ends_a_word_and_an_apostrophe_does_not_reach_across_it() -> None:
    assert ranges("don't", 3) == [(0, 3), (4, 5)]
    assert ranges("don't", 4) == [(0, 3), (4, 5)]
    assert ranges("don't", 2) == [(0, 2), (2, 5)]


def test_terms_are_plain_lower_case_and_stemmed() -> None:
    assert Analysis("s").terms("ﬁSHES Don’t x²") == ["fishe", "don't", "x2"]
    assert Analysis("none").terms("Dogs ℌ") == ["dogs", "h"]
    assert Analysis("english").terms("running ponies") == ["run", "poni"]


def test_the_s_stemmer() -> None:
    stems = {
        "ponies": "pony",
        "aies": "aies",
        "eies": "eies",
        "aches": "ache",
        "trees": "trees",
        "shoes": "shoes",
        "dogs": "dog",
        "bus": "bus",
        "glass": "glass",
        "sea's": "sea",
        "s": "s",
        "is": "is",
        "fog": "fog",
    }
    assert {word: Analysis("s").term(word) for word in stems} == stems


def test_stemmers_have_different_fingerprints_which_stay() -> None:
    names = ("s", "none", "english", "porter", "german")
    prints = [Analysis(name).recorded()["stemmer_fingerprint"] for name in names]
    assert len(set(prints)) == len(names)
    assert prints == [Analysis(name).recorded()["stemmer_fingerprint"] for name in names]


def test_stop_words_are_words() -> None:
    assert 110 <= len(ENGLISH_STOP_WORDS) <= 140
    for word in ENGLISH_STOP_WORDS:
        assert Analysis("none").terms(word) == [word]
        assert unicodedata.is_normalized("NFKC", word)
