"""A synthetic collection shaped like the INEX 2006 Wikipedia.

About 45 elements and 7 KB a document, mean depth 4.8 (a root is at depth 1), sizes spread so
widely that some documents are very large, one document in five with characters beyond ASCII.
The same seed gives the same bytes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

FULL_SIZE = 659_388
_LETTERS = "etaoinshrdlucmfwypvbgk"
_PER_FOLDER = 1000


class Wikipedia:
    """Makes documents; every piece of prose is drawn from a pool, so making them is quick."""

    def __init__(self, seed: int = 2006) -> None:
        self._random = random.Random(seed)
        words = ["".join(self._random.choices(_LETTERS, k=self._size(6))) for _ in range(5000)]
        self._phrases = [self._prose(words, 3) for _ in range(2000)]
        self._sentences = [self._prose(words, self._size(14)) + "." for _ in range(3000)]
        self._foreign = [text.replace("a", "é", 1).replace("y", "–", 1) for text in self._sentences]

    def _size(self, mean: int) -> int:
        return max(1, round(self._random.gammavariate(3, mean / 3)))

    def _prose(self, words: list[str], count: int) -> str:
        return " ".join(self._random.choices(words, k=count)).capitalize()

    def document(self, number: int) -> bytes:
        """One article."""
        chance = self._random
        # Sizes are log-normal, with a few giants among them.
        size = chance.lognormvariate(-0.55, 1.05)
        if chance.random() < 0.0005:
            size *= 60
        sentences = self._foreign if chance.random() < 0.2 else self._sentences
        parts = [
            f'<?xml version="1.0" encoding="UTF-8"?>\n<article><name id="{number}">'
            f"{chance.choice(self._phrases)}</name><conversionwarning>0</conversionwarning><body>\n"
        ]
        for _ in range(max(1, round(size * 3))):
            parts += self._section(sentences, 0)
        parts.append("</body></article>\n")
        return "".join(parts).encode()

    def _section(self, sentences: list[str], level: int) -> Iterator[str]:
        chance = self._random
        yield f"<section><title>{chance.choice(self._phrases)}</title>\n"
        for _ in range(chance.randint(1, 3)):
            yield from self._paragraph(sentences)
        if chance.random() < 0.2:
            yield "<normallist>"
            for _ in range(chance.randint(2, 5)):
                yield f"<item>{self._link()} {chance.choice(sentences)}</item>\n"
            yield "</normallist>"
        if level < 2 and chance.random() < 0.3:
            yield from self._section(sentences, level + 1)
        yield "</section>\n"

    def _paragraph(self, sentences: list[str]) -> Iterator[str]:
        chance = self._random
        yield "<p>"
        for _ in range(chance.randint(1, 3)):
            yield " ".join(chance.choices(sentences, k=2))
            yield f" {self._link()} "
        if chance.random() < 0.3:
            yield f"<emph3>{chance.choice(self._phrases)}</emph3>"
        yield f" {chance.choice(sentences)}</p>\n"

    def _link(self) -> str:
        target = self._random.randrange(FULL_SIZE)
        return (
            f'<collectionlink xlink:type="simple" xlink:href="{target}.xml">'
            f"{self._random.choice(self._phrases)}</collectionlink>"
        )


def write_wikipedia(directory: Path, documents: int) -> int:
    """Write the collection as XML files, a thousand to a folder; return the bytes written."""
    wikipedia = Wikipedia()
    written = 0
    for number in range(documents):
        folder = directory / f"{number // _PER_FOLDER:04d}"
        if number % _PER_FOLDER == 0:
            folder.mkdir(parents=True)
        data = wikipedia.document(number)
        (folder / f"{number}.xml").write_bytes(data)
        written += len(data)
    return written
