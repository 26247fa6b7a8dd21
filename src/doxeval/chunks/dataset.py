"""Documents and gold of a study, with what is worked out from them once for all chunkings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments import Assessments
from doxeval.chunks.boundaries import Boundaries
from doxeval.chunks.chunks import Chunks
from doxeval.chunks.documents import Documents
from doxeval.chunks.gold import questions
from doxeval.chunks.questions import Questions
from doxeval.errors import InputError
from doxeval.measures import CHARACTERS, GroundTruth, Texts, UnitStarts
from doxeval.messages import Parameter, quoted
from doxeval.retrieve import WordIndex
from doxeval.runs import ChunkTable

NO_GOLD = "not defined: no question has gold"


class Dataset:
    """Documents and gold, with all about them that does not depend on the chunking."""

    def __init__(
        self,
        docs: Documents,
        gold: Any,
        unit: str = "words",
        tokens: Any = None,
        max_missing: int | str = 0,
    ) -> None:
        if unit not in UNITS:
            raise InputError(f"unit is {quoted(unit)}: expected {', '.join(UNITS)}")
        self.docs = docs
        self.gold = gold_in(gold, docs, max_missing)
        # About gold that was read here; whoever gives gold that was read before knows them.
        self.warnings: tuple[str, ...] = (
            self.gold.warnings
            if self.gold is not gold and isinstance(self.gold, Questions | Assessments)
            else ()
        )
        self.unit = unit
        self.tokens = tokens

    @cached_property
    def texts(self) -> Texts:
        """The texts, and where words and tokens begin in them."""
        return Texts(self.docs, self.tokens)

    @property
    def assessments(self) -> Assessments:
        """The gold as judgments."""
        if isinstance(self.gold, Questions):
            return self.gold.assessments
        if isinstance(self.gold, Assessments):
            return self.gold
        raise InputError("these questions come without gold")

    @property
    def questions(self) -> Mapping[str, str]:
        """The text of each question."""
        if isinstance(self.gold, Questions):
            return self.gold.texts
        if isinstance(self.gold, Assessments):
            raise InputError("assessments alone do not say what was asked: give the questions")
        return self.gold

    @cached_property
    def truth(self) -> GroundTruth:
        """The gold, counted in characters."""
        return GroundTruth.of(self.assessments, texts=self.texts)

    @cached_property
    def boundaries(self) -> Boundaries:
        """The boundaries of sections, paragraphs and sentences."""
        return Boundaries(self.docs, self.texts)

    @cached_property
    def index(self) -> WordIndex:
        """The words of all documents, to be searched for the questions."""
        return WordIndex(self.docs, self.questions.values())

    @cached_property
    def full_index(self) -> WordIndex:
        """The same with all terms, from which feedback can choose."""
        return WordIndex(self.docs, self.questions.values(), every_term=True)

    @cached_property
    def size(self) -> int | None:
        """The units of all documents; None if nobody says what tokens are."""
        if self.unit == "characters":
            return sum(map(len, self.docs.values()))
        if self.unit == "tokens" and self.tokens is None:
            return None
        return sum(len(self.texts.starts(name, self.unit)) for name in self.docs)

    def sizes(self, chunks: Chunks) -> Ints:
        """Return the units of each chunk, which it costs to read; 0 if it was not found."""
        return chunk_costs(chunks.table, self.texts, self.unit)


def refuse_without_gold(judged: Assessments) -> None:
    """Raise an error if nothing is relevant for any question: then no place can be shown."""
    if not judged.columns.is_relevant.any():
        others = "; `evaluate` scores answers as strings and questions without an answer"
        raise InputError(f"scores are {NO_GOLD}" + others * bool(judged.answers))


def gold_in(
    gold: Any, docs: Documents, max_missing: int | str = 0
) -> Questions | Assessments | Mapping[str, str]:
    """Return gold in whatever form: questions, assessments, texts of questions, or a source.

    max_missing: how much of the gold of a source may be missing, as `questions` says.
    """
    if isinstance(gold, Questions | Assessments):
        return gold
    if isinstance(gold, Mapping) and gold and all(isinstance(text, str) for text in gold.values()):
        return {str(name): text for name, text in gold.items()}
    return questions(gold, docs, max_missing=max_missing)


UNITS = ("characters", "words", "tokens")


def chunk_costs(table: ChunkTable, texts: Texts | None, unit: str) -> Ints:
    """Return the cost of each chunk: units that begin in its text, or the tokens that it states.

    Of text that is in no document, five characters are taken for a word or token, as in measures.

    >>> table = ChunkTable.of(["1", "2"], ["a", "a"], [[(0, 4)], [(4, 7)]])
    >>> chunk_costs(table, Texts({"a": "one two"}), "words").tolist()
    [1, 1]
    """
    if unit not in UNITS:
        raise InputError(f"unit is {quoted(unit)}: expected {', '.join(UNITS)}")
    if unit == "characters":
        return table.spans.sizes() + table.added
    states = (table.tokens >= 0) & (unit == "tokens")
    costs = np.zeros(len(table), dtype=np.int64)
    owner = table.spans.owner
    counted = ~states[owner]
    if counted.any():
        if texts is None:
            raise InputError(Parameter("unit", unit) + " needs the texts of documents")
        np.add.at(costs, owner[counted], _begun(table, texts, unit)[counted])
    return np.where(states, table.tokens, costs - (-table.added // CHARACTERS))


def _begun(table: ChunkTable, texts: Texts, unit: str) -> Ints:
    """Return how many units begin in each span."""
    spans = table.spans
    documents, which = np.unique(table.document[spans.owner], return_inverse=True)
    starts = UnitStarts(texts, [table.documents[number] for number in documents.tolist()], unit)
    return starts.before(which, spans.end) - starts.before(which, spans.start)
