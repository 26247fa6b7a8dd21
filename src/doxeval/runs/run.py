"""A run: what one system returned, for each topic a ranked list of parts of documents.

A run is columns, one row per result, in the order of the file: list order is the ranking.
Topics, documents and places are numbers into lists of distinct names, so a run of hundreds of
thousands of results stays small and everything about it is array arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Ints
from doxeval.columns.labels import NO_LABEL, Labels

Floats = npt.NDArray[np.float64]
Order = Literal["list", "rank", "rsv"]


class Kind(IntEnum):
    """What a result is.

    >>> Kind.PASSAGE.name
    'PASSAGE'
    """

    DOCUMENT = 0  # a whole document
    ELEMENT = 1  # an element, by its path
    PASSAGE = 2  # a range of text: by characters (start, end) or by two text points
    POINT = 3  # an entry point: an offset or a text point
    TREE = 4  # a set of elements, by their paths


class Result(NamedTuple):
    """One result of a run, spelt out.

    place: the path of an element, the paths of a tree, the text points of a passage or an entry
    point; empty where start and end (or start alone) say it in characters, and for documents.

    >>> Result("7", "a", Kind.PASSAGE, 0, 99).document
    'a'
    >>> Result("7", "a", Kind.ELEMENT, place=("/article[1]/sec[2]",)).place
    ('/article[1]/sec[2]',)
    """

    topic: str
    document: str
    kind: Kind = Kind.DOCUMENT
    start: int | None = None
    end: int | None = None
    place: tuple[str, ...] = ()
    rank: int | None = None
    score: float | None = None


@dataclass(frozen=True, eq=False)
class Run:
    """A run as columns.

    start and end are -1 where a result is not given in characters. rank and score are None if
    the file does not have them. line is where each result stood in the file, from 1.

    >>> from doxeval.runs.builder import run_of
    >>> run = run_of([Result("1", "a"), Result("1", "b", Kind.PASSAGE, 0, 9)], "mine")
    >>> len(run), list(run.topics), run.topic.tolist(), run.kind.tolist()
    (2, ['1'], [0, 0], [0, 2])
    """

    run_id: str
    topic_labels: Labels[str]
    document_labels: Labels[str]
    place_labels: Labels[tuple[str, ...]]
    kind: Ints
    start: Ints
    end: Ints
    rank: Ints | None
    score: Floats | None
    line: Ints
    # What the file says about the run as a whole: participant, task, …
    facts: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    origin: str | None = None

    @property
    def topics(self) -> Sequence[str]:
        """The distinct topics, in the order of first appearance."""
        return self.topic_labels.distinct

    @property
    def topic(self) -> Ints:
        """The topic of each result, as its place in `topics`."""
        return self.topic_labels.numbers

    @property
    def documents(self) -> Sequence[str]:
        """The distinct ids of documents."""
        return self.document_labels.distinct

    @property
    def document(self) -> Ints:
        """The document of each result, as its place in `documents`."""
        return self.document_labels.numbers

    @property
    def places(self) -> Sequence[tuple[str, ...]]:
        """The distinct places inside documents."""
        return self.place_labels.distinct

    @property
    def place(self) -> Ints:
        """The place of each result, as its place in `places`; NO_LABEL if it has none."""
        return self.place_labels.numbers

    def __len__(self) -> int:
        return len(self.kind)

    def results(self) -> Iterator[Result]:
        """The results one by one."""
        for row in range(len(self)):
            yield self.result(row)

    def result(self, row: int) -> Result:
        """One result, spelt out."""
        start, end, place = int(self.start[row]), int(self.end[row]), int(self.place[row])
        return Result(
            self.topics[int(self.topic[row])],
            self.documents[int(self.document[row])],
            Kind(int(self.kind[row])),
            None if start < 0 else start,
            None if end < 0 else end,
            () if place == NO_LABEL else self.places[place],
            None if self.rank is None else int(self.rank[row]),
            None if self.score is None else float(self.score[row]),
        )

    def ordered(self, order: Order) -> Run:
        """The run with each topic's results sorted by rank or by falling score, ties as they are.

        >>> from doxeval.runs.builder import run_of
        >>> run = run_of([Result("1", "a", score=0.1), Result("1", "b", score=0.9)], "mine")
        >>> [result.document for result in run.ordered("rsv").results()]
        ['b', 'a']
        """
        if order == "list" or not len(self):
            return self
        column = self.rank if order == "rank" else self.score
        if column is None:
            raise ValueError(f"the run {self.run_id!r} has no column to order it by {order}")
        key = column if order == "rank" else -column
        return self.rows(np.lexsort((key, self.topic)))

    def rows(self, rows: Ints) -> Run:
        """The run with only these rows, in this order."""
        return replace(
            self,
            topic_labels=self.topic_labels.rows(rows),
            document_labels=self.document_labels.rows(rows),
            place_labels=self.place_labels.rows(rows),
            kind=self.kind[rows],
            start=self.start[rows],
            end=self.end[rows],
            rank=None if self.rank is None else self.rank[rows],
            score=None if self.score is None else self.score[rows],
            line=self.line[rows],
        )
