"""Random texts that repeat themselves, cut into chunks whose places are known."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from random import Random

from hypothesis import strategies as st

from doxeval.locating import Located

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


# What a model is given of a document: parts of it, and text of its own

_NOUNS = [*("sales", "costs", "shares", "debts", "leases", "tides", "ships", "horns"), "lamps"]
_VERBS = ["rose", "fell", "were higher than expected", "are in the notes", "stayed as they were"]
_REPEATED = [
    "All amounts are in millions.",
    "See the notes to the accounts on the following pages.",
    "The table below shows this in detail.",
    "Table of contents",
]


@dataclass(frozen=True)
class TextRead:
    """A text that a model is given, and the letters of the document that it has."""

    text: str
    letters: frozenset[int]
    kind: str


def texts_read(random: Random, count: int) -> tuple[str, list[TextRead]]:
    """A document, and sentence windows, contextual chunks and compressed chunks of it."""
    sentences = _sentences(random, random.randrange(20, 120))
    text, places = "", []
    for sentence in sentences:
        places.append((len(text), len(text) + len(sentence)))
        text += sentence + random.choice([" ", " ", " ", "\n", "\n\n"])
    made: list[TextRead] = []
    while len(made) < count:
        read = _text_read(random, text, places)
        if read is not None:
            made.append(read)
    return text, made


def _sentences(random: Random, count: int) -> list[str]:
    return [
        random.choice(_REPEATED) if random.random() < 0.15 else _sentence(random)
        for _ in range(count)
    ]


def _sentence(random: Random) -> str:
    noun, other = random.choice(_NOUNS), random.choice(_NOUNS)
    year = random.randrange(1950, 2030)
    return random.choice(
        [
            f"The {noun} of {year} {random.choice(_VERBS)}, as did the {other}.",
            f"In {year} the {noun} and the {other} {random.choice(_VERBS)}.",
            f"Nobody knew why {noun} came before {other} in {year}!",
            f"{noun.title()} {random.choice(_VERBS)}.",
        ]
    )


def _own_sentence(random: Random, text: str) -> str:
    """A sentence that the document does not have, not even as the end of another one."""
    while _letters(sentence := _sentence(random)) in _letters(text):
        pass
    return sentence


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _text_read(random: Random, text: str, places: list[tuple[int, int]]) -> TextRead | None:
    size = random.randrange(1, min(12, len(places)))
    first = random.randrange(len(places) - size)
    kind = random.choice(["window", "contextual", "compressed", "both"])
    chosen = list(range(first, first + size))
    if kind in ("compressed", "both") and size > 2:
        inner = chosen[1:-1]
        left_out = set(random.sample(inner, random.randrange(1, len(inner) + 1)))
        chosen = [number for number in chosen if number not in left_out]
    # Sentences that follow each other elsewhere by chance would be found there.
    for number, after in pairwise(chosen):
        both = text[slice(*places[number])] + text[slice(*places[after])]
        if after > number + 1 and _letters(both) in _letters(text):
            return None
    between = random.choice([" ", "\n", "  \n"])
    read = between.join(text[slice(*places[number])] for number in chosen)
    if kind in ("contextual", "both"):
        own = " ".join(_own_sentence(random, text) for _ in range(random.randrange(1, 4)))
        intro = random.choice(["This chunk is from the report on", "Context:", "Summary of"])
        read = f"{intro} {random.choice(_NOUNS)} of {random.randrange(1950, 2030)}. {own}" + (
            random.choice(["\n\n", "\n", " "]) + read
        )
    letters = (at for number in chosen for at in range(*places[number]) if text[at].isalnum())
    return TextRead(read, frozenset(letters), kind)


def outcome_of(document: str, read: TextRead, located: Located, row: int) -> str:
    """What became of a text: whether its letters were found, and said to be ambiguous if so."""
    shown = {at for span in located.spans(row) for at in range(*span) if document[at].isalnum()}
    if not shown:
        return "not found"
    if located.ambiguous[row]:
        return "ambiguous"
    if not shown <= read.letters:
        return "wrong"
    return "all of it" if shown == read.letters else "some of it"
