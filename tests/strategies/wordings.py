"""Random texts of words in several scripts, and the words a reader would find in them.

The reader goes character by character, from the definition in retrieve/text.py, and asks Unicode
for the names of scripts instead of keeping a table of their blocks.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection as Container

from hypothesis import strategies as st

from strategies.trees import Node, Piece, nodes

# Letters that join, digits, marks, apostrophes, scripts without spaces and their marks, spaces.
_CHARACTERS = "abS2é´\u0301'’ \n-字東かが\u3099ァทํ់ကာ\U00020000𝔸אً½²ß"
_WITHOUT_SPACES = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "IDEOGRAPHIC")
_WORDS = ["fog", "Fogs", "horn", "horn's", "sea", "lion", "the", "don’t", "東京", "co-op", "ﬁsh"]
_FEW_WORDS = ["fog", "Fogs", "horn", "sea lion", "other", "more", "東京"]


def worded_texts() -> st.SearchStrategy[str]:
    """Words that occur again and again, and difficult characters between them."""
    characters = st.text(st.sampled_from(_CHARACTERS), max_size=6)
    words = st.lists(st.sampled_from(_WORDS), max_size=6).map(" ".join)
    return st.lists(st.one_of(characters, words, words), max_size=4).map("".join)


def worded_nodes() -> st.SearchStrategy[Node]:
    """Trees with such texts; `b` is inline, so words go on across its borders."""
    return nodes(
        worded_texts().map(lambda text: Piece(text, text)), ["article", "sec", "p", "b", "b"]
    )


def dense_nodes() -> st.SearchStrategy[Node]:
    """Trees in which few words occur all the time."""
    words = st.lists(st.sampled_from(_FEW_WORDS), min_size=1, max_size=6)
    texts = words.map(lambda found: " ".join(["", *found, ""]))
    pieces = texts.map(lambda text: Piece(text, text))
    inner = nodes(pieces, ["sec", "p", "p", "b"])
    return st.builds(
        Node,
        st.just("article"),
        st.lists(st.one_of(inner, pieces), min_size=1, max_size=5).map(tuple),
    )


def read_words(text: str, borders: Container[int]) -> list[tuple[int, int]]:
    """The words of a text as ranges, read one character at a time."""
    words: list[tuple[int, int]] = []
    begun: int | None = None
    is_alone = False
    for at, character in enumerate(text):
        kind = _kind(character)
        goes_on = begun is not None and at not in borders
        if kind == "mark" and goes_on:
            continue
        if kind == "letter" and goes_on and not is_alone:
            continue
        if kind == "apostrophe" and goes_on and not is_alone and _joins(text, at, borders):
            continue
        if begun is not None:
            words.append((begun, at))
        begun = at if kind in ("letter", "mark", "alone") else None
        is_alone = kind == "alone"
    return [*words, (begun, len(text))] if begun is not None else words


def _joins(text: str, at: int, borders: Container[int]) -> bool:
    """Whether a word goes on after the apostrophe at a place."""
    if at + 1 >= len(text) or at + 1 in borders:
        return False
    return _kind(text[at + 1]) in ("letter", "mark")


def _kind(character: str) -> str:
    category = unicodedata.category(character)
    if category[0] == "M":
        return "mark"
    if category[0] in "LN":
        is_alone = unicodedata.name(character).startswith(_WITHOUT_SPACES)
        return "alone" if is_alone else "letter"
    return "apostrophe" if character in ("'", "’") else "other"
