"""What chunks cost to read: characters, words or tokens."""

from __future__ import annotations

import numpy as np

from doxeval.arrays import Ints
from doxeval.errors import InputError
from doxeval.measures import Texts
from doxeval.messages import Parameter, quoted
from doxeval.runs import ChunkTable

UNITS = ("characters", "words", "tokens")


def chunk_costs(table: ChunkTable, texts: Texts | None, unit: str) -> Ints:
    """The cost of each chunk: units that begin in its text, or the tokens that it states.

    >>> table = ChunkTable.of(["1", "2"], ["a", "a"], [[(0, 4)], [(4, 7)]])
    >>> chunk_costs(table, Texts({"a": "one two"}), "words").tolist()
    [1, 1]
    """
    if unit not in UNITS:
        raise InputError(f"unit is {quoted(unit)}: expected {', '.join(UNITS)}")
    if unit == "characters":
        return table.spans.sizes()
    states = (table.tokens >= 0) & (unit == "tokens")
    found = np.zeros(len(table), dtype=np.int64)
    owner = table.spans.owner
    counted = ~states[owner]
    if counted.any():
        if texts is None:
            raise InputError(Parameter("unit", unit) + " needs the texts of documents")
        np.add.at(found, owner[counted], _begun(table, texts, unit)[counted])
    return np.where(states, table.tokens, found)


def _begun(table: ChunkTable, texts: Texts, unit: str) -> Ints:
    """How many units begin in each range."""
    document = table.document[table.spans.owner]
    found = np.zeros(len(document), dtype=np.int64)
    for number, name in enumerate(table.documents):
        rows = np.flatnonzero(document == number)
        if not len(rows):
            continue
        starts = texts.starts(name, unit)
        found[rows] = np.searchsorted(starts, table.spans.end[rows]) - np.searchsorted(
            starts, table.spans.start[rows]
        )
    return found
