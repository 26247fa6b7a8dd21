"""Scores looked up in a table: by any name of a measure, by run and topic, by document.

A measure has up to three names: its label (the name that the user gave), its canonical name (with
every parameter as it was used), and the name with every parameter as the user gave it. A measure
can be looked up by any of them, and by a value that prints as one of them. White space, the order
of parameters and the spelling of numbers do not matter: `iP[.01]`, `iP[0.01]` and `iP[ 1/100 ]` are
the same measure.

Scores of single documents say how well a run points into each document of its list; measures in
context average them. Each has a row with the document's rank in its topic, how it is scored (such
as `F(beta=1)`), its score, and what the score comes from:

    retrieved            characters of the document that the run returns, each once
    relevant             highlighted characters of the document
    relevant_retrieved   characters that are both
    precision, recall    relevant_retrieved / retrieved, relevant_retrieved / relevant
    distance             characters between the returned and the best entry point

Scores of entry points look at distances only, the others at text only; the rest is None. Relevant
documents that a run does not return have no row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.errors import UnknownName
from doxeval.messages import plural, quoted, suggestion
from doxeval.scores.text import shortened, values_as_text

if TYPE_CHECKING:
    from doxeval.scores.table import MeasureFacts, ScoreTable

_NUMBER = re.compile(
    r"(?<![\w.])(?:[0-9]{1,30}/0{0,30}[1-9][0-9]{0,30}|[0-9]{1,400}\.?[0-9]{0,400}|\.[0-9]{1,400})"
    r"(?![\w./])"
)
PARAMETERS = re.compile(r"\(([^()]*)\)$")


def index_of_measure(measures: Sequence[MeasureFacts], key: object) -> int:
    """Return the index of the measure with this name; labels take precedence over other names.

    A class stands for the measure with its default parameters.

    >>> from doxeval.scores import MeasureFacts
    >>> measures = [MeasureFacts("MAiP", "MAiP(alpha=0)", ""), MeasureFacts("iP[.01]", "", "")]
    >>> index_of_measure(measures, "iP[0.010]"), index_of_measure(measures, "MAiP( alpha=0.0 )")
    (1, 0)
    >>> index_of_measure(measures, "MAIP")
    Traceback (most recent call last):
    doxeval.errors.UnknownName: no scores by 'MAIP'; did you mean MAiP?
    """
    name = str(key() if isinstance(key, type) else key)
    for spell in (str, plain_name):
        spelt = spell(name)
        # All labels, then all canonical names, and so on.
        for names in zip(*(measure.names for measure in measures), strict=True):
            for index, candidate in enumerate(names):
                if spell(candidate) == spelt:
                    return index
    labels = [measure.label for measure in measures]
    raise UnknownName(f"no scores by {quoted(name)}{suggestion(name, labels, 'scores by ')}")


def plain_name(name: str) -> str:
    """Return a name without white space, its numbers as fractions and its parameters sorted.

    >>> plain_name("iP[.010]"), plain_name("MAgP( score = F, beta = .5 )")
    ('iP[1/100]', 'MAgP(beta=1/2,score=F)')
    """
    plain = _NUMBER.sub(lambda match: str(Fraction(match[0])), "".join(name.split()))
    return PARAMETERS.sub(lambda match: f"({','.join(sorted(match[1].split(',')))})", plain)


class ByMeasure(Mapping[object, float | None]):
    """Scores by measure, None where a measure is undefined; equal to a dictionary by label.

    >>> from doxeval.scores import MeasureFacts
    >>> scores = ByMeasure([MeasureFacts("iP[.01]", "iP[0.01](alpha=0)", "")], [0.5])
    >>> scores["iP[0.01]"], scores["iP[0.01](alpha=0)"], list(scores)
    (0.5, 0.5, ['iP[.01]'])
    >>> scores == {"iP[.01]": 0.5}
    True
    >>> scores
    <iP[.01] 0.5000>
    """

    def __init__(self, measures: Sequence[MeasureFacts], values: Sequence[float | None]) -> None:
        self._measures = tuple(measures)
        self._values = tuple(values)

    def __getitem__(self, measure: object) -> float | None:
        return self._values[index_of_measure(self._measures, measure)]

    def __iter__(self) -> Iterator[str]:
        return (facts.label for facts in self._measures)

    def __len__(self) -> int:
        return len(self._measures)

    def __repr__(self) -> str:
        return f"<{values_as_text(self._pairs())}>"

    def _pairs(self) -> list[tuple[str, float | None]]:
        labels = [facts.label for facts in self._measures]
        return list(zip(labels, self._values, strict=True))


class RunView(ByMeasure):
    """The scores of one run of a table: means by measure, and the scores of each topic.

    >>> import numpy as np
    >>> from doxeval.scores import MeasureFacts, RunScores, ScoreTable
    >>> facts = MeasureFacts("iP[.01]", "iP[0.01](alpha=0)", "interpolated precision")
    >>> scores = RunScores("mine", np.array([[0.5, 0.25, np.nan]]), np.array([True, True, True]))
    >>> mine = ScoreTable((facts,), ("7", "8", "9"), (scores,))["mine"]
    >>> mine["iP[0.01]"], mine.topics["8"]["iP[.01]"], mine.topics["9"]["iP[.01]"]
    (0.375, 0.25, None)
    >>> mine
    <mine: iP[.01] 0.3750; 3 topics>
    """

    def __init__(self, table: ScoreTable, index: int) -> None:
        self._table = table
        self._index = index
        super().__init__(table.measures, table.means_of(index))

    @property
    def run(self) -> str:
        """The name of the run."""
        return self._table.runs[self._index].run

    @property
    def table(self) -> ScoreTable:
        """The scores of this run as a table, such as `check_scores` takes."""
        return self._table.only(runs=self.run)

    @property
    def file(self) -> str | None:
        """The file that the run was read from, None if there is none."""
        return self._table.runs[self._index].file

    @property
    def description(self) -> str:
        """What the run is, on one line; empty if nobody said so."""
        return self._table.runs[self._index].description

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings about all runs of the table, then those about the run."""
        return (*self._table.warnings, *self._table.runs[self._index].warnings)

    def all_warnings(self) -> tuple[str, ...]:
        """Return the warnings about the run, those about all runs, and what is undefined."""
        return self._table.only(runs=self.run).all_warnings()

    @property
    def topics(self) -> dict[str, ByMeasure]:
        """The scores of each topic that counts."""
        return {
            topic: ByMeasure(self._measures, values)
            for topic, values in self._table.topics_of(self._index)
        }

    def __repr__(self) -> str:
        topics = plural(int(self._table.runs[self._index].counted.sum()), "topic")
        return f"<{shortened(self.run)}: {values_as_text(self._pairs())}; {topics}>"


