"""A synthetic collection with the statistics of text: words as rare and as clustered as in prose.

Words are drawn by the law of Zipf and Mandelbrot from a vocabulary of a million, and about a third
of them repeat an earlier word of the same article. An article has some 50 elements and 525 words.
The same seed gives the same bytes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

VOCABULARY = 1_000_000
_SHIFT, _EXPONENT = 2.7, 1.07
_REPEATED = 0.35
_BLOCK = 500  # articles made at once
_CONSONANTS, _VOWELS = "bcdfghklmnprstvw", "aeiou"
_MEAN_SECTIONS = 5.2


def word(rank: int) -> str:
    """The word of a rank: syllables that spell the number, and a letter that shows its length."""
    letters = []
    rank += 1
    while rank:
        rank, digit = divmod(rank, len(_CONSONANTS) * len(_VOWELS))
        letters.append(_CONSONANTS[digit % len(_CONSONANTS)] + _VOWELS[digit // len(_CONSONANTS)])
    return "".join(letters) + "nt"[len(letters) % 2]


class Articles:
    """Makes articles, a block at a time."""

    def __init__(self, seed: int = 2009) -> None:
        self._chance = np.random.default_rng(seed)
        self._shapes = random.Random(seed)
        weights = 1 / (np.arange(VOCABULARY) + _SHIFT) ** _EXPONENT
        self._cumulated = np.cumsum(weights) / weights.sum()
        self._words = [word(rank) for rank in range(VOCABULARY)]

    def block(self, count: int) -> Iterator[str]:
        """Some articles as XML."""
        shapes = [self._shape() for _ in range(count)]
        sizes = np.array([sum(map(abs, shape)) for shape in shapes])
        ranks = self._drawn(sizes)
        words = [self._words[rank] for rank in ranks.tolist()]
        at = 0
        for shape in shapes:
            yield "".join(self._article(shape, words, at))
            at += sum(map(abs, shape))

    def _shape(self) -> list[int]:
        """The words of each piece in order; a negative number begins a section with its title."""
        shape = []
        sections = max(1, round(self._shapes.lognormvariate(0, 0.7) * _MEAN_SECTIONS / 1.28))
        for _ in range(sections):
            shape.append(-self._shapes.randint(1, 4))
            shape += [self._shapes.randint(6, 27) for _ in range(self._shapes.randint(3, 9))]
        return shape

    def _drawn(self, sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        total = int(sizes.sum())
        ranks = np.searchsorted(self._cumulated, self._chance.random(total))
        before = np.arange(total) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        back = (self._chance.random(total) * before).astype(np.int64)
        repeats = (self._chance.random(total) < _REPEATED) & (back > 0)
        # Words that are repeated may be repetitions themselves, so this goes from front to back.
        for at in np.flatnonzero(repeats).tolist():
            ranks[at] = ranks[at - int(back[at])]
        return ranks

    def _article(self, shape: list[int], words: list[str], at: int) -> Iterator[str]:
        yield "<article><name>"
        yield words[at]
        yield "</name>"
        is_open = False
        for size in shape:
            piece = words[at : at + abs(size)]
            at += abs(size)
            if size < 0:
                yield "</sec><sec><st>" if is_open else "<sec><st>"
                yield " ".join(piece)
                yield "</st>\n"
                is_open = True
            elif self._shapes.random() < 0.25:
                yield f"<p>{piece[0]} <b>{piece[1]} {piece[2]}</b> {' '.join(piece[3:])}.</p>\n"
            else:
                yield f"<p>{' '.join(piece)}.</p>\n"
        yield "</sec></article>\n"


def write_articles(path: Path, count: int) -> None:
    """Write articles as records of one XML file, each with the id in its attribute `id`."""
    articles = Articles()
    with path.open("w", encoding="utf-8") as file:
        file.write("<articles>\n")
        for first in range(0, count, _BLOCK):
            for number, text in enumerate(articles.block(min(_BLOCK, count - first)), first):
                file.write(text.replace("<article>", f'<article id="d{number}">', 1))
        file.write("</articles>\n")
