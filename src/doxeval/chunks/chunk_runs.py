"""Runs made of chunks, and the chunks that a run is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.errors import UnknownReference
from doxeval.messages import quoted
from doxeval.runs import ChunkTable, Run


def run_of_chunks(
    table: ChunkTable,
    topics: Sequence[str],
    chunks: Ints,
    scores: Floats | None = None,
    run_id: str = "run",
) -> Run:
    """A run of chunks, in the order of the ranking: the topic and the number of each chunk.

    >>> table = ChunkTable.of(["1", "2"], ["a", "a"], [[(0, 4)], [(4, 7)]])
    >>> run_of_chunks(table, ["7", "7"], np.array([1, 0]))
    Run('run': 2 results for 1 topic, passages)
    """
    chunks = np.asarray(chunks, dtype=np.int64)
    names = np.array(table.documents, dtype=object)
    tokens = table.tokens[chunks]
    several = table.spans.counts
    spans = table.spans.rows(chunks)
    if len(chunks) and (several[chunks] != 1).any():
        where: dict[str, Any] = {"spans": spans}
    else:
        where = {"start": spans.start, "end": spans.end}
    return Run.from_arrays(
        list(topics),
        names[table.document[chunks]].tolist() if len(chunks) else [],
        **where,
        score=scores,
        tokens=tokens if (tokens >= 0).any() else None,
        run_id=run_id,
    )


def chunks_of_run(run: Run, table: ChunkTable) -> Ints:
    """The number of the chunk that each result is; an error if it is none of them.

    >>> table = ChunkTable.of(["1", "2"], ["a", "a"], [[(0, 4)], [(4, 7)]])
    >>> chunks_of_run(run_of_chunks(table, ["7", "7"], np.array([1, 0])), table).tolist()
    [1, 0]
    """
    known: dict[tuple[int, object], int] = {}
    ranges = table.spans.as_tuples()
    for number, (document, own) in enumerate(zip(table.document.tolist(), ranges, strict=True)):
        known.setdefault((document, own), number)
    numbers = {name: number for number, name in enumerate(table.documents)}
    document = [numbers.get(name, -1) for name in run.documents]
    lists = None if run.spans is None else run.spans.as_tuples()
    found = np.empty(len(run), dtype=np.int64)
    columns = zip(run.document.tolist(), run.start.tolist(), run.end.tolist(), strict=True)
    for row, (number, start, end) in enumerate(columns):
        own = (lists[row] if lists is not None else ()) or ((start, end),)
        chunk = known.get((document[number], own))
        if chunk is None:
            raise UnknownReference(
                f"result {row + 1:,} of {quoted(run.run_id)} ({run.documents[number]} "
                f"{start:,} to {end:,}) is none of the chunks"
            )
        found[row] = chunk
    return found