class DocumentScores(NamedTuple):
    """The scores of the documents that one run returns, by topic and rank.

    scored_by: how they are scored. topic: the number of the topic in the table. A value that a
    document does not have is nan.

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
        return all(np.array_equal(a, b, equal_nan=True) for a, b in columns)

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


_FRACTIONS = ("score", "precision", "recall")
DOCUMENT_TYPES: dict[str, type] = {
    **dict.fromkeys(DocumentRow._fields, int),
    **dict.fromkeys(("run", "topic", "document", "scored_by"), str),
    **dict.fromkeys(_FRACTIONS, float),
}


def rows_of_documents(
    scores: DocumentScores, run: str, topic_ids: Sequence[str]
) -> Iterator[DocumentRow]:
    """Yield the scores of documents one by one, under the ids of their topics."""
    topics = [topic_ids[topic] for topic in scores.topic.tolist()]
    columns = [
        _plain_numbers(getattr(scores, name), name in _FRACTIONS)
        for name in DocumentRow._fields[5:]
    ]
    keys = topics, scores.document, scores.rank.tolist()
    for topic, document, rank, *numbers in zip(*keys, *columns, strict=True):
        yield DocumentRow(run, topic, document, rank, scores.scored_by, *numbers)


def _plain_numbers(values: Floats, are_fractions: bool) -> list[Any]:
    """Return numbers of Python, None in place of nan."""
    return [
        None if value != value else value if are_fractions else int(value)
        for value in values.tolist()
    ]
