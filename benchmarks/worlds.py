"""Assessments and runs to score, as files in two forms: passages, and documents as TREC has them.

NumPy writes them, millions of lines at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]
LENGTH = 9000  # characters of every document
FIRST_TOPIC = 2_009_001
# The first document, and how many there are: a prime, so that no step comes back too early.
JUDGED, OTHERS = (1000, 58_997), (100_000, 2_566_189)
EVERY = 20  # one result in so many is of a judged document


class Column(NamedTuple):
    """Numbers of at most so many digits; a fraction keeps its zeros."""

    numbers: Numbers
    digits: int
    keeps_zeros: bool = False


@dataclass(frozen=True)
class World:
    """The files of one directory."""

    work: Path
    topics: int
    results: int
    runs: int
    judged: int = 90
    crowded: bool = False  # all results of a topic are in one document

    @property
    def passages(self) -> str:
        """The highlighted passages, as INEX 2009 has them."""
        return str(self.work / "passages.txt")

    @property
    def documents(self) -> str:
        """The relevant documents, as TREC has them."""
        return str(self.work / "documents.txt")

    def passage_runs(self) -> list[str]:
        """The runs of passages."""
        return [str(self.work / f"{run}.passages") for run in range(self.runs)]

    def document_runs(self) -> list[str]:
        """The same runs as TREC has them."""
        return [str(self.work / f"{run}.documents") for run in range(self.runs)]

    def write(self) -> World:
        """Write all files."""
        self.work.mkdir()
        relevant = _documents(np.random.default_rng(7), JUDGED, self.topics, self.judged)
        self._write_assessments(relevant)
        for run, files in enumerate(zip(self.passage_runs(), self.document_runs(), strict=True)):
            self._write_run(run, relevant, *map(Path, files))
        return self

    def _write_assessments(self, relevant: Numbers) -> None:
        chance = np.random.default_rng(8)
        topic = np.repeat(np.arange(self.topics) + FIRST_TOPIC, self.judged)
        pair = (Column(topic, 7), " Q0 ", Column(relevant.ravel(), 7))
        # Three passages, each in its own third of the document.
        start = [3000 * third + chance.integers(0, 2600, len(topic)) for third in range(3)]
        length = [chance.integers(50, 350, len(topic)) for _ in range(3)]
        ranges = [
            part
            for begins, lasts in zip(start, length, strict=True)
            for part in (" ", Column(begins, 4), ":", Column(lasts, 3))
        ]
        size = Column(length[0] + length[1] + length[2], 4)
        lines = _lines(*pair, " ", size, f" {LENGTH} ", Column(start[0], 4), *ranges, "\n")
        Path(self.passages).write_bytes(lines)
        Path(self.documents).write_bytes(_lines(*pair, " 1\n"))

    def _write_run(self, run: int, relevant: Numbers, passages: Path, documents: Path) -> None:
        chance = np.random.default_rng(100 + run)
        document = _documents(chance, OTHERS, self.topics, self.results)
        at = np.arange(EVERY - 1, self.results, EVERY)[: self.judged]
        document[:, at] = relevant[:, : len(at)]
        if self.crowded:
            document[:] = relevant[:, :1]
        topic = np.repeat(np.arange(self.topics) + FIRST_TOPIC, self.results)
        rank = np.tile(np.arange(1, self.results + 1), self.topics)
        ones, millionths = np.divmod(10**6 // rank, 10**6)  # the score is 1 / rank
        score = (Column(ones, 1), ".", Column(millionths, 6, keeps_zeros=True))
        result = (Column(topic, 7), " Q0 ", Column(document.ravel(), 7), " ", Column(rank, 4))
        start = Column(chance.integers(0, LENGTH - 900, len(topic)), 4)
        length = Column(chance.integers(1, 900, len(topic)), 3)
        fields = (*result, " ", *score, f" run{run}")
        documents.write_bytes(_lines(*fields, "\n"))
        passages.write_bytes(_lines(*fields, " ", start, " ", length, "\n"))


def _documents(
    chance: np.random.Generator, among: tuple[int, int], topics: int, count: int
) -> Numbers:
    """Documents of each topic, no two of them the same."""
    first, there_are = among
    start, step = chance.integers(1, there_are, (2, topics, 1))
    return np.asarray((start + step * np.arange(count)) % there_are + first)


def _lines(*parts: str | Column) -> bytes:
    """Lines of text and numbers, made with fixed widths; then the padding is taken out."""
    count = next(len(part.numbers) for part in parts if isinstance(part, Column))
    widths = [len(part) if isinstance(part, str) else part.digits for part in parts]
    found = np.empty((count, sum(widths)), dtype=np.uint8)
    at = 0
    for part, width in zip(parts, widths, strict=True):
        columns = found[:, at : at + width]
        if isinstance(part, str):
            columns[:] = np.frombuffer(part.encode(), dtype=np.uint8)
        else:
            _write_digits(columns, part)
        at += width
    flat = found.ravel()
    return flat[flat > 0].tobytes()


def _write_digits(columns: npt.NDArray[np.uint8], part: Column) -> None:
    left = part.numbers
    for place in range(part.digits - 1, -1, -1):
        is_padding = (left == 0) & (place < part.digits - 1) & (not part.keeps_zeros)
        left, digit = np.divmod(left, 10)
        columns[:, place] = np.where(is_padding, 0, digit + ord("0"))
