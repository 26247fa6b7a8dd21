"""Random texts that repeat themselves, cut into chunks whose places are known."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

# Pieces longer and shorter than the grams of the search; white space that not all splitters know.
_PIECES = ["a", "b", "ab", "xx", "fog horn ", "sea lions, sea lions. ", "Table of contents\n\n"]
_SPACES = [" ", "\n", "\r\n", "\u2028", "\x85", "\u3000", ""]
# How far the next chunk begins before the end of the one before it, and how far it goes beyond.
_STEPS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 40)), max_size=40)


@dataclass(frozen=True)
class Cut:
    """A text, its chunks in order, and the range of the text that each was cut from."""

    text: str
    chunks: list[str]
    places: list[tuple[int, int]]


def repeating_texts(largest: int = 30) -> st.SearchStrategy[str]:
    """Texts in which the same pieces stand again and again."""
    pieces = st.sampled_from(_PIECES + _SPACES) | st.text(max_size=3)
    return st.lists(pieces, min_size=1, max_size=largest).map("".join)


@st.composite
def cut_texts(draw: st.DrawFn, largest: int = 30) -> Cut:
    """A text cut into chunks that overlap or touch, and leave nothing of it out."""
    text = draw(repeating_texts(largest))
    places = [(0, draw(st.integers(0, len(text))))]
    for back, on in draw(_STEPS):
        start, end = places[-1]
        if end == len(text):
            break
        places.append((max(start, end - back), min(len(text), end + on)))
    if places[-1][1] < len(text):
        places.append((places[-1][1], len(text)))
    return Cut(text, [text[start:end] for start, end in places], places)


@st.composite
def respaced(draw: st.DrawFn, chunk: str) -> str:
    """A chunk with other white space."""
    words = chunk.split()
    spaces = st.sampled_from(_SPACES)
    return "".join([draw(spaces), *(word + draw(spaces) for word in words)])
