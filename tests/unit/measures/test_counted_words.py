"""The words that measures count are those of a regular expression, whatever the text."""

import re
import sys

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from doxeval.arrays import OffsetBits
from doxeval.measures import Texts, UnitStarts, word_starts

WORD = re.compile(r"\w+|[^\w\s]")
# Letters, digits, combining marks, signs, all kinds of white space, astral and lone surrogates.
CHARACTERS = st.sampled_from(
    "aZ_0é٣²ⅷא\u0301\u20e3.-'’…\u00a0\u0085\u2028\x1c\x1f\x00\u200b𝔸😀𐍈\ud800\udfff"
)
LONG = 5000  # characters, for which there is a table


def by_expression(text: str) -> list[int]:
    """Return where words begin, by the regular expression."""
    return [match.start() for match in WORD.finditer(text)]


@given(st.text(CHARACTERS | st.characters(), max_size=60), st.sampled_from(["", "e" * LONG]))
@example("", "")
def test_words_are_those_of_the_expression(text: str, before: str) -> None:
    for mixed in (text, f"{before}{text}", f"{text} {before}é"):
        assert word_starts(mixed).tolist() == by_expression(mixed)


def test_every_character_of_unicode() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    for text in (every, f"a{'a'.join(every)}"):
        expected = np.fromiter((match.start() for match in WORD.finditer(text)), np.int64)
        assert np.array_equal(word_starts(text), expected)


@given(st.lists(st.text(CHARACTERS, max_size=150), min_size=1, max_size=4), st.data())
def test_units_before_offsets_and_back(texts: list[str], data: st.DataObject) -> None:
    names = [str(number) for number in range(len(texts))]
    known = Texts(dict(zip(names, texts, strict=True)), lambda text: range(0, len(text) + 1, 3))
    ignore = data.draw(st.booleans())
    unit = data.draw(st.sampled_from(["words", "tokens"]))
    starts = UnitStarts(known, names, unit, ignore_whitespace=ignore)
    number = 0
    for document, text in enumerate(texts):
        offsets = by_expression(text) if unit == "words" else list(range(0, len(text) + 1, 3))
        if ignore:
            offsets = [len("".join(text[:offset].split())) for offset in offsets]
        for offset in range(len(text) + 3):
            before = starts.before(np.array([document]), np.array([offset]))
            assert before.tolist() == [number + sum(start < offset for start in offsets)]
        which = np.full(len(offsets), document)
        assert starts.offsets(which, number + np.arange(len(offsets))).tolist() == offsets
        number += len(offsets)
    assert starts.before(np.array([-1]), np.array([9])).tolist() == [number]


@given(st.lists(st.booleans(), max_size=300), st.lists(st.integers(-5, 400), max_size=20))
def test_bits_are_offsets(flags: list[bool], given_offsets: list[int]) -> None:
    offsets = [offset for offset, flag in enumerate(flags) if flag]
    bits = OffsetBits(np.array(flags, dtype=np.bool_))
    assert bits.all().tolist() == offsets
    assert bits.at(np.arange(len(offsets))).tolist() == offsets
    before = bits.before(np.array(given_offsets, dtype=np.int64))
    assert before.tolist() == [sum(offset < at for offset in offsets) for at in given_offsets]
