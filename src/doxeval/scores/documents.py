"""Scores of single documents: how well a run points into each document of its list.

Measures in context average such scores. Each has a row with the document's rank in its topic, how
it is scored (such as `F(beta=1)`), its score, and what the score comes from:

    retrieved            characters of the document that the run returns, each once
    relevant             highlighted characters of the document
    relevant_retrieved   characters that are both
    precision, recall    relevant_retrieved / retrieved, relevant_retrieved / relevant
    distance             characters between the returned and the best entry point

Scores of entry points look at distances only, the others at text only; the rest is None. Relevant
documents that a run does not return have no row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.messages import plural

if TYPE_CHECKING:
    from doxeval.scores.frames import Kind
    from doxeval.scores.table import ScoreTable


class DocumentScores(NamedTuple):
    """The scores of the documents that one run returns, by topic and rank.

    scored_by: how. topic: by number, as in the table. Numbers are nan where there is none.

    >>> number = np.array([1.0])
    >>> DocumentScores("F(beta=1)", np.array([0]), ("a",), np.array([1]), *[number] * 7)
    DocumentScores('F(beta=1)': 1 document)
    """

    scored_by: str
    topic: Ints
    document: tuple[str, ...]
    rank: Ints
    score: Floats
    precision: Floats
    recall: Floats
    distance: Floats
    retrieved: Floats
    relevant_retrieved: Floats
    relevant: Floats

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DocumentScores):
            return NotImplemented
        if (self.scored_by, self.document) != (other.scored_by, other.document):
            return False
        columns = zip((self.topic, *self[3:]), (other.topic, *other[3:]), strict=True)
        return all(np.array_equal(own, its, equal_nan=True) for own, its in columns)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.scored_by, self.document))

    def __repr__(self) -> str:
        return f"DocumentScores({self.scored_by!r}: {plural(len(self.document), 'document')})"


class DocumentRow(NamedTuple):
    """The score of one document in the list of a run, and what it comes from."""

    run: str
    topic: str
    document: str
    rank: int
    scored_by: str
    score: float
    precision: float | None
    recall: float | None
    distance: int | None
    retrieved: int | None
    relevant_retrieved: int | None
    relevant: int | None


_NUMBERS = DocumentRow._fields[5:]
_FRACTIONS = ("score", "precision", "recall")
TYPES: dict[str, type] = {
    **dict.fromkeys(DocumentRow._fields, int),
    **dict.fromkeys(("run", "topic", "document", "scored_by"), str),
    **dict.fromkeys(_FRACTIONS, float),
}


def document_rows(table: ScoreTable) -> Iterator[DocumentRow]:
    """The scores of documents: by run, way of scoring, topic and rank.

    >>> from doxeval.scores import ScoreTable
    >>> list(document_rows(ScoreTable((), (), ())))
    []
    """
    for scores in table.runs:
        for own in scores.documents:
            topics = [table.topic_ids[topic] for topic in own.topic.tolist()]
            columns = [_plain(getattr(own, name), name in _FRACTIONS) for name in _NUMBERS]
            keys = topics, own.document, own.rank.tolist()
            for topic, document, rank, *numbers in zip(*keys, *columns, strict=True):
                yield DocumentRow(scores.run, topic, document, rank, own.scored_by, *numbers)


def document_frame(table: ScoreTable, kind: Kind | None = None) -> Any:
    """The scores of documents as a data frame; pandas if it is installed, else polars.

    >>> from doxeval.scores import ScoreTable
    >>> list(document_frame(ScoreTable((), (), ())))[:5]
    ['run', 'topic', 'document', 'rank', 'scored_by']
    """
    from doxeval.scores.frames import library_of

    library = library_of(kind)
    rows = list(document_rows(table))
    columns = {name: [getattr(row, name) for row in rows] for name in TYPES}
    if library.__name__ == "polars":
        types = {str: library.String, int: library.Int64, float: library.Float64}
        return library.DataFrame(columns, {name: types[kind] for name, kind in TYPES.items()})
    nullable = {str: "object", int: "Int64", float: "float64"}  # whole numbers or <NA>
    return library.DataFrame(columns).astype({n: nullable[kind] for n, kind in TYPES.items()})


def _plain(values: Floats, are_fractions: bool) -> list[Any]:
    """Numbers as Python has them, None in place of nan."""
    return [
        None if value != value else value if are_fractions else int(value)
        for value in values.tolist()
    ]
